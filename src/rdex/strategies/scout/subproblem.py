"""The problem on the models: minimise the model of f subject to models of the constraints.

It is elastic: min m_f / s_f + ρ t subject to (m_c − limit) / s_c + margin <= t, t >= 0, so that it
has a solution even if the models say that no point is feasible.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from rdex.models.surrogate import Surrogate
from rdex.problem.problem import Floats
from rdex.solvers.sqp import Slopes, Values, solve, sqp_steps
from rdex.strategies.scout.knowledge import Sides

#: Steps of the solver on the models: at most, at least, and how much work they may be.
MOST_ITERATIONS, LEAST_ITERATIONS, WORK = 25, 5, 1.5e6


class Condition(Protocol):
    """A further condition v(z) <= t."""

    def __call__(self, z: Floats) -> tuple[float, Floats]:
        """v and its slope at a point."""

    def rows(self, z: Floats) -> Floats:
        """v at points (m, d)."""


@dataclass
class Solution:
    """A point, m_f / s_f there, and the largest violation by the models, >= 0."""

    z: Floats
    f: float
    t: float

    def merit(self, rho: float) -> float:
        """What is minimised."""
        return self.f + rho * self.t


@dataclass
class Subproblem:
    """Models, constraints and scales.

    scale: (q,) sizes of the functions. limits, margin: (r,) of the sides, as models see values,
    margins in units of the scales. conditions: further ones.
    """

    model: Surrogate
    sides: Sides
    limits: Floats
    scale: Floats
    margin: Floats
    conditions: list[Condition] = field(default_factory=list)

    def __post_init__(self) -> None:
        columns = self.sides.columns
        per_scale = self.sides.sign / self.scale[columns]
        self._scaled = self.model.scaled(
            np.concatenate([[0], columns]),
            np.concatenate([[1.0 / self.scale[0]], per_scale]),
            np.concatenate([[0.0], self.margin - per_scale * self.limits]),
        )
        self._conditions_at: list[tuple[float, Floats]] = []

    def values(self, z: Floats) -> Floats:
        """m_f / s_f at a point, then the scaled violations with margins of all sides and of all
        conditions; `slopes` then gives the slopes there."""
        values = self._scaled.values(z)
        if not self.conditions:
            return values
        self._conditions_at = [condition(z) for condition in self.conditions]
        return np.concatenate([values, [value for value, _ in self._conditions_at]])

    def slopes(self) -> Floats:
        """Of the same at the point of the last `values`, one row each."""
        slopes = self._scaled.slopes()
        if not self.conditions:
            return slopes
        return np.concatenate([slopes, [slope for _, slope in self._conditions_at]])

    def merits(self, z: Floats, rho: float) -> Floats:
        """Merits of points (m, d)."""
        values = self._scaled.rows(z)
        t = values[:, 1:].max(axis=1, initial=0.0)
        for condition in self.conditions:
            t = np.maximum(t, condition.rows(z))
        return np.asarray(values[:, 0] + rho * t)

    def at(self, z: Floats) -> Solution:
        """A point as a solution."""
        return solution(z, self.values(z))

    def solve(self, start: Floats, lower: Floats, upper: Floats, rho: float) -> Solution:
        """The best found in a box from a start inside it, if it is better than the start."""
        d = start.size
        # Variables of the solver: v = (z − lower) / (upper − lower), and t where it is needed.
        width = np.maximum(upper - lower, 1e-300)
        n_sides = self.sides.columns.size
        is_elastic = bool(n_sides + len(self.conditions))

        def elastic(values: Floats, t: float) -> Values:
            return Values(float(values[0]) + rho * t, t - values[1:])

        def values_at(v: Floats) -> Values:
            return elastic(self.values(lower + v[:d] * width), v[d] if is_elastic else 0.0)

        def slopes_at(v: Floats) -> Slopes:
            slopes = np.empty((1 + n_sides + len(self.conditions), v.size))
            slopes[0, d:], slopes[1:, d:] = rho, -1.0
            np.multiply(self.slopes(), width, out=slopes[:, :d])
            return Slopes(slopes[0], -slopes[1:])

        values = self.values(start)
        begin = solution(start, values)
        v = np.clip((start - lower) / width, 0.0, 1.0)
        low, high = np.zeros(d), np.ones(d)
        if is_elastic:
            v = np.append(v, begin.t)
            low, high = np.append(low, 0.0), np.append(high, 10.0 + 2.0 * begin.t)
        first = elastic(values, begin.t), slopes_at(v)
        steps = sqp_steps(v, low, high, first, 1e-9, n_iterations(d, n_sides))
        end = solve(steps, values_at, slopes_at)
        if not np.isfinite(end.z).all():
            return begin
        found = self.at(np.clip(lower + end.z[:d] * width, lower, upper))
        return found if found.merit(rho) < begin.merit(rho) else begin

    def solve_hard(
        self, start: Floats, lower: Floats, upper: Floats, rho: float, most: float = 1e3
    ) -> tuple[Solution, float]:
        """Solve with a larger weight of the violation while it remains; the weight used last."""
        found = self.solve(start, lower, upper, rho)
        for _ in range(2):
            if found.t <= 1e-7 or rho >= most:
                break
            rho = min(10.0 * rho, most)
            found = self.solve(found.z, lower, upper, rho)
        return found, rho


def solution(z: Floats, values: Floats) -> Solution:
    """A point with `Subproblem.values` there."""
    return Solution(z, float(values[0]), float(values[1:].max(initial=0.0)))


def n_iterations(d: int, n_sides: int) -> int:
    """Steps of the solver: fewer where each is more work."""
    affordable = WORK / step_work(d, n_sides)
    return int(min(max(affordable, LEAST_ITERATIONS), MOST_ITERATIONS))


def n_starts(d: int, n_sides: int, most: int) -> int:
    """How many starts of the solver are worth their time."""
    one = n_iterations(d, n_sides) * step_work(d, n_sides)
    return int(np.clip(most * WORK / one, 1, most))


def step_work(d: int, n_sides: int) -> float:
    """Multiplications of one step of the solver, but for a factor."""
    return (d + 1) ** 2 * (d + 1 + n_sides)
