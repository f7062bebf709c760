"""Friedman and Nemenyi against direct calls."""

import numpy as np
import pytest
import scikit_posthocs
from scipy.stats import friedmanchisquare, rankdata

from rdex.scoring.friedman import critical_difference, friedman


@pytest.mark.parametrize("rounded", [False, True])
def test_tests_are_those_of_the_libraries(rounded):
    rng = np.random.default_rng(4)
    values = rng.normal(size=(4, 12, 25)) + np.array([0, 0.2, 0.4, 0.1])[:, None, None]
    if rounded:
        values = np.round(values)
    medians = np.median(values, axis=-1)
    result = friedman(values)
    expected = friedmanchisquare(*medians)
    assert (result.chi2, result.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert result.df == 3 and result.n_problems == 12
    np.testing.assert_allclose(result.average_ranks, rankdata(medians, axis=0).mean(axis=1))
    pairs = scikit_posthocs.posthoc_nemenyi_friedman(medians.T)
    np.testing.assert_allclose(result.nemenyi, pairs)


def test_incomplete_problems_are_left_out():
    values = np.random.default_rng(5).normal(size=(3, 6, 4))
    values[1, 2] = np.nan
    values[0, 0, 3] = np.nan
    result = friedman(values)
    rest = friedman(np.delete(values, 2, axis=1))
    assert result.chi2 == rest.chi2 and result.n_problems == 5
    assert result.notes == ("1 of 6 problems left out: an algorithm has no runs there",)


def test_degenerate_fields():
    equal = friedman(np.ones((3, 4, 5)))
    assert (equal.chi2, equal.p) == (0.0, 1.0) and equal.average_ranks.tolist() == [2, 2, 2]
    two = friedman(np.random.default_rng(0).normal(size=(2, 5, 3)))
    assert np.isnan(two.p) and "needs 3 algorithms and 2 problems, got 2 and 5" in two.notes[0]
    infinite = np.array([[-np.inf, 1.0], [2.0, np.inf], [3.0, 4.0]])[:, :, None]
    assert friedman(infinite).average_ranks.tolist() == [1.0, 2.5, 2.5]
    with pytest.raises(ValueError, match=r"shape \(algorithm, problem, run\)"):
        friedman(np.ones((3, 4)))


def test_critical_difference_of_published_constants():
    # Demsar 2006, table 5: q(0.05) = 2.343 for 3 and 3.164 for 10 classifiers.
    assert critical_difference(3, 1) == pytest.approx(2.343 * np.sqrt(2), abs=2e-3)
    assert critical_difference(10, 1) == pytest.approx(3.164 * np.sqrt(110 / 6), abs=4e-3)
