"""The one gate to the user's function: order, failures and their policy.

Everything the search learns of a problem that is not compiled passes here. An evaluation that
raises is data: its values are NaN, which the engine orders last. Two things end a run: an
exception in the very first evaluation (a mistake, not bad luck), and any exception where the user
asked for that. The first exception is kept for the case that nothing works at all.

There are two ways in. Functions that are called here, without any of the precautions for
simulators, go the short way: `one` and `many`. Everything else goes through an `Exchange`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rdex.evaluation.cheap import Skipping
from rdex.evaluation.exchange import Exchange
from rdex.evaluation.local import LocalPool, task_of
from rdex.evaluation.log import EvaluationLog
from rdex.evaluation.outcome import RAISED, EvaluationError, Outcome
from rdex.evaluation.pool import make_pool
from rdex.problem.functions import VectorisedFunctions
from rdex.problem.problem import Floats, Problem


class Gate:
    """Evaluates points of a problem for a run.

    Parameters
    ----------
    problem : Problem
    workers : int, executor, Dask client or map-like callable
        1 evaluates here, unless there is a `timeout`.
    on_error : "penalize" or "raise"
    timeout : float, optional
        Seconds after which an evaluation is ended.
    retries : int
        How often a failed evaluation is repeated.
    log : EvaluationLog, optional
    skipping : Skipping, optional
        Cheap constraints.
    elapsed : float
        Seconds that earlier sessions took.
    """

    def __init__(
        self,
        problem: Problem,
        workers: Any = 1,
        on_error: str = "penalize",
        *,
        timeout: float | None = None,
        retries: int = 0,
        log: EvaluationLog | None = None,
        skipping: Skipping | None = None,
        elapsed: float = 0.0,
    ) -> None:
        self.problem = problem
        self.on_error = on_error
        self.elapsed = elapsed
        self.first_error: Exception | None = None
        self.g = np.empty(problem.n_ineq)
        self.h = np.empty(problem.n_eq)
        self._has_worked = False
        self._point = problem.point
        # Our own wrapper checks shapes itself.
        own = isinstance(problem.rows, VectorisedFunctions)
        self._fill_rows: Callable[[Floats, Floats, Floats, Floats], None] = (
            problem.rows.fill if own else self._fill_checked  # type: ignore[union-attr]
        )
        self._one_by_one = problem.point is not None and not problem.is_compiled
        is_here = isinstance(workers, int) and workers == 1 and timeout is None
        self.exchange: Exchange | None = None
        if not is_here or log is not None or skipping is not None or retries:
            pool = (
                LocalPool(problem, retries)
                if is_here
                else make_pool(task_of(problem), workers, timeout, retries)
            )
            self.exchange = Exchange(pool, self.judge, log, skipping, elapsed)

    @property
    def is_plain(self) -> bool:
        """Whether points are evaluated here, one at a time: what `one` is for."""
        return self.exchange is None and self._point is not None

    @property
    def is_compiled(self) -> bool:
        """Whether the fused loop may evaluate in its place."""
        return self.exchange is None and self.problem.is_compiled

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
        """F, G, H at the rows of x, evaluated here."""
        n = len(x)
        f, g, h = np.empty(n), np.empty((n, self.g.size)), np.empty((n, self.h.size))
        self.fill(x, f, g, h)
        return f, g, h

    def fill(self, x: Floats, f: Floats, g: Floats, h: Floats) -> None:
        """Write F, G, H at the rows of x, evaluated here; if a function of rows raises, all of
        them failed."""
        if self._one_by_one:
            for i in range(len(x)):
                f[i] = self.one(x[i].copy())
                g[i], h[i] = self.g, self.h
            return
        try:
            self._fill_rows(x, f, g, h)
        except Exception as error:
            self.note(error, not self._has_worked)
            for values in (f, g, h):
                values.fill(np.nan)
        self._has_worked = True

    def _fill_checked(self, x: Floats, f: Floats, g: Floats, h: Floats) -> None:
        """Rows of somebody else's function."""
        f[:], g[:], h[:] = self.problem.evaluate(x)

    def judge(self, outcome: Outcome, is_first: bool) -> None:
        """Note a failure in the exchange; only an exception can be a mistake of the user's."""
        if outcome.error is not None:
            raised = outcome.status == RAISED
            what = "the function raised" if raised else "the evaluation failed"
            self.note(EvaluationError(f"{what}:\n{outcome.error}"), is_first and raised)

    def again(self, x: Floats) -> Outcome:
        """One point beside the run: nothing is counted or written down."""
        return task_of(self.problem)(x) if self.exchange is None else self.exchange.again(x)

    def note(self, error: Exception, is_first: bool) -> None:
        """Remember a failure, or end the run with it."""
        if self.on_error == "raise" or is_first:
            raise error
        self.first_error = self.first_error or error

    def close(self) -> None:
        """Let go of the workers."""
        if self.exchange is not None:
            self.exchange.close()
