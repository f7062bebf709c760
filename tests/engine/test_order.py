"""The ε-order: sorting, merging, moving one member, order statistics."""

import numpy as np
import part_kernels as parts
import pytest
from hypothesis import given
from hypothesis import strategies as st
from runs import quiet

pytestmark = quiet

levels = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 7.0, np.inf])
objectives = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1.0, 2.5, 1e300, np.inf])
members = st.lists(st.tuples(objectives, levels), min_size=1, max_size=40)
epsilons = st.sampled_from([0.0, 0.5, 1.0, 3.0, 100.0])


def key(f, phi, row, eps):
    return (0, f, row) if phi <= eps else (1, phi, row)


def arrays(pairs):
    f, phi = np.array(pairs, dtype=float).T.copy()
    return f, phi


def plainly_sorted(f, phi, rows, eps):
    return sorted(rows, key=lambda r: key(f[r], phi[r], r, eps))


@given(members, epsilons, st.randoms(use_true_random=False))
def test_rank_members_sorts_a_part_and_leaves_the_rest(pairs, eps, random):
    f, phi = arrays(pairs)
    n = len(f)
    order = np.arange(n)
    random.shuffle(order)
    before = order.copy()
    start, stop = n // 4, n - n // 5
    parts.rank_members(f, phi, order, start, stop, eps, np.zeros(n, np.int64))
    assert order[start:stop].tolist() == plainly_sorted(f, phi, before[start:stop].tolist(), eps)
    assert order[:start].tolist() == before[:start].tolist()
    assert order[stop:].tolist() == before[stop:].tolist()


@given(members, epsilons, st.integers(0, 40))
def test_merging_two_sorted_parts_sorts_the_whole(pairs, eps, cut):
    f, phi = arrays(pairs)
    n = len(f)
    middle = min(cut, n)
    rows = list(range(n))
    halves = plainly_sorted(f, phi, rows[:middle], eps) + plainly_sorted(f, phi, rows[middle:], eps)
    order = np.array(halves)
    parts.merge_ranked(f, phi, order, middle, n, eps, np.zeros(n, np.int64))
    assert order.tolist() == plainly_sorted(f, phi, rows, eps)


@given(members, epsilons, st.data())
def test_replacing_members_one_by_one_keeps_the_order(pairs, eps, data):
    f, phi = arrays([*pairs, (0.0, 0.0)])  # the last row holds what comes in
    n = len(f) - 1
    order = np.array(plainly_sorted(f, phi, range(n), eps))
    inside = int((phi[:n] <= eps).sum())
    for _ in range(5):
        i = data.draw(st.integers(0, n - 1))
        f_new, phi_new = data.draw(objectives), data.draw(levels)
        f[n], phi[n] = f_new, phi_new
        inside = parts.reposition(f, phi, order, inside, n, i, n, eps)
        assert (f[i], phi[i]) == (f_new, phi_new)
        assert inside == (phi[:n] <= eps).sum()
        assert order.tolist() == plainly_sorted(f, phi, range(n), eps)


@given(st.lists(levels, min_size=1, max_size=60), st.data())
def test_order_statistic_is_an_element_of_the_sorted_list(values, data):
    k = data.draw(st.integers(0, len(values) - 1))
    assert parts.order_statistic(np.array(values), len(values), k) == np.sort(values)[k]


@pytest.mark.parametrize("n", [1, 2, 3, 17, 300])
def test_against_numpy_on_random_numbers(n):
    rng = np.random.default_rng(n)
    values = rng.normal(size=n)
    order = rng.permutation(n)
    parts.sort_by(values, order, 0, n, np.zeros(n, np.int64))
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
    for k in {0, n // 3, n - 1}:
        assert parts.order_statistic(values.copy(), n, k) == np.sort(values)[k]


def test_sorting_sorted_and_reversed_lists():
    values = np.arange(50.0)
    for order in (np.arange(50), np.arange(50)[::-1].copy()):
        parts.sort_by(values, order, 0, 50, np.zeros(50, np.int64))
        assert order.tolist() == list(range(50))


def test_equal_members_stand_by_row():
    f, phi = np.zeros(6), np.zeros(6)
    order = np.array([4, 2, 5, 0, 3, 1])
    parts.rank_members(f, phi, order, 0, 6, 0.0, np.zeros(6, np.int64))
    assert order.tolist() == [0, 1, 2, 3, 4, 5]


@given(st.lists(st.tuples(objectives, levels), min_size=3, max_size=3), epsilons, st.booleans())
def test_donors_are_sorted_and_equals_keep_their_places(pairs, eps, by_objective):
    f, phi = arrays(pairs)
    found = parts.sort_donors(f, phi, 0, 1, 2, eps, by_objective)

    def score(row):
        return f[row] if by_objective else key(f[row], phi[row], 0, eps)

    assert list(found) == sorted([0, 1, 2], key=score)
