"""The search once its first points are known: restoration, the whole box, trust regions."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.global_phase import farthest, global_phase, global_step
from rdex.strategies.scout.region import Region, begin_region
from rdex.strategies.scout.restoration import restore
from rdex.strategies.scout.state import Optimum, State
from rdex.strategies.scout.trust_region import trust_region

#: Radius of the first trust region, and of later ones.
FIRST_RADIUS, LATER_RADIUS = 0.3, 0.2

#: Distance of a new start from where trust regions ended.
AWAY = 0.15

#: Points from which the way to the constraints is searched, at most.
ROUTES = 5

#: The search ends after so many starts that led to nothing better.
ENOUGH_STARTS = 12

Phase = Generator[Floats, list[Sample], None]


def search_by_models(state: State) -> Phase:
    """All phases from the first points to the end."""
    report = state.report
    report.phase = "global"
    # Equalities hold nowhere by chance; models of the box may find where inequalities hold.
    if not state.context.judge.n_eq:
        yield from global_phase(state, is_for_feasible=True)
    if not state.is_feasible:
        report.phase = "restoration"
        yield from reach_constraints(state)
    report.phase = "global"
    yield from global_phase(state)
    yield from trust_regions(state)


def reach_constraints(state: State) -> Phase:
    """To the constraints from the best point; where that ends short of them, from others."""
    knowledge = state.knowledge
    tried: list[Floats] = []
    # Without equalities, models of the box have said more already.
    can_guess = state.context.judge.n_eq > 0
    for row in knowledge.ranked():  # as of now: what comes on the way is no new start
        z = knowledge.z[row].copy()
        if tried and np.abs(np.array(tried) - z).max(axis=1).min() < AWAY:
            continue
        end = yield from restore(state, int(row), guesses=can_guess and not tried)
        tried += [z, knowledge.z[end].copy()]
        if knowledge.archive.phi[end] == 0.0 or len(tried) >= 2 * ROUTES:
            return


def trust_regions(state: State) -> Phase:
    """One trust region after the other; the best that still waits goes on in between."""
    context, report = state.context, state.report
    region = begin_region(state, state.knowledge.best(), FIRST_RADIUS)
    while context.left > 0:
        report.phase = "trust region"
        has_ended = yield from trust_region(state, region)
        note_end(state, region, has_ended)
        waiting = best_waiting(state)
        if waiting is not None and waiting is not region and context.left > 0:
            has_ended = yield from trust_region(state, waiting)
            note_end(state, waiting, has_ended)
        if context.left <= 0 or has_lost_its_use(state):
            break
        report.n_restarts += 1
        report.phase = "restart"
        row = yield from new_start(state, report.n_restarts)
        region = begin_region(state, row, LATER_RADIUS)


def has_lost_its_use(state: State) -> bool:
    """Whether the search should end: the models predict nothing, or all starts lead nowhere new."""
    report, d = state.report, state.knowledge.d
    best = state.knowledge.best()
    later = sum(optimum.row > best for optimum in state.optima)
    if state.is_blind:
        report.reason = "the models do not predict the function"
    elif state.knows_enough:
        report.reason = "what the models propose is known"
    elif later >= ENOUGH_STARTS and state.since_best >= max(150, 10 * d):
        report.reason = "new starts led to nothing better"
    return bool(report.reason)


def note_end(state: State, region: Region, has_ended: bool) -> None:
    """Remember where a region is."""
    state.optima = [optimum for optimum in state.optima if optimum.region is not region]
    z = state.knowledge.z[region.centre].copy()
    state.optima.append(Optimum(z, region.centre, region, has_ended))


def best_waiting(state: State) -> Region | None:
    """The region of the best optimum, if it has not ended."""
    archive = state.knowledge.archive
    best = state.optima[0]
    for optimum in state.optima[1:]:
        best = optimum if archive.is_better(optimum.row, best.row) else best
    region: Region = best.region
    return None if best.has_ended else region


def new_start(state: State, number: int) -> Generator[Floats, list[Sample], int]:
    """A row to start from: by the models away from known optima, or far from all points."""
    if number % 2 == 1:
        ends = np.array([optimum.z for optimum in state.optima])
        rows = yield from global_step(state, 0, ends, AWAY)
    else:
        rows = yield from state.evaluate(np.array([farthest(state) for _ in range(state.width)]))
    usable = [row for row in rows if row >= 0 and state.knowledge.is_usable[row]]
    if not usable:
        return state.knowledge.best()
    archive = state.knowledge.archive
    best = usable[0]
    for row in usable[1:]:
        best = row if archive.is_better(row, best) else best
    return best
