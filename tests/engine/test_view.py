"""What others may ask of a run, against the arrays it is held in."""

import math

import numpy as np
import pytest
from engine_problems import KINDS
from runs import budget, quiet, variant

from rdex.engine.engine import Engine
from rdex.engine.state import Limits
from rdex.recorder.history import History

pytestmark = quiet


def engine_at(nfev, name="rdex-csop", **options):
    engine = Engine(
        KINDS["holes-5"], variant(name, n0=20), budget(600), 3, checkpoints=10, **options
    )
    engine.run(stop_at=nfev)
    return engine


@pytest.mark.parametrize("name", ["rdex-csop", "ude-iv"])
def test_population_is_sorted_and_in_the_users_space(name):
    engine = engine_at(budget(300), name)
    x, f, phi = engine.population()
    assert x.shape == (engine.n, engine.problem.dim) and f.shape == phi.shape == (engine.n,)
    assert (x >= engine.problem.lower).all() and (x <= engine.problem.upper).all()
    inside = phi <= engine.eps if name == "rdex-csop" else phi == 0.0
    assert (np.diff(f[inside]) >= 0).all()
    F, G, H = engine.problem.evaluate(x)
    known = np.isfinite(f)
    np.testing.assert_array_equal(F[known], f[known])
    for k in np.flatnonzero(np.isfinite(phi)):
        assert engine.violation(G[k], H[k]) == pytest.approx(phi[k])


def test_population_during_the_start_holds_what_arrived():
    engine = engine_at(7)
    assert engine.population().x.shape[0] == 7
    assert engine_at(0).population().f.size == 0


def test_spread_is_infinite_while_a_member_is_infeasible():
    engine = engine_at(budget(300))
    f, phi = engine.population()[1:]
    if (phi > 0).any():
        assert engine.spread() == math.inf
    engine.state.members.phi[:] = 0.0
    f = engine.population().f
    assert engine.spread() == (f.max() - f.min()) / max(1.0, abs(f.min()))


def test_constraints_clock_and_goal():
    scale = np.arange(1.0, 1 + KINDS["holes-5"].n_constraints)
    engine = engine_at(30, limits=Limits(eq_tol=0.01, ineq_tol=0.5, scale=scale), goal=-3.0)
    np.testing.assert_allclose(engine.constraint_scale, scale)
    n = engine.problem.n_ineq
    assert (engine.tolerance[:n] == 0.5).all() and (engine.tolerance[n:] == 0.01).all()
    assert engine.goal == -3.0 and engine.clock == 0.0
    engine.set_clock(0.4)
    assert engine.clock == 0.4
    engine.set_clock(7.0)
    assert engine.clock == 1.0
    assert engine.best_f == engine.best.f and engine.n0 == 20 and engine.checkpoints == 10


def test_histories_end_with_the_present():
    engine = engine_at(budget(600) // 2 + 1)
    history, (f, phi) = History(*engine.history_rows()), engine.trace()
    assert f.shape == phi.shape == (11,)
    due = range(engine.maxfev // 10, engine.nfev, engine.maxfev // 10)
    assert history.nfev.tolist() == sorted({20, *due, engine.nfev})
    assert (history.f[0], history.f[-2]) == (f[0], f[5])
    assert (history.f[-1], history.cv[-1]) == (engine.best.f, engine.best.phi)
    assert (history.eps[-1], history.n[-1], history.generation[-1]) == (
        engine.eps, engine.n, engine.generation,
    )  # fmt: skip
    assert history.feasible_share[-1] == engine.feasible_share
    assert history.memory_F.shape == (history.f.size, 5) == history.memory_CR.shape
