"""Named variables: specifications, codes and values, and how functions take a design."""

import numpy as np
import pytest

from rdex import Problem, Variables
from rdex.problem.functions import Presenting
from rdex.problem.space import Space
from rdex.problem.variables import read_variables


def tank():
    return (
        Variables({"radius": {"bounds": (0.1, 2.0), "log": True}})
        .choices("plate", [4, 5, 6.5, 8], units="mm")
        .integer("ribs", 0, 12)
        .categories("steel", ["S235", "S355", None])
    )


def test_codes_and_values():
    variables = tank()
    lower, upper = variables.bounds
    assert lower.tolist() == [0.1, 0, 0, 0] and upper.tolist() == [2.0, 3, 12, 2]
    assert variables.whole.tolist() == [False, True, True, True]
    assert variables.unordered.tolist() == [False, False, False, True]
    assert variables.logarithmic.tolist() == [True, False, False, False]
    design = variables.design([0.5, 2.0, 7.0, 2.0])
    assert design == {"radius": 0.5, "plate": 6.5, "ribs": 7, "steel": None}
    assert [type(value) for value in design.values()][:3] == [float, float, int]
    assert variables.point(design).tolist() == [0.5, 2.0, 7.0, 2.0]
    rows = np.array([[0.5, 2.0, 7.0, 2.0], [1.0, 0.0, 1.0, 1.0]])
    assert variables.decoded(rows)[:, 1].tolist() == [6.5, 4.0]
    assert variables.encoded(variables.decoded(rows)).tolist() == rows.tolist()
    assert variables.columns(rows.T)["steel"].tolist() == [None, "S355"]
    assert variables.units == {"plate": "mm"}


@pytest.mark.parametrize(("given", "message"), [
    ({"a": 3}, r"a: expected a pair \(low, high\) of numbers, got 3"),
    ({"a": (0, "1")}, "expected a pair"),
    ({"a": (0, np.inf)}, "bounds must be finite"),
    ({"a": {"choices": []}}, "the list of values is empty"),
    ({"a": {"choices": [1, 2, 1]}}, "1 is in the list twice"),
    ({"a": {"choices": [1.0, float("nan")]}}, "nan is in the list, which is not finite"),
    ({"a": {"choices": "abc"}}, "expected a list of values"),
    ({"a": {"choices": [1, 2], "log": True}}, "no logarithmic scale"),
    ({"a": {"bound": (0, 1)}}, "unknown bound"),
    ({"a": {"choices": [1], "bounds": (0, 1)}}, "got 2 of them"),
    ({}, "at least one variable"),
])  # fmt: skip
def test_wrong_specifications_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        read_variables(given)


def test_unlisted_values_are_refused():
    with pytest.raises(ValueError, match=r"plate must be one of 4, 5, 6.5, 8, got 7.0"):
        tank().encoded([0.5, 7.0, 1, 0])
    with pytest.raises(ValueError, match="steel must be one of 'S235', 'S355', None, got 'S999'"):
        tank().point({"radius": 1, "plate": 4, "ribs": 1, "steel": "S999"})
    with pytest.raises(ValueError, match="a design needs radius, plate, ribs, steel; no steel"):
        tank().point({"radius": 1, "plate": 4, "ribs": 1})
    with pytest.raises(ValueError, match="there are two variables 'ribs'"):
        tank().integer("ribs", 0, 1)


def test_a_problem_shows_its_function_the_values():
    seen = []

    def fun(design):
        seen.append(design)
        return design["plate"], [design["ribs"] - 3]

    problem = Problem.from_function(fun, tank(), n_ineq=1)
    assert problem.variable_names == ("radius", "plate", "ribs", "steel")
    F, G, _ = problem.evaluate([[0.5, 3.0, 7.0, 1.0]])
    assert (F.tolist(), G.tolist()) == ([8.0], [[4.0]])
    assert seen == [{"radius": 0.5, "plate": 8, "ribs": 7, "steel": "S355"}]
    space = Space(problem)
    assert space.unordered.tolist() == [False, False, False, True]
    assert space.values[1].tolist() == [4, 5, 6.5, 8] and space.values[3] is None
    assert space.n_values.tolist() == [0, 4, 13, 3]


def test_vectorised_functions_take_columns_by_name():
    lists = {"plate": {"choices": [4, 5, 6]}, "steel": {"categories": ["a", "b"]}}

    def fun(plate, steel):
        return plate + (steel == "b")

    problem = Problem.from_function(fun, lists, vectorized="rows", call="keywords")
    assert problem.evaluate([[0, 0], [2, 1]])[0].tolist() == [4.0, 7.0]
    numbers = Problem.from_function(
        lambda X: X[0], [{"choices": [4, 5, 6]}, (0, 1)], vectorized=True
    )
    assert numbers.evaluate([[2, 0.5], [1, 0]])[0].tolist() == [6.0, 5.0]


@pytest.mark.parametrize(("call", "message"), [
    ("array", 'takes numbers, but steel is a category; use call="dict"'),
    ("list", "call must be one of array, dict, keywords"),
    ("keywords", "'wall thickness' cannot be a keyword"),
])  # fmt: skip
def test_calls_that_cannot_be(call, message):
    variables = tank().real("wall thickness", 0, 1)
    with pytest.raises(ValueError, match=message):
        Presenting(variables, call)
    with pytest.raises(ValueError, match="needs named variables"):
        Presenting(None, "dict")


def test_a_command_gets_values_by_name(tmp_path):
    import sys

    program = "import sys; print(len('${steel}') + ${plate:.1f})"
    problem = Problem.from_command([sys.executable, "-c", program], tank())
    assert problem.evaluate([[0.5, 2.0, 1.0, 1.0]])[0].tolist() == [10.5]
