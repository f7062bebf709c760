"""`Direct`: evaluation in this process without detours, for the fast loops of the driver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rdex.evaluation.failures import FailurePolicy
from rdex.problem.functions import VectorisedFunctions
from rdex.problem.problem import Floats, Problem


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
