"""Objective and violation over evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.common.extras import require

if TYPE_CHECKING:
    from rdex.run.result import Result


def plot_history(result: Result, axes: Any = None) -> Any:
    """Two panels: best f, drawn solid once feasible, and the mean violation; returns the figure."""
    if axes is None:
        pyplot = require("matplotlib.pyplot", "bench")
        figure, axes = pyplot.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
    else:
        figure = axes[0].figure
    history = result.history
    feasible = history.cv == 0
    objective, violation = axes
    if not feasible.all():
        objective.plot(history.nfev, history.f, ":", color="0.5", label="least violating point")
        positive = np.where(feasible, np.nan, history.cv)
        violation.plot(history.nfev, positive, color="C1", label="mean violation")
    shown = np.where(feasible, history.f, np.nan)
    objective.plot(history.nfev, shown, color="C0", label="feasible point")
    objective.set_ylabel("best f")
    violation.plot(history.nfev, history.eps, "--", color="0.5", label="ε, of scaled violations")
    violation.set_yscale("symlog", linthresh=1e-8)
    violation.set_ylabel("violation")
    violation.set_xlabel("evaluations")
    if result.first_feasible:
        for axis in axes:
            axis.axvline(result.first_feasible, color="C2", linewidth=1, label="first feasible")
    for axis in axes:
        axis.legend(loc="upper right")
    return figure
