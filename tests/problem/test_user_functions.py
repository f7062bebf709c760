"""What users' functions may return, and that none of them changes what another one gets."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint

from rdex import Optimizer, Problem, minimize
from rdex.problem.checks import as_float, as_floats

BOX = [(-5.0, 5.0)] * 2

NO_NUMBERS = ["3.5", b"3", "nan", np.array("3"), np.ma.masked, 1j, np.complex128(1), None,
              np.array([1j]), np.datetime64("2020"), np.ma.array([1.0], mask=[True]),
              10**400]  # fmt: skip


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_what_numpy_would_make_a_number_is_refused_everywhere(value):
    def both(x):
        return 1.0, [value]

    with pytest.raises(ValueError, match="objective must return"):
        minimize(lambda x: value, BOX, maxfev=30, rng=1)
    with pytest.raises(ValueError, match="c1 must return"):
        minimize(
            lambda x: 1.0, BOX, constraints=NonlinearConstraint(lambda x: value, 0, 1), maxfev=30
        )
    with pytest.raises(ValueError, match=r"(G|c1) must (be|return)"):
        minimize(Problem.from_function(both, BOX, n_ineq=1), maxfev=30, rng=1)
    optimizer = Optimizer(BOX, maxfev=30, rng=1)
    with pytest.raises(ValueError, match="F must"):
        optimizer.tell(optimizer.ask(1), [value])


@pytest.mark.parametrize("bad", [
    lambda n: np.ones(n, complex), lambda n: np.ma.array(np.ones(n), mask=np.arange(n) == 0),
    lambda n: np.array(["1"] * n),
])  # fmt: skip
@pytest.mark.parametrize("layout", [True, "rows"])
def test_vectorised_values_are_held_to_the_same(bad, layout):
    def number_of(x):
        return x.shape[0 if layout == "rows" else 1]

    def good(x):
        return np.ones(number_of(x))

    with pytest.raises(ValueError, match="the objective must return"):
        minimize(lambda x: bad(number_of(x)), BOX, vectorized=layout, maxfev=30, rng=1)
    two = [NonlinearConstraint(lambda x: bad(number_of(x)), 0, 1)]
    one = {"type": "ineq", "fun": two[0].fun}
    for constraints in (two, one):
        with pytest.raises(ValueError, match="c1 must return"):
            minimize(good, BOX, constraints=constraints, vectorized=layout, maxfev=30, rng=1)
    with pytest.raises(ValueError, match="G must be"):
        Problem.from_function(
            lambda x: (good(x), bad(number_of(x))[None]), BOX, n_ineq=1, vectorized=True
        ).evaluate(np.zeros((3, 2)))


@pytest.mark.parametrize("arguments", [
    {"target": "3.5"}, {"eq_tol": "1e-4"}, {"x0": ["1", "2"]}, {"maxtime": "5"}, {"x0": [1j, 0]},
    {"bounds": [("-5", "5")] * 2}, {"constraint_scale": ["1"], "constraints":
                                    LinearConstraint([[1, 1]], 0, 1)},
    {"constraints": NonlinearConstraint(lambda x: x[0], 0, "1")},
])  # fmt: skip
def test_text_is_no_number_in_arguments_either(arguments):
    with pytest.raises(ValueError, match="number"):
        minimize(lambda x: 1.0, **{"bounds": BOX, "maxfev": 30, "rng": 1, **arguments})


def test_numbers_of_other_libraries_are_numbers():
    from decimal import Decimal
    from fractions import Fraction

    assert as_float("a", Decimal("0.5")) == as_float("a", Fraction(1, 2)) == 0.5
    assert as_floats("a", [Fraction(1, 2), 1]).tolist() == [0.5, 1.0]
    assert as_floats("a", np.ma.array([1.0])).tolist() == [1.0]
    result = minimize(lambda x: x[0], BOX, constraints={"type": "ineq", "fun": lambda x: [x[1]]},
                      maxfev=30, rng=1)  # fmt: skip
    assert result.nfev == 30


def test_a_constraint_without_values_is_a_mistake():
    with pytest.raises(ValueError, match="c1 must return at least one value"):
        minimize(lambda x: 1.0, BOX, constraints=NonlinearConstraint(lambda x: [], 0, 1))


@pytest.mark.parametrize("value", [True, [np.True_], np.array([[True]])], ids=str)
@pytest.mark.parametrize("layout", [False, True])
def test_a_constraint_that_says_true_or_false_has_to_be_able_to_fail(value, layout):
    """False is 0, which is >= 0: x[0] > 1 was satisfied everywhere."""
    options = {"maxfev": 30, "rng": 1, "vectorized": layout}

    def fun(x):
        return np.zeros(x.shape[1:])

    with pytest.raises(ValueError, match="True or False, and holds for both"):
        minimize(fun, BOX, constraints={"type": "ineq", "fun": lambda x: value}, **options)
    must = NonlinearConstraint(lambda x: x[:1] > 1, 1, 1)
    assert minimize(fun, BOX, constraints=must, **options).x[0] > 1


@pytest.mark.parametrize("layout", [True, "rows"])
@pytest.mark.parametrize("m", range(1, 21))
def test_vectorised_constraints_for_every_number_of_columns(m, layout):
    """NumPy's `negative` writes nonsense where rows are 8 numbers apart."""

    def column(x, k):
        return (x[:, 0] if layout == "rows" else x[0]) * (k + 1)

    def make(vectorized):
        from rdex.problem.arguments import ProblemArguments, make_problem

        functions = [
            (lambda x, k=k: column(x, k)) if vectorized else (lambda x, k=k: x[0] * (k + 1))
            for k in range(m)
        ]
        constraints = [NonlinearConstraint(function, 3, np.inf) for function in functions]
        constraints.append(NonlinearConstraint(functions[0], 1, 1))  # not the simple case
        fun = (lambda x: column(x, 0)) if vectorized else (lambda x: x[0])
        used = layout if vectorized else False
        return make_problem(ProblemArguments(fun, BOX, constraints=constraints, vectorized=used))

    x = np.random.default_rng(m).uniform(-5, 5, (33, 2))
    for n in (1, 3, 33):
        many, one = make(True).evaluate(x[:n]), make(False).evaluate(x[:n])
        assert all(np.array_equal(a, b) for a, b in zip(many, one, strict=True))


