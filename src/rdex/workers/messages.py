"""Messages between a run and its worker processes.

A message is its length in eight bytes and a pickle; both ends are the same user's processes. The
worker's end simply blocks. The run's end must not: a worker can die while a process it started
keeps its pipes open, so the end of the pipe may never come. `PipeChannel` therefore waits for the
pipe, the end of the process and the clock at once.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import queue
import select
import struct
import threading
import time
from typing import Any, BinaryIO, Protocol

LENGTH = struct.Struct("<Q")

#: No message is longer; a length beyond it is not one of ours.
LONGEST = 1 << 40

#: Seconds between two looks at a process whose end is not announced.
LOOK = 0.1


class Process(Protocol):
    """What the user of a worker process needs of it.

    ended : a descriptor that becomes readable when the process has ended; None where there is none.
    """

    pid: int
    stdin: Any
    stdout: Any
    ended: int | None

    def poll(self) -> int | None:
        """None while it runs, then its exit code, or minus the signal that ended it."""

    def wait(self, timeout: float | None = None) -> Any:
        """Until it has ended; subprocess.TimeoutExpired if it does not."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""

    def abandon(self) -> None:
        """Let go of it without ending it."""


class TimeIsUp(Exception):
    """The clock has reached the time given."""


class Channel(Protocol):
    """Messages to and from one worker. Both methods raise EOFError as soon as the worker has ended,
    and TimeIsUp when the clock reaches `until`."""

    def send(self, message: Any, until: float = math.inf) -> None:
        """Write one message."""

    def receive(self, until: float = math.inf) -> Any:
        """Read one message."""


def framed(message: Any) -> bytes:
    """A message as bytes."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def length_of(data: bytes) -> int:
    """The length that a message begins with; EOFError if it cannot be one."""
    (size,) = LENGTH.unpack(data)
    if size > LONGEST:
        raise EOFError("not a message")
    return int(size)


def loaded(data: bytes) -> Any:
    """The message behind the bytes; EOFError if something else wrote into the pipe."""
    try:
        return pickle.loads(data)
    except Exception as error:
        raise EOFError("not a message") from error


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message; blocks."""
    stream.write(framed(message))
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message; blocks; EOFError if the other end is gone."""
    return loaded(exactly(stream, length_of(exactly(stream, LENGTH.size))))


def exactly(stream: BinaryIO, size: int) -> bytes:
    """The next `size` bytes."""
    data = bytearray()
    while len(data) < size:
        part = stream.read(size - len(data))
        if not part:
            raise EOFError("the other process ended")
        data += part
    return bytes(data)


class PipeChannel:
    """Where pipes can be waited for: everywhere but on Windows."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._to, self._from = process.stdin.fileno(), process.stdout.fileno()
        for handle in (self._to, self._from):
            os.set_blocking(handle, False)

    def send(self, message: Any, until: float = math.inf) -> None:
        """Write one message."""
        left = memoryview(framed(message))
        while left:
            try:
                left = left[os.write(self._to, left) :]
            except BlockingIOError:
                self._wait(self._to, select.POLLOUT, until)

    def receive(self, until: float = math.inf) -> Any:
        """Read one message."""
        size = length_of(self._exactly(LENGTH.size, until))
        return loaded(self._exactly(size, until))

    def _exactly(self, size: int, until: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            try:
                part = os.read(self._from, min(size - len(data), 1 << 20))
            except BlockingIOError:
                self._wait(self._from, select.POLLIN, until)
                continue
            if not part:
                raise EOFError("the worker closed its pipe")
            data += part
        return bytes(data)

    def _wait(self, handle: int, event: int, until: float) -> None:
        """Until the pipe is ready."""
        ready = select.poll()
        ready.register(handle, event)
        both = select.poll()
        both.register(handle, event)
        if self._process.ended is not None:
            both.register(self._process.ended, select.POLLIN)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeIsUp
            most = LOOK if self._process.ended is None else 3600.0
            found = [which for which, _ in both.poll(1000 * min(left, most) + 1)]
            if handle in found:
                return
            if self._process.poll() is not None:
                if ready.poll(0):  # what it wrote before it ended
                    return
                raise EOFError("the worker has ended")


class ThreadChannel:
    """Where pipes cannot be waited for, as on Windows: a thread reads."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._read: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._run, args=(process.stdout,), daemon=True).start()

    def _run(self, stream: BinaryIO) -> None:
        with contextlib.suppress(EOFError, OSError, ValueError):
            while True:
                self._read.put((receive(stream),))
        self._read.put(None)

    def send(self, message: Any, until: float = math.inf) -> None:
        """Write one message."""
        left = memoryview(framed(message))
        while left:
            left = left[self._process.stdin.write(left) :]

    def receive(self, until: float = math.inf) -> Any:
        """Read one message."""
        has_ended = False
        while True:
            left = until - time.monotonic()
            try:
                found = self._read.get(timeout=max(0.0, min(left, LOOK)))
            except queue.Empty:
                if left <= 0:
                    raise TimeIsUp from None
                if has_ended:
                    raise EOFError("the worker has ended") from None
                has_ended = self._process.poll() is not None  # one more look for what it wrote
                continue
            if found is None:
                raise EOFError("the worker closed its pipe")
            return found[0]


def open_channel(process: Process) -> Channel:
    """The channel to a process that has just been started."""
    return PipeChannel(process) if os.name == "posix" else ThreadChannel(process)
