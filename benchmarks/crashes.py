"""What crashes cost: designs whose simulator fails in a tenth of the box.

    python benchmarks/crashes.py [--algorithm auto] [--seeds 10] [--csv docs/data/crashes.csv]

Each seed draws a ball and a half-space, each with a twentieth of the box, that leave the best known
design alone. Shown are the success with 500 evaluations with and without crashes, and the share of
the evaluations that fail. Drawing points at random, a tenth would.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from small_tables import write_csv

from rdex import minimize
from rdex.problem import Problem
from rdex.suites import get, is_solved, target

DESIGNS = ("welded-beam", "pressure-vessel", "speed-reducer", "tension-spring", "three-bar-truss")
BUDGET, SHARE, SAMPLES = 500, 0.05, 4000


def crashing(problem: Problem, best: Any, seed: int) -> Callable[[Any], bool]:
    """Whether the simulator fails at a point."""
    rng = np.random.default_rng([seed, problem.dim])
    width = problem.upper - problem.lower
    samples, z = rng.random((SAMPLES, problem.dim)), (best - problem.lower) / width

    def ball(points: Any, centre: Any) -> Any:
        return -np.linalg.norm(points - centre, axis=-1)

    def side(points: Any, normal: Any) -> Any:
        return points @ normal

    parts = []
    for measure, drawn in ((ball, rng.random), (side, rng.standard_normal)):
        while True:
            about = drawn(problem.dim)
            least = np.quantile(measure(samples, about), 1.0 - SHARE)
            if measure(z, about) < least:
                break
        parts.append((measure, about, least))

    def fails(x: Any) -> bool:
        at = (x - problem.lower) / width
        return any(measure(at, about) >= least for measure, about, least in parts)

    return fails


def run(problem: Problem, fails: Callable[[Any], bool], algorithm: str, seed: int) -> Any:
    """A run whose function has no values in a part of the box."""

    def function(x: Any) -> Any:
        if fails(x):
            return np.nan, np.full(problem.n_ineq, np.nan), np.full(problem.n_eq, np.nan)
        f, g, h = problem.evaluate(x[None])
        return float(f[0]), g[0], h[0]

    own = Problem.from_function(
        function, list(zip(problem.lower, problem.upper, strict=True)), n_ineq=problem.n_ineq,
        n_eq=problem.n_eq, integrality=problem.integrality,
    )  # fmt: skip
    return minimize(own, algorithm=algorithm, maxfev=BUDGET, rng=seed, checkpoints=1,
                    target=target(problem))  # fmt: skip


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithm", default="auto")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    rows = []
    for name in DESIGNS:
        problem = get(f"engineering/{name}")
        best = minimize(problem, maxfev=5000, rng=0, target=target(problem)).x
        solved, failed, total = {True: 0, False: 0}, 0, 0
        for seed in range(options.seeds):
            fails = crashing(problem, best, seed)
            for has_crashes in (True, False):
                found = run(
                    problem, fails if has_crashes else lambda x: False, options.algorithm, seed
                )
                solved[has_crashes] += bool(is_solved(problem, found.fun, found.cv))
                if has_crashes:
                    failed, total = failed + found.n_failed, total + found.nfev
        row = {
            "design": name, "runs": options.seeds, "success": solved[False] / options.seeds,
            "success with crashes": solved[True] / options.seeds,
            "share that fails": f"{failed / max(total, 1):.3f}",
        }  # fmt: skip
        rows.append(row)
        print(row, flush=True)
    mean = {
        key: f"{np.mean([float(str(row[key])) for row in rows]):.3f}" for key in list(rows[0])[2:]
    }
    rows.append({"design": "all", "runs": options.seeds * len(DESIGNS), **mean})
    print(rows[-1])
    if options.csv is not None:
        write_csv(options.csv, rows)


if __name__ == "__main__":
    main()
