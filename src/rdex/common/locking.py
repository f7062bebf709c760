"""Locks that end with their process: one run writes a file, another one is refused."""

from __future__ import annotations

import contextlib
import os

from rdex.common.errors import FileInUseError
from rdex.common.forking import abandon_in_children


def lock(handle: int, message: str) -> None:
    """Take the lock of an open file, or raise FileInUseError; without effect where there are no
    locks."""
    try:
        import fcntl
    except ModuleNotFoundError:  # no such locks on this system
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileInUseError(message) from None
    except OSError:  # a file system without locks
        return


class LockBeside:
    """The lock of a file that is replaced as a whole whenever it is written.

    The lock is a hidden file beside it, which is there while the run lasts. After a kill it stays,
    unlocked.

    Parameters
    ----------
    path : str
        The file to be locked; absolute.
    message : str
        What to say where another run holds it.
    """

    def __init__(self, path: str, message: str) -> None:
        folder, name = os.path.split(path)
        self.path = os.path.join(folder, f".{name}.lock")
        self._handle: int | None = self._open(message)
        abandon_in_children(self)

    def _open(self, message: str) -> int:
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                lock(handle, message)
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(handle), os.stat(self.path)):
                        return handle
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)  # its owner has just removed it

    def release(self) -> None:
        """Let others write the file."""
        handle, self._handle = self._handle, None
        if handle is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
            os.close(handle)

    def abandon(self) -> None:
        """Let go of the lock of another process."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)
