"""`minimize`: one call from a function, bounds and constraints to an honest answer."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rdex.common.text import did_you_mean
from rdex.engine.settings import Settings
from rdex.problem.arguments import (
    ProblemArguments,
    make_problem,
    say_what_is_fixed,
    with_working_compiler,
)
from rdex.problem.problem import Problem
from rdex.run.arguments import (
    RunOptions,
    SearchArguments,
    make_spec,
    run_on_disk,
)

if TYPE_CHECKING:
    from rdex.run.result import Result


def minimize(
    fun: Callable[..., Any] | Problem,
    bounds: Any = None,
    args: Any = (),
    *,
    constraints: Any = (),
    cheap_constraints: Any = (),
    x0: Any = None,
    init: Any = "uniform",
    algorithm: str | Settings = "auto",
    maxfev: int | None = None,
    target: float | None = None,
    feasibility_only: bool = False,
    eq_tol: Any = 1e-4,
    ineq_tol: Any = 0.0,
    constraint_scale: Any = "auto",
    rng: Any = None,
    integrality: Any = None,
    log_scale: Any = None,
    workers: Any = 1,
    vectorized: bool | str = False,
    call: str | None = None,
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
    on_interrupt: str = "return",
    variable_names: Sequence[str] | None = None,
    constraint_names: Sequence[str] | None = None,
    units: Mapping[str, str] | None = None,
    checkpoints: int = 2000,
    settings: Settings | None = None,
    **unknown: Any,
) -> Result:
    """Minimise a function over a box, subject to constraints.

    The arguments by purpose:

    - the problem: `fun`, `bounds`, `args`, `constraints`, `cheap_constraints`, `integrality`,
      `log_scale`, `vectorized`, `call`, `variable_names`, `constraint_names`, `units`
    - the search: `algorithm`, `settings`, `maxfev`, `x0`, `init`, `rng`, `polish`, `eq_tol`,
      `ineq_tol`, `constraint_scale`
    - when to stop: `maxfev`, `maxtime`, `target`, `tol`, `feasibility_only`, `callback`
    - parallel evaluations: `workers`, `updating`, `batch`
    - slow or failing functions: `evaluations`, `checkpoint`, `eval_timeout`, `retries`,
      `on_error`, `on_interrupt`
    - what you see: `progress`, `callback`, `checkpoints`

    Parameters
    ----------
    fun : callable or Problem
        ``fun(x, *args) -> float``. A `Problem` (see `Problem.from_function`) where one call gives
        the objective and all constraints; then bounds and constraints are its own. Functions
        compiled by `numba.njit` run without returning to Python.
    bounds : scipy.optimize.Bounds, sequence of (low, high), mapping or Variables
        Finite; the function is never called outside. A mapping names the variables: name to
        (low, high), or to a dict with `bounds`, `integer`, `choices` or `categories`; see
        `rdex.Variables`. Such dicts may stand in a sequence too.
    args : tuple
        Further arguments of `fun`.
    constraints : constraint or sequence of constraints
        Dicts with 'fun' and bounds, ``{"fun": f, "lb": 1, "ub": 4}``; one bound is enough, equal
        bounds make an equality. Or `scipy.optimize.NonlinearConstraint`, which means the same,
        `LinearConstraint`, and SciPy's dicts with 'type' and 'fun' ('ineq' means fun(x) >= 0).
        Dicts may have 'args' and a 'name'. Every constraint function is called once at the centre
        of the box to learn how many values it has.
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
        "auto" chooses by itself: models of f and of the constraints while evaluations are few or
        slow, then differential evolution with local search.
        Parts of it by name: "scout" (models), "local" (local searches from many starts),
        "rdex-csop+local" and "rdex-tide+local" (differential evolution with local search).
        Differential evolution alone: "rdex-csop" (the competition's method, with perturbations in
        units of the box) and "rdex-tide" (ours, for large budgets).
        For comparisons: "rdex", "rdex-csop-paper", "cl-srde", "rde26", "lshade", "lshade-eps",
        "ude-iv", "ude-iii".
        `rdex.algorithms()` describes each. Or your own `Settings`, used as they are.
    maxfev : int
        Budget of evaluations, default 20000 per variable. It is part of the algorithm: the
        population shrinks and the constraints tighten with the share that is used.
    target : float
        Stop at a feasible point with f <= target.
    feasibility_only : bool
        Stop at the first feasible point, and report which share of random points satisfies each
        constraint (`result.feasible_shares`).
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
        -1: one process per core. One task is f and all constraints of one point.
    vectorized : False, True or "rows"
        True: `fun` takes (d, n) and returns (n,), constraints return (m, n), as in SciPy.
        "rows": `fun` takes (n, d), constraints return (n, m).
    call : "array", "dict" or "keywords"
        How `fun` and the constraints take a design: as an array, as a dict of values by name, or
        as keyword arguments. Default: a dict where variables are named, else an array.
    updating : None, "immediate", "deferred" or "async"
        Whether each result is used at once, after a batch, or as it comes back from workers that
        never wait. None chooses: immediate for one worker and a scalar function; for more workers
        async if the first evaluations take a millisecond or more, else deferred.
        `result.updating` says which. Async runs do not repeat; "deferred" runs do.
    batch : int
        Size of a batch in deferred runs, which a batch asks for; default max(1, min(32, N // 8)).
        For one seed and batch results are the same for any number of workers. In async
        runs the number of points that are out at a time, default a few more than there are
        workers.
    callback : callable
        ``callback(intermediate_result)`` once per generation; True or StopIteration ends the run.
    progress : bool
        Show progress on standard error.
    maxtime : float
        Stop after this many seconds; the population shrinks and the constraints tighten with the
        used share of the time where that is larger than the share of maxfev. Such runs are not
        reproducible.
    tol : float
        Stop once P is feasible and its objective values lie within tol · max(1, |f|).
    polish : bool or callable
        True: the last evaluations, at most 10 % of maxfev, go to a local search from the best
        point. A callable refines the answer after the run: ``polish(result, problem) -> x``, kept
        only if it is better; its evaluations are counted in `nfev`, beyond maxfev.
    checkpoint : path
        File the run is kept in: every 30 s, after every batch of over a second, at the end and on
        Ctrl-C or SIGTERM. The same call goes on from it exactly; with a larger `maxfev` it goes on
        with a new schedule.
    evaluations : path
        CSV file that every evaluation is appended to as it comes back. The same call takes what
        is in it instead of evaluating, and a point that comes up again is read from it.
    eval_timeout : float
        Seconds after which an evaluation has failed; its process is ended.
    retries : int
        How often an evaluation that raises, kills its process or takes too long is repeated.
    on_error : "penalize" or "raise"
        What an exception in `fun` does after the first evaluation.
    on_interrupt : "return" or "raise"
        What Ctrl-C does once everything is saved: return the best so far, or raise
        KeyboardInterrupt. A second Ctrl-C within five seconds always raises it. SIGTERM saves and
        ends the program.
    variable_names, constraint_names : sequence of str
        Names for reports, constraints with inequalities first.
    units : mapping of str to str
        Units for reports, by name of a variable or constraint; "f" stands for the objective.
    checkpoints : int
        Number of records in `result.history`.
    settings : Settings
        The same as giving them as `algorithm`.

    Returns
    -------
    Result
        `scipy.optimize.OptimizeResult` with more fields; `success` means feasible. Without a
        feasible point, x is the one that violates the constraints least.

    Notes
    -----
    `rdex.algorithms()` has one line on each algorithm:

    - for use: "rdex-csop", "rdex-tide", "scout", "local", "rdex-csop+local", "rdex-tide+local",
      and any other preset with "+local"
    - for comparison: "rdex", "rdex-csop-paper", "cl-srde", "rde26", "lshade", "lshade-eps",
      "ude-iv" and "ude-iii" (a reconstruction)

    Examples
    --------
    >>> import rdex
    >>> result = rdex.minimize(
    ...     lambda x: x @ x, [(-5, 5)] * 2,
    ...     constraints={"fun": lambda x: x.sum(), "lb": 1, "ub": 1}, maxfev=200, rng=1)
    >>> result.success, round(result.fun, 3)
    (True, 0.5)
    """
    from rdex.run.driver import Driver

    if unknown:
        raise TypeError(unknown_argument(next(iter(unknown)), minimize))
    if feasibility_only and target is not None:
        raise ValueError("feasibility_only takes no target: any feasible point will do")
    options = RunOptions(
        workers=workers,
        on_error=on_error,
        eval_timeout=eval_timeout,
        retries=retries,
        evaluations=evaluations,
        checkpoint=checkpoint,
        callback=callback,
        tol=tol,
        progress=progress,
        on_interrupt=on_interrupt,
        is_default_budget=maxfev is None,
    )
    if not isinstance(polish, bool) and not callable(polish):
        raise ValueError(f"polish must be True, False or callable, got {polish!r}")
    stored = run_on_disk(checkpoint, evaluations)
    search = SearchArguments(
        algorithm=algorithm,
        settings=settings,
        maxfev=maxfev,
        x0=x0,
        init=init,
        target=math.inf if feasibility_only else target,
        eq_tol=eq_tol,
        ineq_tol=ineq_tol,
        constraint_scale=constraint_scale,
        rng=rng,
        log_scale=log_scale,
        checkpoints=checkpoints,
        workers=workers,
        updating=updating,
        batch=batch,
        maxtime=maxtime,
        is_seeded=rng is not None,
        polish=polish is True,
    )
    given = ProblemArguments(
        fun, bounds, args, constraints, vectorized, integrality, variable_names, constraint_names,
        cheap_constraints, units, call,
    )  # fmt: skip
    known = search.maxfev if options.is_plain else None
    problem = with_working_compiler(make_problem(given), known)
    say_what_is_fixed(problem)
    driver = Driver(make_spec(problem, search, stored, evaluations is not None), options)
    try:
        status = driver.run()
        from rdex.run.result import finished_result  # after the run: it imports scipy.optimize

        return finished_result(driver, status, polish)
    finally:
        driver.close()


def unknown_argument(name: str, function: Callable[..., Any]) -> str:
    """What to say about an argument that does not exist."""
    known = [key for key in inspect.signature(function).parameters if key != "unknown"]
    aliases = {"maxiter": "maxfev", "seed": "rng", "popsize": "settings"}
    hint = did_you_mean(name, known, aliases) or f"; it takes {', '.join(known)}"
    return f"{function.__name__}() has no argument {name!r}{hint}"
