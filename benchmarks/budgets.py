"""Who solves how much with how many evaluations: our algorithms and other packages'.

    python benchmarks/budgets.py [--suites engineering g2006 …] [--algorithms auto …]
                                 [--budgets 50 100 …] [--seeds 3] [--minutes 30]
    python benchmarks/budgets.py --tables        only the tables and the figure, from the kept cells

A cell is one run: suite, problem, algorithm, budget, seed. Cells are appended to
docs/data/budgets/cells.csv as they come and never run again, so the command can be stopped at any
time. Other packages' optimisers do not depend on the budget, or hardly: one run of 5000 evaluations
gives their cells of all smaller budgets.

A run is a success if it is feasible and within the tolerance of its suite: 1e-4 of the best known
value (engineering, g2006, CEC 2017 where the optimum is known), or the target of the suite itself
(COCO). Our runs end when they have solved a problem. Everything is also compared by the rank of
the final quality.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from small_tables import write_csv

import rdex
from rdex.campaign.peers import PEERS
from rdex.problem import Problem
from rdex.suites import get, ids, is_solved, target
from rdex.suites.success import TOLERANCE

KEEP = Path("docs/data/budgets")
BUDGETS = (50, 100, 200, 500, 1000, 2000, 5000, 20_000, 200_000)
SUITES = (
    "engineering", "g2006", "cec2017-d10", "cec2017-d30", "coco-d5", "coco-d10", "coco-d20",
)  # fmt: skip
OURS = ("auto", "rdex-csop+local", "scout", "rdex-csop", "rdex-tide")

#: Peers are slow: their largest budget, and the checkpoints that give the smaller ones.
PEER_BUDGET, PEER_STEP = 5000, 50

#: Of the 54 functions of bbob-constrained, every third is enough for a cell.
COCO_FUNCTIONS = range(1, 55, 3)


class Cell(NamedTuple):
    """One run, known by its first five fields."""

    suite: str
    problem: str
    algorithm: str
    budget: int
    seed: int
    f: float = math.nan
    violation: float = math.nan
    solved: int = -1  # -1: the problem has no target
    seconds: float = 0.0


def names_of(suite: str, instance: int) -> list[str]:
    """The problems of a suite."""
    kind, _, dim = suite.partition("-d")
    if kind == "cec2017":
        return [f"cec2017/C{k:02d}-D{dim}-i{instance}" for k in range(1, 29)]
    if kind == "coco":
        return [f"coco/f{k:02d}-D{dim}-i{instance}" for k in COCO_FUNCTIONS]
    return [name for name in ids(suite) if target(get(name)) is not None]


class CocoProblem:
    """A problem of bbob-constrained, counted and judged by COCO itself."""

    def __init__(self, name: str) -> None:
        import cocoex

        function, dim, instance = name.removeprefix("coco/").split("-")
        number = int(function[1:])
        suite = cocoex.Suite("bbob-constrained", "", "")
        self.theirs = suite.get_problem_by_function_dimension_instance(
            number, int(dim[1:]), int(instance[1:])
        )
        self._suite = suite
        bounds = list(zip(self.theirs.lower_bounds, self.theirs.upper_bounds, strict=True))
        self.problem = Problem.from_function(
            lambda x: (self.theirs(x), self.theirs.constraint(x), ()),
            bounds,
            n_ineq=self.theirs.number_of_constraints,
            name=name,
        )


def problem_of(name: str) -> tuple[Problem, Any]:
    """The problem, and COCO's own object where it is one of COCO's."""
    if name.startswith("coco/"):
        made = CocoProblem(name)
        return made.problem, made
    if name.startswith("cec2017/"):
        number, dim, instance = name.removeprefix("cec2017/").split("-")
        from rdex.suites import cec2017

        return cec2017.problem(int(number[1:]), int(dim[1:]), instance=int(instance[1:])), None
    return get(name), None


def solved_of(problem: Problem, f: float, violation: float) -> int:
    """1 or 0; -1 where there is no target."""
    answer = is_solved(problem, f, violation)
    if answer is None and problem.optimum is not None:
        answer = bool(violation <= 0.0 and f <= problem.optimum + TOLERANCE)
    return -1 if answer is None else int(answer)


def run_ours(wanted: Cell) -> list[Cell]:
    """One run of `minimize`."""
    problem, theirs = problem_of(wanted.problem)
    start = time.perf_counter()
    result = rdex.minimize(
        problem, algorithm=wanted.algorithm, maxfev=wanted.budget, rng=wanted.seed, checkpoints=1,
        target=target(problem),
    )  # fmt: skip
    seconds = time.perf_counter() - start
    if theirs is None:
        solved = solved_of(problem, result.fun, result.cv)
    else:
        solved = int(theirs.theirs.final_target_hit)
    return [
        wanted._replace(f=result.fun, violation=result.cv, solved=solved, seconds=round(seconds, 3))
    ]


def run_peer(wanted: Cell) -> list[Cell]:
    """One long run of another package's optimiser, read at all budgets."""
    from rdex.campaign.algorithms import RunFailed, find

    problem, theirs = problem_of(wanted.problem)
    start = time.perf_counter()
    steps = PEER_BUDGET // PEER_STEP
    try:
        seed = np.random.SeedSequence(wanted.seed)
        record = find(wanted.algorithm).run(problem, PEER_BUDGET, seed, steps)
        f, violation = record.f, record.v
    except RunFailed:
        f = violation = np.full(steps, math.inf)
    seconds = time.perf_counter() - start
    cells = []
    for budget in BUDGETS:
        if budget > PEER_BUDGET:
            break
        at = budget // PEER_STEP - 1
        cell = wanted._replace(budget=budget, f=float(f[at]), violation=float(violation[at]))
        solved = solved_of(problem, cell.f, cell.violation)
        if theirs is not None:  # COCO tells only how it ended
            hit = theirs.theirs.final_target_hit if budget == PEER_BUDGET else False
            solved = int(hit) if budget == PEER_BUDGET else -1
        cells.append(cell._replace(solved=solved, seconds=round(seconds * budget / PEER_BUDGET, 3)))
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
        for name in names_of(suite, options.instance):
            for algorithm in options.algorithms:
                budgets = (PEER_BUDGET,) if algorithm in PEERS else options.budgets
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


