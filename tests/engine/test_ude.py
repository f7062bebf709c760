"""UDE behind the engine: settings, drivers, files, edges, and what must hold in every run."""

import dataclasses
import math

import numpy as np
import pytest
from engine_problems import KINDS, constant, lens, plane, problem, sphere
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import IS_COMPILED, PASSING, assert_same_state, budget, drive, finished, quiet, variant

from rdex.engine.engine import Engine
from rdex.engine.files import load_state, save_state
from rdex.engine.presets import preset
from rdex.engine.state import Limits
from rdex.engine.ude.settings import UdeSettings
from rdex.engine.ude.state import settings_record
from rdex.problem.problem import Problem

pytestmark = quiet

PROBLEM = KINDS["holes-5"]
SMALL = variant("ude-iii", n0=16, stagnation=2, stagnated_share=0.1, learning_period=4)
FES = budget(600)


def engine_for(chosen=SMALL, **options):
    return Engine(PROBLEM, chosen, FES, 3, checkpoints=20, **options)


@pytest.fixture(scope="module")
def whole_run():
    engine = engine_for()
    engine.run()
    return engine


# --- settings -----------------------------------------------------------------------------------
def test_presets_are_the_table():
    four, three = preset("ude-iv"), preset("ude-iii")
    assert (four.n0, four.top, four.trials) == (100, 25, 150)
    assert (four.learning_period, four.memory_size, four.memory_F, four.memory_CR) == (
        25, 100, 0.5, 0.5,
    )  # fmt: skip
    assert (four.rand_to_pbest, four.stagnation, four.stagnated_share) == (0.25, 25, 0.40)
    assert (three.rand_to_pbest, three.stagnation, three.stagnated_share) == (0.0, 25, 0.60)
    assert (four.ranked, four.ranked_pbest) == ("", "")
    assert (three.ranked, three.ranked_pbest) == ("ab", "b")
    assert (four.label, three.label) == ("ude-iv", "UDE-III (reconstruction)")
    assert three.replace(name="mine").label == "mine"


def test_every_number_carries_its_symbol_source_and_range():
    for field in dataclasses.fields(UdeSettings):
        if field.type in ("int", "float"):
            assert field.metadata["symbol"] and field.metadata["source"]
            assert field.metadata["low"] < field.metadata["high"]


