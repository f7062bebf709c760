"""What `minimize` returns: SciPy's result, with the state of every constraint."""

from __future__ import annotations

import html
import math
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult

from rdex.api.status import MESSAGES, Status
from rdex.engine.engine import Engine
from rdex.engine.kernels import layout
from rdex.problem.problem import Floats, Problem
from rdex.recorder import history_of


class ConstraintState(NamedTuple):
    """One constraint at the returned point."""

    name: str
    kind: str
    value: float
    tolerance: float
    satisfied: bool

    @property
    def violation(self) -> float:
        """0 where satisfied, else g or |h|."""
        if self.satisfied:
            return 0.0
        return abs(self.value) if self.kind == "=" else self.value


class Result(OptimizeResult):  # type: ignore[misc]
    """The outcome of a run; fields as in `scipy.optimize.OptimizeResult`, and more.

    Attributes
    ----------
    x, fun : the best point, feasibility first, and its objective value.
    success, feasible : whether all constraints hold at x.
    status, message : why the run stopped.
    nfev, nit : evaluations and generations.
    G, H : values of the constraints G <= 0 and H = 0 at x.
    cv, maxcv : mean and largest violation; `constr_violation` is `maxcv`.
    violations : list of `ConstraintState`, one a constraint.
    first_feasible : evaluations when the first feasible point was found, or None.
    n_failed : evaluations that gave no usable values.
    history : `rdex.recorder.History`.
    population, population_energies : the final population P, best first, and its f.
    """

    def __str__(self) -> str:
        from rdex.api.text import result_text

        return result_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def plot(self, axes: Any = None) -> Any:
        """Draw objective and violation over evaluations; returns the matplotlib figure."""
        from rdex.api.plot import plot_history

        return plot_history(self, axes)


def constraint_states(
    problem: Problem, g: Floats, h: Floats, limit: Floats
) -> list[ConstraintState]:
    """The state of every constraint at a point."""
    states = []
    for k, name in enumerate(problem.constraint_names):
        is_equality = k >= problem.n_ineq
        value = float(h[k - problem.n_ineq] if is_equality else g[k])
        tolerance = float(limit[layout.TOLERANCE, k])
        size = abs(value) if is_equality else value
        states.append(
            ConstraintState(name, "=" if is_equality else "<=", value, tolerance, size <= tolerance)
        )
    return states


def make_result(engine: Engine, status: Status, seconds: float, **more: Any) -> Result:
    """The result of a run as it stands."""
    problem, state = engine.problem, engine.state
    best = engine.best
    states = constraint_states(problem, best.g, best.h, state.limit)
    all_failed = not math.isfinite(best.phi)
    feasible = best.phi == 0.0 and math.isfinite(best.f)
    maxcv = max((s.violation for s in states), default=0.0)
    members = state.pool[: engine.n] if state.count[layout.READY] else state.front[: engine.n]
    return Result(
        x=best.x,
        fun=best.f,
        success=feasible,
        feasible=feasible,
        status=int(status),
        message=message_of(status, feasible, all_failed),
        nfev=engine.nfev,
        nit=engine.generation,
        G=best.g,
        H=best.h,
        cv=best.phi,
        maxcv=math.nan if all_failed else maxcv,
        constr=[np.array([s.value]) for s in states],
        constr_violation=math.nan if all_failed else maxcv,
        violations=states,
        first_feasible=engine.first_feasible,
        n_failed=engine.n_failed,
        history=history_of(engine),
        population=engine.decoded(state.x[members]),
        population_energies=state.f[members].copy(),
        variable_names=problem.variable_names,
        algorithm=engine.settings.name,
        settings=engine.settings,
        constraint_scale=(1.0 / state.limit[layout.WEIGHT]),
        maxfev=engine.maxfev,
        seconds=seconds,
        **more,
    )


def message_of(status: Status, feasible: bool, all_failed: bool) -> str:
    """The reason of the stop, and a warning where there is no feasible answer."""
    text = MESSAGES[status]
    if all_failed:
        return f"{text} No evaluation gave usable values."
    if not feasible:
        return f"{text} No feasible point was found: x violates the constraints least."
    return text
