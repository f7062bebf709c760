"""Where worker processes come from.

Starting Python and importing NumPy takes a quarter of a second of computing, which hurts where
workers are ended and replaced all the time. On Linux one process does that once and forks workers
on demand, in a few milliseconds; it knows nothing of the user's function, so that nothing which a
fork could break (threads, devices, connections) is there yet. Elsewhere every worker starts alone.
"""

from __future__ import annotations

import contextlib
import os
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

PID = struct.Struct("<q")


class Process(Protocol):
    """What the user of a worker process needs of it; `subprocess.Popen` has it."""

    pid: int
    stdin: Any
    stdout: Any

    def poll(self) -> int | None:
        """None while it runs."""

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
    """A worker that the nursery forked, and that it reaps."""

    def __init__(self, pid: int, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._has_ended = False

    def poll(self) -> int | None:
        """None while it runs; its exit code is the nursery's alone."""
        if not self._has_ended:
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                self._has_ended = True
        return 0 if self._has_ended else None

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
        try:
            socket.send_fds(control, [b"w"], [to_worker, to_here])
            (pid,) = PID.unpack(control.recv(PID.size))
        except BaseException:
            os.close(from_here)
            os.close(from_worker)
            raise
        finally:
            os.close(to_worker)
            os.close(to_here)
        return Forked(pid, os.fdopen(from_here, "wb"), os.fdopen(from_worker, "rb"))

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
    """Fork a worker for every pair of pipes that comes, until the other end is gone."""
    import cloudpickle  # noqa: F401  (imported here, once for all workers)
    import numpy.linalg
    import numpy.random  # noqa: F401  (NumPy itself waits until they are used)

    from rdex.evaluation import cheap, local, outcome, worker  # noqa: F401
    from rdex.problem import functions  # noqa: F401

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the dead
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        word, handles, _, _ = socket.recv_fds(control, 1, 2)
        if not word:
            return
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            control.close()
            worker.serve(os.fdopen(handles[0], "rb"), os.fdopen(handles[1], "wb"))
            os._exit(0)
        for handle in handles:
            os.close(handle)
        control.sendall(PID.pack(pid))


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
