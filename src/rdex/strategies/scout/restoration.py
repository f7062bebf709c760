"""The way to the constraints: Gauss-Newton steps on slopes that every step corrects.

Models over the whole box need many points until they hold equalities to their tolerance, the more
the more variables there are. Slopes at one point cost an evaluation per variable, and steps on them
one evaluation each: what a step shows corrects the slopes (Broyden). A few steps are often enough,
with a hundred equalities as well. The first steps take slopes that are fitted to the points known:
where constraints are linear these are right.
"""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
from scipy.optimize import lsq_linear

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.state import State

#: Steps of the first finite differences, as a share of the box: wide enough to be data for models.
#: Later ones, nearer to the constraints, are narrower by a factor each time.
STEP, NARROWER = 2e-2, 0.1

#: Weight of the length of a step beside the violations, both scaled; less where these are small:
#: then it would only slow down the last steps.
DAMPING = 1e-6

#: Distance that steps keep from inequalities, scaled.
INSIDE = 1e-6

#: Steps that together must lower the violation to this share, or the slopes are taken anew: a
#: quarter of what those cost, and at least some;
LEAST_PATIENCE, LESS = 3, 0.5

#: and if that does not lower it to this share either, the search for the constraints ends.
HOPELESS = 0.5

#: Patience with slopes that are fitted to the first points; nearer points count more, and those
#: within this distance, a share of the box, the same.
TRIALS, NEAR = 2, 0.1

#: Slopes are taken only in this first share of the budget.
MOST = 0.8

#: Reach of the first step on new slopes, at least.
FIRST_REACH = 0.1


def restore(state: State, row: int, guesses: bool = False) -> Generator[Floats, list[Sample], int]:
    """From a row towards the constraints; the best row found.

    Integer variables stay as they are. `guesses`: begin with slopes that cost nothing.
    """
    search = _Restoration(state, row)
    until = MOST * state.context.maxfev
    if guesses and search.fit_slopes():
        yield from search.descend(TRIALS)
    while search.n_free and state.context.used + search.n_free < until:
        if search.is_feasible:
            break
        before = search.violation(search.here)
        yield from search.take_slopes()
        yield from search.descend()
        if search.violation(search.here) > HOPELESS * before:
            break
    return search.here


