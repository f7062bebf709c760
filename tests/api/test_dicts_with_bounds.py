"""Runs with dicts that have bounds: those of NonlinearConstraint, in every way to write them."""

import numpy as np
import pytest
from light import oval
from problems import same_run
from scipy.optimize import NonlinearConstraint
from scipy.optimize import minimize as scipy_minimize

import rdex
from rdex.adapters.scipy import scipy_method

BOX = [(-5.0, 5.0)] * 2
NAMED = {"width": (-5.0, 5.0), "depth": (-5.0, 5.0)}


def both(functions, **options):
    """The run with dicts, and the run with SciPy's objects, whose functions have the same names."""
    bounds = options.pop("bounds", BOX)
    fun = options.pop("fun", oval)
    given = {"maxfev": 300, "rng": 1, "algorithm": "rdex-csop"} | options
    dicts = [
        {"fun": f} | {key: side for key, side in (("lb", lb), ("ub", ub)) if np.isfinite(side)}
        for f, lb, ub in functions
    ]
    objects = [NonlinearConstraint(f, lb, ub) for f, lb, ub in functions]
    return [rdex.minimize(fun, bounds, constraints=each, **given) for each in (dicts, objects)]


def check(ours, theirs):
    assert same_run(ours, theirs)
    assert str(ours.violations) == str(theirs.violations)
    assert np.array_equal(ours.G, theirs.G) and np.array_equal(ours.H, theirs.H)


@pytest.mark.parametrize(
    "options", [{}, {"algorithm": "auto", "maxfev": 60}, {"workers": 2}], ids=str
)
def test_runs_are_those_of_scipys_objects(options):
    total = (lambda x: x[0] + x[1], 1, 1)
    product = (lambda x: x[0] * x[1], -3, np.inf)
    ours, theirs = both([total, product], **options)
    check(ours, theirs)
    assert [(s.name, s.kind, s.bound) for s in ours.violations] == [
        ("c2", ">=", -3),
        ("c1", "=", 1),
    ]


def test_functions_of_dicts_and_of_keywords():
    def mass(design):
        return oval([design["width"], design["depth"]])

    ours, theirs = both([(lambda d: d["width"] + d["depth"], 1, 1)], fun=mass, bounds=NAMED)
    check(ours, theirs)

    def by_name(width, depth):
        return oval([width, depth])

    keywords = [(lambda width, depth: width + depth, 1, 1)]
    check(*both(keywords, fun=by_name, bounds=NAMED, call="keywords"))


def test_cheap_constraints_before_a_problem():
    problem = rdex.Problem.from_function(lambda x: (oval(x), [1 - x[0]]), BOX, n_ineq=1)
    limit = {"fun": lambda x: x[1], "lb": -1, "ub": 2, "name": "depth"}
    result = rdex.minimize(problem, cheap_constraints=limit, maxfev=300, rng=1)
    assert [s.name for s in result.violations] == ["depth (upper)", "depth (lower)", "g1"]
    assert result.feasible


@pytest.mark.compiled
def test_jitted_functions_run_in_the_compiled_loop():
    numba = pytest.importorskip("numba")
    fun, total = numba.njit(oval), numba.njit(lambda x: x[0] + x[1])
    ours, theirs = both([(total, 1, 1)], fun=fun, maxfev=3000)
    check(ours, theirs)
    plain, _ = both([(lambda x: x[0] + x[1], 1, 1)], maxfev=3000)
    assert same_run(ours, plain)


def test_units_names_and_conflicts_use_the_name_of_the_dict():
    limits = [
        {"fun": lambda x: x @ x, "ub": 1, "name": "disc"},
        {"fun": lambda x: x[0] + x[1], "lb": 2, "name": "reach of the arm"},
    ]
    result = rdex.minimize(oval, BOX, constraints=limits, units={"reach of the arm": "m"},
                           maxfev=300, rng=1)  # fmt: skip
    assert "reach of the arm ≥ 2 m" in str(result.conflict())
    assert "reach of the arm" in str(result)


def test_through_scipys_minimize():
    limit = {"fun": lambda x: x[0] + x[1], "lb": 1, "ub": 1, "name": "total"}
    result = scipy_minimize(oval, [1.0, 1.0], method=scipy_method, bounds=BOX, constraints=limit,
                            options={"maxfev": 300, "rng": 1})  # fmt: skip
    assert result.success and result.violations[0].name == "total"
