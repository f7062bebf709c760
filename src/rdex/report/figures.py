"""Figures of a campaign for print: PDF and PNG, readable in greyscale."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rdex.common.extras import require
from rdex.engine.settings import Settings
from rdex.report.contents import METRICS, Contents
from rdex.report.cost import ALL
from rdex.report.critical_difference import Diagram, diagram
from rdex.report.drawing import STYLE, line_style, literal, new_figure, save
from rdex.report.fonts import families
from rdex.report.ticks import Ticks, draw_frame, power_ticks
from rdex.report.traces import Bands
from rdex.scoring.arrays import Floats

#: Panels of one figure.
MOST_PANELS = 28
FLOOR = 1e-10
HALVES = Ticks((0.0, 0.5, 1.0), ("0", "0.5", "1"))
OBJECTIVE = f"f − best of the field + {FLOOR:g}"

REACHED = "share of runs and targets reached"

#: Draws the data of a panel; the ticks of what it draws.
PanelDrawer = Callable[[Any, Contents, Bands], Ticks]


def write_figures(contents: Contents, folder: str | os.PathLike[str]) -> list[Path]:
    """Draw all figures that the campaign has data for."""
    matplotlib = require("matplotlib", "bench")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with matplotlib.rc_context({**STYLE, "font.family": families()}):
        for name, figure in figures(contents):
            written += save(figure, place, name)
    return written


def figures(contents: Contents) -> Iterator[tuple[str, Any]]:
    """(name, figure), one at a time."""
    p = len(contents.problems)
    for start in range(0, p, MOST_PANELS):
        part = range(start, min(start + MOST_PANELS, p))
        suffix = f"_{start // MOST_PANELS + 1}" if p > MOST_PANELS else ""
        yield f"convergence_objective{suffix}", panels(contents, part, OBJECTIVE, objective_panel)
        yield f"convergence_violation{suffix}", panels(contents, part, "violation", violation_panel)
    yield "ecdf", ecdf_figure(contents)
    if len(contents.cost.groups) > 1:
        yield "ecdf_groups", group_figure(contents)
    drawn = {metric: diagram(contents.algorithms, contents.target.friedman[metric])
             for metric in METRICS}  # fmt: skip
    found = {metric: each for metric, each in drawn.items() if each is not None}
    if found:
        yield "critical_difference", critical_figure(found)
    yield "rank_heatmap", heat_figure(contents)
    settings = engine_settings(contents)
    if settings:
        yield "schedule", schedule_figure(contents, settings)


def panels(contents: Contents, part: range, label: str, draw: PanelDrawer) -> Any:
    """A grid of small panels, one per problem, under one legend."""
    across = min(4, len(part))
    down = -(-len(part) // across)
    width, height = 1.9 * across + 0.9, 1.35 * down + 1.0
    figure = placed_by_hand(contents, width, height)
    for i, (axis, j) in enumerate(zip(cells(figure, len(part), across), part, strict=True)):
        axis.set_xlim(0, 1)
        y = draw(axis, contents, contents.bands[j])
        is_lowest = i + across >= len(part)
        x = HALVES if is_lowest else HALVES.unlabelled()
        draw_frame(axis, x, y, literal(contents.problems[j]))
    explain(figure, contents, "share of the budget", label)
    return figure


def placed_by_hand(contents: Contents, width: float, height: float) -> Any:
    """A figure for a grid of panels; the layout engine needs several times as long as drawing."""
    figure = new_figure(width, height, layout="none")
    figure.subplots_adjust(
        left=0.75 / width, right=1 - 0.1 / width, bottom=0.5 / height,
        top=1 - (0.35 + 0.15 * -(-len(contents.algorithms) // 4)) / height, hspace=0.35, wspace=0.4,
    )  # fmt: skip
    return figure


def cells(figure: Any, n: int, across: int) -> list[Any]:
    """The first n panels of a grid, row by row."""
    grid = figure.add_gridspec(-(-n // across), across)
    return [figure.add_subplot(grid[i]) for i in range(n)]


def explain(figure: Any, contents: Contents, x: str, y: str = "") -> None:
    """What the axes of all panels are, and all algorithms above them."""
    width, height = figure.get_size_inches()
    middle = (figure.subplotpars.left + figure.subplotpars.right) / 2
    figure.supxlabel(x, fontsize=8, x=middle, y=0.1 / height)
    if y:
        figure.supylabel(y, fontsize=8, x=0.1 / width)
    lines = require("matplotlib.lines", "bench")
    handles = [lines.Line2D([], [], **line_style(a)) for a in range(len(contents.algorithms))]
    labels = [literal(name) for name in contents.algorithms]
    figure.legend(handles, labels, loc="upper center", ncols=min(len(labels), 4),
                  handlelength=4)  # fmt: skip


def objective_panel(axis: Any, contents: Contents, band: Bands) -> Ticks:
    """Distance of f to the best of the field; shaded where the reference is feasible."""
    origin = band.best if np.isfinite(band.best) else 0.0
    with np.errstate(invalid="ignore"):
        gap = band.f - origin + FLOOR
    return powers_panel(axis, contents, band, gap, "not feasible")


def violation_panel(axis: Any, contents: Contents, band: Bands) -> Ticks:
    """Violation where it is not zero."""
    return powers_panel(axis, contents, band, band.v, "feasible")


def powers_panel(axis: Any, contents: Contents, band: Bands, values: Floats, words: str) -> Ticks:
    """Positive values as their powers of ten; a panel that has nothing to draw says why."""
    positive = (values > 0) & np.isfinite(values)
    powers = np.log10(values, where=positive, out=np.full_like(values, np.nan))
    is_drawn = bands_of(axis, band, powers)
    shade(axis, contents, band)
    if is_drawn:
        return power_ticks(*axis.get_ylim())
    axis.text(0.5, 0.5, words, transform=axis.transAxes, ha="center", color="0.4")
    return Ticks()


def bands_of(axis: Any, band: Bands, values: Floats) -> bool:
    """Medians and quartile bands of every algorithm; whether there was anything to draw.

    An upper quartile alone has no area.
    """
    share = band.nfev / band.nfev[-1]
    known = np.isfinite(values)  # (algorithm, quartile, record)
    is_drawn = bool((known[:, 1] | (known[:, 0] & known[:, 2])).any())
    for a, (low, middle, high) in enumerate(values):
        style = line_style(a)
        axis.fill_between(share, low, high, color=style["color"], alpha=0.15, linewidth=0)
        if np.isfinite(middle).any():  # markers cannot be placed on an empty line
            axis.plot(share, middle, **style)
    return is_drawn


def shade(axis: Any, contents: Contents, band: Bands) -> None:
    """Grey from where half of the reference's runs are feasible."""
    share = band.feasible[contents.algorithms.index(contents.target.reference)]
    here = np.flatnonzero(share >= 0.5)
    if here.size:
        start = band.nfev[here[0]] / band.nfev[-1]
        axis.axvspan(start, 1, color="0.5", alpha=0.12, linewidth=0)


