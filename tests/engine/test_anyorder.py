"""Results in any order: the ring stays whole, nothing is lost, and a budget can grow."""

import heapq

import numpy as np
import pytest
from engine_problems import lens, plane, problem
from runs import assert_same_state, budget, finished, quiet, variant

from rdex.engine.anyorder import AnyOrder
from rdex.engine.engine import Engine
from rdex.engine.files import load_state, save_state
from rdex.engine.state import Limits

pytestmark = quiet

LENS = problem(lens, 4, n_ineq=2)
RACING = variant("rde26", n0=30)
PLAIN = variant(n0=30)


def fly(flight, in_flight, rng, until=None, seen=None, out=None):
    """Advance with a virtual clock: every evaluation takes its own time; what is still out."""
    engine = flight.engine
    goal = engine.maxfev if until is None else until
    now, out = (0.0, []) if out is None else out
    while engine.nfev < goal:
        while flight.n_out < in_flight:
            asked = flight.ask()
            if asked is None:
                break
            heapq.heappush(out, (now + rng.lognormal(), asked[0], asked[1].tobytes()))
        now, number, data = heapq.heappop(out)
        x = np.frombuffer(data)
        f, g, h = engine.problem.evaluate(x[None, :])
        if seen is not None:
            seen.append((number, x))
        flight.tell(number, f[0], g[0], h[0])
    return now, out


def flight_of(settings, maxfev, seed=3, capacity=64, on=LENS, **options):
    return AnyOrder(Engine(on, settings, maxfev, seed, capacity=capacity, **options))


@pytest.mark.parametrize("settings", [PLAIN, RACING])
def test_one_point_at_a_time_is_the_immediate_run(settings):
    maxfev = budget(900)
    flight = flight_of(settings, maxfev)
    fly(flight, 1, np.random.default_rng(0))
    if settings is PLAIN:
        assert_same_state(flight.engine.state, finished(LENS, settings, maxfev, 3).state)
    assert flight.engine.is_finished and flight.n_out == 0


@pytest.mark.parametrize("settings", [PLAIN, RACING])
@pytest.mark.parametrize("in_flight", [2, 7, 25])
def test_every_point_is_told_once_and_a_run_repeats_itself(settings, in_flight):
    maxfev = budget(600)
    runs = []
    for _ in range(2):
        seen = []
        flight = flight_of(settings, maxfev, limits=Limits(scale="auto"))
        fly(flight, in_flight, np.random.default_rng(5), seen=seen)
        runs.append((flight.engine.state, seen))
    numbers = [number for number, _ in seen]
    assert sorted(numbers) == list(range(maxfev)) and numbers != sorted(numbers)
    assert_same_state(runs[0][0], runs[1][0], except_for=())
    state = flight.engine.state
    assert state.run["told"][0] == state.run["asked"][0] == maxfev
    assert flight.engine.first_feasible
    x = np.array([x for _, x in seen])
    assert ((x >= LENS.lower) & (x <= LENS.upper)).all()
    f, g, _ = LENS.evaluate(x)
    feasible = (g <= 0).all(1)
    assert flight.engine.best.f == f[feasible].min()


def test_the_population_is_made_of_the_first_to_come_back():
    flight = flight_of(PLAIN, 200)
    seen = []
    fly(flight, 8, np.random.default_rng(1), until=30, seen=seen)
    state = flight.engine.state
    assert state.run["ready"][0] == 1 and flight.engine.n == 30
    assert np.array_equal(state.members.x[:30, : LENS.dim], [x for _, x in seen])
    assert flight.engine.n_asked == 37  # seven more were drawn while the slowest were awaited


def test_members_of_the_population_that_come_late_enter_if_they_are_good():
    flight = flight_of(PLAIN, 200)
    out = [flight.ask() for _ in range(33)]
    assert all(out) and flight.n_out == 33
    for number, _ in out[3:]:
        flight.tell(number, 1.0, np.zeros(2), np.empty(0))
    assert flight.engine.state.run["ready"][0] == 1
    flight.tell(0, -5.0, np.zeros(2), np.empty(0))
    flight.tell(1, 5.0, np.zeros(2), np.empty(0))
    state = flight.engine.state
    members = state.members.f[: flight.engine.n]
    assert -5.0 in members and 5.0 not in members and flight.engine.nfev == 32


@pytest.mark.parametrize("settings", [PLAIN, RACING])
@pytest.mark.parametrize("at", [10, 29, 31, 100, 333])
def test_saved_and_read_back_anywhere(tmp_path, settings, at):
    maxfev = budget(1200)
    whole = flight_of(settings, maxfev)
    rng = np.random.default_rng(2)
    out = fly(whole, 6, rng, until=at)
    save_state(tmp_path / "run.npz", whole.engine.arrays(), {"numbers": whole.numbers_out})
    held = dict(whole._held)
    words = rng.bit_generator.state
    fly(whole, 6, rng, out=(out[0], list(out[1])))

    engine = Engine(LENS, settings, maxfev, 99, capacity=64)
    arrays, header = load_state(tmp_path / "run.npz")
    engine.restore(arrays)
    again = AnyOrder(engine, header["numbers"])
    known = {number for number, _ in again.outstanding()}
    assert known == {number for _, number, _ in out[1]} | set(held)
    for number, values in held.items():  # came back before, and waited for its partner
        again.tell(number, *values)
    rng.bit_generator.state = words
    fly(again, 6, rng, out=(out[0], list(out[1])))
    assert_same_state(engine.state, whole.engine.state)


