"""`Optimizer`: ask and tell in every order, kept and continued, equal to `minimize`."""

import json

import numpy as np
import pytest
from problems import BOX, one_call, same_run, simulator

from rdex import Optimizer, minimize
from rdex.common.errors import RunFileError

COUNTS = {"n_ineq": 1, "n_eq": 1}

#: Every way a search is kept: the state of an engine, or a journal of calls.
KINDS = ["auto", "local", "rdex-csop+local", "rdex-csop", "ude-iv"]


def values(X):
    answers = [one_call(x) for x in X]
    return (
        np.array([a[0] for a in answers]),
        np.array([a[1] for a in answers]).reshape(-1, 1),
        np.array([a[2] for a in answers]).reshape(-1, 1),
    )


def make(**options):
    return Optimizer(BOX, **COUNTS, **{"maxfev": 300, "rng": 6, **options})


def finish(optimizer, n=None):
    while not optimizer.stop:
        X = optimizer.ask(n)
        optimizer.tell(X, *values(X))
    return optimizer.result()


@pytest.mark.parametrize("n", [None, 1, 4, 1000])
@pytest.mark.parametrize("algorithm", ["rdex-csop", "rde26"])
def test_it_is_minimize_at_equal_batch(n, algorithm):
    here = finish(make(algorithm=algorithm), n)
    there = minimize(simulator(), maxfev=300, rng=6, updating="deferred", batch=n,
                     algorithm=algorithm)  # fmt: skip
    assert same_run(here, there)


@pytest.mark.parametrize("seed", range(4))
def test_results_may_come_out_of_order_and_in_parts(seed):
    random = np.random.default_rng(seed)
    optimizer = make()
    while not optimizer.stop:
        X = optimizer.ask(7)
        order = random.permutation(len(X))
        for part in np.array_split(order, random.integers(1, 4)):
            if len(part):
                optimizer.tell(X[part], *values(X[part]))
    result = optimizer.result()
    assert result.nfev == 300 and result.feasible


