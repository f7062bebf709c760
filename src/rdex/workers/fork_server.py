"""Where worker processes come from.

Starting Python and importing NumPy takes a quarter of a second of computing, which hurts where
workers are ended and replaced all the time. On Linux one process, the fork server, does that once
and forks workers on demand, in a few milliseconds. It knows nothing of the user's function, so
nothing that a fork could break (threads, devices, connections) is there yet. Elsewhere every worker
starts alone.

New processes import what the parent would import, and nothing else: Python's own habit of putting
the current folder first is switched off (`-P`), and the parent's `sys.path` takes its place.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from typing import Any

from rdex.common.forking import abandon_in_children
from rdex.workers.messages import Process

#: BLAS inside a worker must not start threads of its own.
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

NUMBER = struct.Struct("<q")  # a process, or its exit code

BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from rdex.workers.{module} import main; main(*map(int, sys.argv[2:]))"
)


def search_path() -> list[str]:
    """The parent's `sys.path` as it is now, made absolute for processes elsewhere."""
    return [os.path.abspath(folder) for folder in sys.path]


def command_of(module: str, *arguments: int) -> list[str]:
    """How Python runs `main` of one of our modules.

    The current folder of an interactive session ('' in `sys.path`) is left out here: rdex and what
    it needs are installed. The user's function is loaded later, with the whole path.
    """
    flags = ["-P"] + ["-E"] * bool(sys.flags.ignore_environment)
    flags += ["-s"] * bool(sys.flags.no_user_site)
    path = [os.path.abspath(folder) for folder in sys.path if folder]
    begin = BEGIN.format(module=module)
    return [sys.executable, *flags, "-c", begin, json.dumps(path), *map(str, arguments)]


class StartedAlone:
    """A worker that is a child of this process."""

    ended: int | None = None

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            command_of("worker_main"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,  # what it starts can be found and ended with it
        )
        self.pid = self._popen.pid
        self.stdin: Any = self._popen.stdin
        self.stdout: Any = self._popen.stdout
        self.poll = self._popen.poll
        self.wait = self._popen.wait
        self.terminate = self._popen.terminate
        self.kill = self._popen.kill

    def abandon(self) -> None:
        """Let go of it without ending it: it is the child of another process."""
        self.stdin.close()
        self.stdout.close()
        self._popen.returncode = 0  # nobody here may wait for it


class Forked:
    """A worker that the fork server has forked, and that it reaps: the exit code comes by a pipe.

    The pipe is closed for every process that the worker starts, so it tells the end of the worker
    whatever lives on.
    """

    def __init__(self, pid: int, to_it: int, from_it: int, end: int) -> None:
        self.pid = pid
        # Unbuffered: nothing is read that nobody waits for.
        self.stdin: Any = os.fdopen(to_it, "wb", buffering=0)
        self.stdout: Any = os.fdopen(from_it, "rb", buffering=0)
        self._end: Any = os.fdopen(end, "rb", buffering=0)
        self.ended: int | None = end
        self._lock = threading.Lock()
        self._code: int | None = None

    def poll(self) -> int | None:
        """None while it runs, then its exit code, or minus the signal that ended it."""
        with self._lock:
            if self._code is None and is_readable(self._end, 0.0):
                data = self._end.read(NUMBER.size)
                self._code = NUMBER.unpack(data)[0] if data else self._orphaned()
            return self._code

    def _orphaned(self) -> int:
        """The fork server has gone; its worker would follow by itself, but a little later."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return -signal.SIGKILL

    def wait(self, timeout: float | None = None) -> None:
        """Until it has ended."""
        if self.poll() is None and not is_readable(self._end, timeout):
            raise subprocess.TimeoutExpired("worker", timeout or 0.0)
        self.poll()

    def terminate(self) -> None:
        """Ask it to end."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def abandon(self) -> None:
        """Let go of it without ending it."""
        for stream in (self.stdin, self.stdout, self._end):
            stream.close()


def is_readable(stream: Any, timeout: float | None) -> bool:
    """Whether there is something to read, or the end, within some seconds."""
    ready = select.poll()  # not select(), which fails above 1024 open files
    ready.register(stream, select.POLLIN)
    return bool(ready.poll(None if timeout is None else 1000 * timeout))


class ForkServer:
    """Starts worker processes, from any thread; itself started when the first one is needed.

    A fork of this process starts a server of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        abandon_in_children(self)

    def start(self) -> Process:
        """A new worker process."""
        if sys.platform != "linux":
            return StartedAlone()
        with self._lock:
            try:
                return self._fork()
            except (OSError, struct.error):  # the server has gone: start another one
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
        return Forked(pid, from_here, from_worker, end)

    def _begin(self) -> socket.socket:
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                command_of("fork_server", theirs.fileno()),
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

    def abandon(self) -> None:
        """Let go of the server without ending it: it serves another process."""
        self._lock = threading.Lock()
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.returncode = 0  # nobody here may wait for it
            self._process = None

    def close(self) -> None:
        """End the server; its workers end by themselves."""
        with self._lock:
            self._end()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self._end()


def main(control_handle: int) -> None:
    """Fork a worker for every set of pipes that comes, and tell how each ends, until the other end
    is gone."""
    import cloudpickle  # noqa: F401  (imported here, once for all workers)
    import numpy.linalg
    import numpy.random  # noqa: F401  (NumPy itself waits until they are used)

    from rdex.problem import functions  # noqa: F401
    from rdex.workers import worker_main

    control = socket.socket(fileno=control_handle)
    sys.argv[:] = [""]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # only wakes select()
    awake, wake = socket.socketpair()
    for end in (awake, wake):
        end.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    ends: dict[int, int] = {}  # where the exit code of each worker goes
    while True:
        ready = select.select([control, awake], [], [])[0]
        if awake in ready:
            awake.recv(4096)
            reap(ends)
        if control not in ready:
            continue
        word, handles, _, _ = socket.recv_fds(control, 1, 3)
        if not word:
            return
        for handle in handles:  # programs that the worker starts must not get them
            os.set_inheritable(handle, False)
        incoming, outgoing, at_end = handles
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            for end in (control, awake, wake):
                end.close()
            for handle in (at_end, *ends.values()):
                os.close(handle)
            worker_main.serve(os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb"))
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
