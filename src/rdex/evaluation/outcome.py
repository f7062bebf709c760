"""What came of one evaluation, and the errors that end a run."""

from __future__ import annotations

import os
import platform
import time
import traceback
from typing import Any, NamedTuple

import numpy as np

from rdex.problem.problem import Floats, PointFunction

#: What can come of an evaluation. All but OK, SKIPPED and REPEATED have failed.
OK, RAISED, DIED, TIMEOUT, SKIPPED, REPEATED = (
    "ok", "raised", "died", "timeout", "skipped", "repeated",
)  # fmt: skip


class Outcome(NamedTuple):
    """Values of one point, or the traceback of what went wrong.

    status: one of the words above. seconds: how long it took where it was evaluated. worker: host
    and process.
    """

    f: float
    g: Floats
    h: Floats
    error: str | None = None
    status: str = OK
    seconds: float = 0.0
    worker: str = ""


def failed(
    n_ineq: int, n_eq: int, error: str, status: str = DIED, seconds: float = 0.0, worker: str = ""
) -> Outcome:
    """The outcome of an evaluation that gave no values."""
    nothing = np.full(n_ineq, np.nan), np.full(n_eq, np.nan)
    return Outcome(np.nan, *nothing, error, status, seconds, worker)


def worker_name(pid: int) -> str:
    """Host and process."""
    return f"{platform.node()}:{pid}"


class Task:
    """f and all constraints of one point, as one call: what workers carry out.

    An evaluation that raises is repeated `retries` times.
    """

    def __init__(self, point: PointFunction, n_ineq: int, n_eq: int, retries: int = 0) -> None:
        self.point = point
        self.n_ineq = n_ineq
        self.n_eq = n_eq
        self.retries = retries

    def __call__(self, x: Floats) -> Outcome:
        start = time.perf_counter()
        worker = worker_name(os.getpid())
        for attempt in range(self.retries + 1):
            g, h = np.empty(self.n_ineq), np.empty(self.n_eq)
            try:
                f = self.point(np.array(x), g, h)
                return Outcome(
                    f, g, h, None, OK, time.perf_counter() - start, worker_name(os.getpid())
                )
            except Exception:
                if attempt == self.retries:
                    text = traceback.format_exc()
        seconds = time.perf_counter() - start
        return failed(self.n_ineq, self.n_eq, text, RAISED, seconds, worker)


class PickledTask:
    """A task as bytes that any process can carry out, unpacked once in each process."""

    def __init__(self, task: Task) -> None:
        import hashlib

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
    if key not in _UNPACKED:
        import pickle

        _UNPACKED.clear()
        _UNPACKED[key] = pickle.loads(data)
    return _UNPACKED[key]
