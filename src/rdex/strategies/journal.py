"""`Journal`: a strategy and all that it was asked and told: how it is saved, and resumed.

A strategy made of generators cannot be written to a file. It is a pure function of its arguments
and of the calls that it got, so the calls are saved, and made again when a run is resumed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.common.errors import RunFileError
from rdex.strategies.archive import Sample
from rdex.strategies.strategy import Strategy, Trial


class Journal:
    """Passes calls on and keeps them.

    Parameters
    ----------
    strategy : Strategy
        At its beginning.
    """

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self._calls: list[int] = []  # n of ask(n) as n, tell(id) as -1 - id
        self._values: list[tuple[float, ...]] = []  # seconds, f, g, h of each tell
        self._out: dict[int, Trial] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.strategy, name)

    @property
    def n_calls(self) -> int:
        """Calls so far."""
        return len(self._calls)

    def pending(self) -> list[Trial]:
        """What is out."""
        return list(self._out.values())

    def ask(self, n: int = 0) -> list[Trial]:
        """Points of the strategy."""
        trials = self.strategy.ask(n)
        self._calls.append(n)
        for trial in trials:
            self._out[trial.id] = trial
        return trials

    def tell(self, id: int, sample: Sample) -> None:
        """What came of a point."""
        self._calls.append(-1 - id)
        self._values.append((sample.seconds, sample.f, *sample.g, *sample.h))
        del self._out[id]
        self.strategy.tell(id, sample)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All calls so far."""
        width = len(self._values[0]) if self._values else 0
        return {
            "calls": np.array(self._calls, dtype=np.int64),
            "values": np.array(self._values, dtype=np.float64).reshape(len(self._values), width),
        }

    def replay(
        self, arrays: dict[str, NDArray[Any]], n_ineq: int, n_eq: int, until: int | None = None
    ) -> list[Sample]:
        """Make the calls of an earlier session again, from where this one is to call `until`; the
        samples that were told, in order."""
        calls, values = checked_calls(arrays, 2 + n_ineq + n_eq)
        rows = iter(values[len(self._values) :])
        told: list[Sample] = []
        for call in calls[self.n_calls : until].tolist():
            if call >= 0:
                self.ask(call)
                continue
            trial = self._out.get(-1 - call)
            if trial is None:
                raise RunFileError(f"the saved run tells point {-1 - call}, which is not out")
            seconds, f, *constraints = next(rows).tolist()
            g, h = np.array(constraints[:n_ineq]), np.array(constraints[n_ineq:])
            sample = Sample(trial.x, f, g, h, seconds)
            self.tell(trial.id, sample)
            told.append(sample)
        return told


def checked_calls(
    arrays: dict[str, NDArray[Any]], width: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Calls and values of the right kinds and shapes, or a RunFileError."""
    calls, values = arrays.get("calls"), arrays.get("values")
    if calls is None or calls.ndim != 1 or calls.dtype != np.int64:
        raise RunFileError("the saved run has no list of calls")
    n_told = int((calls < 0).sum())
    if values is None or values.dtype != np.float64 or (n_told and values.shape != (n_told, width)):
        raise RunFileError(f"the saved run needs {n_told} rows of {width} values")
    return calls, values
