"""Runs with a file of evaluations, killed at random moments: nothing is lost or done twice."""

import math
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from problems import BOX, same_run

import dask_processes
from rdex import Problem, minimize

HERE = Path(__file__).parent

#: A run by another process. Every evaluation writes its point down before it begins.
SCRIPT = """
import sys, time
sys.path.insert(0, {here!r})
from light import BOX, one_call
import rdex

def simulate(x):
    with open({begun!r}, "a") as stream:
        stream.write(x.tobytes().hex() + "\\n")
    time.sleep(0.002 + 0.02 * (int(x[0] * 1e4) % 5 == 0))
    return one_call(x)

problem = rdex.Problem.from_function(simulate, BOX, n_ineq=1, n_eq=1, name="simulate")
options = {options!r}
if isinstance(options["workers"], str):
    from distributed import Client
    options["workers"] = Client(options["workers"])
result = rdex.minimize(problem, evaluations={path!r}, **options)
print(result.nfev, float(result.fun).hex())
"""


def start(path, begun, options):
    text = SCRIPT.format(here=str(HERE), path=str(path), begun=str(begun), options=options)
    return subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def lines_of(path):
    """Whole lines of evaluations, as bytes."""
    data = path.read_bytes() if path.exists() else b""
    return [line for line in data.split(b"\n")[:-1] if line[:1].isdigit()]


def points_of(lines):
    return {np.array([float(cell) for cell in line.split(b",")[8:10]]).tobytes().hex()
            for line in lines}  # fmt: skip


def killed_often(tmp_path, kills, options, rng):
    """Kill a run again and again, then let it end; check every session."""
    path, begun = tmp_path / "e.csv", tmp_path / "begun"
    done = 0
    while True:
        known = lines_of(path)
        begun.write_text("")
        process = start(path, begun, options)
        if done < kills:
            until = len(known) + rng.integers(0, 12)
            end = time.monotonic() + 120
            while len(lines_of(path)) < until or not begun.read_text():
                assert time.monotonic() < end and process.poll() is None, process.communicate()
                time.sleep(0.001)
            time.sleep(rng.uniform(0.0, 0.03))
            process.kill()
            done += 1
        out, err = process.communicate(timeout=300)
        computed = begun.read_text().split("\n")
        found = lines_of(path)
        assert found[: len(known)] == known  # nothing that was written has changed
        # Nothing finished is computed again, but for one point that tells whether the function is
        # the same.
        assert len(points_of(known) & set(computed)) <= 1
        assert points_of(found[len(known) :]) <= points_of(known) | set(computed)
        if done >= kills and process.returncode == 0:
            assert int(out.split()[0]) == len(found) <= options["maxfev"], err
            return path
        assert process.returncode != 1, err


def check(path, options):
    numbers = [int(line.split(b",")[1]) for line in lines_of(path)]
    assert len(set(numbers)) == len(numbers)  # nothing is there twice
    if options["algorithm"] == "rdex-csop":
        assert sorted(numbers) == list(range(options["maxfev"]))

    def forbidden(x):
        raise AssertionError("evaluated although it is in the file")

    problem = Problem.from_function(forbidden, BOX, n_ineq=1, n_eq=1, name="simulate")
    first = minimize(problem, evaluations=path, **options)
    again = minimize(problem, evaluations=path, **options)
    assert same_run(first, again) and first.nfev == len(numbers)


def options_of(updating, maxfev, algorithm, workers=3):
    return {
        "workers": workers, "updating": updating, "rng": 7, "maxfev": maxfev, "algorithm": algorithm
    }  # fmt: skip


@pytest.mark.parametrize(("algorithm", "kills"), [
    ("auto", 1), pytest.param("rdex-csop", 2, marks=pytest.mark.slow)
])  # fmt: skip
def test_killed_at_random_moments(tmp_path, algorithm, kills):
    options = options_of("async", 40, algorithm, workers=2)
    check(killed_often(tmp_path, kills, options, np.random.default_rng(1)), options)


#: Every kind of strategy.
STRATEGIES = ["rdex-csop", "ude-iv", "rdex-csop+local", "local", "scout", "auto"]

ON_DASK = ["rdex-csop", "auto"]

#: Together at least 200.
KILLS = math.ceil(200 / (2 * (len(STRATEGIES) + len(ON_DASK))))


@pytest.mark.slow
@pytest.mark.parametrize("updating", ["async", "deferred"])
@pytest.mark.parametrize("algorithm", STRATEGIES)
def test_killed_very_often(tmp_path, updating, algorithm):
    options = options_of(updating, 400, algorithm)
    check(killed_often(tmp_path, KILLS, options, np.random.default_rng(2)), options)


@pytest.mark.slow
@pytest.mark.parametrize("updating", ["async", "deferred"])
@pytest.mark.parametrize("algorithm", ON_DASK)
def test_killed_very_often_on_dask(tmp_path, updating, algorithm):
    """The program that calls `minimize` dies; the cluster lives on."""
    pytest.importorskip("distributed")
    with dask_processes.cluster(tmp_path) as (address, _):
        options = options_of(updating, 200, algorithm, address)
        path = killed_often(tmp_path, KILLS, options, np.random.default_rng(3))
    check(path, {**options, "workers": 2})
