"""Worker processes: order, functions by value, deaths, foreign pools."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from worker_checks import POINTS, is_alive, outcomes, point, wait_until

from rdex import Problem
from rdex.common.errors import EvaluationError
from rdex.evaluation.evaluator import Evaluator, FailurePolicy
from rdex.workers.in_process import InProcessPool
from rdex.workers.point_task import PickledTask, PointTask, task_of, unpacked
from rdex.workers.pool import ExecutorPool, MapPool, ProcessPool, make_pool
from rdex.workers.retrying_pool import with_retries
from rdex.workers.worker_process import WorkerProcess


def test_outcomes_carry_values_time_and_worker(pool_of):
    found = outcomes(pool_of(point))
    assert [o.f for o in found] == [float(x @ x) for x in POINTS]
    assert [o.g.tolist() for o in found] == [[x[0] - 1] for x in POINTS]
    assert {o.status for o in found} == {"ok"} and all(o.seconds >= 0 for o in found)
    assert all(o.worker.rpartition(":")[2].isdigit() for o in found)


def test_outcomes_come_in_the_order_of_completion(pool_of):
    def slow_first(x, g, h):
        time.sleep(1.0 if x[0] == 0 else 0.0)
        return point(x, g, h)

    pool = pool_of(slow_first)
    for number, x in enumerate(POINTS):
        pool.submit(number, x)
    assert [pool.next(math.inf)[0] for _ in POINTS][-1] == 0
    assert pool.next(time.monotonic() + 0.01) is None


def test_closures_travel_and_processes_are_reused(pool_of):
    shift = 3.5
    pool = pool_of(lambda x, g, h: os.getpid() + shift, n_ineq=0)
    pids = {o.f - shift for _ in range(5) for o in outcomes(pool)}
    assert 1 <= len(pids) <= 2 and os.getpid() not in pids


def test_exceptions_come_back_as_text(pool_of):
    def bad(x, g, h):
        raise KeyError("of the user")

    outcome = outcomes(pool_of(bad), POINTS[:1])[0]
    assert np.isnan(outcome.f) and np.isnan(outcome.g).all() and outcome.status == "raised"
    assert "KeyError: 'of the user'" in outcome.error and "in bad" in outcome.error


def test_printing_and_reading_in_a_worker_do_no_harm(pool_of):
    def loud(x, g, h):
        print("hello" * 1000, flush=True)
        assert os.read(0, 10) == b""
        subprocess.run([sys.executable, "-c", "input and print(__import__('sys').stdin.read())"])
        return point(x, g, h)

    assert [o.error for o in outcomes(pool_of(loud))] == [None] * 5


def test_a_dying_worker_costs_one_evaluation_tried_twice(pool_of, tmp_path):
    def deadly(x, g, h):
        if x[0] == 4:
            with open(tmp_path / "tries", "a") as stream:
                stream.write("x")
            os._exit(7)
        return point(x, g, h)

    found = outcomes(pool_of(deadly))
    assert [o.error is None for o in found] == [True, True, False, True, True]
    assert found[2].status == "died" and found[2].error == "the worker process died (exit code 7)"
    assert (tmp_path / "tries").read_text() == "xx"


@pytest.mark.parametrize("way", ["raises", "dies", "hangs"])
def test_failures_are_repeated(pool_of, tmp_path, way):
    def flaky(x, g, h):
        with open(tmp_path / "tries", "a") as stream:
            stream.write("x")
        if (tmp_path / "tries").stat().st_size < 3:
            if way == "raises":
                raise ArithmeticError
            if way == "dies":
                os._exit(1)
            time.sleep(60)
        return point(x, g, h)

    pool = pool_of(flaky, n=1, retries=2, timeout=0.5)
    assert outcomes(pool, POINTS[:1])[0].status == "ok"
    assert (tmp_path / "tries").read_text() == "xxx"


def test_rows_are_repeated_together_and_alone_by_the_same_rule():
    calls = []

    def rows(x):
        calls.append(len(x))
        if len(calls) < 3:
            raise ArithmeticError
        return (x**2).sum(1), x[:, :1], None

    problem = Problem([0.0] * 2, [9.0] * 2, n_ineq=1, rows=rows)
    found = outcomes(with_retries(InProcessPool(problem), 2))
    assert [o.f for o in found] == [float(x @ x) for x in POINTS] and calls == [5, 5, 5]
    calls.clear()
    found = outcomes(with_retries(InProcessPool(problem), 1))
    assert [o.status for o in found] == ["raised"] * 5 and calls == [5, 5]


def test_a_hung_evaluation_and_what_it_started_are_ended(pool_of, tmp_path):
    def hanging(x, g, h):
        if x[0] == 4:
            child = subprocess.Popen(["sleep", "300"])
            (tmp_path / "pid").write_text(str(child.pid))
            time.sleep(300)
        return point(x, g, h)

    pool = pool_of(hanging, n=1, timeout=0.5)
    found = outcomes(pool)
    assert [o.status for o in found] == ["ok", "ok", "timeout", "ok", "ok"]
    assert "longer than eval_timeout = 0.5 s" in found[2].error
    assert 0.5 <= found[2].seconds < 5
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not is_alive(pid))


ORPHAN = """
import sys, time
from rdex.workers.point_task import PointTask
from rdex.workers.pool import ProcessPool
path = sys.argv[1]
def hang(x, g, h):
    import os
    with open(path, "w") as stream:
        stream.write(str(os.getpid()))
    time.sleep(300)
