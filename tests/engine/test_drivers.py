"""One run, whichever way it is driven: fused, asked and told, cut into slices."""

import copy
import gc
import weakref

import numpy as np
import pytest
from engine_problems import KINDS
from runs import IS_COMPILED, assert_same_state, budget, drive, finished, quiet, variant

from rdex.engine.engine import Engine, default_batch, next_slice
from rdex.engine.presets import PRESETS, preset
from rdex.engine.state import flattened

pytestmark = quiet

RACING = variant("rde26", race_target_share=0.5, race_until=1.0, race_feasible_share=0.0)
SETTINGS = {**PRESETS, "racing": RACING}
PROBLEM = KINDS["holes-5"]
FES = budget(900)


def engine_for(name, **options):
    return Engine(PROBLEM, SETTINGS[name].replace(n0=20), FES, 3, checkpoints=20, **options)


@pytest.fixture(scope="module")
def whole_run():
    """Runs of the fused loop from the first evaluation to the last, by settings."""
    made = {}

    def run(name):
        if name not in made:
            made[name] = engine_for(name)
            made[name].run()
        return made[name]

    return run


@pytest.mark.parametrize("name", SETTINGS)
def test_ask_and_tell_one_by_one_is_the_fused_run(name, whole_run):
    engine = engine_for(name)
    drive(engine, batch=1)
    assert_same_state(engine.state, whole_run(name).state)


@pytest.mark.parametrize("capacity", [2, 3, 64])
@pytest.mark.parametrize("name", SETTINGS)
def test_tell_ask_is_the_fused_run(name, capacity, whole_run):
    engine = engine_for(name, capacity=capacity)
    point, g, h = engine.ask(1)[0], np.empty(PROBLEM.n_ineq), np.empty(PROBLEM.n_eq)
    tell_ask = engine.bound_tell_ask(g, h, point)
    generations, answer = 0, 1
    while answer:
        F, G, H = PROBLEM.evaluate(point[None])
        g[:], h[:] = G[0], H[0]
        answer = tell_ask(float(F[0]))
        generations += answer == 2
    assert engine.is_finished
    assert_same_state(engine.state, whole_run(name).state)
    assert generations in (engine.generation, engine.generation + 1)  # + 1: the initial points


@pytest.mark.parametrize("name", ["rdex-csop", "ude-iv"])
def test_a_copy_goes_on_by_itself(name, whole_run):
    engine = engine_for(name)
    for _ in range(3):
        points = engine.ask(4)
        engine.tell(*PROBLEM.evaluate(points))
    other = copy.deepcopy(engine)
    before = other.arrays()
    drive(engine, batch=4)
    for label, array in before.items():
        np.testing.assert_array_equal(array, other.arrays()[label], err_msg=label)
    drive(other, batch=4)
    assert_same_state(other.state, engine.state)


def bound_rows(engine, rows):
    """A bound call for batches of up to `rows`, and the arrays it is bound to."""
    f, g, h = np.empty(rows), np.empty((rows, PROBLEM.n_ineq)), np.empty((rows, PROBLEM.n_eq))
    points = np.empty((rows, PROBLEM.dim))
    return engine.bound_tell_ask_rows(f, g, h, points), f, g, h, points


@pytest.mark.parametrize("batch", [1, 4, 0])
def test_bound_batches_are_asking_and_telling(batch):
    engine, plain = engine_for("racing"), engine_for("racing")
    tell_ask_rows, f, g, h, points = bound_rows(engine, 9)
    n = tell_ask_rows(0, batch)
    while n:
        asked = plain.ask(min(batch or default_batch(plain.n), 9))
        np.testing.assert_array_equal(points[:n], asked)
        f[:n], g[:n], h[:n] = PROBLEM.evaluate(asked)
        plain.tell(f[:n], g[:n], h[:n])
        generation = engine.generation
        answer = tell_ask_rows(n, batch)
        if answer and generation:  # the initial points are no generation
            assert (answer < 0) == (engine.generation > generation)
        n = abs(answer)
    assert engine.is_finished
    assert_same_state(engine.state, plain.state)


def test_a_bound_call_keeps_its_arrays():
    engine = engine_for("rdex-csop")
    call, *arrays = bound_rows(engine, 9)
    kept = [weakref.ref(array) for array in (*flattened(engine.state).values(), *arrays)]
    del engine, arrays
    gc.collect()
    assert all(array() is not None for array in kept)
    assert call(0, 4) == 4


@pytest.mark.skipif(not IS_COMPILED, reason="tables are for compiled code")
def test_arrays_of_another_kind_cannot_be_bound():
    engine = engine_for("rdex-csop")
    _, f, g, h, points = bound_rows(engine, 9)
    with pytest.raises(TypeError, match="expected arrays of the types"):
        engine.bound_tell_ask_rows(f.astype(np.float32), g, h, points)
    with pytest.raises(TypeError, match="expected arrays of the types"):
        engine.bound_tell_ask_rows(f, g, h, np.asfortranarray(points))


@pytest.mark.parametrize("capacity", [2, 3, 5])
def test_a_small_ring_of_pending_rows_will_do(capacity, whole_run):
    engine = engine_for("racing", capacity=capacity)
    drive(engine, batch=1)
    assert_same_state(engine.state, whole_run("racing").state)


