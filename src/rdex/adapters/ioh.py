"""IOHexperimenter: its problems as ours, and logs of our algorithms made with its loggers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rdex.adapters.arguments import given
from rdex.api.minimize import minimize
from rdex.common.extras import require
from rdex.problem.problem import Floats, Problem


class IohFunction:
    """(f, G) from a problem of ioh; to be minimised."""

    def __init__(self, theirs: Any) -> None:
        self.theirs = theirs
        ioh = require("ioh", "ioh")
        is_maximised = theirs.meta_data.optimization_type == ioh.OptimizationType.MAX
        self.sign = -1.0 if is_maximised else 1.0
        self.is_whole = isinstance(theirs.bounds, ioh.IntegerBounds)

    def __call__(self, x: Floats) -> tuple[float, list[float]]:
        """All values of one point; an evaluation that the loggers see."""
        point = [int(v) for v in np.round(x)] if self.is_whole else x.tolist()
        f = self.sign * float(self.theirs(point))
        return f, [violation_of(each, point) for each in constraints_of(self.theirs)]


def constraints_of(theirs: Any) -> list[Any]:
    """The constraints that users have added; the box is none of them."""
    return [theirs.constraints[k] for k in range(theirs.constraints.n())]


def violation_of(constraint: Any, point: Any) -> float:
    """How much a point violates it; the constraint keeps what it has computed last."""
    constraint.compute_violation(point)
    return float(constraint.violation())


def problem_from(theirs: Any, **facts: Any) -> Problem:
    """A problem of ioh as a `Problem`; constraints count with their violation.

    ioh adds penalties to f unless a constraint is made with ``enforced=NOT``; searches see the
    violation itself.
    """
    function = IohFunction(theirs)
    lower, upper = np.array(theirs.bounds.lb, float), np.array(theirs.bounds.ub, float)
    facts.setdefault("name", theirs.meta_data.name)
    if function.is_whole:
        facts.setdefault("integrality", np.ones(lower.size, dtype=bool))
    return Problem.from_function(
        function,
        list(zip(lower, upper, strict=True)),
        n_ineq=len(constraints_of(theirs)),
        **facts,
    )


def run_problems(
    problems: Iterable[Any],
    logger: Any,
    algorithm: Any = None,
    *,
    budget: int = 1000,
    runs: int = 1,
    seed: int = 1,
    **options: Any,
) -> None:
    """Solve problems of ioh under one of its loggers, `runs` times each.

    Parameters
    ----------
    problems : iterable of problems of ioh
    logger : such as ``ioh.logger.Analyzer(root=".", folder_name="data")``
    algorithm : str or Settings, optional
        As in `rdex.minimize`.
    budget : int
        Evaluations per variable.
    runs, seed : int
        The same seed gives the same data.
    **options
        Further arguments of `rdex.minimize`.
    """
    for number, theirs in enumerate(problems):
        theirs.attach_logger(logger)
        for run in range(runs):
            minimize(
                problem_from(theirs),
                maxfev=budget * len(theirs.bounds.lb),
                rng=np.random.SeedSequence((seed, number, run)),
                **given(algorithm=algorithm),
                **options,
            )
            theirs.reset()
        theirs.detach_logger()
