"""The one gate to the user's function: order, failures and their policy.

Everything the search learns of a problem that is not compiled passes here. An evaluation that
raises is data: its values are NaN, which the engine orders last. Only three things end a run: an
exception in the very first evaluation (a mistake, not bad luck), failure of all initial points,
and any exception where the user asked for that.
"""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np

from rdex.evaluation.outcome import EvaluationError, Task
from rdex.evaluation.pool import make_pool
from rdex.problem.problem import Floats, Problem


class Gate:
    """Evaluates points of a problem for a run.

    Parameters
    ----------
    problem : Problem
    workers : int, executor, Dask client or map-like callable
        1 evaluates here.
    on_error : "penalize" or "raise"
    n_initial : int
        If this many first evaluations all raise, the first exception is raised.
    """

    def __init__(self, problem: Problem, workers: Any, on_error: str, n_initial: int) -> None:
        self.problem = problem
        self.on_error = on_error
        self.n_initial = n_initial
        self.n_done = 0
        self.n_raised = 0
        self.first_error: BaseException | None = None
        self.g = np.empty(problem.n_ineq)
        self.h = np.empty(problem.n_eq)
        self._point = problem.point
        in_place = isinstance(workers, int) and workers == 1
        self.pool = None
        if not in_place:
            point = problem.point or RowsAsPoint(problem)
            self.pool = make_pool(Task(point, problem.n_ineq, problem.n_eq), workers)

    def one(self, x: Floats) -> float:
        """f at x, the constraints in `self.g` and `self.h`; NaN where the function raised."""
        try:
            assert self._point is not None
            f = self._point(x, self.g, self.h)
        except Exception as error:
            self._note(error)
            self.g.fill(np.nan)
            self.h.fill(np.nan)
            f = np.nan
        self.n_done += 1
        return f

    def many(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """F, G, H at the rows of x."""
        if self.pool is not None:
            return self._by_pool(x)
        if self.problem.rows is not None or self.problem.is_compiled:
            return self._by_rows(x)
        n = x.shape[0]
        f, g, h = np.empty(n), np.empty((n, self.g.size)), np.empty((n, self.h.size))
        for i in range(n):
            f[i] = self.one(x[i].copy())
            g[i], h[i] = self.g, self.h
        return f, g, h

    def _by_rows(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """All rows in one call of a vectorised function; if it raises, all of them failed."""
        n = x.shape[0]
        try:
            values = self.problem.evaluate(x)
        except Exception as error:
            self._note(error, n)
            values = (
                np.full(n, np.nan),
                np.full((n, self.g.size), np.nan),
                np.full((n, self.h.size), np.nan),
            )
        self.n_done += n
        return values

    def _by_pool(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Each row by some worker."""
        assert self.pool is not None
        outcomes = self.pool.map(list(x))
        for outcome in outcomes:
            if outcome.error is not None:
                self._note(EvaluationError(f"the function raised in a worker:\n{outcome.error}"))
            self.n_done += 1
        return (
            np.array([outcome.f for outcome in outcomes], dtype=np.float64),
            np.array([outcome.g for outcome in outcomes]).reshape(len(outcomes), -1),
            np.array([outcome.h for outcome in outcomes]).reshape(len(outcomes), -1),
        )

    def _note(self, error: Exception, n: int = 1) -> None:
        """Count a failure, or end the run with it."""
        self.first_error = self.first_error or error
        if self.on_error == "raise" or self.n_done == 0:
            raise error
        self.n_raised += n
        if self.n_raised >= self.n_initial and self.n_raised == self.n_done + n:
            raise self.first_error

    def close(self) -> None:
        """Let go of the workers."""
        if self.pool is not None:
            self.pool.close()


class RowsAsPoint:
    """One point through a function of rows, for workers."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def __call__(self, x: Floats, g: Floats, h: Floats) -> float:
        f, g_rows, h_rows = self.problem.evaluate(x[None, :])
        g[:], h[:] = g_rows[0], h_rows[0]
        return float(f[0])


def describe(error: BaseException) -> str:
    """One line about an error."""
    return traceback.format_exception_only(error)[-1].strip()
