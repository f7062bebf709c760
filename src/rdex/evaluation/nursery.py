"""Where worker processes come from.

Starting Python and importing NumPy takes a quarter of a second of computing, which hurts where
workers are ended and replaced all the time. On Linux one process does that once and forks workers
on demand, in a few milliseconds; it knows nothing of the user's function, so that nothing which a
fork could break (threads, devices, connections) is there yet. Elsewhere every worker starts alone.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from typing import Any, BinaryIO, Protocol

#: BLAS inside a worker must not start threads of its own.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

NUMBER = struct.Struct("<q")  # a process, or its exit code


class Process(Protocol):
    """What the user of a worker process needs of it; `subprocess.Popen` has it."""

    pid: int
    stdin: Any
    stdout: Any

    def poll(self) -> int | None:
        """None while it runs, then its exit code, or minus the signal that ended it."""

    def wait(self, timeout: float | None = None) -> Any:
        """Until it has ended; subprocess.TimeoutExpired if it does not."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""


def start_alone() -> Process:
    """A worker process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "rdex.evaluation.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **ONE_THREAD},
        start_new_session=True,  # a group of its own: what it starts ends with it
    )


class Forked:
    """A worker that the nursery forked, and that it reaps: the exit code comes by a pipe."""

    def __init__(self, pid: int, stdin: BinaryIO, stdout: BinaryIO, end: BinaryIO) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._end = end
        self._lock = threading.Lock()
        self._code: int | None = None

    def poll(self) -> int | None:
        """None while it runs, then its exit code, or minus the signal that ended it."""
        with self._lock:
            if self._code is None and select.select([self._end], [], [], 0)[0]:
                data = self._end.read(NUMBER.size)
                self._end.close()
                self._code = NUMBER.unpack(data)[0] if data else self._orphaned()
            return self._code

    def _orphaned(self) -> int:
        """The nursery has gone; its worker would follow by itself, but a little later."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return -signal.SIGKILL

    def wait(self, timeout: float | None = None) -> None:
        """Until it has ended."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.poll() is None:
            if end is not None and time.monotonic() >= end:
                raise subprocess.TimeoutExpired("worker", timeout or 0.0)
            time.sleep(0.002)

    def terminate(self) -> None:
        """Ask it to end."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class Nursery:
    """Starts worker processes, from any thread; itself started when the first one is needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Process:
        """A new worker process."""
        if sys.platform != "linux":
            return start_alone()
        with self._lock:
            try:
                return self._fork()
            except (OSError, struct.error):  # the nursery has gone: start another one
                self._end()
                return self._fork()

    def _fork(self) -> Forked:
        control = self._control or self._begin()
        to_worker, from_here = os.pipe()
        from_worker, to_here = os.pipe()  # what the worker writes comes out of the first
        end, at_end = os.pipe()
        try:
            socket.send_fds(control, [b"w"], [to_worker, to_here, at_end])
            (pid,) = NUMBER.unpack(control.recv(NUMBER.size))
        except BaseException:
            for handle in (from_here, from_worker, end):
                os.close(handle)
            raise
        finally:
            for handle in (to_worker, to_here, at_end):
                os.close(handle)
        ours = os.fdopen(from_here, "wb"), os.fdopen(from_worker, "rb"), os.fdopen(end, "rb")
        return Forked(pid, *ours)

    def _begin(self) -> socket.socket:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "rdex.evaluation.nursery", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, **ONE_THREAD},
                start_new_session=True,
            )
        return self._control

    def _end(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def close(self) -> None:
        """End the nursery; its workers end by themselves."""
        with self._lock:
            self._end()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self._end()


def main(control: socket.socket) -> None:
    """Fork a worker for every set of pipes that comes, and tell how each ends, until the other end
    is gone."""
    import cloudpickle  # noqa: F401  (imported here, once for all workers)
    import numpy.linalg
    import numpy.random  # noqa: F401  (NumPy itself waits until they are used)

    from rdex.evaluation import local, outcome, skipping, worker  # noqa: F401
    from rdex.problem import functions  # noqa: F401

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # the bell rings, which is enough
    bell, rope = socket.socketpair()
    for end in (bell, rope):
        end.setblocking(False)
    signal.set_wakeup_fd(rope.fileno(), warn_on_full_buffer=False)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    ends: dict[int, int] = {}  # where the exit code of each worker goes
    while True:
        ready = select.select([control, bell], [], [])[0]
        if bell in ready:
            bell.recv(4096)
            reap(ends)
        if control not in ready:
            continue
        word, handles, _, _ = socket.recv_fds(control, 1, 3)
        if not word:
            return
        incoming, outgoing, at_end = handles
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            for end in (control, bell, rope):
                end.close()
            for handle in (at_end, *ends.values()):
                os.close(handle)
            worker.serve(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"))
            os._exit(0)
        ends[pid] = at_end
        os.close(incoming)
        os.close(outgoing)
        control.sendall(NUMBER.pack(pid))


def reap(ends: dict[int, int]) -> None:
    """Pass on how workers have ended."""
    for pid in list(ends):
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            handle = ends.pop(pid)
            with contextlib.suppress(BrokenPipeError):
                os.write(handle, NUMBER.pack(os.waitstatus_to_exitcode(status)))
            os.close(handle)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
