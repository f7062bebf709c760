"""Two samples at a time: rank-sum test, A12 and its interval, Holm, wins / ties / losses.

All measures are to be minimised. NaN in a sample is padding and is left out; infinities are
ordinary values, since only the order counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.scoring.arrays import Bools, Floats, median
from rdex.scoring.distributions import rank_sum_test

#: The test, as tables name it.
RANK_SUM = (
    "two-sided Wilcoxon rank-sum (Mann-Whitney U, as in scipy): exact where a sample has at most "
    "8 values and there are no ties, else normal with tie and continuity correction"
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A reference algorithm against every other one, problem by problem.

    Attributes
    ----------
    reference : int
        Index of the reference algorithm.
    competitors : (competitor,) int array
        Indices of the others.
    p, p_holm : (competitor, problem) array
        Rank-sum p-values, as they are and corrected across the problems; NaN where one of the two
        has no runs.
    a12, a12_low, a12_high : (competitor, problem) array
        Chance that the reference is better, ties counting half, with its 95 % interval.
    alpha : float
        Level of the tests.
    """

    reference: int
    competitors: NDArray[np.int64]
    p: Floats
    p_holm: Floats
    a12: Floats
    a12_low: Floats
    a12_high: Floats
    alpha: float

    @property
    def outcome(self) -> NDArray[np.int64]:
        """(competitor, problem): 1 the reference wins, -1 it loses, 0 tie or nothing to compare."""
        return _outcome(self.p, self.a12, self.alpha)

    @property
    def outcome_holm(self) -> NDArray[np.int64]:
        """The same by the corrected p-values."""
        return _outcome(self.p_holm, self.a12, self.alpha)

    @property
    def win_tie_loss(self) -> NDArray[np.int64]:
        """(competitor, 3) problems won, tied and lost; problems without a test are not counted."""
        return _count(self.outcome, ~np.isnan(self.p))

    @property
    def win_tie_loss_holm(self) -> NDArray[np.int64]:
        """The same by the corrected p-values."""
        return _count(self.outcome_holm, ~np.isnan(self.p))

    @property
    def median_a12(self) -> Floats:
        """(competitor,) median of A12 over the problems compared."""
        return median(self.a12)


def compare(values: ArrayLike, reference: int = 0, alpha: float = 0.05) -> Comparison:
    """Test a reference algorithm against every other one on every problem.

    Parameters
    ----------
    values : (algorithm, problem, run) array
        One number a trial, smaller is better; NaN is padding.
    reference : int
        Which algorithm the others are compared with.
    alpha : float
        Level below which a difference counts as a win or a loss.
    """
    data = np.asarray(values, dtype=np.float64)
    if data.ndim != 3:
        raise ValueError(f"values must have shape (algorithm, problem, run), got {data.shape}")
    if not -data.shape[0] <= reference < data.shape[0]:
        raise ValueError(f"reference must be one of {data.shape[0]} algorithms, got {reference}")
    reference %= data.shape[0]
    competitors = np.delete(np.arange(data.shape[0]), reference)
    shape = competitors.size, data.shape[1]
    p, p_holm, effect, low, high = (np.full(shape, np.nan) for _ in range(5))
    for i, other in enumerate(competitors):
        p[i] = rank_sum(data[reference], data[other])
        p_holm[i] = holm(p[i])
        effect[i], low[i], high[i] = _a12_rows(data[reference], data[other])
    return Comparison(reference, competitors, p, p_holm, effect, low, high, alpha)


def rank_sum(x: ArrayLike, y: ArrayLike) -> Floats:
    """p-values of the test `RANK_SUM` between the rows of x (problem, run) and y (problem, run).

    1 where all values are equal, NaN where a row is empty.
    """
    rows_x = np.atleast_2d(np.asarray(x, dtype=np.float64))
    rows_y = np.atleast_2d(np.asarray(y, dtype=np.float64))
    p = np.full(rows_x.shape[0], np.nan)
    whole = ~np.isnan(np.c_[rows_x, rows_y]).any(axis=1)
    p[whole] = rank_sum_test(rows_x[whole], rows_y[whole])
    for i in np.flatnonzero(~whole):
        a, b = rows_x[i][~np.isnan(rows_x[i])], rows_y[i][~np.isnan(rows_y[i])]
        if a.size and b.size:
            p[i] = rank_sum_test(a[None], b[None])[0]
    return p


