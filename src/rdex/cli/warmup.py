"""Compile everything ahead of time, on all cores."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

#: What a process runs; its arguments are kernels and problems.
PROGRAM = "from rdex.cli.warmup import compile_named; compile_named()"


def warm_up(say: Callable[[str], None]) -> tuple[float, str]:
    """Compile every kernel of the package; seconds taken and the cache folder.

    Kernels of one method share most of their parts: the first of them is compiled before the
    others, which find the parts in the cache.
    """
    from rdex.common.cores import usable_cores
    from rdex.common.folders import cache_folder
    from rdex.jit.compiling import tricks_on

    start = time.perf_counter()
    tricks_on()  # tested once, not by every process
    first, others = stages()
    n_all, n_done = len(first) + len(others), 0
    with ThreadPoolExecutor(usable_cores()) as pool:
        for stage in (first, others):
            for done in as_completed([pool.submit(compile_apart, names) for names in stage]):
                n_done += 1
                say(f"{n_done} of {n_all}: {done.result()}")
    return time.perf_counter() - start, str(cache_folder())


def stages() -> tuple[list[list[str]], list[list[str]]]:
    """What is compiled first and after that, one process for each list of names."""
    from rdex.jit.places import all_places

    places = all_places()
    first = [place for place in places if place.endswith(".asktell:tell_ask")]
    modules: dict[str, list[str]] = {}
    for place in places:
        if place not in first:
            modules.setdefault(place.partition(":")[0], []).append(place)
    problems = suite_problems()
    chunks = [problems[k :: len(problems) // 20] for k in range(len(problems) // 20)]
    return [[place] for place in first] + chunks, list(modules.values())


def suite_problems() -> list[str]:
    """Ids of problems that have all compiled functions of the suites among them."""
    from rdex.suites import registry

    ids = [*registry.ids("g2006"), *registry.ids("engineering")]
    for number in range(1, 29):
        editions = ("2017", "2024") if number in (9, 15, 24) else ("2017",)
        ids += [f"cec2017/C{number:02d}/d10/{edition}/1" for edition in editions]
    return ids


def compile_apart(names: list[str]) -> str:
    """Compile in a process of its own; what it was."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", PROGRAM, *names], env=environment, check=True)
    is_suite = "/" in names[0]
    return f"{len(names)} problems" if is_suite else names[0].removeprefix("rdex.").split(":")[0]


def compile_named() -> None:
    """The program of such a process: kernels as ``module:name``, problems by their ids."""
    from rdex.jit.loading import load
    from rdex.suites import registry

    for name in sys.argv[1:]:
        if ":" in name:
            load(name)
        else:
            _ = registry.get(name).compiled
