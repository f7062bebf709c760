"""The model-based search from its first point to its end, as one generator."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.design import design_size, latin_hypercube
from rdex.strategies.scout.state import Report, State
from rdex.strategies.strategy import Context

Phase = Generator[Floats, list[Sample], None]


def scout_search(
    context: Context, report: Report | None = None
) -> Generator[Floats, list[Sample], Report]:
    """Search by models of f and of every constraint until the budget is used up.

    It takes what the archive holds at its beginning as data, and may be stopped at any batch: all
    that it learns is in the archive.
    """
    report = Report() if report is None else report
    if context.space.fixed.all():
        report.reason = "all variables are fixed"
        return report
    state = State(context, report)
    try:
        yield from first_points(state)
        if state.knowledge.best() < 0:
            report.reason = "no evaluation worked"
            return report
        state.end_work()  # loading SciPy is no time of models
        from rdex.strategies.scout.phases import search_by_models  # not before the first point

        state.begin_models()
        yield from search_by_models(state)
    finally:
        state.end_work()
    return report


def first_points(state: State) -> Phase:
    """Given points, then a design for what is missing; more if all of it failed."""
    knowledge, context = state.knowledge, state.context
    if context.start is not None and len(context.start):
        for block in in_blocks(context.space.to_unit(context.start)[:, knowledge.free], state):
            yield from state.evaluate(block)
    for _ in range(5):
        wanted = design_size(knowledge.d, context.maxfev) - knowledge.usable().size
        if wanted <= 0 or context.left <= 0:
            break
        for block in in_blocks(latin_hypercube(wanted, knowledge.d, state.rng), state):
            yield from state.evaluate(block)
    if context.scales_itself and knowledge.usable().size and knowledge.n_functions > 1:
        sizes = np.median(np.abs(knowledge.y[knowledge.usable(), 1:]), axis=0)
        context.archive.rescale(np.where(sizes > 0.0, sizes, 1.0))


def in_blocks(points: Floats, state: State) -> list[Floats]:
    """Points that do not depend on each other, in batches."""
    size = max(state.context.width, 1)
    return [points[k : k + size] for k in range(0, len(points), size)]
