"""COCO: its problems as ours, and data sets of our algorithms made with its observers."""

from __future__ import annotations

from typing import Any

import numpy as np

from rdex.problem.problem import Floats, Problem


class CocoFunction:
    """(f, G) from a problem of cocoex; constraints first, as in COCO's own experiments."""

    def __init__(self, theirs: Any) -> None:
        self.theirs = theirs

    def __call__(self, x: Floats) -> tuple[float, Any]:
        """All values of one point."""
        g = self.theirs.constraint(x) if self.theirs.number_of_constraints else ()
        return float(self.theirs(x)), g


def problem_from(theirs: Any, **facts: Any) -> Problem:
    """A problem of cocoex as a `Problem`; see `Problem.from_cocoex`."""
    if theirs.number_of_objectives != 1:
        raise ValueError(f"{theirs.id}: expected one objective, got {theirs.number_of_objectives}")
    whole = np.zeros(theirs.dimension, dtype=bool)
    whole[: theirs.number_of_integer_variables] = True  # integer variables stand first
    facts.setdefault("name", theirs.id)
    if whole.any():
        facts.setdefault("integrality", whole)
    return Problem.from_function(
        CocoFunction(theirs),
        list(zip(theirs.lower_bounds, theirs.upper_bounds, strict=True)),
        n_ineq=theirs.number_of_constraints,
        **facts,
    )
