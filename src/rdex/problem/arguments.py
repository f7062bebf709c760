"""From the arguments of `minimize` to a `Problem`."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.common.text import printable
from rdex.problem.cheap_first import with_cheap
from rdex.problem.checks import TRANSPOSED, checked_integrality, checked_layout, read_bounds
from rdex.problem.constraints import names_of, read_constraints, stated_of
from rdex.problem.functions import (
    OneFunction,
    Presenting,
    SeparateFunctions,
    VectorisedFunctions,
    is_jitted,
)
from rdex.problem.jitted import compile_functions, is_called_alone
from rdex.problem.problem import Problem

log = logging.getLogger("rdex")


class ProblemArguments(NamedTuple):
    """The arguments of `minimize` that say what is to be solved; explained there."""

    fun: Any
    bounds: Any = None
    args: Any = ()
    constraints: Any = ()
    vectorized: Any = False
    integrality: Any = None
    variable_names: Sequence[str] | None = None
    constraint_names: Sequence[str] | None = None
    cheap_constraints: Any = ()
    units: Mapping[str, str] | None = None
    call: str | None = None


def make_problem(given: ProblemArguments) -> Problem:
    """The problem behind `fun`: a Problem as it is, or functions put together.

    Cheap constraints are put in front of either, units are put on either.
    """
    if isinstance(given.fun, Problem):
        problem = own_problem(given)
    else:
        problem = joined_functions(given)
    if is_given(given.cheap_constraints):
        present = Presenting(problem.variables, given.call)
        probe = middle(problem.lower, problem.upper, problem.integrality)
        sources = read_constraints(given.cheap_constraints, probe, present=present)
        problem = with_cheap(problem, sources)
        if given.constraint_names is not None:
            problem = dataclasses.replace(problem, constraint_names=tuple(given.constraint_names))
    if given.units is not None:
        problem = dataclasses.replace(problem, units={**problem.units, **given.units})
    return problem


def own_problem(given: ProblemArguments) -> Problem:
    """The user's `Problem`, which has its own bounds, constraints and names."""
    is_named = given.constraint_names is not None and not is_given(given.cheap_constraints)
    doubled = {
        "bounds": given.bounds is not None,
        "args": bool(given.args),
        "constraints": is_given(given.constraints),
        "vectorized": bool(given.vectorized),
        "integrality": given.integrality is not None,
        "variable_names": given.variable_names is not None,
        "constraint_names": is_named,
    }
    for label, has_value in doubled.items():
        if has_value:
            raise ValueError(f"{label} must not be given with a Problem, which has its own")
    problem: Problem = given.fun
    return problem


def joined_functions(given: ProblemArguments) -> Problem:
    """A problem from a function, bounds and constraints, without cheap ones."""
    fun, bounds, args, variable_names = given.fun, given.bounds, given.args, given.variable_names
    if not callable(fun):
        raise ValueError(f"fun must be a callable or a Problem, got {type(fun).__name__}")
    lower, upper, variables = read_bounds(bounds)
    layout = checked_layout(given.vectorized)
    extra = tuple(args) if isinstance(args, tuple | list) else (args,)
    whole = None
    if given.integrality is not None:
        whole = checked_integrality(given.integrality, lower, upper)
    if variables is not None:
        if variable_names is not None:
            variables = variables.renamed(variable_names)
        whole = variables.whole if whole is None else whole | variables.whole
        variables = variables.with_whole(whole)
    present = Presenting(variables, given.call, layout)
    sources = read_constraints(given.constraints, middle(lower, upper, whole), layout, present)
    name = getattr(fun, "__name__", "problem").strip("<>")
    fun = present(fun, extra)
    parts = SeparateFunctions(fun, sources)
    g_names, h_names = names_of(sources)
    g_stated, h_stated = stated_of(sources)
    names = None if is_given(given.cheap_constraints) else given.constraint_names
    is_fused = (
        is_jitted(fun)
        and all(is_jitted(s.function) or hasattr(s.function, "matrix") for s in sources)
        and not layout
    )
    return Problem(
        lower,
        upper,
        parts.n_ineq,
        parts.n_eq,
        rows=VectorisedFunctions(fun, sources, layout) if layout else None,
        point=None if layout else parts,
        compile=partial(compile_functions, fun, sources, lower.size) if is_fused else None,
        name=name,
        integrality=whole,
        variable_names=tuple(variable_names or ()),
        variables=variables,
        constraint_names=tuple(names or (*g_names, *h_names)),
        stated=(*g_stated, *h_stated),
    )


def is_given(constraints: Any) -> bool:
    """Whether there are constraints at all."""
    return not isinstance(constraints, Sequence) or len(constraints) > 0


def middle(lower: Any, upper: Any, whole: Any) -> NDArray[np.float64]:
    """The middle of a box, whole where a variable is."""
    probe: NDArray[np.float64] = 0.5 * lower + 0.5 * upper
    if whole is not None:
        probe[whole] = np.clip(np.round(probe), np.ceil(lower), np.floor(upper))[whole]
    return probe


def with_working_compiler(problem: Problem, evaluations: int | None = None) -> Problem:
    """The problem, compiled if it can be; jitted functions numba cannot join stay in Python.

    So do those of short runs. `evaluations`: those of the run, if this process makes them.
    """
    if not problem.is_compiled or problem.place is not None:
        return problem
    try:
        if evaluations is not None and isinstance(problem.point, SeparateFunctions):
            if is_called_alone(problem.point.fun, evaluations):
                return dataclasses.replace(problem, compile=None)
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


def say_what_is_fixed(problem: Problem) -> None:
    """Log a warning where variables have no choice: bounds may be the wrong way round."""
    lower, upper = problem.inner_bounds
    is_fixed = lower == upper
    if not is_fixed.any():
        return
    fixed = [name for name, no in zip(problem.variable_names, is_fixed, strict=True) if no]
    named = ", ".join(fixed[:5]) + (f" and {len(fixed) - 5} more" if len(fixed) > 5 else "")
    is_turned = problem.dim == 2 and is_fixed.all() and lower[0] <= lower[1]
    log.warning(
        "fixed by its bounds: %s%s", printable(named), f"; {TRANSPOSED}" if is_turned else ""
    )
