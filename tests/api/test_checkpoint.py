"""Runs on disk: killed and resumed exactly, refused where they are not the same run."""

import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from checkpoint_problems import KINDS
from problems import BOX, LENS, TOY, same_run, simulator, square, tilted

import rdex.run.checkpoint
from rdex import minimize
from rdex.common.errors import RunFileError
from rdex.engine.files import load_state
from rdex.suites import get

HERE = Path(__file__).parent

#: A run that another process makes, slowly enough to be killed, with checkpoints all the time.
SCRIPT = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what runs in the background
sys.path.insert(0, {here!r})
import rdex, rdex.run.checkpoint
from checkpoint_problems import KINDS
rdex.run.checkpoint.EVERY = 0.0
fun, bounds, options = KINDS[{kind!r}](slow=True)
result = rdex.minimize(fun, bounds, checkpoint={path!r}, **options)
print(result.nfev, result.status)
"""


def start(kind, path):
    text = SCRIPT.format(here=str(HERE), kind=kind, path=str(path))
    return subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def went_on(kind, path=None):
    """The same run in this process, to its end."""
    fun, bounds, options = KINDS[kind](slow=False)
    return minimize(fun, bounds, checkpoint=path, **options)


def wait_for(path, process, nfev):
    """Until the file holds that many evaluations."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if path.exists() and load_state(path)[1]["facts"].get("nfev", 0) >= nfev:
            return
        time.sleep(0.01)
    raise AssertionError(f"no checkpoint: {process.communicate()}")


@pytest.mark.parametrize("kind", [
    "auto", pytest.param("deferred", marks=pytest.mark.slow),
    pytest.param("compiled", marks=[pytest.mark.compiled, pytest.mark.slow]),
])  # fmt: skip
def test_killed_and_resumed_is_uninterrupted(tmp_path, kind):
    path = tmp_path / "run.npz"
    process = start(kind, path)
    wait_for(path, process, 60)
    process.kill()
    process.communicate()
    reached = int(load_state(path)[1]["facts"].get("nfev", 0))
    resumed, whole = went_on(kind, path), went_on(kind)
    assert 60 <= reached < resumed.nfev and same_run(resumed, whole)


def test_a_compiled_problem_goes_on_from_its_file(tmp_path):
    options = {"maxfev": 4000, "rng": 1, "algorithm": "rdex-csop"}
    kept = {**options, "checkpoint": tmp_path / "run.npz"}
    stopped = minimize(get("g2006/G06"), callback=lambda result: result.nfev >= 1000, **kept)
    resumed = minimize(get("g2006/G06"), **kept)
    assert 1000 <= stopped.nfev < 4000
    assert same_run(resumed, minimize(get("g2006/G06"), **options))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_save_and_return(tmp_path, number):
    path = tmp_path / "run.npz"
    process = start("immediate", path)
    wait_for(path, process, 30)
    process.send_signal(number)
    out, err = process.communicate(timeout=120)
    if number == signal.SIGTERM:  # the program ends, its run saved
        assert process.returncode == 128 + signal.SIGTERM and not out
        assert "the same call goes on from" in err
        nfev = load_state(path)[1]["facts"]["nfev"]
    else:
        assert process.returncode == 0, err
        nfev, status = out.split()
        assert status == "5"
    assert 30 <= int(nfev) < 400
    assert load_state(path)[1]["facts"].get("nfev", 0) == int(nfev)
    assert went_on("immediate", path).nfev == 400


def interrupted(at, **options):
    """A run interrupted in its evaluation `at`."""
    count = 0

    def fun(x):
        nonlocal count
        count += 1
        if count == at:
            raise KeyboardInterrupt
        return tilted(x)

    return minimize(fun, BOX, **LENS, maxfev=300, **options)


@pytest.mark.parametrize("at", [1, 2, 20, 29, 30, 31, 150, 299, 300])
@pytest.mark.parametrize("options", [{}, {"batch": 3}, {"updating": "deferred"}])
def test_interrupted_anywhere_and_resumed(tmp_path, at, options):
    path = tmp_path / "run.npz"
    first = interrupted(at, rng=1, checkpoint=path, **options)
    assert first.status == 5 and first.nfev < at
    again = minimize(tilted, BOX, **LENS, maxfev=300, rng=1, checkpoint=path, **options)
    assert same_run(again, minimize(tilted, BOX, **LENS, maxfev=300, rng=1, **options))


def test_a_finished_run_is_read_back_without_evaluations(tmp_path):
    path = tmp_path / "run.npz"
    first = minimize(tilted, BOX, **LENS, maxfev=200, rng=1, checkpoint=path)
    calls = []

    def counted(x):
        calls.append(x)
        return tilted(x)

    again = minimize(counted, BOX, **LENS, maxfev=200, rng=1, checkpoint=path)
    assert same_run(first, again) and again.status == 0
    assert np.array_equal(calls, [first.x])  # only to see whether it is the same function


