"""The first points: spread over the box."""

from __future__ import annotations

import numpy as np

from rdex.problem.problem import Floats

#: Latin hypercubes drawn, of which the best is taken.
TRIES = 20

#: The most points beyond one per variable.
MOST_BEYOND = 32

#: Squares of differences up to which NumPy does. SciPy takes longer to load than these take.
FEW = 200_000


def design_size(d: int, budget: int) -> int:
    """How many points to begin with: enough for a linear model, more if the budget allows."""
    return int(max(d + 2, min(2 * d + 1, d + MOST_BEYOND, budget // 4)))


def latin_hypercube(n: int, d: int, rng: np.random.Generator) -> Floats:
    """The design (n, d) of the unit cube whose closest points are farthest apart."""
    best, widest = np.full((n, d), 0.5), -1.0
    for _ in range(TRIES):
        cells = np.argsort(rng.random((d, n)), axis=1).T
        z = (cells + rng.random((n, d))) / n
        closest = closest_distance(z) if n > 1 else 0.0
        if closest > widest:
            best, widest = z, closest
    return best


def closest_distance(z: Floats) -> float:
    """The distance of the two closest rows, the same bits from NumPy and from SciPy."""
    n, d = z.shape
    if n * (n - 1) // 2 * d > FEW:
        from scipy.spatial.distance import pdist

        return float(pdist(z).min())
    first, second = np.triu_indices(n, 1)
    squares = np.zeros(first.size)
    for column in z.T:  # one after the other, as SciPy adds them
        squares += (column[first] - column[second]) ** 2
    return float(np.sqrt(squares.min()))
