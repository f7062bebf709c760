"""`minimize` against local solvers from many starts, at the budgets of expensive simulators.

    python benchmarks/alternatives.py [--csv FILE] [--seeds 3] [--long 1]

Engineering designs of more than two variables, all of them real. SLSQP (finite differences) and
COBYQA (no derivatives) of SciPy start anew from random points in the unit box until the budget is
used; every distinct point is one evaluation of f and all constraints. `minimize` is run with each
budget, for it is part of its method. Solved: as `rdex.suites.is_solved` says, within 1e-4 of the
best known value.

COBYQA computes far longer than the designs do, so only its first `--long` seeds go to the largest
budget, the others to 2000. Every run adds its rows to the file when it ends, and what is in the
file is not run again.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import NonlinearConstraint
from scipy.optimize import minimize as local_minimize

from rdex import Problem, minimize
from rdex.suites import get, ids, is_solved

BUDGETS = (500, 1000, 2000, 5000)
SOLVERS = ("rdex", "SLSQP", "COBYQA")

#: Evaluations of a run of COBYQA whose seed is not one of the long ones.
SHORT = 2000

#: Two variables; left out to save time, not measured.
EASY = ("engineering/three-bar-truss", "engineering/tubular-column")

COLUMNS = ("problem", "solver", "seed", "evaluations", "f", "violation", "solved", "seconds")
Row = dict[str, Any]
Key = tuple[str, str, int, int]


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


def limits_of(counted: Counted) -> list[NonlinearConstraint]:
    """The constraints of a problem in SciPy's form, inequalities first."""
    m, n = counted.problem.n_ineq, counted.problem.n_eq
    if m + n == 0:
        return []
    low, high = np.r_[np.full(m, -np.inf), np.zeros(n)], np.zeros(m + n)
    return [NonlinearConstraint(lambda z: counted(z)[1], low, high)]


def multistart(counted: Counted, method: str, seed: int) -> None:
    """Local searches from random points until the budget is used and `Spent` is raised."""
    rng = np.random.default_rng(seed)
    limit = limits_of(counted)
    options = {"maxfev": 500} if method == "COBYQA" else {"maxiter": 500}
    while True:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            local_minimize(
                lambda z: counted(z)[0], rng.random(counted.problem.dim), method=method,
                bounds=[(0.0, 1.0)] * counted.problem.dim, constraints=limit, options=options,
            )  # fmt: skip


def is_continuous(problem: Problem) -> bool:
    """Whether no variable is an integer: local solvers know none."""
    return problem.integrality is None or not problem.integrality.any()


def runs(seeds: int, long: int) -> Iterator[tuple[str, str, int, list[int]]]:
    """Problem, solver, seed and budgets of every run, those that take longest last."""
    names = [name for name in ids("engineering") if is_continuous(get(name)) and name not in EASY]
    for seed in range(seeds):
        for name in names:
            for budget in BUDGETS:
                yield name, "rdex", seed, [budget]
            yield name, "SLSQP", seed, list(BUDGETS)
    for seed in range(seeds):
        for name in names:
            most = BUDGETS[-1] if seed < long else SHORT
            yield name, "COBYQA", seed, [budget for budget in BUDGETS if budget <= most]


def run(name: str, solver: str, seed: int, budgets: list[int]) -> list[Row]:
    """One row a budget; the seconds are those of the whole run."""
    problem = get(name)
    start = time.process_time()
    if solver == "rdex":
        result = minimize(problem, maxfev=budgets[0], rng=seed)
        at = {budgets[0]: (result.cv, result.fun)}
    else:
        counted = Counted(problem, budgets[-1])
        with contextlib.suppress(Spent):
            multistart(counted, solver, seed)
        at = counted.at
    seconds = time.process_time() - start
    rows = []
    for budget in budgets:
        violation, f = at[budget]
        values = (
            name, solver, seed, budget, f"{f:.9g}", f"{violation:.6g}",
            int(bool(is_solved(problem, f, violation))), f"{seconds:.3g}",
        )  # fmt: skip
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def rows_of(path: Path | None) -> dict[Key, Row]:
    """The rows of a file that are whole, by what they are of."""
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["seconds"]]
    return {
        (row["problem"], row["solver"], int(row["seed"]), int(row["evaluations"])): row
        for row in rows
    }


def write(path: Path, rows: list[Row], mode: str) -> None:
    """Rows as CSV, at the end of the file ("a") or in its place ("w")."""
    with path.open(mode, newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        if mode == "w":
            writer.writeheader()
        writer.writerows(rows)


def table(rows: list[Row]) -> list[str]:
    """Lines of Markdown: share of solved runs, designs with such a run, and the number of runs."""
    lines = ["| evaluations | " + " | ".join(SOLVERS) + " |", "| --- " * (len(SOLVERS) + 1) + "|"]
    for budget in BUDGETS:
        cells = [str(budget)]
        for solver in SOLVERS:
            of = [r for r in rows if (r["solver"], int(r["evaluations"])) == (solver, budget)]
            solved = [row for row in of if int(row["solved"])]
            share = 100 * len(solved) / max(1, len(of))
            designs = len({row["problem"] for row in solved})
            cells.append(f"{share:.0f} %, {designs} designs ({len(of)} runs)")
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    """Run what the file has not, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--long", type=int, default=1, help="seeds of COBYQA up to 5000")
    parser.add_argument("--csv", type=Path, help="read first, then added to")
    options = parser.parse_args()
    known = rows_of(options.csv)
    if options.csv:
        write(options.csv, list(known.values()), "w")
    for name, solver, seed, budgets in runs(options.seeds, options.long):
        if all((name, solver, seed, budget) in known for budget in budgets):
            continue
        rows = run(name, solver, seed, budgets)
        new = {(name, solver, seed, row["evaluations"]): row for row in rows}
        if options.csv:
            write(options.csv, [new[key] for key in new if key not in known], "a")
        known |= new
        print(f"{name}, {solver}, seed {seed}: {rows[0]['seconds']} s", flush=True)
    print("\n".join(table(list(known.values()))))


if __name__ == "__main__":
    main()
