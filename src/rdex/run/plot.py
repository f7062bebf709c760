"""Objective and violation over evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.common.extras import require
from rdex.problem.constraints import OBJECTIVE, unit_of

if TYPE_CHECKING:
    from rdex.run.result import Result


def plot_history(result: Result, axes: Any = None) -> Any:
    """Best f, drawn solid once feasible, and, with constraints, the violation; the figure.

    Given axes are two: of the objective and of the violation.
    """
    has_violation = bool(result.violations)
    if axes is None:
        figure, axes = new_axes(2 if has_violation else 1)
    else:
        figure = axes[0].figure
    draw_objective(result, axes[0])
    if has_violation and len(axes) > 1:
        draw_violation(result, axes[1])
    for axis in axes:
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:.0f}")
        if result.first_feasible and result.violations:
            axis.axvline(result.first_feasible, color="C2", linewidth=1, label="first feasible")
        if axis.get_legend_handles_labels()[0]:
            axis.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    axes[-1].set_xlabel("evaluations")
    return figure


def new_axes(n: int) -> tuple[Any, Any]:
    """A figure of n panels; in a notebook it is shown once, as the value of its cell."""
    pyplot = require("matplotlib.pyplot", "bench")
    figure, axes = pyplot.subplots(
        n, 1, sharex=True, figsize=(8, 2.6 * n), layout="constrained", squeeze=False
    )
    if "inline" in pyplot.get_backend():
        pyplot.close(figure)
    return figure, axes[:, 0]


def draw_objective(result: Result, axis: Any) -> None:
    """Best so far; dotted while nothing is feasible. Dots: the evaluations that were kept."""
    history = result.history
    draw_points(result, axis)
    feasible = history.cv == 0
    if not feasible.all():
        before = np.where(feasible, np.nan, history.f)
        axis.step(history.nfev, before, ":", where="post", color="0.5",
                  label="best, not feasible yet")  # fmt: skip
    if feasible.any():
        shown = np.where(feasible, history.f, np.nan)
        label = "best feasible" if result.violations else "best"
        axis.step(history.nfev, shown, where="post", color="C0", label=label)
    unit = unit_of(result.units, OBJECTIVE)
    axis.set_ylabel(f"best f, {unit}" if unit else "best f", parse_math=False)


def draw_points(result: Result, axis: Any) -> None:
    """Evaluations, hollow if infeasible; a few bad ones do not decide the range."""
    points = result.get("points")
    if points is None or not np.isfinite(points.f).any():
        return
    feasible = points.cv == 0
    for rows, style in ((~feasible, {"facecolors": "none", "edgecolors": "C1"}),
                        (feasible, {"color": "C2"})):  # fmt: skip
        if rows.any():
            word = "feasible " if style.get("color") else "infeasible "
            label = f"{word if result.violations else ''}evaluation"
            axis.scatter(points.number[rows], points.f[rows], s=9, alpha=0.5, linewidths=0.8,
                         label=label, zorder=1, **style)  # fmt: skip
    shown = result.history.f[np.isfinite(result.history.f)]
    finite = points.f[np.isfinite(points.f)]
    low = min(finite.min(), shown.min(initial=np.inf))
    high = max(np.quantile(finite, 0.8), shown[-1] if shown.size else -np.inf)
    room = 0.05 * (high - low or abs(high) or 1.0)
    axis.set_ylim(low - room, high + room)


def draw_violation(result: Result, axis: Any) -> None:
    """Mean violation and ε, where they are above 0."""
    history = result.history
    is_any = False
    for values, style in (
        (history.cv, {"color": "C1", "label": "mean violation"}),
        (history.eps, {"color": "0.5", "linestyle": "--", "label": "ε, of scaled violations"}),
    ):
        positive = np.where(np.isfinite(values) & (values > 0), values, np.nan)
        if np.isfinite(positive).any():
            axis.step(history.nfev, positive, where="post", **style)
            is_any = True
    axis.set_ylabel("violation")
    if is_any:
        axis.set_yscale("log")
        axis.yaxis.set_minor_formatter(lambda value, _: "")
    else:
        axis.set_yticks([])
        axis.text(0.5, 0.5, "no violation", transform=axis.transAxes, ha="center")
