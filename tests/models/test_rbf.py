"""The models against SciPy's interpolator, refits without a point, and finite differences."""

import numpy as np
import pytest
from scipy.interpolate import RBFInterpolator

from rdex.models.inputs import Inputs, Outputs, squashing
from rdex.models.rbf import Fit, largest_tail, n_terms
from rdex.models.surrogate import Surrogate, make_part


def functions(z):
    """Three functions, (n, 3)."""
    return np.column_stack([np.sin(3 * z).sum(1), (z**2) @ np.arange(1, z.shape[1] + 1),
                            np.exp(z[:, 0]) * z[:, -1]])  # fmt: skip


@pytest.fixture
def data(rng):
    """(points, values) with enough points for all tails."""
    z = rng.random((40, 4))
    return z, functions(z)


@pytest.fixture
def rng():
    """A generator of its own for each test."""
    return np.random.default_rng(5)


def unit_view(d):
    """Points as they are."""
    return Inputs(np.ones(d), np.zeros(d), 1.0)


def part(z, y, tail, nugget=0.0):
    """Models with one tail."""
    fit = Fit(z, 2, nugget)
    return make_part(fit, unit_view(z.shape[1]), np.arange(3), y, np.full(3, tail))


@pytest.mark.parametrize("tail, degree", [(0, 1), (2, 2)])
def test_values_are_those_of_scipy(data, rng, tail, degree):
    z, y = data
    at = rng.random((20, 4))
    expected = RBFInterpolator(z, y, kernel="cubic", degree=degree)(at)
    model = part(z, y, tail)
    np.testing.assert_allclose(model.rows(at), expected, atol=1e-10)
    np.testing.assert_allclose([model.values(point) for point in at], expected, atol=1e-10)


@pytest.mark.parametrize("tail", [0, 1, 2])
def test_leave_one_out_is_a_refit_without_the_point(data, tail):
    z, y = data
    errors = Fit(z, 2).leave_one_out(y)[tail]
    for i in (0, 7, 39):
        others = np.arange(40) != i
        predicted = part(z[others], y[others], tail).values(z[i])
        np.testing.assert_allclose(errors[i], predicted - y[i], atol=1e-9)


def test_slopes_are_those_of_finite_differences_on_all_inputs(data, rng):
    z, y = data
    ratio = np.array([1.0, 9.0, 1.0, 100.0])
    views = [Inputs(np.ones(4), z[0], 0.3), Inputs(ratio, z[0], 0.3)]
    steep = np.column_stack([y, np.log(1 + 99 * z[:, 3]), np.exp(12 * z[:, 0])])
    outputs = squashing(steep, np.zeros(5), np.array([9.0, 9.0, 9.0, 9.0, 10.0]))
    model = Surrogate(z, steep, outputs, views, np.ones(40))
    assert model.choice.fit[3] == 1 and model.choice.fit[0] == 0
    assert model.outputs.is_squashed.tolist() == [False, False, False, False, True]
    at, step = rng.random(4), 1e-6
    model.values(at)
    slopes = model.slopes()
    for j in range(4):
        change = np.eye(4)[j] * step
        numerical = (model.values(at + change) - model.values(at - change)) / (2 * step)
        np.testing.assert_allclose(slopes[:, j], numerical, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(model.rows(at[None])[0], model.values(at), atol=1e-9)


def test_a_quadratic_is_exact_with_the_full_tail(rng):
    z = rng.random((30, 3))
    hessian = rng.normal(size=(3, 3))
    y = np.einsum("ni,ij,nj->n", z, hessian, z)[:, None]
    plain = Outputs(np.zeros(1), np.ones(1), np.zeros(1, dtype=bool))
    model = Surrogate(z, y, plain, [unit_view(3)], np.ones(30))
    assert model.choice.tail[0] == 2 and model.choice.skill[0] > 1 - 1e-8
    at = rng.random(3)
    assert model.values(at)[0] == pytest.approx(at @ hessian @ at, abs=1e-9)


@pytest.mark.parametrize("apart", [0.0, 1e-14, 1e-9, 1e-6])
def test_duplicates_and_near_duplicates_do_no_harm(data, rng, apart):
    z, _ = data
    z = np.vstack([z, z[:10] + apart * rng.normal(size=(10, 4))])
    y = functions(z)
    model = part(z, y, 0)
    assert np.isfinite(model.rows(z)).all()
    np.testing.assert_allclose(model.rows(z), y, atol=0.02)


def test_equal_points_with_different_values_are_averaged(rng):
    z = np.repeat(rng.random((15, 2)), 2, axis=0)
    y = np.repeat(z[::2].sum(1), 2)[:, None] + np.tile([0.1, -0.1], 15)[:, None]
    model = part(z, np.hstack([y, y, y]), 0, nugget=1e-3)
    np.testing.assert_allclose(model.rows(z)[:, 0], z.sum(1), atol=0.02)


def test_a_variable_that_never_changes_is_no_term(data):
    z, _ = data
    z = z.copy()
    z[:, 1] = 0.25
    y = functions(z)
    model = part(z, y, 0)
    np.testing.assert_allclose(model.rows(z), y, atol=1e-8)
    model.values(z[0])
    assert np.isfinite(model.slopes()).all()


def test_far_and_near_points_together(rng):
    z = np.vstack([rng.random((20, 3)), 0.5 + 1e-6 * rng.random((20, 3))])
    y = functions(z)
    view = Inputs(np.ones(3), np.full(3, 0.5), 1e-6)
    fit = Fit(view(z), 1)
    model = make_part(fit, view, np.arange(3), y, np.ones(3, dtype=int))
    changes = np.ptp(y[20:], axis=0)
    errors = np.abs(model.rows(z[20:]) - y[20:]).max(axis=0)
    assert (errors < 0.3 * changes).all()


def test_few_points_carry_small_tails_only():
    assert [n_terms(tail, 3) for tail in range(3)] == [4, 7, 10]
    assert [largest_tail(n, 3) for n in (5, 9, 11, 12)] == [0, 1, 1, 2]


def test_one_point_is_a_constant():
    z, y = np.array([[0.3, 0.4]]), np.array([[2.0, -1.0]])
    sees = [Inputs(np.ones(2), z[0], 1.0)]
    outputs = squashing(y, y[0], np.zeros(2))
    model = Surrogate(z, y, outputs, sees, np.ones(1))
    np.testing.assert_allclose(
        model.rows(np.random.default_rng(0).random((5, 2))), np.repeat(y, 5, 0)
    )


def test_squashed_values_come_back(rng):
    y = np.exp(20 * rng.random((30, 2)))
    outputs = squashing(y, y.min(axis=0), np.array([1.0, 1e12]))
    assert outputs.is_squashed.tolist() == [True, False]
    np.testing.assert_allclose(outputs.original(outputs(y)), y, rtol=1e-9)
