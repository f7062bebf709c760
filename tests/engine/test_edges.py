"""Every corner that a user can reach: defined, and nothing non-finite where it must not be."""

import math

import numpy as np
import pytest
from engine_problems import KINDS, constant, lens, plane, problem, sloped_hopeless, sphere
from runs import assert_order_holds, budget, drive, finished, quiet, variant

from rdex.engine.engine import Engine
from rdex.engine.kernels import layout
from rdex.engine.presets import PRESETS, preset
from rdex.engine.settings import Settings
from rdex.engine.state import Limits
from rdex.problem.problem import Problem

pytestmark = quiet

NAMES = sorted(name for name, each in PRESETS.items() if isinstance(each, Settings))
FES = 1500


@pytest.fixture(params=NAMES)
def chosen(request):
    return preset(request.param).replace(n0=None, equality="whole")


@pytest.mark.parametrize("d", [1, 2, 7])
def test_no_constraints(chosen, d):
    engine = finished(problem(sphere, d), chosen, FES)
    assert engine.best.phi == 0.0 and engine.eps == 0.0
    assert engine.first_feasible == 1
    assert engine.best.g.size == engine.best.h.size == 0
    assert engine.best.f < 0.1


def test_equality_only(chosen):
    engine = finished(problem(plane, 2, n_eq=1), chosen, FES)
    best = engine.best
    assert best.phi == 0.0 and abs(best.h[0]) <= 1e-4
    assert best.f >= 0.875 - 1e-3  # the optimum, at x = 1/4, and what the tolerance gains


def test_inequality_only(chosen):
    engine = finished(problem(lens, 2, n_ineq=2), chosen, FES)
    assert engine.best.phi == 0.0 and (engine.best.g <= 0.0).all()
    assert engine.first_feasible is not None


@pytest.mark.compiled
def test_a_thousand_variables(chosen):
    engine = finished(problem(lens, 1000, n_ineq=2), chosen.replace(n0=50), 500)
    assert engine.nfev == 500
    assert_order_holds(engine)
    first, last = engine.state.trace.f[0], engine.best.f
    assert math.isfinite(last) and engine.best.phi <= engine.state.trace.phi[0]
    assert last != first


@pytest.mark.parametrize("d", [1, 2, 5])
def test_four_members(chosen, d):
    engine = finished(problem(lens, d, n_ineq=2), chosen.replace(n0=4), FES)
    assert engine.n == 4
    assert engine.generation > 10
    assert_order_holds(engine)


@pytest.mark.parametrize("maxfev", [1, 2, 11, 12])
def test_budgets_up_to_the_initial_size_are_random_search(chosen, maxfev):
    engine = finished(KINDS["lens-2"], chosen.replace(n0=12), maxfev, 9, checkpoints=4)
    assert engine.nfev == maxfev and engine.generation == 0
    F, G, _ = engine.problem.evaluate(engine.state.members.x[:maxfev, : engine.problem.dim])
    phi = np.maximum(G, 0.0).sum(1) / 2
    i = min(range(maxfev), key=lambda k: (phi[k], F[k]))
    assert (engine.best.f, engine.best.phi) == (F[i], phi[i])
    assert engine.state.trace.f[0] == engine.state.trace.f[4] == F[i]


def test_more_checkpoints_than_evaluations(chosen):
    engine = finished(KINDS["lens-2"], chosen, 40, checkpoints=150)
    trace = engine.state.trace.f[1:]
    assert np.isfinite(trace).all()
    at = np.ceil(np.arange(1, 151) * 40 / 150)
    for evaluation in np.unique(at):
        assert len(set(trace[at == evaluation])) == 1


def test_constant_objective(chosen):
    engine = finished(problem(constant, 3, n_ineq=1, data=(2.5, -1.0)), chosen, FES)
    assert (engine.best.f, engine.best.phi) == (2.5, 0.0)
    assert engine.state.run["best_at"][0] == 1
    assert engine.state.run["sr"][0] == 1.0  # an equal trial succeeds
    assert_order_holds(engine)
    # Nothing is gained, so the means count as 1.
    assert engine.state.memory.max() == pytest.approx(1.0, abs=0.05)


def test_everything_infeasible_alike(chosen):
    engine = finished(problem(constant, 3, n_ineq=1, n_eq=1, data=(2.5, 3.0)), chosen, FES)
    assert (engine.best.f, engine.best.phi) == (2.5, 3.0)
    assert engine.first_feasible is None and engine.n_failed == 0


def test_everything_infeasible_goes_to_the_least_violation(chosen):
    engine = finished(problem(sloped_hopeless, 3, n_ineq=1), chosen, FES)
    assert engine.first_feasible is None
    assert engine.best.phi == pytest.approx(1.0, abs=0.01)
    assert engine.best.phi >= 1.0


