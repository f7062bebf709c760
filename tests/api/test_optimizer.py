"""`Optimizer`: ask and tell in every order, kept and continued, equal to `minimize`."""

import json

import numpy as np
import pytest
from problems import BOX, one_call, same_run, simulator

from rdex import Optimizer, minimize
from rdex.common.errors import RunFileError

COUNTS = {"n_ineq": 1, "n_eq": 1}


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
