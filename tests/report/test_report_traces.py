"""Traces made small: which checkpoints are kept, and what quartiles mean."""

import numpy as np
import pytest
from made_up_trials import made_up

from rdex.report.traces import bands, kept_checkpoints, quartiles
from rdex.scoring import Trials


@pytest.mark.parametrize("k", [1, 2, 149, 150, 151, 2000, 100000])
def test_first_and_last_checkpoint_are_kept_and_few_others(k):
    at = kept_checkpoints(k)
    assert at[0] == 0 and at[-1] == k - 1
    assert at.size <= 150 and np.all(np.diff(at) > 0)


def test_quartiles_are_numpys_without_padding_and_infinity():
    values = np.random.default_rng(0).normal(size=(3, 8, 5))
    values[1, 6:] = np.nan
    expected = [np.nanquantile(values, q, axis=1) for q in (0.25, 0.5, 0.75)]
    np.testing.assert_allclose(quartiles(values), np.stack(expected, axis=1), rtol=1e-12)


def test_an_infeasible_run_is_worse_than_any_feasible_one():
    f = np.array([1.0, 2.0, 3.0, 4.0, 0.0])[None, None, :, None]
    v = np.array([0.0, 0.0, 0.0, 7.0, 7.0])[None, None, :, None]
    band = bands(Trials.from_arrays(f, v, maxfev=1), 0)
    assert band.f[0, :, 0].tolist() == [2.0, 3.0, np.inf]
    assert band.feasible.tolist() == [[0.6]]
    assert band.best == 1.0


def test_missing_runs_and_algorithms_are_not_counted():
    trials = made_up(("A", "B"))
    f, v = trials.f.copy(), trials.v.copy()
    f[1, 0], v[1, 0] = np.nan, np.nan
    f[0, 0, 3:], v[0, 0, 3:] = np.nan, np.nan
    band = bands(Trials.from_arrays(f, v, maxfev=6000), 0)
    alone = bands(Trials.from_arrays(f[:1, :1, :3], v[:1, :1, :3], maxfev=6000), 0)
    assert np.isnan(band.f[1]).all() and np.isnan(band.feasible[1]).all()
    np.testing.assert_array_equal(band.f[0], alone.f[0])
    np.testing.assert_array_equal(band.feasible[0], alone.feasible[0])


def test_no_feasible_end_has_no_best():
    assert np.isnan(bands(made_up(), 3).best)