def test_without_a_seed_the_stored_one_goes_on(tmp_path):
    path = tmp_path / "run.npz"
    first = interrupted(100, checkpoint=path)
    again = minimize(tilted, BOX, **LENS, maxfev=300, checkpoint=path, init="uniform")
    assert again.nfev == 300 and again.history.f[0] == first.history.f[0]


@pytest.mark.parametrize(("changes", "different"), [
    ({"maxfev": 199}, "maxfev"),
    ({"rng": 2}, "entropy, rng"),
    ({"rng": None}, "rng"),
    ({"eq_tol": 1e-3}, "eq_tol"),
    ({"ineq_tol": 1e-3}, "ineq_tol"),
    ({"algorithm": "rde26"}, "settings"),
    ({"batch": 2}, "batch"),
    ({"x0": [1, 1]}, "x0"),
    ({"x0": {"x": [1, 1], "fun": 2, "H": 1}}, "x0"),
    ({"init": "sobol"}, "init"),
    ({"target": 0.1}, "target"),
    ({"integrality": [1, 0]}, "integrality"),
    ({"constraint_scale": "none"}, "constraint_scale"),
    ({"variable_names": ["a", "b"]}, "names"),
    ({"checkpoints": 10}, "checkpoints"),
    ({"bounds": [(-5, 5), (-5, 6)]}, "bounds"),
    ({"constraints": ()}, "names, number of constraints"),
])  # fmt: skip
def test_another_run_is_refused(tmp_path, changes, different):
    path = tmp_path / "run.npz"
    options = {"bounds": BOX, **TOY, "maxfev": 200, "rng": 1}
    minimize(square, **options, checkpoint=path)
    before = path.read_bytes()
    with pytest.raises(RunFileError, match=f"another run: different {different}"):
        minimize(square, **{**options, **changes}, checkpoint=path)
    assert path.read_bytes() == before


def test_another_function_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    minimize(square, BOX, **TOY, maxfev=200, rng=1, checkpoint=path)
    with pytest.raises(RunFileError, match=r"another function.* f was .* and is now"):
        minimize(lambda x: square(x) + 1, BOX, **TOY, maxfev=200, rng=1, checkpoint=path)
    minimize(simulator(), maxfev=100, rng=0, checkpoint=tmp_path / "other.npz")


@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "another format"])
def test_broken_files_are_refused(tmp_path, damage):
    path = tmp_path / "run.npz"
    minimize(square, BOX, maxfev=60, rng=1, checkpoint=path)
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:-200])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "text":
        path.write_text("not a run")
    else:
        np.savez(path, header=np.frombuffer(b'{"format": "other"}', dtype=np.uint8))
    with pytest.raises(RunFileError, match=str(path)):
        minimize(square, BOX, maxfev=60, rng=1, checkpoint=path)


def test_a_place_that_cannot_be_written_is_named_before_the_first_evaluation(tmp_path):
    calls = []
    for path in (tmp_path / "absent" / "run.npz", "/proc/run.npz"):
        with pytest.raises(OSError, match=f"checkpoint: cannot write {path}: "):
            minimize(calls.append, BOX, maxfev=60, checkpoint=path)
    assert not calls


def test_a_disk_that_fills_up_loses_no_run(tmp_path, monkeypatch, caplog):
    path = tmp_path / "run.npz"
    written = []
    save = rdex.run.checkpoint.save_state

    def full_disk(*arguments):
        written.append(1)
        if len(written) > 1:
            raise OSError(28, "No space left on device")
        save(*arguments)

    monkeypatch.setattr(rdex.run.checkpoint, "save_state", full_disk)
    result = minimize(square, BOX, maxfev=200, rng=1, checkpoint=path)
    assert result.nfev == 200 and len(written) == 2
    assert f"cannot write the checkpoint {path}: No space left on device" in caplog.text
    assert caplog.records[-1].levelno == logging.ERROR
    assert sorted(os.listdir(tmp_path)) == ["run.npz"]


def test_files_are_written_every_so_often(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(rdex.run.checkpoint, "EVERY", 0.0)
    monkeypatch.setattr(rdex.run.checkpoint, "save_state", lambda *a: written.append(1))

    def slow(x):
        time.sleep(0.01)
        return square(x)

    minimize(slow, BOX, maxfev=30, rng=1, checkpoint=tmp_path / "run.npz")
    assert 4 <= len(written) <= 12  # the first, one each 0.05 s, the last
