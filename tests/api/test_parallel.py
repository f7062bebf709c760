"""Workers: the run is the same for any number and kind of them at equal batch."""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from problems import BOX, LENS, one_call, same_run, simulator, tilted

from rdex import Problem, minimize
from rdex.common.errors import EvaluationError

HERE = Path(__file__).parent
OPTIONS = {"maxfev": 120, "rng": 5, "batch": 4}


@pytest.fixture(scope="module")
def alone():
    return minimize(simulator(), **OPTIONS)


@pytest.mark.parametrize("workers", [2, 3, -1])
def test_processes_change_nothing(alone, workers):
    assert same_run(minimize(simulator(), workers=workers, **OPTIONS), alone)


def test_the_default_batch_does_not_depend_on_workers():
    options = {"maxfev": 100, "rng": 5, "updating": "deferred", "algorithm": "rdex-csop"}
    one = minimize(simulator(), **options)
    assert same_run(minimize(simulator(), workers=2, **options), one)


def test_a_real_process_pool_changes_nothing(alone):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert same_run(minimize(simulator(), workers=pool, **OPTIONS), alone)
        assert same_run(minimize(simulator(), workers=pool.map, **OPTIONS), alone)


def test_closures_constraints_and_arguments_travel():
    shift = 0.25
    constraints = [*LENS["constraints"], {"type": "ineq", "fun": lambda x: x[1] + shift}]
    runs = [
        minimize(lambda x, a: tilted(x) + a * shift, BOX, args=(2.0,), constraints=constraints,
                 workers=workers, **OPTIONS)
        for workers in (1, 2)
    ]  # fmt: skip
    assert same_run(*runs)


def test_vectorised_and_compiled_problems_go_to_workers_point_by_point():
    from rdex.suites import get

    rows = Problem.from_function(
        lambda X: ((X**2).sum(1), 1 - X[:, :1]), BOX, n_ineq=1, vectorized="rows"
    )
    for problem in (rows, get("g2006/G24")):
        one = minimize(problem, **OPTIONS)
        assert same_run(minimize(problem, workers=2, **OPTIONS), one)


def test_a_batch_of_one_works_with_workers_too():
    options = {"maxfev": 40, "rng": 1, "updating": "immediate"}
    one = minimize(simulator(), **options)
    assert same_run(minimize(simulator(), workers=2, **options), one)


def test_deaths_and_exceptions_of_workers_are_failed_evaluations():
    def fun(x):
        if -4.0 < x[0] < -3.0:
            os._exit(3)
        if -3.0 <= x[0] < -2.0:
            raise ArithmeticError("in between")
        return tilted(x)

    result = minimize(fun, BOX, workers=2, x0=[1.0, 1.0], **OPTIONS)
    assert result.nfev == 120 and result.n_failed >= 2 and np.isfinite(result.fun)

    def penalised(x):
        return np.nan if -4.0 < x[0] < -2.0 else tilted(x)

    assert same_run(minimize(penalised, BOX, x0=[1.0, 1.0], **OPTIONS), result)


def test_policies_hold_with_workers():
    def fun(x):
        if x[0] > 0:
            raise ArithmeticError("right half")
        return tilted(x)

    with pytest.raises(EvaluationError, match="right half"):
        minimize(fun, BOX, workers=2, x0=[1.0, 1.0], **OPTIONS)
    with pytest.raises(EvaluationError, match="right half"):
        minimize(fun, BOX, workers=2, x0=[-1.0, 1.0], on_error="raise", **OPTIONS)


def test_a_script_without_a_guard_works(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import rdex\n"
        "def fun(x):\n"
        "    return x @ x, [1 - x[0]]\n"
        "problem = rdex.Problem.from_function(fun, [(-5, 5)] * 2, n_ineq=1)\n"
        "print(rdex.minimize(problem, workers=2, maxfev=60, rng=0).nfev)\n"
    )
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert run.stdout == "60\n"


def test_one_task_is_the_whole_evaluation():
    tasks = []

    def counting_map(task, points):
        tasks.extend(points)
        return [task(x) for x in points]

    result = minimize(simulator(), workers=counting_map, **OPTIONS)
    assert len(tasks) == result.nfev == 120
    f, g, h = one_call(result.x)
    assert (result.fun, result.G.tolist(), result.H.tolist()) == (f, g, h)
