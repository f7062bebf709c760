"""The box and the unit cube."""

import numpy as np

from rdex.problem import Problem
from rdex.problem.space import AT_BOUND, Space


def space(lower, upper, **keywords):
    return Space(Problem(lower, upper, rows=lambda X: (X.sum(1), None, None)), **keywords)


def test_points_next_to_a_bound_are_on_it():
    box = space([0.1, 14.7, 1.0], [0.7, 94.2, 1e6], logarithmic=np.array([False, False, True]))
    assert box.from_unit([1e-20, 0.5 * AT_BOUND, 1e-16]).tolist() == box.lower.tolist()
    assert box.from_unit(1.0 - np.array([1e-16, 0.0, 1e-16])).tolist() == box.upper.tolist()
    assert (box.from_unit([1e-11] * 3) > box.lower).all()


def test_sums_of_points_with_few_digits_are_exact():
    box = space(np.zeros(4), [1.0, 2.0, 3.0, 0.3])
    for x in np.random.default_rng(0).random((50, 4)) * 0.3:
        a, b, c, d = box.few_digits(x, 40)
        assert (a + b) + c == a + (b + c)
        assert 3 * a - b - 2 * (a - b) == a + b
        np.testing.assert_allclose([a, b, c, d], x, atol=1e-11)


def test_few_digits_keep_narrow_variables_and_fixed_ones():
    box = space([1e-6, 5.0, 0.0], [2e-6, 5.0, 1e9])
    x = np.array([1.23456789e-6, 5.0, 0.1])
    few = box.few_digits(x, 40)
    np.testing.assert_allclose(few[:2], x[:2], rtol=1e-7)
    assert few[1] == 5.0 and abs(few[2] - 0.1) <= 1e9 / 2**40
