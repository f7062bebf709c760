"""One worker process as a run sees it: its time limit and its replacement."""

from __future__ import annotations

import contextlib
import functools
import math
import signal
import subprocess
import threading
import time
from collections.abc import Callable

from rdex.common.forking import abandon_in_children
from rdex.problem.problem import Floats
from rdex.workers.fork_server import ForkServer, StartedAlone, search_path
from rdex.workers.messages import Channel, Process, TimeIsUp, open_channel
from rdex.workers.point_task import (
    TIMEOUT,
    FunctionLoadError,
    Outcome,
    PickledTask,
    PointTask,
    failed,
    worker_name,
)
from rdex.workers.worker_main import READY, TOLD_TO_END, kill_session

#: Seconds that a process is given to end by itself before it is killed, and to start at all.
GRACE = 0.2
START = 120.0

#: Processes that die one after another before one of them is ready.
STARTS = 3

#: A process beside somebody else's worker ends after this many seconds without work.
IDLE = 60.0


class WorkerProcess:
    """Evaluates points one after another in a process, ended and replaced where it must be.

    The start of a process is not part of an evaluation's time. Used by one thread at a time. A fork
    of this process starts a process of its own.

    Raises FunctionLoadError where the function cannot be loaded in the process.
    """

    def __init__(
        self,
        data: bytes,
        n_ineq: int,
        n_eq: int,
        timeout: float | None = None,
        idle: float | None = None,
        start: Callable[[], Process] = StartedAlone,
    ) -> None:
        self.data = data
        self.sizes = (n_ineq, n_eq)
        self.timeout = timeout
        self.idle = idle
        self.start = start
        self.process: Process | None = None
        self.is_closed = False
        self._channel: Channel | None = None
        self._number = 0  # of the latest question: an answer to another one is not taken
        abandon_in_children(self)

    def evaluate(self, x: Floats) -> Outcome:
        """The outcome at x, whatever happens to the process."""
        start = time.perf_counter()
        try:
            channel = self._channel or self._begin()
            start = time.perf_counter()
            return self._ask(channel, x)
        except (TimeIsUp, EOFError, OSError) as error:
            seconds = time.perf_counter() - start
            if self.is_closed:
                self._discard()
                return failed(*self.sizes, "the worker was closed", seconds=seconds)
            worker = "" if self.process is None else worker_name(self.process.pid)
            how = "" if self.process is None else f" ({ending(self.process)})"
            self._discard()
            if isinstance(error, TimeIsUp):
                text = f"the evaluation took longer than eval_timeout = {self.timeout:g} s"
                return failed(*self.sizes, text, TIMEOUT, seconds, worker)
            text = f"the worker process died{how}"
            return failed(*self.sizes, text, seconds=seconds, worker=worker)

    def _ask(self, channel: Channel, x: Floats) -> Outcome:
        """The process's answer."""
        until = math.inf if self.timeout is None else time.monotonic() + self.timeout
        self._number += 1
        channel.send((self._number, x), until)
        while True:
            number, outcome = channel.receive(until)
            if number == self._number:
                answer: Outcome = outcome
                return answer

    def _begin(self) -> Channel:
        """A process that is ready; a few may die on the way, by bad luck."""
        how = "it did not start"
        for _ in range(STARTS):
            if self.is_closed:
                raise EOFError("closed")
            self.process = process = self.start()
            if self.is_closed:  # meanwhile, by another thread
                raise EOFError("closed")
            channel = open_channel(process)
            until = time.monotonic() + START
            try:
                channel.send((search_path(), self.idle), until)
                channel.send(self.data, until)
                answer = channel.receive(until)
            except TimeIsUp:
                how = f"it was not ready after {START:g} s"
                self._discard()
                continue
            except (EOFError, OSError):
                how = f"the process died before it was ready ({ending(process)})"
                self._discard()
                continue
            if answer == (READY,):
                self._channel = channel
                return channel
            self._discard()
            raise FunctionLoadError(answer)
        raise FunctionLoadError(how)

    def _discard(self) -> None:
        """End the process and forget it."""
        process, self.process, self._channel = self.process, None, None
        if process is None:
            return
        end(process)
        process.wait()
        process.abandon()

    def interrupt(self, by_force: bool) -> None:
        """End the process from another thread; the evaluation in it has failed."""
        self.is_closed = True
        process = self.process
        if process is not None and by_force:
            end(process)
        elif process is not None:
            with contextlib.suppress(OSError):
                process.terminate()

    def close(self) -> None:
        """End the process."""
        self.is_closed = True
        self._discard()

    def abandon(self) -> None:
        """Let go of the process without ending it: it works for another process."""
        process, self.process, self._channel = self.process, None, None
        if process is not None:
            process.abandon()


def end(process: Process) -> None:
    """End a worker and what it has started: SIGTERM first, then by force."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    if process.poll() != TOLD_TO_END:  # else it has done that itself
        with contextlib.suppress(OSError):
            process.kill()
        kill_session(process.pid)


def ending(process: Process) -> str:
    """How a process ended that answers no more: its exit code or signal."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    code = process.poll()
    if code is None:
        return "it closed its pipe"
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


class GuardedTask:
    """A task for somebody else's workers: each evaluates in a process of its own beside it.

    An executor or a cluster cannot end a call that hangs; this can.
    """

    def __init__(self, task: PointTask, timeout: float) -> None:
        self.data = PickledTask(task).data
        self.sizes = (task.n_ineq, task.n_eq)
        self.timeout = timeout

    def __call__(self, x: Floats) -> Outcome:
        beside: WorkerProcess | None = getattr(_HERE, "process", None)
        if beside is None or beside.is_closed or beside.data != self.data:
            if beside is not None:
                beside.close()
            start = _fork_server().start
            beside = WorkerProcess(self.data, *self.sizes, self.timeout, IDLE, start)
            _HERE.process = beside
            _BESIDE.append(beside)
        return beside.evaluate(x)

    def close(self) -> None:
        """End the processes that evaluate for this task beside threads of this very process; those
        beside other processes end when they have been idle for a while."""
        for beside in [each for each in _BESIDE if each.data == self.data]:
            beside.interrupt(by_force=True)
            beside.close()
            _BESIDE.remove(beside)


@functools.cache
def _fork_server() -> ForkServer:
    return ForkServer()


_HERE = threading.local()
_BESIDE: list[WorkerProcess] = []
