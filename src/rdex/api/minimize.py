"""`minimize`: one call from a function, bounds and constraints to an honest answer."""

from __future__ import annotations

import dataclasses
import logging
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rdex.api.task import checked_count, checked_number, make_problem, make_task
from rdex.engine.settings import Settings
from rdex.problem.functions import OneFunction, SeparateFunctions
from rdex.problem.problem import Problem

if TYPE_CHECKING:
    from rdex.api.result import Result

log = logging.getLogger("rdex")


def minimize(
    fun: Callable[..., Any] | Problem,
    bounds: Any = None,
    args: Any = (),
    *,
    constraints: Any = (),
    cheap_constraints: Any = (),
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
    evaluations: str | os.PathLike[str] | None = None,
    eval_timeout: float | None = None,
    retries: int = 0,
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
    cheap_constraints : constraint or sequence of constraints
        Constraints that need no simulator, of one point each; they may come with a `Problem` too.
        Where one is violated nothing else is evaluated. They stand before the others in G and H.
    x0 : (d,) or (k, d) array, or mapping
        Points to start from; they replace the first of the initial population. With known values:
        a mapping with `x`, `fun`, and `G`, `H` where there are constraints, such as an earlier
        result; these points are not evaluated again, but counted in `nfev`.
    init : "uniform", "latinhypercube", "sobol" or (k, d) array
        The rest of the initial population; what an array leaves open is uniform.
    algorithm : str or Settings
        "rdex-csop", "rdex", "cl-srde" or "rde26", with perturbations in units of the box;
        "ude-iv" or "ude-iii" (a reconstruction), another method, for comparison; or
        constants of one's own, used as they are.
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
    rng : int, Generator, SeedSequence or None
        Seed, as `numpy.random.default_rng` takes it; None: every run is new.
    integrality : bool or (d,) array
        True where a variable takes whole numbers.
    log_scale : bool or (d,) array
        True where a variable is searched on a logarithmic scale; its lower bound must be > 0.
    workers : int, executor, Dask client or map-like callable
        -1: one process a core. One task is f and all constraints of one point.
    vectorized : False, True or "rows"
        True: `fun` takes (d, n) and returns (n,), constraints return (m, n), as in SciPy.
        "rows": `fun` takes (n, d), constraints return (n, m).
    updating : None, "immediate", "deferred" or "async"
        Whether each result is used at once, after a batch, or as it comes back from workers that
        never wait; None chooses immediate for one worker and a scalar function, else deferred.
    batch : int
        Size of a batch, default max(1, min(32, N // 8)). For one seed and batch results are
        the same for any number of workers. In async runs the number of points that are out at a
        time, default a few more than there are workers; the results depend on the order in which
        they come.
    callback : callable
        ``callback(intermediate_result)`` once a generation; True or StopIteration ends the run.
    progress : bool
        Show progress on standard error.
    maxtime : float
        Stop after this many seconds; the population shrinks and the constraints tighten with the
        used share of the time where that is larger than the share of maxfev. Such runs are not
        reproducible.
    tol : float
        Stop once P is feasible and its objective values lie within tol · max(1, |f|).
    polish : bool or callable
        Refine the answer with SciPy's SLSQP, or by ``polish(result, problem) -> x``; kept only if
        it is better. Its evaluations are counted in `nfev`, beyond maxfev.
    checkpoint : path
        File the run is kept in: every 30 s, after every batch of over a second, at the end and on
        Ctrl-C or SIGTERM, which end a run and return what it has. The same call goes on from it
        exactly; with a larger `maxfev` it goes on with a new schedule.
    evaluations : path
        CSV file that every evaluation is appended to as it comes back. The same call takes what
        is in it instead of evaluating, and a point that comes up again is read from it.
    eval_timeout : float
        Seconds after which an evaluation has failed; its process is ended.
    retries : int
        How often an evaluation that raises, kills its process or takes too long is repeated.
    on_error : "penalize" or "raise"
        What an exception in `fun` does after the first evaluation.
    variable_names, constraint_names : sequence of str
        Names for reports, constraints with inequalities first.
    checkpoints : int
        Number of records in `result.history`.
    settings : Settings
        The same as giving them as `algorithm`.

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
    from rdex.api.simulator import (
        Precautions,
        check_precautions,
        facts_of,
        known_best,
        make_flight,
        make_gate,
        result_fields,
        stored_seed,
    )
    from rdex.api.status import Status

    check_choices(on_error, workers, callback, polish, checkpoint, tol, maxtime)
    check_precautions(eval_timeout, retries, evaluations)
    problem = make_problem(
        fun, bounds, args, constraints, vectorized, integrality, variable_names, constraint_names,
        cheap_constraints,
    )  # fmt: skip
    size = choose_batch(problem, workers, updating, batch)
    is_async = updating == "async"
    task = make_task(
        with_working_compiler(problem),
        algorithm=algorithm,
        settings=settings,
        maxfev=maxfev,
        x0=x0,
        init=init,
        target=target,
        eq_tol=eq_tol,
        ineq_tol=ineq_tol,
        constraint_scale=constraint_scale,
        rng=stored_seed(evaluations) if rng is None else rng,
        log_scale=log_scale,
        checkpoints=checkpoints,
        batch=size,
        further={"updating": "async"} if is_async else {},
    )
    task = dataclasses.replace(task, is_seeded=rng is not None)
    engine = task.engine(capacity=max(64, 2 * (size or 1) + 4))
    keeper = None if checkpoint is None else Checkpoint(checkpoint, task, maxtime)
    if keeper is not None:
        keeper.begin(engine)
    flight = make_flight(engine, keeper) if is_async else None
    taken = Precautions(workers, on_error, eval_timeout, retries, evaluations, is_async, maxtime)
    gate = make_gate(task, taken, engine, keeper)
    watch = Watch(
        engine,
        gate,
        n_initial=task.n_initial,
        callback=callback,
        tol=tol,
        maxtime=maxtime,
        progress=Progress(engine) if progress else None,
        checkpoint=keeper,
        estimate=maxfev is None,
        elapsed=gate.elapsed,
    )
    if keeper is not None:
        keeper.facts = lambda: facts_of(gate, flight, watch.seconds)
    try:
        status = run(engine, gate, size, watch, flight)
    finally:
        gate.close()
    result = make_result(engine, status, watch.seconds, known_best(gate, engine.best))
    result.update(result_fields(gate, keeper, watch.seconds))
    if polish and status != Status.INTERRUPTED:
        return polished(result, task.problem, engine, polish)
    return result


def check_choices(
    on_error: Any,
    workers: Any,
    callback: Any,
    polish: Any,
    checkpoint: Any,
    tol: Any,
    maxtime: Any,
) -> None:
    """Arguments that need nothing else to be judged."""
    if on_error not in ("penalize", "raise"):
        raise ValueError(f'on_error must be "penalize" or "raise", got {on_error!r}')
    is_number = isinstance(workers, int) and not isinstance(workers, bool)
    is_map = callable(workers) or hasattr(workers, "map")
    if not (workers >= 1 or workers == -1 if is_number else is_map):
        raise ValueError(f"workers must be an int >= 1, -1 or map-like, got {workers!r}")
    if callback is not None and not callable(callback):
        raise ValueError(f"callback must be callable, got {callback!r}")
    if not isinstance(polish, bool) and not callable(polish):
        raise ValueError(f"polish must be True, False or callable, got {polish!r}")
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        raise ValueError(f"checkpoint must be a path, got {checkpoint!r}")
    for label, value in (("tol", tol), ("maxtime", maxtime)):
        if value is not None and not checked_number(label, value) >= 0:
            raise ValueError(f"{label} must be >= 0, got {value!r}")


def choose_batch(
    problem: Problem, workers: Any, updating: str | None, batch: int | None
) -> int | None:
    """1 for immediate updating, else the given size, or None for the default function of N; for
    asynchronous runs the number of points that are out at a time."""
    if updating not in (None, "immediate", "deferred", "async"):
        raise ValueError(
            f'updating must be None, "immediate", "deferred" or "async", got {updating!r}'
        )
    if batch is not None:
        batch = checked_count("batch", batch)
    if updating == "async":
        from rdex.api.simulator import points_in_flight

        return points_in_flight(workers, batch)
    if updating == "immediate":
        if batch not in (None, 1):
            raise ValueError(f'updating="immediate" means batch=1, got batch={batch}')
        return 1
    one_by_one = isinstance(workers, int) and workers == 1 and problem.rows is None
    if updating is None and batch is None and one_by_one:
        return 1
    return batch


def with_working_compiler(problem: Problem) -> Problem:
    """The problem, compiled if it can be; jitted functions numba cannot join stay in Python."""
    if not problem.is_compiled:
        return problem
    try:
        _ = problem.compiled
    except Exception as error:
        if not isinstance(problem.point, SeparateFunctions | OneFunction):
            raise
        reason = str(error).strip().splitlines() or [type(error).__name__]
        log.warning(
            "%s does not fit the compiled loop and is called from Python: %s",
            problem.name,
            reason[0],
        )
        return dataclasses.replace(problem, compile=None)
    return problem