@pytest.mark.parametrize("data", [
    (math.nan, -1.0), (math.inf, -1.0), (-math.inf, -1.0), (0.0, math.nan), (0.0, math.inf),
    (0.0, -math.inf), (math.nan, math.nan), (math.inf, 1.0), (-math.inf, 1.0),
])  # fmt: skip
@pytest.mark.parametrize("scale", ["none", "auto"])
def test_everything_failed(chosen, data, scale):
    engine = finished(
        problem(constant, 2, n_ineq=1, n_eq=1, data=data), chosen, budget(200),
        limits=Limits(scale=scale, eq_tol=2.0),
    )  # fmt: skip
    assert engine.n_failed == engine.nfev == budget(200)
    assert (engine.best.f, engine.best.phi) == (math.inf, math.inf)
    assert (engine.state.trace.phi == math.inf).all() and (engine.state.trace.f == math.inf).all()
    assert engine.first_feasible is None
    assert engine.eps == 0.0 and engine.state.run["sr"][0] == 0.0
    assert np.isfinite(engine.state.memory).all() and np.isfinite(engine.state.members.x).all()
    assert_order_holds(engine)


@pytest.mark.parametrize("f", [math.nan, math.inf, -math.inf])
def test_an_unconstrained_function_that_always_fails_is_not_feasible(f):
    engine = finished(problem(constant, 2, data=(f, 0.0)), preset("rdex"), 100)
    assert (engine.best.f, engine.best.phi) == (math.inf, math.inf)
    assert (engine.state.trace.phi == math.inf).all()


def test_an_unknown_objective_beside_a_violation_is_no_failure(chosen):
    """f is NaN wherever g > 0: the run goes by φ there, and finds the feasible side."""

    def rows(X):
        g = X[:, :1].sum(1, keepdims=True) + 4.5
        return np.where(g[:, 0] > 0.0, np.nan, (X**2).sum(1)), g, np.empty((len(X), 0))

    engine = Engine(Problem([-5] * 3, [5] * 3, n_ineq=1, rows=rows), chosen.replace(n0=20), FES, 2)
    drive(engine)
    assert engine.n_failed == 0
    assert engine.best.phi == 0.0
    assert engine.best.f == pytest.approx(4.5**2, rel=0.1)


def test_failures_are_left_behind(chosen):
    engine = finished(KINDS["holes-2"], chosen.replace(n0=40), FES, 4)
    assert engine.n_failed > 0
    n = engine.n
    assert np.isfinite(engine.state.members.phi[:n]).all()
    assert math.isfinite(engine.best.f) and engine.best.phi == 0.0
    assert np.isfinite(engine.state.memory).all() and math.isfinite(engine.state.run["rho"][0])


def test_gains_so_large_that_they_overflow():
    """Differences of 1e308 add up to inf; memories and ρ stay numbers."""

    def rows(X):
        return 1.7e308 * np.sin(X[:, 0]), np.empty((len(X), 0)), np.empty((len(X), 0))

    engine = Engine(Problem([-9] * 2, [9] * 2, rows=rows), variant(n0=20, eb_from=0.0), 600, 1)
    drive(engine)
    assert np.isfinite(engine.state.memory).all()
    assert ((engine.state.memory >= 0) & (engine.state.memory <= 1)).all()
    assert 0.0 <= engine.state.run["rho"][0] <= 1.0


def test_integer_variables_take_every_integer_and_nothing_else(chosen):
    seen = []

    def rows(X):
        seen.append(X.copy())
        return ((X - [1.0, 2.0, 0.25]) ** 2).sum(1), np.empty((len(X), 0)), np.empty((len(X), 0))

    whole = Problem([-2.5, 0, 0], [3.2, 3, 1], rows=rows, integrality=[1, 1, 0])
    engine = Engine(whole, chosen.replace(n0=40), FES, 3)
    drive(engine)
    points = np.vstack(seen)
    assert set(points[:, 0]) <= {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0}
    assert set(points[:40, 1]) == {0.0, 1.0, 2.0, 3.0}
    assert ((points >= whole.lower) & (points <= whole.upper)).all()
    assert engine.best.x[:2].tolist() == [1.0, 2.0]
    assert engine.best.x[2] == pytest.approx(0.25, abs=0.02)


def test_random_integers_come_in_equal_shares():
    whole = Problem([0.0], [3.0], integrality=[1], rows=lambda X: (X[:, 0], None, None))
    engine = Engine(whole, variant(n0=4000), 4000, 1)
    drawn = engine.decoded(engine.state.members.x[:4000])[:, 0]
    counts = np.bincount(drawn.astype(int), minlength=4)
    assert abs(counts - 1000).max() < 120  # more than four standard deviations


