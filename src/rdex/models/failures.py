"""Where evaluations fail: a model that is −1 at points that worked and +1 at points that failed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rdex.models.inputs import Inputs
from rdex.models.rbf import Fit
from rdex.models.surrogate import make_part

Floats = NDArray[np.float64]

#: How far the model is kept on the side of points that worked.
CAUTION = 0.3

#: Smoothing: a border that follows every single point would be too ragged.
NUGGET = 1e-4


class FailureModel:
    """How much a point looks like those that failed.

    Parameters
    ----------
    z : (n, d) array
        Points of the unit cube; of both kinds.
    has_failed : (n,) bool array
    centre, radius : arrays (d,), or a float
        Where the model is used.

    Examples
    --------
    >>> z = np.array([[0.0], [0.2], [0.4], [0.8], [1.0]])
    >>> model = FailureModel(z, z[:, 0] > 0.5, np.array([0.5]), 0.5)
    >>> bool(model(np.array([0.1]))[0] < 0 < model(np.array([0.9]))[0])
    True
    """

    def __init__(
        self, z: Floats, has_failed: NDArray[np.bool_], centre: Floats, radius: Floats | float
    ) -> None:
        view = Inputs(np.ones(centre.size), centre, radius)
        fit = Fit(view(z), 0, NUGGET)
        y = np.where(has_failed, 1.0, -1.0)[:, None]
        self._part = make_part(fit, view, np.array([0]), y, np.array([0]))

    def __call__(self, z: Floats) -> tuple[float, Floats]:
        """The value at a point, > 0 if it is better avoided, and its slope."""
        value = float(self._part.values(z)[0]) + CAUTION
        return value, self._part.slopes()[0]

    def rows(self, z: Floats) -> Floats:
        """Values at points (m, d)."""
        return self._part.rows(z)[:, 0] + CAUTION
