"""Problems of pygmo as ours."""

from __future__ import annotations

from typing import Any

import numpy as np

from rdex.common.extras import require
from rdex.problem.problem import Floats, Problem


class PygmoFunction:
    """(f, G, H) from pygmo's one vector of f, equalities, inequalities."""

    def __init__(self, theirs: Any) -> None:
        self.theirs = theirs
        self.n_eq = int(theirs.get_nec())

    def __call__(self, x: Floats) -> tuple[float, Floats, Floats]:
        """All values of one point."""
        values = np.asarray(self.theirs.fitness(x), dtype=np.float64)
        return float(values[0]), values[1 + self.n_eq :], values[1 : 1 + self.n_eq]


def problem_from(theirs: Any, **facts: Any) -> Problem:
    """A `pygmo.problem`, or a user-defined one, as a `Problem`; see `Problem.from_pygmo`."""
    pygmo = require("pygmo", "pygmo")
    if not isinstance(theirs, pygmo.problem):
        theirs = pygmo.problem(theirs)
    if theirs.get_nobj() != 1:
        raise ValueError(f"expected one objective, got {theirs.get_nobj()}")
    lower, upper = theirs.get_bounds()
    whole = np.zeros(len(lower), dtype=bool)
    if theirs.get_nix():  # integer variables stand last
        whole[-theirs.get_nix() :] = True
    facts.setdefault("name", theirs.get_name())
    if whole.any():
        facts.setdefault("integrality", whole)
    return Problem.from_function(
        PygmoFunction(theirs),
        list(zip(lower, upper, strict=True)),
        n_ineq=int(theirs.get_nic()),
        n_eq=int(theirs.get_nec()),
        **facts,
    )
