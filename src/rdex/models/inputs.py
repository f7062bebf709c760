"""How models see points and values: inputs on a linear or logarithmic scale, outputs squashed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rdex.problem.space import Space

Floats = NDArray[np.float64]

#: A variable may be seen on a logarithmic scale if its upper bound is this many times its lower.
LEAST_RATIO = 8.0

#: Values are squashed if they range over more than this many times their scale.
LEAST_RANGE = 20.0


class Inputs:
    """Points of the unit cube, as a model sees them: about a centre, in units of a radius.

    Parameters
    ----------
    ratio : (d,) array
        upper / lower of the variables seen on a logarithmic scale; 1 for all others.
    centre : (d,) array
        Of the cube; becomes the origin.
    radius : float or (d,) array
        In the cube; on a logarithmic scale what becomes of it at the centre.
    """

    def __init__(self, ratio: Floats, centre: Floats, radius: Floats | float) -> None:
        is_log = ratio > 1.0
        self._any_log = bool(is_log.any())
        self._linear = np.where(is_log, 0.0, 1.0)
        self._stretch = np.where(is_log, ratio - 1.0, 0.0)
        self._unit = is_log / np.log(np.where(is_log, ratio, np.e))
        self._origin = self._warped(centre)
        self.radius = radius * self._warp_slopes(centre)

    def _warped(self, z: Floats) -> Floats:
        """z with logarithms of the variables on a logarithmic scale, again between 0 and 1."""
        if not self._any_log:
            return z
        return self._linear * z + self._unit * np.log1p(self._stretch * z)

    def __call__(self, z: Floats) -> Floats:
        """u of points (…, d)."""
        return (self._warped(z) - self._origin) / self.radius

    def slopes(self, z: Floats) -> Floats | float:
        """du/dz of one point, per variable."""
        return self._warp_slopes(z) / self.radius

    def _warp_slopes(self, z: Floats) -> Floats | float:
        """Slopes of the logarithms at one point; 1 for other variables."""
        if not self._any_log:
            return 1.0
        return self._linear + self._stretch * self._unit / (1.0 + self._stretch * z)


def log_ratios(space: Space) -> Floats:
    """upper / lower where a logarithmic scale is worth a try, 1 for all other variables."""
    may = ~space.logarithmic & ~space.fixed & (space.lower > 0.0)
    ratio = np.ones(space.dim)
    ratio[may] = space.upper[may] / space.lower[may]
    return np.where(ratio >= LEAST_RATIO, ratio, 1.0)


@dataclass
class Outputs:
    """Which functions are seen as scale·asinh((y − centre) / scale), others as they are: (q,)."""

    centre: Floats
    scale: Floats
    is_squashed: NDArray[np.bool_]

    def __call__(self, y: Floats) -> Floats:
        """Values (…, q) as the models see them; y itself if none is squashed."""
        return self.of(np.arange(self.scale.size), y)

    def of(self, columns: NDArray[np.int64], y: Floats) -> Floats:
        """The same for values (…, k) of some functions."""
        which = np.flatnonzero(self.is_squashed[columns])
        if not which.size:
            return y
        of = columns[which]
        seen = y.copy()
        seen[..., which] = self.scale[of] * np.arcsinh(
            (y[..., which] - self.centre[of]) / self.scale[of]
        )
        return seen

    def original(self, seen: Floats) -> Floats:
        """Values (…, q) in the units of the functions."""
        y = self.centre + self.scale * np.sinh(np.clip(seen / self.scale, -300.0, 300.0))
        return np.where(self.is_squashed, y, seen)


def squashing(y: Floats, centre: Floats, scale: Floats) -> Outputs:
    """Squash the functions y (n, q) whose values range far beyond their scale (q,)."""
    safe = np.where(scale > 0.0, scale, 1.0)
    may = (scale > 0.0) & (np.ptp(y, axis=0) > LEAST_RANGE * scale)
    return Outputs(centre, safe, may)
