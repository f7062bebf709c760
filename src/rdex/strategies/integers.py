"""Integer variables in local searches: points one step away."""

from __future__ import annotations

import numpy as np

from rdex.problem.problem import Floats
from rdex.problem.space import Space


def neighbours(space: Space, x: Floats) -> Floats:
    """Points (k, d) whose integer variables differ by one in one place."""
    points = []
    for j in np.flatnonzero(space.whole & ~space.fixed):
        for step in (-1.0, 1.0):
            if space.lower[j] <= x[j] + step <= space.upper[j]:
                points.append(x.copy())
                points[-1][j] += step
    return np.array(points).reshape(-1, x.size)
