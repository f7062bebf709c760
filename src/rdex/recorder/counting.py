"""Evaluations counted, capped and recorded for algorithms that are not ours."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.jit.loading import find_kernel
from rdex.problem import Problem
from rdex.problem.problem import Floats
from rdex.recorder.record import Record


class BudgetSpent(BaseException):
    """The budget is used up; ends an algorithm that asks for more.

    Not an `Exception`: an algorithm that catches those around its evaluations must end, too.
    """


def values_of(problem: Problem, x: Floats, has_begun: bool) -> tuple[Floats, Floats, Floats]:
    """F, G, H of rows; NaN where the function raises, unless nothing was evaluated before."""
    try:
        return problem.evaluate(x)
    except Exception:
        if not has_begun:
            raise
    if len(x) > 1:
        parts = zip(*(values_of(problem, row[None], True) for row in x), strict=True)
        f, g, h = (np.concatenate(part) for part in parts)
        return f, g, h
    return (
        np.full(1, np.nan),
        np.full((1, problem.n_ineq), np.nan),
        np.full((1, problem.n_eq), np.nan),
    )


class CountingRecorder:
    """Hands out a problem whose evaluations are counted, capped at `maxfev` and recorded.

    The algorithm is given `problem`: the same box and constraints without the known optimum. One
    row is one evaluation, f and all its constraints together. The rows of a call that go beyond
    the budget are not evaluated, and the call raises `BudgetSpent`. The initialisation is what the
    first call evaluates: a population where the algorithm is vectorised, one point where not.
    Points outside the box, or with fractions for integer variables, are not evaluated: they fail
    (f = +inf), count as evaluations, and `n_outside` says how many there were.

    Parameters
    ----------
    problem : Problem
        What is to be solved.
    maxfev : int
        The budget.
    checkpoints : int
        Number K of records of the best so far.
    eq_tol : float
        |h| above it is a violation.
    survives : bool
        Points where the function raises fail, but for the first call; else the exception ends the
        run.

    Examples
    --------
    >>> from rdex.suites import get
    >>> recorder = CountingRecorder(get("g2006/G06"), maxfev=3, checkpoints=3)
    >>> F, G, H = recorder.problem.evaluate([[14.095, 0.843], [15.0, 5.0]])
    >>> recorder.nfev, recorder.record().first_feasible
    (2, 2)
    """

    def __init__(
        self, problem: Problem, maxfev: int, checkpoints: int = 2000, eq_tol: float = 1e-4,
        survives: bool = False,
    ) -> None:  # fmt: skip
        self.maxfev = int(maxfev)
        self.survives = survives
        self.n_outside = 0
        self._inner = problem
        self._limit = np.ones((2, problem.n_constraints))
        self._limit[0, : problem.n_ineq] = 0.0
        self._limit[0, problem.n_ineq :] = eq_tol
        self._count = np.array([0, 1, 0, 0], dtype=np.int64)
        self._best = np.full(2, np.inf)
        self._trace = np.full((2, int(checkpoints)), np.inf)
        self._point: tuple[Floats, Floats, Floats] | None = None
        self._start: tuple[int, float, float] | None = None
        self.problem = Problem(
            lower=problem.lower,
            upper=problem.upper,
            n_ineq=problem.n_ineq,
            n_eq=problem.n_eq,
            rows=self._evaluate,
            name=problem.name,
            id=problem.id,
            integrality=problem.integrality,
            variable_names=problem.variable_names,
            constraint_names=problem.constraint_names,
        )

    @property
    def nfev(self) -> int:
        """Evaluations made so far."""
        return int(self._count[0])

    @property
    def remaining(self) -> int:
        """Evaluations left."""
        return self.maxfev - self.nfev

    def _evaluate(self, x: Floats) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """Values of the rows, once recorded; BudgetSpent if not all of them could be evaluated."""
        rows = x[: self.remaining]
        if rows.shape[0] == 0 and x.shape[0]:
            raise BudgetSpent
        f, g, h = self._values(rows)
        self._take(rows, f, g, h)
        if rows.shape[0] < x.shape[0]:
            raise BudgetSpent
        return f, g, h

    def _values(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """F, G, H of rows; those outside the box, or between whole numbers, fail unevaluated."""
        n, allowed = len(x), self._allowed(x)
        self.n_outside += n - int(allowed.sum())
        sizes = (n,), (n, self._inner.n_ineq), (n, self._inner.n_eq)
        f, g, h = (np.full(size, np.inf) for size in sizes)
        if allowed.any():
            has_begun = self.survives and self.nfev > 0
            values = values_of(self._inner, x[allowed], has_begun)
            f[allowed], g[allowed], h[allowed] = values
        return f, g, h

    def _allowed(self, x: Floats) -> NDArray[np.bool_]:
        """Which rows are points of the problem. NaN is none."""
        allowed = (x >= self._inner.lower) & (x <= self._inner.upper)
        if self._inner.integrality is not None:
            allowed &= ~self._inner.integrality | (x == np.round(x))
        return np.asarray(allowed.all(axis=1))

    def _take(self, x: Floats, f: Floats, g: Floats, h: Floats) -> None:
        """Count and record rows and their values."""
        if f.size == 0:
            return
        winner = find_kernel("rdex.recorder.kernels:record_rows")(
            f, g, h, self._limit, self.maxfev, self._count, self._best, self._trace
        )
        if winner >= 0:
            self._point = (x[winner].copy(), g[winner].copy(), h[winner].copy())
        if self._start is None:
            self._start = (self.nfev, float(self._best[0]), float(self._best[1]))

    def record(self) -> Record:
        """What was recorded; checkpoints that were not reached repeat the best."""
        if self._point is None or self._start is None:
            raise ValueError("the algorithm ended without a single evaluation")
        trace = self._trace.copy()
        trace[:, self._count[1] - 1 :] = self._best[:, None]
        x, g, h = self._point
        return Record(
            f=trace[0],
            v=trace[1],
            f0=self._start[1],
            v0=self._start[2],
            x=x,
            G=g,
            H=h,
            nfev=self.nfev,
            initial_nfev=self._start[0],
            first_feasible=int(self._count[2]) or None,
            n_failed=int(self._count[3]),
            n_outside=self.n_outside,
        )
