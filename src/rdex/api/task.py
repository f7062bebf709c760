"""The arguments of `minimize` and `Optimizer`, checked once and turned into what a run needs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rdex.api.start import Start, make_start
from rdex.engine.constants import Constants
from rdex.engine.settings import COMPETITION_BUDGET, Settings, preset
from rdex.engine.state import Limits
from rdex.problem.constraints import read_constraints
from rdex.problem.functions import SeparateFunctions, VectorisedFunctions
from rdex.problem.jitted import compile_functions, is_jitted
from rdex.problem.problem import (
    Problem,
    checked_integrality,
    checked_layout,
    read_bounds,
)

if TYPE_CHECKING:
    from rdex.engine.engine import Engine

#: N0 for few variables, if the budget allows it: 10 D alone converges too early there. The
#: competition's own setting, its budget from 10 variables on, stays as it is.
LEAST_POPULATION = 200
COMPETITION_DIM = 10


@dataclass(frozen=True)
class Task:
    """A problem and everything that decides how it is searched."""

    problem: Problem
    settings: Constants
    limits: Limits
    maxfev: int
    start: Start
    log_variables: NDArray[np.bool_] | None
    goal: float
    batch: int | None
    checkpoints: int
    seed: np.random.SeedSequence
    is_seeded: bool
    further: dict[str, Any] = field(default_factory=dict)  # for the description of the run

    @property
    def n_initial(self) -> int:
        """Evaluations of the initialisation."""
        return min(self.settings.initial_size(self.problem.dim, self.maxfev), self.maxfev)

    def engine(self, capacity: int) -> Engine:
        """The run at its beginning, what is known already told."""
        from rdex.engine.engine import Engine

        engine = Engine(
            self.problem,
            self.settings,
            self.maxfev,
            self.seed,
            checkpoints=self.checkpoints,
            limits=self.limits,
            initial=self.start.points,
            log_variables=self.log_variables,
            capacity=capacity,
            goal=self.goal,
        )
        for x, f, g, h in self.start.known[: self.n_initial]:
            engine.inject(x, f, g, h)
        return engine


def make_task(
    problem: Problem,
    *,
    algorithm: Any,
    settings: Any,
    maxfev: Any,
    x0: Any,
    init: Any,
    target: Any,
    eq_tol: Any,
    ineq_tol: Any,
    constraint_scale: Any,
    rng: Any,
    log_scale: Any,
    checkpoints: Any,
    batch: int | None = None,
    further: dict[str, Any] | None = None,
) -> Task:
    """Check everything that decides a run, and put it together."""
    budget = checked_budget(maxfev, problem.dim)
    constants = make_settings(algorithm, settings, problem.dim, budget)
    logarithmic = checked_log(log_scale, problem)
    seed, design = split_rng(rng)
    n0 = constants.initial_size(problem.dim, budget)
    return Task(
        problem,
        constants,
        make_limits(problem, eq_tol, ineq_tol, constraint_scale),
        budget,
        make_start(problem, x0, init, n0, design, logarithmic),
        logarithmic,
        -math.inf if target is None else checked_number("target", target),
        batch,
        checked_count("checkpoints", checkpoints),
        seed,
        rng is not None,
        further or {},
    )


def make_problem(
    fun: Any,
    bounds: Any,
    args: Any,
    constraints: Any,
    vectorized: Any,
    integrality: Any,
    variable_names: Sequence[str] | None,
    constraint_names: Sequence[str] | None,
    cheap_constraints: Any = (),
) -> Problem:
    """The problem behind `fun`: a Problem as it is, or functions put together.

    Cheap constraints are put in front of either.
    """
    problem = plain_problem(
        fun, bounds, args, constraints, vectorized, integrality, variable_names,
        None if is_given(cheap_constraints) else constraint_names,
    )  # fmt: skip
    if not is_given(cheap_constraints):
        return problem
    from rdex.evaluation.cheap import with_cheap

    sources = read_constraints(
        cheap_constraints, middle(problem.lower, problem.upper, problem.integrality)
    )
    problem = with_cheap(problem, sources)
    if constraint_names is not None:
        problem = dataclasses.replace(problem, constraint_names=tuple(constraint_names))
    return problem


def is_given(constraints: Any) -> bool:
    """Whether there are constraints at all."""
    return not isinstance(constraints, Sequence) or len(constraints) > 0


def middle(lower: Any, upper: Any, whole: Any) -> NDArray[np.float64]:
    """The middle of a box, whole where a variable is."""
    probe: NDArray[np.float64] = 0.5 * lower + 0.5 * upper
    if whole is not None:
        probe[whole] = np.clip(np.round(probe), np.ceil(lower), np.floor(upper))[whole]
    return probe


def plain_problem(
    fun: Any,
    bounds: Any,
    args: Any,
    constraints: Any,
    vectorized: Any,
    integrality: Any,
    variable_names: Sequence[str] | None,
    constraint_names: Sequence[str] | None,
) -> Problem:
    """The problem without cheap constraints."""
    if isinstance(fun, Problem):
        given = {
            "bounds": bounds is not None,
            "args": bool(args),
            "constraints": is_given(constraints),
            "vectorized": bool(vectorized),
            "integrality": integrality is not None,
            "variable_names": variable_names is not None,
            "constraint_names": constraint_names is not None,
        }
        for label, has_value in given.items():
            if has_value:
                raise ValueError(f"{label} must not be given with a Problem, which has its own")
        return fun
    if not callable(fun):
        raise ValueError(f"fun must be a callable or a Problem, got {type(fun).__name__}")
    lower, upper = read_bounds(bounds)
    layout = checked_layout(vectorized)
    extra = tuple(args) if isinstance(args, tuple | list) else (args,)
    whole = None if integrality is None else checked_integrality(integrality, lower, upper)
    sources = read_constraints(constraints, middle(lower, upper, whole), layout)
    parts = SeparateFunctions(fun, extra, sources)
    names = [source.names for source in sources]
    default_names = [n for g, _ in names for n in g] + [n for _, h in names for n in h]
    is_fused = (
        is_jitted(fun)
        and all(is_jitted(s.function) or hasattr(s.function, "matrix") for s in sources)
        and not (layout or extra or any(s.args for s in sources))
    )
    return Problem(
        lower,
        upper,
        parts.n_ineq,
        parts.n_eq,
        rows=VectorisedFunctions(fun, extra, sources, layout) if layout else None,
        point=None if layout else parts,
        compile=(lambda: compile_functions(fun, sources)) if is_fused else None,
        name=getattr(fun, "__name__", "problem").strip("<>"),
        integrality=whole,
        variable_names=tuple(variable_names or ()),
        constraint_names=tuple(constraint_names or default_names),
    )


def make_settings(algorithm: Any, settings: Any, dim: int, budget: int) -> Constants:
    """The constants: as given, or a preset, of the RDEx family fitted to the box and budget."""
    for label, value in (("settings", settings), ("algorithm", algorithm)):
        if isinstance(value, Constants):
            return value
        if not (value is None if label == "settings" else isinstance(value, str)):
            kinds = "a Settings" if label == "settings" else "a name or a Settings"
            raise ValueError(f"{label} must be {kinds}, got {value!r}")
    constants = preset(algorithm)
    if not isinstance(constants, Settings):
        return constants
    is_competition = dim >= COMPETITION_DIM and budget >= COMPETITION_BUDGET * dim
    n0 = constants.initial_size(dim, budget, least=0 if is_competition else LEAST_POPULATION)
    return constants.replace(perturb_unit="range", n0=n0)


def make_limits(problem: Problem, eq_tol: Any, ineq_tol: Any, scale: Any) -> Limits:
    """Tolerances and scales, checked against the numbers of constraints."""
    tolerances = []
    for label, value, count in (
        ("eq_tol", eq_tol, problem.n_eq),
        ("ineq_tol", ineq_tol, problem.n_ineq),
    ):
        array = as_floats(label, value)
        if array.ndim and array.shape != (count,):
            raise ValueError(f"{label} must be one number or {count}, got shape {array.shape}")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise ValueError(f"{label} must be finite and >= 0, got {value!r}")
        tolerances.append(array)
    if scale is None:
        scale = "none"
    if isinstance(scale, str):
        if scale not in ("auto", "none"):
            raise ValueError(f'constraint_scale must be "auto", "none" or numbers, got {scale!r}')
        return Limits(tolerances[0], tolerances[1], scale)
    array = as_floats("constraint_scale", scale)
    if array.shape != (problem.n_constraints,) or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(
            f"constraint_scale must be {problem.n_constraints} positive numbers, "
            f"inequalities first, got {scale!r}"
        )
    return Limits(tolerances[0], tolerances[1], array)


def split_rng(rng: Any) -> tuple[np.random.SeedSequence, np.random.Generator]:
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


def checked_log(log_scale: Any, problem: Problem) -> NDArray[np.bool_] | None:
    """Flags of the variables searched on a logarithmic scale; their bounds must be positive."""
    if log_scale is None:
        return None
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


def checked_budget(maxfev: Any, dim: int) -> int:
    """maxfev as a whole number; 20000 a variable where it is None."""
    if maxfev is None:
        return COMPETITION_BUDGET * dim
    if isinstance(maxfev, float) and maxfev.is_integer():  # 1e5
        maxfev = int(maxfev)
    return checked_count("maxfev", maxfev)


def checked_count(label: str, value: Any) -> int:
    """A whole number of at least 1."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < 1:
        raise ValueError(f"{label} must be a whole number >= 1, got {value!r}")
    return int(value)


def checked_number(label: str, value: Any) -> float:
    """A real number, not NaN."""
    array = as_floats(label, value)
    if array.ndim or np.isnan(array):
        raise ValueError(f"{label} must be one number, got {value!r}")
    return float(array)


def as_floats(label: str, value: Any) -> NDArray[np.float64]:
    """Numbers as an array, or a ValueError naming the argument."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{label} must be a number or numbers, got {value!r}") from None
