"""One process beside the run that compiles kernels into the cache.

A thread would compete with the run for the interpreter. The process is started by whoever needs a
kernel first and holds the lock of the cache while it lives, so several runs that start together
compile once. It goes on when the run ends: the next one finds the kernels.
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from rdex.common.cores import usable_cores
from rdex.common.errors import FileInUseError
from rdex.common.folders import cache_folder
from rdex.common.locking import lock
from rdex.jit.cache_folders import can_write
from rdex.jit.compile_ahead import BESIDE_A_RUN
from rdex.jit.marks import is_cached

log = logging.getLogger("rdex")


class Background:
    """Compiles what is asked for, one process at a time."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._wanted: list[str] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._under_way: list[str] = []
        self.reason = ""  # why nothing is compiled here; empty while something can be

    @property
    def is_busy(self) -> bool:
        """Whether kernels that this process asked for are being compiled."""
        return bool(self._wanted or self._under_way)

    def ask_for(self, place: str) -> bool:
        """Have a kernel compiled; whether it is on its way. If not, `reason` says why."""
        with self._guard:
            if not self.reason and place not in self._under_way and place not in self._wanted:
                self._wanted.append(place)
            self._poll()
            if not self.reason and self._process is None and self._wanted:
                self.reason = impossible()
                if not self.reason:
                    self._begin()
            if self.reason:
                self._say()
            return not self.reason

    def _say(self) -> None:
        """Once: that there will be no compiled code in this process."""
        if self._wanted or self._under_way:
            log.warning(
                "%s; runs are interpreted here: the results are the same, the search takes about "
                "0.3 ms per evaluation longer. `rdex warmup` compiles ahead of time.",
                self.reason,
            )
        self._wanted, self._under_way = [], []

    def _poll(self) -> None:
        """Look after the process, and whether others have compiled what is wanted here."""
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return
            if code != 0 or not all(map(is_cached, self._under_way)):
                self.reason = f"compiling failed ({self._last_words()})"
                return
            self._process, self._under_way = None, []
        self._wanted = [place for place in self._wanted if not is_cached(place)]

    def _last_words(self) -> str:
        assert self._process is not None
        try:
            lines = errors_file().read_text(errors="replace").split("\n")
        except OSError:
            lines = []
        words = [line.strip() for line in lines if line.strip()]
        return words[-1] if words else f"exit code {self._process.returncode}"

    def leave(self) -> None:
        """This process ends; the one that compiles goes on, and nobody need be told."""
        if self._process is not None and self._process.poll() is None:
            self._process.returncode = 0

    def _begin(self) -> None:
        """Start the process, unless another run's process is at work."""
        path = cache_folder() / "kernels" / "compiling.lock"
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            lock(handle, "another process compiles")
        except FileInUseError:
            os.close(handle)
            return  # looked at again later
        try:
            inherited: dict[str, Any] = {}
            if os.name == "posix":  # the lock lives as long as the process
                inherited = {"pass_fds": (handle,), "start_new_session": True}
            with errors_file().open("wb") as errors:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", BESIDE_A_RUN, *self._wanted],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                    **inherited,
                )  # fmt: skip
        except OSError as error:
            self.reason = f"no process for compiling can be started ({error})"
            return
        finally:
            os.close(handle)
        self._under_way, self._wanted = self._wanted, []
        log.info("compiling in the background: %s", ", ".join(self._under_way))


def errors_file() -> Path:
    """What the last process that compiled had to say; written by the holder of the lock."""
    return cache_folder() / "kernels" / "compiling.log"


def impossible() -> str:
    """Why nothing can be compiled beside a run; empty where it can."""
    if not sys.executable:
        return "compiling needs a Python interpreter"
    if usable_cores() < 2:
        return "there is one core only, and no compiled code in the cache"
    if not can_write():
        return f"{cache_folder()} cannot be written, so compiled code cannot be kept"
    return ""


#: That of this process.
BACKGROUND = Background()
atexit.register(BACKGROUND.leave)


def _forget() -> None:
    """A forked process has no part in its parent's compiling."""
    BACKGROUND.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
