"""Noise: a point is evaluated again, and models that smooth take over where its values differ."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.state import State

#: Relative difference of two values of one point that is noise.
SAME = 1e-10

#: Poor steps of trust regions at which a point is evaluated again: where models fail for no reason
#: that they can see, and later for a better estimate.
LOOKS = (2, 4, 8, 16)

#: Smoothing that noisy functions may get, see `rdex.models.rbf.Fit`.
NUGGETS = (1e-4, 1e-2, 1.0)

#: A region ends where the functions change by less than so many sizes of the noise.
DROWNED = 2.0


def look_for_noise(state: State, row: int) -> Generator[Floats, list[Sample], None]:
    """After some of the poor steps, evaluate a row again and note how its values differ.

    Not exactly the same point: that could be answered from a log, noise or not.
    """
    noise = state.noise
    noise.n_poor += 1
    is_wanted = noise.n_poor >= LOOKS[0] and not noise.was_looked_for
    is_wanted = is_wanted or (noise.size is not None and noise.n_poor in LOOKS)
    knowledge = state.knowledge
    free = np.flatnonzero(~knowledge.whole)
    if not is_wanted or not free.size or state.context.left < 2:
        return
    noise.was_looked_for = True
    z = knowledge.z[row].copy()
    before = knowledge.x(z[None])[0]
    j = free[0]
    while np.array_equal(knowledge.x(z[None])[0], before):
        z[j] += np.copysign(4e-16, 0.5 - z[j])
    (again,) = yield from state.evaluate(z)
    if again < 0 or not knowledge.is_usable[again]:
        return
    first, second = knowledge.y[row], knowledge.y[again]
    change = np.abs(first - second)
    spread = np.ptp(knowledge.y[knowledge.usable()], axis=0)
    if noise.size is not None:
        noise.size = np.maximum(0.5 * noise.size, change)
    elif (change > SAME * np.maximum(np.abs(first), spread)).any():
        noise.size = change
        state.report.is_noisy = True


def is_drowned(state: State, changes: Floats) -> bool:
    """Whether noise hides how f changes (q,) in a region."""
    size = state.noise.size
    return size is not None and bool(changes[0] < DROWNED * size[0])
