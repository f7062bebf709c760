"""The stepwise solver: against SciPy's public function, on both of its ways."""

import numpy as np
import pytest
from scipy.optimize import minimize

from rdex.solvers import sqp
from rdex.solvers.sqp import Slopes, Values, solve, sqp_steps


def rosenbrock_in_a_disc():
    """The known optimum of Rosenbrock's function with x² + y² <= 1.5, in the box [0, 1.5]²."""

    def values(z):
        f = 100.0 * (z[1] - z[0] ** 2) ** 2 + (1.0 - z[0]) ** 2
        return Values(f, np.array([1.5 - z @ z, z[0] - 0.1]))

    def slopes(z):
        df = [-400.0 * z[0] * (z[1] - z[0] ** 2) - 2.0 * (1.0 - z[0]), 200.0 * (z[1] - z[0] ** 2)]
        return Slopes(np.array(df), np.array([-2.0 * z, [1.0, 0.0]]))

    return values, slopes


def by_steps(values, slopes, start, **options):

    steps = sqp_steps(
        start, np.zeros(2), np.full(2, 1.5), (values(start), slopes(start)), **options
    )
    return solve(steps, values, slopes)


def by_scipy(values, slopes, start):
    return minimize(
        lambda z: values(z).f, start, jac=lambda z: slopes(z).f, method="SLSQP",
        bounds=[(0.0, 1.5)] * 2, options={"ftol": 1e-12},
        constraints={"type": "ineq", "fun": lambda z: values(z).c, "jac": lambda z: slopes(z).c},
    )  # fmt: skip


@pytest.mark.parametrize("way", ["core", "threaded"])
def test_equals_the_public_function(way, monkeypatch):
    if way == "threaded":
        monkeypatch.setattr(sqp, "core", lambda: None)
    values, slopes = rosenbrock_in_a_disc()
    for start in ([0.3, 0.3], [1.2, 0.1], [0.0, 1.5]):
        ending = by_steps(values, slopes, np.array(start))
        found = by_scipy(values, slopes, np.array(start))
        assert ending.has_converged
        np.testing.assert_array_equal(ending.z, found.x)
        assert (ending.multipliers >= 0).all() and ending.multipliers.shape == (2,)


def test_without_constraints():
    start = np.array([1.0, 0.2])
    ending = by_steps(
        lambda z: Values(float((z - 0.7) @ (z - 0.7)), np.empty(0)),
        lambda z: Slopes(2.0 * (z - 0.7), np.empty((0, 2))),
        start,
    )
    np.testing.assert_allclose(ending.z, 0.7, atol=1e-9)


def test_a_limit_of_iterations_is_no_convergence():
    values, slopes = rosenbrock_in_a_disc()
    assert not by_steps(values, slopes, np.array([0.3, 0.3]), iterations=2).has_converged


@pytest.mark.parametrize("way", ["core", "threaded"])
def test_can_be_left_in_the_middle(way, monkeypatch):
    if way == "threaded":
        monkeypatch.setattr(sqp, "core", lambda: None)
    values, slopes = rosenbrock_in_a_disc()
    start = np.array([0.3, 0.3])
    steps = sqp_steps(start, np.zeros(2), np.full(2, 1.5), (values(start), slopes(start)))
    next(steps)
    steps.close()


def test_a_core_that_changed_is_not_used():
    def other_signature(state):
        raise AssertionError

    def other_meaning(state, f, g, c, d, x, mult, xl, xu, work, indices):
        state["mode"] = 0

    assert not sqp.is_right(other_signature) and not sqp.is_right(other_meaning)
