"""Violation and failure: φ by hand, by a plain formula, and at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdex.engine.kernels.order import violation_of

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")

NONE = np.empty(0)


def phi(g, h, tolerances, weights=None, excess=0.0, row=1):
    ones = np.ones(len(tolerances))
    limit = np.array([tolerances, ones if weights is None else weights, ones])
    return violation_of(
        np.array(g, dtype=float), np.array(h, dtype=float), limit, row, excess
    )  # fmt: skip


def test_no_constraints_no_violation():
    assert violation_of(NONE, NONE, np.ones((3, 0)), 1, 0.0) == 0.0


def test_the_mean_is_over_all_constraints():
    assert phi([3.0, -5.0], [0.0, -1.0], [0, 0, 1e-4, 1e-4]) == 1.0


def test_equality_counts_whole_above_its_tolerance_and_not_at_it():
    assert phi([], [1e-4], [1e-4]) == 0.0
    above = np.nextafter(1e-4, 1.0)
    assert phi([], [above], [1e-4]) == above
    assert phi([], [-0.5], [0.25]) == 0.5


def test_equality_can_count_with_its_excess_only():
    assert phi([], [-0.5], [0.25], excess=1.0) == 0.25
    assert phi([], [0.25], [0.25], excess=1.0) == 0.0


def test_inequality_counts_above_its_tolerance():
    assert phi([0.0], [], [0.0]) == 0.0
    assert phi([0.5], [], [0.5]) == 0.0
    assert phi([0.75], [], [0.5]) == 0.75


def test_weights_belong_to_their_constraints_and_can_be_left_aside():
    g, h, tolerances, weights = [2.0, 3.0], [5.0], [0, 0, 1e-4], [0.5, 2.0, 10.0]
    assert phi(g, h, tolerances, weights) == (1.0 + 6.0 + 50.0) / 3
    assert phi(g, h, tolerances, weights, row=2) == 10.0 / 3


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(4))
def test_one_constraint_that_is_not_finite_fails_the_point(bad, place):
    values = [-1.0, -1.0, 0.0, 0.0]
    values[place] = bad
    assert phi(values[:2], values[2:], [0, 0, 1e-4, 1e-4]) == math.inf


finite = st.floats(-1e6, 1e6)


@given(st.lists(finite, min_size=1, max_size=4), st.lists(finite, max_size=4), st.booleans())
def test_against_the_formula(g, h, excess):
    tolerances = [0.0] * len(g) + [1e-4] * len(h)
    sizes = np.abs(h)
    total = np.maximum(g, 0.0).sum() + np.where(sizes > 1e-4, sizes - excess * 1e-4, 0.0).sum()
    found = phi(g, h, tolerances, excess=float(excess))
    assert found == pytest.approx(total / (len(g) + len(h)), rel=1e-14, abs=1e-300)


@given(st.lists(finite, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_permuting_constraints_changes_rounding_at_most(g, random):
    shuffled = g.copy()
    random.shuffle(shuffled)
    zeros = [0.0] * len(g)
    assert phi(shuffled, [], zeros) == pytest.approx(phi(g, [], zeros), rel=1e-14)


@given(st.lists(finite, min_size=1, max_size=6), st.floats(1e-3, 1e3))
def test_scaling_an_inactive_constraint_changes_nothing(g, factor):
    zeros = [0.0] * (len(g) + 1)
    assert phi([*g, -factor], [], zeros) == phi([*g, -1.0], [], zeros)
