"""Runs that others disturb: files in use, folders that change, users that stop and go on."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from problems import BOX, same_run, square, tilted

from rdex import Problem, minimize
from rdex.common.errors import FileInUseError, RunFileError
from rdex.engine import engine
from rdex.jit import interpreting, loading
from rdex.jit.interpreting import interpreted

HERE = Path(__file__).parent


# --- checkpoints ----------------------------------------------------------------------------------
def test_two_runs_cannot_write_one_checkpoint(tmp_path):
    path = tmp_path / "run.npz"
    inside = []

    def fun(x):
        if not inside:
            inside.append(True)
            with pytest.raises(FileInUseError, match=r"run\.npz is in use by another run"):
                minimize(square, BOX, maxfev=40, rng=1, checkpoint=path)
        return square(x)

    minimize(fun, BOX, maxfev=40, rng=1, checkpoint=path)
    assert inside and os.listdir(tmp_path) == ["run.npz"]
    minimize(square, BOX, maxfev=40, rng=1, checkpoint=path)  # free again
    with pytest.raises(RunFileError):
        minimize(square, BOX, maxfev=30, rng=1, checkpoint=path)
    assert os.listdir(tmp_path) == ["run.npz"]


def test_a_killed_run_leaves_no_lock(tmp_path):
    path = tmp_path / "run.npz"
    text = (
        "import rdex, os, signal\n"
        f"rdex.minimize(lambda x: os.kill(os.getpid(), 9), [(-5, 5)] * 2, checkpoint={str(path)!r})"
    )
    process = subprocess.run([sys.executable, "-c", text], check=False)
    assert process.returncode == -signal.SIGKILL and (tmp_path / ".run.npz.lock").exists()
    path.unlink()
    minimize(square, BOX, maxfev=40, rng=1, checkpoint=path)
    assert os.listdir(tmp_path) == ["run.npz"]


def test_a_fork_does_not_keep_the_lock(tmp_path):
    """The child lives on when the run is over."""
    path = tmp_path / "run.npz"
    children = []

    def fun(x):
        if not children:
            pid = os.fork()
            if pid == 0:
                time.sleep(60)
                os._exit(0)
            children.append(pid)
        return square(x)

    minimize(fun, BOX, maxfev=40, rng=1, checkpoint=path)
    try:
        minimize(square, BOX, maxfev=40, rng=1, checkpoint=path)
    finally:
        os.kill(children[0], signal.SIGKILL)
        os.waitpid(children[0], 0)


FORKED = """
import os, time, rdex
def square(x):
    child = os.fork()
    if child == 0:
        time.sleep(300)
        os._exit(0)
    open("child", "w").write(str(child))
    os.kill(os.getpid(), 9)
