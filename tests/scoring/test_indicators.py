"""Indicators of single trials."""

import numpy as np
import pytest

from rdex.scoring.indicators import complexity, indicators
from rdex.scoring.trials import Trials


def trials_of(f, v, **more):
    """Trials of one problem: one algorithm per row, one run each."""
    f, v = np.array(f, dtype=float), np.array(v, dtype=float)
    return Trials.from_arrays(f[:, None, None], v[:, None, None], maxfev=100, **more)


def test_all_indicators_by_hand():
    # Feasible from checkpoint 2 on; never feasible; feasible at once. Target: median of 1 and 9.
    field = trials_of([[3, 7, 1, 1], [4, 3, 2, -6], [9, 9, 9, 9]],
                      [[2, 0, 0, 0], [3, 2, 1, 0.5], [0, 0, 0, 0]])  # fmt: skip
    result = indicators(field)
    assert result.targets.tolist() == [5.0]
    assert result.quality.ravel().tolist() == [1.0, 10.5, 9.0]
    assert result.time_to_target.ravel().tolist() == [3, 5, 5]
    assert indicators(field, feasible_only=False).time_to_target.ravel().tolist() == [1, 1, 5]
    assert result.final_f.ravel().tolist() == [1, -6, 9]
    assert result.final_violation.ravel().tolist() == [0, 0.5, 0]
    assert result.feasibility_rate.ravel().tolist() == [1, 0, 1]
    assert result.first_feasible.ravel().tolist() == [50, np.inf, 25]
    expected = [np.log10(1 + 2) / 4, 0.0, np.log10(1 + 4)]
    assert result.auc.ravel().tolist() == pytest.approx(expected)
    worst = np.log10(1 + 4)
    expected = [(worst + np.log10(1 + 2)) / 4, worst, worst]
    assert indicators(field, auc_rule="worst").auc.ravel().tolist() == pytest.approx(expected)


def test_without_a_feasible_trial_the_target_is_flagged():
    result = indicators(trials_of([[3, 2], [5, 4]], [[1, 1], [1, 2]]))
    assert result.targets.tolist() == [3.0] and result.target_from_infeasible.tolist() == [True]
    assert result.quality.ravel().tolist() == [6.0, 7.0]
    assert result.time_to_target.ravel().tolist() == [3, 3]
    assert np.isinf(result.first_feasible).all()


def test_unrecorded_objectives_have_an_area():
    field = trials_of([[np.nan, 4, 2], [np.nan, np.nan, np.nan], [3, 2, 2]],
                      [[1, 0, 0], [1, 1, 1], [0, 0, 0]])  # fmt: skip
    result = indicators(field)
    worst = np.log10(3)
    assert result.auc.ravel() == pytest.approx([2 * worst / 3, worst, np.log10(2) / 3])
    assert result.quality.ravel().tolist() == [2.0, 4.0, 2.0]
    nothing = indicators(trials_of([[np.inf, np.inf]], [[np.inf, np.inf]]))
    assert nothing.auc.ravel().tolist() == [0.0]
    assert nothing.quality.ravel().tolist() == [np.inf]


def test_infinite_values_are_ordinary():
    result = indicators(trials_of([[2, -np.inf], [3, np.inf], [1, 1]], np.zeros((3, 2))))
    assert result.targets.tolist() == [1.0]
    assert result.quality.ravel().tolist() == [-np.inf, np.inf, 1.0]
    assert result.time_to_target.ravel().tolist() == [2, 3, 1]
    assert np.isfinite(result.auc).all()


def test_given_targets_are_used():
    field = trials_of([[3, 2, 1]], [[0, 0, 0]])
    assert indicators(field, targets=[2.5]).time_to_target.ravel().tolist() == [2]
    with pytest.raises(ValueError, match=r"targets must have shape \(1,\)"):
        indicators(field, targets=[1, 2])
    with pytest.raises(ValueError, match="auc_rule must be one of recorded, worst"):
        indicators(field, auc_rule="best")


def test_published_sums():
    field = trials_of([[3, 2], [1, 5]], [[4, -9], [2, 1]], form="signed")
    with pytest.raises(ValueError, match="as_published=True"):
        indicators(field)
    result = indicators(field.prepared(as_published=True))
    assert result.quality.ravel().tolist() == [2.0, 7.0]
    assert result.final_violation.ravel().tolist() == [-9.0, 1.0]
    assert result.feasibility_rate.ravel().tolist() == [1.0, 0.0]


def test_padding_stays_unknown():
    f, v = np.ones((2, 1, 2, 3)), np.zeros((2, 1, 2, 3))
    f[1, 0], v[1, 0] = np.nan, np.nan
    result = indicators(Trials.from_arrays(f, v, maxfev=30))
    for values in result.metrics.values():
        assert np.isnan(values[1]).all() and np.isfinite(values[0]).all()
    assert result.feasibility_rate[0, 0] == 1.0 and np.isnan(result.feasibility_rate[1, 0])


@pytest.mark.parametrize(("number", "mean"), [(8, 769.8), (10, 793.2), (18, 202.4)])
def test_released_runs_at_six_digits(reference_dir, number, mean):
    """The target is the runs' own median; C18 needs the paper's time, which ignores feasibility."""
    with np.load(reference_dir / "released_rdex" / f"C{number:02d}.npz") as file:
        f, v = file["f"][None, None], file["v"][None, None]
    field = Trials.from_arrays(f, v, maxfev=600000).prepared(digits=6)
    result = indicators(field, feasible_only=False)
    assert round(float(result.time_to_target.mean()), 1) == mean
    auc = {8: 0.10, 10: 0.10, 18: 0.28}[number]  # the paper has 0.27 +- 0.01 for C18
    assert round(float(result.auc.mean()), 2) == auc


def test_unrounded_c08_is_reached_late(reference_dir):
    with np.load(reference_dir / "released_rdex" / "C08.npz") as file:
        f, v = file["f"][None, None], file["v"][None, None]
    assert indicators(Trials.from_arrays(f, v, maxfev=600000)).time_to_target.mean() > 1750


def test_complexity():
    result = complexity([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    assert (result.T1, result.T2, result.overhead) == (2.0, 3.0, 0.5)
    with pytest.raises(ValueError, match=r"got shapes \(1,\) and \(2,\)"):
        complexity([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="positive"):
        complexity([0.0], [1.0])
