"""Where compiled kernels are kept, and how old ones go.

Every version of the sources has a folder of its own. A folder that nobody has used for a month is
deleted when a new one is made, so other versions that are in use, such as those of another working
copy, keep theirs.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from rdex.common.folders import cache_folder

DAY = 86_400.0
#: Unused for so long, a folder is deleted.
KEPT = 30 * DAY

_NAME = re.compile(r"[0-9a-f]{16}|tricks-[0-9a-f]{16}\.json|\.deleted-.*")


def kernels_folder(name: str) -> Path:
    """The folder of this name for compiled kernels, not yet created."""
    return cache_folder() / "kernels" / name


def can_write() -> bool:
    """Whether compiled kernels can be kept."""
    folder = cache_folder() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def usable_folder(name: str) -> str:
    """The folder of this name for compiled kernels.

    One that is there and cannot be written is read, such as that of a container image. Where there
    is none and it cannot be made, it is a temporary one.
    """
    folder = kernels_folder(name)
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            prune(folder.parent)
        with tempfile.TemporaryFile(dir=folder):
            pass
        _mark_used(folder)
    except OSError as error:
        if not any(folder.glob("*.nbi")):
            return _temporary_cache(folder, error)
    return os.fspath(folder)


def _mark_used(folder: Path) -> None:
    """Its time of change is the day of its last use."""
    if time.time() - folder.stat().st_mtime > DAY:
        with contextlib.suppress(OSError):
            os.utime(folder)


def prune(kernels: Path) -> None:
    """Delete what nobody has used for a month; whatever cannot be deleted stays."""
    for entry in kernels.iterdir():
        try:
            unused = time.time() - entry.stat().st_mtime > KEPT
            if not (unused and _NAME.fullmatch(entry.name)):
                continue
            if entry.is_dir():
                # Renamed first: nobody finds half a folder.
                gone = entry.with_name(f".deleted-{entry.name.removeprefix('.deleted-')}")
                entry.rename(gone)
                shutil.rmtree(gone, ignore_errors=True)
            else:
                entry.unlink()
        except OSError:
            continue


@functools.cache
def _fallback() -> str:
    return tempfile.mkdtemp(prefix="rdex-kernels-")


def _temporary_cache(folder: Path, error: OSError) -> str:
    """A folder that lasts as long as temporary files do, and a warning."""
    logging.getLogger("rdex").warning(
        "cannot write compiled kernels to %s (%s); using %s. "
        "Set RDEX_CACHE_DIR to a writable folder to keep them.",
        folder,
        error.strerror or error,
        _fallback(),
    )
    return _fallback()
