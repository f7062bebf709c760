"""Rank-sum tests, A12, Holm and their counts, against direct calls of scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu
from statsmodels.stats.multitest import multipletests

from rdex.scoring import a12, a12_interval, compare, holm, rank_sum

SAMPLES = st.lists(st.sampled_from([-np.inf, -1.0, 0.0, 1.0, 2.0, np.inf]), min_size=1, max_size=6)


@given(SAMPLES, SAMPLES)
def test_a12_counts_pairs(x, y):
    wins = sum((a < b) + (a == b) / 2 for a in x for b in y)
    assert a12(x, y) == pytest.approx(wins / (len(x) * len(y)), abs=1e-15)
    assert a12(x, y) + a12(y, x) == pytest.approx(1.0, abs=1e-15)


def test_a12_is_the_scaled_mann_whitney_statistic():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 5, 25), rng.integers(1, 6, 31)
    u = mannwhitneyu(y, x).statistic
    assert a12(x, y) == u / (25 * 31)


def test_a12_leaves_padding_out():
    assert a12([1.0, np.nan], [np.nan, 2.0]) == 1.0
    assert np.isnan(a12([np.nan], [1.0]))
    assert np.isnan(a12_interval([], [1.0])).all()


@pytest.mark.parametrize(("x", "y"), [([1, 2, 3], [2, 3, 4]), ([0], [1]), ([1] * 9, [1] * 4)])
def test_interval_solves_the_score_equation(x, y):
    estimate, n_x, n_y = a12(x, y), len(x), len(y)
    low, high = a12_interval(x, y)
    assert 0 <= low <= estimate <= high <= 1
    for theta in (low, high):
        if theta in (0.0, 1.0):
            assert theta == estimate
            continue
        shape = (1 - theta) / (2 - theta) + theta / (1 + theta)
        variance = theta * (1 - theta) * (1 + ((n_x + n_y) / 2 - 1) * shape) / (n_x * n_y)
        assert abs(theta - estimate) == pytest.approx(1.959963984540054 * np.sqrt(variance))


def test_interval_is_mirrored_and_narrows():
    x, y = np.arange(25), np.arange(25) + 4
    low, high = a12_interval(x, y)
    assert a12_interval(y, x) == pytest.approx((1 - high, 1 - low))
    narrow = a12_interval(np.tile(x, 4), np.tile(y, 4))
    assert low < narrow[0] < narrow[1] < high
    wide = a12_interval(x, y, confidence=0.99)
    assert wide[0] < low and wide[1] > high
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        a12_interval(x, y, confidence=95)


@pytest.mark.slow
def test_interval_covers_the_truth():
    """2000 pairs of normal samples of 25, true A12 0.76: coverage within 95 +- 2 %.

    The binomial standard error is 0.5 %, so a correct 95 % method fails once in 10^4.
    """
    rng = np.random.default_rng(5)
    truth = 0.7602499389065234  # Phi(1/sqrt(2)), shift of one standard deviation
    hits = 0
    for _ in range(2000):
        low, high = a12_interval(rng.normal(size=25), rng.normal(1.0, size=25))
        hits += low <= truth <= high
    assert 0.93 <= hits / 2000 <= 0.97


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(p):
    np.testing.assert_array_equal(holm(p), multipletests(p, method="holm")[1])


def test_holm_leaves_unknown_p_values_out():
    p = np.array([0.01, np.nan, 0.04])
    np.testing.assert_allclose(holm(p), [0.02, np.nan, 0.04])
    assert np.isnan(holm([np.nan])).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 5, 9, 25]), st.booleans())
def test_rank_sum_is_that_of_scipy_row_by_row(seed, n, ties):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, 4, n))
    if ties:
        x, y = np.round(x), np.round(y)
    for i, p in enumerate(rank_sum(x, y)):
        if np.unique(np.r_[x[i], y[i]]).size == 1:
            assert p == 1.0
        else:
            expected = mannwhitneyu(x[i], y[i], alternative="two-sided").pvalue
            assert p == pytest.approx(expected, rel=1e-13, abs=0)


def test_rank_sum_of_degenerate_samples():
    assert rank_sum(np.ones((1, 25)), np.ones((1, 25))).tolist() == [1.0]
    assert rank_sum(np.full((1, 3), np.inf), np.full((1, 3), np.inf)).tolist() == [1.0]
    assert rank_sum([[1.0]], [[2.0]]).tolist() == [1.0]
    assert np.isnan(rank_sum([[np.nan]], [[2.0]])).all()
    apart = rank_sum(np.full((1, 25), -np.inf), np.full((1, 25), np.inf))
    assert 0 < apart[0] < 1e-8


def test_wins_ties_and_losses_are_those_of_single_tests():
    rng = np.random.default_rng(11)
    values = rng.normal(size=(4, 12, 25)) + rng.normal(scale=0.7, size=(4, 12, 1))
    values[:, 3] = 1.0
    values[1, :, 20:] = np.nan
    result = compare(values, reference=2)
    assert result.competitors.tolist() == [0, 1, 3]
    for i, other in enumerate(result.competitors):
        p, sign = [], []
        for problem in range(12):
            x, y = values[2, problem], values[other, problem]
            y = y[~np.isnan(y)]
            same = np.unique(np.r_[x, y]).size == 1
            p.append(1.0 if same else mannwhitneyu(x, y, alternative="two-sided").pvalue)
            sign.append(np.sign(np.median(y) - np.median(x)))
            assert result.a12[i, problem] == a12(x, y)
            limits = result.a12_low[i, problem], result.a12_high[i, problem]
            assert limits == pytest.approx(a12_interval(x, y))
        for level, outcome, counts in (
            (np.array(p), result.outcome, result.win_tie_loss),
            (multipletests(p, method="holm")[1], result.outcome_holm, result.win_tie_loss_holm),
        ):
            expected = np.where(level < 0.05, sign, 0)
            assert outcome[i].tolist() == expected.tolist()
            assert counts[i].tolist() == [(expected == s).sum() for s in (1, 0, -1)]
        np.testing.assert_allclose(result.p[i], p, rtol=1e-13)
        assert result.median_a12[i] == np.median(result.a12[i])


def test_problems_without_runs_are_not_counted():
    values = np.random.default_rng(2).normal(size=(2, 3, 10))
    values[1, 0] = np.nan
    result = compare(values)
    assert np.isnan(result.p[0, 0]) and np.isnan(result.p_holm[0, 0])
    assert result.win_tie_loss.sum() == 2
    assert np.isfinite(result.median_a12).all()


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match=r"shape \(algorithm, problem, run\)"):
        compare(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="one of 2 algorithms, got 5"):
        compare(np.zeros((2, 3, 4)), reference=5)
