"""`minimize`: one call from a function, bounds and constraints to an honest answer."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.api.task import (
    Task,
    checked_budget,
    checked_log,
    make_initial,
    make_limits,
    make_problem,
    make_settings,
)
from rdex.engine.settings import Settings
from rdex.problem.problem import Problem

if TYPE_CHECKING:
    from rdex.api.result import Result

log = logging.getLogger("rdex")

#: Runs expected to take longer than this many seconds are announced.
LONG_RUN = 3600.0


def minimize(
    fun: Callable[..., Any] | Problem,
    bounds: Any = None,
    args: Any = (),
    *,
    constraints: Any = (),
    x0: Any = None,
    init: Any = "uniform",
    algorithm: str | Settings = "rdex-csop",
    maxfev: int | None = None,
    target: float | None = None,
    eq_tol: Any = 1e-4,
    ineq_tol: Any = 0.0,
    constraint_scale: Any = "auto",
    rng: Any = None,
    integrality: Any = None,
    log_scale: Any = None,
    workers: Any = 1,
    vectorized: bool | str = False,
    updating: str | None = None,
    batch: int | None = None,
    callback: Callable[[Any], Any] | None = None,
    progress: bool = False,
    maxtime: float | None = None,
    tol: float | None = None,
    polish: bool | Callable[..., Any] = False,
    checkpoint: str | os.PathLike[str] | None = None,
    on_error: str = "penalize",
    variable_names: Sequence[str] | None = None,
    constraint_names: Sequence[str] | None = None,
    checkpoints: int = 2000,
    settings: Settings | None = None,
) -> Result:
    """Minimise a function over a box, subject to constraints.

    Parameters
    ----------
    fun : callable or Problem
        ``fun(x, *args) -> float``. A `Problem` (see `Problem.from_function`) where one call gives
        the objective and all constraints; then bounds and constraints are its own. Functions
        compiled by `numba.njit` run without returning to Python.
    bounds : scipy.optimize.Bounds or sequence of (low, high)
        Finite; the function is never called outside.
    args : tuple
        Further arguments of `fun`.
    constraints : constraint or sequence of constraints
        `scipy.optimize.NonlinearConstraint`, `LinearConstraint`, or dicts with 'type' and 'fun'
        ('ineq' means fun(x) >= 0, as in SciPy). Equal bounds make an equality. Every constraint
        function is called once at the centre of the box to learn how many values it has.
    x0 : (d,) or (k, d) array
        Points to start from; they replace the first of the initial population.
    init : "uniform", "latinhypercube", "sobol" or (k, d) array
        The rest of the initial population.
    algorithm : str or Settings
        "rdex-csop", "rdex", "cl-srde", "rde26".
    maxfev : int
        Budget of evaluations, default 20000 a variable. It is part of the algorithm: the
        population shrinks and the constraints tighten with the share that is used.
    target : float
        Stop at a feasible point with f <= target.
    eq_tol, ineq_tol : float or array
        |h| > eq_tol and g > ineq_tol count as violated.
    constraint_scale : "auto", "none" or array
        What violations are divided by before they are averaged; "auto" takes the median size of
        each constraint over the initial population, so that units do not matter.
    rng : anything `numpy.random.default_rng` accepts
    integrality : bool or (d,) array
        True where a variable takes whole numbers.
    log_scale : bool or (d,) array
        True where a variable is searched on a logarithmic scale; its lower bound must be > 0.
    workers : int, executor, Dask client or map-like callable
        -1: one process a core. One task is f and all constraints of one point.
    vectorized : False, True or "rows"
        True: `fun` takes (d, n) and returns (n,), constraints return (m, n), as in SciPy.
        "rows": `fun` takes (n, d), constraints return (n, m).
    updating : None, "immediate" or "deferred"
        Whether each result is used at once or after a batch; None chooses immediate for one
        worker and a scalar function.
    batch : int
        Size of a batch, default max(1, min(32, N // 8)). For one seed and batch results are
        the same for any number of workers.
    callback : callable
        ``callback(intermediate_result)`` once a generation; True or StopIteration ends the run.
    progress : bool
        Show progress on standard error.
    maxtime : float
        Stop after this many seconds.
    tol : float
        Stop once P is feasible and its objective values lie within tol · max(1, |f|).
    polish : bool or callable
        Refine the answer with SciPy's SLSQP, or by ``polish(result, problem) -> x``; kept only if
        it is better. Its evaluations are counted in `nfev`, beyond maxfev.
    checkpoint : path
        File the run is kept in, every 30 s, at the end and on Ctrl-C or SIGTERM; the same call
        goes on from it exactly.
    on_error : "penalize" or "raise"
        What an exception in `fun` does after the first evaluation.
    variable_names, constraint_names : sequence of str
        Names for reports, constraints with inequalities first.
    checkpoints : int
        Number of records in `result.history`.
    settings : Settings
        Constants of one's own, used as they are, instead of `algorithm`.

    Returns
    -------
    Result
        `scipy.optimize.OptimizeResult` with more fields; `success` means feasible. Without a
        feasible point, x is the one that violates the constraints least.

    Examples
    --------
    >>> import rdex
    >>> from scipy.optimize import LinearConstraint
    >>> result = rdex.minimize(
    ...     lambda x: x @ x, [(-5, 5)] * 2,
    ...     constraints=LinearConstraint([[1, 1]], 1, 1), maxfev=5000, rng=1)
    >>> result.success, round(result.fun, 3)
    (True, 0.5)
    """
    from rdex.api.checkpoint import Checkpoint
    from rdex.api.polish import polished
    from rdex.api.progress import Progress
    from rdex.api.result import make_result
    from rdex.api.runner import Watch, run
    from rdex.engine.engine import Engine
    from rdex.evaluation.gate import Gate

    problem = make_problem(
        fun, bounds, args, constraints, vectorized, integrality, variable_names, constraint_names
    )
    check_choices(on_error, updating, batch, workers, tol, maxtime)
    budget = checked_budget(maxfev, problem.dim)
    constants = make_settings(algorithm, settings)
    n0 = constants.initial_size(problem.dim, budget)
    size = choose_batch(problem, workers, vectorized, updating, batch)
    words, design = split_rng(rng)
    task = Task(
        problem,
        constants,
        make_limits(problem, eq_tol, ineq_tol, constraint_scale),
        budget,
        make_initial(problem, x0, init, n0, design),
        checked_log(log_scale, problem),
        -np.inf if target is None else float(target),
        size,
    )
    engine = Engine(
        problem,
        constants,
        budget,
        words,
        checkpoints=checkpoints,
        limits=task.limits,
        initial=task.initial,
        log_variables=task.log_variables,
        capacity=max(64, 2 * (size or 1) + 2),
        goal=task.goal,
    )
    keeper = None if checkpoint is None else Checkpoint(checkpoint, task)
    if keeper is not None and keeper.restore(engine):
        log.info("resuming %s at %d evaluations", keeper.path, engine.nfev)
    is_fused = problem.is_compiled and size == 1 and workers == 1
    gate = None if is_fused else Gate(problem, workers, on_error, min(n0, budget))
    watch = Watch(
        engine,
        announcing_long_runs(callback, maxfev, budget, engine),
        tol,
        maxtime,
        Progress(engine) if progress else None,
        keeper,
    )
    try:
        status = run(engine, gate, size, watch)
    finally:
        if gate is not None:
            gate.close()
    result = make_result(engine, status, watch.seconds)
    return polished(result, problem, engine, polish) if polish else result


def split_rng(rng: Any) -> tuple[Any, np.random.Generator]:
    """A seed for the engine and a generator for designed initial points, from one `rng`."""
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
    # A key beside the children that `spawn` would give: the user's object stays as it is.
    design = np.random.SeedSequence(rng.entropy, spawn_key=(*rng.spawn_key, 2**31))
    return rng, np.random.default_rng(design)


def check_choices(
    on_error: Any, updating: Any, batch: Any, workers: Any, tol: Any, maxtime: Any
) -> None:
    """Arguments that have few possible values."""
    if on_error not in ("penalize", "raise"):
        raise ValueError(f'on_error must be "penalize" or "raise", got {on_error!r}')
    if updating not in (None, "immediate", "deferred"):
        raise ValueError(f'updating must be None, "immediate" or "deferred", got {updating!r}')
    if batch is not None and (isinstance(batch, bool) or not isinstance(batch, int) or batch < 1):
        raise ValueError(f"batch must be a whole number >= 1, got {batch!r}")
    if isinstance(workers, bool) or not (
        (isinstance(workers, int) and (workers >= 1 or workers == -1))
        or callable(workers)
        or hasattr(workers, "map")
    ):
        raise ValueError(f"workers must be an int >= 1, -1 or map-like, got {workers!r}")
    for label, value in (("tol", tol), ("maxtime", maxtime)):
        if value is not None and not value >= 0:
            raise ValueError(f"{label} must be >= 0, got {value!r}")


def choose_batch(
    problem: Problem, workers: Any, vectorized: Any, updating: str | None, batch: int | None
) -> int | None:
    """1 for immediate updating, else the given size, or None for the default function of N."""
    at_once = isinstance(workers, int) and workers == 1 and problem.rows is None
    if updating == "immediate":
        if not at_once and batch not in (None, 1):
            raise ValueError('updating="immediate" evaluates one point at a time: batch must be 1')
        return 1
    if updating is None and batch is None and at_once:
        return 1
    return batch


def announcing_long_runs(
    callback: Callable[[Any], Any] | None, maxfev: int | None, budget: int, engine: Any
) -> Callable[[Any], Any] | None:
    """The callback, wrapped to say once how long the default budget will take, if long."""
    if maxfev is not None:
        return callback
    start = time.monotonic()
    said = False

    def announce(present: Any) -> Any:
        nonlocal said
        if not said and present.nfev:
            said = True
            estimate = (time.monotonic() - start) / present.nfev * budget
            if estimate > LONG_RUN:
                log.warning(
                    "the default budget of %d evaluations will take about %.1f hours; "
                    "give maxfev= or maxtime= for a shorter run",
                    budget,
                    estimate / 3600,
                )
        return callback(present) if callback is not None else False

    return announce
