"""From the arguments of `minimize` to a run: `RunOptions` and a `RunSpec`, everything checked."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.common.errors import RunFileError
from rdex.engine.files import load_state
from rdex.engine.settings import COMPETITION_BUDGET, Constants
from rdex.engine.state import Limits
from rdex.evaluation.log import stored_run
from rdex.problem.checks import checked_count, checked_number
from rdex.problem.problem import Problem
from rdex.run.checkpoint import described
from rdex.run.spec import RunSpec
from rdex.run.start import ALL_RANDOM, UNIFORM, make_start
from rdex.strategies.registry import (
    AUTO,
    EVOLUTION,
    POLISH,
    constants_of,
    kind_for,
    kind_of,
)

#: Thirty years at a microsecond each; the engine counts in int64 and float64.
LARGEST_BUDGET = 10**15

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class RunOptions:
    """Arguments of `minimize` of the same names; checked when made."""

    workers: Any = 1
    on_error: str = "penalize"
    eval_timeout: float | None = None
    retries: int = 0
    evaluations: Path | None = None
    checkpoint: Path | None = None
    callback: Callable[[Any], Any] | None = None
    tol: float | None = None
    progress: bool = False
    on_interrupt: str = "return"
    is_default_budget: bool = False

    def __post_init__(self) -> None:
        for label, value, allowed in (
            ("on_error", self.on_error, ("penalize", "raise")),
            ("on_interrupt", self.on_interrupt, ("return", "raise")),
        ):
            if value not in allowed:
                raise ValueError(f'{label} must be "{allowed[0]}" or "{allowed[1]}", got {value!r}')
        check_workers(self.workers)
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be callable, got {self.callback!r}")
        for label, path in (("checkpoint", self.checkpoint), ("evaluations", self.evaluations)):
            if path is not None and not isinstance(path, str | os.PathLike):
                raise ValueError(f"{label} must be a path, got {path!r}")
        if self.tol is not None and not checked_number("tol", self.tol) >= 0:
            raise ValueError(f"tol must be >= 0, got {self.tol!r}")
        if (
            self.eval_timeout is not None
            and not checked_number("eval_timeout", self.eval_timeout) > 0
        ):
            raise ValueError(f"eval_timeout must be > 0, got {self.eval_timeout!r}")
        if not is_whole(self.retries) or self.retries < 0:
            raise ValueError(f"retries must be a whole number >= 0, got {self.retries!r}")

    @property
    def is_plain(self) -> bool:
        """Whether points are evaluated in this process, without any precaution for simulators."""
        here = is_whole(self.workers) and self.workers == 1 and self.eval_timeout is None
        return here and self.evaluations is None and not self.retries


def is_whole(value: Any) -> bool:
    """A whole number, and no truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_workers(workers: Any) -> None:
    """A number of processes, or something that evaluates."""
    is_map = callable(workers) or hasattr(workers, "map")
    if not (workers >= 1 or workers == -1 if is_whole(workers) else is_map):
        raise ValueError(f"workers must be an int >= 1, -1 or map-like, got {workers!r}")


def number_of_workers(workers: Any) -> int | None:
    """How many evaluations go on at a time, where that is known."""
    if not is_whole(workers):
        from rdex.workers.pool import workers_of  # most runs have no workers

        return workers_of(workers)
    return int(workers) if workers > 0 else (os.cpu_count() or 1)


def points_in_flight(workers: Any, batch: int | None) -> int:
    """How many points are out at a time where results are used as they come."""
    if not (is_whole(workers) or hasattr(workers, "submit")):
        raise ValueError(
            'updating="async" needs workers that take points one by one: a number, an executor or '
            f"a Dask client, got {workers!r}"
        )
    if batch is not None:
        return batch
    n = number_of_workers(workers)
    if n is None:
        raise ValueError('updating="async": give batch=, the number of points that are out at once')
    # Some more than there are workers: one that is done finds its next point waiting.
    return 1 if n == 1 else n + 1 + n // 8


def finds_its_pace(workers: Any, updating: str | None, batch: int | None) -> bool:
    """Whether the time of the first evaluations decides how results are used: for several workers
    that take points one by one, where the user has not said anything."""
    takes_points = is_whole(workers) or hasattr(workers, "submit")
    is_open = updating is None and batch is None
    return is_open and takes_points and (number_of_workers(workers) or 1) > 1