def test_logarithmic_variables_are_searched_by_their_logarithm():
    seen = []

    def rows(X):
        seen.append(X.copy())
        return np.abs(np.log10(X) - [-7.0, 2.0]).sum(1), np.empty((len(X), 0)), None

    logarithmic = Problem([1e-9, 1e-3], [1e3, 1e3], rows=rows)
    engine = Engine(
        logarithmic, variant(n0=100), FES, 1, log_variables=np.array([True, True]),
        initial=[[1e-9, 1e3], [1e-4, 1.0]],
    )  # fmt: skip
    drive(engine)
    points = np.vstack(seen)
    assert ((points >= logarithmic.lower) & (points <= logarithmic.upper)).all()
    np.testing.assert_allclose(points[:2], [[1e-9, 1e3], [1e-4, 1.0]], rtol=1e-14)
    below = (points[2:100, 0] < 1e-3).mean()
    assert 0.3 < below < 0.7  # half of the decades, though nearly none of the width
    np.testing.assert_allclose(np.log10(engine.best.x), [-7.0, 2.0], atol=0.1)


def test_initial_points_come_first_and_the_rest_stays_as_it_was():
    plain = Engine(KINDS["lens-2"], variant(n0=12), 100, 5)
    given = [[1.0, 2.0], [-5.0, 5.0]]
    started = Engine(KINDS["lens-2"], variant(n0=12), 100, 5, initial=given)
    points = started.ask(12)
    assert points[:2].tolist() == given
    np.testing.assert_array_equal(points[2:], plain.ask(12)[2:])


@pytest.mark.parametrize(("bad", "message"), [
    ([1.0, 2.0], r"initial points must be \(k, 2\), got shape \(2,\)"),
    ([[1.0, 2.0, 3.0]], r"got shape \(1, 3\)"),
    ([[1.0, 2.0], [1.0, 5.5]], r"initial\[1, 1\] must be in \[-5.0, 5.0\], got 5.5"),
    ([[math.nan, 2.0]], r"initial\[0, 0\]"),
])  # fmt: skip
def test_initial_points_outside_the_bounds_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        Engine(KINDS["lens-2"], variant(n0=12), 100, 5, initial=bad)


@pytest.mark.parametrize("seed", range(12))
def test_no_race_begins_with_the_last_evaluation(seed):
    always = variant("rde26", n0=8, race_until=1.0, race_feasible_share=0.0, race_target_share=1.0)
    engine = finished(KINDS["sphere-5"], always, 41 + seed, seed)
    assert engine.nfev == 41 + seed
    assert engine.state.run["race_owed"][0] == -1


def test_nothing_was_evaluated_yet():
    engine = Engine(KINDS["lens-2"], variant(), 100)
    assert (engine.nfev, engine.generation, engine.n_failed) == (0, 0, 0)
    assert engine.best.f == engine.best.phi == math.inf
    assert engine.first_feasible is None and not engine.is_finished


def test_scales_by_hand_and_automatic():
    """A constraint in other units does not drown the others once scales are right."""
    values = (1e6, 1.0)

    def rows(X):
        G = np.stack([values[0] * (X[:, 0] - 1.0), values[1] * (X[:, 1] - 1.0)], axis=1)
        return -X.sum(1), G, np.empty((len(X), 0))

    scaled = Problem([-5, -5], [5, 5], n_ineq=2, rows=rows)
    by_hand = Engine(scaled, variant(n0=20), 200, 1, limits=Limits(scale=values))
    automatic = Engine(scaled, variant(n0=20), 200, 1, limits=Limits(scale="auto"))
    drive(by_hand)
    drive(automatic)
    np.testing.assert_array_equal(by_hand.state.limit[layout.WEIGHT], [1e-6, 1.0])
    _, G, _ = scaled.evaluate(np.random.default_rng(0).uniform(-5, 5, (4000, 2)))
    expected = 1 / np.median(np.abs(G), axis=0)
    np.testing.assert_allclose(automatic.state.limit[layout.WEIGHT], expected, rtol=0.6)
    # What is reported is never scaled.
    for engine in (by_hand, automatic):
        raw = np.maximum(engine.best.g, 0.0).sum() / 2
        assert engine.best.phi == pytest.approx(raw, rel=1e-12)
        assert engine.state.trace.phi[-1] == engine.best.phi


@pytest.mark.parametrize(
    "wrong", [{"eq_tol": -1.0}, {"ineq_tol": float("nan")}, {"scale": "Auto"}, {"scale": [0.0]}]
)
def test_limits_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits(**wrong)
