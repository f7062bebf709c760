"""The pairwise score of 2026."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rdex.scoring import pairwise_score
from reference.scoring_twin import pairwise_points
from scoring.fields import as_lists, fields, pad


def test_the_organisers_figure():
    # Each trial drops once, to its end, so the drops alone decide speed and the ends accuracy.
    ends = np.array([[2, 4, 5, 7], [1, 3, 6, 8]])  # p, q
    drops = np.array([[1, 4, 6, 8], [2, 3, 5, 7]])
    f = np.where(np.arange(9) < drops[:, None, :, None], 100.0, ends[:, None, :, None])
    score = pairwise_score(f, np.zeros_like(f))
    assert score.accuracy_points[:, 0].tolist() == [[6, 4, 3, 1], [7, 5, 2, 0]]
    assert score.speed_points[:, 0].tolist() == [[7, 4, 2, 0], [6, 5, 3, 1]]
    assert score.accuracy.ravel().tolist() == [14, 14]
    assert score.speed.ravel().tolist() == [13, 15]
    assert score.total.tolist() == [27, 29]


def test_speed_is_compared_at_the_worse_end():
    # The second ends better but needs longer for it; the first end it reaches earlier.
    f = np.array([[9, 9, 5, 5], [9, 5, 4, 1]], dtype=float)[:, None, None, :]
    score = pairwise_score(f, np.zeros_like(f))
    assert score.accuracy.ravel().tolist() == [0, 1]
    assert score.speed.ravel().tolist() == [0, 1]


def test_infeasible_ends_are_compared_by_violation():
    f = np.array([[0, 0], [9, 9], [7, 7]], dtype=float)[:, None, None, :]
    v = np.array([[2, 1], [3, 2], [1, 0]], dtype=float)[:, None, None, :]
    score = pairwise_score(f, v)
    assert score.accuracy.ravel().tolist() == [1, 0, 2]
    assert score.speed.ravel().tolist() == [1, 0, 2]


@settings(max_examples=150, deadline=None)
@given(fields())
def test_points_are_those_of_the_plain_definition(field):
    f, v = field
    score = pairwise_score(f, v)
    for p in range(f.shape[1]):
        accuracy, speed = pairwise_points(as_lists(f, v, p))
        assert score.accuracy_points[:, p].ravel().tolist() == accuracy
        assert score.speed_points[:, p].ravel().tolist() == speed


@settings(max_examples=60, deadline=None)
@given(fields())
def test_points_of_a_problem_sum_to_the_number_of_ordered_pairs(field):
    f, v = field
    trials = f.shape[0] * f.shape[2]
    score = pairwise_score(f, v)
    np.testing.assert_array_equal(score.per_problem.sum(axis=0), trials * (trials - 1))
    np.testing.assert_array_equal(score.accuracy.sum(axis=0), trials * (trials - 1) / 2)


@pytest.mark.parametrize("seed", range(3))
def test_longer_traces_agree_with_the_plain_definition(seed):
    rng = np.random.default_rng(seed)
    shape = 3, 1, 6, 40
    v = np.minimum.accumulate(np.round(rng.exponential(3, shape)) * rng.integers(0, 3, shape), -1)
    f = np.minimum.accumulate(np.round(rng.normal(0, 4, shape)), axis=-1)
    f, v = pad(f, v, 1, 0, [4, 5])
    score = pairwise_score(f, v)
    listed = [trial for trial in as_lists(f, v, 0) if not np.isnan(trial[-1][0])]
    accuracy, speed = pairwise_points(listed)
    present = ~np.isnan(score.accuracy_points[:, 0])
    assert score.accuracy_points[:, 0][present].tolist() == accuracy
    assert score.speed_points[:, 0][present].tolist() == speed
    assert "numbers of runs differ (4 to 6)" in score.notes[0]


@settings(max_examples=30, deadline=None)
@given(fields(algorithms=2), st.integers(0, 3))
def test_equal_fields_share_equally(field, seed):
    f, v = field
    order = np.random.default_rng(seed).permutation(f.shape[2])
    twice = np.stack([f[0], f[0][:, order]]), np.stack([v[0], v[0][:, order]])
    score = pairwise_score(*twice)
    np.testing.assert_array_equal(score.per_problem[0], score.per_problem[1])
    assert score.ranks.tolist() == [[1.5] * f.shape[1]] * 2


def test_cutoff_is_applied_at_every_checkpoint():
    f = np.array([[1.0, 1e-9, -3e-9], [1.0, 1.0, 5e-9]])[:, None, None, :]
    plain, cut = pairwise_score(f, np.zeros_like(f)), pairwise_score(f, np.zeros_like(f), 1e-8)
    assert plain.accuracy.ravel().tolist() == [1, 0]
    assert cut.accuracy.ravel().tolist() == [0.5, 0.5]
    assert cut.speed.ravel().tolist() == [1, 0]
    with pytest.raises(ValueError, match="cutoff must be None or a number >= 0"):
        pairwise_score(f, np.zeros_like(f), cutoff=-1)


def test_missing_problem_and_single_trial():
    f, v = np.ones((2, 2, 1, 3)), np.zeros((2, 2, 1, 3))
    f, v = pad(f, v, 0, 1, [0])
    score = pairwise_score(f, v)
    assert np.isnan(score.per_problem[0, 1]) and score.per_problem[1, 1] == 0
    assert score.total.tolist() == [1.0, 1.0]
    assert "algorithm 0 has no runs on 1 of 2 problems" in score.notes[0]
