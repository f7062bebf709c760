"""A run on disk while it goes on: written atomically, resumed exactly, refused if it is another.

The fingerprint covers what decides a run: bounds, counts, tolerances, settings, budget, seed,
starting points, names. The function itself cannot be compared, so the best point is evaluated
again and must give the stored values.
"""

from __future__ import annotations

import json
import logging
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rdex.api.task import Task
from rdex.engine.anyorder import extend
from rdex.engine.engine import Engine
from rdex.engine.files import RunFileError, load_state, save_state
from rdex.engine.kernels import layout
from rdex.evaluation.outcome import Outcome
from rdex.problem.problem import Floats

log = logging.getLogger("rdex")

#: Seconds between two checkpoints.
EVERY = 30.0


def describe_run(task: Task) -> dict[str, Any]:
    """What decides a run, apart from the function, as JSON values."""
    problem, limits = task.problem, task.limits
    scale = limits.scale
    integrality, log_variables = problem.integrality, task.log_variables
    facts = {
        "bounds": [problem.lower.tolist(), problem.upper.tolist()],
        "number of constraints": [problem.n_ineq, problem.n_eq],
        "names": [problem.variable_names, problem.constraint_names],
        "eq_tol": np.asarray(limits.eq_tol).tolist(),
        "ineq_tol": np.asarray(limits.ineq_tol).tolist(),
        "constraint_scale": scale if isinstance(scale, str) else np.asarray(scale).tolist(),
        "settings": task.settings.as_dict(),
        "maxfev": task.maxfev,
        "batch": task.batch,
        "target": None if math.isinf(task.goal) else task.goal,
        "integrality": None if integrality is None else integrality.tolist(),
        "log_scale": None if log_variables is None else log_variables.tolist(),
        "checkpoints": task.checkpoints,
        "rng": task.seed.generate_state(4, np.uint64).tolist() if task.is_seeded else None,
        **task.start.given,
        **task.further,
    }
    described: dict[str, Any] = json.loads(json.dumps(facts))
    return described


def differences(stored: dict[str, Any], present: dict[str, Any]) -> list[str]:
    """Names of what two descriptions of runs do not agree on."""
    names = sorted(set(stored) | set(present))
    return [name for name in names if stored.get(name) != present.get(name)]


def is_extension(stored: dict[str, Any], present: dict[str, Any]) -> bool:
    """Whether only the budget differs and is larger now; the initial size follows from it."""
    without_n0 = [
        {**run, "maxfev": 0, "settings": {**run.get("settings", {}), "n0": None}}
        for run in (stored, present)
    ]
    return without_n0[0] == without_n0[1] and stored["maxfev"] < present["maxfev"]


class Checkpoint:
    """Keeps an engine in a file, and puts it back.

    Attributes
    ----------
    facts : callable
        Further facts of the run as it stands, as JSON values, written with it.
    stored : dict
        These facts as they were read.
    continued : list
        Every time that the run went on with a larger budget: evaluations then, budget before.
    """

    def __init__(
        self, path: str | os.PathLike[str], task: Task, maxtime: float | None = None
    ) -> None:
        self.path = Path(path)
        self.description = describe_run(task)
        self.maxtime = maxtime
        self.facts: Callable[[], dict[str, Any]] = dict
        self.stored: dict[str, Any] = {}
        self.continued: list[list[int]] = []
        self.has_restored = False
        self._last = time.monotonic()

    def begin(self, engine: Engine) -> None:
        """Go on from the file, or write the first one.

        Raises RunFileError if the file is not whole or is a run of something else, OSError if it
        cannot be written.
        """
        if self.path.exists():
            self._restore(engine)
            self.has_restored = True
            log.info("going on from %s at %d evaluations", self.path, engine.nfev)
            return
        try:
            self._write(engine)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OSError(error.errno, f"checkpoint: cannot write {self.path}: {reason}") from error

    def _restore(self, engine: Engine) -> None:
        """Put the saved state into `engine`."""
        state, header = load_state(self.path)
        stored = header.get("run", {})
        different = differences(stored, self.description)
        grows = bool(different) and is_extension(stored, self.description)
        if different and not grows:
            raise RunFileError(
                f"{self.path} is the checkpoint of another run: different {', '.join(different)}. "
                "Remove the file or give another name to start anew."
            )
        engine.state = state
        engine.maxfev = int(stored["maxfev"])
        engine.settings = engine.settings.replace(n0=int(state.param[layout.N0]))
        self.stored = header.get("facts", {})
        self.continued = [list(entry) for entry in header.get("continued", [])]
        if grows or self._has_more_time():
            self._extend(engine)

    def _has_more_time(self) -> bool:
        """Whether a time limit of the stored run has been raised or dropped."""
        before = self.stored.get("maxtime")
        return before is not None and (self.maxtime is None or self.maxtime > before)

    def _extend(self, engine: Engine) -> None:
        """A new schedule, and a note of it."""
        self.continued.append([engine.nfev, engine.maxfev])
        elapsed = float(self.stored.get("elapsed", 0.0))
        used = 0.0 if self.maxtime is None else elapsed / self.maxtime
        engine.state.value[layout.CLOCK] = min(used, 1.0)
        extend(engine, int(self.description["maxfev"]))
        if engine.n_asked == engine.nfev:  # points that were out have been forgotten
            self.stored = {**self.stored, "numbers": None}
        log.info("%s goes on with a budget of %d evaluations", self.path, engine.maxfev)

    def check_function(self, engine: Engine, evaluate: Callable[[Floats], Outcome]) -> None:
        """The stored best point must give the stored values."""
        best = engine.best
        if not (self.has_restored and math.isfinite(best.f) and engine.nfev):
            return
        outcome = evaluate(best.x)
        if outcome.error is not None:
            log.warning(
                "the best point of %s could not be evaluated again, so nothing tells whether the "
                "function is the same: %s",
                self.path,
                outcome.error.strip().splitlines()[-1],
            )
            return
        here = np.concatenate([[outcome.f], outcome.g, outcome.h])
        there = np.concatenate([[best.f], best.g, best.h])
        if not np.allclose(here, there, rtol=1e-9, atol=1e-12):
            raise RunFileError(
                f"{self.path} is the checkpoint of another function, or of one that does not "
                f"repeat itself: at its best point f was {best.f!r} and is now {outcome.f!r}"
            )

    def _write(self, engine: Engine) -> None:
        header = {
            "run": self.description,
            "facts": {"maxtime": self.maxtime, **self.facts()},
            "continued": self.continued,
        }
        save_state(self.path, engine.state, header)

    def save(self, engine: Engine) -> None:
        """Write the run as it stands; a full disk is reported, the run goes on."""
        self._last = time.monotonic()
        try:
            self._write(engine)
        except OSError as error:
            log.error("cannot write the checkpoint %s: %s", self.path, error.strerror or error)

    def save_if_due(self, engine: Engine, every: float) -> None:
        """Write it if the last time is `every` seconds ago."""
        if time.monotonic() - self._last >= every:
            self.save(engine)
