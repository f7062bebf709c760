"""Ranks, and the distributions behind the tests.

`scipy.stats` has all of them, to the same digits (tests/scoring/test_distributions.py). Importing
it takes longer than a whole report may.
"""

from __future__ import annotations

import functools
import math
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.scoring.arrays import Floats, mean_ranks

#: Half the width and the step of the integral over a normal distribution. The trapezoidal rule is
#: exact to the last digits there, because the integrand is smooth and vanishes at both ends.
REACH, STEP = 9.0, 0.05


def normal_above(z: float) -> float:
    """Chance that a standard normal variable is above z."""
    return math.erfc(z / math.sqrt(2.0)) / 2.0


def chi2_above(x: float, df: int) -> float:
    """Chance that a chi-square variable of `df` degrees of freedom is above x.

    Examples
    --------
    >>> round(chi2_above(5.991, 2), 4), round(chi2_above(3.841, 1), 4)
    (0.05, 0.05)
    """
    half = x / 2.0
    if half <= 0.0:
        return 1.0
    # Q(a + 1, h) = Q(a, h) + h^a exp(-h) / Gamma(a + 1), from Q(1/2) or Q(1).
    is_odd = df % 2 == 1
    total = math.erfc(math.sqrt(half)) if is_odd else math.exp(-half)
    a = 0.5 if is_odd else 1.0
    while a < df / 2.0:
        total += math.exp(a * math.log(half) - half - math.lgamma(a + 1.0))
        a += 1.0
    return min(total, 1.0)


def range_above(q: ArrayLike, n: int) -> Floats:
    """Chance that the range of `n` standard normal variables is above q (the studentized range of
    infinitely many degrees of freedom).

    Examples
    --------
    >>> round(float(range_above(2.772, 2)), 3)
    0.05
    """
    at = np.arange(-REACH, REACH + STEP / 2, STEP)
    density = np.exp(-at * at / 2.0) / math.sqrt(2.0 * math.pi)
    distances, where = np.unique(np.asarray(q, dtype=np.float64), return_inverse=True)
    below = _normal_below(at)
    inside = [n * STEP * float(density @ (below - _normal_below(at - each)) ** (n - 1))
              for each in distances]  # fmt: skip
    return np.clip(1.0 - np.array(inside), 0.0, 1.0)[where].reshape(np.shape(q))


def _normal_below(at: Floats) -> Floats:
    return np.array([normal_above(-z) for z in at.tolist()])


@functools.cache
def range_quantile(above: float, n: int) -> float:
    """The q that the range of `n` standard normal variables is above with the chance `above`.

    Examples
    --------
    >>> round(range_quantile(0.05, 3), 3)  # Demsar 2006, Table 5: 2.343 times the root of 2
    3.314
    """
    low, high = 0.0, 1.0
    while range_above(high, n) > above:
        high *= 2.0
    while low < (middle := (low + high) / 2.0) < high:
        low, high = (middle, high) if range_above(middle, n) > above else (low, middle)
    return middle


def friedman_test(ranks: Floats) -> tuple[float, float]:
    """Friedman's chi-square, corrected for ties, and its p-value; ranks are (algorithm, problem)
    and do not tie on every problem."""
    m, n = ranks.shape
    sizes = [np.unique(column, return_counts=True)[1] for column in ranks.T]
    ties = sum(float((t**3 - t).sum()) for t in sizes)
    spread = 12.0 / (m * n * (m + 1)) * float((ranks.sum(axis=1) ** 2).sum()) - 3.0 * n * (m + 1)
    chi2 = spread / (1.0 - ties / (m * (m * m - 1) * n))
    return chi2, chi2_above(chi2, m - 1)


def rank_sum_test(x: Floats, y: Floats) -> Floats:
    """Two-sided Mann-Whitney p-values of the rows of x and y, which hold no NaN.

    Exact where a sample has at most 8 values and a row has no ties, else normal with corrections
    for ties and continuity. 1 where all values of a row are equal.
    """
    n_x, n_y = x.shape[1], y.shape[1]
    ranks = mean_ranks(np.c_[x, y])
    u = ranks[:, :n_x].sum(axis=1) - n_x * (n_x + 1) / 2.0
    larger = np.maximum(u, n_x * n_y - u)
    return np.array([_rank_sum_p(each, np.unique(row, return_counts=True)[1], n_x, n_y)
                     for each, row in zip(larger.tolist(), ranks, strict=True)])  # fmt: skip


def _rank_sum_p(u: float, ties: NDArray[np.int64], n_x: int, n_y: int) -> float:
    """The p-value of one row: the larger U, and how often each rank occurs."""
    if ties.size == 1:
        return 1.0
    n = n_x + n_y
    if min(n_x, n_y) <= 8 and ties.size == n:
        return min(2.0 * _exactly_above(n_x, n_y)[int(u)], 1.0)
    tied = float((ties.astype(np.float64) ** 3 - ties).sum())
    deviation = math.sqrt(n_x * n_y / 12.0 * ((n + 1) - tied / (n * (n - 1))))
    return min(2.0 * normal_above((u - n_x * n_y / 2.0 - 0.5) / deviation), 1.0)


@functools.lru_cache(maxsize=64)
def _exactly_above(n_x: int, n_y: int) -> list[float]:
    """For every u the chance of U >= u where both samples come from one distribution.

    The number of orders with U = u is a coefficient of the Gaussian binomial, which is the product
    of (1 - q^(large + i)) / (1 - q^i) over i = 1 ... small.
    """
    small, large = sorted((n_x, n_y))
    counts = [1] + [0] * (small * large)
    for i in range(1, small + 1):
        for u in range(len(counts) - 1, large + i - 1, -1):
            counts[u] -= counts[u - large - i]
        for u in range(i, len(counts)):
            counts[u] += counts[u - i]
    total = sum(counts)
    return [part / total for part in accumulate(counts)][::-1]  # U has a symmetric distribution
