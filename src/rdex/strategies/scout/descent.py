"""Local searches by finite differences, in turn with trust regions.

Models gain more per evaluation where few points describe the functions well. Slopes by differences
cost n + 1 evaluations and are right whatever the functions look like. Nobody knows beforehand which
is better. So a trust region that has not ended after a turn of evaluations waits for a local search
from its centre, and goes on from where that ends. If the models gained more per evaluation,
their next turn is twice as long, else half as long.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.credit import gain_of
from rdex.strategies.local import local_search
from rdex.strategies.local_settings import CONVERGED, NOISY, LocalOutcome
from rdex.strategies.scout.region import Region
from rdex.strategies.scout.state import State

#: Evaluations of a turn, times n + 1: about what a local search takes to converge.
TURN = 10

#: No turn takes more than this share of the budget: the first would take all with many variables.
MOST = 0.4

#: A local search is not worth its beginning with fewer evaluations, times n + 1.
LEAST = 3

#: A region of this radius that hardly improves has not converged: the search begins at once.
WIDE = 1e-3


def is_descent_due(state: State, region: Region, is_stuck: bool) -> bool:
    """Whether a local search from the centre is next."""
    n_steps = steps_of(state)
    turn = min(state.turn * TURN * n_steps, MOST * state.context.maxfev)
    has_had_its_turn = region.spent >= turn
    # Whole numbers do not change in a local search: a region that waits for them waits on.
    is_early = is_stuck and region.delta >= WIDE and not state.knowledge.whole.any()
    if not (has_had_its_turn or is_early):
        return False
    is_smooth = n_steps > 1 and not state.is_rough and state.noise.size is None
    is_new = state.knowledge.z[region.centre].tobytes() not in state.descended
    return is_smooth and is_new and state.context.left >= LEAST * n_steps


def descend(state: State, region: Region) -> Generator[Floats, list[Sample], bool]:
    """A local search from the centre, which moves to its end; whether that is an optimum."""
    knowledge, context, noise = state.knowledge, state.context, state.noise
    start, begun_at = region.centre, knowledge.n
    most = TURN * steps_of(state)
    search = local_search(
        context, context.archive.sample(start), context.left,
        checks_start=not noise.was_looked_for, soft_limit=most, jump_limit=most,
    )  # fmt: skip
    outcome: LocalOutcome = yield from state.follow(search)
    row = knowledge.row_of(outcome.best.x)
    if row >= 0 and context.archive.is_better(row, start):
        moved = np.abs((knowledge.z[row] - knowledge.z[start]) / region.shape).max()
        region.delta = min(max(region.delta, float(moved)), 0.5)
        region.centre = row
    state.descended |= {knowledge.z[k].tobytes() for k in (start, region.centre)}
    noise.was_looked_for |= outcome.reason != NOISY  # models look for its size themselves
    state.is_rough = state.is_rough or outcome.has_jump or outcome.reason == NOISY
    of_models = gain_of(region.before, state.value_of(start), 0.0) / max(1, region.spent)
    gained = gain_of(state.value_of(start), state.value_of(region.centre), 0.0)
    of_search = gained / max(1, knowledge.n - begun_at)
    state.turn = max(1, state.turn // 2) if of_search > of_models else 2 * state.turn
    region.spent, region.before = 0, state.value_of(region.centre)
    return bool(outcome.reason == CONVERGED and knowledge.archive.phi[region.centre] == 0.0)


def steps_of(state: State) -> int:
    """Evaluations of one step of a local search."""
    return int((~state.knowledge.whole).sum()) + 1