def test_races_wait_for_both():
    flight = flight_of(variant("rde26", n0=10, race_feasible_share=0.0, race_target_share=1.0,
                               race_until=1.0), 400)  # fmt: skip
    for _ in range(10):
        number, _x = flight.ask()
        flight.tell(number, 1.0 + number, -np.ones(2), np.empty(0))
    first, second, third = flight.ask()[0], flight.ask()[0], flight.ask()[0]
    assert flight.n_out == 3
    flight.tell(first, 0.5, -np.ones(2), np.empty(0))
    assert flight.engine.nfev == 10 and flight.n_out == 2
    assert sorted(flight.numbers_out) == [first, second, third]
    flight.tell(second, 0.4, -np.ones(2), np.empty(0))
    assert flight.engine.nfev == 12 and flight.engine.best.f == 0.4
    flight.tell(third, 0.3, -np.ones(2), np.empty(0))  # its partner is not even drawn
    assert flight.engine.nfev == 12 and flight.n_out == 0
    fourth = flight.ask()[0]
    flight.tell(fourth, 2.0, -np.ones(2), np.empty(0))
    assert flight.engine.nfev == 14 and flight.numbers_out == []


def test_the_ring_and_the_budget_limit_what_is_out():
    flight = flight_of(PLAIN, 200, capacity=10)
    assert sum(flight.ask() is not None for _ in range(20)) == 9
    flight = flight_of(PLAIN, 6, capacity=10)
    assert sum(flight.ask() is not None for _ in range(20)) == 6
    with pytest.raises(ValueError, match="point 77 is not out"):
        flight.tell(77, 1.0, np.zeros(2), np.empty(0))


def test_wrong_numbers_are_named():
    engine = Engine(LENS, PLAIN, 100, 1, capacity=10)
    engine.ask(3)
    with pytest.raises(ValueError, match="expected the numbers of 3 points, got 1"):
        AnyOrder(engine, [0])


@pytest.mark.parametrize("settings", [PLAIN, RACING])
@pytest.mark.parametrize("told", [12, 31, 200, 600])
def test_a_run_goes_on_with_a_larger_budget(settings, told):
    on = problem(plane, 3, n_eq=1)
    engine = Engine(on, settings, 600, 4, checkpoints=30)
    engine.run(told)
    best, f, phi = engine.best, engine.state.trace.f.copy(), engine.state.trace.phi.copy()
    before = [row.tobytes() for row in engine.state.members.x[: 3 * 30]]
    n = engine.n
    engine.extend(2400)
    assert engine.nfev == told and engine.n >= n and engine.maxfev == 2400
    if told == 600:
        assert engine.n == int(30 + (4 - 30) * 0.25)
    state = engine.state
    assert [row.tobytes() for row in state.members.x[: 3 * 30]] == before
    members = np.concatenate([state.ranks.front[: engine.n], state.ranks.pool[: engine.n]])
    assert len(set(members.tolist())) == 2 * engine.n
    due = int(told // 80)
    kept = [4 * k for k in range(1, due + 1)]
    assert np.array_equal(state.trace.f[1 : due + 1], f[kept])
    assert np.array_equal(state.trace.phi[1 : due + 1], phi[kept])
    engine.run()
    assert engine.nfev == 2400 and np.isfinite(state.trace.f[1:]).all()
    assert (engine.best.phi, engine.best.f) <= (best.phi, best.f)
    with pytest.raises(ValueError, match="at least 2400 evaluations, got 100"):
        engine.extend(100)


@pytest.mark.parametrize("told", [12, 130, 250, 600])
def test_a_run_of_ude_goes_on_with_a_larger_budget(told):
    engine = Engine(problem(plane, 3, n_eq=1), variant("ude-iv", n0=40), 600, 4, checkpoints=30)
    engine.run(told)
    engine.ask(3)
    best, out = engine.best, engine.n_asked
    engine.extend(2400)
    assert (engine.nfev, engine.n_asked, engine.maxfev) == (told, out, 2400)
    engine.run(told + 60)  # into the next generation, which has the new schedule
    generations = 2400 // engine.settings.trials
    run = engine.state.run[0]
    tau = engine.generation / generations
    assert tau < 0.5 and run["eps_0"] > 0
    if engine.state.run["ready"][0]:
        assert engine.eps == pytest.approx(run["eps_0"] * (1 - tau) ** run["eps_cp"], rel=1e-12)
    engine.run()
    assert engine.nfev == 2400 and np.isfinite(engine.state.trace.f[1:]).all()
    assert (engine.best.phi, engine.best.f) <= (best.phi, best.f) and engine.eps == 0.0
