"""Textbook problems to which no constant of rdex was fitted, with 50 to 2000 evaluations.

    python benchmarks/textbook.py [--algorithms auto …] [--budgets 50 …] [--seeds 3]
                                  [--seeds-above 1] [--fresh auto …]
                                  [--kinds "process design" …] [--problems "HS 71" …]
    python benchmarks/textbook.py --tables        only tables, from the kept cells

A cell is one run. Cells are appended to docs/data/textbook-cells.csv as they come and never run
again; `--fresh` forgets those of some algorithms first. A run is a success if it is feasible
(|h| <= 1e-4) and within 1e-4 of the best known value: relative, or absolute below 1. Our runs end
there. One run of the largest budget gives the cells of multistart SLSQP. There are 3 seeds up to
200 evaluations and 1 above, about 15 minutes of CPU; `--seeds-above 3` doubles the time.

Do not fit constants to these problems.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from small_tables import write_csv
from textbook_problems import CASES, make

import rdex
from rdex.campaign.algorithms import RunFailed, find
from rdex.suites import is_solved, target

KEEP = Path("docs/data")
OURS, PEER = ("auto", "rdex-csop+local", "rdex-csop"), "multistart-slsqp"
BUDGETS = (50, 100, 200, 500, 1000, 2000)

#: Budgets up to this one have more seeds than those above, where runs take long.
SMALL = 200

#: The checkpoints of the peer's run: every so many evaluations.
STEP = 50


class Cell(NamedTuple):
    """One run. nfev: the evaluations it took."""

    problem: str
    algorithm: str
    budget: int
    seed: int
    f: float
    violation: float
    solved: int
    nfev: int
    seconds: float


def run_ours(name: str, algorithm: str, budget: int, seed: int) -> Cell:
    """One run, which ends at the target."""
    problem = make(name)
    begun = time.process_time()
    result = rdex.minimize(
        problem, algorithm=algorithm, maxfev=budget, rng=seed, target=target(problem)
    )
    taken = round(time.process_time() - begun, 3)
    solved = int(is_solved(problem, result.fun, result.cv))
    return Cell(name, algorithm, budget, seed, result.fun, result.cv, solved, result.nfev, taken)


def run_peer(name: str, budgets: tuple[int, ...], seed: int) -> list[Cell]:
    """One run of multistart SLSQP, read at all budgets."""
    problem, most = make(name), max(budgets)
    begun = time.process_time()
    try:
        record = find(PEER).run(problem, most, np.random.SeedSequence(seed), most // STEP)
    except RunFailed as failed:  # what it found until then
        print(f"{name} {PEER}: {failed.__cause__!r}", flush=True)
        record = failed.record
    pace = (time.process_time() - begun) / most
    cells = []
    for budget in budgets:
        f, violation = (float(values[budget // STEP - 1]) for values in (record.f, record.v))
        solved, seconds = int(is_solved(problem, f, violation)), round(pace * budget, 3)
        cells.append(Cell(name, PEER, budget, seed, f, violation, solved, budget, seconds))
    return cells


def read(path: Path) -> list[Cell]:
    """All kept cells."""
    if not path.exists():
        return []
    types = get_type_hints(Cell).values()
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    return [Cell(*(cast(text) for cast, text in zip(types, row, strict=True))) for row in rows]


def append(path: Path, cells: list[Cell]) -> None:
    """Keep cells at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if is_new:
            writer.writerow(Cell._fields)
        writer.writerows(cells)


def fill(path: Path, options: argparse.Namespace) -> None:
    """Run what is missing."""
    have = {cell[:4] for cell in read(path)}
    most = max(options.seeds, options.seeds_above)
    for seed, name in product(range(most), options.problems):
        if CASES[name].kind not in options.kinds:
            continue
        budgets = [
            budget for budget in options.budgets
            if seed < (options.seeds if budget <= SMALL else options.seeds_above)
        ]  # fmt: skip
        for algorithm in options.algorithms:
            missing = [b for b in budgets if (name, algorithm, b, seed) not in have]
            if algorithm == PEER and missing:
                append(path, run_peer(name, tuple(missing), seed))
                continue
            for budget in missing:
                append(path, [run_ours(name, algorithm, budget, seed)])


