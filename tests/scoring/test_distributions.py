"""Ranks and distributions against `scipy.stats`, which the package does not import for them."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from rdex.scoring.arrays import mean_ranks
from rdex.scoring.distributions import (
    chi2_above,
    friedman_test,
    range_above,
    range_quantile,
    rank_sum_test,
)


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 1), (4, 9), (2, 3, 25), (5, 0)])
@pytest.mark.parametrize("kind", ["ties", "none", "infinite", "nan"])
def test_ranks_are_those_of_scipy(shape, kind):
    rng = np.random.default_rng(len(shape) * 100 + shape[-1])
    values = rng.random(shape) if kind == "none" else rng.integers(0, 5, shape).astype(float)
    if kind == "infinite":
        values[rng.random(shape) < 0.3] = np.inf
    if kind == "nan":
        values[rng.random(shape) < 0.3] = np.nan
    expected = stats.rankdata(values, axis=-1, nan_policy="omit") if values.size else values
    assert np.array_equal(mean_ranks(values), expected, equal_nan=True)


def test_whole_numbers_are_ranked():
    codes = np.random.default_rng(1).integers(0, 9, (3, 4, 20))
    assert np.array_equal(mean_ranks(codes), stats.rankdata(codes, axis=-1))


@pytest.mark.parametrize("n_x", [1, 2, 5, 8, 9, 25])
@pytest.mark.parametrize("n_y", [1, 3, 8, 11, 40])
@pytest.mark.parametrize("ties", [False, True])
def test_rank_sum_is_that_of_scipy(n_x, n_y, ties):
    rng = np.random.default_rng(n_x * 100 + n_y)
    x, y = rng.random((15, n_x)), rng.random((15, n_y)) + rng.random((15, 1)) - 0.3
    if ties:
        x, y = np.round(x, 1), np.round(y, 1)
    for a, b, p in zip(x, y, rank_sum_test(x, y), strict=True):
        if np.unique(np.r_[a, b]).size == 1:
            assert p == 1.0
        else:
            expected = stats.mannwhitneyu(a, b, alternative="two-sided", method="auto").pvalue
            assert p == pytest.approx(expected, rel=1e-13, abs=0)


def test_the_exact_test_takes_large_samples():
    x, y = np.arange(8.0)[None], np.arange(8.0, 1008.0)[None]
    # The most extreme of all orders of 8 and 1000 values, twice.
    assert rank_sum_test(x, y)[0] == pytest.approx(2 * 7.7e-20, rel=0.2)
    assert rank_sum_test(x, y)[0] == pytest.approx(2 * stats.hypergeom.pmf(8, 1008, 8, 8))


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 12, 31])
def test_chi_square_is_that_of_scipy(df):
    for x in (0.0, 1e-9, 0.1, 1.0, df, 3.0 * df, 200.0):
        assert chi2_above(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-11)


@pytest.mark.parametrize("m", [3, 4, 9])
@pytest.mark.parametrize("ties", [False, True])
def test_friedman_is_that_of_scipy(m, ties):
    values = np.random.default_rng(m).random((m, 12))
    values[0] -= 0.2
    values = np.round(values, 1) if ties else values
    chi2, p = friedman_test(stats.rankdata(values, axis=0))
    expected = stats.friedmanchisquare(*values)
    assert chi2 == pytest.approx(expected.statistic, rel=1e-12)
    assert p == pytest.approx(expected.pvalue, rel=1e-10)


@pytest.mark.parametrize("n", [2, 3, 6, 20])
def test_the_range_is_the_studentized_one_of_scipy(n):
    q = np.array([[0.0, 0.5, 1.7], [3.3, 3.3, 6.0]])
    expected = stats.studentized_range.sf(q, n, np.inf)
    assert range_above(q, n) == pytest.approx(expected, abs=1e-10)
    for above in (0.01, 0.05, 0.1):
        expected = stats.studentized_range.ppf(1 - above, n, np.inf)
        assert range_quantile(above, n) == pytest.approx(expected, rel=1e-8)


def test_the_range_of_two_is_a_normal_distance():
    for q in (0.1, 1.0, 2.772, 5.0):
        assert range_above(q, 2) == pytest.approx(2 * stats.norm.sf(q / np.sqrt(2)), abs=1e-13)


def test_scoring_and_testing_import_no_scipy():
    program = (
        "import sys; import numpy as np\n"
        "from rdex.scoring import Trials, compare, friedman\n"
        "from rdex.scoring.target import rank_trials\n"
        "values = np.arange(60.0).reshape(3, 4, 5)\n"
        "compare(values); friedman(values); rank_trials(np.arange(5))\n"
        "sys.exit(' '.join(name for name in sys.modules if name.startswith('scipy')) or 0)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
