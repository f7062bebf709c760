"""`Problem`: what it checks, and the functions it is made from."""

import numpy as np
import pytest
from scipy.optimize import Bounds

from rdex import Problem
from rdex.problem.checks import read_bounds
from rdex.problem.functions import as_number

BOX = [(-5, 5)] * 2


def fgh(x):
    return x @ x, [1 - x[0], x[1] - 3], [x.sum() - 1]


def test_one_call_gives_everything():
    p = Problem.from_function(fgh, BOX, n_ineq=2, n_eq=1, name="toy")
    F, G, H = p.evaluate([[1.0, 2.0], [0.5, 0.5]])
    assert F.tolist() == [5.0, 0.5]
    assert G.tolist() == [[0.0, -1.0], [0.5, -2.5]]
    assert H.tolist() == [[2.0], [0.0]]
    assert p.constraint_names == ("g1", "g2", "h1")


def test_parts_without_entries_may_be_left_out():
    assert Problem.from_function(lambda x: x[0], BOX).evaluate([[1, 2]])[0].tolist() == [1.0]
    p = Problem.from_function(lambda x, a: (x[0], a), BOX, n_ineq=1, args=(7.0,))
    assert p.evaluate([[1, 2]])[1].tolist() == [[7.0]]
    p = Problem.from_function(lambda x: (x[0], None, x[1]), BOX, n_eq=1)
    assert p.evaluate([[1, 2]])[2].tolist() == [[2.0]]


@pytest.mark.parametrize(("layout", "turn"), [(True, np.transpose), ("rows", np.asarray)])
def test_vectorised_in_both_layouts(layout, turn):
    def fun(X):
        rows = turn(X)
        G = np.stack([1 - rows[:, 0], rows[:, 1] - 3], axis=1)
        return (rows**2).sum(1), turn(G), turn(rows.sum(1, keepdims=True) - 1)

    points = np.random.default_rng(0).normal(size=(4, 2))
    p = Problem.from_function(fun, BOX, n_ineq=2, n_eq=1, vectorized=layout)
    plain = Problem.from_function(fgh, BOX, n_ineq=2, n_eq=1)
    for a, b in zip(p.evaluate(points), plain.evaluate(points), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


@pytest.mark.parametrize(("answer", "message"), [
    ((1.0, [0.0, 0.0]), r"must return \(f, G, H\), got 2"),
    (1.0, r"must return \(f, G, H\), got 1"),
    ((1.0, [0.0], [0.0]), "expected 2 values of G, got 1"),
    ((1.0, [0.0, 0.0], [0.0, 0.0]), "expected 1 values of H, got 2"),
    (([1.0, 2.0], [0.0, 0.0], [0.0]), "one number"),
    ((None, [0.0, 0.0], [0.0]), "one number, got NoneType"),
])  # fmt: skip
def test_wrong_answers_are_named(answer, message):
    p = Problem.from_function(lambda x: answer, BOX, n_ineq=2, n_eq=1)
    with pytest.raises(ValueError, match=message):
        p.evaluate([[1.0, 2.0]])


def test_wrong_shapes_of_rows_are_named():
    p = Problem.from_function(lambda X: X, BOX, vectorized="rows")
    with pytest.raises(ValueError, match=r"F of shape \(3,\), got \(3, 2\)"):
        p.evaluate(np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"rows of shape \(n, 2\), got \(3,\)"):
        p.evaluate(np.ones(3))


@pytest.mark.parametrize(("value", "number"), [
    (2, 2.0), (np.float32(0.5), 0.5), (np.array(3.0), 3.0), (np.array([[4.0]]), 4.0), (True, 1.0),
])  # fmt: skip
def test_numbers_of_all_kinds(value, number):
    assert as_number(value) == number and type(as_number(value)) is float


@pytest.mark.parametrize("value", [None, "a", 1j, np.array([1.0, 2.0]), (1.0, [2.0]), np.array([])])
def test_what_is_no_number(value):
    with pytest.raises(ValueError, match="the objective must return one number"):
        as_number(value)


def test_bounds_of_both_kinds():
    low, high, _ = read_bounds(Bounds([0, 1], 4))
    assert (low.tolist(), high.tolist()) == ([0, 1], [4, 4])
    low, high, _ = read_bounds(np.array([[0, 1], [2, 3]]))
    assert (low.tolist(), high.tolist()) == ([0, 2], [1, 3])


@pytest.mark.parametrize(("bounds", "message"), [
    (None, "bounds are needed"),
    (7, "bounds must be scipy.optimize.Bounds or a sequence"),
    ([], "at least one pair"),
    ([1, 2], "sequence of"),
    ([(0, 1), (0, 1, 2)], r"bounds\[1\] must be a pair"),
    ([(0, None)], r"bounds\[0\] must be a pair"),
    ([(0, np.inf)], r"bounds\[0\] must be finite"),
    ([(0, 1), (3, 2)], r"bounds\[1\]: lower 3.0 is above upper 2.0"),
    ([(-1e308, 1e308)], "width"),
    (Bounds([0, 0], [1, np.inf]), r"bounds\[1\] must be finite"),
])  # fmt: skip
def test_bad_bounds_are_named(bounds, message):
    with pytest.raises(ValueError, match=message):
        Problem.from_function(lambda x: 0.0, bounds)


@pytest.mark.parametrize(("facts", "message"), [
    ({"n_ineq": -1}, "n_ineq must be a whole number >= 0, got -1"),
    ({"n_eq": 1.5}, "n_eq must be a whole number >= 0, got 1.5"),
    ({"variable_names": ["a"]}, "expected 2 names, got 1"),
    ({"variable_names": ["a", "a"]}, "differ"),
    ({"n_ineq": 1, "constraint_names": ["a", "b"]}, "expected 1 names, got 2"),
    ({"integrality": [1]}, r"shape \(2,\), got \(1,\)"),
    ({"integrality": [2, 0]}, "0 .* or 1"),
    ({"vectorized": "columns"}, "'columns'"),
])  # fmt: skip
def test_bad_facts_are_named(facts, message):
    with pytest.raises(ValueError, match=message):
        Problem.from_function(lambda x: 0.0, BOX, **facts)


def test_a_box_without_integers_is_refused():
    with pytest.raises(ValueError, match="hold no integer"):
        Problem.from_function(lambda x: 0.0, [(0.2, 0.8)], integrality=True)


def test_a_problem_needs_a_function():
    with pytest.raises(ValueError, match="needs a function"):
        Problem([0.0], [1.0])


def test_constraints_that_a_point_function_does_not_write_are_not_known():
    problem = Problem([0.0], [1.0], 1, 1, point=lambda x, g, h: x[0])
    _, g, h = problem.evaluate([[0.5], [0.25]])
    assert np.isnan(g).all() and np.isnan(h).all()