@pytest.mark.parametrize("change", [
    {"n0": 7}, {"n0": 100.0}, {"top_share": 1.5}, {"memory_size": 0}, {"pbest_low": 1},
    {"pbest_low": 21}, {"ranked": "c"}, {"ranked_pbest": "a"}, {"share_floor": 0.0},
    {"stagnated_share": math.nan}, {"eps_until": -1.0}, {"stagnation": -1},
])  # fmt: skip
def test_values_out_of_range_are_named(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        preset("ude-iv").replace(**change)


def test_unknown_fields_are_named():
    with pytest.raises(ValueError, match="UdeSettings has no field 'n_min'"):
        preset("ude-iv").replace(n_min=5)


def test_constants_reach_the_kernels_under_their_names():
    chosen = preset("ude-iii")
    record = settings_record(chosen, maxfev=1234, checkpoints=7, goal=-1.5)[0]
    assert (record["n0"], record["maxfev"], record["checkpoints"]) == (100, 1234, 7)
    assert record["goal"] == -1.5
    assert record["top"] == 25 and record["trials"] == 150
    flags = [name for name in record.dtype.names if name.startswith("ranked_") and record[name]]
    assert flags == ["ranked_a", "ranked_b", "ranked_pbest_b"]
    at_start = {"top_share", "memory_F", "memory_CR"}
    for field in dataclasses.fields(chosen):
        if field.type == "float" and field.name not in at_start:
            assert record[field.name] == getattr(chosen, field.name), field.name


# --- drivers ------------------------------------------------------------------------------------
@pytest.mark.parametrize("batch", [1, 2, 7, 24, 60])
def test_any_batch_is_the_same_run(batch, whole_run):
    """A generation is drawn from one state: nothing depends on how it is handed out."""
    engine = engine_for()
    drive(engine, batch, told=lambda n: [n // 3, n - n // 3])
    assert_same_state(engine.state, whole_run.state)
    fused = engine_for()
    fused.run(batch=batch)
    assert_same_state(fused.state, whole_run.state)


def test_a_whole_generation_can_be_asked_at_once():
    engine = Engine(PROBLEM, preset("ude-iv"), 1000, 1)
    assert len(engine.ask(500)) == 100
    engine.tell(np.zeros(100), np.zeros((100, 1)))
    assert len(engine.ask(500)) == 150
    assert len(engine.ask(1)) == len(engine.ask(1, ahead=True)) == 0
    engine.tell(np.zeros(150), np.zeros((150, 1)))
    assert engine.generation == 1 and len(engine.ask(1)) == 1


def test_bound_calls_are_the_fused_run(whole_run):
    engine = engine_for()
    f, g, h = np.empty(9), np.empty((9, PROBLEM.n_ineq)), np.empty((9, PROBLEM.n_eq))
    point = engine.ask(1)[0]
    tell_ask = engine.bound_tell_ask(g[0], h[0], point)
    answers = [1]
    while answers[-1]:
        f[:1], g[:1], h[:1] = PROBLEM.evaluate(point[None])
        answers.append(tell_ask(float(f[0])))
    assert_same_state(engine.state, whole_run.state)
    assert answers.count(2) == engine.generation + 1
    engine = engine_for()
    points = np.empty((9, PROBLEM.dim))
    tell_ask_rows = engine.bound_tell_ask_rows(f, g, h, points)
    n = tell_ask_rows(0, 0)
    while n:
        f[:n], g[:n], h[:n] = PROBLEM.evaluate(points[:n])
        n = abs(tell_ask_rows(n, 0))
    assert_same_state(engine.state, whole_run.state)


def test_results_in_any_order_are_the_same_run(whole_run):
    from rdex.engine.anyorder import AnyOrder

    flight = AnyOrder(engine_for())
    shuffled = np.random.default_rng(4)
    out = []
    while not flight.engine.is_finished:
        asked = flight.ask() if len(out) < 30 else None
        if asked is not None:
            out.append(asked)
            continue
        number, point = out.pop(shuffled.integers(len(out)))
        F, G, H = PROBLEM.evaluate(point[None])
        flight.tell(number, float(F[0]), G[0], H[0])
    assert flight.ask() is None
    with pytest.raises(ValueError, match="point 3 is not out"):
        flight.tell(3, 0.0, np.zeros(1), np.empty(0))
    # When a point is seen depends on the order; what the search makes of it does not.
    seen = ("run.best_at", "run.feasible_at", "trace.f", "trace.phi", "trace.diagnostic")
    assert_same_state(flight.engine.state, whole_run.state, except_for=(*PASSING, *seen))


def test_resumed_at_any_evaluation(tmp_path, whole_run):
    stops = {1, 15, 16, 17, FES - 1, *np.random.default_rng(2).integers(18, FES, 8).tolist()}
    path = tmp_path / "run.npz"
    engine = engine_for()
    for stop in sorted(stops):
        engine.run(stop_at=stop)
        save_state(path, engine.arrays(), {"settings": SMALL.as_dict()})
        engine = engine_for()
        arrays, header = load_state(path)
        engine.restore(arrays)
        assert UdeSettings.from_dict(header["settings"]) == SMALL
    engine.run()
    assert_same_state(engine.state, whole_run.state, except_for=())


def test_saved_between_ask_and_tell(tmp_path, whole_run):
    engine = engine_for()
    engine.run(stop_at=100)
    points = engine.ask(5)
    save_state(tmp_path / "run.npz", engine.arrays(), {})
    engine = engine_for()
    arrays, _ = load_state(tmp_path / "run.npz")
    engine.restore(arrays)
    np.testing.assert_array_equal(engine.outstanding(), points)
    engine.run()
    assert_same_state(engine.state, whole_run.state)


@pytest.mark.parametrize("stop", [5, 16, 30, 77])
def test_injected_points_count_and_do_not_disturb_the_generation(stop):
    engine = engine_for()
    engine.run(stop_at=stop)
    made = engine.state.run["made"][0]
    for _ in range(60):  # more than a generation of numbers
        engine.inject(np.zeros(5), 0.0, np.array([-1.0]), np.empty(0))
    assert engine.nfev == engine.n_asked == stop + 60
    assert (engine.best.f, engine.best.phi) == (0.0, 0.0)
    if stop >= 16:
        assert engine.state.run["made"][0] == made
        assert (engine.state.members.f[: engine.n] == 0.0).any()
    generation = engine.generation
    missing = SMALL.trials - engine.state.run["done"][0]
    engine.run(stop_at=engine.nfev + missing)
    assert engine.generation == generation + 1


# --- edges --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["ude-iv", "ude-iii"])
@pytest.mark.parametrize("d", [1, 2, 7])
def test_no_constraints(name, d):
    engine = finished(problem(sphere, d), preset(name), budget(6000))
    assert engine.best.phi == 0.0 and engine.eps == 0.0 and engine.first_feasible == 1
    assert engine.best.f < (1e-2 if IS_COMPILED else 5.0)


@pytest.mark.compiled
def test_equalities_and_inequalities_are_solved():
    best = finished(problem(plane, 2, n_eq=1), preset("ude-iv"), 6000).best
    assert best.phi == 0.0 and abs(best.f - 0.875) < 1e-2
    best = finished(problem(lens, 2, n_ineq=2), preset("ude-iv"), 6000).best
    assert best.phi == 0.0 and (best.g <= 0.0).all()


@pytest.mark.parametrize("maxfev", [1, 50, 99, 100, 101, 249, 251])
def test_budgets_below_and_around_the_first_generation(maxfev):
    engine = finished(PROBLEM, preset("ude-iv"), maxfev)
    assert engine.nfev == engine.n_asked == maxfev
    assert engine.generation == (maxfev >= 250)
    assert engine.state.trace.f[-1] == engine.best.f


@pytest.mark.parametrize("data", [
    (math.nan, -1.0), (math.inf, -1.0), (-math.inf, -1.0), (0.0, math.nan), (0.0, math.inf),
    (math.nan, math.nan),
])  # fmt: skip
@pytest.mark.parametrize("scale", ["none", "auto"])
def test_everything_failed(data, scale):
    engine = finished(problem(constant, 2, n_ineq=1, n_eq=1, data=data), SMALL, 200,
                      limits=Limits(scale=scale, eq_tol=2.0))  # fmt: skip
    assert engine.n_failed == engine.nfev == 200
    assert (engine.best.f, engine.best.phi) == (math.inf, math.inf)
    assert engine.eps == 0.0 and engine.state.run["archived"][0] == 0
    assert np.isfinite(engine.state.learnt.cells).all()
    assert np.isfinite(engine.state.members.x).all()


def test_the_goal_stops_a_run():
    engine = Engine(problem(sphere, 2), preset("ude-iv"), 50_000, 1, goal=1.0)
    engine.run()
    assert engine.is_goal_reached and engine.nfev < 2000


# --- properties ---------------------------------------------------------------------------------
VARIANTS = [
    SMALL,
    variant("ude-iv", n0=12),
    variant("ude-iv", n0=8, top_share=1.0, stagnation=0, stagnated_share=0.0, spread=0.0),
    variant("ude-iii", n0=20, top_share=0.0, ranked="abc", ranked_pbest="bc", F_cauchy=1.0),
]
EXAMPLES = 20 if IS_COMPILED else 6
ends = st.one_of(
    st.tuples(st.floats(-8e307, 8e307), st.floats(-8e307, 8e307)).map(sorted),
    st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted),
    st.floats(-1e5, 1e5).map(lambda at: [at, at]),
)


@settings(max_examples=EXAMPLES)
@given(st.lists(ends, min_size=1, max_size=4), st.sampled_from(VARIANTS), st.integers(0, 2**32))
def test_no_point_is_ever_evaluated_outside_its_bounds(box, chosen, seed):
    lower, upper = np.array(box).T
    seen = []

    def rows(X):
        seen.append(X.copy())
        return np.sin(X).sum(1), np.sin(3 * X[:, :1]), np.empty((len(X), 0))

    engine = Engine(Problem(lower, upper, n_ineq=1, rows=rows), chosen, 200, seed)
    drive(engine, 5)
    everything = np.vstack(seen)
    assert everything.shape == (200, len(box))
    assert (everything >= lower).all() and (everything <= upper).all()


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(sorted(KINDS)), st.sampled_from(VARIANTS), st.integers(0, 2**32))
def test_what_holds_after_every_generation(kind, chosen, seed):
    engine = Engine(KINDS[kind], chosen, budget(400), seed)
    state, n = engine.state, chosen.n0
    while engine.run(stop_at_generation=True):
        assert sorted(state.ranks.pool) == list(range(n))
        assert sorted(state.ranks.store) == list(range(n, 3 * n))
        archive = state.ranks.store[: state.run["archived"][0]]
        assert len(archive) <= n
        for rows in (state.ranks.pool, archive):
            keys = [(state.members.phi[r], state.members.f[r], r) for r in rows.tolist()]
            assert keys == sorted(keys)
        assert (state.members.phi[archive] < math.inf).all()
        assert ((state.learnt.cells >= 0) & (state.learnt.cells <= 1)).all()
        assert 0 < state.run["up_to_1"][0] < state.run["up_to_2"][0] < 1
        if engine.generation:
            column = state.learnt.tally[:, (engine.generation - 1) % chosen.learning_period]
            if engine.generation % chosen.learning_period:
                assert column.sum() == n + chosen.top  # each target once, each preselection once
        assert engine.best.phi <= state.members.phi[state.ranks.pool[0]] or engine.n_failed
    assert engine.is_finished
