"""The compiled engine against the plain twin: the same run, bit for bit."""

import numpy as np
import part_kernels as parts
import pytest
from engine_problems import KINDS
from runs import budget, front_of, pairs, population_of, quiet, variant

from rdex.engine.engine import Engine
from rdex.engine.state import Limits, seed_words
from reference.engine_twin import Twin

pytestmark = quiet

VARIANTS = {
    "rdex-csop": variant(),
    "cl-srde": variant("cl-srde"),
    "rde26": variant("rde26"),
    "early-eb": variant(eb_from=0.0, eb_rate=0.5),
    "eb-by-objective": variant(eb_from=0.2, eb_order="objective"),
    "eb-credit": variant(eb_from=0.1, eb_credit="objective", perturb_probability=0.9),
    "race": variant(race=True, race_until=1.0, race_feasible_share=0.0, race_target_share=0.5),
    "race-and-eb": variant("rde26", eb_from=0.0, eb_credit="improvement", race_target_share=0.3),
    "units": variant(equality="excess", perturb_unit="range", perturb_probability=0.7),
    "bold": variant(start_SR=1.0, F_sigma=0.5, CR_sigma=0.5, memory_CR=0.4, pbest_share=1.0),
    "paper": variant("rdex-csop-paper"),
    "unlocked": variant(eps_locked_share=0.3),
    "floor": variant(eps_floor_until=0.7, eps_floor_power=3.0, replacement="target"),
    "lshade": variant("lshade", memory_F=0.2),
    "lshade-eps": variant("lshade-eps", eps_floor_until=0.6),
    "restart": variant(restart_after=1.2),
    "small": variant(memory_size=1, memory_weight=1.0, rank_pressure=0.0, repair_share=1.0),
}


def assert_same(engine, twin):
    """Whatever both of them hold is equal."""
    state, run = engine.state, engine.state.run[0]
    assert engine.nfev == twin.nfe
    following = np.zeros(3, np.uint64)
    parts.fill_words(state.random.copy(), following)
    assert following.tolist() == twin.random.following(3)
    assert engine.n_failed == twin.failed
    if twin.front is not None:
        for ours, theirs in ((front_of(engine), twin.front), (population_of(engine), twin_P(twin))):
            for k in range(3):  # x, f, φ
                assert np.array_equal(ours[k], [member[k] for member in theirs])
        assert engine.n == twin.n
        assert engine.generation == twin.generation
        assert engine.n_restarts == twin.restarts
        assert run["ring"] == twin.ring
        assert run["cursor"] == twin.cursor
        assert engine.eps == twin.eps
        assert run["sr"] == twin.SR
        assert run["rho"] == twin.rho
        assert np.array_equal(state.memory, [twin.M_F, twin.M_CR])
    best = engine.best
    assert np.array_equal(best.x, twin.best[2])
    assert (best.f, best.phi) == (twin.best[1], twin.best[3])
    for k, expected in twin.trace.items():
        assert (state.trace.f[k], state.trace.phi[k]) == expected


def twin_P(twin):
    return [twin.member[row] for row in twin.rows[: twin.n]]


def run_both(problem, settings, maxfev, seed, n0, scale="none"):
    settings = settings.replace(n0=n0)
    limits = Limits(scale=scale, ineq_tol=0.125)
    engine = Engine(problem, settings, maxfev, seed, checkpoints=10, limits=limits)
    twin = Twin(
        problem, settings, maxfev, seed_words(seed), n0=n0, ineq_tol=0.125, scale=scale
    )  # fmt: skip
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
    scale = "auto" if name in ("units", "race") else "none"
    run_both(KINDS[kind], VARIANTS[name], budget(180), seed, n0=10, scale=scale)


@pytest.mark.parametrize("n0", [4, 5, 40])
@pytest.mark.parametrize("name", ["rdex-csop", "cl-srde", "rde26", "race-and-eb"])
def test_small_and_larger_populations(name, n0):
    twin = run_both(KINDS["plane-5"], VARIANTS[name], budget(500), 7, n0=n0)
    assert twin.generation > 10


@pytest.mark.parametrize("maxfev", [1, 3, 11, 12, 13, 25])
def test_budgets_around_the_initial_size(maxfev):
    run_both(KINDS["holes-5"], VARIANTS["race-and-eb"], maxfev, 5, n0=12)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["rdex-csop", "cl-srde", "rde26"])
def test_a_longer_run_to_convergence(name):
    twin = run_both(KINDS["lens-10"], VARIANTS[name], 3000, 3, n0=30)
    assert twin.best[0] == 0.0


@pytest.mark.parametrize("kind", [
    "plane-5", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("sphere-5", "holes-2"))
])  # fmt: skip
def test_a_population_that_has_settled_makes_room(kind):
    """The twin agrees, and it does happen."""
    settings = variant("rde26", restart_after=1.1, perturb_probability=0.0)
    twin = run_both(KINDS[kind], settings, 4000, 2, n0=8)
    assert twin.restarts > 0


def test_the_twin_meets_what_it_is_meant_to_meet():
    """Races, both branches, failures, repairs and ties do happen in the runs above."""
    twin = run_both(KINDS["holes-2"], VARIANTS["race-and-eb"], budget(240), 11, n0=12)
    assert twin.failed > 10
    assert twin.nfe > twin.generation * 4
    tied = run_both(KINDS["stairs-5"], VARIANTS["rdex-csop"], budget(240), 11, n0=12)
    values = [member[1] for member in tied.front]
    assert len(set(values)) < len(values)
