"""`JumpWatch`: whether a function jumps where a local search takes shorter and shorter steps."""

from __future__ import annotations

import math

import numpy as np

from rdex.problem.problem import Floats
from rdex.solvers.sqp import Slopes, Values


class JumpWatch:
    """Compares values along lines with the slopes at their starts.

    What the slopes miss becomes smaller with the step: by a factor r² for a step r times as long
    where a function is smooth, by r at a kink. At a jump it stays as long as the steps cross it,
    and is gone with the first that does not. So there may be a jump where this error stays, above
    √r of the one before, in several shortenings in a row, or where it is gone, below r⁴, on
    several lines in a row. Halving the distance between both sides shows whether there is one.

    Parameters
    ----------
    times : int
        How many in a row.
    least : float
        Errors below this share of a value are rounding, and below this are too small to matter.

    Attributes
    ----------
    here, beyond : (n,) array
        Points of the line on both sides of the jump.
    has_width : bool
        Whether there are several points beyond.
    is_wrong : bool
        Set where there was no jump: the signs are those of the function, and count no more.

    Examples
    --------
    >>> watch = JumpWatch(times=2, least=1e-6)
    >>> none = np.empty(0)
    >>> watch.begin(np.zeros(1), Values(0.0, none), Slopes(np.array([-1.0]), np.empty((0, 1))))
    >>> [watch.sees(np.array([z]), Values(0.3 - z, none)) for z in (0.4, 0.1, 0.02)]
    [False, False, True]
    """

    def __init__(self, times: int, least: float) -> None:
        self.times = times
        self.least = least
        self._n_gone = 0
        self._is_gone = False
        self.is_wrong = False

    def begin(self, z: Floats, values: Values, slopes: Slopes) -> None:
        """A line starts at z."""
        self._start, self._first = z, np.append(values.c, values.f)
        self._slopes = np.vstack([slopes.c, slopes.f])
        self._stayed = np.zeros(self._first.size, dtype=int)
        self._n_gone = self._n_gone + 1 if self._is_gone else 0
        self._is_gone = False
        self._last: tuple[Floats, float, Floats] | None = None  # point, length and error

    def sees(self, z: Floats, values: Values) -> bool:
        """Whether there may be a jump on the line to z."""
        here, length = np.append(values.c, values.f), float(np.abs(z - self._start).max())
        error, last = self._error_at(z, values), self._last
        self._last = (z, length, error)
        if self.is_wrong or last is None or length >= last[1]:
            return False
        ratio, least = length / last[1], self.least * np.maximum(1.0, np.abs(here))
        stays = (error > math.sqrt(ratio) * last[2]) & (error > least)
        self._stayed = np.where(stays, self._stayed + 1, 0)
        is_gone = (error < ratio**4 * last[2]) & (last[2] > least)
        self._is_gone = bool(is_gone.any())
        self.has_width = False
        if (self._stayed >= self.times).any():
            self._rows, self._size = self._stayed >= self.times, error
            self.here, self._near = self._start, np.zeros(error.size)
            self.beyond, self._far = z, error
            return True
        if self._is_gone and self._n_gone + 1 >= self.times:
            self._rows, self._size = is_gone, last[2]
            self.here, self._near = z, error
            self.beyond, self._far = last[0], last[2]
            return True
        return False

    @property
    def distance(self) -> float:
        """Between both sides."""
        return float(np.abs(self.beyond - self.here).max())

    @property
    def middle(self) -> Floats:
        """Between both sides."""
        half: Floats = 0.5 * (self.here + self.beyond)
        return half

    @property
    def further(self) -> Floats:
        """As far beyond as the sides are apart."""
        far: Floats = 2.0 * self.beyond - self.here
        return far

    def narrow(self, values: Values) -> bool:
        """Take the values in the middle; whether it is on this side."""
        middle = self.middle
        error = self._error_at(middle, values)
        if self.is_beyond(middle, values):
            self.beyond, self._far, self.has_width = middle, error, True
            return False
        self.here, self._near = middle, error
        return True

    def is_beyond(self, z: Floats, values: Values) -> bool:
        """Whether z is on the other side."""
        return bool((self._error_at(z, values) > 0.5 * self._size)[self._rows].any())

    @property
    def is_possible(self) -> bool:
        """Whether the error changes by about its size between both sides; at a pole, by more."""
        change = ((self._far - self._near) / self._size)[self._rows]
        return bool(((change > 0.5) & (change < 2.0)).any())

    @property
    def is_sure(self) -> bool:
        """After some halvings: it is possible, and not for one point alone.

        That would be a pole, or a bound where the function has another value.
        """
        return self.is_possible and self.has_width

    def _error_at(self, z: Floats, values: Values) -> Floats:
        """What the slopes at the start miss."""
        here = np.append(values.c, values.f)
        error: Floats = np.abs(here - self._first - self._slopes @ (z - self._start))
        return error
