"""Jitted functions in the fused loop: the same run as from Python, bit for bit."""

import math

import numpy as np
import pytest
from problems import same_run
from scipy.optimize import LinearConstraint, NonlinearConstraint

from rdex import Problem, minimize
from rdex.problem.arguments import with_working_compiler

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.compiled

BOX = [(-4.0, 4.0)] * 3


@pytest.fixture(autouse=True)
def always_joined(monkeypatch):
    """Short runs too, unless a test says otherwise."""
    monkeypatch.setattr("rdex.problem.jitted.WORTH_JOINING", 0)


@numba.njit
def rippled(x):
    total = 0.0
    for j in range(x.size):
        total += x[j] * x[j] - 0.3 * math.cos(5.0 * x[j])
    return total


@numba.njit
def product(x):
    return x[0] * x[1] - x[2]


@numba.njit
def pair(x):
    return np.array([x[0] + x[1], math.sin(x[2])])


CONSTRAINTS = [
    NonlinearConstraint(product, -1.0, 1.0),
    LinearConstraint([[1.0, 0.1, -0.7], [0.3, 0.3, 0.3]], [0.2, -np.inf], [0.2, 2.0]),
    NonlinearConstraint(pair, [0.5, -np.inf], [np.inf, 0.9]),
    {"type": "ineq", "fun": product},
]


def plain(function):
    """The same compiled code, called from Python."""
    return lambda x: function(x)


def plain_constraints():
    product_, linear, pair_, again = CONSTRAINTS
    return [
        NonlinearConstraint(plain(product_.fun), product_.lb, product_.ub),
        linear,
        NonlinearConstraint(plain(pair_.fun), pair_.lb, pair_.ub),
        {"type": "ineq", "fun": plain(again["fun"])},
    ]


@pytest.mark.parametrize("options", [
    {}, {"batch": 4}, {"updating": "deferred"}, {"algorithm": "rde26"}, {"target": 1.5},
    {"integrality": [0, 0, 1]}, {"callback": lambda r: None}, {"x0": [1.0, 1.0, 1.0]},
], ids=lambda options: ",".join(options) or "plain")  # fmt: skip
def test_fused_and_python_paths_are_one_run(options):
    fused = minimize(rippled, BOX, constraints=CONSTRAINTS, maxfev=3000, rng=1, **options)
    python = minimize(plain(rippled), BOX, constraints=plain_constraints(), maxfev=3000, rng=1,
                      **options)  # fmt: skip
    assert same_run(fused, python)
    assert np.array_equal(fused.G, python.G) and np.array_equal(fused.H, python.H)
    assert fused.feasible


def test_the_fused_loop_does_not_call_from_python(monkeypatch):
    from rdex.run.driver import Direct

    monkeypatch.setattr(Direct, "one", None)
    monkeypatch.setattr(Direct, "fill", None)
    assert minimize(rippled, BOX, constraints=CONSTRAINTS, maxfev=500, rng=0).nfev == 500


@numba.njit
def everything(x):
    return rippled(x), (product(x),), np.array([x[0] + x[2] - 1.0])


@numba.njit
def writing(x, g, h):
    g[0] = product(x)
    h[0] = x[0] + x[2] - 1.0
    return rippled(x)


def test_one_jitted_call_in_three_forms():
    counts = {"n_ineq": 1, "n_eq": 1}
    returned = Problem.from_function(everything, BOX, **counts)
    written = Problem([-4.0] * 3, [4.0] * 3, **counts, point=writing)
    python = Problem.from_function(plain(everything), BOX, **counts)
    assert returned.is_compiled and written.is_compiled and not python.is_compiled
    runs = [minimize(each, maxfev=2000, rng=0) for each in (returned, written, python)]
    assert same_run(runs[0], runs[1]) and same_run(runs[0], runs[2])


@numba.njit
def only_f(x):
    return rippled(x)


@numba.njit
def f_and_g(x):
    return rippled(x), [product(x)]


@numba.njit
def f_and_h(x):
    return rippled(x), (), (product(x),)


@pytest.mark.parametrize(("fun", "counts"), [
    (only_f, {}), (f_and_g, {"n_ineq": 1}), (f_and_h, {"n_eq": 1}),
])  # fmt: skip
def test_parts_that_are_absent(fun, counts):
    fused = minimize(Problem.from_function(fun, BOX, **counts), maxfev=500, rng=0)
    python = minimize(Problem.from_function(plain(fun), BOX, **counts), maxfev=500, rng=0)
    assert same_run(fused, python)


@numba.njit
def sometimes_raising(x):
    if x[0] > 2.0:
        raise ValueError("too far")
    if x[1] > 2.0:
        return np.nan
    return rippled(x)


