"""What a generation does at its beginning and end, part by part."""

import math

import numpy as np
import part_kernels as parts
import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import for_parts, quiet, variant

from rdex.engine.kernels import layout
from rdex.engine.state import record, seed_words, settings_record

pytestmark = quiet


def constants(settings):
    return for_parts(settings_record(settings, n0=10, maxfev=1000, checkpoints=10))


PARAM = constants(variant())


@pytest.mark.parametrize(("t", "k"), [(0.0, 8), (0.5, 2), (0.7, 0), (0.8, 0)])
def test_epsilon_is_the_kth_violation_from_zero(t, k):
    phi = np.random.default_rng(1).permutation(10) / 8
    assert parts.epsilon(PARAM, t, 9.0, phi, 10, np.zeros(10)) == k / 8


def test_epsilon_is_zero_after_its_time():
    phi = np.arange(1.0, 11.0)
    assert parts.epsilon(PARAM, 0.8, 9.0, phi, 10, np.zeros(10)) == 1.0
    assert parts.epsilon(PARAM, np.nextafter(0.8, 1.0), 9.0, phi, 10, np.zeros(10)) == 0.0


@pytest.mark.parametrize(
    ("phi", "position"),
    [
        (np.linspace(1.0, 9.0, 10), 4),  # they coincide
        (np.linspace(1.0, 13.0, 10), 8),
        (np.append(0.0, np.linspace(1.0, 9.0, 9)), 8),  # one member is feasible
        (np.append(np.linspace(1.0, 9.0, 8), [20.0, 30.0]), 4),  # most of them coincide
    ],
)
def test_epsilon_is_a_lower_quantile_while_violations_coincide(phi, position):
    shuffled = np.random.default_rng(1).permutation(phi)
    for share, expected in ((0.4, phi[position]), (1.0, phi[8])):
        param = constants(variant(eps_locked_share=share))
        assert parts.epsilon(param, 0.0, 9.0, shuffled, 10, np.zeros(10)) == expected


def test_epsilon_has_a_floor_until_its_time():
    """9 (1 − t/T)² with T = 0.5, where the order statistic is below it."""
    floored = variant(eps_floor_until=0.5, eps_floor_power=2.0)
    param = constants(floored)
    phi = np.zeros(10)
    for t, expected in ((0.0, 9.0), (0.25, 2.25), (0.5, 0.0), (0.7, 0.0)):
        assert parts.epsilon(param, t, 9.0, phi, 10, np.zeros(10)) == expected
    phi[:] = 4.0
    assert parts.epsilon(param, 0.25, 9.0, phi, 10, np.zeros(10)) == 4.0


def test_the_papers_position_counts_from_one():
    param = constants(variant(eps_position="paper"))
    phi = np.random.default_rng(1).permutation(10) / 8
    for t, position in ((0.0, 8), (0.5, 2), (0.7, 1)):
        assert parts.epsilon(param, t, 9.0, phi, 10, np.zeros(10)) == (position - 1) / 8


def test_epsilon_leaves_failures_out():
    phi = np.full(10, np.inf)
    assert parts.epsilon(PARAM, 0.0, 9.0, phi, 10, np.zeros(10)) == 0.0
    phi[3:6] = (3.0, 1.0, 2.0)
    assert parts.epsilon(PARAM, 0.0, 9.0, phi, 10, np.zeros(10)) == 3.0


def lehmer(weights, values):
    weights, values = np.array(weights), np.array(values)
    return parts.lehmer(weights.sum(), weights @ values, weights @ values**2)


def test_lehmer_by_hand():
    assert lehmer([1.0, 3.0], [0.5, 1.0]) == pytest.approx((0.25 + 3.0) / (0.5 + 3.0), rel=1e-15)
    assert lehmer([2.0], [0.25]) == 0.25