# --- tables ---------------------------------------------------------------------------------------
Means = dict[tuple[str, int, str], tuple[float, float, int]]


def means(cells: list[Cell]) -> Means:
    """Success, feasible rate and number of runs of each (suite, budget, algorithm)."""
    groups: dict[tuple[str, int, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[cell.suite, cell.budget, cell.algorithm].append(cell)
    found = {}
    for key, group in groups.items():
        judged = [cell.solved for cell in group if cell.solved >= 0]
        feasible = float(np.mean([cell.violation <= 0.0 for cell in group]))
        success = float(np.mean(judged)) if judged else math.nan
        found[key] = (success, feasible, len(group))
    return found


def ranks(cells: list[Cell]) -> dict[tuple[str, int, str], float]:
    """Mean rank of final quality (feasibility first, then f) over problems and seeds."""
    runs: dict[tuple[Any, ...], dict[str, tuple[float, float]]] = defaultdict(dict)
    for cell in cells:
        key = (cell.suite, cell.budget, cell.problem, cell.seed)
        runs[key][cell.algorithm] = (cell.violation, cell.f)
    sums: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for (suite, budget, *_), field in runs.items():
        for name, quality in field.items():
            better = sum(other < quality for other in field.values())
            same = sum(other == quality for other in field.values())
            sums[suite, budget, name].append(better + (same + 1) / 2)
    return {key: float(np.mean(values)) for key, values in sums.items()}


def write_tables(folder: Path) -> None:
    """success.csv, feasible.csv and rank.csv: one row per suite and budget, one column each."""
    cells = read(folder / "cells.csv")
    table, rank = means(cells), ranks(cells)
    algorithms = sorted({key[2] for key in table}, key=lambda n: (n not in OURS, n))
    kinds = {
        "success": {key: value[0] for key, value in table.items()},
        "feasible": {key: value[1] for key, value in table.items()},
        "rank": rank,
    }
    for kind, values in kinds.items():
        rows = []
        for suite in SUITES:
            for budget in BUDGETS:
                row = {n: values.get((suite, budget, n), math.nan) for n in algorithms}
                if not all(math.isnan(value) for value in row.values()):
                    shown = {n: "" if math.isnan(v) else f"{v:.3f}" for n, v in row.items()}
                    rows.append({"suite": suite, "budget": budget, **shown})
        if rows:
            write_csv(folder / f"{kind}.csv", rows)
            show(kind, rows)


def show(kind: str, rows: list[dict[str, object]]) -> None:
    """A table on the terminal."""
    names = list(rows[0])[2:]
    print(f"\n{kind}\n{'':22}" + "".join(f"{name[:11]:>12}" for name in names))
    for row in rows:
        cells = "".join(f"{row[name]!s:>12}" for name in names)
        print(f"{row['suite']!s:14}{row['budget']!s:>8}{cells}")


def draw(folder: Path, suites: tuple[str, ...]) -> None:
    """Share of problems solved over the budget, mean over suites: one line per algorithm."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    table = means(read(folder / "cells.csv"))
    names = sorted({key[2] for key in table}, key=lambda n: (n not in OURS, n))
    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    for name in names:
        points = []
        for budget in BUDGETS:
            values = [table[s, budget, name][0] for s in suites if (s, budget, name) in table]
            if len(values) == len(suites) and not any(map(math.isnan, values)):
                points.append((budget, float(np.mean(values))))
        if points:
            style = {"linewidth": 2.6, "zorder": 3} if name == "auto" else {"linewidth": 1.0}
            axes.plot(*zip(*points, strict=True), marker=".", label=name, **style)
    axes.set(xscale="log", ylim=(0, 1), xlabel="evaluations", ylabel="share of runs solved")
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(fontsize="small", ncols=2, frameon=False)
    figure.savefig(folder / "budgets.png", dpi=160)


def main() -> None:
    """Run what is missing, then write tables and the figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suites", nargs="*", default=list(SUITES), choices=SUITES)
    parser.add_argument("--algorithms", nargs="*", default=[*OURS, *PEERS])
    parser.add_argument("--budgets", nargs="*", type=int, default=list(BUDGETS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--instance", type=int, default=1, help="of CEC 2017 and COCO")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=240.0)
    parser.add_argument("--keep", type=Path, default=KEEP)
    parser.add_argument("--tables", action="store_true", help="run nothing")
    options = parser.parse_args()
    if not options.tables:
        fill(options)
    write_tables(options.keep)
    draw(options.keep, ("engineering", "g2006"))


if __name__ == "__main__":
    main()
