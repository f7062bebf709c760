"""`RunOptions`: how a run is carried out. Nothing here decides what it finds, time limits apart."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rdex.problem.checks import checked_number
from rdex.workers.pool import workers_of

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class RunOptions:
    """Arguments of `minimize` of the same names; checked when made."""

    workers: Any = 1
    on_error: str = "penalize"
    eval_timeout: float | None = None
    retries: int = 0
    evaluations: Path | None = None
    checkpoint: Path | None = None
    callback: Callable[[Any], Any] | None = None
    tol: float | None = None
    progress: bool = False
    on_interrupt: str = "return"
    is_default_budget: bool = False

    def __post_init__(self) -> None:
        for label, value, allowed in (
            ("on_error", self.on_error, ("penalize", "raise")),
            ("on_interrupt", self.on_interrupt, ("return", "raise")),
        ):
            if value not in allowed:
                raise ValueError(f'{label} must be "{allowed[0]}" or "{allowed[1]}", got {value!r}')
        check_workers(self.workers)
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be callable, got {self.callback!r}")
        for label, path in (("checkpoint", self.checkpoint), ("evaluations", self.evaluations)):
            if path is not None and not isinstance(path, str | os.PathLike):
                raise ValueError(f"{label} must be a path, got {path!r}")
        if self.tol is not None and not checked_number("tol", self.tol) >= 0:
            raise ValueError(f"tol must be >= 0, got {self.tol!r}")
        if (
            self.eval_timeout is not None
            and not checked_number("eval_timeout", self.eval_timeout) > 0
        ):
            raise ValueError(f"eval_timeout must be > 0, got {self.eval_timeout!r}")
        if not is_whole(self.retries) or self.retries < 0:
            raise ValueError(f"retries must be a whole number >= 0, got {self.retries!r}")

    @property
    def is_plain(self) -> bool:
        """Whether points are evaluated in this process, without any precaution for simulators."""
        here = is_whole(self.workers) and self.workers == 1 and self.eval_timeout is None
        return here and self.evaluations is None and not self.retries


def is_whole(value: Any) -> bool:
    """A whole number, and no truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_workers(workers: Any) -> None:
    """A number of processes, or something that evaluates."""
    is_map = callable(workers) or hasattr(workers, "map")
    if not (workers >= 1 or workers == -1 if is_whole(workers) else is_map):
        raise ValueError(f"workers must be an int >= 1, -1 or map-like, got {workers!r}")


def number_of_workers(workers: Any) -> int | None:
    """How many evaluations go on at a time, where that is known."""
    if not is_whole(workers):
        return workers_of(workers)
    return int(workers) if workers > 0 else (os.cpu_count() or 1)


def points_in_flight(workers: Any, batch: int | None) -> int:
    """How many points are out at a time where results are used as they come."""
    if not (is_whole(workers) or hasattr(workers, "submit")):
        raise ValueError(
            'updating="async" needs workers that take points one by one: a number, an executor or '
            f"a Dask client, got {workers!r}"
        )
    if batch is not None:
        return batch
    n = number_of_workers(workers)
    if n is None:
        raise ValueError('updating="async": give batch=, the number of points that are out at once')
    # Some more than there are workers: one that is done finds its next point waiting.
    return 1 if n == 1 else n + 1 + n // 8
