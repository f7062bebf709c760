"""From the arguments of `minimize` to a `Problem`."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.problem.calling import Presenting
from rdex.problem.constraints import names_of, read_constraints, stated_of
from rdex.problem.functions import OneFunction, SeparateFunctions, VectorisedFunctions
from rdex.problem.jitted import compile_functions, is_jitted
from rdex.problem.problem import Problem, checked_integrality, checked_layout, read_bounds
from rdex.problem.variables import read_variables

log = logging.getLogger("rdex")


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
    units: Mapping[str, str] | None = None,
    call: str | None = None,
) -> Problem:
    """The problem behind `fun`: a Problem as it is, or functions put together.

    Cheap constraints are put in front of either, units are put on either.
    """
    problem = plain_problem(
        fun, bounds, args, constraints, vectorized, integrality, variable_names,
        None if is_given(cheap_constraints) else constraint_names, call,
    )  # fmt: skip
    if is_given(cheap_constraints):
        present = Presenting(problem.variables, call)
        problem = with_cheap_constraints(problem, cheap_constraints, constraint_names, present)
    if units is None:
        return problem
    return dataclasses.replace(problem, units={**problem.units, **units})


def with_cheap_constraints(
    problem: Problem,
    cheap_constraints: Any,
    constraint_names: Sequence[str] | None,
    present: Presenting,
) -> Problem:
    """The problem with cheap constraints in front; the names are those of all constraints."""
    from rdex.evaluation.skipping import with_cheap

    probe = middle(problem.lower, problem.upper, problem.integrality)
    sources = read_constraints(cheap_constraints, probe, present=present)
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
    call: str | None,
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
    variables = read_variables(bounds)
    if variables is not None:
        if variable_names is not None:
            variables = variables.renamed(variable_names)
        whole = variables.whole if whole is None else whole | variables.whole
        variables = variables.with_whole(whole)
    present = Presenting(variables, call, layout)
    sources = read_constraints(constraints, middle(lower, upper, whole), layout, present)
    name = getattr(fun, "__name__", "problem").strip("<>")
    fun = present(fun)
    parts = SeparateFunctions(fun, extra, sources)
    g_names, h_names = names_of(sources)
    g_stated, h_stated = stated_of(sources)
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
        compile=(lambda: compile_functions(fun, sources, lower.size)) if is_fused else None,
        name=name,
        integrality=whole,
        variable_names=tuple(variable_names or ()),
        variables=variables,
        constraint_names=tuple(constraint_names or (*g_names, *h_names)),
        stated=(*g_stated, *h_stated),
    )


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
