"""Where runs are made: processes of this machine, or the workers of a Dask cluster.

Both take tasks and give back pairs of a task and its `FinishedRun`, or `Lost` where the process
that had it died. Nothing here knows of stores.
"""

from __future__ import annotations

import contextlib
import math
import os
import queue
import re
import signal
import threading
import time
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

from rdex.campaign.running import FinishedRun, RunTask, execute
from rdex.common.extras import require

#: Libraries of linear algebra start no threads of their own: workers fill the cores already.
ONE_THREAD = {
    name: "1"
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
}


class PoolError(Exception):
    """The pool as a whole is gone."""


class Lost(NamedTuple):
    """The worker that had a task died."""

    reason: str


class RunPool(Protocol):
    """What the campaign needs of a pool."""

    def room(self, is_suspect: bool) -> bool:
        """Whether a task can be taken now; a suspect has lost a worker before."""

    def submit(self, task: RunTask, is_suspect: bool) -> None:
        """Take a task."""

    def next(self, timeout: float) -> tuple[RunTask, FinishedRun | Lost] | None:
        """A task that has ended, waiting for it up to `timeout` seconds."""

    @property
    def held(self) -> int:
        """Number of tasks taken and not given back."""

    @property
    def running(self) -> int:
        """Number of tasks that are being carried out; others wait for their worker."""

    def close(self) -> None:
        """End everything at once."""


class LocalPool:
    """Processes of this machine, each behind an executor of its own.

    A process that dies so takes nothing with it but the task it had and the one that waited for
    it. A task that has lost a process before gets one to itself, so that it is known who did it.
    """

    WAITING = 1

    def __init__(self, workers: int) -> None:
        self._loky = require("joblib.externals.loky", "bench")
        self._lanes: list[Lane] = [Lane(self._executor()) for _ in range(workers)]
        self._ended: queue.SimpleQueue[tuple[Lane, RunTask, Future[FinishedRun]]] = (
            queue.SimpleQueue()
        )

    def _executor(self) -> Any:
        return self._loky.ProcessPoolExecutor(
            1, initializer=begin_worker, initargs=(os.getpid(),), env=ONE_THREAD
        )

    def _lane(self, is_suspect: bool) -> Lane | None:
        """The emptiest lane that may take one more."""
        open_lanes = [lane for lane in self._lanes if not lane.is_reserved]
        lane = min(open_lanes, key=lambda each: each.held, default=None)
        if lane is None or lane.held > (0 if is_suspect else self.WAITING):
            return None
        return lane

    def room(self, is_suspect: bool) -> bool:
        return self._lane(is_suspect) is not None

    def submit(self, task: RunTask, is_suspect: bool) -> None:
        lane = self._lane(is_suspect)
        assert lane is not None
        lane.held += 1
        lane.is_reserved = is_suspect
        try:
            future = lane.executor.submit(execute, task)
        except self._loky.BrokenProcessPool as error:  # died while idle
            future = Future()
            future.set_exception(error)
        future.add_done_callback(lambda done: self._ended.put((lane, task, done)))

    def next(self, timeout: float) -> tuple[RunTask, FinishedRun | Lost] | None:
        try:
            lane, task, future = self._ended.get(timeout=timeout)
        except queue.Empty:
            return None
        lane.held -= 1
        if lane.held == 0:
            lane.is_reserved = False
        try:
            return task, future.result()
        except self._loky.BrokenProcessPool as error:
            if lane.held == 0:  # the last of its tasks came back: now a new process can begin
                lane.executor.shutdown(wait=False, kill_workers=True)
                lane.executor = self._executor()
            else:
                lane.is_reserved = True
            return task, Lost(str(error).splitlines()[0])

    @property
    def held(self) -> int:
        return sum(lane.held for lane in self._lanes)

    @property
    def running(self) -> int:
        return sum(lane.held > 0 for lane in self._lanes)

    def close(self) -> None:
        for lane in self._lanes:
            lane.executor.shutdown(wait=False, kill_workers=True)


class Lane:
    """One process and the number of tasks it holds."""

    def __init__(self, executor: Any) -> None:
        self.executor = executor
        self.held = 0
        self.is_reserved = False


def begin_worker(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end when it is gone."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "getppid"):
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def end_with(parent: int) -> None:
    """End this process once its parent is another than `parent`, which has then died."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


class DaskPool:
    """The workers of a Dask cluster.

    Dask gives the tasks of a worker that died to others by itself; results come back to this
    process, so that workers need no access to the store.
    """

    def __init__(self, scheduler: str | None, cluster: str | None) -> None:
        distributed = require("distributed", "cluster")
        self._distributed = distributed
        self._cluster: Any = None
        address: Any = scheduler
        if cluster is not None:
            self._cluster = address = local_cluster(distributed, cluster)
        try:
            self._client = distributed.Client(address, timeout="30s", set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise PoolError(f"no Dask scheduler answers at {scheduler}: {error}") from error
        self._ended: queue.SimpleQueue[tuple[RunTask, Any]] = queue.SimpleQueue()
        self._held: dict[Any, RunTask] = {}
        self._threads = 1
        self._looked = -math.inf

    @property
    def dashboard(self) -> str:
        """Address of Dask's own page."""
        return str(self._client.dashboard_link)

    def room(self, is_suspect: bool) -> bool:
        if time.monotonic() - self._looked > 1.0:  # workers come and go
            self._threads = max(1, sum(self._client.nthreads().values()))
            self._looked = time.monotonic()
        return len(self._held) <= 2 * self._threads

    def submit(self, task: RunTask, is_suspect: bool) -> None:
        future = self._client.submit(execute, task, pure=False, retries=2)
        self._held[future] = task
        future.add_done_callback(lambda done: self._ended.put((task, done)))

    def next(self, timeout: float) -> tuple[RunTask, FinishedRun | Lost] | None:
        try:
            task, future = self._ended.get(timeout=timeout)
        except queue.Empty:
            if self._held and self._client.status in ("closed", "closing"):
                raise PoolError("the connection to the Dask scheduler is gone") from None
            return None
        self._held.pop(future)
        if future.status == "cancelled":
            raise PoolError("the Dask scheduler is gone or has dropped the tasks")
        if future.status in ("lost", "pending"):  # its worker died before the result was fetched
            self.submit(task, False)
            return None
        try:
            return task, future.result()
        except self._distributed.scheduler.KilledWorker as error:
            return task, Lost(str(error))
        except (self._distributed.CancelledError, OSError) as error:
            raise PoolError(f"the Dask scheduler is gone: {error}") from error

    @property
    def held(self) -> int:
        return len(self._held)

    @property
    def running(self) -> int:
        return min(len(self._held), self._threads)

    def close(self) -> None:
        for future in list(self._held):
            with contextlib.suppress(Exception):
                future.cancel()
        with contextlib.suppress(Exception):
            self._client.close(timeout=5)
        if self._cluster is not None:
            self._cluster.close(timeout=10)


def local_cluster(distributed: Any, cluster: str) -> Any:
    """A Dask cluster of this machine for ``"local:N"``."""
    parsed = re.fullmatch(r"local:(\d+)", cluster)
    if not parsed or int(parsed[1]) < 1:
        raise ValueError(f"cluster must be local:N with N >= 1, got {cluster!r}")
    return distributed.LocalCluster(
        n_workers=int(parsed[1]),
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    )