rdex.minimize(square, [(-5, 5)] * 2, maxfev=40, rng=1, algorithm="rdex-csop", {name}="run")
"""


@pytest.mark.parametrize("name", ["checkpoint", "evaluations"])
def test_a_fork_of_a_killed_run_does_not_keep_the_lock(tmp_path, name):
    """Nobody was left who would have released it."""
    subprocess.run([sys.executable, "-c", FORKED.format(name=name)], cwd=tmp_path, check=False)
    child = int((tmp_path / "child").read_text())
    try:
        os.kill(child, 0)
        options = {"maxfev": 40, "rng": 1, "algorithm": "rdex-csop", name: tmp_path / "run"}
        assert minimize(square, BOX, **options).nfev == 40
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("algorithm", ["rdex-csop", "auto"])
def test_files_stay_where_they_were_when_the_folder_changes(tmp_path, monkeypatch, algorithm):
    there, elsewhere = tmp_path / "there", tmp_path / "elsewhere"
    there.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(there)

    def fun(x):
        os.chdir(elsewhere)
        return tilted(x)

    fun.__name__ = "tilted"
    options = {"maxfev": 20, "rng": 1, "checkpoint": "run.npz", "evaluations": "e.csv"}
    options["algorithm"] = algorithm
    first = minimize(fun, BOX, **options)
    assert sorted(os.listdir(there)) == ["e.csv", "run.npz"] and os.listdir(elsewhere) == []
    monkeypatch.chdir(there)
    assert same_run(first, minimize(tilted, BOX, **options))


@pytest.mark.parametrize("stop", [
    {"tol": 1e3}, {"callback": lambda result: result.nit >= 3},
    {"callback": lambda result: result.nfev > 45},
], ids=["tol", "nit", "nfev"])  # fmt: skip
@pytest.mark.parametrize(
    "options", [{}, {"batch": 5}, {"algorithm": "local"}, {"algorithm": "auto"}], ids=str
)
def test_a_run_that_the_user_ended_stays_ended(tmp_path, stop, options):
    """Each repeat ran one more generation."""
    maxfev = {"auto": 60, "local": 200}.get(options.get("algorithm"), 2000)
    common = {"maxfev": maxfev, "rng": 1, "checkpoint": tmp_path / "run.npz", **options}
    first = minimize(tilted, BOX, **common, **stop)
    if first.nfev == maxfev:
        pytest.skip("it has not stopped early")
    calls = []

    def counted(x):
        calls.append(x)
        return tilted(x)

    for _ in range(2):
        again = minimize(counted, BOX, **common, **stop)
        assert again.nfev == first.nfev and again.status == first.status
    assert len(calls) == 2  # one each, to see whether it is the same function
    assert minimize(tilted, BOX, **common).nfev == maxfev  # without the reason to stop it goes on


@pytest.mark.parametrize("algorithm", ["rdex-csop", pytest.param("auto", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("first", "names"), [
    (2, ["checkpoint"]), (3, ["evaluations"]),
    pytest.param(3, ["checkpoint"], marks=pytest.mark.slow),
    pytest.param(2, ["evaluations"], marks=pytest.mark.slow),
    pytest.param(3, ["checkpoint", "evaluations"], marks=pytest.mark.slow),
])  # fmt: skip
def test_async_runs_go_on_with_another_number_of_workers(tmp_path, first, names, algorithm):
    options = {name: tmp_path / f"run.{name}" for name in names}
    options |= {"updating": "async", "maxfev": 40, "rng": 1, "algorithm": algorithm}
    begun = minimize(tilted, BOX, workers=first, callback=lambda r: r.nfev >= 20, **options)
    assert begun.nfev < 40
    assert minimize(tilted, BOX, workers=5 - first, **options).nfev == 40


@pytest.mark.parametrize(("first", "name"), [
    (1, "checkpoint"), (3, "evaluations"),
    pytest.param(3, "checkpoint", marks=pytest.mark.slow),
    pytest.param(1, "evaluations", marks=pytest.mark.slow),
])  # fmt: skip
def test_batches_of_auto_go_on_with_another_number_of_workers(tmp_path, name, first):
    """A cluster shows the workers that have arrived; a batch is part of the run."""
    options = {name: tmp_path / "run", "updating": "deferred", "maxfev": 24, "rng": 1,
               "algorithm": "auto"}  # fmt: skip
    minimize(tilted, BOX, workers=first, callback=lambda result: result.nfev >= 12, **options)
    for workers in (2, 1):
        again = minimize(tilted, BOX, workers=workers, **options)
    whole = minimize(tilted, BOX, workers=first, **{**options, name: None})
    assert again.nfev == 24 and same_run(again, whole)


# --- failures -------------------------------------------------------------------------------------
@pytest.mark.parametrize("options", [
    {}, {"workers": 2}, {"updating": "async", "workers": 2}, {"algorithm": "local"},
    {"algorithm": "auto", "maxfev": 30},
], ids=str)  # fmt: skip
def test_an_exception_in_a_cheap_constraint_fails_the_point(options):
    def cheap(x):
        if x[0] > 3.0:
            raise ArithmeticError("beyond the table")
        return 1.0

    options = {"maxfev": 200, **options}
    result = minimize(tilted, BOX, cheap_constraints={"type": "ineq", "fun": cheap}, rng=1,
                      x0=[0.0, 0.0], **options)  # fmt: skip
    assert result.nfev == options["maxfev"] and result.n_failed > 0 and result.success


@pytest.mark.parametrize("options", [
    {}, {"batch": 8}, {"workers": 2}, {"vectorized": True}, {"algorithm": "ude-iv"},
    {"algorithm": "local"}, {"algorithm": "scout"}, {"algorithm": "rdex-csop+local"},
    {"algorithm": "auto"}, {"algorithm": "auto", "workers": 2},
], ids=str)  # fmt: skip
def test_nothing_but_nan_ends_the_run_early(options):
    def fun(x):
        return np.full(x.shape[1:], np.nan)

    result = minimize(fun, BOX, maxfev=4000, rng=1, **options)
    assert result.nfev < 400 and result.status == 6
    assert "check the function" in result.message


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1.7e308, 1e300, 1e-310])
@pytest.mark.parametrize("algorithm", ["auto", "local", "rdex-csop+local", "rdex-csop", "ude-iv"])
def test_the_largest_and_smallest_numbers_do_no_harm(algorithm, size):
    """Sums and differences of them overflowed, and NumPy's warnings reached the user."""

    def large(x):
        return size * float(np.tanh(x @ x - 10))

    kind = "ineq" if size > 1 else "eq"  # the largest equalities cannot be met within eq_tol
    limits = [{"type": kind, "fun": lambda x: size * float(np.clip(x[0] - 1, -1, 1))}] * 3
    for maxfev in (2, 5, 60):
        for constraints in ((), limits):
            result = minimize(large, BOX, constraints=constraints, maxfev=maxfev, rng=1,
                              algorithm=algorithm)  # fmt: skip
            assert result.nfev == maxfev and (not result.feasible or result.fun == large(result.x))
            assert str(result) and result._repr_html_()


