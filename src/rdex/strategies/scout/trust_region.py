"""Local search by models in a box that grows and shrinks with their success."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from rdex.models.surrogate import Surrogate
from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.integers import mixed_solutions
from rdex.strategies.scout.modelling import failure_model, local_model
from rdex.strategies.scout.state import Optimum, State
from rdex.strategies.scout.subproblem import Solution, Subproblem

#: Smallest radius.
SMALLEST = 1e-7

#: Samples that tell how much a function changes in the box.
SCALE_SAMPLES = 24

#: Limits of the weight of the violation.
LEAST_RHO, MOST_RHO = 10.0, 1e3

#: Models within this of the last values make the constraints safe by at most this much.
MOST_MARGIN = 0.03

#: Directions in which points within 3 δ reach less than this share of δ need a point.
THIN = 0.1


@dataclass
class Region:
    """The box: row of its centre, radius δ, weight ρ, last errors of the models (q,)."""

    centre: int
    delta: float
    rho: float
    error: Floats
    n_steps: int = 0
    has_failed: bool = False
    is_poor: bool = False  # the last step gained less than a tenth of what was predicted

    def shrink(self, factor: float) -> None:
        """A smaller box; errors of models fall with its square."""
        self.delta *= factor
        self.error = self.error * factor**2


def trust_region(
    state: State, centre: int, delta: float = 0.3
) -> Generator[Floats, list[Sample], Optimum]:
    """Search from a row until the box is small or its centre a known optimum."""
    knowledge = state.knowledge
    region = Region(centre, delta, LEAST_RHO, np.zeros(knowledge.n_functions))
    while state.context.left > 0 and region.delta >= SMALLEST:
        if is_known_optimum(state, region):
            break
        problem, bounds = subproblem(state, region)
        if region.is_poor:
            region.is_poor = False
            thin = thin_direction(state, region, problem)
            if thin is None:
                region.shrink(0.5)
                continue
            points = with_companions(state, region, problem, bounds, [thin])
            rows = yield from state.evaluate(np.array(points))
            judge_step(state, region, problem, None, rows)
            continue
        solution = best_step(state, region, problem, bounds)
        here = knowledge.z[region.centre]
        gain = problem.at(here).merit(region.rho) - solution.merit(region.rho)
        is_new = gain > 1e-9 and not state.is_known(solution.z)
        points = [solution.z] if is_new else []
        if not is_new:
            thin = thin_direction(state, region, problem)
            if thin is None:
                region.shrink(0.5)
                continue
            points = [thin]
        points = with_companions(state, region, problem, bounds, points)
        rows = yield from state.evaluate(np.array(points))
        judge_step(state, region, problem, solution if is_new else None, rows)
    return Optimum(knowledge.z[region.centre].copy(), region.centre)


def is_known_optimum(state: State, region: Region) -> bool:
    """Whether a small region is about a point where another one ended, and not better."""
    if region.delta > 0.01:
        return False
    knowledge = state.knowledge
    for optimum in state.optima:
        near = np.abs(knowledge.z[region.centre] - optimum.z).max() < 1e-3
        if near and not knowledge.archive.is_better(region.centre, optimum.row):
            return True
    return False


def box(state: State, region: Region) -> tuple[Floats, Floats]:
    """Bounds of the region; an integer variable can always take a step."""
    here = state.knowledge.z[region.centre]
    reach = np.maximum(region.delta, state.knowledge.spacing)
    return np.maximum(here - reach, 0.0), np.minimum(here + reach, 1.0)


def subproblem(state: State, region: Region) -> tuple[Subproblem, tuple[Floats, Floats]]:
    """The problem on models about the centre."""
    knowledge, delta = state.knowledge, region.delta
    model = local_model(knowledge, region.centre, delta)
    lower, upper = box(state, region)
    samples = lower + state.rng.random((SCALE_SAMPLES, knowledge.d)) * (upper - lower)
    here = knowledge.z[region.centre]
    changes = np.abs(model.rows(samples) - model.values(here)).max(axis=0)
    at = np.abs(model.outputs(knowledge.y[region.centre]))
    scale = np.maximum(changes, 1e-12 * np.maximum(at, 1.0))
    sides = knowledge.sides(float(np.clip(delta, 1e-5, 1e-2)))
    error = np.minimum(region.error / scale, MOST_MARGIN) + 1e-7
    problem = Subproblem(model, sides, sides.seen(model.outputs), scale, error[sides.columns])
    # An equality's tolerance may be less than a margin.
    n_ineq, n_eq = knowledge.judge.n_ineq, knowledge.judge.n_eq
    if n_eq:
        width = problem.limits[n_ineq : n_ineq + n_eq] - problem.limits[n_ineq + n_eq :]
        most = 0.25 * width / scale[1 + n_ineq :]
        problem.margin[n_ineq:] = np.minimum(problem.margin[n_ineq:], np.tile(most, 2))
    failures = failure_model(knowledge, here, delta)
    if failures is not None:
        problem.conditions.append(failures)
    return problem, (lower, upper)


def best_step(
    state: State, region: Region, problem: Subproblem, bounds: tuple[Floats, Floats]
) -> Solution:
    """The best solution found in the box."""
    lower, upper = bounds
    here = state.knowledge.z[region.centre]
    region.rho = max(LEAST_RHO, 0.3 * region.rho)
    found, region.rho = problem.solve_hard(here, lower, upper, region.rho, MOST_RHO)
    region.n_steps += 1
    if region.n_steps % 3 == 0 or region.has_failed:
        samples = lower + state.rng.random((20 * state.knowledge.d, here.size)) * (upper - lower)
        start = samples[int(np.argmin(problem.merits(samples, region.rho)))]
        other = problem.solve(start, lower, upper, region.rho)
        if other.merit(region.rho) < found.merit(region.rho) - 1e-9:
            found = other
    if state.knowledge.whole.any():
        mixed = mixed_solutions(state.knowledge, problem, found, bounds, region.rho)
        new = [solution for solution in mixed if not state.is_known(solution.z)]
        found = (new or mixed or [found])[0]
    return found


def thin_direction(state: State, region: Region, problem: Subproblem) -> Floats | None:
    """A point in the direction that the points near the centre know least of; None if they are
    well spread."""
    knowledge = state.knowledge
    here, delta = knowledge.z[region.centre], region.delta
    lower, upper = box(state, region)
    away = (knowledge.z[knowledge.usable()] - here) / delta
    near = away[(np.abs(away) <= 3.0).all(axis=1)]
    free = ~knowledge.whole
    if not free.any():
        return None
    _, sizes, directions = np.linalg.svd(near[:, free], full_matrices=True)
    size = sizes[-1] if sizes.size == free.sum() else 0.0
    if size >= THIN:
        return None
    direction = np.zeros(knowledge.d)
    direction[free] = directions[-1]
    direction *= delta / np.abs(direction).max()
    points = [np.clip(here + sign * direction, lower, upper) for sign in (1.0, -1.0)]
    points = [z for z in points if np.abs(z - here).max() > 0.1 * delta and not state.is_known(z)]
    return min(points, key=lambda z: problem.at(z).merit(region.rho), default=None)


def with_companions(
    state: State, region: Region, problem: Subproblem, bounds: tuple[Floats, Floats],
    points: list[Floats],
) -> list[Floats]:  # fmt: skip
    """More points worth evaluating with those given, up to the width of the run."""
    wanted = state.width
    if len(points) >= wanted:
        return points
    here = state.knowledge.z[region.centre]
    lower, upper = bounds
    for factor in (0.3, 2.5):  # if the models are worse, or better, than thought
        low = np.clip(here - factor * (here - lower), 0.0, 1.0)
        high = np.clip(here + factor * (upper - here), 0.0, 1.0)
        other = problem.solve(here, low, high, region.rho).z
        points = add_if_new(state, points, other, 0.1 * factor * region.delta, wanted)
    thin = thin_direction(state, region, problem)
    if thin is not None:
        points = add_if_new(state, points, thin, 0.1 * region.delta, wanted)
    samples = lower + state.rng.random((10 * wanted + 40, here.size)) * (upper - lower)
    for k in np.argsort(problem.merits(samples, region.rho), kind="stable"):
        if len(points) >= wanted:
            break
        points = add_if_new(state, points, samples[k], 0.3 * region.delta, wanted)
    return points


def add_if_new(
    state: State, points: list[Floats], z: Floats, least: float, wanted: int
) -> list[Floats]:
    """With a point more if it is at some distance from the others and unknown."""
    z = state.knowledge.rounded(z[None])[0]
    is_far = all(np.abs(z - other).max() > least for other in points)
    return [*points, z] if is_far and len(points) < wanted and not state.is_known(z) else points


def judge_step(
    state: State, region: Region, problem: Subproblem, solution: Solution | None, rows: list[int]
) -> None:
    """Move the centre and set δ by what came of the points of a step."""
    knowledge, model = state.knowledge, problem.model
    usable = [row for row in rows if row >= 0 and knowledge.is_usable[row]]
    region.has_failed = not usable
    actual = [actual_merit(state, problem, row, region.rho) for row in usable]
    before = actual_merit(state, problem, region.centre, region.rho)
    best = int(np.argmin(actual)) if actual else -1
    predicted = 0.0
    if solution is not None:
        here = problem.at(knowledge.z[region.centre])
        predicted = here.merit(region.rho) - solution.merit(region.rho)
        first = rows[0]
        if first >= 0 and knowledge.is_usable[first]:
            error = np.abs(model.outputs(knowledge.y[first]) - model.values(knowledge.z[first]))
            region.error = np.maximum(0.3 * region.error, error)
    gain = before - actual[best] if best >= 0 else -np.inf
    ratio = gain / max(predicted, 1e-300) if solution is not None else 1.0
    moved = 0.0
    if gain > 0.0:
        moved = float(np.abs(knowledge.z[usable[best]] - knowledge.z[region.centre]).max())
        region.centre = usable[best]
    if solution is None:
        return
    if ratio >= 0.7 and moved >= 0.99 * region.delta:
        region.delta = min(2.0 * region.delta, 0.5)
    elif ratio < 0.1:
        region.has_failed = region.is_poor = True


def actual_merit(state: State, problem: Subproblem, row: int, rho: float) -> float:
    """Merit of a row by its values, with the full tolerances and no margins."""
    values = problem.model.outputs(state.knowledge.y[row])
    sides = state.knowledge.sides()
    excess = sides.excess(values, sides.seen(problem.model.outputs))
    t = (excess / problem.scale[sides.columns]).max(initial=0.0)
    return float(values[0] / problem.scale[0] + rho * t)


def model_skill(model: Surrogate) -> float:
    """Leave-one-out skill of the model of f."""
    return float(model.choice.skill[0])
