"""Kernels compiled by other processes: ``compile_ahead MODULE:NAME ...`` is their program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence

from rdex.common.cores import usable_cores
from rdex.jit.sources import SOURCES

#: What a process runs; the folder of this package comes first. Beside a run, the run comes first.
PROGRAM = (
    f"import sys; sys.path.insert(0, {str(SOURCES)!r}); "
    "from rdex.jit.compile_ahead import main; main()"
)
BESIDE_A_RUN = f"import os; hasattr(os, 'nice') and os.nice(5); {PROGRAM}"


def main() -> None:
    """Compile the kernels that are named into the cache."""
    from rdex.jit.loading import load
    from rdex.jit.marks import is_cached

    for place in sys.argv[1:]:
        load(place)
        if not is_cached(place):
            sys.exit(f"{place} could not be kept in the cache")


def compile_apart(groups: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Compile each group of kernels in a process of its own, on all cores; groups as they end.

    Raises CalledProcessError where one cannot be compiled or kept.
    """
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from rdex.jit.compiling import tricks_on

    tricks_on()  # tested once, not by every process
    with ThreadPoolExecutor(usable_cores()) as pool:
        jobs = {pool.submit(_compile_group, group): group for group in groups}
        for job in as_completed(jobs):
            job.result()
            yield jobs[job]


def _compile_group(places: Sequence[str]) -> None:
    command = [sys.executable, "-c", PROGRAM, *places]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)  # fmt: skip
