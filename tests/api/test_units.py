"""Units do not matter: powers of two in variables and constraints change no bit."""

import numpy as np
import pytest
from problems import BOX, tilted
from scipy.optimize import NonlinearConstraint

from rdex import Problem, minimize


def scaled(by_x, by_g, by_h, **options):
    """A run of one problem in other units, its points turned back."""
    by_x = np.array(by_x)

    def fun(x):
        z = x / by_x
        return tilted(z), [(1.0 - z @ z) * by_g], [(z.sum() - 1.5) * by_h]

    bounds = [(low * s, high * s) for (low, high), s in zip(BOX, by_x, strict=True)]
    problem = Problem.from_function(fun, bounds, n_ineq=1, n_eq=1)
    result = minimize(problem, eq_tol=1e-4 * by_h, maxfev=800, rng=4, **options)
    return result.x / by_x, result.fun, result.population / by_x, result.nit


# The objective's unit is left alone: the method adds gains in f to gains in violation.
UNITS = [
    ([2.0**20, 2.0**-30], 1.0, 1.0),
    ([1.0, 1.0], 2.0**30, 2.0**-20),
    ([2.0**-9, 2.0**17], 2.0**-7, 2.0**33),
]


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("batch", [1, 3])
def test_the_run_is_the_same_in_other_units(units, batch):
    plain = scaled([1.0, 1.0], 1.0, 1.0, batch=batch)
    other = scaled(*units, batch=batch)
    for a, b in zip(plain, other, strict=True):
        assert np.array_equal(a, b)


def test_without_scales_units_do_matter():
    plain = scaled([1.0, 1.0], 1.0, 1.0, constraint_scale="none")
    other = scaled([1.0, 1.0], 2.0**30, 1.0, constraint_scale="none")
    assert not np.array_equal(plain[2], other[2])


def test_given_scales_are_used_and_reported():
    fun = Problem.from_function(lambda x: (tilted(x), [x[0]], [x[1]]), BOX, n_ineq=1, n_eq=1)
    given = minimize(fun, constraint_scale=[4.0, 0.5], maxfev=200, rng=0)
    assert given.constraint_scale.tolist() == [4.0, 0.5]
    assert minimize(fun, constraint_scale="none", maxfev=200, rng=0).constraint_scale.tolist() == [
        1.0, 1.0,
    ]  # fmt: skip
    auto = minimize(fun, maxfev=200, rng=0)
    assert (auto.constraint_scale > 0.5).all() and auto.cv == 0


def test_the_rules_of_ude_get_raw_units():
    """Its ε exponent holds a logarithm of the violation; the scale that was used is told."""
    scaled = NonlinearConstraint(lambda x: 1e3 * (x[0] + x[1] - 1.0), 0.0, 0.0)
    results = {
        name: minimize(tilted, BOX, constraints=scaled, algorithm=name, maxfev=400, rng=1)
        for name in ("ude-iv", "rdex-csop")
    }
    assert results["ude-iv"].constraint_scale.tolist() == [1.0]
    assert results["rdex-csop"].constraint_scale[0] > 100.0
    raw = minimize(tilted, BOX, constraints=scaled, algorithm="ude-iv", maxfev=400, rng=1,
                   constraint_scale="none")  # fmt: skip
    assert raw.fun == results["ude-iv"].fun
    own = minimize(tilted, BOX, constraints=scaled, algorithm="ude-iv", maxfev=400, rng=1,
                   constraint_scale=[50.0])  # fmt: skip
    assert own.constraint_scale.tolist() == [50.0]
