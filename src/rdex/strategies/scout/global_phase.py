"""Search over the whole box: the best of the models at some distance from what is known."""

from __future__ import annotations

import math
from collections.abc import Generator

import numpy as np
from scipy.spatial.distance import cdist

from rdex.models.rbf import squared_distances
from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.design import design_size
from rdex.strategies.scout.integers import mixed_solutions
from rdex.strategies.scout.modelling import global_model, yes_or_no_models
from rdex.strategies.scout.state import State
from rdex.strategies.scout.subproblem import Solution, Subproblem, n_starts

#: Least distances from known points, in turn.
DISTANCES = (0.2, 0.05, 0.001, 0.0)

#: Samples of the models, and those from which solutions are searched.
SAMPLES = 600
STARTS = 4

#: Constraints whose models have less skill are ignored in every second step.
LEAST_SKILL = 0.2

#: Steps without a better point after which the phase ends: one per variable, within these limits.
PATIENCE = (6, 15)

#: Weight of the violation.
RHO = 100.0


class Distance:
    """A condition: at least so far from known points."""

    def __init__(self, z: Floats, least: float) -> None:
        self._z = z
        self._sizes = np.vecdot(z, z)
        self.least = least

    def __call__(self, z: Floats) -> tuple[float, Floats]:
        """Positive where a point is too close, and the slope."""
        closest = (self._sizes + self._z.dot(-2.0 * z)).argmin()
        away = z - self._z[closest]
        r = math.sqrt(away.dot(away))
        return (self.least - r) / self.least, away / (-self.least * max(r, 1e-12))

    def rows(self, z: Floats) -> Floats:
        """Values at points (m, d)."""
        closest = np.sqrt(squared_distances(z, self._z).min(axis=1))
        return np.asarray((self.least - closest) / self.least)


def global_phase(
    state: State, is_for_feasible: bool = False
) -> Generator[Floats, list[Sample], None]:
    """Steps over the whole box while they improve the best point.

    is_for_feasible: a few steps at most, and none beyond the first feasible point.
    """
    knowledge = state.knowledge
    patience = int(np.clip(knowledge.d, *PATIENCE))
    since_better, best = 0, knowledge.best()
    # A few steps are enough where others have searched the box already.
    is_known = knowledge.usable().size > 5 * design_size(knowledge.d, state.context.maxfev)
    most = len(DISTANCES) if is_known else 3 * knowledge.d + 10
    for step in range(min(most, patience) if is_for_feasible else most):
        has_ended = is_for_feasible and state.is_feasible
        if has_ended or since_better >= patience or state.context.left < 1:
            return
        yield from global_step(state, step)
        now = knowledge.best()
        since_better = 0 if now != best else since_better + 1
        best = now


def global_step(
    state: State, step: int, avoid: Floats | None = None, least: float = 0.0
) -> Generator[Floats, list[Sample], list[int]]:
    """One batch of points; at least so far from the points `avoid` (k, d)."""
    points: list[Floats] = []
    problem = global_subproblem(state, ignores_weak=step % 2 == 1)
    samples = make_samples(state)
    for k in range(state.width):
        far = avoid if avoid is not None else state.knowledge.z
        room = least if avoid is not None else DISTANCES[(step + k) % len(DISTANCES)]
        far = np.vstack([far, *points]) if points else far
        points.append(best_far(state, problem, samples, Distance(far, max(room, 1e-6))))
    return (yield from state.evaluate(np.array(points)))


def global_subproblem(state: State, ignores_weak: bool) -> Subproblem:
    """The problem on models of the whole box."""
    knowledge = state.knowledge
    model = global_model(knowledge)
    values = model.rows(state.rng.random((200, knowledge.d)))
    low, high = np.quantile(values, (0.1, 0.9), axis=0)
    scale = np.maximum(high - low, 1e-12 * np.maximum(np.abs(high), 1.0))
    sides = knowledge.sides(0.01)
    sides = sides.where(~np.isin(sides.columns, knowledge.yes_or_no()))
    if ignores_weak:
        sides = sides.where(model.choice.skill[sides.columns] >= LEAST_SKILL)
    margin = np.full(sides.columns.size, 1e-7)
    problem = Subproblem(model, sides, sides.seen(model.outputs), scale, margin)
    middle, everywhere = np.full(knowledge.d, 0.5), np.ones(knowledge.d)
    problem.conditions += yes_or_no_models(knowledge, middle, 1.0, everywhere)
    return problem


def make_samples(state: State) -> Floats:
    """Points all over the box and about the best."""
    knowledge, rng = state.knowledge, state.rng
    half = SAMPLES // 2
    everywhere = rng.random((half, knowledge.d))
    best = knowledge.z[knowledge.ranked()[:5]]
    about = best[rng.integers(len(best), size=half)]
    sizes = 10.0 ** rng.uniform(-2.5, -0.5, (half, 1))
    near = np.clip(about + sizes * rng.standard_normal((half, knowledge.d)), 0.0, 1.0)
    return np.vstack([everywhere, near])


def best_far(state: State, problem: Subproblem, samples: Floats, distance: Distance) -> Floats:
    """The best point of the models that keeps its distance."""
    knowledge = state.knowledge
    lower, upper = np.zeros(knowledge.d), np.ones(knowledge.d)
    merits = problem.merits(samples, RHO) + RHO * np.maximum(distance.rows(samples), 0.0)
    starts = n_starts(knowledge.d, problem.sides.columns.size, STARTS)
    order = np.argsort(merits, kind="stable")[:starts]
    kept = problem.conditions
    problem.conditions = [*kept, distance]
    solutions = [problem.solve(samples[k], lower, upper, RHO) for k in order]
    if knowledge.whole.any():
        relaxed = min(solutions, key=lambda solution: solution.merit(RHO))
        solutions = mixed_solutions(knowledge, problem, relaxed, (lower, upper), RHO)
    problem.conditions = kept
    new = [s for s in solutions if not state.knowledge.has(s.z)]
    if new:
        best: Solution = min(new, key=lambda solution: solution.merit(RHO))
        return best.z
    return samples[order[0]] if not state.knowledge.has(samples[order[0]]) else farthest(state)


def farthest(state: State, n: int = 20) -> Floats:
    """Of some random points the one farthest from what is known."""
    samples = state.rng.random((n, state.knowledge.d))
    away = cdist(samples, state.knowledge.z).min(axis=1)
    return np.asarray(samples[int(np.argmax(away))])