@pytest.mark.parametrize("algorithm", ["auto", "rdex-csop", "ude-iv", "local", "rdex-csop+local"])
def test_x_is_inside_the_bounds_even_before_the_first_evaluation(algorithm):
    """A time limit may end a run there."""
    options = {"maxfev": 40, "rng": 1, "algorithm": algorithm}
    result = minimize(square, [(3, 5), (-9, -7)], maxtime=0.0, **options)
    assert result.nfev == 0 and not result.success
    assert result.x.tolist() == [3.0, -7.0]


@pytest.mark.parametrize("algorithm", ["rdex-csop", "auto", "local"])
def test_a_lone_surrogate_and_a_newline_do_no_harm(tmp_path, algorithm):
    def fun(x):
        if x[0] > 2:
            raise ValueError("odd \ud800 \x1b[31m\nmessage")
        return square(x)

    problem = Problem.from_function(fun, BOX, variable_names=["a\nb", "c\ud800\x1b[2J"], name="p\n")
    options = {"maxfev": 40, "rng": 1, "x0": [0.0, 0.0], "evaluations": tmp_path / "e.csv",
               "checkpoint": tmp_path / "c.npz", "algorithm": algorithm}  # fmt: skip
    first = minimize(problem, **options)
    again = minimize(problem, **options)
    assert same_run(first, again) and first.n_failed > 0
    for text in (str(first), first._repr_html_(), (tmp_path / "e.csv").read_text("utf-8")):
        assert "\x1b" not in text and "\\ud800" in text
        text.encode()
    assert "a\\x0ab" in str(first)


@pytest.fixture
def usual_signals(monkeypatch):
    """Nobody has plans for signals, and no Ctrl-C was a moment ago."""
    monkeypatch.setattr("rdex.run.watch._last_interrupt", -1e9)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


# --- interrupts -----------------------------------------------------------------------------------
def stopped_by(number, twice=False, **options):
    """A run whose function sends signals to its own process."""
    count = 0

    def fun(x):
        nonlocal count
        count += 1
        if count == 20 or (twice and count == 40):
            os.kill(os.getpid(), number)
        return tilted(x)

    return fun, {"maxfev": 100, "rng": 1, **options}


