"""One worker process, its time limit and its replacement."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from rdex.evaluation.nursery import Nursery, Process, start_alone
from rdex.evaluation.outcome import (
    DIED,
    TIMEOUT,
    Outcome,
    PickledTask,
    Task,
    failed,
    worker_name,
)
from rdex.evaluation.worker import receive, send
from rdex.problem.problem import Floats

#: Seconds that a process is given to end by itself before it is killed, and to start at all.
GRACE = 0.2
START = 120.0

#: A process beside somebody else's worker ends after this many seconds without work.
IDLE = 60.0


class Child:
    """A process that evaluates points one after another, ended and replaced where it must be.

    A point whose process dies is tried once more even without `retries`; an evaluation that
    raises, dies or takes longer than `timeout` seconds is repeated `retries` times. The start of a
    process is not part of an evaluation's time. Used by one thread at a time.
    """

    def __init__(
        self,
        data: bytes,
        n_ineq: int,
        n_eq: int,
        timeout: float | None = None,
        retries: int = 0,
        idle: float | None = None,
        start: Callable[[], Process] = start_alone,
    ) -> None:
        self.data = data
        self.sizes = (n_ineq, n_eq)
        self.timeout = timeout
        self.retries = retries
        self.idle = idle
        self.start = start
        self.process: Process | None = None
        self.is_closed = False

    def evaluate(self, x: Floats) -> Outcome:
        """The outcome at x, whatever happens to the process."""
        deaths = 0
        before = 0.0  # seconds of earlier attempts
        for attempt in range(max(2, self.retries + 1)):
            if self.is_closed:
                break
            outcome = self._attempt(x)
            before += outcome.seconds
            outcome = outcome._replace(seconds=before)
            if outcome.error is None:
                return outcome
            deaths += outcome.status == DIED
            # Only a death is repeated unasked.
            if attempt >= self.retries and (outcome.status != DIED or deaths > 1):
                return outcome
        if deaths:
            return outcome
        return failed(*self.sizes, "the worker was closed")

    def _attempt(self, x: Floats) -> Outcome:
        """One try."""
        start = time.perf_counter()
        limit: Limit | None = None
        try:
            process = self._ready()
            start = time.perf_counter()
            send(process.stdin, x)
            limit = Limit(process, self.timeout)
            outcome: Outcome = receive(process.stdout)
        except (EOFError, OSError):
            is_late = limit is not None and limit.settle()
            seconds = time.perf_counter() - start
            worker = "" if self.process is None else worker_name(self.process.pid)
            how = "" if is_late or self.process is None else f" ({ending(self.process)})"
            self._discard()
            if is_late:
                text = f"the evaluation took longer than eval_timeout = {self.timeout:g} s"
                return failed(*self.sizes, text, TIMEOUT, seconds, worker)
            return failed(*self.sizes, f"the worker process died{how}", DIED, seconds, worker)
        if limit.settle():  # just in time, but its process is gone
            self._discard()
        return outcome

    def _ready(self) -> Process:
        """The process, started if there is none; EOFError if it does not come up."""
        if self.process is None:
            self.process = process = self.start()
            if self.is_closed:  # meanwhile, by another thread
                raise EOFError
            limit = Limit(process, START)
            try:
                folders = [folder for folder in sys.path if folder]
                send(process.stdin, (folders, self.idle))
                send(process.stdin, self.data)
                receive(process.stdout)
            finally:
                limit.settle()
        return self.process

    def _discard(self) -> None:
        """End the process and forget it."""
        process, self.process = self.process, None
        if process is None:
            return
        kill(process)
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        process.wait()

    def interrupt(self, by_force: bool) -> None:
        """End the process from another thread; the evaluation in it has failed."""
        self.is_closed = True
        process = self.process
        if process is not None and by_force:
            kill(process)
        elif process is not None:
            with contextlib.suppress(OSError):
                process.terminate()

    def close(self) -> None:
        """End the process."""
        self.is_closed = True
        self._discard()


class Limit:
    """Ends a process after some seconds, unless the matter is settled before."""

    def __init__(self, process: Process, seconds: float | None) -> None:
        self.deadline = math.inf if seconds is None else time.monotonic() + seconds
        self._process = process
        self._lock = threading.Lock()
        self._is_settled = self._is_over = False
        if seconds is not None:
            WATCHMAN.watch(self)

    def end(self) -> None:
        """The time is over."""
        with self._lock:
            if self._is_settled:
                return
            self._is_over = True
        kill(self._process)

    def settle(self) -> bool:
        """Whether the time was over; from now on it cannot be."""
        with self._lock:
            self._is_settled = True
        WATCHMAN.forget(self)
        return self._is_over


class Watchman:
    """One thread that looks after all limits; a timer a piece would cost a thread an evaluation."""

    def __init__(self) -> None:
        self._limits: set[Limit] = set()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._next = math.inf  # when the thread looks again

    def watch(self, limit: Limit) -> None:
        """End the limit's process when its time is over."""
        with self._change:
            self._limits.add(limit)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
            if limit.deadline < self._next:
                self._change.notify()

    def forget(self, limit: Limit) -> None:
        """The matter is settled."""
        with self._change:
            self._limits.discard(limit)

    def _run(self) -> None:
        with self._change:
            while True:
                now = time.monotonic()
                over = [limit for limit in self._limits if limit.deadline <= now]
                for limit in over:
                    self._limits.discard(limit)
                    # Ending a stubborn process takes a while: others need not wait for it.
                    threading.Thread(target=limit.end, daemon=True).start()
                self._next = min((limit.deadline for limit in self._limits), default=math.inf)
                # Limits that were forgotten leave the thread to wake up for nothing, rarely.
                wait = None if self._next == math.inf else max(0.0, self._next - now)
                self._change.wait(wait)


WATCHMAN = Watchman()


def kill(process: Process) -> None:
    """End a worker and what it has started: a word first, then by force."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def ending(process: Process) -> str:
    """How a process ended whose pipe is closed: its exit code or signal."""
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

    def __init__(self, task: Task, timeout: float, retries: int) -> None:
        pickled = PickledTask(task)
        self.data = pickled.data
        self.sizes = (task.n_ineq, task.n_eq)
        self.timeout = timeout
        self.retries = retries

    def __call__(self, x: Floats) -> Outcome:
        child: Child | None = getattr(_HERE, "child", None)
        if child is None or child.is_closed or child.data != self.data:
            if child is not None:
                child.close()
            start = _nursery().start
            child = Child(self.data, *self.sizes, self.timeout, self.retries, IDLE, start)
            _HERE.child = child
            _CHILDREN.append(child)
        return child.evaluate(x)

    def close(self) -> None:
        """End the processes that evaluate for this task beside threads of this very process; those
        beside other processes end when they have been idle for a while."""
        for child in [child for child in _CHILDREN if child.data == self.data]:
            child.interrupt(by_force=True)
            child.close()
            _CHILDREN.remove(child)


@functools.cache
def _nursery() -> Nursery:
    return Nursery()


_HERE = threading.local()
_CHILDREN: list[Child] = []
