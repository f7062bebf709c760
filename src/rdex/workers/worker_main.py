"""The program of a worker process: tasks in by one pipe, outcomes out by another.

Started alone by `rdex.workers.fork_server.start_alone`, or forked by the fork server. What the
user's function prints goes to standard error, and it finds its standard input empty. A worker ends
when its parent is gone, even in the middle of an evaluation, and takes with it what it has started.

A user's function may fork. The other process must not answer in the worker's place, nor keep the
worker's pipes open: it loses them when it is forked, and ends if it returns from the function.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from typing import Any, BinaryIO

from rdex.workers.messages import receive, send
from rdex.workers.point_task import (
    RAISED,
    FunctionLoadError,
    Outcome,
    failed,
    load_task,
    worker_name,
)

READY = "ready"

#: Seconds between two looks at the parent.
LOOK = 1.0

#: Exit code of a worker that was told to end and has ended what it had started.
TOLD_TO_END = 143


def own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes of the parent, out of reach of the user's function and what it starts."""
    incoming = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return incoming, outgoing


def kill_session(leader: int) -> None:
    """Kill what a worker has started, and what that has started: its whole session on Linux, its
    process group elsewhere. This process is spared."""
    for pid in session_members(leader):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    if sys.platform not in ("linux", "win32") and os.getpgrp() != leader:
        with contextlib.suppress(OSError):
            os.killpg(leader, signal.SIGKILL)


def session_members(leader: int) -> list[int]:
    """The other processes of a session, as far as the system tells."""
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stream:
                    # pid (name) state parent group session ...
                    if int(stream.read().rpartition(b")")[2].split()[3]) == leader:
                        found.append(int(name))
    return found


def end(*_signal: Any) -> None:
    """End this process now, and what it has started."""
    command = sys.modules.get("rdex.problem.command")
    if command is not None:
        command.end_all()
    if hasattr(os, "getsid") and os.getsid(0) == os.getpid():
        kill_session(os.getpid())
    os._exit(TOLD_TO_END)


class ParentWatch:
    """Ends the process once its parent is gone, or after `idle` seconds without work."""

    def __init__(self, idle: float | None) -> None:
        self.idle = idle
        self.waiting_since: float | None = None
        self._parent = os.getppid()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            time.sleep(LOOK)
            since = self.waiting_since
            is_idle = self.idle is not None and since is not None
            if os.getppid() != self._parent or (is_idle and time.monotonic() - since > self.idle):  # type: ignore[operator]
                end()


def hide_from_forks(*streams: BinaryIO) -> None:
    """Processes that the user's function forks get the null device in the place of the pipes."""

    def replace() -> None:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in streams:
            os.dup2(nothing, stream.fileno(), inheritable=False)
        os.close(nothing)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=replace)


def evaluate(task: Any, x: Any) -> Outcome:
    """The outcome at x; SystemExit and the like are exceptions of the function too."""
    me = os.getpid()
    start = time.perf_counter()
    try:
        outcome: Outcome = task(x)
    except BaseException:
        text = traceback.format_exc()
        seconds = time.perf_counter() - start
        outcome = failed(task.n_ineq, task.n_eq, text, RAISED, seconds, worker_name(me))
    if os.getpid() != me:  # a fork of the worker that has come back: the worker itself answers
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(0)
    return outcome


def serve(incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Evaluate until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGTERM, end)
    hide_from_forks(incoming, outgoing)
    try:
        folders, idle = receive(incoming)
        watch = ParentWatch(idle)
        sys.path[:] = folders
        data = receive(incoming)
        try:
            task = load_task(data)
        except FunctionLoadError as error:
            send(outgoing, error.reason)
            return
        send(outgoing, (READY,))
        while True:
            watch.waiting_since = time.monotonic()
            number, x = receive(incoming)
            watch.waiting_since = None
            send(outgoing, (number, evaluate(task, x)))
    except (EOFError, BrokenPipeError):
        end()


def main() -> None:
    """Serve the process that has started this one."""
    serve(*own_streams())
