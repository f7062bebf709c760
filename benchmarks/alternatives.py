"""RDEx-CSOP against local solvers from many starts, at the budgets of expensive simulators.

    python benchmarks/alternatives.py [--csv FILE] [--seeds 3]

Engineering designs of more than two variables, all of them real. SLSQP (finite differences) and
COBYQA (no derivatives) of SciPy start anew from random points in the unit box until the budget is
used; every distinct point is one evaluation of f and all constraints. `minimize` is run with each
budget, for it is part of its method. Solved: as `rdex.suites.is_solved` says, within 1e-4 of the
best known value.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import NonlinearConstraint
from scipy.optimize import minimize as local_minimize

from rdex import Problem, minimize
from rdex.suites import get, ids, is_solved

BUDGETS = (500, 1000, 2000, 5000)
LARGEST = {"SLSQP": 5000, "COBYQA": 1000}

#: Two variables; left out to save time, not measured.
EASY = ("engineering/three-bar-truss", "engineering/tubular-column")
SEEDS = {"COBYQA": 1}  # takes 8 ms of its own an evaluation


class Spent(Exception):
    """The budget is used."""


class Counted:
    """A problem in the unit box that counts distinct points and keeps the best at each budget."""

    def __init__(self, problem: Problem, most: int) -> None:
        self.problem = problem
        self.most = most
        self.known: dict[bytes, tuple[float, Any]] = {}
        self.best: tuple[float, float] = (np.inf, np.inf)
        self.at: dict[int, tuple[float, float]] = {}

    def __call__(self, z: Any) -> tuple[float, Any]:
        x = self.problem.lower + np.clip(z, 0, 1) * (self.problem.upper - self.problem.lower)
        key = x.tobytes()
        if key not in self.known:
            if len(self.known) >= self.most:
                raise Spent
            f, g, h = (values[0] for values in self.problem.evaluate(x[None, :]))
            violated = np.r_[np.maximum(g, 0.0), np.where(np.abs(h) > 1e-4, np.abs(h), 0.0)]
            self.known[key] = (float(f), np.r_[g, h])
            if np.isfinite(f):
                self.best = min(self.best, (float(violated.mean() if violated.size else 0), f))
            self.at |= {b: self.best for b in BUDGETS if b >= len(self.known)}
        return self.known[key]


def multistart(problem: Problem, method: str, seed: int) -> Counted:
    """Local searches from random points until the budget is used."""
    counted = Counted(problem, LARGEST[method])
    rng = np.random.default_rng(seed)
    m = problem.n_ineq
    high = np.r_[np.zeros(m), np.zeros(problem.n_eq)]
    low = np.r_[np.full(m, -np.inf), np.zeros(problem.n_eq)]
    limit = NonlinearConstraint(lambda z: counted(z)[1], low, high)
    options = {"maxiter": 500} if method == "SLSQP" else {"maxfev": 500}
    try:
        while True:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                local_minimize(
                    lambda z: counted(z)[0], rng.random(problem.dim), method=method,
                    bounds=[(0.0, 1.0)] * problem.dim, constraints=limit, options=options,
                )  # fmt: skip
    except Spent:
        return counted


def solved(problem: Problem, best: tuple[float, float]) -> bool:
    """Whether a feasible value is the best known."""
    return bool(is_solved(problem, best[1], best[0]))


def is_continuous(problem: Problem) -> bool:
    """Whether no variable is an integer: local solvers know none."""
    return problem.integrality is None or not problem.integrality.any()


def main() -> None:
    """Run all and print one line a budget."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    names = [name for name in ids("engineering") if is_continuous(get(name)) and name not in EASY]
    rows = []
    for name in names:
        problem = get(name)
        found: dict[tuple[str, int], list[bool]] = {}
        start = time.perf_counter()
        for seed in range(options.seeds):
            for method in LARGEST:
                if seed >= SEEDS.get(method, options.seeds):
                    continue
                at = multistart(problem, method, seed).at
                for budget in BUDGETS:
                    if budget <= LARGEST[method]:
                        found.setdefault((method, budget), []).append(solved(problem, at[budget]))
            for budget in BUDGETS:
                result = minimize(problem, maxfev=budget, rng=seed)
                found.setdefault(("rdex", budget), []).append(
                    solved(problem, (result.cv, result.fun))
                )
        for (method, budget), runs in sorted(found.items()):
            rows.append({
                "problem": name, "solver": method, "evaluations": budget, "solved": sum(runs),
                "runs": len(runs),
            })  # fmt: skip
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    for budget in BUDGETS:
        shares = []
        for method in ("rdex", *LARGEST):
            runs = [row for row in rows if (row["solver"], row["evaluations"]) == (method, budget)]
            if runs:
                share = sum(r["solved"] for r in runs) / sum(r["runs"] for r in runs)
                problems = sum(r["solved"] > 0 for r in runs)
                shares.append(f"{method} {100 * share:.0f} % of runs, {problems} problems")
        print(f"{budget} evaluations, {len(names)} problems: " + "; ".join(shares))
    if options.csv:
        with options.csv.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