@pytest.mark.parametrize("batch", [1, 5])
def test_a_raising_compiled_function_is_penalised_alike(batch):
    options = {"maxfev": 1500, "rng": 3, "x0": [0.0, 0.0, 0.0], "batch": batch}
    fused = minimize(sometimes_raising, BOX, **options)
    python = minimize(plain(sometimes_raising), BOX, **options)
    assert fused.n_failed == python.n_failed > 10 and same_run(fused, python)


def test_policies_hold_in_the_fused_loop():
    with pytest.raises(ValueError, match="too far"):
        minimize(sometimes_raising, BOX, maxfev=100, rng=0, x0=[3.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="too far"):
        minimize(sometimes_raising, BOX, maxfev=1500, rng=0, x0=[0.0] * 3, on_error="raise")


def test_exceptions_of_a_callback_pass():
    with pytest.raises(ZeroDivisionError):
        minimize(rippled, BOX, maxfev=1500, rng=0, batch=4, callback=lambda r: 1 / 0)


def test_callback_tol_maxtime_in_the_fused_loop():
    seen = []
    result = minimize(rippled, BOX, maxfev=3000, rng=0, callback=lambda r: seen.append(r.nit))
    assert seen == list(range(1, result.nit + 1))
    assert minimize(rippled, BOX, maxfev=10**6, rng=0, tol=1e-8).status == 2
    assert minimize(rippled, BOX, maxfev=10**9, rng=0, maxtime=0.05).status == 3


@numba.njit
def of_rows(x):
    return x * 2.0  # an array: no objective


def test_what_does_not_fit_stays_in_python(caplog):
    problem = Problem.from_function(of_rows, [(1.0, 2.0)])
    assert not with_working_compiler(problem).is_compiled
    assert "does not fit the compiled loop" in caplog.text
    assert abs(minimize(of_rows, [(1.0, 2.0)], maxfev=300, rng=0).fun - 2.0) < 1e-3


def test_arguments_keep_a_jitted_function_in_python():
    @numba.njit
    def shifted(x, a):
        return (x[0] - a) ** 2

    result = minimize(shifted, [(-5.0, 5.0)], args=(2.0,), maxfev=300, rng=0)
    assert abs(result.x[0] - 2) < 1e-2


@numba.njit
def two_constraints(x):
    return x[0], np.array([x[1], -x[1]])


@numba.njit
def with_equality(x):
    return x[0], np.array([x[1]]), np.array([x[0] - 1.0])


@numba.njit
def varying(x):
    return np.ones(3 if x[0] > 0.5 else 2)


@pytest.mark.parametrize(("fun", "counts", "message"), [
    (two_constraints, {"n_ineq": 1}, "n_ineq values of G"),
    (two_constraints, {"n_ineq": 3}, "n_ineq values of G"),
    (two_constraints, {"n_ineq": 2, "n_eq": 1}, r"\(f, G, H\)"),
    (with_equality, {"n_ineq": 1, "n_eq": 2}, "n_eq values of H"),
    (with_equality, {"n_ineq": 1}, "beyond n_ineq and n_eq"),
    (with_equality, {"n_eq": 1}, "beyond n_ineq and n_eq"),
    (with_equality, {}, "0 values of G"),
])  # fmt: skip
def test_the_number_of_compiled_constraint_values_is_checked(fun, counts, message):
    with pytest.raises(ValueError, match=message):
        minimize(Problem.from_function(fun, BOX, **counts), maxfev=100, rng=1)


def test_compiled_constraints_must_keep_their_number():
    """2 values where x1 <= 0.5, else 3: points there fail."""
    constraint = NonlinearConstraint(varying, 0, np.inf)
    result = minimize(rippled, BOX, constraints=constraint, x0=[0, 0, 0], maxfev=300, rng=1)
    assert result.n_failed > 30 and result.x[0] <= 0.5


@numba.njit
def spoiling_objective(x):
    value = x[0] ** 2 + x[1] ** 2
    x[:] = 7.0
    return value


@numba.njit
def spoiling_constraint(x):
    value = x[0] - 1.0
    x[:] = -7.0
    return value


@pytest.mark.parametrize("batch", [1, 8])
def test_compiled_functions_that_change_x_change_nothing(batch):
    constraints = [{"type": "ineq", "fun": spoiling_constraint}] * 2
    result = minimize(spoiling_objective, BOX, constraints=constraints, maxfev=3000, rng=1,
                      batch=batch)  # fmt: skip
    assert np.allclose(result.x[:2], [1.0, 0.0], atol=1e-4)
