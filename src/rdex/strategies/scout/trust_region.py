"""Local search by models in a box that grows and shrinks with their success."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from scipy.linalg import qr

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.descent import descend, is_descent_due
from rdex.strategies.scout.integers import mixed_solutions
from rdex.strategies.scout.modelling import local_model, yes_or_no_models
from rdex.strategies.scout.noise import NUGGETS, is_drowned, look_for_noise
from rdex.strategies.scout.region import LEAST_RHO, Region, box, update_shape
from rdex.strategies.scout.state import State
from rdex.strategies.scout.subproblem import Solution, Subproblem

#: Smallest radius.
SMALLEST = 1e-7

#: Samples that tell how much a function changes in the box.
SCALE_SAMPLES = 24

#: Those at which slopes tell how much it depends on each variable.
SLOPE_SAMPLES = 6

#: A violation below this share of the smallest before counts as a gain.
NEARER = 0.9

#: Largest weight of the violation.
MOST_RHO = 1e3

#: Models within this of the last values make the constraints safe by at most this much.
MOST_MARGIN = 0.03

#: Directions in which points within 3 δ reach less than this share of δ need a point.
THIN = 0.1

#: A region that improved f by less than this share in 2 d + PATIENCE evaluations has to wait.
LITTLE = 1e-4
PATIENCE = 6


def trust_region(state: State, region: Region) -> Generator[Floats, list[Sample], bool]:
    """Search until the box is small or its centre a known optimum, or until it hardly improves any
    more; whether it has ended for good."""
    knowledge = state.knowledge
    patience = 2 * knowledge.d + PATIENCE
    looked_at, before = knowledge.n, region.centre
    seen = knowledge.n
    while state.context.left > 0:
        if is_smallest(state, region) or is_known_optimum(state, region):
            return True
        region.spent, seen = region.spent + knowledge.n - seen, knowledge.n
        is_look = knowledge.n - looked_at >= patience
        has_stalled = is_look and (state.is_blind or is_stuck(state, before, region.centre))
        if is_descent_due(state, region, has_stalled):
            if (yield from descend(state, region)):
                return True
            seen = knowledge.n
            has_stalled = has_stalled and is_stuck(state, before, region.centre)
        if has_stalled:
            return False
        if is_look:
            looked_at, before = knowledge.n, region.centre
        problem, bounds = subproblem(state, region)
        if is_drowned(state, problem.scale):
            state.note_gain(0.0)
            return True
        if region.is_poor:
            region.is_poor = False
            yield from look_for_noise(state, region.centre)
            thin = thin_direction(state, region, problem)
            if thin is None:
                region.shrink(0.5)
                continue
            points = with_companions(state, region, problem, bounds, [thin])
            rows = yield from state.evaluate(np.array(points))
            judge_step(state, region, problem, None, rows)
            continue
        solution = best_step(state, region, problem, bounds)
        is_new = expected_gain(state, region, problem, solution) > 1e-9
        is_new = is_new and not state.knowledge.has(solution.z)
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
    return True


def is_smallest(state: State, region: Region) -> bool:
    """Whether a smaller box makes no difference; one of whole numbers keeps a step of 1."""
    whole, spacing = state.knowledge.whole, state.knowledge.spacing
    is_step = bool(whole.all()) and bool((region.delta * region.shape < 0.5 * spacing).all())
    return is_step or region.delta < SMALLEST


def is_stuck(state: State, before: int, now: int) -> bool:
    """Whether a feasible centre has hardly become better."""
    y, phi = state.knowledge.y, state.knowledge.archive.phi
    if phi[now] > 0.0:
        return bool(phi[before] > 0.0 and phi[now] > 0.9 * phi[before])
    small = LITTLE * max(abs(y[now, 0]), 1e-300)
    return bool(phi[before] == 0.0 and y[before, 0] - y[now, 0] <= small)


def is_known_optimum(state: State, region: Region) -> bool:
    """Whether a small region is about a point where another one ended, and not better."""
    if region.delta > 0.01:
        return False
    knowledge = state.knowledge
    for optimum in state.optima:
        if optimum.region is region:
            continue
        near = np.abs(knowledge.z[region.centre] - optimum.z).max() < 1e-3
        if near and not knowledge.archive.is_better(region.centre, optimum.row):
            return True
    return False


def subproblem(state: State, region: Region) -> tuple[Subproblem, tuple[Floats, Floats]]:
    """The problem on models about the centre."""
    knowledge, delta = state.knowledge, region.delta
    nuggets = (0.0,) if state.noise.size is None else NUGGETS
    model = local_model(knowledge, region.centre, delta, region.shape, nuggets)
    lower, upper = box(state, region)
    samples = lower + state.rng.random((SCALE_SAMPLES, knowledge.d)) * (upper - lower)
    update_shape(region, model, samples[:SLOPE_SAMPLES])
    lower, upper = box(state, region)
    here = knowledge.z[region.centre]
    changes = np.abs(model.rows(samples) - model.values(here)).max(axis=0)
    at = np.abs(model.outputs(knowledge.y[region.centre]))
    scale = np.maximum(changes, 1e-12 * np.maximum(at, 1.0))
    sides = knowledge.sides(float(np.clip(delta, 1e-5, 1e-2)))
    # Models say nothing about constraints that only say yes or no; conditions do.
    sides = sides.where(~np.isin(sides.columns, knowledge.yes_or_no()))
    error = np.minimum(region.error / scale, MOST_MARGIN) + 1e-7
    limits, margin = sides.seen(model.outputs), error[sides.columns]
    # An equality's tolerance may be less than a margin.
    n_eq = knowledge.judge.n_eq
    if n_eq:
        most = 0.25 * (limits[-2 * n_eq : -n_eq] - limits[-n_eq:]) / scale[-n_eq:]
        margin[-2 * n_eq :] = np.minimum(margin[-2 * n_eq :], np.tile(most, 2))
    problem = Subproblem(model, sides, limits, scale, margin)
    problem.conditions += yes_or_no_models(knowledge, here, delta, region.shape)
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
        samples = lower + state.rng.random((min(20 * here.size, 200), here.size)) * (upper - lower)
        start = samples[int(np.argmin(problem.merits(samples, region.rho)))]
        other = problem.solve(start, lower, upper, region.rho)
        if other.merit(region.rho) < found.merit(region.rho) - 1e-9:
            found = other
    if state.knowledge.whole.any():
        mixed = mixed_solutions(state.knowledge, problem, found, bounds, region.rho)
        new = [solution for solution in mixed if not state.knowledge.has(solution.z)]
        found = (new or mixed or [found])[0]
    return found


def thin_direction(state: State, region: Region, problem: Subproblem) -> Floats | None:
    """A point in the direction that the points near the centre know least of; None if they are
    well spread."""
    knowledge = state.knowledge
    here, delta = knowledge.z[region.centre], region.delta
    lower, upper = box(state, region)
    away = (knowledge.z[knowledge.usable()] - here) / (delta * region.shape)
    near = away[(np.abs(away) <= 3.0).all(axis=1)]
    free = ~knowledge.whole
    # One point per direction is enough: bounds may keep it from being spread, however many come.
    if region.n_spread >= free.sum():
        return None
    # Of the directions still missing, each point in turn is the one that reaches farthest.
    q, r, _ = qr(near[:, free].T, pivoting=True)
    reach = np.abs(np.diag(r))
    if reach.size == free.sum() and reach[-1] >= THIN:
        return None
    direction = np.zeros(knowledge.d)
    direction[free] = q[:, -1]
    direction *= delta * region.shape / np.abs(direction).max()
    points = [np.clip(here + sign * direction, lower, upper) for sign in (1.0, -1.0)]
    points = [
        z
        for z in points
        if np.abs((z - here) / region.shape).max() > 0.1 * delta and not state.knowledge.has(z)
    ]
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
    return (
        [*points, z] if is_far and len(points) < wanted and not state.knowledge.has(z) else points
    )


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
        predicted = expected_gain(state, region, problem, solution)
        first = rows[0]
        if first >= 0 and knowledge.is_usable[first]:
            error = np.abs(model.outputs(knowledge.y[first]) - model.values(knowledge.z[first]))
            region.error = np.maximum(0.3 * region.error, error)
    gain = before - actual[best] if best >= 0 else -np.inf
    if gain > 0.0 and leaves_feasible(state, region, problem, usable[best], gain, predicted):
        gain = -np.inf
    ratio = gain / max(predicted, 1e-300) if solution is not None else 1.0
    if solution is not None:
        state.note_gain(ratio)
    moved = 0.0
    if gain > 0.0:
        step = knowledge.z[usable[best]] - knowledge.z[region.centre]
        moved = float(np.abs(step / region.shape).max())
        region.centre, region.n_spread = usable[best], 0
        note_centre(state, region)
    if solution is None:
        region.n_spread += 1
        return
    if ratio >= 0.7 and moved >= 0.99 * region.delta:
        region.delta = min(2.0 * region.delta, 0.5)
    elif ratio >= 0.1 and moved < 0.5 * region.delta:
        region.shrink(max(0.5, 2 * moved / region.delta))
    elif ratio < 0.1:
        region.has_failed = region.is_poor = True


def note_centre(state: State, region: Region) -> None:
    """Whether a new centre is much nearer to the constraints than those before."""
    phi = float(state.knowledge.archive.phi[region.centre])
    if phi == 0.0:
        region.nearest = np.inf
    elif phi < NEARER * region.nearest:
        region.nearest = phi
        state.note_nearer()


def leaves_feasible(
    state: State, region: Region, problem: Subproblem, row: int, gain: float, predicted: float
) -> bool:
    """Whether a row violates constraints that hold at the centre by more than its merit is worth.

    The scale of a constraint says little if it is steep at one end of the box. Points just outside
    are kept: a curved border is followed faster on both of its sides.
    """
    phi = state.knowledge.archive.phi
    if state.context.judge.n_eq or phi[region.centre] > 0.0 or phi[row] == 0.0:
        return False
    f = problem.model.outputs(state.knowledge.y[row])[0] / problem.scale[0]
    penalty = actual_merit(state, problem, row, region.rho) - f
    return bool(penalty > 0.5 * gain or gain < 0.5 * predicted)


def expected_gain(state: State, region: Region, problem: Subproblem, solution: Solution) -> float:
    """By how much the models expect the merit to fall; margins are not part of it."""
    values = problem.values(solution.z)
    excess = values[1 : 1 + problem.margin.size] - problem.margin
    after = values[0] + region.rho * excess.max(initial=0.0)
    return actual_merit(state, problem, region.centre, region.rho) - float(after)


def actual_merit(state: State, problem: Subproblem, row: int, rho: float) -> float:
    """Merit of a row by its values, with the full tolerances and no margins."""
    values = problem.model.outputs(state.knowledge.y[row])
    sides = state.knowledge.sides()
    excess = sides.excess(values, sides.seen(problem.model.outputs))
    t = (excess / problem.scale[sides.columns]).max(initial=0.0)
    return float(values[0] / problem.scale[0] + rho * t)
