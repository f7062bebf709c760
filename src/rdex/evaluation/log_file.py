"""The file behind a log of evaluations: opened, checked, locked, and appended to.

A line is appended by one write, so a killed process loses nothing that had come back. It is forced
to the disk at most once per second and at the end, so a power cut may lose a second. What cannot
be written (a full disk, a folder that has gone) is kept and tried again with every further line. A
file that is deleted or cut off while the run goes on is written anew from memory.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rdex.common.errors import FileInUseError, LogError
from rdex.common.forking import abandon_in_children
from rdex.common.locking import lock
from rdex.evaluation.log_format import comment_of, names_line, parse

log = logging.getLogger("rdex")

#: Seconds between two times that the file is forced to the disk.
SYNC = 1.0

#: Names to try for a copy, where the file itself has become another one.
COPIES = 100


class LogFile:
    """Appends lines to a file that no other run may write.

    Parameters
    ----------
    path : path
    columns : sequence of str
    sizes : sequence of int
        Variables, inequality and equality constraints.
    description : dict
        What decides the run; a file of another one is refused.
    everything : callable
        All lines that should be in the file, the names and comments included.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        columns: Sequence[str],
        sizes: Sequence[int],
        description: dict[str, Any],
        everything: Callable[[], Iterator[bytes]],
    ) -> None:
        self.path = os.path.abspath(path)  # the run may change its folder
        self._sizes = sizes
        self._everything = everything
        self._pending: deque[bytes] = deque()
        self._is_failing = False
        self._has_written = False
        self._has_sync_failed = False
        self._is_inherited = False
        self._size = 0
        self._synced = time.monotonic()
        try:
            self._handle: int | None = open_locked(self.path)
        except FileInUseError:
            raise
        except OSError as error:
            raise self._cannot_write(error) from error
        try:
            self.contents = parse(read_all(self._handle), self.path, columns)
            self._compare(description)
            self._mend()
            if self.contents.names is None:
                self.contents.comments = [(0, description)]
                self._append(comment_of(description, sizes))
                self._append(names_line(columns))
        except OSError as error:
            os.close(self._handle)
            raise self._cannot_write(error) from error
        except BaseException:
            os.close(self._handle)
            raise
        abandon_in_children(self)

    def _cannot_write(self, error: OSError) -> OSError:
        reason = error.strerror or str(error)
        return OSError(error.errno, f"evaluations: cannot write {self.path}: {reason}")

    def _compare(self, description: dict[str, Any]) -> None:
        """The stored run must be this one."""
        stored = self.contents.description
        if stored is None:
            return
        different = [
            key
            for key in sorted(set(stored) | set(description))
            if stored.get(key) != description.get(key)
        ]
        if different:
            raise LogError(
                f"{self.path} holds the evaluations of another run: different "
                f"{', '.join(different)}. Remove the file or give another name to start anew."
            )

    def _mend(self) -> None:
        """The file ends with a whole line."""
        assert self._handle is not None
        if self.contents.has_torn_line:
            log.warning("the last line of %s is not whole and is dropped", self.path)
        if self.contents.lacks_end:
            os.write(self._handle, b"\n")
        self._size = self.contents.size
        os.ftruncate(self._handle, self._size)

    def describe(self, facts: dict[str, Any]) -> None:
        """Write a comment that says what the run is from here on."""
        self.write(comment_of(facts, self._sizes))

    def write(self, line: bytes) -> None:
        """Append a line now, or as soon as that is possible."""
        if self._is_inherited:
            raise LogError(
                f"evaluations: {self.path} belongs to the run that this process is a fork of"
            )
        self._pending.append(line)
        self._has_written = True
        self._flush()

    def _flush(self) -> None:
        """Write what waits; what goes wrong is reported once."""
        try:
            what = self._what_happened()
            if what is not None:
                self._start_again(what)
            while self._pending:
                self._append(self._pending[0])
                self._pending.popleft()
        except OSError as error:
            if not self._is_failing:
                log.error(
                    "cannot write to %s: %s; the run goes on and tries again",
                    self.path,
                    error.strerror or error,
                )
            self._is_failing = True
            return
        if self._is_failing:
            log.warning("%s can be written again; nothing is lost", self.path)
            self._is_failing = False
        if time.monotonic() - self._synced >= SYNC:
            self._sync()

    def _append(self, line: bytes) -> None:
        assert self._handle is not None
        try:
            written = os.write(self._handle, line)
            while written < len(line):  # a signal, or the last bytes of a disk
                written += os.write(self._handle, line[written:])
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise
        self._size += len(line)

    def _sync(self) -> None:
        """Force the file to the disk; a disk that cannot is reported once."""
        self._synced = time.monotonic()
        try:
            os.fsync(self._handle)  # type: ignore[arg-type]
        except OSError as error:
            if not self._has_sync_failed:
                reason = error.strerror or error
                log.error("%s cannot be forced to the disk: %s", self.path, reason)
            self._has_sync_failed = True

    def _what_happened(self) -> str | None:
        """What somebody else has done to the file."""
        if self._handle is None:
            return "was lost"
        here = os.fstat(self._handle)
        try:
            there = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return "was deleted"
        if not os.path.samestat(here, there):
            return "was replaced"
        if here.st_size > self._size and self._is_failing:  # our own line, not whole
            os.ftruncate(self._handle, self._size)
            return None
        if here.st_size < self._size:
            return "was cut off"
        return "was changed" if here.st_size > self._size else None

    def _start_again(self, what: str) -> None:
        """All lines go into the file once more; into a copy, where it holds something else."""
        lines = list(self._everything())
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
        before = self.path
        self._handle, self.path = open_for(b"".join(lines), before)
        os.ftruncate(self._handle, 0)
        self._size = 0
        self._pending = deque(lines)
        log.warning(
            "%s %s while the run was using it; all evaluations are written to %s",
            before,
            what,
            self.path if self.path != before else "it again",
        )

    def close(self) -> None:
        """Force everything to the disk and let the file go."""
        if self._is_inherited or (self._handle is None and not self._pending):
            return
        if self._has_written:
            self._flush()
        if self._pending:
            log.error("%d lines could not be written to %s", len(self._pending), self.path)
            self._pending.clear()
        if self._handle is not None:
            self._sync()
            os.close(self._handle)
            self._handle = None

    def abandon(self) -> None:
        """Let go of the file, which is another process's, and of its lock."""
        self._is_inherited = True
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def open_locked(path: str) -> int:
    """A file to append to that no other run has open."""
    binary = getattr(os, "O_BINARY", 0)  # Windows would change the ends of lines
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o666)
    try:
        lock(handle, f"evaluations: {path} is in use by another run")
    except BaseException:
        os.close(handle)
        raise
    return handle


def open_for(lines: bytes, path: str) -> tuple[int, str]:
    """A file for these lines that holds nothing else, and its path: the given one if possible."""
    for candidate in (path, *(f"{path}.{k}" for k in range(1, COPIES))):
        try:
            handle = open_locked(candidate)
        except FileInUseError:
            continue
        if lines.startswith(read_all(handle)):
            return handle, candidate
        os.close(handle)
    raise OSError(f"no free name beside {path}")


def read_all(handle: int) -> bytes:
    """The whole file."""
    with open(os.dup(handle), "rb") as stream:
        stream.seek(0)
        return stream.read()
