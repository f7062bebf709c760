"""`run_report`: the page of one run of `minimize`."""

from __future__ import annotations

import json
import math
import os
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.common.files import atomic_write
from rdex.problem.constraints import OBJECTIVE, unit_of
from rdex.problem.variables import is_number
from rdex.report.page import compact, embedded, render
from rdex.report.run_charts import activity, good_designs, importance, points_data, slices
from rdex.report.traces import kept_checkpoints
from rdex.run.constraint_state import (
    NEAR_ACTIVE,
    ConstraintState,
    with_unit,
    worst_first,
)
from rdex.run.text import objective_text, share_rows, workers_text

if TYPE_CHECKING:
    from rdex.run.result import Result

#: Records kept of a history.
MOST_RECORDS = 400

#: Share of the range of a variable.
NEAR_BOUND = 1e-6


def run_report(
    result: Result, path: str | os.PathLike[str], title: str = "Optimisation run"
) -> Path:
    """Write one self-contained HTML page on a run; returns its path.

    Parameters
    ----------
    result : Result
        What `rdex.minimize` returned.
    path : path
        A file that ends in .html or .htm, or a folder, which then gets an index.html.
    title : str
        Heading of the page.

    Examples
    --------
    >>> import rdex
    >>> from rdex.report import run_report
    >>> result = rdex.minimize(lambda x: x @ x, [(-5, 5)] * 2, maxfev=500)    # doctest: +SKIP
    >>> run_report(result, "run.html")                                        # doctest: +SKIP
    PosixPath('run.html')
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        target = target / "index.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(target) as stream:
        stream.write(run_html(result, title).encode())
    return target


def run_html(result: Result, title: str) -> str:
    """The page."""
    states = list(result.violations)
    data = history_data(result, states)
    return render(
        "run.html",
        "run.js",
        title=title,
        verdict=verdict(result),
        message=f"{verdict_sentence(result)} {result.message}",
        what=what_was_run(result),
        facts=facts(result),
        notes=result.get("notes", []),
        variable_columns=("value", "lower", "upper", "least in population", "largest", "state"),
        variables=variable_rows(result),
        variable_names=result.variable_names,
        constraint_columns=("value", "limit", "margin", "in percent", "tolerance", "scale",
                            "state"),
        constraints=[constraint_row(state) for state in states],
        blocking=blocking(states),
        shares=share_rows(result) if result.get("feasible_shares") else [],
        explanation=explained(result),
        importance=importance(result),
        model_where="" if result.get("model") is None else result.model.where_text,
        slices=data["slices"],
        n_kept=len(result.points),
        has_designs=bool(len(result.points) and result.feasible),
        has_logs=bool(result.logarithmic.any()),
        nfev=result.nfev,
        has_internals=bool(np.isfinite(result.history.n).any()),
        near_active=f"{NEAR_ACTIVE:g}",
        near_bound=f"{NEAR_BOUND:g}",
        algorithm=result.algorithm,
        settings=json.dumps(result.settings.as_dict(), indent=2),
        data=embedded(data),
    )  # fmt: skip


def explained(result: Result) -> list[tuple[str, list[str]]]:
    """What `sensitivity` or `conflict` found: paragraphs, each with its list."""
    parts: list[tuple[str, list[str]]] = []
    for line in str(result.explanation or "").splitlines():
        if line.startswith(" "):
            parts[-1][1].append(line.strip())
        else:
            parts.append((line, []))
    return parts


def verdict(result: Result) -> str:
    """One word or two."""
    if result.feasible:
        return "feasible"
    return "not feasible" if math.isfinite(result.cv) else "no usable values"


def verdict_sentence(result: Result) -> str:
    """What came of the run, in a sentence."""
    if not math.isfinite(result.cv):
        return "No evaluation gave usable values."
    if not result.feasible:
        return f"After {result.nfev} evaluations nothing is feasible."
    active = [state.name for state in result.violations if state.state == "active"]
    limits = f"; limited by {', '.join(active[:5])}" if active else ""
    more = f" and {len(active) - 5} more" if len(active) > 5 else ""
    best = "best feasible f" if result.violations else "best f"
    return f"The {best} is {objective_text(result)}{limits}{more}."


def what_was_run(result: Result) -> list[tuple[str, str]]:
    """The line under the title."""
    return [
        ("problem", result.get("problem_name", "") or "without a name"),
        ("date", datetime.now().astimezone().isoformat(sep=" ", timespec="minutes")),
        ("seed", result.get("seed", "not known")),
        ("budget", f"{result.maxfev} evaluations"),
    ]


def facts(result: Result) -> list[tuple[str, str]]:
    """Names and values for the head of the page."""
    since = result.first_feasible
    violations = [
        ("mean violation", f"{result.cv:.6g}"),
        ("largest violation", f"{result.maxcv:.6g}"),
        ("first feasible", f"evaluation {since}" if since else "never"),
    ]
    listed = [
        ("f", objective_text(result)),
        *(violations if result.violations else []),
        ("evaluations", f"{result.nfev} of {result.maxfev}"),
        *([] if result.get("phases") else [("generations", f"{result.nit}")]),
        ("time", f"{result.seconds:.3g} s" if math.isfinite(result.seconds) else "not measured"),
        ("algorithm", result.algorithm),
    ]
    listed += [(phase.name, phase_text(phase)) for phase in result.get("phases", [])]
    if result.get("workers_busy") is not None:
        listed.append(("workers", workers_text(result)))
    if result.n_restarts:
        listed.append(("restarts", f"{result.n_restarts}"))
    if result.n_failed:
        listed.append(("failed evaluations", f"{result.n_failed}"))
    return listed


def phase_text(phase: Any) -> str:
    """What a part of the search spent and gained."""
    reason = f" ({phase.reason})" if phase.reason else ""
    return f"{phase.nfev} evaluations, {phase.gain}{reason}"


def variable_rows(result: Result) -> list[tuple[Any, ...]]:
    """Name, value, bounds, spread in the final population, and whether it is at a bound."""
    population = np.asarray(result.population)
    low, high = np.asarray(result.lower), np.asarray(result.upper)
    rows: list[tuple[Any, ...]] = []
    for j, name in enumerate(result.variable_names):
        value, unit = result.design.get(name, float(result.x[j])), unit_of(result.units, name)
        label = f"{name}, {unit}" if unit else name
        if not is_number(value):
            rows.append((name, str(value), None, None, None, None, "category"))
            continue
        value, near = float(value), NEAR_BOUND * (high[j] - low[j])
        state = "inside"
        if value - low[j] <= near:
            state = "at its lower bound"
        elif high[j] - value <= near:
            state = "at its upper bound"
        column = population[:, j].tolist() or [None]
        spread = min(column), max(column)
        rows.append((label, value, float(low[j]), float(high[j]), *spread, state))
    return rows


def constraint_row(state: ConstraintState) -> tuple[Any, ...]:
    """Both sides as stated, the margin in units and percent, scale, and how it stands."""
    return (
        state.label,
        state.value_text,
        state.relation,
        *state.margin_texts,
        f"{state.tolerance:.4g}",
        f"{state.scale:.4g}",
        state.state,
    )


def blocking(states: list[ConstraintState]) -> str:
    """What held the run back, worst first."""
    known = [each for each in states if not math.isnan(each.violation)]
    worst = worst_first(states)
    if not worst:
        return (
            "All constraints hold." if len(known) == len(states) else "Nothing known is violated."
        )
    named = ", ".join(
        f"{each.name} (by {with_unit(f'{each.violation:.4g}', each.units)})" for each in worst[:5]
    )
    more = f" and {len(worst) - 5} more" if len(worst) > 5 else ""
    return f"{len(worst)} of {len(states)} constraints are violated: {named}{more}."


def history_data(result: Result, states: list[ConstraintState]) -> dict[str, Any]:
    """The arrays of the charts, thinned."""
    history = result.history
    at = kept_checkpoints(len(history.nfev), MOST_RECORDS)
    kept = {name: compact(np.asarray(getattr(history, name), dtype=np.float64)[at], 8)
            for name in ("f", "cv", "eps", "n", "success_rate", "rho",
                         "feasible_share")}  # fmt: skip
    return {
        **kept,
        "nfev": history.nfev[at],
        "memory_F": compact(history.memory_F[at].T),
        "memory_CR": compact(history.memory_CR[at].T),
        "feasible_from": result.first_feasible,
        "points": points_data(result),
        "designs": good_designs(result),
        "activity": activity(result),
        "slices": slices(result),
        "f_unit": f", {unit}" if (unit := unit_of(result.units, OBJECTIVE)) else "",
        "constraints": [state.name for state in states],
        "scaled": [state.violation / state.usual_size for state in states],
    }
