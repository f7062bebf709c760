"""Expected running time and the share of targets reached."""

import numpy as np
import pytest

from rdex.scoring.attainment import attainment, spread_targets
from rdex.scoring.trials import Trials


@pytest.fixture
def field():
    """Two algorithms, one problem, two runs, four checkpoints of 10 evaluations."""
    f = np.array([[[9, 5, 3, 1], [9, 9, 4, 4]], [[0, 2, 2, 2], [8, 8, 8, 8]]], dtype=float)
    v = np.array([[[0, 0, 0, 0], [0, 0, 0, 0]], [[1, 0, 0, 0], [1, 1, 1, 1]]], dtype=float)
    return Trials.from_arrays(f[:, None], v[:, None], maxfev=40)


def test_hits_times_and_shares_by_hand(field):
    result = attainment(field, targets=[[5.0, 2.0]])
    assert result.hits[:, 0].tolist() == [[[2, 4], [3, 5]], [[2, 2], [5, 5]]]
    assert result.ert[:, 0].tolist() == [[(20 + 30) / 2, 40 + 40], [20 + 40, 20 + 40]]
    assert result.success[:, 0].tolist() == [[1.0, 0.5], [0.5, 0.5]]
    assert result.budget.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert result.ecdf.tolist() == [[0, 0.25, 0.5, 0.75], [0, 0.5, 0.5, 0.5]]


def test_targets_nobody_reaches(field):
    result = attainment(field, targets=[[-1.0, np.nan]])
    assert np.isinf(result.ert).all() and (result.success == 0).all()
    assert (result.ecdf == 0).all()
    assert (attainment(field, targets=[[np.inf]]).hits[1, 0] == [[2], [5]]).all()


def test_default_targets_lie_above_the_best_feasible_end(field):
    targets = spread_targets(field, [10.0, 0.1])
    assert targets.tolist() == [[11.0, 1.1]]
    infeasible = Trials.from_arrays(np.zeros((1, 1, 1, 2)), np.ones((1, 1, 1, 2)), maxfev=2)
    assert np.isnan(spread_targets(infeasible)).all()
    assert np.isnan(attainment(infeasible).ecdf).all()


def test_padding_does_not_count(field):
    f, v = field.f.copy(), field.v.copy()
    f[0, 0, 1], v[0, 0, 1] = np.nan, np.nan
    result = attainment(Trials.from_arrays(f, v, maxfev=40), targets=[[5.0]])
    assert result.hits[0, 0].tolist() == [[2], [0]]
    assert result.ert[0, 0].tolist() == [20] and result.ecdf[0].tolist() == [0, 1, 1, 1]
    with pytest.raises(ValueError, match=r"targets must have shape \(1, number of targets\)"):
        attainment(field, targets=[5.0])
