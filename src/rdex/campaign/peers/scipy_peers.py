"""SciPy: differential evolution, and its local solvers from many starts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rdex.campaign.peers.points import EQ_TOL, MARGIN, Points
from rdex.problem.problem import Floats

#: SciPy's default members a variable.
POPSIZE = 15


def differential_evolution(points: Points, rng: np.random.Generator) -> None:
    """`scipy.optimize.differential_evolution` with as many generations as the budget has."""
    from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution

    limits = []
    if points.n_ineq:
        limits.append(NonlinearConstraint(points.g, -np.inf, 0.0))
    if points.n_eq:
        limits.append(NonlinearConstraint(points.h, -EQ_TOL, EQ_TOL))
    # SciPy has no populations of fewer than five.
    members = max(5, POPSIZE * points.dim)
    differential_evolution(
        points.f,
        Bounds(points.lower, points.upper),
        constraints=limits,
        maxiter=max(1, points.remaining // members - 1),
        popsize=POPSIZE,
        integrality=points.integrality,
        rng=rng,
    )


def slsqp(points: Points, rng: np.random.Generator) -> None:
    """SLSQP from one random start, in the unit box."""
    unit = UnitBox(points)
    limits = []
    if points.n_ineq:
        limits.append({"type": "ineq", "fun": lambda z: -unit.g(z) - MARGIN})
    if points.n_eq:
        limits.append({"type": "eq", "fun": unit.h})
    descend(unit, rng, "SLSQP", limits, {"maxiter": points.remaining})


def cobyqa(points: Points, rng: np.random.Generator) -> None:
    """COBYQA from one random start, in the unit box."""
    from scipy.optimize import NonlinearConstraint

    unit = UnitBox(points)
    limits = []
    if points.n_ineq:
        limits.append(NonlinearConstraint(unit.g, -math.inf, -MARGIN))
    if points.n_eq:
        limits.append(NonlinearConstraint(unit.h, 0.0, 0.0))
    descend(unit, rng, "COBYQA", limits, {"maxfev": points.remaining})


def descend(
    unit: UnitBox, rng: np.random.Generator, method: str, limits: Any, options: dict[str, Any]
) -> None:
    """One local search with the method's own tolerances."""
    from scipy.optimize import minimize

    d = unit.points.dim
    start = rng.uniform(size=d)
    minimize(
        unit.f, start, method=method, bounds=[(0.0, 1.0)] * d, constraints=limits, options=options
    )


class UnitBox:
    """The problem in the unit box: steps of finite differences and trust radii are absolute."""

    def __init__(self, points: Points) -> None:
        self.points = points

    def f(self, z: Floats) -> float:
        """The objective."""
        return self.points.f(self.points.from_unit(z))

    def g(self, z: Floats) -> Floats:
        """Inequality constraints."""
        return self.points.g(self.points.from_unit(z))

    def h(self, z: Floats) -> Floats:
        """Equality constraints."""
        return self.points.h(self.points.from_unit(z))
