"""The problem on the models: minimise the model of f subject to models of the constraints.

It is elastic: min m_f / s_f + ρ t subject to (m_c − limit) / s_c + margin <= t, t >= 0, so that it
has a solution even if the models say that no point is feasible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rdex.models.surrogate import Surrogate
from rdex.problem.problem import Floats
from rdex.solvers.sqp import Slopes, Values, solve, sqp_steps
from rdex.strategies.scout.knowledge import Sides

#: Steps of the solver on the models: at most, at least, and how much work they may be.
MOST_ITERATIONS, LEAST_ITERATIONS, WORK = 25, 5, 1.5e6

#: A further condition v(z) <= t: gives v and its slope at a point.
Condition = Callable[[Floats], tuple[float, Floats]]


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

    def excess(self, values: Floats) -> Floats:
        """Scaled violations (…, r) with margins of values (…, q)."""
        excess = self.sides.excess(values, self.limits) / self.scale[self.sides.columns]
        return np.asarray(excess + self.margin)

    def merits(self, z: Floats, rho: float) -> Floats:
        """Merits of points (m, d)."""
        values = self.model.rows(z)
        t = self.excess(values).max(axis=1, initial=0.0)
        for condition in self.conditions:
            t = np.maximum(t, [condition(point)[0] for point in z])
        return np.asarray(values[:, 0] / self.scale[0] + rho * t)

    def at(self, z: Floats) -> Solution:
        """A point as a solution."""
        values = self.model.values(z)
        t = self.excess(values).max(initial=0.0)
        for condition in self.conditions:
            t = max(t, condition(z)[0])
        return Solution(z, float(values[0] / self.scale[0]), float(t))

    def solve(self, start: Floats, lower: Floats, upper: Floats, rho: float) -> Solution:
        """The best found in a box from a start inside it, if it is better than the start."""
        d = start.size
        # Variables of the solver: v = (z − lower) / (upper − lower), and t where it is needed.
        width = np.maximum(upper - lower, 1e-300)
        n_sides = self.sides.columns.size
        is_elastic = bool(n_sides + len(self.conditions))
        columns, sign = self.sides.columns, self.sides.sign
        per_scale = sign / self.scale[columns]
        conditions: list[tuple[float, Floats]] = []

        def values_at(v: Floats) -> Values:
            z = lower + v[:d] * width
            values = self.model.values(z)
            f = float(values[0] / self.scale[0])
            if not is_elastic:
                return Values(f, np.empty(0))
            conditions[:] = [condition(z) for condition in self.conditions]
            c = np.concatenate([self.excess(values), [value for value, _ in conditions]])
            return Values(f + rho * v[d], v[d] - c)

        def slopes_at(v: Floats) -> Slopes:
            slopes = self.model.slopes() * width
            of_f = slopes[0] / self.scale[0]
            if not is_elastic:
                return Slopes(of_f, np.empty((0, d)))
            c = np.ones((n_sides + len(conditions), d + 1))
            c[:n_sides, :d] = -per_scale[:, None] * slopes[columns]
            for row, (_, slope) in enumerate(conditions):
                c[n_sides + row, :d] = -slope * width
            return Slopes(np.append(of_f, rho), c)

        begin = self.at(start)
        v = np.clip((start - lower) / width, 0.0, 1.0)
        low, high = np.zeros(d), np.ones(d)
        if is_elastic:
            v = np.append(v, begin.t)
            low, high = np.append(low, 0.0), np.append(high, 10.0 + 2.0 * begin.t)
        first = values_at(v), slopes_at(v)
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


def n_iterations(d: int, n_sides: int) -> int:
    """Steps of the solver: fewer where each is more work."""
    return int(np.clip(WORK / step_work(d, n_sides), LEAST_ITERATIONS, MOST_ITERATIONS))


def n_starts(d: int, n_sides: int, most: int) -> int:
    """How many starts of the solver are worth their time."""
    one = n_iterations(d, n_sides) * step_work(d, n_sides)
    return int(np.clip(most * WORK / one, 1, most))


def step_work(d: int, n_sides: int) -> float:
    """Multiplications of one step of the solver, but for a factor."""
    return (d + 1) ** 2 * (d + 1 + n_sides)
