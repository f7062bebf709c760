"""Short runs call jitted functions one by one: the run of the compiled loop, bit for bit."""

import math

import numpy as np
import pytest
from problems import same_run

from rdex import minimize
from rdex.problem import jitted
from rdex.problem.arguments import ProblemArguments, make_problem, with_working_compiler

numba = pytest.importorskip("numba")
pytestmark = pytest.mark.compiled

BOX = [(0.0, 4.0)] * 3


def ratio(x):
    """Not defined at a corner of the box."""
    return x[1] / x[0] + math.cos(3.0 * x[2]) ** 3


def limit(x):
    return math.exp(0.1 * x[0]) * x[1] - x[2] ** 2


def made(objective=ratio):
    """The arguments of a problem, its functions not compiled yet."""
    return numba.njit(objective), BOX, {"fun": numba.njit(limit), "ub": 1.0}


def run(worth, monkeypatch, objective=ratio, **options):
    monkeypatch.setattr(jitted, "WORTH_JOINING", worth)
    fun, box, constraints = made(objective)
    given = {"maxfev": 400, "rng": 1, "algorithm": "rdex-csop"} | options
    return minimize(fun, box, constraints=constraints, **given)


def is_joined(fun, evaluations, constraints=()):
    problem = make_problem(ProblemArguments(fun, BOX, constraints=constraints))
    return with_working_compiler(problem, evaluations).is_compiled


@pytest.mark.parametrize("options", [
    {}, {"algorithm": "auto", "maxfev": 60}, {"x0": [0.0, 2.0, 1.0]},
    pytest.param({"batch": 4}, marks=pytest.mark.slow),
    pytest.param({"x0": [0.0, 0.0, 0.0]}, marks=pytest.mark.slow),
], ids=str)  # fmt: skip
def test_short_runs_are_those_of_the_compiled_loop(options, monkeypatch):
    """The starting points divide by zero: NaN, and infinity."""
    alone, joined = run(10**9, monkeypatch, **options), run(0, monkeypatch, **options)
    assert same_run(alone, joined)
    assert np.array_equal(alone.G, joined.G)
    assert alone.n_failed == joined.n_failed and alone.notes == joined.notes


def test_dividing_by_zero_is_as_in_the_compiled_loop():
    fun = numba.njit(lambda x: 1.0 / x[0])
    assert jitted.is_called_alone(fun, 10)
    assert fun(np.zeros(3)) == np.inf
    with pytest.raises(ZeroDivisionError):
        numba.njit(lambda x: 1.0 / x[0])(np.zeros(3))  # what numba does otherwise


def test_many_evaluations_are_worth_joining():
    fun, _, constraints = made()
    assert not is_joined(fun, 300, constraints)
    assert not is_joined(fun, 300, constraints)
    assert is_joined(fun, jitted.WORTH_JOINING - 600, constraints)  # of all runs together
    assert is_joined(numba.njit(ratio), jitted.WORTH_JOINING)
    assert is_joined(numba.njit(ratio), None)


def test_what_cannot_be_compiled_is_said_in_short_runs_too(caplog):
    odd = numba.njit(lambda x: [x[0]])
    assert not is_joined(odd, 10)
    assert "is called from Python" in caplog.text


def test_a_vector_library_needs_the_compiled_loop(monkeypatch):
    monkeypatch.setattr(numba.config, "USING_SVML", True)
    assert is_joined(numba.njit(ratio), 10)