@pytest.mark.parametrize("name", ["rdex-csop", "racing"])
@pytest.mark.parametrize("batch", [3, 8])
def test_the_way_rows_are_told_does_not_matter(name, batch):
    together, singly, uneven = (engine_for(name) for _ in range(3))
    drive(together, batch)
    drive(singly, batch, told=lambda n: [1] * n)
    drive(uneven, batch, told=lambda n: [n // 3, n - n // 3])
    assert together.is_finished
    assert_same_state(together.state, singly.state, except_for=())
    assert_same_state(together.state, uneven.state, except_for=())


def test_a_batch_is_another_run_than_single_points(whole_run):
    engine = engine_for("rdex-csop")
    drive(engine, batch=8)
    assert engine.state.random.tolist() != whole_run("rdex-csop").state.random.tolist()


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("step", [1, 7, 64])
def test_slices_are_the_whole_run(name, step, whole_run):
    engine = engine_for(name)
    while not engine.is_finished:
        before = engine.nfev
        engine.run(stop_at=before + step)
        assert engine.nfev == min(before + step, FES)
    assert_same_state(engine.state, whole_run(name).state, except_for=())


def test_slices_follow_the_time_they_take():
    assert next_slice(1000, elapsed=0.1, seconds=0.05) == 500
    assert next_slice(10, elapsed=0.0, seconds=0.05) == 1000  # no more than 100 times as many
    assert next_slice(10, elapsed=10.0, seconds=0.05) == 1
    assert next_slice(10**7, elapsed=1e-9, seconds=0.05) == 10**7


def test_a_run_goes_on_after_any_generation(whole_run):
    engine = engine_for("rde26")
    while engine.nfev < 60:
        assert engine.run(stop_at_generation=True)
    assert engine.nfev < FES
    engine.run()
    assert_same_state(engine.state, whole_run("rde26").state, except_for=())


def test_drivers_can_take_turns(whole_run):
    engine = engine_for("racing")
    for stop in range(50, FES, 100):
        engine.run(stop_at=stop)
        drive(engine, until=min(stop + 37, FES))
    engine.run()
    assert_same_state(engine.state, whole_run("racing").state)


@pytest.mark.parametrize("batch", [2, 5, 0])
@pytest.mark.parametrize("name", SETTINGS)
def test_the_fused_loop_in_batches_is_ask_and_tell_in_batches(name, batch):
    fused, asked = engine_for(name), engine_for(name)
    fused.run(stop_at=101, batch=batch)  # in the middle of a batch
    fused.run(batch=batch)
    while not asked.is_finished:
        points = asked.ask(batch or default_batch(asked.n))
        asked.tell(*asked.problem.evaluate(points))
    assert_same_state(fused.state, asked.state)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_batch_ends_with_the_start_the_generation_and_the_budget(name):
    engine = engine_for(name)
    assert len(engine.ask(60)) == 20
    assert len(engine.ask(60)) == 0
    drive_outstanding(engine, 20)
    while not engine.is_finished:
        generation = engine.generation
        points = engine.ask(60)
        assert 0 < len(points) <= FES - engine.nfev
        drive_outstanding(engine, len(points))
        assert engine.generation <= generation + 1
    assert engine.nfev == engine.n_asked == FES
    assert len(engine.ask(5)) == 0


def drive_outstanding(engine, n):
    """Tell results of n rows that depend on their number alone."""
    numbers = np.arange(engine.nfev, engine.nfev + n, dtype=float)
    engine.tell(np.cos(numbers), np.sin(numbers)[:, None], np.empty((n, 0)))


def test_asking_ahead_goes_over_the_end_of_a_generation():
    engine = engine_for("rdex-csop")
    engine.run(stop_at=20)
    assert len(engine.ask(30)) == 10  # half a generation of 20
    assert len(engine.ask(30)) == 0
    assert len(engine.ask(30, ahead=True)) == 30
    drive_outstanding(engine, 20)
    assert engine.generation == 1
    assert engine.state.run["made"][0] == 20  # they count for the generation they are told in
    assert len(engine.ask(1)) == 0
    while engine.nfev < FES:
        drive_outstanding(engine, 1)
        engine.ask(1, ahead=True)
    assert engine.nfev == engine.n_asked == FES
    assert engine.generation > 3


def test_no_more_rows_than_there_is_room_for():
    engine = engine_for("rdex-csop", capacity=4)
    assert len(engine.ask(10)) == 3
    assert len(engine.ask(10)) == 0
    drive_outstanding(engine, 2)
    assert len(engine.ask(10)) == 2


def test_telling_what_was_not_asked_is_refused():
    engine = engine_for("rdex-csop")
    engine.ask(2)
    with pytest.raises(ValueError, match="3 results, but 2 points"):
        engine.tell(np.zeros(3), np.zeros((3, 1)))
    with pytest.raises(ValueError, match=r"expected constraint values of shape \(2, 1\)"):
        engine.tell(np.zeros(2), np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"expected constraint values of shape \(1, 1\)"):
        engine.tell(0.0)
    assert engine.nfev == 0


def test_seeds_decide_and_repeat():
    a, b, c = (finished(PROBLEM, preset("rdex"), 300, seed) for seed in (5, 5, 6))
    assert_same_state(a.state, b.state, except_for=())
    assert a.state.random.tolist() != c.state.random.tolist()


def test_default_batch_is_a_function_of_the_population():
    assert [default_batch(n) for n in (4, 8, 15, 16, 100, 256, 3000)] == [1, 1, 1, 2, 12, 32, 32]


@pytest.mark.parametrize("bad", [0, -5, 2.5, True, "10", None])
def test_bad_budgets_are_named(bad):
    with pytest.raises(ValueError, match="maxfev must be a whole number >= 1"):
        Engine(PROBLEM, preset("rdex"), bad)
    with pytest.raises(ValueError, match="checkpoints must be a whole number >= 1"):
        Engine(PROBLEM, preset("rdex"), 10, checkpoints=bad)


def test_races_do_happen_here(whole_run):
    """Fewer trials are decided than evaluations made."""
    assert whole_run("racing").generation < 0.9 * whole_run("rdex-csop").generation