def forget(path: Path, algorithms: list[str]) -> None:
    """Remove the cells of algorithms."""
    cells = [cell for cell in read(path) if cell.algorithm not in algorithms]
    path.unlink(missing_ok=True)
    append(path, cells)


def rates(cells: list[Cell]) -> list[dict[str, Any]]:
    """Success and feasibility by kind of problem, and CPU seconds per run."""
    groups = defaultdict(list)
    for cell in cells:
        for kind in (CASES[cell.problem].kind, "all"):
            groups[cell.algorithm, cell.budget, kind].append(cell)
    order = {name: k for k, name in enumerate((*OURS, PEER))}
    return [
        {
            "algorithm": algorithm, "budget": budget, "kind": kind, "runs": len(group),
            "success": f"{np.mean([cell.solved for cell in group]):.2f}",
            "feasible": f"{np.mean([cell.violation <= 0.0 for cell in group]):.2f}",
            "seconds per run": f"{np.mean([cell.seconds for cell in group]):.2g}",
        }
        for (algorithm, budget, kind), group in sorted(
            groups.items(), key=lambda item: (item[0][2] != "all", item[0][2],
                                              order.get(item[0][0], 9), item[0][1])
        )
    ]  # fmt: skip


def wide(cells: list[Cell], field: str) -> list[dict[str, Any]]:
    """One row per algorithm, one column per budget: the rates over all problems."""
    rows: dict[str, dict[str, Any]] = {}
    for row in rates(cells):
        if row["kind"] == "all":
            made = rows.setdefault(row["algorithm"], {"algorithm": row["algorithm"]})
            made[str(row["budget"])] = row[field]
    return list(rows.values())


def by_problem(cells: list[Cell]) -> list[dict[str, Any]]:
    """Solved runs of every problem and algorithm, one digit per budget."""
    budgets = sorted({cell.budget for cell in cells})
    algorithms = list(dict.fromkeys(cell.algorithm for cell in cells))
    found: dict[tuple[str, str, int], int] = defaultdict(int)
    for cell in cells:
        found[cell.problem, cell.algorithm, cell.budget] += cell.solved
    rows = []
    for name in (name for name in CASES if any(cell.problem == name for cell in cells)):
        problem = make(name)
        row = {
            "problem": name, "kind": CASES[name].kind, "variables": problem.dim,
            "inequalities": problem.n_ineq, "equalities": problem.n_eq, "best": CASES[name].best,
        }  # fmt: skip
        for algorithm in algorithms:
            row[algorithm] = " ".join(str(found[name, algorithm, budget]) for budget in budgets)
        rows.append(row)
    return rows


def main() -> None:
    """Run what is missing, then write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithms", nargs="*", default=[*OURS, PEER])
    parser.add_argument("--budgets", nargs="*", type=int, default=list(BUDGETS))
    parser.add_argument("--seeds", type=int, default=3, help=f"up to {SMALL} evaluations")
    parser.add_argument("--seeds-above", type=int, default=1, help="with more evaluations")
    parser.add_argument("--problems", nargs="*", default=list(CASES), choices=CASES)
    parser.add_argument("--kinds", nargs="*", default=[case.kind for case in CASES.values()])
    parser.add_argument("--fresh", nargs="*", default=[], help="algorithms to run again")
    parser.add_argument("--keep", type=Path, default=KEEP)
    parser.add_argument("--tables", action="store_true", help="run nothing")
    options = parser.parse_args()
    path = options.keep / "textbook-cells.csv"
    if options.fresh:
        forget(path, options.fresh)
    if not options.tables:
        fill(path, options)
    cells = read(path)
    write_csv(options.keep / "textbook-success.csv", wide(cells, "success"))
    write_csv(options.keep / "textbook-feasible.csv", wide(cells, "feasible"))
    write_csv(options.keep / "textbook-kinds.csv", rates(cells))
    write_csv(options.keep / "textbook-problems.csv", by_problem(cells))
    for row in [*wide(cells, "success"), *wide(cells, "feasible")]:
        print("".join(f"{cell:>18}" for cell in row.values()))


if __name__ == "__main__":
    main()
