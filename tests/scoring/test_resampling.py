"""Bootstrap and leaving one algorithm out."""

import numpy as np
import pytest

from rdex.scoring import pairwise_score, target_score
from rdex.scoring.resampling import bootstrap, leave_one_out
from rdex.scoring.trials import Trials
from scoring.fields import best_so_far, pad

SCORES = {"target": target_score, "pairwise": pairwise_score}


@pytest.fixture
def field():
    """Three algorithms of different strength, with ties, infeasible ends and unequal counts."""
    rng = np.random.default_rng(8)
    shape = 3, 4, 6, 10
    v = np.round(rng.exponential(1.5, shape)) * rng.integers(0, 2, shape)
    f = np.round(rng.normal(0, 3, shape) + np.array([0, 1, 2])[:, None, None, None])
    f, v = best_so_far(f, v)
    v[:, 3] += 1.0  # nothing feasible on the last problem
    f, v = pad(f, v, 1, slice(None), [5])
    return Trials.from_arrays(*pad(f, v, 2, 0, slice(None)), maxfev=100)


@pytest.mark.parametrize("form", SCORES)
def test_leaving_out_is_scoring_the_rest(field, form):
    result = leave_one_out(field, form)
    for left in range(3):
        rest = [i for i in range(3) if i != left]
        score = SCORES[form](field.f[rest], field.v[rest])
        np.testing.assert_allclose(result.totals[left, rest], score.total)
        assert np.isnan(result.totals[left, left])
        expected = (-score.total).argsort().argsort() + 1
        assert result.ranks[left, rest].tolist() == expected.tolist()


def test_a_leaver_can_reorder_the_rest():
    # a beats c in every pair and b in half of them: ahead of b only as long as c is there.
    ends = np.array([[4.0, 4.0], [1.0, 6.0], [5.0, 5.0]])
    trials = Trials.from_arrays(ends[:, None, :, None], np.zeros((3, 1, 2, 1)), maxfev=1)
    result = leave_one_out(trials, "pairwise")
    assert result.rank[0] < result.rank[1]
    assert result.ranks[2, 0] == result.ranks[2, 1]
    assert result.changes[2] and not result.changes[1]


@pytest.mark.parametrize("form", SCORES)
def test_each_resample_is_a_field_of_its_own(field, form):
    """The totals of resamples equal the scores of fields built from the runs drawn."""
    result = bootstrap(field, form, n_resamples=20, rng=3)
    generator = np.random.default_rng(3)
    expected = np.zeros((20, 3))
    for j in range(4):
        counts = field.counts[:, j]
        owner = np.repeat(np.arange(3), counts)
        drawn = (generator.random((20, owner.size)) * counts[owner]).astype(int)
        for b in range(20):
            f, v = (np.full((3, 1, 6, 10), np.nan) for _ in range(2))
            for a in range(3):
                rows = drawn[b][owner == a]
                f[a, 0, : rows.size] = field.f[a, j, rows]
                v[a, 0, : rows.size] = field.v[a, j, rows]
            expected[b] += SCORES[form](f, v).total
    np.testing.assert_allclose(result.totals, expected)
    np.testing.assert_allclose(result.total, SCORES[form](field.f, field.v).total)


def test_intervals_hold_the_quantiles(field):
    result = bootstrap(field, n_resamples=200, confidence=0.9, rng=1)
    assert (result.total_low <= result.total_high).all()
    inside = (result.totals >= result.total_low) & (result.totals <= result.total_high)
    assert (inside.mean(axis=0) >= 0.9).all()
    assert ((result.rank_low >= 1) & (result.rank_high <= 3)).all()
    assert result.first.sum() <= 1.0
    again = bootstrap(field, n_resamples=200, confidence=0.9, rng=1)
    np.testing.assert_array_equal(again.totals, result.totals)


def test_identical_runs_have_no_spread():
    f = np.broadcast_to([[[[3.0, 1.0]]], [[[3.0, 2.0]]]], (2, 1, 5, 2))
    result = bootstrap(Trials.from_arrays(f, np.zeros((2, 1, 5, 2)), maxfev=2), n_resamples=50)
    assert result.total_low.tolist() == result.total_high.tolist() == result.total.tolist()
    assert result.first.tolist() == [1.0, 0.0]


def test_bad_arguments_are_named(field):
    with pytest.raises(ValueError, match="form of score must be one of target, pairwise"):
        bootstrap(field, "u")
    with pytest.raises(ValueError, match="n_resamples must be at least 1"):
        bootstrap(field, n_resamples=0)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        bootstrap(field, confidence=95)
    with pytest.raises(ValueError, match="at least two algorithms"):
        leave_one_out(field.select([field.algorithms[0]]))