pool = ProcessPool(PointTask(hang, 0, 0), 1)
pool.submit(0, [1.0])
time.sleep(300)
"""


def test_workers_end_with_a_killed_parent(tmp_path):
    path = tmp_path / "pid"
    process = subprocess.Popen([sys.executable, "-c", ORPHAN, str(path)])
    wait_until(lambda: path.exists() and path.read_text())
    process.kill()
    process.wait()
    wait_until(lambda: not is_alive(int(path.read_text())))


def test_a_worker_killed_once_is_replaced(pool_of):
    pool = pool_of(point, n=1)
    outcomes(pool)
    (worker,) = pool.pool._processes
    os.kill(worker.process.pid, signal.SIGKILL)
    worker.process.wait()
    assert [o.error for o in outcomes(pool)] == [None] * 5


def test_the_signal_that_ended_a_worker_is_named(pool_of):
    pool = pool_of(lambda x, g, h: os.kill(os.getpid(), signal.SIGSEGV) or 0.0, n=1, n_ineq=0)
    assert outcomes(pool, POINTS[:1])[0].error == "the worker process died (SIGSEGV)"


def test_a_worker_that_exits_alone_is_told_apart_too():
    pickled = PickledTask(PointTask(lambda x, g, h: os._exit(3), 0, 0))
    process = WorkerProcess(pickled.data, 0, 0)  # as on systems without a fork server
    assert process.evaluate(POINTS[0]).error == "the worker process died (exit code 3)"
    process.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only there is a fork server")
def test_a_fork_server_that_has_gone_is_replaced(pool_of):
    pool = pool_of(point, n=1)
    outcomes(pool)
    server = pool.pool._fork_server._process
    server.kill()
    server.wait()
    wait_until(lambda: pool.pool._processes[0].process.poll() is not None)
    assert [o.error for o in outcomes(pool)] == [None] * 5


def test_closing_ends_evaluations_that_still_run(pool_of):
    pool = pool_of(lambda x, g, h: time.sleep(60) or 0.0, n=1, n_ineq=0)
    pool.submit(0, POINTS[0])
    processes = pool.pool._processes
    wait_until(lambda: processes and processes[0].process)
    process = processes[0].process
    pool.close()
    assert pool.next(math.inf)[1].error is not None and not is_alive(process.pid)


def test_what_cannot_travel_is_named():
    lock = threading.Lock()
    with pytest.raises(ValueError, match=r"workers: the function cannot be sent .*lock"):
        ProcessPool(PointTask(lambda x, g, h: lock, 0, 0), 1)


def test_foreign_maps():
    task = PointTask(point, 1, 0)
    with ThreadPoolExecutor(2) as executor:
        kinds = {map: MapPool, executor: ExecutorPool, executor.map: MapPool}
        for workers, kind in kinds.items():
            pool = make_pool(task, workers)
            assert type(pool) is kind
            assert [o.f for o in outcomes(pool)] == [float(x @ x) for x in POINTS]
            pool.close()


def test_foreign_workers_can_be_guarded():
    def hanging(x, g, h):
        if x[0] == 4:
            time.sleep(300)
        if x[0] == 6:
            os._exit(3)
        return point(x, g, h)

    with ThreadPoolExecutor(2) as executor:
        for workers in (executor, executor.map):
            pool = make_pool(PointTask(hanging, 1, 0), workers, timeout=0.5)
            found = outcomes(pool)
            pool.close()
            assert [o.status for o in found] == ["ok", "ok", "timeout", "died", "ok"]


def test_a_task_is_unpacked_once_in_a_process():
    task = PickledTask(PointTask(point, 1, 0))
    assert unpacked(task.key, task.data) is unpacked(task.key, task.data)


def test_a_map_that_loses_results_is_named():
    pool = make_pool(PointTask(point, 1, 0), lambda task, points: [task(x) for x in points[:-1]])
    with pytest.raises(ValueError, match="expected 5 results from map, got 4"):
        outcomes(pool)


def test_the_first_exception_in_a_worker_is_raised_with_its_traceback():
    def bad(x, g, h):
        raise KeyError("of the user")

    task = task_of(Problem([0.0] * 2, [9.0] * 2, point=bad))
    evaluator = Evaluator(make_pool(task, 2), FailurePolicy())
    try:
        evaluator.submit(0, POINTS[0])
        with pytest.raises(EvaluationError, match=r"in bad(.|\n)*KeyError: 'of the user'"):
            evaluator.collect()
    finally:
        evaluator.close()


class KilledWorker(Exception):
    """Named as Dask names it."""


class Client:
    """Behaves like a Dask client whose worker dies at one point."""

    def __init__(self):
        self.executor = ThreadPoolExecutor(2)

    def submit(self, task, x, pure):
        def at(x):
            if x[0] == 4:
                raise KilledWorker("three times")
            return task(x)

        return self.executor.submit(at, x)

    def gather(self, futures):
        raise NotImplementedError

    def nthreads(self):
        return {"a": 1, "b": 2}


def test_a_point_that_kills_dask_workers_has_failed():
    client = Client()
    pool = make_pool(PointTask(point, 1, 0), client)
    found = outcomes(pool)
    client.executor.shutdown()
    assert pool.n == 3
    assert [o.error for o in found] == [None, None, "three times", None, None]
    assert found[3].f == float(POINTS[3] @ POINTS[3])
