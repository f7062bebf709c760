"""What local search costs where it cannot help: noisy, rounded and discontinuous designs.

    python benchmarks/rugged.py [--seeds 5] [--maxfev 5000] [--csv docs/data/rugged-local.csv]

Five designs of the engineering suite with their objectives and constraints made noisy (0.1 %),
rounded to three digits, or discontinuous (jumps of 1 or 2 %
at the lines of a grid with 50 cells per variable). Prints the median of f, exact at the
returned point, with and without local search, and the share of the budget it used.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rdex import Problem, minimize
from rdex.suites import get

DESIGNS = ("welded-beam", "pressure-vessel", "speed-reducer", "tension-spring", "three-bar-truss")
BASE, HYBRID = "rdex-csop", "rdex-csop+local"

Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def noisy(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """0.1 % of noise, other at every evaluation."""
    return values * (1.0 + 1e-3 * rng.standard_normal(values.shape))


def rounded(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Three digits."""
    size = np.where(values == 0.0, 1.0, np.abs(values))
    unit = 10.0 ** (np.floor(np.log10(size)) - 2)
    return np.round(values / unit) * unit


CHANGES: dict[str, Change | None] = {"noisy": noisy, "rounded": rounded, "discontinuous": None}


def changed(problem: Problem, change: Change | None, seed: int) -> Problem:
    """The problem as a simulator would spoil it."""
    rng = np.random.default_rng(seed)
    width = problem.upper - problem.lower

    def function(x: np.ndarray) -> tuple[float, Any, Any]:
        f, g, h = problem.evaluate(x[None, :])
        if change is None:  # jumps of 1 % at the lines of a grid
            cells = np.floor(50.0 * (x - problem.lower) / width).astype(int)
            jump = 0.01 * float((7 * cells).sum() % 3)
            return float(f[0]) + jump * abs(float(f[0])), g[0] + jump * np.abs(g[0]), h[0]
        return float(change(f, rng)[0]), change(g[0], rng), change(h[0], rng)

    bounds = list(zip(problem.lower, problem.upper, strict=True))
    return Problem.from_function(function, bounds, n_ineq=problem.n_ineq, n_eq=problem.n_eq,
                                 integrality=problem.integrality)  # fmt: skip


def run(name: str, kind: str, algorithm: str, maxfev: int, seed: int) -> tuple[float, float]:
    """Exact f at the returned point, and the share that local search used."""
    problem = get(f"engineering/{name}")
    result = minimize(
        changed(problem, CHANGES[kind], seed), maxfev=maxfev, rng=seed, algorithm=algorithm,
        checkpoints=1,
    )  # fmt: skip
    spent = sum(phase.nfev for phase in result.phases if phase.name == "local search")
    return float(problem.evaluate(result.x[None, :])[0][0]), spent / maxfev


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--maxfev", type=int, default=5000)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    rows = []
    print(f"{'design':18}{'kind':16}{BASE:>14}{HYBRID:>18}{'local share':>14}{'largest':>9}")
    for name in DESIGNS:
        for kind in CHANGES:
            both = {
                algorithm: [run(name, kind, algorithm, options.maxfev, s)
                            for s in range(options.seeds)]
                for algorithm in (BASE, HYBRID)
            }  # fmt: skip
            medians = [float(np.median([f for f, _ in both[a]])) for a in (BASE, HYBRID)]
            shares = [share for _, share in both[HYBRID]]
            rows.append([name, kind, *medians, float(np.mean(shares)), max(shares)])
            print(f"{name:18}{kind:16}{medians[0]:14.6g}{medians[1]:18.6g}"
                  f"{np.mean(shares):14.3f}{max(shares):9.3f}", flush=True)  # fmt: skip
    if options.csv is not None:
        with options.csv.open("w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["design", "kind", BASE, HYBRID, "local share", "largest share"])
            writer.writerows([*row[:2], *(f"{value:.6g}" for value in row[2:])] for row in rows)


if __name__ == "__main__":
    main()
