"""`Scout`: the strategy of the model-based search, followed by differential evolution."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.search import scout_search
from rdex.strategies.scout.state import Report
from rdex.strategies.strategy import Context, Stepping, Trial

#: Points of the archive that a differential evolution begins with, as a share of its population.
SEEDS = 0.5


def search_then_evolve(context: Context, report: Report) -> Generator[Floats, list[Sample], None]:
    """Search by models until they are of no more use; the rest is differential evolution's."""
    yield from scout_search(context, report)
    if context.left > 0 and context.make_engine is not None:
        report.phase = "differential evolution"
        yield from evolve(context)


def evolve(context: Context) -> Generator[Floats, list[Sample], None]:
    """Differential evolution from the best points of the archive for what is left."""
    assert context.make_engine is not None
    archive, left = context.archive, context.left
    rows = best_rows(context)
    points = archive.x[rows] if rows.size else None
    size = context.make_engine(left + rows.size, 0, points).n  # of the initial population
    rows = rows[: int(SEEDS * size)]
    points = archive.x[rows] if rows.size else None
    engine = context.make_engine(left + rows.size, 0, points)
    for row in rows:
        engine.inject(archive.x[row], archive.f[row], archive.g[row], archive.h[row])
    while context.left > 0 and not engine.is_finished:
        asked = engine.ask(min(context.width, context.left))
        if not len(asked):
            return
        samples = yield asked
        for sample in samples:
            engine.tell(sample.f, sample.g[None, :], sample.h[None, :])


def best_rows(context: Context) -> Any:
    """Rows of the archive that worked, best first."""
    archive = context.archive
    order = np.lexsort((archive.f, archive.phi))
    return order[np.isfinite(archive.phi[order]) & np.isfinite(archive.f[order])]


class Scout:
    """Models of f and of every constraint decide where to evaluate next.

    Parameters
    ----------
    context : Context
    """

    label = "scout"

    def __init__(self, context: Context) -> None:
        self.context = context
        self.judge = context.judge
        self.report = Report()
        self._width = context.width
        self._steps = Stepping(search_then_evolve(context, self.report), is_lazy=True)

    def ask(self, n: int = 0) -> list[Trial]:
        """Up to `n` points worth evaluating together; 0 stands for the width of the run."""
        most = self.context.left - self._steps.n_out
        if most <= 0:
            return []
        self.context.width = n or self._width
        return self._steps.ask(min(self.context.width, most))

    def tell(self, id: int, sample: Sample) -> None:
        """What came of a point."""
        self.context.archive.add(sample)
        self._steps.tell(id, sample)

    def inject(self, sample: Sample) -> None:
        """A point nobody asked for is data."""
        self.context.archive.add(sample)

    def set_clock(self, share: float) -> None:
        """Nothing follows the clock."""

    def extend(self, maxfev: int) -> None:
        """A larger budget; a search that has ended begins again with all data."""
        self.context.maxfev = maxfev
        if self._steps.is_finished:
            self._steps.go_on(search_then_evolve(self.context, self.report))

    @property
    def n_rounds(self) -> int:
        """Batches."""
        return self.report.n_rounds

    @property
    def n_restarts(self) -> int:
        """New starts of the trust region."""
        return self.report.n_restarts

    @property
    def phase(self) -> str:
        """The part at work."""
        return self.report.phase

    @property
    def phases(self) -> list[Any]:
        """One part alone."""
        return []

    def population(self) -> tuple[Floats, Floats, Floats]:
        """The best points known, best first."""
        archive, rows = self.context.archive, best_rows(self.context)[:100]
        return archive.x[rows], archive.f[rows], archive.phi[rows]
