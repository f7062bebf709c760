"""Tables of the cells that `budgets.py` keeps: rates, ranks, and `auto` against the best."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from small_tables import write_csv

BUDGETS = (50, 100, 200, 500, 1000, 2000, 5000, 20_000, 200_000)
SUITES = (
    "engineering", "g2006", "cec2017-d10", "cec2017-d30", "coco-d5", "coco-d10", "coco-d20",
)  # fmt: skip
OURS = ("auto", "scout", "rdex-csop+local", "rdex-csop", "rdex-tide")

#: What `auto` promises in every cell: this share of the best success, and a feasible rate that is
#: at most so much lower. Where nobody's success exceeds NOBODY, the best rank decides.
SHARE, FEASIBLE, NOBODY = 0.97, 0.02, 0.02


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


Place = tuple[str, int]
Rates = dict[Place, dict[str, float]]
Runs = dict[Place, dict[str, dict[str, list[Cell]]]]


def runs_of(cells: list[Cell]) -> Runs:
    """Runs by (suite, budget), algorithm and problem; of algorithms that ran on all problems."""
    runs: Runs = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    names: dict[str, set[str]] = defaultdict(set)
    for cell in cells:
        runs[cell.suite, cell.budget][cell.algorithm][cell.problem].append(cell)
        names[cell.suite].add(cell.problem)
    for (suite, _), field in runs.items():
        for name in [name for name, problems in field.items() if set(problems) != names[suite]]:
            del field[name]
    return runs


def mean_over_problems(problems: dict[str, list[Cell]], value: str) -> float:
    """Mean over problems of the mean over seeds of "solved" or "feasible"."""
    means = []
    for cells in problems.values():
        if value == "feasible":
            means.append(np.mean([cell.violation <= 0.0 for cell in cells]))
        elif cells[0].solved >= 0:
            means.append(np.mean([cell.solved for cell in cells]))
    return float(np.mean(means)) if means else math.nan


def rates(runs: Runs, value: str) -> Rates:
    """Success or feasible rate of every algorithm in every (suite, budget)."""
    return {
        place: {name: mean_over_problems(problems, value) for name, problems in field.items()}
        for place, field in runs.items()
    }


def quality(cell: Cell) -> tuple[float, float]:
    """Lower is better: violation, then f. All solved runs are equal: ours end there."""
    return (-1.0, 0.0) if cell.solved == 1 else (max(cell.violation, 0.0), cell.f)


def share_better(mine: list[Cell], theirs: list[Cell]) -> float:
    """How often a run of theirs is better than one of mine; a tie is half."""
    pairs = [(quality(a), quality(b)) for a in mine for b in theirs]
    return float(np.mean([(b < a) + 0.5 * (b == a) for a, b in pairs]))


def ranks(runs: Runs) -> Rates:
    """Mean rank of the final quality over problems, for a random run of every algorithm."""
    found: Rates = {}
    for place, field in runs.items():
        found[place] = {}
        for name, problems in field.items():
            places = [
                1.0 + sum(share_better(cells, others[problem])
                          for other, others in field.items() if other != name)
                for problem, cells in problems.items()
            ]  # fmt: skip
            found[place][name] = float(np.mean(places))
    return found


def order(names: set[str]) -> list[str]:
    """Ours first, then the others by name."""
    return sorted(names, key=lambda name: (OURS.index(name) if name in OURS else 99, name))


def wide(values: Rates) -> list[dict[str, object]]:
    """One row per suite and budget, one column per algorithm."""
    names = order({name for field in values.values() for name in field})
    rows = []
    for suite in SUITES:
        for budget in BUDGETS:
            field = values.get((suite, budget), {})
            if any(not math.isnan(value) for value in field.values()):
                shown = {n: f"{field[n]:.3f}" if n in field else "" for n in names}
                rows.append({"suite": suite, "budget": budget, **shown})
    return rows


def best_other(field: dict[str, float], sign: int = 1) -> tuple[str, float]:
    """The best algorithm but `auto`, and its value."""
    others = {name: value for name, value in field.items() if name != "auto"}
    name = max(others, key=lambda each: sign * others[each])
    return name, others[name]


def against_best(success: Rates, feasible: Rates, rank: Rates) -> list[dict[str, object]]:
    """`auto` against the best other algorithm of each cell, and whether it keeps its promise."""
    rows: list[dict[str, object]] = []
    for suite in SUITES:
        for budget in BUDGETS:
            field = success.get((suite, budget), {})
            if "auto" not in field or len(field) < 2:
                continue
            mine = field["auto"]
            name, best = best_other(field)
            feasible_best = best_other(feasible[suite, budget])[1]
            feasible_mine = feasible[suite, budget]["auto"]
            if max(mine, best) > NOBODY:
                by, keeps = "success", mine >= SHARE * best
            else:
                name, rank_best = best_other(rank[suite, budget], -1)
                by, keeps = "rank", rank[suite, budget]["auto"] <= rank_best
            rows.append({
                "suite": suite, "budget": budget, "by": by, "auto": f"{mine:.3f}",
                "best other": f"{best:.3f}", "who": name, "lead": f"{mine - best:+.3f}",
                "kept": "yes" if keeps else "no",
                "feasible": f"{feasible_mine:.3f}", "best feasible": f"{feasible_best:.3f}",
                "feasible kept": "yes" if feasible_mine >= feasible_best - FEASIBLE else "no",
            })  # fmt: skip
    return rows


def leads(success: Rates) -> list[dict[str, object]]:
    """Mean success over all cells that `auto` and another algorithm share; hardest rival first."""
    shared: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for field in success.values():
        if "auto" in field and not math.isnan(field["auto"]):
            for name, value in field.items():
                if name != "auto":
                    shared[name].append((field["auto"], value))
    rows = []
    for name, pairs in shared.items():
        mine, theirs = np.mean(pairs, axis=0)
        rows.append({"algorithm": name, "cells": len(pairs), "auto": f"{mine:.3f}",
                     "its own": f"{theirs:.3f}", "lead": f"{mine - theirs:+.3f}"})  # fmt: skip
    return sorted(rows, key=lambda row: float(str(row["lead"])))


def seeds_of(runs: Runs) -> list[dict[str, object]]:
    """Runs per problem in every cell."""
    counted: Rates = {
        place: {name: float(np.mean([len(cells) for cells in problems.values()]))
                for name, problems in field.items()}
        for place, field in runs.items()
    }  # fmt: skip
    return [
        {key: str(value).removesuffix(".000") for key, value in row.items()}
        for row in wide(counted)
    ]


def write_tables(cells: list[Cell], folder: Path) -> None:
    """success.csv, feasible.csv, rank.csv, seeds.csv, best.csv and lead.csv."""
    runs = runs_of(cells)
    success, feasible, rank = rates(runs, "solved"), rates(runs, "feasible"), ranks(runs)
    kinds = {"success": success, "feasible": feasible, "rank": rank}
    tables = {kind: wide(values) for kind, values in kinds.items()}
    tables |= {"seeds": seeds_of(runs), "best": against_best(success, feasible, rank)}
    tables["lead"] = leads(success)
    for kind, rows in tables.items():
        if rows:
            write_csv(folder / f"{kind}.csv", rows)
            show(kind, rows)
    kept = [row["kept"] == "yes" for row in tables["best"]]
    print(f"\nauto has {SHARE} of the best in {sum(kept)} of {len(kept)} cells")


def show(kind: str, rows: list[dict[str, object]]) -> None:
    """A table on the terminal."""
    print(f"\n{kind}\n" + "".join(f"{name:>18}" for name in rows[0]))
    for row in rows:
        print("".join(f"{value!s:>18}" for value in row.values()))
