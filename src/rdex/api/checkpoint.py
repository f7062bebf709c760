"""A run on disk while it goes on: written atomically, resumed exactly, refused if it is another.

The fingerprint covers what decides a run: bounds, counts, tolerances, settings, budget, names.
The function itself cannot be compared, so the best point is evaluated again and must give the
stored values.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from rdex.api.task import Task
from rdex.engine.engine import Engine
from rdex.engine.files import RunFileError, load_state, save_state
from rdex.engine.kernels import layout


def describe_run(task: Task) -> dict[str, Any]:
    """What decides a run, apart from the function and the seed."""
    problem, limits = task.problem, task.limits
    return {
        "bounds": [problem.lower.tolist(), problem.upper.tolist()],
        "n_ineq": problem.n_ineq,
        "n_eq": problem.n_eq,
        "eq_tol": np.asarray(limits.eq_tol).tolist(),
        "ineq_tol": np.asarray(limits.ineq_tol).tolist(),
        "constraint_scale": (
            limits.scale if isinstance(limits.scale, str) else np.asarray(limits.scale).tolist()
        ),
        "settings": json.loads(json.dumps(task.settings.as_dict())),
        "maxfev": task.maxfev,
        "batch": task.batch,
        "target": task.goal,
        "integrality": None if problem.integrality is None else problem.integrality.tolist(),
        "log_scale": None if task.log_variables is None else task.log_variables.tolist(),
        "names": [list(problem.variable_names), list(problem.constraint_names)],
    }


class Checkpoint:
    """Saves an engine to a file every `seconds`, and puts it back."""

    def __init__(self, path: str | os.PathLike[str], task: Task, seconds: float = 30.0) -> None:
        self.path = Path(path)
        self.description = describe_run(task)
        self.seconds = seconds
        self._last = time.monotonic()
        if not self.path.parent.is_dir():
            raise ValueError(f"checkpoint: the folder {self.path.parent} does not exist")

    def restore(self, engine: Engine) -> bool:
        """Put the saved state into `engine`; False if there is no file.

        Raises RunFileError if the file is not whole, or is a run of something else.
        """
        if not self.path.exists():
            return False
        state, header = load_state(self.path)
        stored = header.get("run", {})
        different = [
            key
            for key in sorted(set(stored) | set(self.description))
            if digest(stored.get(key)) != digest(self.description.get(key))
        ]
        if different:
            raise RunFileError(
                f"{self.path} is the checkpoint of another run: different {', '.join(different)}. "
                "Remove the file or give another name to start anew."
            )
        engine.state = state
        self._check_function(engine)
        return True

    def _check_function(self, engine: Engine) -> None:
        """The stored best point must give the stored values."""
        state = engine.state
        if not np.isfinite(state.value[layout.BEST_F]):
            return
        best = engine.best
        f, g, h = engine.problem.evaluate(best.x[None, :])
        same = (
            np.isclose(f[0], best.f, rtol=1e-9, atol=0)
            and np.allclose(g[0], best.g, rtol=1e-9, atol=1e-12)
            and np.allclose(h[0], best.h, rtol=1e-9, atol=1e-12)
        )
        if not same:
            raise RunFileError(
                f"{self.path} is the checkpoint of another function: at the stored best point "
                f"f was {best.f!r} and is now {float(f[0])!r}"
            )

    def save(self, engine: Engine) -> None:
        """Write the run as it stands."""
        save_state(self.path, engine.state, {"run": self.description})
        self._last = time.monotonic()

    def save_if_due(self, engine: Engine) -> None:
        """Write it if the last time is long enough ago."""
        if time.monotonic() - self._last >= self.seconds:
            self.save(engine)


def digest(value: Any) -> str:
    """A short text that is equal for equal JSON values."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