class Batches(NamedTuple):
    """Points per batch (None: a function of N), points out at a time where results are used as
    they come (else None), and whether such a run begins in batches."""

    size: int | None
    in_flight: int | None = None
    is_measured: bool = False

    def as_stored(self, stored: dict[str, Any], has_log: bool) -> Batches:
        """As the stored run began, however many workers there are now: results depend on it.

        Points out matter where outcomes are replayed, from a log or from the checkpoint of a
        strategy; that of a plain differential evolution goes on with any number.
        """
        if self.in_flight is not None:
            is_replayed = has_log or stored.get("strategy") != EVOLUTION
            out = stored.get("points out") if is_replayed else None
            return self._replace(in_flight=out if is_whole(out) else self.in_flight)
        size = stored.get("batch", self.size)  # None where one worker had come
        is_known = size is None or is_whole(size)
        return self._replace(size=size) if self.size != 1 and is_known else self


def choose_batch(problem: Problem, given: SearchArguments) -> Batches:
    """How many points are asked for at a time.

    Immediate updating is a batch of 1. Batches of differential evolution follow from N, so that
    results do not depend on the number of workers; other searches take one point per worker.
    """
    workers, updating, batch = given.workers, given.updating, given.batch
    is_measured = finds_its_pace(workers, updating, batch)
    if updating == "async" or is_measured:
        return Batches(None, points_in_flight(workers, batch), is_measured)
    if updating == "immediate":
        if batch not in (None, 1):
            raise ValueError(f'updating="immediate" means batch=1, got batch={batch}')
        return Batches(1)
    one_by_one = is_whole(workers) and workers == 1 and problem.rows is None
    if updating is None and batch is None and one_by_one:
        return Batches(1)
    if batch is None and kind_of(given.settings or given.algorithm)[0] != EVOLUTION:
        batch = number_of_workers(workers)
        return Batches(None if batch == 1 else batch)
    return Batches(batch)


@dataclass(frozen=True)
class SearchArguments:
    """The arguments of `minimize` that decide the search; explained there. What needs no problem is
    checked when they are made: before any function of the user is called.

    is_seeded: whether `rng` is the user's. polish: whether a local search ends the run.
    """

    algorithm: Any = AUTO
    settings: Any = None
    maxfev: Any = None
    x0: Any = None
    init: Any = "uniform"
    target: Any = None
    eq_tol: Any = 1e-4
    ineq_tol: Any = 0.0
    constraint_scale: Any = "auto"
    rng: Any = None
    log_scale: Any = None
    checkpoints: Any = 2000
    workers: Any = 1
    updating: str | None = None
    batch: Any = None
    maxtime: Any = None
    is_seeded: bool = True
    polish: bool = False

    def __post_init__(self) -> None:
        if self.settings is not None and not isinstance(self.settings, Constants):
            raise ValueError(f"settings must be a Settings, got {self.settings!r}")
        if not isinstance(self.algorithm, str | Constants):
            raise ValueError(f"algorithm must be a name or a Settings, got {self.algorithm!r}")
        if self.updating not in (None, "immediate", "deferred", "async"):
            raise ValueError(
                f'updating must be None, "immediate", "deferred" or "async", got {self.updating!r}'
            )
        if self.maxtime is not None and not checked_number("maxtime", self.maxtime) >= 0:
            raise ValueError(f"maxtime must be >= 0, got {self.maxtime!r}")
        put = object.__setattr__
        put(self, "target", goal_of(self.target))
        if self.maxfev is not None:
            put(self, "maxfev", checked_budget(self.maxfev))
        if self.batch is not None:
            put(self, "batch", checked_count("batch", self.batch))
        put(self, "checkpoints", checked_count("checkpoints", self.checkpoints))


