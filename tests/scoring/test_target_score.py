"""The target form of the U-score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from rdex.scoring import target_score
from reference.scoring_twin import target_ranks
from scoring.fields import as_lists, fields


def test_the_organisers_example():
    # Ranks 1..12 by construction: trial of rank r reaches 0 at checkpoint 13 - r.
    ranks = np.array([[12, 10, 8, 4], [11, 9, 6, 3], [7, 5, 2, 1]])
    f = (np.arange(1, 13) < (13 - ranks)[:, None, :, None]).astype(float)
    score = target_score(f, np.zeros_like(f))
    assert score.trial_ranks[:, 0].tolist() == ranks.tolist()
    assert score.total.tolist() == [24, 19, 5]
    assert score.uncorrected_total.tolist() == [34, 29, 15]
    assert score.ranks[:, 0].tolist() == [1, 2, 3]


def test_strata_are_ordered_and_split():
    # One run each: infeasible (v 2), infeasible (v 1), feasible 9, feasible 1 late, 1 early.
    f = np.array([[0, 0], [-5, -5], [9, 9], [3, 1], [1, 1]], dtype=float)[:, None, None, :]
    v = np.array([[2, 2], [1, 1], [0, 0], [0, 0], [0, 0]], dtype=float)[:, None, None, :]
    score = target_score(f, v)
    assert score.targets.tolist() == [1.0]
    assert score.trial_ranks.ravel().tolist() == [1, 2, 3, 4, 5]
    assert score.constraint.ravel().tolist() == [1, 2, 0, 0, 0]
    assert score.accuracy.ravel().tolist() == [0, 0, 3, 0, 0]
    assert score.speed.ravel().tolist() == [0, 0, 0, 4, 5]
    assert score.hit.ravel().tolist() == [3, 3, 3, 2, 1]


def test_the_target_is_the_median_of_feasible_finals_only():
    f = np.array([1.0, 2.0, 4.0, -100.0]).reshape(4, 1, 1, 1)
    v = np.array([0.0, 0.0, 0.0, 1.0]).reshape(4, 1, 1, 1)
    assert target_score(f, v).targets.tolist() == [2.0]
    assert target_score(f[:3], np.ones((3, 1, 1, 1))).targets.tolist() == [2.0]
    assert target_score(f[:3], np.ones((3, 1, 1, 1))).no_feasible.tolist() == [True]


@settings(max_examples=60, deadline=None)
@given(fields())
def test_ranks_of_a_problem_sum_to_the_triangular_number(field):
    f, v = field
    m, _, n, _ = f.shape
    score = target_score(f, v)
    np.testing.assert_array_equal(score.uncorrected.sum(axis=0), m * n * (m * n + 1) / 2)
    corrected = m * n * (m * n + 1) / 2 - m * n * (n + 1) / 2
    np.testing.assert_array_equal(score.per_problem.sum(axis=0), corrected)
    np.testing.assert_array_equal(sum(score.strata.values()), score.uncorrected)


@settings(max_examples=60, deadline=None)
@given(fields(algorithms=2))
def test_two_algorithms_give_the_mann_whitney_u(field):
    f, v = field
    score = target_score(f, v)
    for p in range(f.shape[1]):
        # Any increasing function of the trial order will do as the sample scipy ranks.
        order = np.zeros((2, f.shape[2]))
        target = score.targets[p]
        for a, i in np.ndindex(order.shape):
            final_f, final_v = f[a, p, i, -1], v[a, p, i, -1]
            if final_v > 0:
                order[a, i] = -1e6 - min(final_v, 1e5)
            elif final_f > target:
                order[a, i] = -1e3 - np.clip(final_f, -100, 100)
            else:
                reached = (f[a, p, i] <= target) & (v[a, p, i] == 0)
                order[a, i] = -np.argmax(reached)
        expected = mannwhitneyu(order[0], order[1], method="asymptotic", use_continuity=False)
        assert score.per_problem[0, p] == expected.statistic


@settings(max_examples=60, deadline=None)
@given(fields())
def test_trial_ranks_are_those_of_the_plain_definition(field):
    f, v = field
    score = target_score(f, v)
    for p in range(f.shape[1]):
        assert score.trial_ranks[:, p].ravel().tolist() == target_ranks(as_lists(f, v, p))


@settings(max_examples=40, deadline=None)
@given(fields(), st.randoms(use_true_random=False))
def test_order_of_algorithms_and_runs_does_not_matter(field, random):
    f, v = field
    algorithms, runs = list(range(f.shape[0])), list(range(f.shape[2]))
    random.shuffle(algorithms)
    random.shuffle(runs)
    moved = target_score(f[algorithms][:, :, runs], v[algorithms][:, :, runs])
    np.testing.assert_array_equal(moved.total, target_score(f, v).total[algorithms])


def test_padding_and_missing_problems():
    rng = np.random.default_rng(1)
    f = np.sort(rng.random((3, 2, 4, 5)))[..., ::-1].copy()
    v = np.zeros_like(f)
    f[0, :, 3], v[0, :, 3] = np.nan, np.nan
    f[2, 1], v[2, 1] = np.nan, np.nan
    score = target_score(f, v)
    assert score.counts.tolist() == [[3, 3], [4, 4], [4, 0]]
    assert np.isnan(score.per_problem[2, 1]) and np.isnan(score.ranks[2, 1])
    assert score.uncorrected[:, 0].sum() == 11 * 12 / 2
    assert np.nansum(score.uncorrected[:, 1]) == 7 * 8 / 2
    assert score.total[2] == score.per_problem[2, 0]
    assert score.rank_mean[2] == score.ranks[2, 0]
    assert "algorithm 2 has no runs on 1 of 2 problems" in score.notes[0]
    assert "numbers of runs differ (3 to 4)" in score.notes[1]
    short = target_score(f[1:2, :, :1], v[1:2, :, :1])
    assert short.total.tolist() == [0.0] and short.notes == ()


def test_cutoff_makes_small_values_equal():
    f = np.array([1e-9, -2e-10, 3e-9]).reshape(3, 1, 1, 1)
    assert target_score(f, np.zeros_like(f)).total.tolist() == [1.5, 1.5, 0.0]
    assert target_score(f, np.zeros_like(f), cutoff=1e-8).total.tolist() == [1, 1, 1]


def test_f_may_be_unknown_while_infeasible():
    f = np.array([[np.nan, 1.0], [np.nan, np.nan]]).reshape(2, 1, 1, 2)
    v = np.array([[1.0, 0.0], [1.0, 0.5]]).reshape(2, 1, 1, 2)
    assert target_score(f, v).trial_ranks.ravel().tolist() == [2, 1]


@pytest.mark.parametrize(
    ("f", "v", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 3)), r"shape \(algorithm, problem, run, checkpoint\)"),
        (np.zeros((1, 1, 1, 2)), np.zeros((1, 1, 1, 3)), "v must have the shape of f"),
        (np.zeros((1, 1, 0, 2)), np.zeros((1, 1, 0, 2)), "non-empty"),
        (np.zeros((1, 1, 2, 2)), [[[[0, 0], [0, -1]]]], "run 1: the violation is negative"),
        (np.zeros((1, 1, 1, 2)), [[[[0, np.nan]]]], "NaN at some checkpoints only"),
        ([[[[1, np.nan]]]], np.zeros((1, 1, 1, 2)), "f is NaN at a feasible checkpoint"),
    ],
)
def test_values_without_meaning_are_refused(f, v, message):
    with pytest.raises(ValueError, match=message):
        target_score(f, v)


def test_released_runs_against_themselves_give_exact_halves(reference_dir):
    f, v = [], []
    for number in (6, 7, 8, 17):
        with np.load(reference_dir / "released_rdex" / f"C{number:02d}.npz") as file:
            f.append(file["f"])
            v.append(file["v"])
    score = target_score([f, f], [v, v])
    np.testing.assert_array_equal(score.per_problem, 25 * 25 / 2)
