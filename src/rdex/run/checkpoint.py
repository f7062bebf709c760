"""A run on disk while it goes on: written atomically, resumed exactly, refused if it is another.

What decides a run is compared by its description. The function itself cannot be compared, so the
best point is evaluated again and must give the stored values.
"""

from __future__ import annotations

import logging
import math
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.common.errors import FileInUseError, RunFileError
from rdex.common.locking import LockBeside
from rdex.common.text import printable
from rdex.engine.files import load_state, save_state
from rdex.run.spec import FREE_IN_CHECKPOINTS, RunSpec, differences, is_extension
from rdex.workers.point_task import Outcome

if TYPE_CHECKING:
    from rdex.run.searching import Searching

log = logging.getLogger("rdex")

#: Seconds between two checkpoints.
EVERY = 30.0

#: Relative difference up to which two values of a function count as the same.
SAME = 1e-9

#: Records of the best so far in a checkpoint.
MOST_RECORDS = 200


class Checkpoint:
    """Keeps a run in a file, and puts it back.

    Attributes
    ----------
    stored : dict
        Facts of the run as they were read: elapsed time and the like.
    continued : list
        Every time that the run went on with a larger budget: evaluations then, budget before.
    has_restored : bool
        Whether the run goes on from the file.
    """

    def __init__(self, path: str | os.PathLike[str], spec: RunSpec) -> None:
        self.path = Path(path).absolute()
        self.spec = spec
        self.description = spec.description()
        self.stored: dict[str, Any] = {}
        self.continued: list[list[int]] = []
        self.has_restored = False
        self._lock: LockBeside | None = None
        self._last = time.monotonic()

    def begin(self, searching: Searching) -> None:
        """Go on from the file, or write the first one.

        Raises RunFileError if the file is not whole or is a run of something else, OSError if it
        cannot be written, FileInUseError if another run writes it.
        """
        try:
            in_use = f"checkpoint: {self.path} is in use by another run"
            self._lock = LockBeside(str(self.path), in_use)
            if not self.path.exists():
                self._write(searching, {})
                return
        except FileInUseError:
            raise
        except OSError as error:
            reason = error.strerror or str(error)
            raise OSError(error.errno, f"checkpoint: cannot write {self.path}: {reason}") from error
        try:
            self._restore(searching)
        except OSError:
            raise
        except RunFileError as error:
            if str(self.path) in str(error):
                raise
            raise RunFileError(f"{self.path}: {error}") from error
        except Exception as error:  # whatever a damaged file makes of a search
            raise RunFileError(f"{self.path} is damaged: {describe(error)}") from error
        self.has_restored = True

    def close(self) -> None:
        """Let others write the file."""
        if self._lock is not None:
            self._lock.release()

    def _restore(self, searching: Searching) -> None:
        """Put the saved state into the search."""
        arrays, header = load_state(self.path)
        stored = described(header, str(self.path))
        different = differences(stored, self.description, FREE_IN_CHECKPOINTS)
        if not (stored.get("rng given") or self.spec.is_seeded):
            different = [name for name in different if name not in ("rng", "entropy", "spawn_key")]
        grows = bool(different) and is_extension(stored, self.description)
        if different and not grows:
            raise RunFileError(
                f"{self.path} is the checkpoint of another run: different {', '.join(different)}. "
                "Remove the file or give another name to start anew."
            )
        self.stored = checked_facts(header.get("facts", {}), str(self.path))
        self.continued = [list(entry) for entry in header.get("continued", [])]
        searching.restore(arrays, self.stored)
        if grows or self._has_more_time():
            self._extend(searching)

    def _has_more_time(self) -> bool:
        """Whether a time limit of the stored run has been raised or dropped."""
        before, now = self.stored.get("maxtime"), self.spec.maxtime
        return before is not None and (now is None or now > before)

    def _extend(self, searching: Searching) -> None:
        """A new schedule, and a note of it."""
        standing, maxtime = searching.standing, self.spec.maxtime
        self.continued.append([standing.nfev, standing.maxfev])
        elapsed = float(self.stored.get("elapsed", 0.0))
        searching.set_clock(0.0 if maxtime is None else min(elapsed / maxtime, 1.0))
        searching.extend(self.spec.maxfev)
        log.info("%s goes on with a budget of %d evaluations", self.path, self.spec.maxfev)

    def check_function(self, searching: Searching, outcome: Outcome | None) -> None:
        """The stored best point must give the stored values; `outcome` is what it gives now."""
        best = searching.standing.best
        if outcome is None:
            return
        if outcome.error is not None:
            log.warning(
                "the best point of %s could not be evaluated again, so nothing tells whether the "
                "function is the same: %s",
                self.path,
                outcome.error.strip().splitlines()[-1],
            )
            return
        if not same_values(outcome, best.f, best.g, best.h):
            raise RunFileError(
                f"{self.path} is the checkpoint of another function, or of one that does not "
                f"repeat itself: at its best point f was {best.f!r} and is now {outcome.f!r}"
            )

    def _write(self, searching: Searching, facts: dict[str, Any]) -> None:
        header = {
            "run": self.description,
            "facts": {"maxtime": self.spec.maxtime, **facts},
            "continued": self.continued,
        }
        save_state(self.path, searching.arrays(), header)

    def save(self, searching: Searching, facts: dict[str, Any]) -> None:
        """Write the run as it stands; a full disk is reported, the run goes on."""
        self._last = time.monotonic()
        try:
            self._write(searching, facts)
        except OSError as error:
            log.error("cannot write the checkpoint %s: %s", self.path, error.strerror or error)

    def is_due(self, every: float) -> bool:
        """Whether the last time is `every` seconds ago."""
        return time.monotonic() - self._last >= every


