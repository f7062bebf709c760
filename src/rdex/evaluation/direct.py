"""Evaluation in this process without detours, for the fast loops of the driver, and what a failed
evaluation means for a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rdex.common.errors import EvaluationError
from rdex.problem.functions import OneFunction, SeparateFunctions, VectorisedFunctions
from rdex.problem.problem import Floats, Problem
from rdex.workers.point_task import RAISED, Outcome


@dataclass
class FailurePolicy:
    """A failure is data: its values are NaN, which every search orders last.

    Two things end a run: an exception in the very first evaluation (a mistake, not bad luck), and
    any failure where the user asked for that. The first failure is kept for the case that nothing
    works at all.
    """

    on_error: str = "penalize"  # or "raise"
    first_error: Exception | None = None
    has_begun: bool = False  # whether an evaluation has come back, in an earlier session too

    def note(self, error: Exception, is_mistake: bool) -> None:
        """Remember a failure, or end the run with it."""
        if self.on_error == "raise" or is_mistake:
            raise error
        self.first_error = self.first_error or error

    def judge(self, outcome: Outcome, is_first: bool) -> None:
        """Note what came of an evaluation; only an exception can be a mistake."""
        if outcome.error is not None:
            raised = outcome.status == RAISED
            what = "the function raised" if raised else "the evaluation failed"
            error = outcome.exception or EvaluationError(f"{what}:\n{outcome.error}")
            self.note(error, is_first and raised)
        self.has_begun = True


class Direct:
    """The problem, called here; values are NaN where the function raised.

    Parameters
    ----------
    problem : Problem
    policy : FailurePolicy
    """

    def __init__(self, problem: Problem, policy: FailurePolicy) -> None:
        self.problem = problem
        self.policy = policy
        self.g = np.empty(problem.n_ineq)
        self.h = np.empty(problem.n_eq)
        self.point = np.empty(problem.dim)  # room for the next point of a loop
        self.takes_points = problem.point is not None and not problem.is_compiled
        self._point = problem.point
        if isinstance(problem.point, SeparateFunctions | OneFunction):
            self._point = problem.point.__call__  # found once, not at every call
        # Our own wrapper checks shapes itself.
        own = isinstance(problem.rows, VectorisedFunctions)
        self._fill_rows: Callable[[Floats, Floats, Floats, Floats], None] = (
            problem.rows.fill if own else self._fill_checked  # type: ignore[union-attr]
        )

    def one(self, x: Floats) -> float:
        """f at x, the constraints in `self.g` and `self.h`."""
        try:
            f = float(self._point(x, self.g, self.h))  # type: ignore[misc]
        except Exception as error:
            self.policy.note(error, not self.policy.has_begun)
            self.g.fill(np.nan)
            self.h.fill(np.nan)
            f = np.nan
        self.policy.has_begun = True
        return f

    def fill(self, x: Floats, f: Floats, g: Floats, h: Floats) -> None:
        """Write F, G, H at the rows of x; if a function of rows raises, all of them failed."""
        if self.takes_points:
            for i in range(len(x)):
                f[i] = self.one(x[i].copy())
                g[i], h[i] = self.g, self.h
            return
        try:
            self._fill_rows(x, f, g, h)
        except Exception as error:
            self.policy.note(error, not self.policy.has_begun)
            for values in (f, g, h):
                values.fill(np.nan)
        self.policy.has_begun = True

    def _fill_checked(self, x: Floats, f: Floats, g: Floats, h: Floats) -> None:
        """Rows of somebody else's function."""
        f[:], g[:], h[:] = self.problem.evaluate(x)
