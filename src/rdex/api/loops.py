"""The loops of runs whose evaluations go through an exchange: in batches, or with no waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rdex.engine.anyorder import AnyOrder
from rdex.engine.engine import Engine, default_batch
from rdex.evaluation.exchange import Exchange
from rdex.evaluation.log import Entry

if TYPE_CHECKING:
    from rdex.api.runner import Watch


def run_batches(engine: Engine, exchange: Exchange, batch: int | None, watch: Watch) -> None:
    """A batch at a time; results are told in the order of asking, however they come back."""
    if watch.stops(engine):
        return
    points, first = engine.outstanding(), engine.nfev
    while True:
        for k, point in enumerate(points):
            exchange.send(first + k, point)
        entries: list[Entry] = []
        while len(entries) < len(points):
            entry = exchange.receive(watch.deadline)
            if entry is None:
                watch.stops(engine)
                return
            entries.append(entry)
        tell_batch(engine, exchange, entries, watch)
        if watch.stops(engine):
            return
        first = engine.nfev
        points = engine.ask(batch or default_batch(engine.n))


def tell_batch(engine: Engine, exchange: Exchange, entries: list[Entry], watch: Watch) -> None:
    """Take the results of a whole batch."""
    if not entries:
        return
    watch.set_clock(engine, max(entry.at for entry in entries))
    watch.note_evaluation(max(entry.outcome.seconds for entry in entries))
    outcomes = [
        exchange.counted(entry.outcome) for entry in sorted(entries, key=lambda e: e.number)
    ]
    n = len(outcomes)
    engine.tell(
        np.array([outcome.f for outcome in outcomes], dtype=np.float64),
        np.array([outcome.g for outcome in outcomes]).reshape(n, engine.problem.n_ineq),
        np.array([outcome.h for outcome in outcomes]).reshape(n, engine.problem.n_eq),
    )


def run_async(flight: AnyOrder, exchange: Exchange, in_flight: int, watch: Watch) -> None:
    """`in_flight` points are out at all times; each result is told as it comes, and one more asked.

    One result at a time, so that the run follows from the order of the results alone.
    """
    engine = flight.engine
    for number, point in flight.outstanding():
        exchange.send(number, point)
    while not watch.stops(engine):
        while flight.n_out < in_flight:
            asked = flight.ask()
            if asked is None:
                break
            exchange.send(*asked)
        entry = exchange.receive(watch.deadline)
        if entry is None:
            continue  # the time is up
        watch.set_clock(engine, entry.at)
        watch.note_evaluation(entry.outcome.seconds)
        outcome = exchange.counted(entry.outcome)
        flight.tell(entry.number, outcome.f, outcome.g, outcome.h)
