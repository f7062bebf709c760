"""`Multistart`: local searches alone, from given and random points."""

from __future__ import annotations

import numpy as np

from rdex.strategies.archive import Sample
from rdex.strategies.composite import Composite
from rdex.strategies.integers import neighbours
from rdex.strategies.local import local_search
from rdex.strategies.local_settings import FAILED, FLAT, LocalSettings
from rdex.strategies.strategy import LOCAL, Context, Search, Stepping, Trial

#: The best search ends with differences on both sides.
EXACT = LocalSettings(is_exact=True)


def multistart(context: Context, settings: LocalSettings | None = None) -> Search:
    """Local searches until the budget is used up; yields batches of points.

    Each starts from a given point, or from the best of n + 1 random points.
    """
    space, archive = context.space, context.archive
    n = max(1, int(space.continuous.sum()))
    given = [] if context.start is None else list(context.start)
    seeds = [archive.sample(archive.best)] if archive.best >= 0 else []
    while context.left > 0:
        if seeds:
            start = seeds.pop()
        else:
            z = context.rng.random((max(n + 1, context.width), space.dim))
            points = space.from_unit(z)
            if given:
                points = np.array([given.pop(0)])
            samples = yield points[: context.left]
            start = best_of(context, samples)
        search = local_search(context, start, context.left, settings or EXACT)
        outcome = yield from search
        if outcome.reason in (FLAT, FAILED) and not space.continuous.any():
            yield from integer_steps(context, start)


def best_of(context: Context, samples: list[Sample]) -> Sample:
    """The best sample, feasibility first."""
    judge = context.judge

    def value(sample: Sample) -> tuple[float, float]:
        f, phi = judge.settled(sample.f, judge.phi_of(sample.g, sample.h))
        return phi, f

    return min(samples, key=value)


def integer_steps(context: Context, start: Sample) -> Search:
    """Go to the best neighbour as long as that is better; returns the last point."""
    here = start
    while True:
        points = neighbours(context.space, here.x)
        new = [x for x in points if context.archive.find(x) < 0][: context.left]
        if not new:
            return here
        samples = yield np.array(new)
        best = best_of(context, [here, *samples])
        if best is here:
            return here
        here = best


class Multistart(Composite):
    """The strategy `local`."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.phase = LOCAL
        self._search = Stepping(multistart(context))

    def ask(self, n: int = 0) -> list[Trial]:
        """Points of the present batch."""
        most = min(n or self.room, self.room)
        return self.hand_out(LOCAL, self._search.ask(most)) if most > 0 else []

    def take(self, part: str, id: int, sample: Sample) -> None:
        """To the search."""
        self.keep(part, sample)
        self._search.tell(id, sample)

    def extend(self, maxfev: int) -> None:
        """A larger budget: further starts where the last search has ended."""
        super().extend(maxfev)
        if self._search.is_finished:
            self.context.start = None  # given points are known by now
            self._search.go_on(multistart(self.context))
