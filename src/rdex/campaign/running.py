"""One run, from its key to the bytes of its file. This is what workers do."""

from __future__ import annotations

import functools
import importlib
import platform
import traceback
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from time import perf_counter

import rdex
from rdex.campaign.algorithms import Algorithm
from rdex.common.extras import require
from rdex.problem import Problem
from rdex.store import RunKey, StoredRun
from rdex.store.schema import encode_run
from rdex.suites import registry


@dataclass(frozen=True)
class Task:
    """A run to be made; `data` is the place of the official data of cec2017, if it is named."""

    key: RunKey
    algorithm: Algorithm
    data: str | None = None


@dataclass(frozen=True)
class Result:
    """A run that was made: the bytes of its file, or what went wrong."""

    content: bytes | None
    wall_time: float
    error: str = ""
    traceback: str = ""


def execute(task: Task) -> Result:
    """Make a run. An exception in it is a result, not an exception."""
    clock = perf_counter()
    key = task.key
    try:
        problem = find_problem(key.problem_id, task.data)
        load_kernels()
        if problem.is_compiled:
            problem.compiled  # noqa: B018 - compiled or read from the cache, before the clock starts
        started = datetime.now(UTC)
        clock = perf_counter()
        record = task.algorithm.run(problem, key.maxfev, key.seed(), key.checkpoints)
        wall_time = perf_counter() - clock
        stored = StoredRun(
            key,
            record,
            problem.n_constraints,
            settings=task.algorithm.settings,
            versions=versions(),
            cpu=cpu(),
            started=started,
            wall_time=wall_time,
        )
        return Result(encode_run(stored), wall_time)
    except Exception as error:
        described = f"{type(error).__name__}: {error}"
        return Result(None, perf_counter() - clock, described, traceback.format_exc())


@functools.lru_cache(maxsize=64)
def find_problem(id: str, data: str | None) -> Problem:
    """The problem of that id; kept, as many runs of a worker are on it."""
    return registry.get(id, data)


@functools.cache
def load_kernels() -> None:
    """Import what every run needs, so that no run's time includes it."""
    for room in ("engine.kernels.fused", "engine.kernels.asktell", "recorder.kernels"):
        importlib.import_module(f"rdex.{room}")
    require("pyarrow.parquet", "bench")


@functools.cache
def versions() -> dict[str, str]:
    """Versions of what decides the bits of a run."""
    found = {"rdex": rdex.__version__, "python": platform.python_version()}
    for name in ("numpy", "scipy", "numba", "llvmlite"):
        found[name] = metadata.version(name)
    return found


@functools.cache
def cpu() -> str:
    """The type of this CPU: what code is compiled for, and its name for people."""
    binding = importlib.import_module("llvmlite.binding")
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{binding.get_host_cpu_name()}; {model}"


def warm(tasks: list[Task]) -> None:
    """Compile in this process all that the tasks need, so that workers find it in the cache."""
    seen = set()
    for task in tasks:
        kind = (task.key.algorithm, task.key.problem_id)
        if kind in seen:
            continue
        seen.add(kind)
        problem = find_problem(task.key.problem_id, task.data)
        if task.algorithm.origin in ("preset", "settings"):
            task.algorithm.run(problem, 30, task.key.seed(), 1)
        else:
            problem.evaluate((problem.lower + problem.upper)[None] / 2)
