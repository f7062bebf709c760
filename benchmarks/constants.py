"""Whether `auto` depends on its constants: each is halved and doubled, everything else stays.

    python benchmarks/constants.py [--budgets 10000] [--seeds 2] [--csv docs/data/constants.csv]

Rugged problems of G2006, COCO and CEC 2017 that models alone do not solve: on others no constant
here changes anything. A run ends at the target. The table has the share solved, and the number of
runs that end better and worse than with the constants as they are. Other points lead elsewhere on
rugged functions, so some runs end better and some worse whatever is changed. A constant matters
where one of the two is much larger, which `p` says: that of a sign test.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from budgets import problem_of, solved_of
from scipy import stats
from small_tables import write_csv

import rdex
from rdex.strategies import auto, hybrid
from rdex.suites import target

PROBLEMS = (
    "g2006/G02", "coco/f16-D5-i13", "coco/f34-D5-i13", "coco/f49-D5-i13", "coco/f52-D5-i13",
    *(f"cec2017/{number}-D10-i31" for number in (
        "C03", "C05", "C06", "C09", "C14", "C20", "C21", "C22",
    )),
)  # fmt: skip

#: Seconds of an evaluation. Measured ones would make runs differ by chance.
SECONDS = 1e-6

#: Differences of f below this share are ties.
TIE = 1e-4

#: Module and class of the settings -> constants that decide who gets how many evaluations.
CONSTANTS = {
    (auto, auto.AutoSettings): (
        "model_seconds", "small_budget", "patience", "least_patience", "population", "scarce",
    ),
    (hybrid, hybrid.HybridSettings): ("share", "vain", "seeds", "from_end", "reserve", "exact"),
}  # fmt: skip


def changed(module: Any, settings: Any, **values: float) -> Any:
    """While it lasts, some constants are others."""
    replace(settings(), **values)  # raises where there is no such constant
    return mock.patch.object(module, settings.__name__, partial(settings, **values))


class Run(NamedTuple):
    """How a run ended."""

    is_solved: bool
    violation: float
    f: float


def runs(budgets: list[int], seeds: int, problems: tuple[str, ...] = PROBLEMS) -> list[Run]:
    """One per problem, budget and seed."""
    made = []
    for name, budget, seed in product(problems, budgets, range(seeds)):
        problem = problem_of(name)
        result = rdex.minimize(
            problem, maxfev=budget, rng=[400, seed], target=target(problem), checkpoints=1
        )
        is_solved = solved_of(problem, result.fun, result.cv) == 1
        made.append(Run(is_solved, result.cv, result.fun))
    return made


def sign(run: Run, other: Run) -> int:
    """1 where a run ended better than another, -1 where it ended worse, 0 for ties."""
    if run.is_solved or other.is_solved:
        return run.is_solved - other.is_solved
    for mine, its in ((run.violation, other.violation), (run.f, other.f)):
        if abs(mine - its) > TIE * max(abs(mine), abs(its)):
            return 1 if mine < its else -1
    return 0


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budgets", type=int, nargs="*", default=[10000])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--constants", nargs="*", help="only these")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []

    def note(constant: str, value: float, made: list[Run]) -> None:
        signs = [sign(run, other) for run, other in zip(made, base, strict=True)]
        better, worse = signs.count(1), signs.count(-1)
        p = stats.binomtest(better, better + worse).pvalue if better + worse else 1.0
        rows.append({
            "constant": constant, "value": f"{value:g}", "runs": len(made),
            "solved": f"{np.mean([run.is_solved for run in made]):.2f}",
            "better": better, "worse": worse, "p": f"{p:.2f}",
        })  # fmt: skip
        print(rows[-1], flush=True)
        if options.csv is not None:
            write_csv(options.csv, rows)

    with changed(auto, auto.AutoSettings, evaluation_seconds=SECONDS):
        base = runs(options.budgets, options.seeds)
        note("as they are", 1.0, base)
        for (module, settings), names in CONSTANTS.items():
            for name, factor in product(names, (0.5, 2.0)):
                if options.constants and name not in options.constants:
                    continue
                value = type(getattr(settings(), name))(getattr(settings(), name) * factor)
                fixed = {"evaluation_seconds": SECONDS} if module is auto else {}
                with changed(module, settings, **fixed, **{name: value}):
                    note(name, value, runs(options.budgets, options.seeds))


if __name__ == "__main__":
    main()
