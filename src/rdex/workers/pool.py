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
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rdex.problem.problem import Floats
from rdex.workers.fork_server import ForkServer
from rdex.workers.point_task import Outcome, PickledTask, PointTask, failed
from rdex.workers.pool_protocol import Pool
from rdex.workers.retrying_pool import with_retries
from rdex.workers.worker_process import GuardedTask, WorkerProcess

#: Seconds of waiting at a stretch; in between a signal can be answered on every system.
STRETCH = 0.5


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
    """`n` worker processes. In a fork of this process it starts processes of its own."""

    def __init__(self, task: PointTask, n: int, timeout: float | None = None) -> None:
        self.task = task
        self.n: int | None = n
        self._size = n
        self._data = PickledTask(task).data
        self._timeout = timeout
        self._out: dict[int, Floats] = {}
        self._begin()

    def _begin(self) -> None:
        """Threads that each look after one process."""
        self._pid = os.getpid()
        self._threads = ThreadPoolExecutor(self._size, thread_name_prefix="rdex-worker")
        self._local = threading.local()
        self._processes: list[WorkerProcess] = []
        self._fork_server = ForkServer()
        self._arrivals = Arrivals()

    def submit(self, number: int, x: Floats) -> None:
        """Have a point evaluated by the next free process."""
        self._start_anew_after_fork()
        self._out[number] = x
        self._send(number, x)

    def _send(self, number: int, x: Floats) -> None:
        self._arrivals.expect(number, self._threads.submit(self._evaluate, x))

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """The next outcome that comes back."""
        self._start_anew_after_fork()
        done = self._arrivals.next(until)
        if done is None:
            return None
        number, future = done
        del self._out[number]
        return number, future.result()

    def _start_anew_after_fork(self) -> None:
        """A fork has inherited neither threads nor processes; what is out is evaluated again."""
        if os.getpid() != self._pid:
            self._begin()
            for number, x in self._out.items():
                self._send(number, x)

    def _evaluate(self, x: Floats) -> Outcome:
        """Evaluate on this thread's process."""
        process: WorkerProcess | None = getattr(self._local, "process", None)
        if process is None:
            sizes = (self.task.n_ineq, self.task.n_eq)
            start = self._fork_server.start
            process = WorkerProcess(self._data, *sizes, self._timeout, start=start)
            self._local.process = process
            self._processes.append(process)
        return process.evaluate(x)

    def close(self) -> None:
        """End all processes, and the evaluations that still run in them."""
        if os.getpid() != self._pid:  # they are another process's
            return
        self._threads.shutdown(wait=False, cancel_futures=True)
        for by_force in (False, True):  # all of them have the time of grace at once
            for process in self._processes:
                process.interrupt(by_force)
        self._threads.shutdown(wait=True)
        for process in self._processes:
            process.close()
        self._fork_server.close()


class MapPool:
    """Any map-like callable, or object with `map`: MPI pools, multiprocessing, joblib.

    It takes several points at once and gives nothing back before all of them are done.
    """

    def __init__(self, task: PointTask, workers: Any, timeout: float | None = None) -> None:
        self.n: int | None = None
        self.task = sendable(task, timeout)
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


class ExecutorPool:
    """A `concurrent.futures` executor, or a Dask client: whatever has `submit`."""

    def __init__(self, task: PointTask, workers: Any, timeout: float | None = None) -> None:
        self.n = workers_of(workers)
        self.task = sendable(task, timeout)
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


def sendable(task: PointTask, timeout: float | None) -> PickledTask | GuardedTask:
    """The task as somebody else's workers carry it out."""
    return PickledTask(task) if timeout is None else GuardedTask(task, timeout)


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
    task: PointTask, workers: Any, timeout: float | None = None, retries: int = 0
) -> Pool:
    """The pool that the argument `workers` asks for.

    A point whose process died is tried once more even without `retries`: it may have been another
    one's fault. Dask has repeated such points itself.
    """
    after_death = max(1, retries)
    if isinstance(workers, int | np.integer):
        n = int(workers) if workers > 0 else (os.cpu_count() or 1)
        return with_retries(ProcessPool(task, n, timeout), retries, after_death)
    if timeout is None:
        after_death = 0
    kind = ExecutorPool if hasattr(workers, "submit") else MapPool
    return with_retries(kind(task, workers, timeout), retries, after_death)
