"""The program of a worker process: tasks in by standard input, outcomes out by standard output.

Started as `python -m rdex.evaluation.worker`, or forked by `rdex.evaluation.nursery`. A message is
its length in eight bytes and a pickle; both ends are the same user's processes. What the user's
function prints goes to standard error, and it finds its standard input empty. A worker ends when
its parent is gone, even in the middle of an evaluation, and takes with it what it has started.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import time
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")
READY = "ready"

#: Seconds between two looks at the parent.
LOOK = 1.0


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message; EOFError if the other end is gone."""
    return pickle.loads(_exactly(stream, LENGTH.unpack(_exactly(stream, LENGTH.size))[0]))


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = stream.read(size - len(data))
        if not part:
            raise EOFError("the other process ended")
        data += part
    return data


def own_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes of the parent, out of reach of the user's function and what it starts."""
    incoming = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    outgoing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return incoming, outgoing


def end(*_signal: Any) -> None:
    """End this process now, and the commands it runs."""
    command = sys.modules.get("rdex.problem.command")
    if command is not None:
        command.end_all()
    os._exit(1)


class Life:
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


def serve(incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Evaluate until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGTERM, end)
    try:
        folders, idle = receive(incoming)
        life = Life(idle)
        for folder in reversed(folders):
            if folder not in sys.path:
                sys.path.insert(0, folder)
        task = pickle.loads(receive(incoming))
        send(outgoing, READY)
        while True:
            life.waiting_since = time.monotonic()
            x = receive(incoming)
            life.waiting_since = None
            send(outgoing, task(x))
    except (EOFError, BrokenPipeError):
        return


if __name__ == "__main__":
    serve(*own_streams())
