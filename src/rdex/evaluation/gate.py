"""The one gate to the user's function: order, failures and their policy.

Everything the search learns of a problem that is not compiled passes here. An evaluation that
raises is data: its values are NaN, which the engine orders last. Two things end a run: an
exception in the very first evaluation (a mistake, not bad luck), and any exception where the user
asked for that. The first exception is kept for the case that nothing works at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rdex.evaluation.outcome import EvaluationError, Task
from rdex.evaluation.pool import make_pool
from rdex.problem.functions import VectorisedFunctions
from rdex.problem.problem import Floats, Problem


class Gate:
    """Evaluates points of a problem for a run.

    Parameters
    ----------
    problem : Problem
    workers : int, executor, Dask client or map-like callable
        1 evaluates here.
    on_error : "penalize" or "raise"
    """

    def __init__(self, problem: Problem, workers: Any = 1, on_error: str = "penalize") -> None:
        self.problem = problem
        self.on_error = on_error
        self.first_error: Exception | None = None
        self.g = np.empty(problem.n_ineq)
        self.h = np.empty(problem.n_eq)
        self._has_worked = False
        self._point = problem.point
        # Our own wrapper checks shapes itself.
        own = isinstance(problem.rows, VectorisedFunctions)
        self._rows: Callable[[Floats], tuple[Floats, Floats, Floats]] = (
            problem.rows if own else problem.evaluate  # type: ignore[assignment]
        )
        self._pool = None
        if not (isinstance(workers, int) and workers == 1):
            point = problem.point or RowsAsPoint(problem)
            self._pool = make_pool(Task(point, problem.n_ineq, problem.n_eq), workers)

    @property
    def is_plain(self) -> bool:
        """Whether points are evaluated here, one at a time: what `one` is for."""
        return self._pool is None and self._point is not None

    @property
    def is_compiled(self) -> bool:
        """Whether the fused loop may evaluate in its place."""
        return self._pool is None and self.problem.is_compiled

    def one(self, x: Floats) -> float:
        """f at x, the constraints in `self.g` and `self.h`; NaN where the function raised."""
        try:
            f = float(self._point(x, self.g, self.h))  # type: ignore[misc]
        except Exception as error:
            self.note(error, not self._has_worked)
            self.g.fill(np.nan)
            self.h.fill(np.nan)
            f = np.nan
        self._has_worked = True
        return f

    def many(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """F, G, H at the rows of x."""
        if self._pool is not None:
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
            values = self._rows(x)
        except Exception as error:
            self.note(error, not self._has_worked)
            values = (
                np.full(n, np.nan),
                np.full((n, self.g.size), np.nan),
                np.full((n, self.h.size), np.nan),
            )
        self._has_worked = True
        return values

    def _by_pool(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Each row by some worker."""
        n = x.shape[0]
        outcomes = self._pool.map(list(x))  # type: ignore[union-attr]
        if len(outcomes) != n:
            raise ValueError(f"workers: expected {n} results from map, got {len(outcomes)}")
        for outcome in outcomes:
            if outcome.error is not None:
                error = EvaluationError(f"the function raised in a worker:\n{outcome.error}")
                self.note(error, not self._has_worked)
            self._has_worked = True
        return (
            np.array([outcome.f for outcome in outcomes], dtype=np.float64),
            np.array([outcome.g for outcome in outcomes]).reshape(n, self.g.size),
            np.array([outcome.h for outcome in outcomes]).reshape(n, self.h.size),
        )

    def note(self, error: Exception, is_first: bool) -> None:
        """Remember a failure, or end the run with it."""
        if self.on_error == "raise" or is_first:
            raise error
        self.first_error = self.first_error or error

    def close(self) -> None:
        """Let go of the workers."""
        if self._pool is not None:
            self._pool.close()


class RowsAsPoint:
    """One point through a function of rows, for workers."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def __call__(self, x: Floats, g: Floats, h: Floats) -> float:
        f, g_rows, h_rows = self.problem.evaluate(x[None, :])
        g[:], h[:] = g_rows[0], h_rows[0]
        return float(f[0])
