"""Where local searches start: points that are new, good or far from all that was tried."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rdex.problem.problem import Floats
from rdex.problem.space import Space


class Candidates(NamedTuple):
    """Points z (n, d) of the unit cube and x of the user's space, with f (n,) and φ (n,)."""

    z: Floats
    x: Floats
    f: Floats
    phi: Floats

    def rows(self, order: Any) -> Candidates:
        """Some of them."""
        return Candidates(self.z[order], self.x[order], self.f[order], self.phi[order])

    def first(self, n: int) -> Candidates:
        """The first n."""
        return self.rows(slice(0, n))


class Starts:
    """Starts and ends of earlier local searches, and what is new beside them.

    Parameters
    ----------
    space : Space
    from_end, from_start : float
        Distances, as shares of the box in the variable that differs most, from earlier ends and
        starts below which a point is not new. Points with other integer parts are always new.
    """

    def __init__(self, space: Space, from_end: float, from_start: float) -> None:
        self.space = space
        self._limits = {"end": from_end, "start": from_start}
        self._z: list[Floats] = []
        self._limit: list[float] = []
        self._value: list[tuple[float, float]] = []  # (φ, f); a start is never beaten

    def note(self, start: Floats, end: Floats, value: tuple[float, float]) -> None:
        """A search has gone from start to end, where (φ, f) is `value`."""
        for kind, z, beaten_by in (("start", start, (-1.0, 0.0)), ("end", end, value)):
            self._z.append(z)
            self._limit.append(self._limits[kind])
            self._value.append(beaten_by)

    def distances(self, z: Floats) -> Floats:
        """From rows z (k, d) to every earlier start and end, (k, e); infinite between different
        integer parts."""
        known = np.array(self._z).reshape(-1, z.shape[1])
        gaps = np.abs(z[:, None, :] - known[None, :, :])
        away: Floats = gaps[:, :, self.space.continuous].max(axis=2, initial=0.0)
        other = (gaps[:, :, self.space.whole] > 1e-9).any(axis=2)
        away[other] = np.inf
        return away

    def new(self, points: Candidates) -> Any:
        """Flags of the points that are new, or better than the end they are near to."""
        f, phi = points.f, points.phi
        if not self._z:
            return np.ones(len(f), dtype=bool)
        near = self.distances(points.z) < np.array(self._limit)
        beaten = np.array(self._value)
        better = (phi[:, None] < beaten[:, 0]) | (
            (phi[:, None] == beaten[:, 0]) & (f[:, None] < beaten[:, 1])
        )
        return ~(near & ~better).any(axis=1)

    def farthest(self, points: Candidates, flags: Any) -> int:
        """Of the flagged points, the one farthest from all earlier starts and ends."""
        rows = np.flatnonzero(flags)
        if not self._z:
            return int(rows[0])
        away = self.distances(points.z[rows]).min(axis=1)
        return int(rows[np.argmax(away)])
