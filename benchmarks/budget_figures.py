"""Figures of the cells that `budgets.py` keeps.

budgets.png: share of problems solved over the budget. profiles.png: the same over evaluations /
(D + 1), up to 1000 evaluations. ecdf.png: share of targets reached over log10(evaluations / D).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from budget_tables import Cell, runs_of

from rdex.problem import Problem

#: The two panels of every figure.
PANELS = {
    "Not used for development\nCOCO D = 5 and 10, CEC 2017 D = 10": (
        "coco-d5", "coco-d10", "cec2017-d10",
    ),
    "Used for development\nengineering designs, G problems": ("engineering", "g2006"),
}  # fmt: skip

#: Precisions that count as targets in the ECDF, relative to max(1, |best known value|).
TARGETS = 10.0 ** np.arange(0.0, -4.5, -0.5)

#: Colours that stay apart for colour-blind readers (Okabe and Ito), with a marker each.
STYLES = {
    "auto": ("#D55E00", "o"), "scout": ("#E69F00", "s"), "rdex-csop+local": ("#0072B2", "^"),
    "rdex-csop": ("#56B4E9", "v"), "rdex-tide": ("#56B4E9", "P"),
    "multistart-slsqp": ("#009E73", "D"), "pycma-con2": ("#CC79A7", "X"),
    "multistart-cobyqa": ("#000000", "<"), "nlopt-cobyla": ("#000000", ">"),
    "egobox": ("#000000", "*"), "nlopt-isres": ("#999999", "h"),
}  # fmt: skip
OTHERS = ("#BBBBBB", "")

Line = list[tuple[float, float]]
Value = Callable[[Cell], float]


def by_problem(
    cells: list[Cell], suites: tuple[str, ...], value: Value
) -> dict[str, dict[str, dict[int, float]]]:
    """Mean value over seeds by algorithm, problem and budget, where all suites are complete."""
    found: dict[str, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    suites_of: dict[tuple[str, int], set[str]] = defaultdict(set)
    for (suite, budget), field in runs_of(cells).items():
        for name in field if suite in suites else ():
            suites_of[name, budget].add(suite)
    for (suite, budget), field in runs_of(cells).items():
        for name, problems in field.items():
            if suite in suites and suites_of[name, budget] == set(suites):
                for problem, group in problems.items():
                    if group[0].solved >= 0:
                        found[name][problem][budget] = float(np.mean([value(c) for c in group]))
    return found


def over_budget(problems: dict[str, dict[int, float]]) -> Line:
    """Mean over problems at every budget."""
    return [
        (budget, float(np.mean([budgets[budget] for budgets in problems.values()])))
        for budget in sorted(next(iter(problems.values())))
    ]


def over_ratio(problems: dict[str, dict[int, float]], size: Callable[[str], int]) -> Line:
    """Mean over problems at every ratio budget / size, up to where the first of them ends."""
    steps = {
        name: sorted((budget / size(name), value) for budget, value in budgets.items())
        for name, budgets in problems.items()
    }
    end = min(values[-1][0] for values in steps.values())
    line = []
    for ratio in sorted({ratio for values in steps.values() for ratio, _ in values}):
        if ratio <= end:
            reached = [
                max((value for at, value in values if at <= ratio), default=0.0)
                for values in steps.values()
            ]
            line.append((ratio, float(np.mean(reached))))
    return line


def targets_reached(cell: Cell, problem: Problem) -> float:
    """Share of the targets that a run reached."""
    if cell.violation > 0.0 or problem.optimum is None or not math.isfinite(cell.f):
        return 0.0
    gap = (cell.f - problem.optimum) / max(1.0, abs(problem.optimum))
    return float(np.mean(gap <= TARGETS)) if cell.solved != 1 else 1.0


def draw(cells: list[Cell], folder: Path, problem_of: Callable[[str], Problem]) -> None:
    """All figures."""
    known = cache(problem_of)
    figure_of(
        cells, folder / "budgets.png", lambda cell: float(cell.solved), over_budget,
        ("evaluations", "share of problems solved"), None,
    )  # fmt: skip
    small = [cell for cell in cells if cell.budget <= 1000]
    shown = (
        "auto", "scout", "multistart-slsqp", "multistart-cobyqa", "pycma-con2", "nlopt-cobyla",
        "nlopt-isres", "rdex-csop",
    )  # fmt: skip
    figure_of(
        [cell for cell in small if cell.algorithm in shown], folder / "profiles.png",
        lambda cell: float(cell.solved),
        lambda problems: over_ratio(problems, lambda name: known(name).dim + 1),
        ("evaluations / (D + 1)", "share of problems solved"), None,
    )  # fmt: skip
    figure_of(
        cells, folder / "ecdf.png", lambda cell: targets_reached(cell, known(cell.problem)),
        lambda problems: over_ratio(problems, lambda name: known(name).dim),
        ("log10(evaluations / D)", "share of targets reached"), math.log10,
    )  # fmt: skip


def figure_of(
    cells: list[Cell],
    path: Path,
    value: Value,
    line_of: Callable[[dict[str, dict[int, float]]], Line],
    labels: tuple[str, str],
    scale: Callable[[float], float] | None,
) -> None:
    """Two panels and one legend beside them, best algorithms first."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(10.4, 4.4), sharey=True, layout="constrained")
    seen: dict[str, Any] = {}
    for axes, (title, suites) in zip(panels, PANELS.items(), strict=True):
        found = by_problem(cells, suites, value)
        for name in sorted(found, key=lambda each: (each == "auto", each in STYLES)):
            line = line_of(found[name])
            if line:
                x, y = zip(*line, strict=True)
                x = x if scale is None else tuple(map(scale, x))
                handle = plot(axes, name, x, y)
                seen.setdefault(name if name in STYLES else "other packages", handle)
        axes.set_title(title, fontsize=10)
        axes.set(ylim=(-0.01, 1.01), xlabel=labels[0])
        if scale is None:
            axes.set_xscale("log")
            axes.set_xticks(*ticks(axes.get_xlim()))
            axes.minorticks_off()
        axes.grid(alpha=0.3, linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel(labels[1])
    names = sorted(seen, key=lambda each: list(STYLES).index(each) if each in STYLES else 99)
    figure.legend(
        [seen[name] for name in names],
        [f"{name} (rdex)" if name in ("auto", "scout") else name for name in names],
        loc="outside right center", frameon=False, fontsize=9,
    )  # fmt: skip
    figure.savefig(path, dpi=150)
    plt.close(figure)


def ticks(limits: tuple[float, float]) -> tuple[list[float], list[str]]:
    """1, 2 and 5 times powers of ten; thousands as k."""
    values = [digit * 10.0**power for power in range(7) for digit in (1, 2, 5)]
    shown = [value for value in values if limits[0] <= value <= limits[1]]
    return shown, [f"{v:.0f}" if v < 1000 else f"{v / 1000:.0f}k" for v in shown]


def plot(axes: Any, name: str, x: tuple[float, ...], y: tuple[float, ...]) -> Any:
    """One line: `auto` thick, the named ones with markers, the others grey."""
    colour, marker = STYLES.get(name, OTHERS)
    dash = "--" if name in ("rdex-tide", "nlopt-cobyla") else "-"
    width, layer = (3.0, 4) if name == "auto" else (1.4, 3) if name in STYLES else (0.9, 2)
    (handle,) = axes.plot(
        x, y, color=colour, marker=marker if len(x) < 10 else "", linestyle=dash, linewidth=width,
        zorder=layer, markersize=5, drawstyle="default" if len(x) < 10 else "steps-post",
    )  # fmt: skip
    return handle
