"""Workers that never wait: every kind of them, hangs and deaths, exact replay from the log."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from light import BOX, flaky, forbidden, one_call, tilted, uneven
from problems import same_run, simulator

import rdex
from rdex import Problem, minimize
from rdex.common.errors import EvaluationError, LogError

ASYNC = {"updating": "async", "maxfev": 120, "rng": 5}


UNEVEN = Problem.from_function(uneven, BOX, n_ineq=1, n_eq=1, name="uneven")


def refusing(problem):
    """The same problem, which must not be evaluated."""
    return Problem.from_function(forbidden, BOX, n_ineq=1, n_eq=1, name=problem.name)


def is_sound(result):
    """Whether every point of a run was told once, and the best is the best of all."""
    table = result.evaluations
    assert sorted(table.number) == list(range(result.nfev)) and len(table) == result.nfev
    x = table[["x1", "x2"]].to_numpy()
    assert ((x >= -5) & (x <= 5)).all()
    good = table[table.status.isin(["ok", "repeated"])]
    for _, row in good.sample(5, random_state=1).iterrows():
        f, g, h = one_call(np.array([row.x1, row.x2]))
        assert (row.f, [row.g1], [row.h1]) == (f, g, h)
    return True


def test_one_worker_is_the_immediate_run():
    one = minimize(simulator(), maxfev=120, rng=5)
    assert same_run(minimize(simulator(), workers=1, **ASYNC), one)


def test_own_processes():
    result = minimize(UNEVEN, workers=3, **ASYNC)
    assert result.nfev == 120 and result.status == 0 and is_sound(result)
    assert 0 < result.workers_busy <= 1 and len(set(result.evaluations.worker)) == 3
    assert (np.diff(result.evaluations["at"]) >= 0).all()
    assert "busy" in str(result)


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_executors(kind):
    pool = (
        ThreadPoolExecutor(3)
        if kind == "threads"
        else ProcessPoolExecutor(3, mp_context=get_context("spawn"))
    )
    with pool:
        result = minimize(UNEVEN, workers=pool, **ASYNC)
    assert result.nfev == 120 and is_sound(result)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None,
            host="127.0.0.1", local_directory=tmp_path_factory.mktemp("dask"),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        yield client


FLAKY = Problem.from_function(flaky, BOX, n_ineq=1, n_eq=1, name="flaky")
START = {"x0": [1.00003, 1.0]}


#: Seconds of an evaluation; a busy machine may need half a second for one that does not hang.
LIMIT = 2.0


def expected_status(x1):
    return {0: "died", 1: "raised", 2: "timeout"}.get(int(abs(x1) * 1e5) % 20, "ok")


def check_flaky(result):
    table = result.evaluations
    assert result.nfev == len(table) == result.maxfev
    status = table.status.replace("repeated", "ok")
    assert status.tolist() == [expected_status(x1) for x1 in table.x1]
    assert result.n_failed == (status != "ok").sum() > 0
    hung = table[table.status == "timeout"]
    assert len(hung) and (hung.seconds < LIMIT + 10).all() and np.isfinite(result.fun)


@pytest.mark.parametrize("updating", [
    "async", pytest.param("deferred", marks=pytest.mark.slow)
])  # fmt: skip
def test_crashes_and_hangs_of_own_workers(tmp_path, updating):
    options = {**START, "maxfev": 60, "rng": 5, "eval_timeout": LIMIT}
    check_flaky(minimize(FLAKY, workers=3, updating=updating, evaluations=tmp_path / "e.csv",
                         **options))  # fmt: skip


@pytest.mark.filterwarnings("default")  # of Dask and what it brings
def test_dask(client, tmp_path):
    result = minimize(UNEVEN, workers=client, evaluations=tmp_path / "e.csv", **ASYNC)
    assert result.nfev == 120 and is_sound(result)
    again = minimize(refusing(UNEVEN), workers=client, evaluations=tmp_path / "e.csv", **ASYNC)
    assert same_run(again, result)


@pytest.mark.filterwarnings("default")
def test_batches_on_dask_are_those_without(client):
    options = {"maxfev": 120, "rng": 5, "batch": 4}
    alone = minimize(simulator(), **options)
    assert same_run(minimize(simulator(), workers=client, **options), alone)


@pytest.mark.filterwarnings("default")
def test_crashes_and_hangs_on_dask(client):
    result = minimize(FLAKY, workers=client, **START, updating="async", maxfev=60, rng=5,
                      eval_timeout=LIMIT)  # fmt: skip
    check_flaky(result)


def test_a_guarded_executor():
    with ThreadPoolExecutor(3) as pool:
        check_flaky(minimize(FLAKY, workers=pool, **START, updating="async", maxfev=60, rng=5,
                             eval_timeout=LIMIT))  # fmt: skip


def test_a_time_limit_moves_the_function_to_a_process():
    pids = []

    def fun(x):
        pids.append(1)
        return tilted(x)

    result = minimize(fun, BOX, maxfev=30, rng=1, eval_timeout=5.0)
    assert not pids and same_run(result, minimize(tilted, BOX, maxfev=30, rng=1))


@pytest.mark.parametrize("algorithm", ["rdex-csop", "rde26"])
def test_a_run_is_replayed_from_its_log(tmp_path, algorithm):
    path = tmp_path / "e.csv"
    options = {**ASYNC, "maxfev": 300, "algorithm": algorithm, "workers": 4, "evaluations": path}
    first = minimize(UNEVEN, **options)
    data = path.read_bytes()
    numbers = first.evaluations.number.tolist()
    assert numbers != sorted(numbers)
    again = minimize(refusing(UNEVEN), **options)
    assert same_run(again, first) and path.read_bytes() == data
    assert again.evaluations.number.tolist() == numbers


def test_a_torn_file_is_continued(tmp_path):
    path = tmp_path / "e.csv"
    options = {**ASYNC, "workers": 4, "evaluations": path}
    minimize(UNEVEN, **options)
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for size in rng.integers(len(data) // 10, len(data), 2):
        kept = data[:size].rfind(b"\n") + 1
        path.write_bytes(data[:size])
        result = minimize(UNEVEN, **options)
        assert result.nfev == 120 and is_sound(result) and path.read_bytes()[:kept] == data[:kept]


def test_the_number_of_points_out_belongs_to_the_run(tmp_path):
    path = tmp_path / "e.csv"
    minimize(UNEVEN, workers=2, evaluations=path, **ASYNC)
    with pytest.raises(LogError, match="another run: different points out"):
        minimize(UNEVEN, workers=4, batch=5, evaluations=path, **ASYNC)
    for workers in (3, 4):  # of another number of workers it keeps its own
        minimize(refusing(UNEVEN), workers=workers, evaluations=path, **ASYNC)


def test_a_checkpoint_and_a_log_go_together(tmp_path):
    count = 0

    def fun(x):
        nonlocal count
        count += 1
        if count == 60:
            raise KeyboardInterrupt
        return one_call(x)

    def problem(function):
        return Problem.from_function(function, BOX, n_ineq=1, n_eq=1, name="p")

    options = {**ASYNC, "algorithm": "rde26", "checkpoint": tmp_path / "c.npz",
               "evaluations": tmp_path / "e.csv", "batch": 4}  # fmt: skip
    first = minimize(problem(fun), **options)  # evaluated here, four points out
    assert first.status == 5 and (first.evaluations.status == "ok").sum() == 59
    again = minimize(problem(one_call), **options)
    assert again.nfev == 120 and is_sound(again)
    (tmp_path / "c.npz").unlink()
    assert same_run(minimize(refusing(problem(one_call)), **options), again)


def test_interrupts_save_and_return(tmp_path):
    def stop(result):
        if result.nfev > 50:
            raise KeyboardInterrupt

    options = {**ASYNC, "workers": 3, "checkpoint": tmp_path / "c.npz"}
    first = minimize(UNEVEN, callback=stop, **options)
    assert first.status == 5 and 50 < first.nfev < 120
    assert minimize(UNEVEN, **options).nfev == 120


def test_policies_hold():
    def fun(x):
        if x[0] > 0:
            raise ArithmeticError("right half")
        return tilted(x)

    with pytest.raises(EvaluationError, match="right half"):
        minimize(fun, BOX, workers=2, x0=[1.0, 1.0], **ASYNC)
    with pytest.raises(EvaluationError, match="right half"):
        minimize(fun, BOX, workers=2, x0=[-1.0, 1.0], on_error="raise", **ASYNC)
    assert minimize(fun, BOX, workers=2, x0=[-1.0, 1.0], **ASYNC).n_failed > 0


@pytest.mark.parametrize(("changes", "message"), [
    ({"workers": map}, 'updating="async" needs workers that take points one by one'),
    ({"eval_timeout": 0}, "eval_timeout must be > 0, got 0"),
    ({"eval_timeout": "1 s"}, "eval_timeout must be a number"),
    ({"retries": -1}, "retries must be a whole number >= 0, got -1"),
    ({"retries": 1.5}, "retries must be a whole number >= 0, got 1.5"),
    ({"evaluations": 3}, "evaluations must be a path, got 3"),
])  # fmt: skip
def test_bad_input_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        minimize(tilted, BOX, **{**ASYNC, **changes})


def test_an_executor_that_does_not_tell_its_size_needs_a_batch():
    class Executor(ThreadPoolExecutor):
        def __getattribute__(self, name):
            if name == "_max_workers" and "rdex" in rdex.__name__ and self.hidden:
                raise AttributeError(name)
            return super().__getattribute__(name)

    Executor.hidden = True
    pool = ThreadPoolExecutor.__new__(Executor)
    with pytest.raises(ValueError, match="give batch=, the number of points"):
        minimize(tilted, BOX, workers=pool, **ASYNC)