def described(header: dict[str, Any], path: str) -> dict[str, Any]:
    """The description of a run in the header of its file; RunFileError where there is none."""
    stored = header.get("run")
    if not isinstance(stored, dict) or not isinstance(stored.get("maxfev"), int):
        raise RunFileError(f"{path} is damaged: it does not say what its run is")
    return stored


def checked_facts(facts: Any, path: str) -> dict[str, Any]:
    """What a checkpoint holds beside the search, its numbers checked; or a RunFileError."""
    if not isinstance(facts, dict):
        raise RunFileError(f"{path} is damaged: its facts are {type(facts).__name__}")
    for name in ("elapsed", "maxtime", "nfev", "n_skipped"):
        value = facts.get(name)
        is_number = (
            isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
        )
        if not (is_number or (value is None and name == "maxtime") or name not in facts):
            raise RunFileError(f"{path} is damaged: {name} is {value!r}")
    return facts


def describe(error: Exception) -> str:
    """An error in one line."""
    return printable(f"{type(error).__name__}: {error}")


def same_values(outcome: Outcome, f: float, g: Any, h: Any) -> bool:
    """Whether an evaluation gives values that were known."""
    here = np.concatenate([[outcome.f], outcome.g, outcome.h])
    there = np.concatenate([[f], g, h])
    return np.allclose(here, there, rtol=SAME, atol=1e-12, equal_nan=True)


def known_best(searching: Searching) -> Any:
    """The best point, if one with known values is there to be evaluated again."""
    best = searching.standing.best
    return best if searching.standing.nfev and math.isfinite(best.f) else None


def seen_facts(standing: Any) -> dict[str, Any]:
    """What a checkpoint says to readers who run nothing, whatever the arrays of the search are:
    best point, failures and history as JSON values; empty before the first evaluation."""
    if standing.nfev == 0:
        return {}
    best, (nfev, f, cv, *_) = standing.best, standing.history_rows()
    n = len(nfev)
    at = np.unique(np.linspace(0, max(n - 1, 0), min(n, MOST_RECORDS)).astype(int))
    return {
        "x": best.x.tolist(),
        "f": float(best.f),
        "G": best.g.tolist(),
        "H": best.h.tolist(),
        "n_failed": int(standing.n_failed),
        "trace": {
            "nfev": nfev[at].tolist(),
            "f": f[at].tolist(),
            "cv": cv[at].tolist(),
        },
    }
