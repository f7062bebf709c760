"""One point as a task for a worker, and what came of it."""

from __future__ import annotations

import hashlib
import os
import pickle
import platform
import time
import traceback
from typing import Any, NamedTuple

import numpy as np

from rdex.common.errors import EvaluationError
from rdex.problem.problem import Floats, PointFunction, Problem

#: What can come of an evaluation. All but OK, SKIPPED and REPEATED have failed.
OK, RAISED, DIED, TIMEOUT, SKIPPED, REPEATED = (
    "ok", "raised", "died", "timeout", "skipped", "repeated",
)  # fmt: skip


class FunctionLoadError(EvaluationError):
    """The user's function arrived in a worker process but cannot be loaded there."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"workers: the function cannot be loaded in a worker process: {reason}")
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason,)


class Outcome(NamedTuple):
    """Values of one point, or the traceback of what went wrong.

    status: one of the words above. seconds: how long it took where it was evaluated. worker: host
    and process. exception: what the function raised, where it was called in this process.
    """

    f: float
    g: Floats
    h: Floats
    error: str | None = None
    status: str = OK
    seconds: float = 0.0
    worker: str = ""
    exception: Exception | None = None


def failed(
    n_ineq: int, n_eq: int, error: str, status: str = DIED, seconds: float = 0.0, worker: str = ""
) -> Outcome:
    """The outcome of an evaluation that gave no values."""
    nothing = np.full(n_ineq, np.nan), np.full(n_eq, np.nan)
    return Outcome(np.nan, *nothing, error, status, seconds, worker)


def worker_name(pid: int) -> str:
    """Host and process."""
    return f"{platform.node()}:{pid}"


class PointTask:
    """f and all constraints of one point, as one call: what workers carry out.

    keeps_exceptions: outcomes hold what the function raised; it may not be fit to be sent.
    """

    def __init__(
        self, point: PointFunction, n_ineq: int, n_eq: int, keeps_exceptions: bool = False
    ) -> None:
        self.point = point
        self.n_ineq = n_ineq
        self.n_eq = n_eq
        self.keeps_exceptions = keeps_exceptions

    def __call__(self, x: Floats) -> Outcome:
        start = time.perf_counter()
        worker = worker_name(os.getpid())
        g, h = np.full(self.n_ineq, np.nan), np.full(self.n_eq, np.nan)
        try:
            f = self.point(np.array(x), g, h)
        except Exception as error:
            seconds = time.perf_counter() - start
            text = traceback.format_exc()
            outcome = failed(self.n_ineq, self.n_eq, text, RAISED, seconds, worker)
            return outcome._replace(exception=error) if self.keeps_exceptions else outcome
        return Outcome(f, g, h, None, OK, time.perf_counter() - start, worker)


class RowsAsPoint:
    """One point through a function of rows, for workers."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def __call__(self, x: Floats, g: Floats, h: Floats) -> float:
        f, g_rows, h_rows = self.problem.evaluate(x[None, :])
        g[:], h[:] = g_rows[0], h_rows[0]
        return float(f[0])


def task_of(problem: Problem, keeps_exceptions: bool = False) -> PointTask:
    """One point of a problem as a task."""
    point = problem.point or RowsAsPoint(problem)
    return PointTask(point, problem.n_ineq, problem.n_eq, keeps_exceptions)


class PickledTask:
    """A task as bytes that any process can carry out, unpacked once in each process."""

    def __init__(self, task: PointTask) -> None:
        import cloudpickle

        try:
            self.data: bytes = cloudpickle.dumps(task)
        except Exception as error:
            raise ValueError(
                f"workers: the function cannot be sent to other processes: {error}"
            ) from error
        self.key = hashlib.sha256(self.data).hexdigest()

    def __call__(self, x: Floats) -> Outcome:
        return unpacked(self.key, self.data)(x)

    def close(self) -> None:
        """Nothing was started."""


_UNPACKED: dict[str, Any] = {}


def unpacked(key: str, data: bytes) -> Any:
    """The task behind the bytes; the latest one is kept."""
    task = _UNPACKED.get(key)
    if task is None:
        task = load_task(data)
        _UNPACKED.clear()
        _UNPACKED[key] = task
    return task


def load_task(data: bytes) -> Any:
    """The task behind the bytes; FunctionLoadError says why there is none."""
    try:
        return pickle.loads(data)
    except BaseException as error:  # whatever an import does, SystemExit too
        if isinstance(error, KeyboardInterrupt):
            raise
        reason = "".join(traceback.format_exception_only(error)).strip()
        raise FunctionLoadError(reason) from error
