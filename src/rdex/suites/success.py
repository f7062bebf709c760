"""When a run counts as successful: one rule, stated by the suite of the problem.

A suite writes the kind of tolerance into `Problem.info["success"]`:

- ``"absolute"`` (g2006): f <= best known + 1e-4, as the CEC 2006 report has it;
- ``"relative"`` (mixed, and engineering, whose values run from 1e-12 to 1e7): f <= best known
  + 1e-4 |best known|.

A problem without best known value, such as G20, or whose suite states no rule has no target and
takes no part in success rates.
"""

from __future__ import annotations

from rdex.problem import Problem

TOLERANCE = 1e-4


def target(problem: Problem) -> float | None:
    """The objective value at or below which a feasible point is a success; None where none is.

    Examples
    --------
    >>> from rdex.suites import get
    >>> target(get("g2006/G12"))
    -0.9999
    >>> target(get("g2006/G20")) is None
    True
    """
    kind = problem.info.get("success")
    if problem.optimum is None or kind is None:
        return None
    if kind == "absolute":
        return problem.optimum + TOLERANCE
    if kind == "relative":
        return problem.optimum + TOLERANCE * abs(problem.optimum)
    raise ValueError(
        f"{problem.name}: info['success'] must be 'absolute' or 'relative', got {kind!r}"
    )


def is_solved(problem: Problem, f: float, violation: float) -> bool | None:
    """Whether a point with objective `f` and total constraint violation `violation` is a success.

    Parameters
    ----------
    f : float
        Objective value of the point.
    violation : float
        Its violation after the tolerances (|h| <= 1e-4), 0 where it is feasible.

    Returns
    -------
    bool or None
        None where the problem has no target and takes no part in success rates.

    Examples
    --------
    >>> from rdex.suites import get
    >>> is_solved(get("g2006/G12"), -0.99995, 0.0), is_solved(get("g2006/G12"), -1.0, 0.01)
    (True, False)
    """
    limit = target(problem)
    if limit is None:
        return None
    return bool(violation <= 0.0 and f <= limit)
