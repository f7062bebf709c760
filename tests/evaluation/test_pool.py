"""Worker processes: order, functions by value, deaths, foreign pools."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rdex import Problem
from rdex.evaluation.gate import Gate
from rdex.evaluation.outcome import EvaluationError, PickledTask, Task, unpacked
from rdex.evaluation.pool import ForeignMap, ProcessPool, make_pool


def point(x, g, h):
    g[0] = x[0] - 1
    return float(x @ x)


POINTS = np.arange(10.0).reshape(5, 2)


@pytest.fixture
def pool_of():
    pools = []

    def make(function, n=2, n_ineq=1):
        pools.append(ProcessPool(Task(function, n_ineq, 0), n))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def test_outcomes_keep_the_order_of_the_points(pool_of):
    def slow_first(x, g, h):
        time.sleep(0.2 if x[0] == 0 else 0.0)
        return point(x, g, h)

    outcomes = pool_of(slow_first).map(POINTS)
    assert [o.f for o in outcomes] == [float(x @ x) for x in POINTS]
    assert [o.g.tolist() for o in outcomes] == [[x[0] - 1] for x in POINTS]


def test_closures_travel_and_processes_are_reused(pool_of):
    shift = 3.5
    pool = pool_of(lambda x, g, h: os.getpid() + shift, n_ineq=0)
    pids = {o.f - shift for _ in range(5) for o in pool.map(POINTS)}
    assert 1 <= len(pids) <= 2 and os.getpid() not in pids


def test_exceptions_come_back_as_text(pool_of):
    def bad(x, g, h):
        raise KeyError("of the user")

    outcome = pool_of(bad).map(POINTS[:1])[0]
    assert np.isnan(outcome.f) and np.isnan(outcome.g).all()
    assert "KeyError: 'of the user'" in outcome.error and "in bad" in outcome.error


def test_printing_in_a_worker_does_no_harm(pool_of):
    def loud(x, g, h):
        print("hello" * 1000, flush=True)
        return point(x, g, h)

    assert [o.error for o in pool_of(loud).map(POINTS)] == [None] * 5


def test_a_dying_worker_costs_one_evaluation_tried_twice(pool_of, tmp_path):
    def deadly(x, g, h):
        if x[0] == 4:
            with open(tmp_path / "tries", "a") as stream:
                stream.write("x")
            os._exit(7)
        return point(x, g, h)

    outcomes = pool_of(deadly).map(POINTS)
    assert [o.error is None for o in outcomes] == [True, True, False, True, True]
    assert "died twice (exit code 7)" in outcomes[2].error
    assert (tmp_path / "tries").read_text() == "xx"


def test_a_worker_killed_once_is_replaced(pool_of):
    pool = pool_of(point, n=1)
    pool.map(POINTS)
    (process,) = pool._processes
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert [o.error for o in pool.map(POINTS)] == [None] * 5


def test_closing_ends_evaluations_that_still_run(pool_of):
    pool = pool_of(lambda x, g, h: time.sleep(60) or 0.0, n=1, n_ineq=0)
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(pool.map, POINTS[:1])
        while not pool._processes:
            time.sleep(0.01)
        (process,) = pool._processes
        pool.close()
        assert waiting.result(timeout=30)[0].error is not None
    assert process.poll() is not None and not pool._processes


def test_what_cannot_travel_is_named():
    lock = threading.Lock()
    with pytest.raises(ValueError, match=r"workers: the function cannot be sent .*lock"):
        ProcessPool(Task(lambda x, g, h: lock, 0, 0), 1)


def test_foreign_maps():
    task = Task(point, 1, 0)
    with ThreadPoolExecutor(2) as executor:
        for workers in (map, executor, executor.map):
            pool = make_pool(task, workers)
            assert isinstance(pool, ForeignMap)
            assert [o.f for o in pool.map(list(POINTS))] == [float(x @ x) for x in POINTS]


def test_a_task_is_unpacked_once_in_a_process():
    task = PickledTask(Task(point, 1, 0))
    assert unpacked(task.key, task.data) is unpacked(task.key, task.data)


def test_a_map_that_loses_results_is_named():
    problem = Problem([0.0] * 2, [9.0] * 2, n_ineq=1, point=point)
    gate = Gate(problem, lambda task, points: [task(x) for x in points[:-1]])
    with pytest.raises(ValueError, match="expected 5 results from map, got 4"):
        gate.many(POINTS)


def test_the_first_exception_in_a_worker_is_raised_with_its_traceback():
    def bad(x, g, h):
        raise KeyError("of the user")

    gate = Gate(Problem([0.0] * 2, [9.0] * 2, point=bad), 2)
    try:
        with pytest.raises(EvaluationError, match=r"in bad(.|\n)*KeyError: 'of the user'"):
            gate.many(POINTS)
    finally:
        gate.close()


class KilledWorker(Exception):
    """Named as Dask names it."""


class Future:
    def __init__(self, run):
        try:
            self.value, self.error = run(), None
        except KilledWorker as error:
            self.error = error

    def exception(self):
        return self.error

    def result(self):
        return self.value


class Client:
    """Behaves like a Dask client whose worker dies at one point."""

    def map(self, task, points, pure):
        def at(x):
            if x[0] == 4:
                raise KilledWorker("three times")
            return task(x)

        return [Future(lambda x=x: at(x)) for x in points]

    def gather(self, futures):
        for future in futures:
            if future.error:
                raise future.error
        return [future.value for future in futures]


def test_a_point_that_kills_dask_workers_has_failed():
    outcomes = make_pool(Task(point, 1, 0), Client()).map(list(POINTS))
    assert [o.error for o in outcomes] == [None, None, "three times", None, None]
    assert outcomes[3].f == float(POINTS[3] @ POINTS[3])