def make_spec(
    problem: Problem,
    given: SearchArguments,
    stored: dict[str, Any] | None = None,
    has_log: bool = False,
) -> RunSpec:
    """Put together what decides a run, and check what depends on the problem.

    stored: the description of the run on disk that this one goes on with. has_log: whether there is
    a log of evaluations.
    """
    settings, algorithm = given.settings, given.algorithm
    maxfev = COMPETITION_BUDGET * problem.dim if given.maxfev is None else given.maxfev
    batches = choose_batch(problem, given)
    if given.batch is None and stored:
        batches = batches.as_stored(stored, has_log)
    kind, base = kind_of(settings if settings is not None and algorithm == AUTO else algorithm)
    kind = kind_for(kind, problem)
    if given.polish and kind == EVOLUTION:  # the others end with a local search anyway
        kind = POLISH
    constants = settings or base
    if isinstance(constants, str):
        constants = constants_of(kind, constants, problem.dim, maxfev)
    n0 = constants.initial_size(problem.dim, maxfev)
    scale = given.constraint_scale
    if isinstance(scale, str) and scale == "auto":
        scale = constants.AUTOMATIC_SCALE
    limits = Limits.of(problem, given.eq_tol, given.ineq_tol, scale)
    logarithmic = checked_log(given.log_scale, problem)
    seed = seed_of(stored_seed(stored) if given.rng is None else given.rng)
    start = ALL_RANDOM
    if given.x0 is not None or not isinstance(given.init, str) or given.init != UNIFORM:
        start = make_start(problem, given.x0, given.init, n0, seed, logarithmic)
    return RunSpec(
        problem=problem,
        strategy=kind,
        settings=constants,
        limits=limits,
        maxfev=maxfev,
        start=start,
        log_variables=logarithmic,
        goal=given.target,
        batch=batches.size,
        in_flight=batches.in_flight,
        checkpoints=given.checkpoints,
        maxtime=given.maxtime,
        seed=seed,
        is_seeded=given.is_seeded,
        is_measured=batches.is_measured,
        is_preset=settings is None and isinstance(base, str),
    )


def goal_of(target: Any) -> float:
    """f that is good enough: any feasible one for infinity, none for None."""
    if target is None:
        return -math.inf
    return math.inf if target == math.inf else checked_number("target", target)


def seed_of(rng: Any) -> np.random.SeedSequence:
    """The seed of a run, from whatever `numpy.random.default_rng` accepts."""
    if isinstance(rng, np.random.Generator | np.random.BitGenerator | np.random.RandomState):
        words = np.random.default_rng(rng).integers(0, 2**32, size=8, dtype=np.uint32)
        rng = np.random.SeedSequence(words.tolist())
    elif not isinstance(rng, np.random.SeedSequence):
        try:
            rng = np.random.SeedSequence(rng)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"rng must be what numpy.random.default_rng accepts, got {rng!r}"
            ) from error
    return rng


def run_on_disk(checkpoint: Any, evaluations: Any) -> dict[str, Any] | None:
    """The description of the run that goes on from a file; None where there is none."""
    stored = None if evaluations is None else stored_run(evaluations)
    if stored is None and checkpoint is not None:
        with contextlib.suppress(FileNotFoundError):
            stored = described(load_state(checkpoint)[1], os.fspath(checkpoint))
    return stored


def stored_seed(description: dict[str, Any] | None) -> np.random.SeedSequence | None:
    """The seed of a run in a file, for a call without one of its own."""
    if description is None or "entropy" not in description:
        return None
    try:
        key = tuple(int(part) for part in description["spawn_key"])
        return np.random.SeedSequence(json.loads(description["entropy"]), spawn_key=key)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise RunFileError(f"the stored run has no seed that can be used: {error}") from error


def checked_log(log_scale: Any, problem: Problem) -> NDArray[np.bool_] | None:
    """Flags of the variables searched on a logarithmic scale; their bounds must be positive."""
    if log_scale is None:
        variables = problem.variables
        if variables is None or not variables.logarithmic.any():
            return None
        return variables.logarithmic
    given = np.asarray(log_scale)
    if given.shape not in ((), (problem.dim,)) or not np.isin(given, (0, 1)).all():
        raise ValueError(f"log_scale must be one flag or {problem.dim}, got {log_scale!r}")
    flags = np.broadcast_to(given.astype(bool), problem.dim).copy()
    bad = flags & (problem.lower <= 0)
    if bad.any():
        j = int(np.flatnonzero(bad)[0])
        raise ValueError(f"log_scale[{j}]: the lower bound must be > 0, got {problem.lower[j]}")
    if problem.integrality is not None and (flags & problem.integrality).any():
        raise ValueError("a variable cannot be both integer and on a logarithmic scale")
    return flags


def checked_budget(maxfev: Any) -> int:
    """maxfev as a whole number."""
    if isinstance(maxfev, float) and maxfev.is_integer():  # 1e5
        maxfev = int(maxfev)
    budget = checked_count("maxfev", maxfev)
    if budget > LARGEST_BUDGET:
        raise ValueError(f"maxfev must be at most {LARGEST_BUDGET:g}, got {maxfev:g}")
    return budget
