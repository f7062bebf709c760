"""Whether `auto` depends on its constants: each is halved and doubled, everything else stays.

    python benchmarks/constants.py [--budgets 1500] [--seeds 1] [--csv docs/data/constants.csv]

Problems of G2006, engineering, COCO and CEC 2017, one run each per seed and budget, which ends at
the target. The table has the share solved, and the evaluations to the target beside those with the
constants as they are: the geometric mean of the ratios, where a run that does not reach the target
counts twice its budget. Values near 1 say that the constant does not matter.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from budgets import problem_of, solved_of
from small_tables import write_csv

import rdex
from rdex.strategies import auto, hybrid
from rdex.suites import target

#: Such as models do not solve at once: where the change to evolution may matter.
PROBLEMS = (
    "engineering/piston-lever", "engineering/ten-bar-truss", "engineering/stepped-cantilever",
    "g2006/G09", "g2006/G14", "g2006/G17", "g2006/G21",
    "coco/f16-D5-i13", "coco/f34-D5-i13", "coco/f49-D5-i13", "coco/f52-D5-i13",
    "cec2017/C03-D10-i31", "cec2017/C06-D10-i31", "cec2017/C14-D10-i31", "cec2017/C22-D10-i31",
)  # fmt: skip

#: Module and class of the settings -> constants that decide who gets how many evaluations.
CONSTANTS = {
    (auto, auto.AutoSettings): (
        "model_seconds", "small_budget", "patience", "least_patience", "population", "scarce",
    ),
    (hybrid, hybrid.HybridSettings): ("share", "vain", "seeds", "from_end", "reserve", "exact"),
}  # fmt: skip


def changed(module: Any, settings: Any, name: str, value: float) -> Any:
    """While it lasts, one constant is another."""
    replace(settings(), **{name: value})  # raises where there is no such constant
    return mock.patch.object(module, settings.__name__, partial(settings, **{name: value}))


def evaluations(budgets: list[int], seeds: int, problems: tuple[str, ...] = PROBLEMS) -> np.ndarray:
    """Evaluations to the target of all runs; twice the budget where it is not reached."""
    spent = []
    for name, budget, seed in product(problems, budgets, range(seeds)):
        problem = problem_of(name)
        result = rdex.minimize(
            problem, maxfev=budget, rng=[400, seed], target=target(problem), checkpoints=1
        )
        is_solved = solved_of(problem, result.fun, result.cv) == 1
        spent.append(result.nfev if is_solved else 2 * budget)
    return np.array(spent)


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budgets", type=int, nargs="*", default=[1500])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--constants", nargs="*", help="only these")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    budgets = np.tile(np.repeat(options.budgets, options.seeds), len(PROBLEMS))
    base, rows = evaluations(options.budgets, options.seeds), []

    def note(constant: str, value: float, spent: np.ndarray) -> None:
        rows.append({
            "constant": constant, "value": f"{value:g}", "runs": len(spent),
            "solved": f"{(spent <= budgets).mean():.2f}",
            "evaluations": f"{np.exp(np.log(spent / base).mean()):.3f}",
        })  # fmt: skip
        print(rows[-1], flush=True)
        if options.csv is not None:
            write_csv(options.csv, rows)

    note("as they are", 1.0, base)
    for (module, settings), names in CONSTANTS.items():
        for name, factor in product(names, (0.5, 2.0)):
            if options.constants and name not in options.constants:
                continue
            value = type(getattr(settings(), name))(getattr(settings(), name) * factor)
            with changed(module, settings, name, value):
                note(name, value, evaluations(options.budgets, options.seeds))


if __name__ == "__main__":
    main()
