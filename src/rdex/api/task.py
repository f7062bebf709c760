"""The arguments of `minimize`, checked once and turned into what the engine needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.engine.settings import Settings, preset
from rdex.engine.state import Limits
from rdex.problem.constraints import read_constraints
from rdex.problem.functions import SeparateFunctions, VectorisedFunctions
from rdex.problem.jitted import compile_functions, is_jitted
from rdex.problem.problem import (
    Floats,
    Problem,
    checked_integrality,
    checked_layout,
    read_bounds,
)

BUDGET_PER_VARIABLE = 20_000


@dataclass(frozen=True)
class Task:
    """A problem and everything that decides how it is searched."""

    problem: Problem
    settings: Settings
    limits: Limits
    maxfev: int
    initial: Floats | None
    log_variables: NDArray[np.bool_] | None
    goal: float
    batch: int | None


def make_problem(
    fun: Any,
    bounds: Any,
    args: Any,
    constraints: Any,
    vectorized: Any,
    integrality: Any,
    variable_names: Sequence[str] | None,
    constraint_names: Sequence[str] | None,
) -> Problem:
    """The problem behind `fun`: a Problem as it is, or functions put together."""
    if isinstance(fun, Problem):
        return _given_problem(fun, bounds, args, constraints, integrality)
    if not callable(fun):
        raise ValueError(f"fun must be a callable or a Problem, got {type(fun).__name__}")
    lower, upper = read_bounds(bounds)
    layout = checked_layout(vectorized)
    extra = tuple(args) if isinstance(args, tuple | list) else (args,)
    whole = None if integrality is None else checked_integrality(integrality, lower, upper)
    probe = 0.5 * lower + 0.5 * upper
    if whole is not None:
        probe[whole] = np.clip(np.round(probe), np.ceil(lower), np.floor(upper))[whole]
    sources = read_constraints(constraints, probe, layout)
    parts = SeparateFunctions(fun, extra, sources)
    names = [source.names for source in sources]
    default_names = [n for g, _ in names for n in g] + [n for _, h in names for n in h]
    jitted = is_jitted(fun) and all(
        is_jitted(s.function) or hasattr(s.function, "matrix") for s in sources
    )
    is_fused = jitted and not layout and not extra and not any(s.args for s in sources)
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


def _given_problem(
    problem: Problem, bounds: Any, args: Any, constraints: Any, integrality: Any
) -> Problem:
    """A Problem says everything itself: other descriptions beside it are a mistake."""
    for label, value in (("bounds", bounds), ("integrality", integrality)):
        if value is not None:
            raise ValueError(f"{label} must not be given with a Problem, which has its own")
    if args or np.size(constraints):
        raise ValueError("args and constraints must not be given with a Problem")
    return problem


def make_settings(algorithm: Any, settings: Any) -> Settings:
    """The constants: `settings` as given, or the preset in units of the user's box."""
    if settings is not None:
        if not isinstance(settings, Settings):
            raise ValueError(f"settings must be a Settings, got {type(settings).__name__}")
        return settings
    if isinstance(algorithm, Settings):
        return algorithm
    return preset(algorithm).replace(perturb_unit="range")


def make_limits(problem: Problem, eq_tol: Any, ineq_tol: Any, scale: Any) -> Limits:
    """Tolerances and scales, checked against the numbers of constraints."""
    tolerances = []
    for label, value, count in (
        ("eq_tol", eq_tol, problem.n_eq),
        ("ineq_tol", ineq_tol, problem.n_ineq),
    ):
        array = np.asarray(value, dtype=np.float64)
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
    else:
        scale = np.asarray(scale, dtype=np.float64)
        if scale.shape != (problem.n_constraints,) or not (np.isfinite(scale) & (scale > 0)).all():
            raise ValueError(
                f"constraint_scale must be {problem.n_constraints} positive numbers, "
                f"inequalities first, got {scale!r}"
            )
    return Limits(tolerances[0], tolerances[1], scale)


def make_initial(
    problem: Problem, x0: Any, init: Any, n0: int, rng: np.random.Generator
) -> Floats | None:
    """Initial points (k, d) that replace the first random ones, or None.

    `x0` comes first, then what `init` gives.
    """
    parts = []
    if x0 is not None:
        parts.append(checked_points("x0", x0, problem))
    if isinstance(init, str):
        if init not in ("uniform", "latinhypercube", "sobol"):
            raise ValueError(
                f'init must be "uniform", "latinhypercube", "sobol" or an array, got {init!r}'
            )
        if init != "uniform":
            parts.append(_designed(problem, init, n0, rng))
    elif init is not None:
        parts.append(checked_points("init", init, problem))
    return np.concatenate(parts)[:n0] if parts else None


def _designed(problem: Problem, init: str, n: int, rng: np.random.Generator) -> Floats:
    """Space-filling points of the box."""
    from scipy.stats import qmc

    if init == "sobol":
        sampler = qmc.Sobol(problem.dim, rng=rng)
        unit = sampler.random_base2(max(1, math.ceil(math.log2(n))))[:n]
    else:
        unit = qmc.LatinHypercube(problem.dim, rng=rng).random(n)
    return problem.lower + unit * (problem.upper - problem.lower)


def checked_points(label: str, values: Any, problem: Problem) -> Floats:
    """Rows inside the bounds, or a ValueError naming row and variable."""
    points = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if points.ndim != 2 or points.shape[1] != problem.dim:
        raise ValueError(
            f"{label} must have shape ({problem.dim},) or (k, {problem.dim}), "
            f"got {np.shape(values)}"
        )
    outside = ~((points >= problem.lower) & (points <= problem.upper))
    if outside.any():
        i, j = np.argwhere(outside)[0]
        raise ValueError(
            f"{label}[{i}][{j}] = {points[i, j]} is outside "
            f"[{problem.lower[j]}, {problem.upper[j]}] of {problem.variable_names[j]}"
        )
    return points


def checked_log(log_scale: Any, problem: Problem) -> NDArray[np.bool_] | None:
    """Flags of the variables searched on a logarithmic scale; their bounds must be positive."""
    if log_scale is None:
        return None
    flags = np.broadcast_to(np.asarray(log_scale, dtype=bool), problem.dim).copy()
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
        return BUDGET_PER_VARIABLE * dim
    if isinstance(maxfev, float) and maxfev.is_integer():
        maxfev = int(maxfev)
    if isinstance(maxfev, bool) or not isinstance(maxfev, int | np.integer) or maxfev < 1:
        raise ValueError(f"maxfev must be a whole number >= 1, got {maxfev!r}")
    return int(maxfev)