def spoiled(function):
    """The function, which then overwrites its points."""

    def spoiling(x):
        value = np.array(function(x))
        x[...] = 7.0
        return value

    return spoiling


CONSTRAINTS = [lambda x: x[0] - 1.0, lambda x: np.stack([x[1], x[0] + x[1] + 9.0])]

#: Constraints of one value each have a way of their own.
SINGLE = [lambda x: x[0] - 1.0, lambda x: x[0] + x[1] + 9.0]


@pytest.mark.parametrize("options", [
    {}, {"batch": 7}, {"vectorized": True}, {"workers": 2}, {"n_cheap": 1}, {"n_cheap": 2},
    {"n_cheap": 1, "vectorized": True},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("constraints", [CONSTRAINTS, SINGLE], ids=["vectors", "single"])
def test_functions_that_change_x_change_nothing(options, constraints):
    n = options.get("n_cheap", 0)
    common = {key: value for key, value in options.items() if key != "n_cheap"}

    def run(change):
        made = [NonlinearConstraint(change(c), 0, np.inf) for c in constraints]
        return minimize(
            change(lambda x: (x**2).sum(0)), BOX, constraints=made[n:],
            cheap_constraints=made[:n], maxfev=300, rng=1, **common,
        )  # fmt: skip

    first, second = run(lambda function: function), run(spoiled)
    assert np.array_equal(first.x, second.x) and first.fun == second.fun
    assert first.x[0] >= 1.0


def test_rows_that_are_evaluated_stay_as_they_are():
    x = np.ones((3, 2))
    Problem(*np.transpose(BOX), rows=lambda X: (clear(X), None, None)).evaluate(x)
    assert (x == 1.0).all()


def clear(x):
    x[...] = 0.0
    return x.sum(1)


@pytest.mark.parametrize("x0", [[0.5, 1.0], [[1.0, 1.0], [2.0, 0.25]]])
def test_known_values_at_fractional_integers_are_refused(x0):
    known = {"x": x0, "fun": [1.0] * len(np.atleast_2d(x0))}
    with pytest.raises(ValueError, match=r"x[12] is an integer variable, got 0\.[25]"):
        minimize(lambda x: 1.0, BOX, integrality=True, x0=known, maxfev=30)
    optimizer = Optimizer(BOX, integrality=True, maxfev=30)
    with pytest.raises(ValueError, match=r"x[12] is an integer variable, got 0\.[25]"):
        optimizer.tell(x0, known["fun"])
    points = minimize(lambda x: float(x @ x), BOX, integrality=True, x0=x0, maxfev=30, rng=1)
    assert (points.x == np.round(points.x)).all()  # without values they are rounded


@pytest.mark.parametrize("bound", [2.0**53 + 2, 2.0**63, 1e300])
def test_integers_beyond_float64_are_refused(bound):
    for bounds in ([(0, bound)], [(-bound, 0)]):
        with pytest.raises(ValueError, match=r"within\s+±2\*\*53"):
            minimize(lambda x: x[0], bounds, integrality=True, maxfev=30)
    assert minimize(lambda x: x[0], [(0, 2.0**53)], integrality=True, maxfev=30, rng=1).success


@pytest.mark.parametrize("maxfev", [1e30, 2**62, 10**15 + 1])
def test_budgets_beyond_counting_are_refused(maxfev):
    with pytest.raises(ValueError, match=r"maxfev must be at most 1e\+15"):
        minimize(lambda x: x[0], BOX, maxfev=maxfev)