def smallest_p(n_x: int, n_y: int) -> float:
    """The smallest p-value that the test `RANK_SUM` can give for samples of these sizes.

    Examples
    --------
    >>> smallest_p(3, 3), round(smallest_p(5, 5), 4)
    (0.1, 0.0079)
    """
    if not (n_x and n_y):
        return 1.0
    return float(rank_sum(np.arange(n_x), np.arange(n_x, n_x + n_y))[0])


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down correction of a family of p-values; NaN stay out of it.

    The k-th smallest of m is multiplied by m - k + 1, and none may fall below one before it.
    (statsmodels gives the same; importing it takes a second.)

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    raw = np.asarray(p, dtype=np.float64)
    corrected = np.full(raw.shape, np.nan)
    known = np.flatnonzero(~np.isnan(raw))
    order = known[np.argsort(raw[known], kind="stable")]
    steps = raw[order] * np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def a12(x: ArrayLike, y: ArrayLike) -> float:
    """Vargha and Delaney's effect size for minimisation: P(X < Y) + P(X = Y)/2.

    Larger than one half: x tends to be better (smaller) than y. NaN where a sample is empty.

    Examples
    --------
    >>> a12([1, 2, 3], [2, 3, 4])
    0.7777777777777778
    """
    a = np.asarray(x, dtype=np.float64).ravel()
    b = np.asarray(y, dtype=np.float64).ravel()
    a, b = a[~np.isnan(a)], np.sort(b[~np.isnan(b)])
    if not (a.size and b.size):
        return float("nan")
    # Twice the number of pairs won, ties counting half: whole numbers, so the result is exact.
    not_above = np.searchsorted(b, a, side="left").sum() + np.searchsorted(b, a, side="right").sum()
    return float(2 * a.size * b.size - not_above) / (2 * a.size * b.size)


def a12_interval(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Confidence interval of `a12`: Newcombe's score interval.

    R. G. Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic, part 2", Statistics in Medicine 25, 2006, method 5: all theta whose distance from the
    estimate is within z standard errors, the variance (Hanley and McNeil) taken at theta. It stays
    inside [0, 1] and keeps a width where one sample is better throughout, unlike the intervals
    of DeLong or the bootstrap.
    """
    a, b = np.asarray(x, dtype=np.float64).ravel(), np.asarray(y, dtype=np.float64).ravel()
    sizes = int((~np.isnan(a)).sum()), int((~np.isnan(b)).sum())
    low, high = _score_interval(np.array([a12(a, b)]), *sizes, confidence)
    return float(low[0]), float(high[0])


def _score_interval(
    estimate: Floats, n_x: int, n_y: int, confidence: float
) -> tuple[Floats, Floats]:
    """Both limits for every estimate, by bisection of the score equation."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    if n_x == 0 or n_y == 0:
        nothing = np.full(estimate.shape, np.nan)
        return nothing, nothing.copy()
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    extra = (n_x + n_y) / 2 - 1

    def outside(theta: Floats) -> Bools:
        shape = (1 - theta) / (2 - theta) + theta / (1 + theta)
        variance = theta * (1 - theta) * (1 + extra * shape) / (n_x * n_y)
        return (theta - estimate) ** 2 > z * z * variance

    limits = []
    for end in (0.0, 1.0):
        out, inside = np.full(estimate.shape, end), estimate.copy()
        for _ in range(60):
            middle = (out + inside) / 2
            beyond = outside(middle)
            out, inside = np.where(beyond, middle, out), np.where(beyond, inside, middle)
        limits.append(inside)
    return limits[0], limits[1]


def _a12_rows(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """A12 and its 95 % limits for every row."""
    effect = np.array([a12(a, b) for a, b in zip(x, y, strict=True)])
    low, high = np.full(effect.shape, np.nan), np.full(effect.shape, np.nan)
    sizes = np.stack([(~np.isnan(x)).sum(axis=1), (~np.isnan(y)).sum(axis=1)], axis=1)
    for n_x, n_y in np.unique(sizes, axis=0):
        rows = (sizes == (n_x, n_y)).all(axis=1)
        low[rows], high[rows] = _score_interval(effect[rows], int(n_x), int(n_y), 0.95)
    return effect, low, high


def _outcome(p: Floats, effect: Floats, alpha: float) -> NDArray[np.int64]:
    """The sign of a significant difference: which side A12 favours."""
    significant = np.where(np.isnan(p), 1.0, p) < alpha
    side = np.sign(np.where(np.isnan(effect), 0.5, effect) - 0.5)
    return np.where(significant, side, 0).astype(np.int64)


def _count(outcome: NDArray[np.int64], known: Bools) -> NDArray[np.int64]:
    """Wins, ties and losses along the problems."""
    return np.stack([((outcome == sign) & known).sum(axis=1) for sign in (1, 0, -1)], axis=1)
