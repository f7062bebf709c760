"""`Scout`: the strategy of the model-based search, followed by differential evolution."""

from __future__ import annotations

from collections.abc import Generator

from rdex.models.learnt import LearntModel
from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.composite import Composite, best_rows
from rdex.strategies.scout.knowledge import Knowledge
from rdex.strategies.scout.modelling import global_rows
from rdex.strategies.scout.search import scout_search
from rdex.strategies.scout.state import Report
from rdex.strategies.strategy import Context, Stepping, Trial

EVOLUTION = "differential evolution"

#: Points of the archive that a differential evolution begins with, as a share of its population.
SEEDS = 0.5


def search_then_evolve(context: Context, report: Report) -> Generator[Floats, list[Sample], None]:
    """Search by models until they are of no more use; the rest is differential evolution's."""
    yield from scout_search(context, report)
    if context.left > 0 and context.make_engine is not None:
        report.phase = EVOLUTION
        yield from evolve(context)


def evolve(context: Context) -> Generator[Floats, list[Sample], None]:
    """Differential evolution from the best points of the archive for what is left."""
    assert context.make_engine is not None
    archive, left = context.archive, context.left
    size = context.make_engine(left, 0, None).n  # of the initial population
    rows = best_rows(archive, int(SEEDS * size))
    engine = context.make_engine(left + rows.size, 0, archive.x[rows] if rows.size else None)
    for row in rows:
        engine.inject(archive.x[row], archive.f[row], archive.g[row], archive.h[row])
    while context.left > 0 and not engine.is_finished:
        asked = engine.ask(min(context.width, context.left))
        if not len(asked):
            return
        for sample in (yield asked):
            engine.tell(sample.f, sample.g[None, :], sample.h[None, :])


class Scout(Composite):
    """Models of f and of every constraint decide where to evaluate next.

    Parameters
    ----------
    context : Context
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.report = Report()
        self._width = context.width
        self._steps = Stepping(search_then_evolve(context, self.report), is_lazy=True)
        self.phase = self.report.phase

    def ask(self, n: int = 0) -> list[Trial]:
        """Up to `n` points worth evaluating together; 0 stands for the width of the run."""
        if self.room <= 0:
            return []
        self.context.width = n or self._width
        trials = self._steps.ask(min(self.context.width, self.room))
        self.phase, self.n_restarts = self.report.phase, self.report.n_restarts
        return self.hand_out(self.phase, trials)

    def take(self, part: str, id: int, sample: Sample) -> None:
        """To the search."""
        self.keep(part, sample)
        self.book(part).reason = self.report.reason
        self._steps.tell(id, sample)

    def extend(self, maxfev: int) -> None:
        """A larger budget; a search that has ended begins again with all data."""
        super().extend(maxfev)
        if self._steps.is_finished:
            self._steps.go_on(search_then_evolve(self.context, self.report))

    def model(self) -> LearntModel | None:
        """What was learnt; None while there is too little."""
        knowledge = Knowledge(self.context)
        if knowledge.usable().size < knowledge.d + 2 or not knowledge.d:
            return None
        rows = global_rows(knowledge)
        return LearntModel(
            self.context.space, self.archive.x[rows], knowledge.y[rows], self.judge.n_ineq
        )

    @property
    def n_rounds(self) -> int:
        """Batches."""
        return self.report.n_rounds