class _Restoration:
    """A point, slopes of all constraints there, and how far steps may go.

    here: row of the point. slopes: (m, n) of the constraints by the variables that can change.
    scale: (m,) the steepest slope of each constraint. reach: the longest step, as a share of the
    box. width: step of the next finite differences.
    """

    def __init__(self, state: State, row: int) -> None:
        self.state, self.knowledge = state, state.knowledge
        self.here = row
        self.free = np.flatnonzero(~self.knowledge.whole)
        self.n_free = self.free.size
        self.reach = 1.0
        self.width = STEP
        judge = self.knowledge.judge
        self.n_ineq, self.tolerance = judge.n_ineq, judge.tolerance
        self.slopes = np.zeros((self.tolerance.size, self.n_free))
        self.scale = np.ones(self.tolerance.size)

    @property
    def is_feasible(self) -> bool:
        """Whether the present point is."""
        return bool(self.knowledge.archive.phi[self.here] == 0.0)

    def excess(self, row: int) -> Floats:
        """How far each constraint (m,) is beyond its tolerance; negative inside."""
        c = self.knowledge.y[row, 1:]
        beyond: Floats = np.where(np.arange(c.size) < self.n_ineq, c, np.abs(c)) - self.tolerance
        return beyond

    def violation(self, row: int) -> float:
        """Sum of what is beyond the tolerances, scaled."""
        return float((np.maximum(self.excess(row), 0.0) / self.scale).sum())

    def set_scale(self) -> None:
        """That of the present slopes."""
        steepest = np.abs(self.slopes).max(axis=1, initial=0.0)
        self.scale = np.where(steepest > 0.0, steepest, 1.0)

    def fit_slopes(self) -> bool:
        """Slopes of a linear fit to all known points; False where there are too few."""
        knowledge = self.knowledge
        rows = knowledge.usable()
        if not self.n_free or rows.size < self.n_free + 2:
            return False
        away = knowledge.z[rows][:, self.free] - knowledge.z[self.here, self.free]
        change = knowledge.y[rows, 1:] - knowledge.y[self.here, 1:]
        weight = 1.0 / (NEAR + np.abs(away).max(axis=1, keepdims=True))
        self.slopes = np.linalg.lstsq(weight * away, weight * change, rcond=None)[0].T.copy()
        self.set_scale()
        return True

    def take_slopes(self) -> Generator[Floats, list[Sample], None]:
        """Finite differences; an evaluation that fails leaves the slope as it was."""
        knowledge = self.knowledge
        z = knowledge.z[self.here]
        signs = np.where(z[self.free] + self.width > 1.0, -1.0, 1.0)
        points = np.repeat(z[None], self.n_free, axis=0)
        points[np.arange(self.n_free), self.free] += self.width * signs
        self.width *= NARROWER
        rows = []
        width = max(1, self.state.context.width)
        for k in range(0, self.n_free, width):
            rows += yield from self.state.evaluate(points[k : k + width])
        at = knowledge.y[self.here, 1:]
        for j, row in enumerate(rows):
            if row >= 0 and knowledge.is_usable[row]:
                step = knowledge.z[row, self.free[j]] - z[self.free[j]]
                self.slopes[:, j] = (knowledge.y[row, 1:] - at) / step
        self.reach = max(self.reach, FIRST_REACH)
        self.set_scale()
        best = min([self.here, *self.usable(rows)], key=self.violation)
        if self.violation(best) < self.violation(self.here):
            self.correct(best)
            self.here = best

    def descend(self, patience: int | None = None) -> Generator[Floats, list[Sample], None]:
        """Steps as long as they pay."""
        waited, last = 0, self.violation(self.here)
        patience = patience or max(LEAST_PATIENCE, -(-self.n_free // 4))
        while not self.is_feasible and waited < patience and self.state.context.left > 0:
            points = self.next_points()
            if not len(points):
                return
            rows = yield from self.state.evaluate(points)
            usable = self.usable(rows)
            waited += 1
            if not usable:
                self.reach *= 0.25
                continue
            best = min(usable, key=self.violation)
            step = self.correct(best)
            if self.violation(best) < self.violation(self.here):
                self.here = best
                self.reach = min(1.0, 2.0 * max(self.reach, step))
            else:
                self.reach = 0.5 * min(self.reach, step)
            if self.violation(self.here) < LESS * last:
                waited, last = 0, self.violation(self.here)

    def usable(self, rows: list[int]) -> list[int]:
        """Those of the rows that worked."""
        return [row for row in rows if row >= 0 and self.knowledge.is_usable[row]]

    def correct(self, row: int) -> float:
        """Slopes that agree with a row; how far away it is."""
        y, z = self.knowledge.y, self.knowledge.z
        step = (z[row] - z[self.here])[self.free]
        square = float(step @ step)
        if square > 0.0:
            change = y[row, 1:] - y[self.here, 1:]
            self.slopes += np.outer(change - self.slopes @ step, step) / square
        return float(np.abs(step).max(initial=0.0))

    def next_points(self) -> Floats:
        """Where the constraints hold by the slopes, and nearer points where several are evaluated
        together."""
        z = self.knowledge.z[self.here]
        step = self.step()
        points = []
        for k in range(self.state.width):
            point = z.copy()
            point[self.free] += 0.5**k * step
            if not self.state.knowledge.has(point):
                points.append(point)
        return np.array(points)

    def step(self) -> Floats:
        """To the constraints in a box about the point, by least squares."""
        z, c = self.knowledge.z[self.here][self.free], self.knowledge.y[self.here, 1:]
        slopes = self.slopes / self.scale[:, None]
        wanted = -c / self.scale
        wanted[: self.n_ineq] += self.tolerance[: self.n_ineq] / self.scale[: self.n_ineq] - INSIDE
        lower, upper = np.maximum(-z, -self.reach), np.minimum(1.0 - z, self.reach)
        damping = min(math.sqrt(DAMPING), self.violation(self.here)) * np.eye(z.size)
        is_bound = np.arange(c.size) >= self.n_ineq
        is_bound |= self.excess(self.here) > 0.0
        for _ in range(3):
            found = lsq_linear(
                np.vstack([slopes[is_bound], damping]),
                np.concatenate([wanted[is_bound], np.zeros(z.size)]),
                bounds=(lower, np.maximum(upper, lower + 1e-12)),
                tol=1e-9,
                method="bvls",  # the other method never reaches a bound
            )
            step: Floats = found.x
            leaves = ~is_bound & (slopes @ step > wanted)
            if not leaves.any():
                break
            is_bound |= leaves
        return step
