"""Bad input: every argument is checked once, and the message says expected and received."""

import re

import numpy as np
import pytest
from problems import BOX, TOY, simulator, square

import rdex
from rdex import minimize

GENERATOR = np.random.default_rng(0)


@pytest.mark.parametrize(("changes", "message"), [
    ({"fun": 3}, "fun must be a callable or a Problem, got int"),
    ({"bounds": None}, "bounds are needed"),
    ({"bounds": [(0, 1), (2, 1)]}, r"bounds\[1\]: lower 2.0 is above upper 1.0"),
    ({"constraints": "c"}, "expected a dict .* a NonlinearConstraint.* got str"),
    ({"constraints": [None]}, "expected a dict .* a NonlinearConstraint.* got NoneType"),
    ({"x0": [1, 2, 3]}, r"x0 must have shape \(2,\) or \(k, 2\), got \(3,\)"),
    ({"x0": [[1, 2], [3, 9]]}, r"x0\[1\]\[1\] = 9.0 is outside \[-5.0, 5.0\] of x2"),
    ({"x0": [np.nan, 0]}, r"x0\[0\]\[0\] = nan is outside"),
    ({"x0": "zero"}, "x0 must be a number or numbers, got 'zero'"),
    ({"x0": {"x": [0, 0]}}, "needs the entries x and fun.* got x"),
    ({"x0": {"x": [0, 0], "fun": [1, 2]}}, r"x0\['fun'\] must have shape \(1,\), got shape \(2,\)"),
    ({"x0": {"x": [0, 0], "fun": 1}}, r"x0\['H'\] must have shape \(1, 1\), got nothing"),
    ({"init": "random"}, "init must be one of uniform, latinhypercube, sobol or an array"),
    ({"init": [[9, 9]]}, r"init\[0\]\[0\] = 9.0 is outside"),
    ({"init": None}, r"init must be a number or numbers, got None"),
    ({"algorithm": "de"}, "unknown algorithm 'de'; did you mean 'rdex'.; known: auto"),
    ({"algorithm": 3}, "algorithm must be a name or a Settings, got 3"),
    ({"maxfev": 0}, "maxfev must be a whole number >= 1, got 0"),
    ({"maxfev": 1.5}, "maxfev must be a whole number >= 1, got 1.5"),
    ({"maxfev": True}, "maxfev must be a whole number >= 1, got True"),
    ({"maxfev": "many"}, "maxfev must be a whole number >= 1, got 'many'"),
    ({"target": "low"}, "target must be a number or numbers, got 'low'"),
    ({"target": np.nan}, "target must be one number, got nan"),
    ({"target": [1, 2]}, "target must be one number"),
    ({"eq_tol": -1}, "eq_tol must be finite and >= 0, got -1"),
    ({"eq_tol": [1e-4, 1e-4]}, r"eq_tol must be one number or 1, got shape \(2,\)"),
    ({"ineq_tol": "x"}, "ineq_tol must be a number or numbers, got 'x'"),
    ({"ineq_tol": [0.0]}, r"ineq_tol must be one number or 0, got shape \(1,\)"),
    ({"ineq_tol": np.inf}, "ineq_tol must be finite and >= 0, got inf"),
    ({"constraint_scale": "max"}, "constraint_scale must be .*, got 'max'"),
    ({"constraint_scale": [1, 2]}, "constraint_scale must be 1 positive numbers.* got"),
    ({"constraint_scale": [0.0]}, "constraint_scale must be 1 positive numbers"),
    ({"rng": "seed"}, "rng must be what numpy.random.default_rng accepts, got 'seed'"),
    ({"rng": -1}, "rng must be what"),
    ({"rng": 1.5}, "rng must be what"),
    ({"integrality": [1, 0, 1]}, r"integrality must have shape \(2,\), got \(3,\)"),
    ({"integrality": [3, 0]}, "0 .* or 1"),
    ({"log_scale": [True, False]}, r"log_scale\[0\]: the lower bound must be > 0, got -5.0"),
    ({"log_scale": [True]}, r"log_scale must be one flag or 2, got \[True\]"),
    ({"workers": 0}, "workers must be an int >= 1, -1 or map-like, got 0"),
    ({"workers": -2}, "workers must be an int >= 1, -1 or map-like, got -2"),
    ({"workers": True}, "workers must be"),
    ({"workers": "two"}, "workers must be"),
    ({"vectorized": 2}, 'vectorized must be False, True or "rows", got 2'),
    ({"updating": "lazy"}, "updating must be None, .*, got 'lazy'"),
    ({"updating": "immediate", "batch": 4}, 'updating="immediate" means batch=1, got batch=4'),
    ({"batch": 0}, "batch must be a whole number >= 1, got 0"),
    ({"batch": 2.0}, "batch must be a whole number >= 1, got 2.0"),
    ({"callback": 1}, "callback must be callable, got 1"),
    ({"maxtime": -1}, "maxtime must be >= 0, got -1"),
    ({"maxtime": "1h"}, "maxtime must be a number"),
    ({"tol": -1e-3}, "tol must be >= 0, got -0.001"),
    ({"polish": "yes"}, "polish must be True, False or callable, got 'yes'"),
    ({"checkpoint": 3}, "checkpoint must be a path, got 3"),
    ({"on_error": "ignore"}, 'on_error must be "penalize" or "raise", got \'ignore\''),
    ({"variable_names": ["a"]}, "variable_names: expected 2 names, got 1"),
    ({"constraint_names": ["a", "b"]}, "constraint_names: expected 1 names, got 2"),
    ({"checkpoints": 0}, "checkpoints must be a whole number >= 1, got 0"),
    ({"settings": {"n0": 3}}, "settings must be a Settings, got"),
])  # fmt: skip
def test_bad_input_is_named(changes, message):
    arguments = {"fun": square, "bounds": BOX, **TOY, "maxfev": 30, **changes}
    fun, bounds = arguments.pop("fun"), arguments.pop("bounds")
    with pytest.raises(ValueError, match=message):
        minimize(fun, bounds, **arguments)


