"""Who solves how much with how many evaluations: our algorithms and other packages'.

    python benchmarks/budgets.py [--suites engineering g2006 …] [--algorithms auto …]
                                 [--budgets 50 100 …] [--seeds 3] [--minutes 30]
    python benchmarks/budgets.py --tables        only tables and figures, from the kept cells

A cell is one run: suite, problem, algorithm, budget, seed. Cells are appended to
docs/data/budgets/cells.csv as they come and never run again, so the command can be stopped at any
time. Other packages' optimisers do not depend on the budget, or hardly: one run of 5000 evaluations
gives their cells of all smaller budgets. A run that takes longer than 30 s of CPU ends there.

A run is a success if it is feasible and within 1e-4 of the best known value: relative for the
engineering designs, absolute elsewhere. Problems of CEC 2017 whose optimum nobody knows have no
success. Our runs end when they have solved a problem. Everything is also compared by the rank of
the final quality, in which all solved runs are equal.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from budget_figures import draw
from budget_tables import BUDGETS, OURS, SUITES, Cell, write_tables

import rdex
from rdex.campaign.peers import PEERS
from rdex.problem import Problem
from rdex.recorder.counting import BudgetSpent
from rdex.suites import cec2017, get, ids, is_solved, target

KEEP = Path("docs/data/budgets")

#: Peers are slow: their largest budget, and the checkpoints that give the smaller ones.
PEER_BUDGET, PEER_STEP = 5000, 50

#: CPU seconds after which a peer's run ends with what it has found.
PEER_SECONDS = 30.0

#: Peers that compute for longer than 5 ms between two evaluations have fewer of them.
SLOW_PEERS = {"multistart-cobyqa": 1000, "egobox": 50}

#: Instances on which nothing of rdex was developed: others than 1 to 5 and 11 to 13 of CEC 2017,
#: others than 1 to 3 of COCO.
CEC_INSTANCE, COCO_INSTANCE = 21, 11

#: Of the 54 functions of bbob-constrained, every third is enough for a cell.
COCO_FUNCTIONS = range(1, 55, 3)


def names_of(suite: str) -> list[str]:
    """The problems of a suite."""
    kind, _, dim = suite.partition("-d")
    if kind == "cec2017":
        return [f"cec2017/C{k:02d}-D{dim}-i{CEC_INSTANCE}" for k in range(1, 29)]
    if kind == "coco":
        return [f"coco/f{k:02d}-D{dim}-i{COCO_INSTANCE}" for k in COCO_FUNCTIONS]
    return [name for name in ids(suite) if target(get(name)) is not None]


@cache
def coco_suite() -> Any:
    """All problems of bbob-constrained; they live as long as it does."""
    import cocoex

    return cocoex.Suite("bbob-constrained", "", "")


def coco_problem(name: str) -> Problem:
    """A problem of bbob-constrained with its best value, which COCO tells by way of a file."""
    function, dim, instance = name.removeprefix("coco/").split("-")
    place = int(function[1:]), int(dim[1:]), int(instance[1:])
    other = coco_suite().get_problem_by_function_dimension_instance(*place)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        other._best_parameter("print")
        best = np.loadtxt("._bbob_problem_best_parameter.txt")
    theirs = coco_suite().get_problem_by_function_dimension_instance(*place)
    return Problem.from_cocoex(theirs, name=name, optimum=float(other(best)))


def problem_of(name: str) -> Problem:
    """The problem, with the rule for success where its optimum is known."""
    if name.startswith("coco/"):
        problem = coco_problem(name)
    elif name.startswith("cec2017/"):
        number, dim, instance = name.removeprefix("cec2017/").split("-")
        problem = cec2017.problem(int(number[1:]), int(dim[1:]), instance=int(instance[1:]))
    else:
        return get(name)
    return replace(problem, info={**problem.info, "success": "absolute"})


def solved_of(problem: Problem, f: float, violation: float) -> int:
    """1 or 0; -1 where there is no target."""
    answer = is_solved(problem, f, violation)
    return -1 if answer is None else int(answer)


def run_ours(wanted: Cell) -> list[Cell]:
    """One run of `minimize`."""
    problem = problem_of(wanted.problem)
    start = time.perf_counter()
    result = rdex.minimize(
        problem, algorithm=wanted.algorithm, maxfev=wanted.budget, rng=wanted.seed, checkpoints=1,
        target=target(problem),
    )  # fmt: skip
    seconds = round(time.perf_counter() - start, 3)
    solved = solved_of(problem, result.fun, result.cv)
    return [wanted._replace(f=result.fun, violation=result.cv, solved=solved, seconds=seconds)]


def ending(problem: Problem, seconds: float) -> Problem:
    """The problem, whose evaluation ends a run that has taken so much CPU time."""
    end = time.process_time() + seconds

    def rows(x: Any) -> Any:
        if time.process_time() > end:
            raise BudgetSpent
        return problem.evaluate(x)

    return replace(problem, rows=rows, point=None, compile=None)


def run_peer(wanted: Cell) -> list[Cell]:
    """One long run of another package's optimiser, read at all budgets up to the wanted one."""
    from rdex.campaign.algorithms import RunFailed, find

    problem = problem_of(wanted.problem)
    start = time.perf_counter()
    seed = np.random.SeedSequence(wanted.seed)
    try:
        record = find(wanted.algorithm).run(
            ending(problem, PEER_SECONDS), wanted.budget, seed, wanted.budget // PEER_STEP
        )
    except RunFailed as failed:  # what it found until then
        print(f"{wanted[:5]}: {failed.__cause__!r}", flush=True)
        record = failed.record
    pace = (time.perf_counter() - start) / wanted.budget
    cells = []
    for budget in (b for b in BUDGETS if b <= wanted.budget):
        f, violation = (float(values[budget // PEER_STEP - 1]) for values in (record.f, record.v))
        solved = solved_of(problem, f, violation)
        cells.append(
            wanted._replace(
                budget=budget, f=f, violation=violation, solved=solved,
                seconds=round(pace * budget, 3),
            )
        )  # fmt: skip
    return cells


def run(wanted: Cell) -> list[Cell]:
    """The cells that a run gives."""
    return (run_peer if wanted.algorithm in PEERS else run_ours)(wanted)


def read(path: Path) -> list[Cell]:
    """All kept cells."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    return [
        Cell(r["suite"], r["problem"], r["algorithm"], int(r["budget"]), int(r["seed"]),
             float(r["f"]), float(r["violation"]), int(r["solved"]), float(r["seconds"]))
        for r in rows
    ]  # fmt: skip


def append(path: Path, cells: Iterable[Cell]) -> None:
    """Keep cells at once."""
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if is_new:
            writer.writerow(Cell._fields)
        writer.writerows(cells)


def wanted_cells(options: argparse.Namespace) -> list[Cell]:
    """Every run that is asked for, small budgets first."""
    cells = []
    for suite in options.suites:
        for name in names_of(suite):
            for algorithm in options.algorithms:
                most = SLOW_PEERS.get(algorithm, PEER_BUDGET)
                budgets = (most,) if algorithm in PEERS else options.budgets
                cells += [
                    Cell(suite, name, algorithm, budget, seed)
                    for budget in budgets
                    for seed in range(options.first_seed, options.first_seed + options.seeds)
                ]
    return sorted(cells, key=lambda cell: (cell.budget, cell.seed, cell.suite, cell.problem))


def fill(options: argparse.Namespace) -> None:
    """Run what is missing, until the time is up."""
    path = options.keep / "cells.csv"
    have = {cell[:5] for cell in read(path)}
    todo = [cell for cell in wanted_cells(options) if cell[:5] not in have]
    print(f"{len(todo)} runs to do, {len(have)} cells kept", flush=True)
    end = time.monotonic() + 60 * options.minutes
    start, done, total = time.monotonic(), 0, len(todo)
    context = get_context("spawn")
    with ProcessPoolExecutor(options.workers, mp_context=context) as pool:
        running = {}
        todo.reverse()
        while todo or running:
            while todo and len(running) < options.workers and time.monotonic() < end:
                cell = todo.pop()
                running[pool.submit(run, cell)] = cell
            if not running:
                print(f"time is up: {len(todo)} runs left")
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                cell = running.pop(future)
                done += 1
                try:
                    append(path, future.result())
                except Exception as error:  # one bad run must not end a night of them
                    print(f"{cell[:5]}: {error!r}", flush=True)
                if done % 50 == 0:
                    pace = (time.monotonic() - start) / done
                    print(f"{done}/{total}, {pace * (total - done) / 60:.1f} min left", flush=True)


def main() -> None:
    """Run what is missing, then write tables and the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", nargs="*", default=list(SUITES), choices=SUITES)
    parser.add_argument("--algorithms", nargs="*", default=[*OURS, *PEERS])
    parser.add_argument("--budgets", nargs="*", type=int, default=list(BUDGETS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=240.0)
    parser.add_argument("--keep", type=Path, default=KEEP)
    parser.add_argument("--tables", action="store_true", help="run nothing")
    options = parser.parse_args()
    if not options.tables:
        fill(options)
    write_tables(read(options.keep / "cells.csv"), options.keep)
    draw(read(options.keep / "cells.csv"), options.keep, problem_of)


if __name__ == "__main__":
    main()
