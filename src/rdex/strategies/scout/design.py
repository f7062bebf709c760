"""The first points: spread over the box."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

from rdex.problem.problem import Floats

#: Latin hypercubes drawn, of which the best is taken.
TRIES = 20

#: The most points beyond one per variable.
MOST_BEYOND = 32


def design_size(d: int, budget: int) -> int:
    """How many points to begin with: enough for a linear model, more if the budget allows."""
    return int(max(d + 2, min(2 * d + 1, d + MOST_BEYOND, budget // 4)))


def latin_hypercube(n: int, d: int, rng: np.random.Generator) -> Floats:
    """The design (n, d) of the unit cube whose closest points are farthest apart."""
    best, widest = np.full((n, d), 0.5), -1.0
    for _ in range(TRIES):
        cells = np.argsort(rng.random((d, n)), axis=1).T
        z = (cells + rng.random((n, d))) / n
        closest = float(pdist(z).min()) if n > 1 else 0.0
        if closest > widest:
            best, widest = z, closest
    return best
