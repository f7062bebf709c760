"""The compiled UDE against its plain twin: the same run, bit for bit."""

import numpy as np
import pytest
from engine_problems import KINDS
from runs import budget, pairs, quiet, variant

from rdex.engine.engine import Engine
from rdex.engine.state import Limits, seed_words
from reference.ude_twin import UdeTwin

pytestmark = quiet

VARIANTS = {
    "ude-iv": variant("ude-iv"),
    "ude-iii": variant("ude-iii"),
    "all-ranked": variant("ude-iii", ranked="abc", ranked_pbest="bc", rand_to_pbest=0.5),
    "both": variant("ude-iii", ranked="b", ranked_pbest="bc"),
    "restless": variant("ude-iv", stagnation=1, stagnated_share=0.0, spread=0.0),
    "learner": variant("ude-iv", learning_period=2, memory_size=3, share_floor=0.5),
    "bold": variant("ude-iv", F_cauchy=0.9, CR_sigma=0.5, memory_F=0.1, rand_to_pbest=1.0),
    "tense": variant("ude-iv", eps_until=1.0, eps_offset=0.0, top_share=0.9),
}


def assert_same(engine, twin):
    """Whatever both of them hold is equal."""
    state, d = engine.state, engine.problem.dim
    assert engine.nfev == twin.nfe
    assert engine.n_failed == twin.failed
    if twin.order is not None:
        n = engine.n
        assert state.ranks.pool.tolist() == twin.order
        archived = int(state.run["archived"][0])
        assert state.ranks.store[:archived].tolist() == twin.archive
        for row in [*twin.order, *twin.archive]:
            x, f, phi = twin.member[row]
            assert np.array_equal(state.members.x[row, :d], x)
            assert (state.members.f[row], state.members.phi[row]) == (f, phi)
        assert state.ranks.idle.tolist() == twin.idle
        assert engine.generation == twin.generation
        assert engine.eps == twin.eps
        assert np.array_equal(state.learnt.cells, [*twin.M_F, *twin.M_CR])
        assert state.learnt.cursor.tolist() == twin.cursor
        assert state.run["revived"][0] == twin.revived
        assert [state.run["up_to_1"][0], state.run["up_to_2"][0]] == twin.shares
        if twin.generation:
            assert state.run["sr"][0] == twin.SR
            np.testing.assert_allclose(state.memory, [np.mean(twin.M_F, 1), np.mean(twin.M_CR, 1)])
        assert sorted(state.ranks.store) == list(range(n, 3 * n))
    best = engine.best
    assert np.array_equal(best.x, twin.best[2])
    assert (best.f, best.phi) == (twin.best[1], twin.best[3])
    for k, expected in twin.trace.items():
        assert (state.trace.f[k], state.trace.phi[k]) == expected


def run_both(problem, settings, maxfev, seed, n0, scale="none"):
    settings = settings.replace(n0=n0)
    limits = Limits(scale=scale, ineq_tol=0.125)
    engine = Engine(problem, settings, maxfev, seed, checkpoints=10, limits=limits)
    twin = UdeTwin(problem, settings, maxfev, seed_words(seed)[:4], ineq_tol=0.125, scale=scale)
    while twin.nfe < maxfev:
        went_on = twin.advance()
        assert engine.run(stop_at_generation=True) == went_on
        assert_same(engine, twin)
    assert engine.is_finished
    assert len(twin.trace) == 11
    return twin


@pytest.mark.parametrize(("name", "kind"), pairs(VARIANTS, KINDS))
def test_every_variant_on_every_kind_of_problem(name, kind):
    seed = 100 + list(VARIANTS).index(name)
    scale = "auto" if name in ("ude-iii", "tense") else "none"
    run_both(KINDS[kind], VARIANTS[name], budget(300), seed, n0=12, scale=scale)


@pytest.mark.parametrize("n0", [8, 9, 40])
@pytest.mark.parametrize("name", ["ude-iv", "all-ranked", "learner"])
def test_small_and_larger_populations(name, n0):
    twin = run_both(KINDS["plane-5"], VARIANTS[name], budget(900), 7, n0=n0)
    assert twin.generation > 3


@pytest.mark.parametrize("maxfev", [1, 3, 11, 12, 13, 29, 30, 31])
def test_budgets_around_the_initial_size_and_a_generation(maxfev):
    run_both(KINDS["holes-5"], VARIANTS["ude-iv"], maxfev, 5, n0=12)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ude-iv", "ude-iii"])
def test_a_longer_run_of_the_presets(name):
    twin = run_both(KINDS["lens-10"], VARIANTS[name], 6000, 3, n0=100)
    assert twin.best[0] == 0.0 and len(twin.history) == 39


def test_the_twin_meets_what_it_is_meant_to_meet():
    """Failures, revivals, all strategies, a full archive and ties do happen in the runs above."""
    twin = run_both(KINDS["holes-2"], VARIANTS["restless"], budget(700), 11, n0=12)
    assert twin.failed > 10 and twin.revived > 3 and len(twin.archive) == 12
    won = np.array(twin.history)[:, :, 0].sum(0)
    lost = np.array(twin.history)[:, :, 1].sum(0)
    assert (won > 0).all() and (lost > 0).all()
    tied = run_both(KINDS["stairs-5"], VARIANTS["ude-iv"], budget(400), 11, n0=12)
    values = [tied.member[row][1:] for row in tied.order]
    assert len(set(values)) < len(values)
