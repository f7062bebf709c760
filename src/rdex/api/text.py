"""A result in plain text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rdex.api.result import ConstraintState, Result

MOST_ROWS = 30


def result_text(result: Result) -> str:
    """What `print(result)` shows."""
    if "fun" not in result:
        return f"Result({dict(result)})"
    lines = [headline(result), f"  {result.message}", ""]
    lines += [
        f"  f            {result.fun:.10g}",
        f"  evaluations  {result.nfev} of {result.maxfev} in {result.seconds:.3g} s"
        f" ({result.nit} generations, {result.algorithm})",
    ]
    if result.n_failed:
        lines.append(f"  failed       {result.n_failed} evaluations gave no usable values")
    if result.violations:
        lines.append(f"  feasible     {feasible_text(result)}")
    lines += ["", "  variables", *variable_rows(result)]
    if result.violations:
        lines += ["", "  constraints", *constraint_rows(result.violations)]
    if result.violations and not result.feasible:
        lines += ["", *blocking_text(result)]
    return "\n".join(lines)


def headline(result: Result) -> str:
    """One line that says how it ended."""
    if result.feasible:
        return "Feasible solution" if result.violations else "Solution"
    return "No feasible solution" if math.isfinite(result.cv) else "No solution"


def feasible_text(result: Result) -> str:
    """Since when, or how far from it."""
    if result.first_feasible:
        return f"first at evaluation {result.first_feasible}"
    return f"never; mean violation {result.cv:.4g}, largest {result.maxcv:.4g}"


def variable_rows(result: Result) -> list[str]:
    """One line a variable, some left out where there are many."""
    names = result.variable_names
    width = max(len(name) for name in names)
    values = zip(names, result.x, strict=True)
    return shortened([f"    {name:<{width}}  {value: .10g}" for name, value in values])


def constraint_rows(states: list[ConstraintState]) -> list[str]:
    """One line a constraint: value, relation, state."""
    width = max(len(state.name) for state in states)
    rows = []
    for state in states:
        bound = f"= 0 ± {state.tolerance:.3g}" if state.kind == "=" else f"<= {state.tolerance:.3g}"
        verdict = "ok" if state.satisfied else f"VIOLATED by {state.violation:.4g}"
        rows.append(f"    {state.name:<{width}}  {state.value: .6g} {bound}  {verdict}")
    return shortened(rows)


def blocking_text(result: Result) -> list[str]:
    """Which constraints stand in the way, worst first."""
    worst = sorted(
        (state for state in result.violations if not state.satisfied),
        key=lambda state: -state.violation if math.isfinite(state.violation) else -math.inf,
    )
    if not worst:
        return []
    named = ", ".join(f"{state.name} ({state.violation:.3g})" for state in worst[:5])
    more = f" and {len(worst) - 5} more" if len(worst) > 5 else ""
    cv = result.history.cv
    start = f"{cv[0]:.4g}" if cv.size and np.isfinite(cv[0]) else "unknown"
    return [
        f"  Blocking: {named}{more}.",
        f"  The mean violation fell from {start} after initialisation to {result.cv:.4g}.",
    ]


def shortened(rows: list[str]) -> list[str]:
    """The first and the last of many rows."""
    if len(rows) <= MOST_ROWS:
        return rows
    half = MOST_ROWS // 2
    return [*rows[:half], f"    … {len(rows) - 2 * half} more …", *rows[-half:]]
