"""The program of a worker process: tasks in by standard input, outcomes out by standard output.

Started as `python -m rdex.evaluation.worker`. A message is its length in eight bytes and a pickle;
both ends are the same user's processes. What the user's function prints goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")


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


def main() -> None:
    """Evaluate until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        for folder in reversed(receive(sys.stdin.buffer)):
            if folder not in sys.path:
                sys.path.insert(0, folder)
        task = pickle.loads(receive(sys.stdin.buffer))
        while True:
            send(out, task(receive(sys.stdin.buffer)))
    except (EOFError, BrokenPipeError):
        return


if __name__ == "__main__":
    main()
