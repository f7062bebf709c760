"""Random networks and random designs: how often runs end feasible and at the best known value.

    python benchmarks/networks.py [--set networks|designs|large] [--families flow grid …]
                                  [--algorithms auto rdex-csop+local] [--budgets 300 1000]
                                  [--seeds 2] [--keep]

The problems are those of `random_problems.py`. Their best values are not known: a run is compared
with the best of all runs, kept in docs/data/networks.csv. A run is a success if it is feasible and
within 1e-3 of that value.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from random_problems import DESIGNS, LARGE, NETWORKS, make, names
from small_tables import write_csv

import rdex
from rdex.campaign.algorithms import RunFailed, find
from rdex.campaign.peers import PEERS
from rdex.problem import Problem

KEEP, RATES = Path("docs/data/networks.csv"), "docs/data/{}-rates.csv"
HEAD = ["algorithm", "budget", "family", "runs", "success", "feasible", "ms per evaluation"]
SETS = {"networks": NETWORKS, "designs": DESIGNS, "large": LARGE}


class Run(NamedTuple):
    """One run."""

    problem: str
    algorithm: str
    budget: int
    seed: int
    f: float
    violation: float
    seconds: float


def read() -> dict[str, float]:
    """The best known values."""
    if not KEEP.exists():
        return {}
    with KEEP.open() as file:
        return {row["problem"]: float(row["f"]) for row in csv.DictReader(file)}


def rates(runs: list[Run], best: dict[str, float]) -> list[list[Any]]:
    """Success and feasibility by family, and the time per evaluation."""
    groups = defaultdict(list)
    for run in runs:
        known = best.get(run.problem, math.nan)
        is_feasible = run.violation <= 0.0
        is_solved = is_feasible and run.f <= known + 1e-3 * max(1.0, abs(known))
        for family in (run.problem.split("-")[0], "all"):
            row = is_solved, is_feasible, 1e3 * run.seconds / run.budget
            groups[run.algorithm, run.budget, family].append(row)
    return [
        [*key, len(rows), *(f"{mean:.3g}" for mean in np.mean(rows, axis=0))]
        for key, rows in sorted(groups.items())
    ]


def best_of(case: Problem, algorithm: str, budget: int, seed: int) -> tuple[float, float]:
    """f and violation at the end of a run."""
    if algorithm not in PEERS:
        result = rdex.minimize(case, algorithm=algorithm, maxfev=budget, rng=seed)
        return result.fun, result.cv
    try:
        record = find(algorithm).run(case, budget, np.random.SeedSequence(seed), 1)
    except RunFailed as failed:  # what it found until then
        record = failed.record
    return float(record.f[-1]), float(record.v[-1])


def main() -> None:
    """Run and show."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--set", choices=SETS, default="networks")
    parser.add_argument("--families", nargs="+", help="only these, of any set")
    parser.add_argument("--algorithms", nargs="+", default=["auto"])
    parser.add_argument("--budgets", nargs="+", type=int, default=[1000])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--keep", action="store_true", help="write the rates to docs/data")
    options = parser.parse_args()
    best, runs = read(), []
    for name in names(options.families or list(SETS[options.set]), options.draws):
        case = make(name)
        seeds = range(options.first, options.first + options.seeds)
        for algorithm, budget, seed in product(options.algorithms, options.budgets, seeds):
            begun = time.process_time()
            f, violation = best_of(case, algorithm, budget, seed)
            taken = time.process_time() - begun
            run = Run(name, algorithm, budget, seed, f, violation, taken)
            runs.append(run)
            if run.violation <= 0.0 and run.f < best.get(name, math.inf):
                best[name] = run.f
            if options.verbose:
                shape = f"D={case.dim} m={case.n_ineq}+{case.n_eq}"
                print(f"{name:14}{shape:16}{algorithm:16}{budget:7}{run.f:14.6g}"
                      f"{run.violation:9.2g}  best {best.get(name, math.nan):14.6g}"
                      f"{1e3 * taken / budget:7.1f} ms", flush=True)  # fmt: skip
    table = rates(runs, best)
    for row in table:
        print("".join(f"{cell:>18}" for cell in row))
    if options.keep:
        path = Path(RATES.format(options.set))
        write_csv(path, [dict(zip(HEAD, row, strict=True)) for row in table])
    write_csv(KEEP, [{"problem": name, "f": f} for name, f in sorted(best.items())])


if __name__ == "__main__":
    main()
