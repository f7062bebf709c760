"""All algorithms at once: Friedman's test on per-problem medians, Nemenyi's on the ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rdex.scoring.arrays import Floats, median, rank_algorithms
from rdex.scoring.distributions import friedman_test, range_above, range_quantile


@dataclass(frozen=True, eq=False)
class Friedman:
    """Friedman's test and Nemenyi's comparisons after it.

    Attributes
    ----------
    average_ranks : (algorithm,) array
        Mean over the problems of the rank by median; 1 is best.
    chi2, df, p : float, int, float
        Tie-corrected statistic, degrees of freedom, p-value; NaN with fewer than three algorithms.
    nemenyi : (algorithm, algorithm) array
        p-values of all pairs; NaN where Friedman's are.
    critical_difference : float
        Average ranks further apart than this differ at level alpha.
    n_problems : int
        Problems on which every algorithm has runs; only these are used.
    alpha : float
        Level of the critical difference.
    notes : tuple of str
        Problems left out, or why there is no test.
    """

    average_ranks: Floats
    chi2: float
    df: int
    p: float
    nemenyi: Floats
    critical_difference: float
    n_problems: int
    alpha: float
    notes: tuple[str, ...]


def friedman(values: ArrayLike, alpha: float = 0.05) -> Friedman:
    """Friedman's test and Nemenyi's on per-problem medians.

    Parameters
    ----------
    values : (algorithm, problem, run) array
        One number a trial, smaller is better; NaN is padding.
    alpha : float
        Level of the critical difference.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.ndim != 3:
        raise ValueError(f"values must have shape (algorithm, problem, run), got {data.shape}")
    medians = median(data)
    m, total = medians.shape
    complete = ~np.isnan(medians).any(axis=0)
    blocks = rank_algorithms(medians[:, complete], largest_first=False)
    n = int(complete.sum())
    notes: tuple[str, ...] = ()
    if n < total:
        notes += (f"{total - n} of {total} problems left out: an algorithm has no runs there",)
    average = blocks.mean(axis=1) if n else np.full(m, np.nan)
    chi2, p, pairs, difference = np.nan, np.nan, np.full((m, m), np.nan), np.nan
    if m < 3 or n < 2:
        notes += (f"Friedman's test needs 3 algorithms and 2 problems, got {m} and {n}",)
    else:
        chi2, p, pairs = _tests(blocks)
        difference = critical_difference(m, n, alpha)
    return Friedman(average, chi2, m - 1, p, pairs, difference, n, alpha, notes)


def critical_difference(n_algorithms: int, n_problems: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of average ranks (Demsar 2006, Eq. 3).

    Examples
    --------
    >>> round(critical_difference(4, 14, 0.10), 2)  # Demsar's worked example: 1.12 by a rounded q
    1.12
    """
    q = range_quantile(alpha, n_algorithms) / np.sqrt(2)
    return float(q * np.sqrt(n_algorithms * (n_algorithms + 1) / (6 * n_problems)))


def _tests(blocks: Floats) -> tuple[float, float, Floats]:
    """chi2, p and Nemenyi's p-values from ranks (algorithm, problem).

    Ranks, not medians, go in: the tests see only the order, and ranks are finite.
    """
    if (blocks == blocks[0]).all():  # every problem a tie: zero divided by zero
        return 0.0, 1.0, np.ones((blocks.shape[0], blocks.shape[0]))
    chi2, p = friedman_test(blocks)
    return chi2, p, nemenyi(blocks.mean(axis=1), blocks.shape[1])


def nemenyi(average_ranks: Floats, n_problems: int) -> Floats:
    """(algorithm, algorithm) p-values of Nemenyi's test for average ranks; 1 on the diagonal.

    The studentized range of infinitely many degrees of freedom, as in Demsar 2006.
    (scikit-posthocs gives the same.)
    """
    m = average_ranks.size
    scale = np.sqrt(m * (m + 1) / (6 * n_problems)) / np.sqrt(2)
    first, second = np.triu_indices(m, 1)
    distance = np.abs(average_ranks[first] - average_ranks[second]) / scale
    pairs = np.ones((m, m))
    pairs[first, second] = pairs[second, first] = range_above(distance, m)
    return pairs
