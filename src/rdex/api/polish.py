"""A last refinement of the answer by a local solver, kept only if it is better."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from rdex.api.result import Result, message_of, point_fields
from rdex.api.status import Status
from rdex.engine.engine import Engine
from rdex.engine.kernels import layout
from rdex.evaluation.kernels import violation_of
from rdex.problem.problem import Floats, Problem

Values = tuple[float, Floats, Floats]

#: Solvers end a hair outside; aiming this far inside, in units of the scale, makes up for it.
MARGIN = 1e-9


class Counted:
    """The problem at single points: inside the bounds, remembered and counted.

    A point where the function raises has the values NaN.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.known: dict[bytes, tuple[Floats, Values]] = {}

    def __call__(self, x: Floats) -> Values:
        point = np.clip(x, self.problem.lower, self.problem.upper)
        whole = self.problem.integrality
        if whole is not None:
            point[whole] = np.round(point[whole])
        key = point.tobytes()
        if key not in self.known:
            try:
                f, g, h = self.problem.evaluate(point[None, :])
                values = (float(f[0]), g[0], h[0])
            except Exception:
                n_ineq, n_eq = self.problem.n_ineq, self.problem.n_eq
                values = (np.nan, np.full(n_ineq, np.nan), np.full(n_eq, np.nan))
            self.known[key] = (point, values)
        return self.known[key][1]

    def rows(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The same for rows, as `Problem.evaluate` calls it."""
        values = [self(row) for row in x]
        return (
            np.array([f for f, _, _ in values]),
            np.array([g for _, g, _ in values]).reshape(len(x), -1),
            np.array([h for _, _, h in values]).reshape(len(x), -1),
        )


def polished(
    result: Result, problem: Problem, engine: Engine, polish: bool | Callable[..., Any]
) -> Result:
    """The result after a local search from its x: the best of all points that it evaluated."""
    counted = Counted(problem)
    if callable(polish):
        view = dataclasses.replace(problem, rows=counted.rows, point=None, compile=None)
        candidate = polish(result, view)
    else:
        candidate = slsqp(result.x, problem, counted, engine)
    point = np.asarray(candidate, dtype=np.float64)
    if point.shape != (problem.dim,):
        raise ValueError(f"polish must return x of shape ({problem.dim},), got {point.shape}")
    counted(point)
    state = engine.state
    best = (result.x, result.fun, result.cv, result.G, result.H)
    for x, (f, g, h) in counted.known.values():
        phi = violation_of(
            np.ascontiguousarray(g),
            np.ascontiguousarray(h),
            state.limit,
            layout.UNWEIGHTED,
            state.param[layout.EQ_EXCESS],
        )
        if np.isfinite(f) and (phi < best[2] or (phi == best[2] and not f >= best[1])):
            best = (x, f, float(phi), g.copy(), h.copy())
    result.nfev += len(counted.known)
    result.polished = best[0] is not result.x
    if result.polished:
        result.update(point_fields(problem, *best, state.limit))
        result.message = message_of(Status(result.status), result.violations, result.cv)
        if result.feasible and result.first_feasible is None:
            result.first_feasible = result.nfev
    return result


def slsqp(x: Floats, problem: Problem, counted: Counted, engine: Engine) -> Floats:
    """SciPy's SLSQP in the unit box; integer variables stay as they are."""
    from scipy.optimize import minimize

    width = problem.upper - problem.lower
    free = width > 0
    if problem.integrality is not None:
        free &= ~problem.integrality
    if not free.any():
        return x
    scale = 1.0 / engine.state.limit[layout.WEIGHT]
    tolerance = engine.state.limit[layout.TOLERANCE]
    m = problem.n_ineq

    def full(z: Floats) -> Floats:
        point = x.copy()
        point[free] = problem.lower[free] + np.clip(z, 0.0, 1.0) * width[free]
        return point

    constraints = []
    if m:
        aim = tolerance[:m] / scale[:m] - MARGIN

        def inequalities(z: Floats) -> Floats:
            return aim - counted(full(z))[1] / scale[:m]

        constraints.append({"type": "ineq", "fun": inequalities})
    if problem.n_eq:

        def equalities(z: Floats) -> Floats:
            return counted(full(z))[2] / scale[m:]

        constraints.append({"type": "eq", "fun": equalities})
    with np.errstate(all="ignore"):
        answer = minimize(
            lambda z: counted(full(z))[0],
            (x[free] - problem.lower[free]) / width[free],
            method="SLSQP",
            bounds=[(0.0, 1.0)] * int(free.sum()),
            constraints=constraints,
            options={"maxiter": 200, "ftol": 1e-12},
        )
    return full(np.nan_to_num(answer.x))
