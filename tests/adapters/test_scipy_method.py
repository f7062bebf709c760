"""`method=rdex.scipy_method`: nothing of the problem is lost on its way through SciPy."""

import numpy as np
import pytest
from scipy.optimize import (
    Bounds,
    LinearConstraint,
    NonlinearConstraint,
    OptimizeResult,
    minimize,
    rosen,
    rosen_der,
)  # fmt: skip

import rdex

BOX = [(-5, 5)] * 2


def sphere(x):
    return float(x @ x)


def solve(fun=sphere, x0=(3.0, 3.0), maxfev=1500, rng=1, bounds=BOX, **arguments):
    options = {"maxfev": maxfev, "rng": rng, **arguments.pop("options", {})}
    return minimize(fun, x0, method=rdex.scipy_method, bounds=bounds, options=options, **arguments)


@pytest.mark.parametrize("constraints", [
    LinearConstraint([[1, 1]], 1, 1),
    NonlinearConstraint(lambda x: x[0] + x[1], 1, 1),
    {"type": "eq", "fun": lambda x: x[0] + x[1] - 1},
    [{"type": "eq", "fun": lambda x, a: x[0] + x[1] - a, "args": (1,)}],
])  # fmt: skip
def test_equalities_in_every_form(constraints):
    result = solve(constraints=constraints)
    assert isinstance(result, OptimizeResult)
    assert result.success and len(result.H) == 1
    assert result.fun == pytest.approx(0.5, abs=1e-3)


def test_inequalities_keep_their_sides():
    result = solve(constraints=NonlinearConstraint(lambda x: [x[0], x[1]], [1, -np.inf], [2, -1]))
    assert result.x == pytest.approx([1, -1], abs=1e-2)
    assert len(result.G) == 3


def test_the_same_as_minimize_of_rdex():
    ours = rdex.minimize(sphere, BOX, x0=[3.0, 3.0], maxfev=60, rng=7, algorithm="auto")
    theirs = solve(maxfev=60, rng=7, options={"algorithm": "auto"})
    assert theirs.x.tolist() == ours.x.tolist() and theirs.nfev == ours.nfev == 60


def test_arguments_gradients_and_bounds_objects():
    result = minimize(
        lambda x, a: ((x - a) @ (x - a), 2 * (x - a)), [0.0, 0.0], args=(2.0,), jac=True,
        method=rdex.scipy_method, bounds=Bounds([-5, -5], [5, 5]),
        options={"maxfev": 1500, "rng": 1},
    )  # fmt: skip
    assert result.x == pytest.approx([2, 2], abs=1e-3)
    result = solve(rosen, jac=rosen_der, maxfev=3000)
    assert result.fun < 1e-3


def test_a_start_outside_is_moved_into_the_bounds():
    seen = []

    def fun(x):
        seen.append(x.copy())
        return sphere(x)

    solve(fun, x0=[99.0, -99.0], maxfev=50)
    assert seen[0].tolist() == [5.0, -5.0]


@pytest.mark.parametrize("kind", ["point", "result"])
def test_callbacks_of_both_kinds_see_the_run_and_stop_it(kind):
    seen = []

    def with_point(xk):
        seen.append(xk)
        if len(seen) == 3:
            raise StopIteration

    def with_result(intermediate_result):
        seen.append(intermediate_result.x)
        assert intermediate_result.fun == pytest.approx(sphere(seen[-1]))
        return len(seen) == 3

    result = solve(callback=with_point if kind == "point" else with_result, maxfev=3000)
    assert len(seen) == 3 and seen[0].shape == (2,)
    assert "callback" in result.message and result.nfev < 3000


def test_built_in_callbacks():
    seen = []
    solve(callback=seen.append, maxfev=600)
    assert seen and seen[0].shape == (2,)


def test_options_are_those_of_rdex():
    result = solve(options={"algorithm": "lshade-eps", "integrality": [True, False]})
    assert result.algorithm == "lshade-eps" and result.x[0] == round(result.x[0])
    with pytest.raises(TypeError, match="maxfev"):
        solve(options={"maxiter": 100})
    with pytest.raises(ValueError, match="unknown algorithm"):
        solve(options={"algorithm": "simplex"})


def test_an_infeasible_answer_is_no_success():
    result = solve(constraints=NonlinearConstraint(lambda x: x[0], 7, np.inf), maxfev=500)
    assert not result.success and result.x[0] == pytest.approx(5)
    assert "No feasible point" in result.message


@pytest.mark.parametrize(("arguments", "message"), [
    ({"bounds": None}, "needs bounds"),
    ({"bounds": [(0, np.inf)] * 2}, "finite"),
    ({"x0": [1.0]}, "x0 must have shape"),
])  # fmt: skip
def test_what_cannot_be_searched_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        solve(**arguments)