def in_any_order(optimizer, random, rounds, again=lambda optimizer: optimizer):
    """Ask and tell about half of what is pending, whichever."""
    for _ in range(rounds):
        optimizer.ask(5)
        X = optimizer.pending
        part = random.permutation(len(X))[: max(1, len(X) // 2)]
        if len(part):
            optimizer.tell(X[part], *values(X[part]))
        optimizer = again(optimizer)
    return optimizer


@pytest.mark.parametrize("algorithm", KINDS[1:])
@pytest.mark.parametrize("seed", range(3))
def test_members_keep_their_own_values_in_any_order(algorithm, seed):
    """The value of an initial point was given to the point in whose place another had come."""
    random = np.random.default_rng(seed)
    optimizer = make(algorithm=algorithm, maxfev=60)
    for _ in range(12):
        in_any_order(optimizer, random, 1)
        result = optimizer.result()
        if len(result.population):
            assert np.array_equal(values(result.population)[0], result.population_energies)


@pytest.mark.parametrize("algorithm", KINDS)
def test_kept_at_any_time_in_any_order(algorithm):
    """Such a state was refused: "damaged: initial points"."""

    def again(optimizer):
        fresh = make(algorithm=algorithm, maxfev=maxfev, rng=None)
        fresh.load_state_dict(optimizer.state_dict())
        assert np.array_equal(fresh.pending, optimizer.pending)
        return fresh

    maxfev = 20 if algorithm == "auto" else 60
    rounds = 8 if algorithm == "auto" else 24
    kept, plain = (
        in_any_order(make(algorithm=algorithm, maxfev=maxfev), np.random.default_rng(5), rounds, f)
        for f in (again, lambda optimizer: optimizer)
    )
    assert same_run(kept.result(), plain.result())
    assert np.array_equal(kept.pending, plain.pending)


def test_a_race_waits_for_a_partner_that_comes_late():
    """The row of the result that waits was used for another point."""
    optimizer = make(algorithm="rde26", maxfev=600)
    engine = optimizer._searching.standing
    while True:  # until a result taken in order waits for its partner
        trial = optimizer.ask_trials(1)[0]
        f, g, h = one_call(trial.x)
        optimizer.tell_trial(trial.id, f, [g], [h])
        row = (engine.nfev - 1) % engine.capacity
        if engine.state.run[0]["race_owed"] == row:
            break
    late = optimizer.ask_trials(1)[0]
    kept = engine.state.members.f[3 * engine.n0 + row]
    for _ in range(400):
        trials = optimizer.ask_trials(3)
        for trial in reversed(trials):
            f, g, h = one_call(trial.x)
            optimizer.tell_trial(trial.id, f, [g], [h])
        if not trials:
            break
    assert not optimizer.ask_trials(1) and optimizer.nfev < 600
    assert engine.state.members.f[3 * engine.n0 + row] == kept
    f, g, h = one_call(late.x)
    optimizer.tell_trial(late.id, f, [g], [h])
    assert finish(optimizer, 1).nfev == 600


@pytest.mark.parametrize("algorithm", ["rdex-csop", "rde26"])
def test_nothing_waits_for_a_result_that_never_comes(algorithm):
    optimizer = make(algorithm=algorithm)
    late = optimizer.ask_trials(1)[0]
    asked = 0
    while optimizer.nfev < 290:
        trials = optimizer.ask_trials(5)
        assert trials
        asked += len(trials)
        for trial in reversed(trials):
            f, g, h = one_call(trial.x)
            optimizer.tell_trial(trial.id, f, [g], [h])
    assert np.array_equal(optimizer.pending[0], late.x)
    with pytest.raises(ValueError, match="no pending trial -1"):
        optimizer.tell_trial(-1, 0.0, [[0]], [[0]])


def test_results_are_used_as_they_come():
    optimizer = make()
    X = optimizer.ask(4)
    optimizer.tell(X[1:], *values(X[1:]))
    assert optimizer.nfev == 3 and np.array_equal(optimizer.pending, X[:1])
    optimizer.tell(X[0], *values(X[:1]))
    assert optimizer.nfev == 4 and optimizer.pending.shape == (0, 2)


def test_forgotten_points_count_as_failed():
    optimizer = make()
    X = optimizer.ask(5)
    optimizer.tell(X[3:], *values(X[3:]))
    optimizer.forget(X[:2])
    assert optimizer.nfev == 4
    optimizer.forget(X[2])
    result = optimizer.result()
    assert (result.nfev, result.n_failed) == (5, 3)
    with pytest.raises(ValueError, match=r"X\[0\] is not a pending point"):
        optimizer.forget(X[:1])
    assert finish(optimizer).nfev == 300


def test_equal_rows_are_told_one_by_one():
    optimizer = Optimizer([(0, 1)], integrality=True, maxfev=60, rng=0)
    X = optimizer.ask(6)
    assert len(np.unique(X)) == 2
    ones = X[X[:, 0] == 1]
    optimizer.tell(ones, np.ones(len(ones)))
    assert len(optimizer.pending) == 6 - len(ones)
    zeros = X[X[:, 0] == 0]
    optimizer.forget(zeros[:1])
    optimizer.tell(zeros[1:], np.zeros(len(zeros) - 1))
    assert optimizer.nfev == 6 and optimizer.result().n_failed == 1


@pytest.mark.parametrize("at", [3, 150])
def test_points_of_ones_own_are_injections(at):
    optimizer = make()
    while optimizer.nfev < at:
        X = optimizer.ask(1)
        optimizer.tell(X, *values(X))
    good = finish(make(maxfev=3000)).x
    pending = optimizer.ask(2)
    optimizer.tell(good, *values(good[None, :]))
    assert optimizer.nfev == at  # it waits until nothing is pending
    optimizer.tell(pending, *values(pending))
    assert optimizer.nfev == at + 3
    result = optimizer.result()
    assert np.array_equal(result.x, good) and result.nfev == at + 3
    assert finish(optimizer).nfev == 300


def test_an_injection_outside_the_bounds_is_refused_and_nothing_is_told():
    optimizer = make()
    X = optimizer.ask(1)
    with pytest.raises(ValueError, match="inside the bounds, got x2"):
        optimizer.tell([X[0], [0.0, 9.0]], [1, 2], [[0], [0]], [[0], [0]])
    assert len(optimizer.pending) == 1


@pytest.mark.parametrize(("arguments", "message"), [
    (([[0, 0, 0]], [1]), r"X must have shape \(k, 2\), got \(1, 3\)"),
    (([[0, 0]], [1, 2], [[0]], [[0]]), r"F must have shape \(1,\), got shape \(2,\)"),
    (([[0, 0]], [1], None, [[0]]), r"G must have shape \(1, 1\), got nothing"),
    (([[0, 0]], [1], [[0]], [[0, 1]]), r"H must have shape \(1, 1\), got shape \(1, 2\)"),
])  # fmt: skip
def test_wrong_shapes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make().tell(*arguments)


def test_one_point_may_be_told_plainly():
    one, other = make(), make()
    x = one.ask(1)[0]
    f, g, h = one_call(x)
    one.tell(x, f, g[0], h)
    other.tell(other.ask(1), [f], [g], [h])
    assert same_run(finish(one), finish(other))


def test_ask_is_checked_and_stops():
    with pytest.raises(ValueError, match="n must be a whole number >= 1, got 0"):
        make().ask(0)
    optimizer = make(maxfev=5)
    assert optimizer.ask(9).shape == (4, 2)  # the initial points
    assert optimizer.ask(1).shape == (0, 2)
    finish_all = optimizer.pending
    optimizer.tell(finish_all, *values(finish_all))
    finish(optimizer)
    assert optimizer.stop == "budget" and optimizer.ask(3).shape == (0, 2)


def test_target_stops_and_results_at_any_time_say_so():
    optimizer = make(target=5.0)
    before = optimizer.result()
    assert before.nfev == 0 and before.status == -1 and not before.success
    assert str(before)
    finish(optimizer)
    assert optimizer.stop == "target" and optimizer.result().fun <= 5.0
    assert optimizer.result().nfev < 300 and optimizer.result().status == 1
    assert "nan" not in str(optimizer.result())


@pytest.mark.parametrize("kind", ["state_dict", "file"])
@pytest.mark.parametrize("at", [5, 100])
def test_keeping_and_going_on_changes_nothing(tmp_path, kind, at):
    first = make()
    while first.nfev < at:
        X = first.ask(3)
        first.tell(X, *values(X))
    before = first.nfev
    X = first.ask(4)
    first.tell(X[2:], *values(X[2:]))  # waits
    first.tell([0.5, 0.5], *values(np.array([[0.5, 0.5]])))  # an injection, waits too
    second = make(rng=99)
    if kind == "file":
        first.save(tmp_path / "run.npz")
        second.load(tmp_path / "run.npz")
    else:
        second.load_state_dict(first.state_dict())
    assert np.array_equal(first.pending, second.pending)
    results = []
    for optimizer in (first, second):
        optimizer.tell(X[:2], *values(X[:2]))
        assert optimizer.nfev == before + 5
        results.append(finish(optimizer, 3))
    assert same_run(*results)


def test_the_waiting_part_of_a_state_is_json():
    optimizer = make()
    X = optimizer.ask(2)
    optimizer.tell(X[1:], *values(X[1:]))
    state = optimizer.state_dict()
    text = json.dumps({key: state[key] for key in ("pending", "injected", "facts")})
    fresh = make()
    fresh.load_state_dict({**state, **json.loads(text)})
    assert np.array_equal(fresh.pending, X[:1])


@pytest.mark.parametrize("other", [
    {"maxfev": 301}, {"algorithm": "rde26"}, {"eq_tol": 1e-3}, {"constraint_scale": [1, 2]},
    {"integrality": [0, 1]}, {"checkpoints": 10}, {"target": 0.0},
])  # fmt: skip
def test_a_state_of_other_arguments_is_refused(other):
    with pytest.raises(RunFileError, match="other arguments"):
        make(**other).load_state_dict(make().state_dict())


#: Everything that decides which points a search asks for.
OTHERS = [
    {"maxfev": 61}, {"eq_tol": 1e-3}, {"constraint_scale": [1, 2]}, {"integrality": [0, 1]},
    {"checkpoints": 10}, {"target": 0.0}, {"x0": [1, 1]}, {"init": "sobol"},
    {"bounds": [(-5, 4)] * 2},
]  # fmt: skip


@pytest.mark.parametrize("algorithm", KINDS)
def test_a_state_goes_with_the_arguments_and_the_seed_it_was_made_with(algorithm):
    """A journal was replayed with whatever seed and bounds there were: f of another x."""
    common = {"maxfev": 60, "algorithm": algorithm, **COUNTS}
    first = Optimizer(BOX, rng=np.random.default_rng(4), **common)
    for _ in range(3):
        X = first.ask(4)
        first.tell(X, *values(X))
    state = first.state_dict()
    for rng in (None, 99):
        second = Optimizer(BOX, rng=rng, **common)
        second.load_state_dict(state)
        assert same_run(first.result(), second.result())
        assert values(second.result().x[None, :])[0] == second.result().fun
        assert np.array_equal(second.ask(3), copy_of(first, common).ask(3))
    for other in OTHERS:
        with pytest.raises(RunFileError, match=f"other arguments: .*{next(iter(other))}"):
            Optimizer(**{"bounds": BOX, "rng": 4, **common, **other}).load_state_dict(state)


def copy_of(optimizer, common):
    copy = Optimizer(BOX, **common)
    copy.load_state_dict(optimizer.state_dict())
    return copy


def edited(state):
    """A state with one thing in it that makes no sense, one after another."""
    facts, run = state["facts"], state["run"]
    yield {"injected": [[[9.0, 9.0], 0.0, [0], [0]]]}
    yield {"injected": [[[np.nan, 0.0], 0.0, [0], [0]]]}
    yield {"injected": [[[0.0, 0.0], 0.0, [0] * 50, [0]]]}
    yield {"pending": [[99, [0.0, 0.0]]]}
    yield {"run": None}
    yield {"run": {**run, "entropy": "[" * 10**5}}
    yield {"run": {**run, "entropy": "null"}}
    if "calls" in state:
        for points in (np.zeros((1, 1)), np.zeros((1, 5)), np.full((1, 2), np.nan),
                       np.full((1, 2), 9.0), np.zeros(1), np.zeros((1, 2), int)):  # fmt: skip
            yield {"injections": points}
        yield {"points": state["points"][1:]}
        yield {"points": state["points"] + 1e-9}
        yield {"calls": state["calls"], "clock": np.array([np.nan])}
    else:
        numbers = facts["numbers"]
        for held in ([[numbers[0], 1.0, [0] * 1000, [0]]], [[10**9, 1.0, [0], [0]]], [[1]], "x",
                     [[numbers[0], "f", [0], [0]]]):  # fmt: skip
            yield {"facts": {**facts, "held": held}}
        yield {"facts": {**facts, "numbers": [numbers[0]] * len(numbers)}}
        yield {"facts": {**facts, "numbers": [-5] * len(numbers)}}


@pytest.mark.parametrize("algorithm", KINDS)
def test_a_state_that_is_refused_changes_nothing(algorithm):
    """Some left half of a run behind, some gave the kernels arrays of the wrong length."""
    first = make(algorithm=algorithm, maxfev=40)
    X = first.ask(3)
    first.tell(X, *values(X))
    first.tell([0.5, 0.5], *values(np.array([[0.5, 0.5]])))
    X = first.ask(4)
    first.tell(X[1:3], *values(X[1:3]))
    state = first.state_dict()
    for edit in edited(state):
        second = make(algorithm=algorithm, maxfev=40)
        X = second.ask(2)
        with pytest.raises(RunFileError):
            second.load_state_dict({**state, **edit})
        assert np.array_equal(second.pending, X)
        second.tell(X, *values(X))
        assert second.nfev == len(X)


@pytest.mark.parametrize("algorithm", KINDS)
@pytest.mark.parametrize("n", [41, 10**9, 2**62])
def test_asking_for_more_than_the_budget_is_kept_too(algorithm, n):
    """The file could be written and not be read."""
    first, second = (make(algorithm=algorithm, maxfev=40) for _ in range(2))
    X = first.ask(n)
    first.tell(X, *values(X))
    second.load_state_dict(first.state_dict())
    assert np.array_equal(first.ask(n), second.ask(n))


@pytest.mark.parametrize("algorithm", KINDS)
def test_a_search_that_knows_everything_has_finished(algorithm):
    """`while not optimizer.stop` never ended."""
    lists = {"a": {"categories": ["x", "y"]}, "b": {"choices": [1, 2]}}
    optimizer = Optimizer(lists, maxfev=60, rng=1, algorithm=algorithm)
    for _ in range(60):
        X = optimizer.ask(3)
        optimizer.tell(X, X.sum(axis=1))
        if optimizer.stop:
            break
    assert optimizer.stop == "finished" and optimizer.result().status == 7
    assert optimizer.result().fun == 1.0 and optimizer.nfev < 60
    copy = Optimizer(lists, maxfev=60, rng=1, algorithm=algorithm)
    copy.load_state_dict(optimizer.state_dict())
    assert len(copy.ask(3)) == 0 and copy.stop == "finished"


@pytest.mark.parametrize("algorithm", KINDS)
def test_points_told_beyond_the_budget_are_named(algorithm, caplog):
    """The best of them was dropped without a word."""
    optimizer = make(algorithm=algorithm, maxfev=10)
    X = np.random.default_rng(1).uniform(-5, 5, (25, 2))
    optimizer.tell(X, *values(X))
    assert optimizer.stop == "budget" and optimizer.nfev == 10
    assert "15 points told beyond the budget are left out: raise maxfev" in caplog.text


def test_counts_may_be_numbers_of_numpy(tmp_path):
    """Such a run could not be saved."""
    optimizer = Optimizer(BOX, np.int64(1), np.int32(1), maxfev=np.int64(20), rng=np.int64(6),
                          checkpoints=np.int64(10))  # fmt: skip
    X = optimizer.ask(np.int64(3))
    optimizer.tell(X, *values(X))
    optimizer.save(tmp_path / "run")
    plain = Optimizer(BOX, 1, 1, maxfev=20, checkpoints=10)
    plain.load(tmp_path / "run")
    assert same_run(plain.result(), optimizer.result())


def test_other_counts_and_broken_states_are_refused(tmp_path):
    with pytest.raises(RunFileError, match="other arguments"):
        Optimizer(BOX, n_ineq=2, maxfev=300).load_state_dict(make().state_dict())
    state = make().state_dict()
    del state["engine.memory"]
    with pytest.raises(RunFileError, match="lacks memory"):
        make().load_state_dict(state)
    path = tmp_path / "run.npz"
    make().save(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(RunFileError, match="not a whole run file"):
        make().load(path)


def test_known_points_and_whole_numbers():
    optimizer = Optimizer([(0, 9)] * 2, maxfev=50, rng=0, integrality=[1, 0],
                          x0={"x": [[3, 0.5]], "fun": [1.0]})  # fmt: skip
    assert optimizer.nfev == 1
    X = optimizer.ask(10)
    assert (X[:, 0] % 1 == 0).all()
    assert optimizer.result().fun == 1.0


def test_the_optimizer_never_evaluates():
    with pytest.raises(TypeError, match="does not evaluate"):
        make().problem.evaluate([[0.0, 0.0]])
