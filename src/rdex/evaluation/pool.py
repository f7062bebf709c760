"""Processes that evaluate points, and other people's ways to do so.

Our own pool starts plain Python processes that receive the user's function by value (cloudpickle),
so lambdas, notebooks and scripts without an `if __name__` guard work, and each process can be
ended and replaced alone. Every pool takes points by `submit` and gives outcomes back by `next`, in
the order in which they come.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from rdex.evaluation.child import Child, GuardedTask
from rdex.evaluation.nursery import Nursery
from rdex.evaluation.outcome import Outcome, PickledTask, Task, failed
from rdex.problem.problem import Floats

#: Seconds of waiting at a stretch; in between a signal can be answered on every system.
STRETCH = 0.5


class Pool(Protocol):
    """What evaluates: points in with a number, outcomes out with it."""

    n: int | None

    def submit(self, number: int, x: Floats) -> None:
        """Have a point evaluated."""

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """The next outcome that comes back; None if the clock reaches `until` before."""

    def close(self) -> None:
        """Let go of what was started here."""


class Arrivals:
    """Futures in the order in which they are done."""

    def __init__(self) -> None:
        self._done: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()

    def expect(self, number: int, future: Any) -> None:
        """Take note of a future, anybody's with `add_done_callback`."""
        future.add_done_callback(lambda done: self._done.put((number, done)))

    def next(self, until: float) -> tuple[int, Any] | None:
        """The next one that is done."""
        while True:
            left = until - time.monotonic()
            try:
                return self._done.get(timeout=max(0.0, min(left, STRETCH)))
            except queue.Empty:
                if left <= STRETCH:
                    return None


class ProcessPool:
    """`n` worker processes."""

    def __init__(self, task: Task, n: int, timeout: float | None = None, retries: int = 0) -> None:
        self.task = task
        self.n: int | None = n
        self._data = PickledTask(task).data
        self._limits = (timeout, retries)
        self._threads = ThreadPoolExecutor(n, thread_name_prefix="rdex-worker")
        self._local = threading.local()
        self._children: list[Child] = []
        self._nursery = Nursery()
        self._arrivals = Arrivals()

    def submit(self, number: int, x: Floats) -> None:
        """Have a point evaluated by the next free process."""
        future: Future[Outcome] = self._threads.submit(self._evaluate, x)
        self._arrivals.expect(number, future)

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """The next outcome that comes back."""
        done = self._arrivals.next(until)
        return None if done is None else (done[0], done[1].result())

    def _evaluate(self, x: Floats) -> Outcome:
        """Evaluate on this thread's process."""
        child: Child | None = getattr(self._local, "child", None)
        if child is None:
            sizes = (self.task.n_ineq, self.task.n_eq)
            child = Child(self._data, *sizes, *self._limits, start=self._nursery.start)
            self._local.child = child
            self._children.append(child)
        return child.evaluate(x)

    def close(self) -> None:
        """End all processes, and the evaluations that still run in them."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for by_force in (False, True):  # all of them have the time of grace at once
            for child in self._children:
                child.interrupt(by_force)
        self._threads.shutdown(wait=True)
        for child in self._children:
            child.close()
        self._nursery.close()


class ForeignMap:
    """Any map-like callable, or object with `map`: MPI pools, multiprocessing, joblib.

    It takes several points at once and gives nothing back before all of them are done.
    """

    def __init__(
        self, task: Task, workers: Any, timeout: float | None = None, retries: int = 0
    ) -> None:
        self.n: int | None = None
        self.task = sendable(task, timeout, retries)
        self._map: Callable[..., Iterable[Outcome]] = getattr(workers, "map", workers)
        self._waiting: list[tuple[int, Floats]] = []
        self._done: deque[tuple[int, Outcome]] = deque()

    def submit(self, number: int, x: Floats) -> None:
        """Have a point evaluated with the next batch."""
        self._waiting.append((number, x))

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """The next outcome of the present batch."""
        if not self._done:
            numbers, points = zip(*self._waiting, strict=True)
            self._waiting = []
            outcomes = list(self._map(self.task, list(points)))
            if len(outcomes) != len(points):
                raise ValueError(
                    f"workers: expected {len(points)} results from map, got {len(outcomes)}"
                )
            self._done.extend(zip(numbers, outcomes, strict=True))
        return self._done.popleft()

    def close(self) -> None:
        """The workers belong to the caller; what was started beside them ends."""
        self.task.close()


class Executor:
    """A `concurrent.futures` executor, or a Dask client: whatever has `submit`."""

    def __init__(
        self, task: Task, workers: Any, timeout: float | None = None, retries: int = 0
    ) -> None:
        self.n = workers_of(workers)
        self.task = sendable(task, timeout, retries)
        self._sizes = (task.n_ineq, task.n_eq)
        self._workers = workers
        self._options = {"pure": False} if is_dask(workers) else {}
        self._out: dict[int, Any] = {}
        self._arrivals = Arrivals()

    def submit(self, number: int, x: Floats) -> None:
        """Have a point evaluated."""
        future = self._workers.submit(self.task, x, **self._options)
        self._out[number] = future  # Dask forgets a future that nobody holds
        self._arrivals.expect(number, future)

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """The next outcome; a point that kills Dask workers again and again has failed."""
        done = self._arrivals.next(until)
        if done is None:
            return None
        number, future = done
        del self._out[number]
        try:
            return number, future.result()
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise
            return number, failed(*self._sizes, str(error))

    def close(self) -> None:
        """Take back what has not begun; the workers belong to the caller."""
        for future in self._out.values():
            future.cancel()
        self.task.close()


def sendable(task: Task, timeout: float | None, retries: int) -> PickledTask | GuardedTask:
    """The task as somebody else's workers carry it out."""
    if timeout is not None:
        return GuardedTask(task, timeout, retries)
    task.retries = retries
    return PickledTask(task)


def is_dask(workers: Any) -> bool:
    """Whether it is a `distributed.Client`."""
    return hasattr(workers, "gather") and hasattr(workers, "submit")


def workers_of(workers: Any) -> int | None:
    """How many evaluations somebody else's workers carry out at a time, where that is known."""
    if is_dask(workers):
        return max(1, sum(workers.nthreads().values()))
    for name in ("_max_workers", "num_workers", "max_workers"):
        n = getattr(workers, name, None)
        if isinstance(n, int) and n > 0:
            return n
    return None


def make_pool(
    task: Task, workers: Any, timeout: float | None = None, retries: int = 0
) -> ProcessPool | ForeignMap | Executor:
    """The pool that the argument `workers` asks for."""
    if isinstance(workers, int):
        n = workers if workers > 0 else (os.cpu_count() or 1)
        return ProcessPool(task, n, timeout, retries)
    kind = Executor if hasattr(workers, "submit") else ForeignMap
    return kind(task, workers, timeout, retries)
