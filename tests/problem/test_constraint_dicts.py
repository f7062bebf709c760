"""Dicts with bounds mean what NonlinearConstraint means; mistakes in them are named."""

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint

from rdex.problem.constraints import names_of, read_constraints, stated_of
from rdex.problem.functions import SeparateFunctions, VectorisedFunctions

PROBE = np.array([0.5, 2.0])
INF = np.inf

SIDES = [(1, 1), (1, 4), (2, INF), (-INF, 3), ([0, 1], [0, 9]), ([-INF, 1], 5), (-INF, INF)]


def values(x):
    """Two values of a point, or of each of many rows."""
    return np.stack([x[..., 0] + x[..., 1], x[..., 0] * x[..., 1]], axis=-1)


def facts(constraints, layout=False):
    """All that is known of constraints: names, statements, and values at three points."""
    points = np.random.default_rng(1).normal(size=(3, 2))
    sources = read_constraints(constraints, PROBE, layout)
    if layout:
        _, g, h = VectorisedFunctions(lambda x: np.zeros(len(x)), sources, layout)(points)
        found = [*g.tolist(), *h.tolist()]
    else:
        parts = SeparateFunctions(lambda x: 0.0, sources)
        found = []
        for x in points:
            g, h = np.empty(parts.n_ineq), np.empty(parts.n_eq)
            parts(x, g, h)
            found += [g.tolist(), h.tolist()]
    return names_of(sources), stated_of(sources), found


@pytest.mark.parametrize("layout", [False, "rows"])
@pytest.mark.parametrize(("lower", "upper"), SIDES, ids=str)
def test_a_dict_with_bounds_is_a_nonlinear_constraint(lower, upper, layout):
    theirs = facts(NonlinearConstraint(values, lower, upper), layout)
    assert facts({"fun": values, "lb": lower, "ub": upper}, layout) == theirs
    assert facts(({"ub": upper, "fun": values, "lb": lower},), layout) == theirs


def test_one_bound_is_enough():
    assert facts({"fun": values, "lb": 2}) == facts(NonlinearConstraint(values, 2, INF))
    assert facts({"fun": values, "ub": 3}) == facts(NonlinearConstraint(values, -INF, 3))


@pytest.mark.parametrize("args", [(2.0, 3.0), [2.0, 3.0]])
def test_args_are_further_arguments(args):
    dicts = {"fun": lambda x, a, b: a * x[0] + b, "lb": 1, "args": args}
    assert facts(dicts) == facts(NonlinearConstraint(lambda x: 2.0 * x[0] + 3.0, 1, INF))


def test_names_of_dicts_come_first():
    def mass(x):
        return x[0]

    scipys = {"type": "ineq", "fun": mass, "name": "the mass"}
    items = [scipys, {"fun": mass, "ub": 3}, {"fun": mass, "lb": 1, "ub": 2, "name": "load"}]
    (g, h), _, _ = facts(items)
    assert g == ["the mass", "mass", "load (upper)", "load (lower)"] and h == []
    (g, _), _, _ = facts([{"fun": mass, "ub": 3}, {"fun": values, "ub": 3, "name": "mass"}])
    assert g == ["c1", "mass[0]", "mass[1]"]


@pytest.mark.parametrize(("items", "message"), [
    ({"fun": values}, r"values: a constraint dict needs 'fun' and bounds .* or SciPy's 'type'"),
    ({"lb": 1}, "c1: a constraint dict needs a function as 'fun', which is missing"),
    ({"fun": 3, "lb": 1}, "needs a function as 'fun', got 3"),
    ({"type": "eq"}, "needs a function as 'fun', which is missing"),
    ({"type": "ineq", "fun": values, "lb": 1}, "'type' or bounds, got 'type' and 'lb'"),
    ({"type": "le", "fun": values}, "'type' must be 'eq' or 'ineq', got 'le'"),
    ({"type": ["eq"], "fun": values}, r"'type' must be 'eq' or 'ineq', got \['eq'\]"),
    ({"fun": values, "lbb": 1}, "no key 'lbb'; did you mean 'lb'.; known: fun, lb, ub, args, name"),
    ({"fun": values, "lower": 1}, "no key 'lower'; did you mean 'lb'"),
    ({"fun": values, "lb": 1, "arg": 2}, "no key 'arg'; did you mean 'args'"),
    ({"fun": values, "typ": "eq"}, "no key 'typ'; did you mean 'type'"),
    ({"fun": values, "lb": 1, 3: 2}, "no key 3; known"),
    ({"fun": values, "lb": 1, "jac": values}, "no key 'jac'; known"),
    ({}, "c1: a constraint dict needs 'fun' and bounds"),
    ({"fun": values, "lb": 2, "ub": 1}, "values: expected lower <= upper"),
    ({"fun": values, "lb": "2"}, "values: lb must be"),
    ({"fun": values, "lb": None}, "values: lb must be a number or numbers, got None"),
    ({"fun": values, "lb": np.nan}, "expected lower <= upper"),
    ({"fun": values, "lb": INF}, "leave some value"),
    ({"fun": values, "lb": [1, 2, 3]}, r"2 values, but bounds of shapes \(3,\)"),
    ({"fun": values, "lb": 1, "name": ""}, "c1: 'name' must be a text that is not empty, got ''"),
    ({"type": "eq", "fun": values, "name": 3}, "c1: 'name' must be a text .* got 3"),
    ([{"fun": values, "lb": 1, "name": "a"}] * 2, "constraints: 2 have the name 'a'"),
    ({"fun": lambda x: x[0] > 1, "ub": 1}, "holds for both.*'lb': 1, 'ub': 1"),
])  # fmt: skip
def test_mistakes_are_named(items, message):
    with pytest.raises(ValueError, match=message):
        read_constraints(items, PROBE)


def test_further_keys_of_scipys_dicts_are_ignored_as_in_scipy():
    plain = {"type": "ineq", "fun": values}
    assert facts(plain | {"jac": None, "comment": "of the wall"}) == facts(plain)