def ecdf_figure(contents: Contents) -> Any:
    """Share of runs and targets reached over evaluations per variable."""
    figure = placed_by_hand(contents, 5.5, 3.6)
    axis = figure.subplots()
    ecdf_panel(axis, contents, ALL)
    draw_frame(axis)
    explain(figure, contents, contents.cost.label, REACHED)
    return figure


def ecdf_panel(axis: Any, contents: Contents, group: str) -> None:
    """The lines of one group of problems."""
    for a, shares in enumerate(contents.cost.reached[group]):
        if np.isfinite(shares).any():
            axis.step(contents.cost.grid, shares, where="post", **line_style(a))
    axis.set_ylim(-0.02, 1.02)


def group_figure(contents: Contents) -> Any:
    """The same for every group of problems."""
    groups = list(contents.cost.groups)
    across = min(3, len(groups))
    down = -(-len(groups) // across)
    width, height = 2.2 * across + 0.9, 1.6 * down + 1.0
    figure = placed_by_hand(contents, width, height)
    for axis, name in zip(cells(figure, len(groups), across), groups, strict=True):
        ecdf_panel(axis, contents, name)
        draw_frame(axis, title=literal(name))
    explain(figure, contents, contents.cost.label, REACHED)
    return figure


def critical_figure(drawn: dict[str, Diagram]) -> Any:
    """One critical-difference diagram a metric."""
    m = len(next(iter(drawn.values())).names)
    height = 0.75 + 0.17 * ((m + 1) // 2)
    figure = new_figure(6.5, height * len(drawn) + 0.2)
    axes = figure.subplots(len(drawn), 1, squeeze=False).ravel()
    for axis, (metric, each) in zip(axes, drawn.items(), strict=True):
        critical_panel(axis, each)
        axis.set_title(f"{METRICS[metric]}   (CD = {each.difference:.3f})", loc="left")
    return figure


def critical_panel(axis: Any, drawn: Diagram) -> None:
    """An axis of ranks, names to its left and right, bars between those that do not differ."""
    m = len(drawn.names)
    half = (m + 1) // 2
    margin = 0.55 * (m - 1)
    axis.set_xlim(1 - margin, m + margin)
    lowest = 0.55 + 0.22 * len(drawn.bars) + 0.55 * half
    axis.set_ylim(lowest + 0.3, -0.9)
    axis.axis("off")
    axis.plot([1, m], [0, 0], color="black", linewidth=0.9)
    for tick in range(1, m + 1):
        axis.plot([tick, tick], [-0.15, 0], color="black", linewidth=0.9)
        axis.text(tick, -0.25, str(tick), ha="center", va="bottom")
    for k, (a, b) in enumerate(drawn.bars):
        y = 0.25 + 0.22 * k
        axis.plot([a - 0.03, b + 0.03], [y, y], color="black", linewidth=2.6)
    for i, (name, rank) in enumerate(zip(drawn.names, drawn.ranks, strict=True)):
        on_left = i < half
        y = 0.35 + 0.22 * len(drawn.bars) + 0.55 * ((i if on_left else m - 1 - i) + 0.5)
        end = 0.9 if on_left else m + 0.1
        axis.plot([rank, rank, end], [0, y, y], color="0.35", linewidth=0.8)
        axis.text(end + (-0.04 if on_left else 0.04), y, f"{literal(name)} ({rank:.2f})",
                  ha="right" if on_left else "left", va="center")  # fmt: skip


def heat_figure(contents: Contents) -> Any:
    """Ranks by problem and algorithm, written into the cells."""
    ranks = contents.ranks["target"]
    m, p = ranks.shape
    figure = new_figure(1.4 + 0.55 * m, 1.2 + 0.21 * p)
    axis = figure.subplots()
    shown = np.ma.masked_invalid(ranks.T)
    axis.imshow(shown, cmap="Greys_r", vmin=1 - 0.6 * max(m - 1, 1), vmax=max(m, 2), aspect="auto")
    middle = 1 + 0.15 * (m - 1)
    for (j, a), rank in np.ndenumerate(ranks.T):
        if not np.isnan(rank):
            # Cells are inside the axes: the layout need not measure them.
            axis.text(a, j, f"{rank:.3g}", ha="center", va="center", fontsize=7, in_layout=False,
                      color="white" if rank < middle else "black")  # fmt: skip
    axis.set_xticks(range(m), [literal(name) for name in contents.algorithms], rotation=35,
                    ha="right")  # fmt: skip
    axis.set_yticks(range(p), [literal(name) for name in contents.problems])
    axis.grid(visible=False)
    axis.set_title("rank by U-score (1 = best, darker)", loc="left")
    return figure


def engine_settings(contents: Contents) -> dict[str, Settings]:
    """Settings of the algorithms that are variants of our engine."""
    found: dict[str, Settings] = {}
    for data in contents.datasets:
        names = data.arrow.column("algorithm").to_pylist()
        texts = data.arrow.column("settings").to_pylist()
        for name, text in dict(zip(names, texts, strict=True)).items():
            values = json.loads(text) if text else {}
            if "eps_share" in values:
                found[name] = Settings.from_dict(values)
    return found


def schedule_figure(contents: Contents, settings: dict[str, Settings]) -> Any:
    """N and the share of the front that ε lets in, over the budget, as the settings say."""
    rows = {row for data in contents.datasets
            for row in zip(data.arrow.column("dim").to_pylist(),
                           data.arrow.column("maxfev").to_pylist(), strict=True)}  # fmt: skip
    dim, maxfev = max(rows)
    t = np.linspace(0, 1, 401)
    figure = placed_by_hand(contents, 6.5, 3.0)
    figure.subplots_adjust(left=0.07, wspace=0.18)  # room for the titles
    size, share = figure.subplots(1, 2)
    for name, each in settings.items():
        style = line_style(contents.algorithms.index(name))
        n0 = each.initial_size(dim, maxfev)
        size.plot(t, np.maximum(np.floor(n0 + (each.n_min - n0) * t), each.n_min), **style)
        share.plot(t, np.where(t > each.eps_until, 0.0, each.eps_share * (1 - t) ** 2), **style)
    draw_frame(size, title=f"population size N (D = {dim}, {maxfev} evaluations)")
    draw_frame(share, title="place of ε among the violations of the front")
    explain(figure, contents, "share of the budget")
    return figure
