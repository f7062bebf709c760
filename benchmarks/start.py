"""How soon things start: imports, commands, and the first evaluation of a run.

    python benchmarks/start.py [--repeat 3] [--csv docs/data/start.csv] [--with-campaign]

Everything is a new process. "Cold" is an empty kernel cache, a new one for each repetition; "warm"
is a cache that `rdex warmup` would leave for that run. The median of the repetitions counts, by
wall clock and by CPU time. The wall clock of a busy machine says little: the last column divides
the CPU time by that of `import scipy.optimize`, measured in turn with everything else. With
`--with-campaign` also the report of a campaign of 50 runs. Bytecode is there, as pip leaves it:
without it, Python compiles 130 files of rdex before the first evaluation.

A cold run that is longer than the compiling ends in compiled code; its result must be that of a
warm run, bit for bit, or the program fails.
"""

from __future__ import annotations

import argparse
import compileall
import csv
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import rdex

YARDSTICK = "import scipy.optimize"

#: The ten lines of the README, with a clock in the objective.
README = """
import rdex

result = rdex.minimize(
    clocked(lambda x: x[0] ** 2 + x[1] ** 2),
    bounds=[(-5, 5), (-5, 5)],
    constraints={"fun": lambda x: x[0] + x[1], "lb": 1, "ub": 1},  # an equality
    maxfev=100,
    rng=1,
)
"""

#: A run that needs the engine from the start.
ENGINE = """
import rdex
result = rdex.minimize(
    clocked(lambda x: float(x @ x)),
    bounds=[(-5, 5)] * 10,
    constraints={"type": "ineq", "fun": lambda x: x[0] + x[1] - 1},
    algorithm="rdex-csop",
    maxfev=MAXFEV,
    rng=1,
)
"""

#: A problem of a suite, and a function jitted by the user.
SUITE = """
import rdex, rdex.suites
rdex.minimize(rdex.suites.get("g2006/G04"), maxfev=300, rng=1, algorithm="rdex-csop")
"""
JITTED = """
import numba, rdex
fun = numba.njit(lambda x: x[0] ** 2 + x[1] ** 2)
limit = numba.njit(lambda x: x[0] + x[1] - 1)
rdex.minimize(fun, [(-5, 5)] * 2, constraints={"type": "ineq", "fun": limit}, maxfev=300, rng=1,
              algorithm="rdex-csop")
"""

CLOCK = """
import json, os, time
first = None
def clocked(function):
    def call(x):
        global first
        if first is None:
            first = time.time() - float(os.environ["BEGUN"]), time.process_time()
        return function(x)
    return call
"""

SAY = """
print(json.dumps([*first, time.time() - float(os.environ["BEGUN"]), time.process_time(),
                  float(result.fun).hex()]))
"""

CAMPAIGN = ["bench", "run", "--algorithms", "rdex-csop,cl-srde", "--suite", "cec2017", "--dim",
            "10", "--instance", "1", "--problems", "1,4,8,13,20", "--runs", "5", "--maxfev",
            "5000D"]  # fmt: skip


class Bar(NamedTuple):
    """A bar, and what is measured for it: seconds by wall clock and CPU."""

    name: str
    seconds: float | None  # None: there is no bar
    measure: Callable[[], tuple[float, float]]


