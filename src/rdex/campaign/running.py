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
from rdex.campaign.algorithms import Algorithm, EngineRun, RunFailed
from rdex.campaign.own_problems import ProblemFile
from rdex.common.extras import require
from rdex.jit.loading import compile_missing, compiling_first, expect
from rdex.problem import Problem
from rdex.recorder.record import Record
from rdex.store import RunKey, StoredRun
from rdex.store.schema import encode_run
from rdex.suites import registry


@dataclass(frozen=True)
class RunTask:
    """A run to be made; `data` is the place of the official data of cec2017, if it is named.

    `file` is the problem where it is one of one's own.
    """

    key: RunKey
    algorithm: Algorithm
    data: str | None = None
    file: ProblemFile | None = None

    def problem(self) -> Problem:
        """What is to be solved."""
        if self.file is not None:
            return self.file.load()
        return find_problem(self.key.problem_id, self.data)


@dataclass(frozen=True)
class FinishedRun:
    """A run that was made: the bytes of its file, and what went wrong, if anything did.

    Of a run that failed the bytes are what it did until then, None where it did nothing.
    """

    content: bytes | None
    wall_time: float
    error: str = ""
    traceback: str = ""


def execute(task: RunTask) -> FinishedRun:
    """Make a run. An exception in it is a result, not an exception."""
    clock = perf_counter()
    key = task.key
    try:
        problem = task.problem()
        prepare(task)
        started = datetime.now(UTC)
        clock = perf_counter()
        record, failure = made(task, problem)
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
        return FinishedRun(encode_run(stored), wall_time, *described(failure))
    # Ctrl-C does not come to workers: a KeyboardInterrupt is the algorithm's own.
    except BaseException as error:
        return FinishedRun(None, perf_counter() - clock, *described(error))


def made(task: RunTask, problem: Problem) -> tuple[Record, BaseException | None]:
    """What a run recorded, and the exception that ended it early."""
    key = task.key
    try:
        return task.algorithm.run(problem, key.maxfev, key.seed(), key.checkpoints), None
    except RunFailed as failure:
        return failure.record, failure.__cause__


def described(error: BaseException | None) -> tuple[str, str]:
    """An exception in one line, and its traceback; empty where there is none."""
    if error is None:
        return "", ""
    return f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error))


@functools.lru_cache(maxsize=64)
def find_problem(id: str, data: str | None) -> Problem:
    """The problem of that id; kept, as many runs of a worker are on it."""
    return registry.get(id, data)


#: Pairs of algorithm and problem that this process is ready for.
_prepared: set[tuple[str, str]] = set()


def prepare(task: RunTask) -> None:
    """Load once what runs of an algorithm on a problem need, so that no run's time includes it."""
    kind = (task.key.algorithm, task.key.problem_id)
    if kind not in _prepared:
        require("pyarrow.parquet", "bench")
        expect(task.key.maxfev)
        task.algorithm.run.prepare(task.problem())
        _prepared.add(kind)


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


def warm(tasks: list[RunTask]) -> None:
    """Compile all that the tasks need before they begin, so that workers find it in the cache.

    Where the runs would be over before that, they are interpreted.
    """
    with compiling_first(sum(task.key.maxfev for task in tasks)) as is_first:
        if is_first:
            runs = [task.algorithm.run for task in tasks if task.problem().is_compiled]
            compile_missing({run.loop for run in runs if isinstance(run, EngineRun)})
        for task in tasks:
            prepare(task)
