"""What came of one evaluation, and the errors that end a run."""

from __future__ import annotations

import traceback
from typing import Any, NamedTuple

import numpy as np

from rdex.problem.problem import Floats, PointFunction


class EvaluationError(RuntimeError):
    """The user's function raised in a worker; the message ends with its traceback."""


class Outcome(NamedTuple):
    """Values of one point, or the traceback of what went wrong."""

    f: float
    g: Floats
    h: Floats
    error: str | None = None


def failed(n_ineq: int, n_eq: int, error: str) -> Outcome:
    """The outcome of an evaluation that gave no values."""
    return Outcome(np.nan, np.full(n_ineq, np.nan), np.full(n_eq, np.nan), error)


class Task:
    """f and all constraints of one point, as one call: what workers carry out."""

    def __init__(self, point: PointFunction, n_ineq: int, n_eq: int) -> None:
        self.point = point
        self.n_ineq = n_ineq
        self.n_eq = n_eq

    def __call__(self, x: Floats) -> Outcome:
        g, h = np.empty(self.n_ineq), np.empty(self.n_eq)
        try:
            return Outcome(self.point(np.array(x), g, h), g, h)
        except Exception:
            return failed(self.n_ineq, self.n_eq, traceback.format_exc())


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


_UNPACKED: dict[str, Any] = {}


def unpacked(key: str, data: bytes) -> Any:
    """The task behind the bytes; the latest one is kept."""
    if key not in _UNPACKED:
        import pickle

        _UNPACKED.clear()
        _UNPACKED[key] = pickle.loads(data)
    return _UNPACKED[key]
