"""A refinement of the answer by the user's own solver, kept only if it is better."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.engine.engine import Point
from rdex.evaluation.judging import Judge
from rdex.problem.problem import Floats
from rdex.problem.space import Space
from rdex.run.result import Result, message_of, point_fields
from rdex.run.status import Status
from rdex.run.watch import raise_again

if TYPE_CHECKING:
    from rdex.run.driver import Driver

Values = tuple[float, Floats, Floats]


class Counted:
    """The problem at legal points, through the driver: remembered, counted, judged, logged."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.space = Space(driver.spec.problem)
        self.known: dict[bytes, tuple[Floats, Values]] = {}

    def __call__(self, x: Floats) -> Values:
        point = self.space.legal(x)
        key = point.tobytes()
        if key not in self.known:
            outcome = self.driver.evaluate(point)
            self.known[key] = (point, (outcome.f, outcome.g, outcome.h))
        return self.known[key][1]

    def rows(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The same for rows, as `Problem.evaluate` calls it."""
        values = [self(row) for row in x]
        return (
            np.array([f for f, _, _ in values]),
            np.array([g for _, g, _ in values]).reshape(len(x), -1),
            np.array([h for _, _, h in values]).reshape(len(x), -1),
        )


def polished(result: Result, driver: Driver, polish: Callable[..., Any]) -> Result:
    """The result after the user's search from its x: the best of all points that it evaluated.

    Ctrl-C ends the refinement, not the run, which has its result.
    """
    problem = driver.spec.problem
    counted = Counted(driver)
    view = dataclasses.replace(problem, rows=counted.rows, point=None, compile=None)
    try:
        seen = result
        if problem.variables is not None and problem.variables.has_lists:
            seen = Result(result, x=problem.encoded(result.x))  # as `view` takes points
        point = np.asarray(polish(seen, view), dtype=np.float64)
        if point.shape != (problem.dim,):
            raise ValueError(f"polish must return x of shape ({problem.dim},), got {point.shape}")
        counted(point)
    except KeyboardInterrupt as error:
        result.status = int(Status.INTERRUPTED)
        raise_again(error, driver.options.on_interrupt)
    return with_better(result, driver, counted)


def with_better(result: Result, driver: Driver, counted: Counted) -> Result:
    """The result with the best point of the refinement, if it is better."""
    problem, limits = driver.spec.problem, driver.spec.limits
    judge = Judge(problem, limits.eq_tol, limits.ineq_tol)
    best = Point(result.x, result.fun, result.cv, result.G, result.H)
    for x, (f, g, h) in counted.known.values():
        value, phi = judge.settled(f, judge.phi_of(g, h))
        if judge.is_better(value, phi, best[1], best[2]):
            best = Point(x, value, phi, g.copy(), h.copy())
    result.nfev += len(counted.known)
    result.polished = best[0] is not result.x
    if result.polished:
        scales = np.array([state.scale for state in result.violations])
        result.update(point_fields(problem, best, judge.tolerance, scales))
        if result.feasible and result.first_feasible is None:
            result.first_feasible = result.nfev
    result.message = message_of(Status(result.status), result.violations, result.cv)
    return result
