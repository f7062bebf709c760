"""Processes that evaluate points, and other people's ways to do so.

Our own pool starts plain Python processes that receive the user's function by value (cloudpickle),
so lambdas, notebooks and scripts without an `if __name__` guard work, and each process can be
ended and replaced alone. One that dies costs its running evaluation, which is tried once more and
then counts as failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from rdex.evaluation.outcome import Outcome, PickledTask, Task, failed
from rdex.evaluation.worker import receive, send
from rdex.problem.problem import Floats

#: BLAS inside a worker must not start threads of its own.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


class ProcessPool:
    """`n` worker processes; `map` evaluates points and keeps their order."""

    def __init__(self, task: Task, n: int) -> None:
        self.task = task
        self.n = n
        self._data = PickledTask(task).data
        self._threads = ThreadPoolExecutor(n, thread_name_prefix="rdex-worker")
        self._local = threading.local()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_closed = False

    def map(self, points: Iterable[Floats]) -> list[Outcome]:
        """Outcomes of the points, in their order."""
        return list(self._threads.map(self._evaluate, points))

    def _evaluate(self, x: Floats) -> Outcome:
        """Evaluate on this thread's process; twice if it dies."""
        code = None
        for _attempt in range(2):
            if self._is_closed:
                break
            process = self._process()
            try:
                send(process.stdin, x)  # type: ignore[arg-type]
                outcome: Outcome = receive(process.stdout)  # type: ignore[arg-type]
                return outcome
            except (EOFError, OSError):
                code = self._discard(process)
        return failed(
            self.task.n_ineq, self.task.n_eq, f"the worker process died twice (exit code {code})"
        )

    def _process(self) -> subprocess.Popen[bytes]:
        """This thread's process, started if there is none."""
        process: subprocess.Popen[bytes] | None = getattr(self._local, "process", None)
        if process is None:
            process = subprocess.Popen(
                [sys.executable, "-m", "rdex.evaluation.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **ONE_THREAD},
            )
            self._processes.add(process)
            self._local.process = process
            send(process.stdin, [folder for folder in sys.path if folder])  # type: ignore[arg-type]
            send(process.stdin, self._data)  # type: ignore[arg-type]
        return process

    def _discard(self, process: subprocess.Popen[bytes]) -> int | None:
        """End a process and forget it; its exit code."""
        self._local.process = None
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        code = process.wait()
        self._processes.discard(process)
        return code

    def close(self) -> None:
        """End all processes, and the evaluations that still run in them."""
        self._is_closed = True
        for process in list(self._processes):
            process.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for process in list(self._processes):
            self._discard(process)


class ForeignMap:
    """Any map-like callable, or object with `map`: executors, MPI pools, multiprocessing."""

    def __init__(self, task: Task, workers: Any) -> None:
        self.task = PickledTask(task)
        self._map: Callable[..., Iterable[Outcome]] = getattr(workers, "map", workers)

    def map(self, points: Iterable[Floats]) -> list[Outcome]:
        """Outcomes of the points, in their order."""
        return list(self._map(self.task, list(points)))

    def close(self) -> None:
        """Nothing: the workers belong to the caller."""


class DaskMap(ForeignMap):
    """A `distributed.Client`, whose `map` gives futures."""

    def __init__(self, task: Task, client: Any) -> None:
        super().__init__(task, client)
        self.client = client
        self.failed = partial(failed, task.n_ineq, task.n_eq)

    def map(self, points: Iterable[Floats]) -> list[Outcome]:
        """Outcomes of the points; a point whose workers die again and again has failed."""
        futures = self.client.map(self.task, list(points), pure=False)
        try:
            return list(self.client.gather(futures))
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise
        errors = [future.exception() for future in futures]
        return [
            future.result() if error is None else self.failed(str(error))
            for future, error in zip(futures, errors, strict=True)
        ]


def make_pool(task: Task, workers: Any) -> ProcessPool | ForeignMap:
    """The pool that the argument `workers` asks for."""
    if isinstance(workers, int):
        return ProcessPool(task, workers if workers > 0 else (os.cpu_count() or 1))
    is_dask = hasattr(workers, "gather") and hasattr(workers, "map")
    return DaskMap(task, workers) if is_dask else ForeignMap(task, workers)
