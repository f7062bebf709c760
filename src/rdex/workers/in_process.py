"""Evaluation in this process, in the form of a pool."""

from __future__ import annotations

import os
import time
import traceback
from collections import deque

import numpy as np

from rdex.problem.problem import Floats, Problem
from rdex.workers.point_task import RAISED, Outcome, failed, task_of, worker_name


class InProcessPool:
    """Evaluates here: one point at a time, or all that wait by one call of a function of rows."""

    def __init__(self, problem: Problem) -> None:
        self.n: int | None = None  # there are no workers
        self.problem = problem
        self._task = task_of(problem, keeps_exceptions=True)
        self._takes_rows = problem.rows is not None
        self._waiting: deque[tuple[int, Floats]] = deque()
        self._done: deque[tuple[int, Outcome]] = deque()

    def submit(self, number: int, x: Floats) -> None:
        """Keep a point until somebody waits for it."""
        self._waiting.append((number, x))

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """Evaluate."""
        if self._done:
            return self._done.popleft()
        if time.monotonic() >= until:
            return None
        if self._takes_rows and len(self._waiting) > 1:
            self._evaluate_rows()
            return self._done.popleft()
        number, x = self._waiting.popleft()
        return number, self._task(x)

    def _evaluate_rows(self) -> None:
        """All that wait; if the function raises, all of them have failed, each with its share of
        the time."""
        numbers, points = zip(*self._waiting, strict=True)
        self._waiting.clear()
        n = len(points)
        start = time.perf_counter()
        try:
            f, g, h = self.problem.evaluate(np.array(points))
            outcomes = [Outcome(float(f[i]), g[i].copy(), h[i].copy()) for i in range(n)]
        except Exception as error:
            text = traceback.format_exc()
            outcome = failed(self.problem.n_ineq, self.problem.n_eq, text, RAISED)
            outcomes = [outcome._replace(exception=error)] * n
        share = (time.perf_counter() - start) / n
        name = worker_name(os.getpid())
        for number, outcome in zip(numbers, outcomes, strict=True):
            self._done.append((number, outcome._replace(seconds=share, worker=name)))

    def close(self) -> None:
        """Nothing was started."""
