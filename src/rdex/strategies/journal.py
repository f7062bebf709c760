"""`Journal`: a strategy and all that it was asked and told: how it is saved, and resumed.

A strategy made of generators cannot be written to a file. It is a pure function of its arguments
and of the calls that it got, so the calls are saved, and made again when a run is resumed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.common.errors import RunFileError
from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.strategy import Strategy, Trial

#: Calls that are neither ask(n), kept as n, nor tell(id), kept as -1 - id.
CLOCK, INJECT = 2**62, 2**62 + 1

#: Values as large as 1e308 may overflow where a search subtracts or adds them: no cause to warn.
QUIET = np.errstate(over="ignore", invalid="ignore", divide="ignore")


class Journal:
    """Passes calls on and keeps them.

    Parameters
    ----------
    strategy : Strategy
        At its beginning.
    """

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self._calls: list[int] = []
        self._values: list[tuple[float, ...]] = []  # seconds, f, g, h of each tell and injection
        self._points: list[Floats] = []  # of each tell
        self._injected: list[list[float]] = []  # points
        self._clock: list[float] = []  # shares of the time
        self._out: dict[int, Trial] = {}

    @property
    def n_calls(self) -> int:
        """Calls so far."""
        return len(self._calls)

    def pending(self) -> list[Trial]:
        """What is out."""
        return list(self._out.values())

    @QUIET
    def ask(self, n: int = 0) -> list[Trial]:
        """Points of the strategy."""
        trials = self.strategy.ask(n)
        self._calls.append(n)
        for trial in trials:
            self._out[trial.id] = trial
        return trials

    @QUIET
    def tell(self, id: int, sample: Sample) -> None:
        """What came of a point."""
        self._calls.append(-1 - id)
        self._values.append((sample.seconds, sample.f, *sample.g, *sample.h))
        self._points.append(self._out.pop(id).x)
        self.strategy.tell(id, sample)

    @QUIET
    def inject(self, sample: Sample) -> None:
        """A point nobody asked for."""
        self._calls.append(INJECT)
        self._values.append((sample.seconds, sample.f, *sample.g, *sample.h))
        self._injected.append(sample.x.tolist())
        self.strategy.inject(sample)

    def set_clock(self, share: float) -> None:
        """Used share of the time."""
        self._calls.append(CLOCK)
        self._clock.append(share)
        self.strategy.set_clock(share)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All calls so far."""
        width = len(self._values[0]) if self._values else 0
        return {
            "calls": np.array(self._calls, dtype=np.int64),
            "values": np.array(self._values, dtype=np.float64).reshape(len(self._values), width),
            "points": np.array(self._points, dtype=np.float64),
            "injections": np.array(self._injected, dtype=np.float64),
            "clock": np.array(self._clock, dtype=np.float64),
        }

    def replay(
        self, arrays: dict[str, NDArray[Any]], n_ineq: int, n_eq: int, until: int | None = None
    ) -> list[Sample]:
        """Make the calls of an earlier session again, from where this one is to call `until`; the
        samples that were told or injected, in order."""
        calls, values = checked_calls(arrays, 2 + n_ineq + n_eq)
        rows = iter(values[len(self._values) :])
        told: list[Sample] = []
        for call in calls[self.n_calls : until].tolist():
            if call == CLOCK:
                self.set_clock(float(arrays["clock"][len(self._clock)]))
                continue
            if 0 <= call < CLOCK:
                self.ask(call)
                continue
            trial = self._replayed_trial(call, arrays)
            seconds, f, *constraints = next(rows).tolist()
            g, h = np.array(constraints[:n_ineq]), np.array(constraints[n_ineq:])
            sample = Sample(trial.x, f, g, h, seconds)
            if call == INJECT:
                self.inject(sample)
            else:
                self.tell(trial.id, sample)
            told.append(sample)
        return told

    def _replayed_trial(self, call: int, arrays: dict[str, NDArray[Any]]) -> Trial:
        """The point of a call that was told or injected."""
        if call == INJECT:
            return Trial(-1, arrays["injections"][len(self._injected)])
        trial = self._out.get(-1 - call)
        if trial is None:
            raise RunFileError(f"the saved run tells point {-1 - call}, which is not out")
        if arrays["points"][len(self._points)].tobytes() != trial.x.tobytes():
            raise RunFileError(
                f"the search takes another way here: its evaluation {len(self._values) + 1} was at "
                "another point. The file is damaged, or was written with another version of rdex, "
                "NumPy or SciPy, or on another kind of machine"
            )
        return trial


def checked_calls(
    arrays: dict[str, NDArray[Any]], width: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Calls and values of the right kinds and shapes, or a RunFileError."""
    calls, values = arrays.get("calls"), arrays.get("values")
    if calls is None or calls.ndim != 1 or calls.dtype != np.int64:
        raise RunFileError("the saved run has no list of calls")
    for name, n in (("clock", (calls == CLOCK).sum()), ("injections", (calls == INJECT).sum())):
        if len(arrays.get(name, ())) != n:
            raise RunFileError(f"the saved run needs {n} entries of {name}")
    n_told = int((calls < 0).sum())
    points = arrays.get("points")
    if points is None or len(points) != n_told or points.dtype != np.float64:
        raise RunFileError(f"the saved run needs {n_told} points")
    n_told += int((calls == INJECT).sum())
    if values is None or values.dtype != np.float64 or (n_told and values.shape != (n_told, width)):
        raise RunFileError(f"the saved run needs {n_told} rows of {width} values")
    return calls, values
