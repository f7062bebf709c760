"""`Evolution`: the differential evolution of an engine as a strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rdex.engine.anyorder import AnyOrder
from rdex.engine.engine import Engine, default_batch
from rdex.strategies.archive import Sample
from rdex.strategies.strategy import Trial


class Evolution:
    """Asks the engine and tells it.

    Parameters
    ----------
    engine : Engine
    any_order : bool
        Results are used as they come, and the next generation is begun before the last is decided.
        Else they must be told in the order of asking, and a batch never crosses a generation.
    numbers : sequence of int, optional
        Ids of the points that are out, for a run read from a file; any order only.
    in_batches : bool
        Any order, but asked in batches that never cross a generation while results come in order.
    """

    def __init__(
        self,
        engine: Engine,
        any_order: bool = False,
        numbers: Sequence[int] | None = None,
        in_batches: bool = False,
    ) -> None:
        self.engine = engine
        self.in_batches = in_batches
        self.flight = AnyOrder(engine, numbers, in_batches) if any_order else None

    def pending(self) -> list[Trial]:
        """What is out: for a run read from a file, to be evaluated first."""
        if self.flight is not None:
            return [Trial(*pair) for pair in self.flight.outstanding()]
        first = self.engine.nfev
        return [Trial(first + k, x) for k, x in enumerate(self.engine.outstanding())]

    def ask(self, n: int = 0) -> list[Trial]:
        """Up to `n` points; 0 stands for the engine's own size of a batch."""
        size = n or default_batch(self.engine.n)
        if self.flight is None:
            first = self.engine.n_asked
            return [Trial(first + k, x) for k, x in enumerate(self.engine.ask(size))]
        if self.in_batches:
            return [Trial(*pair) for pair in self.flight.ask_batch(size)]
        asked: list[Trial] = []
        while len(asked) < n:
            pair = self.flight.ask()
            if pair is None:
                break
            asked.append(Trial(*pair))
        return asked

    def tell(self, id: int, sample: Sample) -> None:
        """What came of a point."""
        if self.flight is not None:
            self.flight.tell(id, sample.f, sample.g, sample.h)
        else:
            self.engine.tell(sample.f, sample.g[None, :], sample.h[None, :])

    def saved(self) -> dict[str, Any]:
        """What a file holds beside the arrays of the engine, as JSON values."""
        if self.flight is None:
            return {}
        flight = self.flight
        return {"numbers": flight.numbers_out, "held": flight.held, "is_mixed": flight.is_mixed}

    def restore(self, facts: dict[str, Any]) -> None:
        """Results that wait for their race partners, in runs that somebody else evaluates."""
        if self.flight is not None and self.in_batches:
            self.flight.hold(facts.get("held", []), bool(facts.get("is_mixed")))