@pytest.mark.parametrize(("label", "value"), [
    ("bounds", BOX), ("args", (1,)), ("constraints", TOY["constraints"]), ("vectorized", True),
    ("integrality", [0, 1]), ("variable_names", ["a", "b"]), ("constraint_names", ["a", "b"]),
])  # fmt: skip
def test_a_problem_says_everything_itself(label, value):
    with pytest.raises(ValueError, match=f"{label} must not be given with a Problem"):
        minimize(simulator(), maxfev=30, **{label: value})


def test_integer_and_logarithmic_exclude_each_other():
    with pytest.raises(ValueError, match="both integer and on a logarithmic scale"):
        minimize(square, [(1, 5)], integrality=True, log_scale=True, maxfev=30)


def test_everything_after_args_goes_by_name():
    with pytest.raises(TypeError):
        minimize(square, BOX, (), TOY["constraints"])


def test_budgets_may_be_written_as_1e2():
    assert minimize(square, BOX, maxfev=1e2, rng=0).nfev == 100
    assert minimize(square, BOX, maxfev=np.int32(50), rng=0).nfev == 50


@pytest.mark.parametrize(("changes", "message"), [
    ({"n_ineq": -1}, "n_ineq must be a whole number >= 0, got -1"),
    ({"bounds": [(1, 0)]}, "lower 1.0 is above"),
    ({"maxfev": 0}, "maxfev must be"),
    ({"algorithm": "x"}, "unknown algorithm"),
    ({"x0": [9, 9]}, "x0"),
    ({"integrality": 5}, "integrality"),
])  # fmt: skip
def test_the_optimizer_checks_in_the_same_way(changes, message):
    arguments = {"bounds": BOX, **changes}
    with pytest.raises(ValueError, match=message):
        rdex.Optimizer(arguments.pop("bounds"), **arguments)


@pytest.mark.parametrize(("bounds", "integrality", "message"), [
    ([(-5, -5), (5, 5)], None, r"fixed by its bounds: x1, x2; if these are \(lower bounds, upper"),
    ([(5, 5), (-5, -5)], None, "fixed by its bounds: x1, x2$"),
    ([(0, 1), (2, 2), (0, 1)], None, "fixed by its bounds: x2$"),
    ([(0, 5), (1.5, 2.5)], True, "fixed by its bounds: x2$"),
    ([(1, 1)] * 9, None, "fixed by its bounds: x1, x2, x3, x4, x5 and 4 more$"),
])  # fmt: skip
def test_fixed_variables_are_announced(bounds, integrality, message, caplog):
    result = minimize(square, bounds, integrality=integrality, maxfev=30, rng=1)
    assert result.success and re.search(message, caplog.text.strip())


def test_bounds_in_two_rows_are_named_as_such():
    with pytest.raises(ValueError, match=r"bounds\[0\] must be a pair .*list\(zip\(lower, upper"):
        minimize(square, [[-5, -5, -5], [5, 5, 5]], maxfev=30)
    with pytest.raises(ValueError, match=r"bounds\[0\] must be a pair .*\(1, 2, 3\)$"):
        minimize(square, [(1, 2, 3), (1, 2)], maxfev=30)


@pytest.mark.parametrize(("name", "hint"), [
    ("maxiter", "did you mean 'maxfev'"), ("constraint", "did you mean 'constraints'"),
    ("seed", "did you mean 'rng'"), ("xyz", "it takes fun, bounds"),
])  # fmt: skip
def test_misspelt_arguments_get_a_hint(name, hint):
    with pytest.raises(TypeError, match=f"no argument '{name}'; {hint}"):
        minimize(square, BOX, maxfev=30, **{name: 5})


@pytest.mark.parametrize("wrong", [
    {"maxfev": 0}, {"maxtime": -1}, {"updating": "sometimes"}, {"batch": 0}, {"target": "low"},
    {"checkpoints": 0}, {"algorithm": 3}, {"settings": 3}, {"workers": 0}, {"polish": 3},
])  # fmt: skip
def test_options_are_checked_before_any_function_of_the_user_is_called(wrong):
    called = []
    limit = {"type": "ineq", "fun": lambda x: called.append(x) or 1.0}
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        minimize(square, BOX, constraints=limit, **wrong)
    assert not called