@pytest.mark.parametrize(("weights", "values"), [
    ([0.0, 0.0], [0.5, 0.7]),  # nothing gained
    ([1.0, 1.0], [0.0, 0.0]),  # values vanish
    ([1.0, 1.0], [1e-8, 0.9e-8]),  # below 1e-8 with weights that sum to 1
    ([1e308, 1e308], [0.5, 0.5]),  # the sum overflows
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_lehmer_is_one_where_it_is_undefined(weights, values):
    assert lehmer(weights, values) == 1.0


@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1)), min_size=1, max_size=20))
def test_lehmer_stays_in_range(pairs):
    weights, values = zip(*pairs, strict=True)
    assert 0.0 <= lehmer(weights, values) <= 1.0


@given(st.integers(4, 30), st.data())
def test_reduction_drops_the_worst_and_closes_up_in_ring_order(n, data):
    n_new = data.draw(st.integers(4, n))
    ring = data.draw(st.integers(0, n - 1))
    order = np.array(data.draw(st.permutations(range(n))))
    x = np.arange(float(n))[:, None].copy()
    f, phi = np.arange(100.0, 100 + n), np.arange(200.0, 200 + n)
    run = for_parts(record(layout.RUN, n=n, ring=ring))
    kept = sorted(order[:n_new].tolist())
    expected = [kept.index(i) for i in order[:n_new]]
    parts.reduce_front(run, x, f, phi, order, n_new, np.zeros(2 * n, np.int64))
    assert x[:n_new, 0].tolist() == kept
    assert (f[:n_new] - 100).tolist() == kept
    assert (phi[:n_new] - 200).tolist() == kept
    assert order[:n_new].tolist() == expected
    assert run["ring"][0] == ring % n_new


@pytest.mark.parametrize(("column", "expected"), [
    ([3.0, -1.0, 2.0], 2.0),
    ([3.0, -1.0, 2.0, -8.0], 2.5),
    ([0.0, 0.0, 5.0], 1.0),
    ([math.nan, math.inf, -4.0], 4.0),
    ([math.nan, math.nan, math.inf], 1.0),
    ([1e-310, 1e-310, 1e-310], 1.0),  # its inverse would be infinite
    ([1.7e308, 1.7e308], 1.0),  # its middle would be infinite
])  # fmt: skip
def test_scale_of_a_constraint(column, expected):
    values = np.array(column)[:, None]
    n = len(column)
    assert parts.median_size(values, n, 0, np.zeros(n)) == expected


@given(
    st.lists(st.tuples(st.floats(-20, 20), st.floats(-5, 5)), min_size=1, max_size=8),
    st.sampled_from([0.0, 0.21, 0.5, 1.0]),
)
def test_repair_mixes_the_bound_with_the_parent(components, share):
    mutant, parent = np.array(components).T
    d = len(components)
    box = np.zeros((6, d))
    box[layout.LOWER], box[layout.UPPER] = -5.0, 5.0
    x = np.array([parent, mutant, 0 * parent, 0 * parent])
    bits = np.zeros(d + 1, np.int64)
    parts.vary(seed_words(1), x, 2, 0, 1, 1.0, False, box, share, bits)
    mutant = parent + (mutant - parent)
    bound = np.clip(mutant, -5.0, 5.0)
    expected = np.where(mutant == bound, mutant, parent + share * (bound - parent))
    np.testing.assert_array_equal(x[2], np.clip(expected, -5.0, 5.0))
    np.testing.assert_array_equal(x[0], parent)


def test_repair_takes_infinities_home():
    box = np.zeros((6, 2))
    box[layout.LOWER], box[layout.UPPER] = -1e308, 0.7e308
    x = np.array([[0.0, 1.0], [math.inf, -math.inf], [0.0, 0.0], [0.0, 0.0]])
    parts.vary(seed_words(1), x, 2, 0, 1, 1.0, False, box, 0.5, np.zeros(3, np.int64))
    assert x[2].tolist() == [0.35e308, 0.5 * (-1e308) + 0.5]
