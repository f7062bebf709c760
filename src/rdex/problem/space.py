"""`Space`: the box of a problem as searches see it; the rules for integers and logarithms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.problem.problem import Floats, Problem

#: Points of the cube so near to a bound are on it: what is left is rounding.
AT_BOUND = 1e-13


class Space:
    """Points of the user's box and of the unit cube, and how one becomes the other.

    A logarithmic variable is linear in its logarithm in the cube. An integer variable is real in
    the cube and rounded on the way out. A fixed variable (no choice between its bounds) stays at 0.

    Parameters
    ----------
    problem : Problem
    logarithmic : (d,) bool array, optional
        Variables searched on a logarithmic scale; their lower bounds are > 0.

    Attributes
    ----------
    lower, upper : (d,) array
        The user's bounds; whole numbers where a variable is an integer.
    whole, logarithmic, fixed : (d,) bool array
        Which variables are integers, logarithmic, fixed.
    unordered : (d,) bool array
        Which integers are categories: their differences and neighbours mean nothing.
    values : tuple of (k,) array or None
        The numbers behind the codes 0, …, k - 1 of a variable from a list, in the order given;
        None for other variables, and for lists of anything but numbers.
    variables : Variables or None
        Names and lists, where the problem has them.

    Examples
    --------
    >>> toy = Problem([0.5, 1.0], [4.2, 100.0], rows=lambda X: (X.sum(1), None, None),
    ...               integrality=[True, False])
    >>> space = Space(toy, logarithmic=np.array([False, True]))
    >>> space.from_unit([0.4, 0.5]).tolist()
    [2.0, 10.0]
    >>> space.legal([9.0, 3.0]).tolist()
    [4.0, 3.0]
    """

    def __init__(self, problem: Problem, logarithmic: NDArray[np.bool_] | None = None) -> None:
        d = problem.dim
        nothing = np.zeros(d, dtype=bool)
        self.whole = nothing if problem.integrality is None else problem.integrality
        self.logarithmic = nothing if logarithmic is None else logarithmic
        self.variables = variables = problem.variables
        self.unordered = nothing if variables is None else variables.unordered
        self.values: tuple[Floats | None, ...] = (None,) * d
        if variables is not None:
            self.values = tuple(variable.numbers for variable in variables.values())
        self.lower, self.upper = problem.inner_bounds
        self.fixed = self.lower == self.upper
        self._low, self._high = self.lower.copy(), self.upper.copy()
        self._low[self.logarithmic] = np.log10(self.lower[self.logarithmic])
        self._high[self.logarithmic] = np.log10(self.upper[self.logarithmic])
        self._width = np.where(self.fixed, 1.0, self._high - self._low)

    @property
    def dim(self) -> int:
        """Number of variables."""
        return int(self.lower.size)

    @property
    def continuous(self) -> NDArray[np.bool_]:
        """The variables that can change by any small amount."""
        return ~(self.whole | self.fixed)

    @property
    def n_values(self) -> NDArray[np.int64]:
        """How many values an integer variable can take; 0 for real ones."""
        counts: NDArray[np.int64] = np.where(self.whole, self.upper - self.lower + 1, 0).astype(int)
        return counts

    def to_unit(self, x: ArrayLike) -> Floats:
        """Points (…, d) of the box in the unit cube."""
        z = np.array(x, dtype=np.float64)
        z[..., self.logarithmic] = np.log10(z[..., self.logarithmic])
        return np.clip((z - self._low) / self._width, 0.0, 1.0)

    def from_unit(self, z: ArrayLike) -> Floats:
        """Points (…, d) of the unit cube in the box, integers rounded."""
        z = np.asarray(z, dtype=np.float64)
        x = self._low + z * (self._high - self._low)
        x[..., self.logarithmic] = 10.0 ** x[..., self.logarithmic]
        x = np.where(z < AT_BOUND, self.lower, np.where(z > 1.0 - AT_BOUND, self.upper, x))
        return self.legal(x)

    def few_digits(self, x: ArrayLike, bits: int) -> Floats:
        """Points (…, d) of the box with so few digits that sums and differences of variables, and
        small multiples of them, have no rounding error: multiples of one power of two, the largest
        size in the box / 2^bits. Narrow variables have at least 24 bits of their own.
        """
        sizes = np.maximum(np.abs(self.lower), np.abs(self.upper))[~self.fixed]
        common = np.log2(sizes.max(initial=1.0)) - bits
        own = np.log2(self.upper - self.lower, where=~self.fixed, out=np.zeros(self.dim)) - 24
        grid = 2.0 ** np.floor(np.minimum(common, own))
        return self.legal(np.round(np.asarray(x) / grid) * grid)

    def legal(self, x: ArrayLike) -> Floats:
        """The nearest points (…, d) that the user's function may see."""
        points = np.array(x, dtype=np.float64)
        points[..., self.whole] = np.floor(points[..., self.whole] + 0.5)
        return np.clip(points, self.lower, self.upper)

    def check_whole(self, label: str, x: Floats, names: Sequence[str]) -> None:
        """Values known at a point belong to that very point: it cannot be rounded, so fractional
        integers raise a ValueError."""
        wrong = self.whole & (x != self.legal(x))
        if wrong.any():
            j = int(np.flatnonzero(wrong)[0])
            raise ValueError(f"{label}: {names[j]} is an integer variable, got {x[j]}")
