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
from pathlib import Path
from typing import Any

import numpy as np

from rdex.api.task import Task
from rdex.engine.engine import Engine
from rdex.engine.files import RunFileError, load_state, save_state

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
    }
    described: dict[str, Any] = json.loads(json.dumps(facts))
    return described


class Checkpoint:
    """Keeps an engine in a file, and puts it back."""

    def __init__(self, path: str | os.PathLike[str], task: Task) -> None:
        self.path = Path(path)
        self.description = describe_run(task)
        self._last = time.monotonic()

    def begin(self, engine: Engine) -> None:
        """Go on from the file, or write the first one.

        Raises RunFileError if the file is not whole or is a run of something else, OSError if it
        cannot be written.
        """
        if self.path.exists():
            self._restore(engine)
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
        different = [
            key
            for key in sorted(set(stored) | set(self.description))
            if stored.get(key) != self.description.get(key)
        ]
        if different:
            raise RunFileError(
                f"{self.path} is the checkpoint of another run: different {', '.join(different)}. "
                "Remove the file or give another name to start anew."
            )
        engine.state = state
        self._check_function(engine)

    def _check_function(self, engine: Engine) -> None:
        """The stored best point must give the stored values."""
        best = engine.best
        if not (math.isfinite(best.f) and engine.nfev):
            return
        f, g, h = engine.problem.evaluate(best.x[None, :])
        here, there = np.concatenate([f, g[0], h[0]]), np.concatenate([[best.f], best.g, best.h])
        if not np.allclose(here, there, rtol=1e-9, atol=1e-12):
            raise RunFileError(
                f"{self.path} is the checkpoint of another function, or of one that does not "
                f"repeat itself: at its best point f was {best.f!r} and is now {float(f[0])!r}"
            )

    def _write(self, engine: Engine) -> None:
        save_state(self.path, engine.state, {"run": self.description})

    def save(self, engine: Engine) -> None:
        """Write the run as it stands; a full disk is reported, the run goes on."""
        self._last = time.monotonic()
        try:
            self._write(engine)
        except OSError as error:
            log.error("cannot write the checkpoint %s: %s", self.path, error.strerror or error)

    def save_if_due(self, engine: Engine) -> None:
        """Write it if the last time is long enough ago."""
        if time.monotonic() - self._last >= EVERY:
            self.save(engine)
