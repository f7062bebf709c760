"""Files that are whole or absent, whatever happens while they are written, and locks on them."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file that takes the name `path` only once it is complete and on disk.

    An error while writing (a full disk, an exception, a kill) leaves the old file, or none. Who
    may read the file is for the user's umask to say.
    """
    target = Path(path)
    name = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    # Not tempfile.mkstemp: its files are for their owner alone.
    handle = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the lock of the file `path`, waiting for others; it ends with the process at the latest.

    Does nothing where the system or the file system has no such locks.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        with contextlib.suppress(ModuleNotFoundError, OSError):
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
