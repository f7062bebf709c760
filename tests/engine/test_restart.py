"""A population that has settled makes room for another; `test_twin` has the rule itself."""

import numpy as np
import part_kernels as parts
import pytest
from engine_problems import KINDS
from runs import assert_same_state, budget, drive, finished, for_parts, quiet, variant
from test_anyorder import flight_of, fly

from rdex.engine.engine import Engine
from rdex.engine.files import load_state, save_state
from rdex.engine.kernels import layout
from rdex.engine.state import record, settings_record

pytestmark = quiet

PROBLEM = KINDS["lens-2"]
HASTY = variant(n0=8, restart_after=1.05, perturb_probability=0.0, F_sigma=0.0, start_SR=0.1)
RACING = variant("rde26", n0=8, restart_after=1.05, perturb_probability=0.0)
FES = budget(3000)


@pytest.fixture(scope="module")
def whole():
    engine = finished(PROBLEM, HASTY, FES, 3)
    assert engine.n_restarts >= 2
    return engine


def test_asked_and_told_or_in_slices_it_is_one_run(whole):
    asked = Engine(PROBLEM, HASTY, FES, 3)
    drive(asked)
    sliced = Engine(PROBLEM, HASTY, FES, 3)
    for stop in range(0, FES + 1, 7):
        sliced.run(stop_at=stop)
    sliced.run()
    assert_same_state(asked.state, whole.state)
    assert_same_state(sliced.state, whole.state)


def test_the_best_and_the_trace_are_the_runs(whole):
    phi, f = whole.state.trace.phi, whole.state.trace.f
    pairs = list(zip(phi, f, strict=True))
    assert pairs == sorted(pairs, reverse=True)
    assert (whole.best.phi, whole.best.f) == pairs[-1]


def test_the_next_population_is_a_new_run_with_what_is_left():
    engine = Engine(PROBLEM, HASTY, FES, 3)
    while not engine.n_restarts:
        engine.run(stop_at_generation=True)
    began, state = engine.nfev, engine.state
    assert engine.n == 8 and not state.run["ready"][0]
    assert np.isinf(state.members.f[:8]).all()
    assert (state.memory == [[HASTY.memory_F], [HASTY.memory_CR]]).all()
    settings, run = for_parts(state.settings), for_parts(state.run)
    for share in (0.0, 0.5, 1.0):
        assert parts.progress(began + share * (FES - began), settings, run) == share
    first = state.members.x[:8, :2].copy()
    engine.run(stop_at=began + 8)
    assert engine.n == 8 and state.run["ready"][0]
    assert np.array_equal(state.members.x[:8, :2], first) and np.isfinite(state.members.f[:8]).all()


def test_after_a_restart_time_counts_from_there():
    settings = for_parts(settings_record(HASTY, n0=8, maxfev=1000, checkpoints=10))
    run = for_parts(record(layout.RUN, clock=0.7, clock_since=0.4, since=900))
    assert parts.progress(900.0, settings, run) == pytest.approx(0.5)
    assert parts.progress(990.0, settings, run) == pytest.approx(0.9)


@pytest.mark.parametrize("extra", [0, 3, 8, 30])
def test_saved_while_the_next_population_begins(tmp_path, extra, whole):
    engine = Engine(PROBLEM, HASTY, FES, 3)
    while not engine.n_restarts:
        engine.run(stop_at_generation=True)
    engine.run(stop_at=engine.nfev + extra)
    save_state(tmp_path / "run.npz", engine.arrays(), {})
    other = Engine(PROBLEM, HASTY, FES, 99)
    arrays, _ = load_state(tmp_path / "run.npz")
    other.restore(arrays)
    other.run()
    assert_same_state(other.state, whole.state)


@pytest.mark.parametrize(("settings", "in_flight"), [
    (HASTY, 5), (RACING, 2), pytest.param(HASTY, 2, marks=pytest.mark.slow),
    pytest.param(RACING, 5, marks=pytest.mark.slow),
])  # fmt: skip
def test_results_in_any_order(settings, in_flight):
    """What is out when a population ends comes too late for it: it is told, and nothing is lost."""
    ends = []
    for _ in range(2):
        seen = []
        flight = flight_of(settings, 4 * FES, on=PROBLEM)
        fly(flight, in_flight, np.random.default_rng(5), seen=seen)
        ends.append(flight.engine)
    assert flight.engine.n_restarts >= 1
    assert sorted(number for number, _ in seen) == list(range(4 * FES))
    assert flight.n_out == 0 and flight.engine.nfev == flight.engine.n_asked
    assert_same_state(ends[0].state, ends[1].state, except_for=())
    f, g, _ = PROBLEM.evaluate(np.array([x for _, x in seen]))
    assert flight.engine.best.f == f[(g <= 0).all(1)].min()


def test_a_larger_budget_after_a_restart():
    engine = finished(PROBLEM, HASTY, FES, 3)
    engine.extend(2 * FES)
    since = engine.state.run["since"][0]
    t = (FES - since) / (2 * FES - since)
    assert engine.n == max(4, int(8 - 4 * t))
    engine.run()
    assert engine.is_finished


def test_none_without_the_rule():
    assert finished(PROBLEM, HASTY.replace(restart_after=0.0), FES, 3).n_restarts == 0


@pytest.mark.parametrize(("left", "expected"), [(15, 0), (16, 1)])
def test_initial_points_and_a_generation_must_be_left(left, expected):
    engine, ends = Engine(PROBLEM, HASTY, FES, 3), [0]
    while not engine.n_restarts:
        engine.run(stop_at_generation=True)
        ends.append(engine.nfev)
    again = Engine(PROBLEM, HASTY, FES, 3)
    again.run(stop_at=ends[-2])
    again.state.settings["maxfev"][0] = ends[-1] + left  # known only in the last generation
    again.run(stop_at=ends[-1])
    assert again.n_restarts == expected


def test_members_within_a_billionth_of_the_box_have_settled():
    box = np.zeros((6, 8))
    box[layout.UPPER, :2] = 100.0, 1.0
    x = np.zeros((3, 8))
    x[2, 0] = 0.9e-7
    assert parts.is_settled(x, 3, 2, box)
    x[2, 0] = 1.1e-7
    assert not parts.is_settled(x, 3, 2, box) and parts.is_settled(x, 2, 2, box)
    box[layout.MAPPING, 0] = layout.WHOLE
    x[:, 0] = 2.6, 3.4, 3.0
    assert parts.is_settled(x, 3, 2, box)
    x[2, 0] = 3.6
    assert not parts.is_settled(x, 3, 2, box)
