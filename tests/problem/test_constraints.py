"""SciPy's constraint objects and dicts as G <= 0 and H = 0."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint
from scipy.sparse import csr_array

from rdex.problem.constraints import Linear, read_constraints
from rdex.problem.functions import SeparateFunctions, VectorisedFunctions

X = np.array([0.5, 2.0])


def values(constraints, x=X):
    """G and H at x, and their names."""
    sources = read_constraints(constraints, np.zeros(len(x)))
    parts = SeparateFunctions(lambda x: 0.0, sources)
    g, h = np.empty(parts.n_ineq), np.empty(parts.n_eq)
    parts(np.array(x), g, h)
    names = [source.names for source in sources]
    return (
        g.tolist(),
        h.tolist(),
        [n for a, _ in names for n in a] + [n for _, b in names for n in b],
    )


def test_upper_lower_and_two_sided_bounds():
    total = lambda x: x.sum()  # noqa: E731 - a function without a name of its own
    assert values(NonlinearConstraint(total, -np.inf, 2)) == ([0.5], [], ["c1"])
    assert values(NonlinearConstraint(total, 3, np.inf)) == ([0.5], [], ["c1"])
    assert values(NonlinearConstraint(total, 1, 2)) == (
        [0.5, -1.5],
        [],
        ["c1 (upper)", "c1 (lower)"],
    )
    assert values(NonlinearConstraint(total, -np.inf, np.inf)) == ([], [], [])


def test_equal_bounds_make_an_equality():
    assert values(NonlinearConstraint(lambda x: x.sum(), 2, 2)) == ([], [0.5], ["c1"])


def test_vector_values_with_bounds_of_every_kind():
    def both(x):
        return [x[0], x[1], x[0] * x[1]]

    g, h, names = values(NonlinearConstraint(both, [-np.inf, 2, 0], [0, 2, 3]))
    assert g == [0.5, -2.0, -1.0]
    assert h == [0.0]
    assert names == ["both[0]", "both[2] (upper)", "both[2] (lower)", "both[1]"]


def test_linear_constraints_dense_sparse_and_one_row():
    A = np.array([[1.0, 2.0], [3.0, -1.0]])
    dense = values(LinearConstraint(A, [-np.inf, 0], [4, 0]))
    assert dense == ([0.5], [-0.5], ["c1[0]", "c1[1]"])
    assert values(LinearConstraint(csr_array(A), [-np.inf, 0], [4, 0])) == dense
    assert values(LinearConstraint([1.0, 2.0], ub=4)) == ([0.5], [], ["c1"])


def test_dicts_with_the_signs_of_scipy_and_args():
    g, h, _ = values([
        {"type": "ineq", "fun": lambda x, a: x[0] - a, "args": (2.0,)},
        {"type": "eq", "fun": lambda x: x[1] - 3, "jac": lambda x: 1 / 0},
    ])  # fmt: skip
    assert g == [1.5]  # x[0] - 2 >= 0 is violated by 1.5
    assert h == [-1.0]


def test_names_come_from_functions_that_have_one():
    def stress(x):
        return x[0]

    items = [{"type": "ineq", "fun": stress}, {"type": "ineq", "fun": lambda x: x[0]}]
    assert values(items)[2] == ["stress", "c2"]
    assert values(items + items)[2] == ["c1", "c2", "c3", "c4"]


@pytest.mark.parametrize(("constraints", "message"), [
    ([3], "c1: expected a dict .* a NonlinearConstraint.* got int"),
    (NonlinearConstraint(lambda x: x, 2, 1), "lower <= upper"),
    (NonlinearConstraint(lambda x: x, np.nan, 1), "lower <= upper"),
    (NonlinearConstraint(lambda x: x, np.inf, np.inf), "lower <= upper"),
    (NonlinearConstraint(lambda x: [1.0, 2.0], [1, 2, 3], 4), "2 values, but bounds of shapes"),
    (LinearConstraint(np.eye(3), 0, 1), r"a matrix of 2 columns, got shape \(3, 3\)"),
])  # fmt: skip
def test_mistakes_are_named(constraints, message):
    with pytest.raises(ValueError, match=message):
        values(constraints)


def test_a_changing_number_of_values_is_a_mistake():
    source = read_constraints({"type": "ineq", "fun": lambda x: x[x >= 0]}, X)[0]
    with pytest.raises(ValueError, match="expected 2 values, got 1"):
        source.values(np.array([-1.0, 1.0]))


def test_linear_adds_from_left_to_right_in_every_layout():
    random = np.random.default_rng(3)
    A, rows = random.normal(size=(3, 7)), random.normal(size=(5, 7))
    expected = np.zeros((5, 3))
    for j in range(7):
        expected += A[:, j] * rows[:, j, None]
    for i in range(5):
        assert Linear(A, False)(rows[i]).tolist() == expected[i].tolist()
    assert Linear(A, "rows")(rows).tolist() == expected.tolist()
    assert Linear(A, True)(rows.T).tolist() == expected.T.tolist()


@pytest.mark.parametrize("layout", [True, "rows"])
def test_vectorised_functions_equal_plain_ones(layout):
    axis = 0 if layout is True else 1
    column = (lambda X, j: X[j]) if layout is True else (lambda X, j: X[:, j])
    stack = np.stack if layout is True else (lambda parts: np.stack(parts, axis=1))
    constraints = [
        NonlinearConstraint(lambda X: X.sum(axis), 1, 2),
        NonlinearConstraint(lambda X: stack([column(X, 0), column(X, 1) ** 2]), [0, 1], [0, 9]),
        LinearConstraint([[1, 2], [2, 1]], 0, [1, np.inf]),
    ]
    plain = [
        NonlinearConstraint(lambda x: x.sum(), 1, 2),
        NonlinearConstraint(lambda x: [x[0], x[1] ** 2], [0, 1], [0, 9]),
        LinearConstraint([[1, 2], [2, 1]], 0, [1, np.inf]),
    ]
    points = np.random.default_rng(1).normal(size=(6, 2))
    sources = read_constraints(constraints, X, layout)
    f, G, H = VectorisedFunctions(lambda X: X.sum(axis), sources, layout)(points)
    assert f.shape == (6,)
    for i, x in enumerate(points):
        g, h, _ = values(plain, x)
        assert (G[i].tolist(), H[i].tolist()) == (g, h)


@pytest.mark.parametrize("layout", [True, "rows"])
def test_vectorised_single_bounds_equal_plain_ones(layout):
    """One value with one bound each, which need no matrices of raw values."""
    axis = 0 if layout is True else 1
    bounds = [(-np.inf, 0), (-np.inf, 0.5), (0, np.inf), (-0.5, np.inf)]
    matrix = {True: (1, 6), "rows": (6, 1)}[layout]
    constraints = [NonlinearConstraint(lambda X: X.sum(axis), *pair) for pair in bounds]
    # The number of points is 1 when constraints are read.
    constraints.append(
        NonlinearConstraint(
            lambda X: X.sum(axis).reshape(matrix if X.size > 2 else (1, 1)), -np.inf, 2
        )
    )
    bounds.append((-np.inf, 2))
    plain = [NonlinearConstraint(lambda x: x.sum(), *pair) for pair in bounds]
    points = np.random.default_rng(1).normal(size=(6, 2))
    sources = read_constraints(constraints, X, layout)
    _, G, H = VectorisedFunctions(lambda X: X.sum(axis), sources, layout)(points)
    assert H.shape == (6, 0)
    for i, x in enumerate(points):
        assert G[i].tolist() == values(plain, x)[0]


@pytest.mark.parametrize("layout", [True, "rows"])
def test_a_wrong_shape_of_a_vectorised_single_value_names_both(layout):
    sources = read_constraints(NonlinearConstraint(lambda X: 1.0, 0, np.inf), X, layout)
    functions = VectorisedFunctions(lambda X: np.ones(6), sources, layout)
    shape = r"\(1, 6\)" if layout is True else r"\(6, 1\)"
    with pytest.raises(ValueError, match=rf"c1: expected values of shape {shape}, got \(\)"):
        functions(np.ones((6, 2)))


@pytest.mark.parametrize(("layout", "shape"), [(True, r"\(2, 6\)"), ("rows", r"\(6, 2\)")])
def test_a_wrong_shape_of_vectorised_constraints_names_both(layout, shape):
    good = np.ones((2, 6) if layout is True else (6, 2))
    one = good[:, :1] if layout is True else good[:1]
    answers = iter([one, good.T])
    sources = read_constraints({"type": "ineq", "fun": lambda X: next(answers)}, X, layout)
    with pytest.raises(ValueError, match=f"c1: expected values of shape {shape}, got"):
        sources[0].value_rows(np.ones((6, 2)), layout)