def timed(command: list[str], cache: str) -> tuple[float, float]:
    """Wall clock and CPU seconds of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, env=os.environ | {"RDEX_CACHE_DIR": cache}, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed_cold(program: str) -> tuple[float, float]:
    """The same for a program with an empty cache."""
    return timed([sys.executable, "-c", program], tempfile.mkdtemp(prefix="rdex-start-"))


class Runs:
    """Runs of a program that minimises, each measured at its first evaluation and at its end."""

    def __init__(self, program: str, warm: str | None = None) -> None:
        self.program = CLOCK + program + SAY
        self.results: set[str] = set()
        self.warm = warm or tempfile.mkdtemp(prefix="rdex-start-")
        self.run(self.warm, {"RDEX_COMPILE": "wait"})
        self._latest: list[float] = []

    def run(self, cache: str, more: dict[str, str]) -> list[float]:
        """Seconds at the first evaluation (wall, CPU), and at the end."""
        environment = os.environ | {"RDEX_CACHE_DIR": cache, "BEGUN": str(time.time())} | more
        answer = subprocess.run([sys.executable, "-c", self.program], env=environment, check=True,
                                capture_output=True, text=True)  # fmt: skip
        *times, value = json.loads(answer.stdout)
        self.results.add(value)
        if len(self.results) > 1:
            sys.exit(f"results differ: {sorted(self.results)}")
        return [float(each) for each in times]

    def first_cold(self) -> tuple[float, float]:
        """First evaluation with an empty cache; the end is kept for `end_cold`."""
        self._latest = self.run(tempfile.mkdtemp(prefix="rdex-start-"), {})
        return self._latest[0], self._latest[1]

    def end_cold(self) -> tuple[float, float]:
        """The end of the same run."""
        return self._latest[2], self._latest[3]

    def first_warm(self) -> tuple[float, float]:
        """First evaluation with the kernels in the cache."""
        self._latest = self.run(self.warm, {})
        return self._latest[0], self._latest[1]

    def end_warm(self) -> tuple[float, float]:
        """The end of the same run."""
        return self._latest[2], self._latest[3]


def bars(with_campaign: bool) -> list[Bar]:
    """All that is measured, in the order of measuring."""
    python = sys.executable
    rdex = [python, "-c", "from rdex.cli import main; main()"]
    cache = tempfile.mkdtemp(prefix="rdex-start-")
    readme, short = Runs(README), Runs(ENGINE.replace("MAXFEV", "20_000"))
    long = Runs(ENGINE.replace("MAXFEV", "200_000"), short.warm)
    found = [
        Bar(YARDSTICK, None, lambda: timed([python, "-c", YARDSTICK], cache)),
        Bar("import rdex", None, lambda: timed([python, "-c", "import rdex"], cache)),
        Bar("rdex --help", 0.4, lambda: timed([*rdex, "--help"], cache)),
        Bar("rdex suite list", None, lambda: timed([*rdex, "suite", "list"], cache)),
        Bar("README, cold, first evaluation", 1.5, readme.first_cold),
        Bar("README, cold, end", 6.0, readme.end_cold),
        Bar("README, warm, first evaluation", 0.8, readme.first_warm),
        Bar("README, warm, end", None, readme.end_warm),
        Bar("G04 of a suite, 300, cold, end", None, lambda: timed_cold(SUITE)),
        Bar("numba.njit, 300, cold, end", None, lambda: timed_cold(JITTED)),
        Bar("rdex-csop 20 000, cold, first evaluation", 1.5, short.first_cold),
        Bar("rdex-csop 20 000, cold, end", None, short.end_cold),
        Bar("rdex-csop 20 000, warm, first evaluation", 0.8, short.first_warm),
        Bar("rdex-csop 20 000, warm, end", None, short.end_warm),
        Bar("rdex-csop 200 000, cold, end", None, lambda: (long.first_cold(), long.end_cold())[1]),
        Bar("rdex-csop 200 000, warm, end", None, lambda: (long.first_warm(), long.end_warm())[1]),
    ]
    if with_campaign:
        folder = tempfile.mkdtemp(prefix="rdex-start-")
        campaign, report = f"{folder}/campaign", f"{folder}/report"
        home = os.environ.get("RDEX_CACHE_DIR", os.path.expanduser("~/.cache/rdex"))
        timed([*rdex, *CAMPAIGN, "--out", campaign], home)
        command = [*rdex, "bench", "report", campaign, "--out", report]
        found.append(Bar("rdex bench report, 50 runs", 3.0, lambda: timed(command, home)))
    return found


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--csv", type=Path, help="write the table there")
    parser.add_argument("--with-campaign", action="store_true", help="also the report of one")
    arguments = parser.parse_args()
    for name in ("RDEX_COMPILE", "PYTHONDONTWRITEBYTECODE"):
        os.environ.pop(name, None)
    compileall.compile_dir(Path(rdex.__file__).parent, quiet=1)
    measured = bars(arguments.with_campaign)
    seen: dict[str, list[tuple[float, float]]] = {bar.name: [] for bar in measured}
    for _ in range(arguments.repeat):
        for bar in measured:
            seen[bar.name].append(bar.measure())
    cpu = {name: statistics.median(c for _, c in times) for name, times in seen.items()}
    rows = [
        {
            "what": bar.name,
            "bar": "" if bar.seconds is None else f"{bar.seconds:g}",
            "seconds": f"{statistics.median(wall for wall, _ in seen[bar.name]):.2f}",
            "cpu": f"{cpu[bar.name]:.2f}",
            "cpu over scipy": f"{cpu[bar.name] / cpu[YARDSTICK]:.2f}",
        }
        for bar in measured
    ]
    for row in (dict(zip(rows[0], rows[0], strict=True)), *rows):
        print(f"{row['what']:42} {row['bar']:>6} {row['seconds']:>8} {row['cpu']:>8} "
              f"{row['cpu over scipy']:>15}")  # fmt: skip
    if arguments.csv:
        with arguments.csv.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