def test_ctrl_c_returns_and_says_how_to_go_on(tmp_path, caplog, usual_signals):
    fun, options = stopped_by(signal.SIGINT, checkpoint=tmp_path / "c.npz")
    result = minimize(fun, BOX, **options)
    assert result.status == 5 and 15 <= result.nfev < 30
    assert "interrupted at" in caplog.text
    assert f"the same call goes on from {tmp_path / 'c.npz'}" in caplog.text
    assert minimize(tilted, BOX, **options).nfev == 100
    assert "went on from" in caplog.text


def test_ctrl_c_without_files_says_what_would_help(caplog, usual_signals):
    fun, options = stopped_by(signal.SIGINT)
    assert minimize(fun, BOX, **options).status == 5
    assert "with checkpoint= or evaluations= a run can go on" in caplog.text


def test_ctrl_c_raises_where_asked_for(tmp_path, usual_signals):
    options = {"on_interrupt": "raise", "checkpoint": tmp_path / "c.npz"}
    fun, options = stopped_by(signal.SIGINT, **options)
    with pytest.raises(KeyboardInterrupt):
        minimize(fun, BOX, **options)
    assert minimize(tilted, BOX, **options).nfev == 100  # everything was saved


def test_ctrl_c_waits_for_the_end_of_an_interpreted_kernel(tmp_path, monkeypatch, usual_signals):
    """Half a generation was saved, and the file was refused as damaged."""
    for module in (loading, engine):
        monkeypatch.setattr(module, "find_kernel", lambda place, **_options: interpreted(place))
    steps, ended = interpreting._load("rdex.engine.kernels.steps"), []
    decide = steps.decide

    def interrupted(*arguments):
        ended.append(decide)
        if len(ended) == 20:
            os.kill(os.getpid(), signal.SIGINT)
        decide(*arguments)

    monkeypatch.setattr(steps, "decide", interrupted)
    options = {"maxfev": 100, "rng": 1, "checkpoint": tmp_path / "run.npz"}
    stopped = minimize(tilted, BOX, **options)
    assert stopped.status == 5 and stopped.nfev < 60
    again = minimize(tilted, BOX, **options)
    assert same_run(again, minimize(tilted, BOX, **{**options, "checkpoint": None}))


def test_a_second_ctrl_c_ends_a_loop_of_runs(usual_signals):
    fun, options = stopped_by(signal.SIGINT, twice=True)
    assert minimize(fun, BOX, **options).status == 5
    with pytest.raises(KeyboardInterrupt):
        minimize(fun, BOX, **options)


@pytest.mark.parametrize("name", ["checkpoint", "evaluations"])
@pytest.mark.parametrize("more", [
    {}, {"algorithm": "local"}, {"algorithm": "rdex-csop+local"}, {"algorithm": "auto"},
    {"algorithm": "auto", "updating": "deferred", "batch": 3},
], ids=str)  # fmt: skip
def test_sigterm_saves_and_ends_the_program(tmp_path, usual_signals, more, name):
    """A loop of runs does not go on with the next one."""
    maxfev = 30 if more.get("algorithm") == "auto" else 100
    fun, options = stopped_by(signal.SIGTERM, **{name: tmp_path / "run"}, **more)
    fun.__name__, options["maxfev"] = "tilted", maxfev
    with pytest.raises(SystemExit) as caught:
        minimize(fun, BOX, **options)
    assert caught.value.code == 128 + signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    calls = []

    def counted(x):
        calls.append(x)
        return tilted(x)

    counted.__name__ = "tilted"
    again = minimize(counted, BOX, **options)
    # One for the comparison; a checkpoint holds whole batches.
    n_lost = 2 if name == "checkpoint" and "batch" in more else 0
    assert again.nfev == maxfev and len(calls) == maxfev - 19 + 1 + n_lost
    whole = minimize(tilted, BOX, **{**options, name: None})
    assert again.fun == whole.fun and np.array_equal(again.x, whole.x)


def test_signals_of_other_threads_are_left_alone():
    results = []
    thread = threading.Thread(
        target=lambda: results.append(minimize(tilted, BOX, maxfev=50, rng=1))
    )
    thread.start()
    thread.join()
    assert results[0].nfev == 50
