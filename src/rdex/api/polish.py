"""A last refinement of the answer by a local solver, kept only if it is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rdex.api.result import Result, constraint_states
from rdex.engine.engine import Engine
from rdex.engine.kernels import layout
from rdex.evaluation.kernels import violation_of
from rdex.problem.problem import Floats, Problem


class Counted:
    """The problem at single points, remembered and counted."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.known: dict[bytes, tuple[float, Floats, Floats]] = {}

    def __call__(self, x: Floats) -> tuple[float, Floats, Floats]:
        point = np.clip(x, self.problem.lower, self.problem.upper)
        key = point.tobytes()
        if key not in self.known:
            f, g, h = self.problem.evaluate(point[None, :])
            self.known[key] = (float(f[0]), g[0], h[0])
        return self.known[key]


def polished(
    result: Result, problem: Problem, engine: Engine, polish: bool | Callable[..., Any]
) -> Result:
    """The result after a local search from its x."""
    counted = Counted(problem)
    if callable(polish):
        candidate = polish(result, problem)
    else:
        candidate = slsqp(result.x, problem, counted, engine)
    point = np.clip(np.asarray(candidate, dtype=np.float64), problem.lower, problem.upper)
    if problem.integrality is not None:
        whole = problem.integrality
        point[whole] = result.x[whole]
    f, g, h = counted(point)
    state = engine.state
    phi = violation_of(
        np.ascontiguousarray(g),
        np.ascontiguousarray(h),
        state.limit,
        layout.UNWEIGHTED,
        state.param[layout.EQ_EXCESS],
    )
    result.nfev += len(counted.known)
    result.polished = bool(
        np.isfinite(f) and (phi < result.cv or (phi == result.cv and f < result.fun))
    )
    if result.polished:
        states = constraint_states(problem, g, h, state.limit)
        largest = max((s.violation for s in states), default=0.0)
        result.update(x=point, fun=f, G=g.copy(), H=h.copy(), cv=float(phi), maxcv=largest)
        result.update(constr_violation=largest, violations=states)
        result.update(constr=[np.array([s.value]) for s in states])
        result.success = result.feasible = phi == 0.0
    return result


def slsqp(x: Floats, problem: Problem, counted: Counted, engine: Engine) -> Floats:
    """SciPy's SLSQP in the unit box; integer variables stay as they are."""
    from scipy.optimize import minimize

    width = np.where(problem.upper > problem.lower, problem.upper - problem.lower, 1.0)
    free = problem.upper > problem.lower
    if problem.integrality is not None:
        free &= ~problem.integrality
    if not free.any():
        return x
    scale = 1.0 / engine.state.limit[layout.WEIGHT]
    n_ineq = problem.n_ineq

    def full(z: Floats) -> Floats:
        point = x.copy()
        point[free] = problem.lower[free] + np.clip(z, 0.0, 1.0) * width[free]
        return point

    constraints = []
    if n_ineq:
        constraints.append({"type": "ineq", "fun": lambda z: -counted(full(z))[1] / scale[:n_ineq]})
    if problem.n_eq:
        constraints.append({"type": "eq", "fun": lambda z: counted(full(z))[2] / scale[n_ineq:]})
    start = (x[free] - problem.lower[free]) / width[free]
    with np.errstate(all="ignore"):
        answer = minimize(
            lambda z: counted(full(z))[0],
            start,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * int(free.sum()),
            constraints=constraints,
            options={"maxiter": 200, "ftol": 1e-12},
        )
    return full(answer.x)
