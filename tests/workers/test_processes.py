"""What can go wrong with processes: search paths, held pipes, forks, functions that do not load."""

import ctypes
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from worker_checks import POINTS, is_alive, outcomes, point, wait_until

from rdex.workers.messages import ThreadChannel
from rdex.workers.point_task import FunctionLoadError, PickledTask, PointTask
from rdex.workers.pool import make_pool
from rdex.workers.worker_process import WorkerProcess

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

SCRIPT = """
from rdex.workers.point_task import PointTask
from rdex.workers.pool import make_pool
import math, sys
sys.path.append({extra!r})
import beside
pool = make_pool(PointTask(beside.function, 0, 0), 1, **{options!r})
pool.submit(0, [3.0, 4.0])
print(pool.next(math.inf)[1].f)
pool.close()
"""


@pytest.mark.parametrize("alone", [False, True])
def test_workers_import_what_their_parent_would(tmp_path, alone):
    """Not what lies in the current folder; the parent's own folders are passed on."""
    scripts, extra, here = (tmp_path / name for name in ("scripts", "extra", "here"))
    for folder in (scripts, extra, here):
        folder.mkdir()
    for name in ("cloudpickle", "numpy", "json", "beside"):
        (here / f"{name}.py").write_text(f"open({str(tmp_path / 'was_run')!r}, 'w').close()\n")
    (extra / "beside.py").write_text("def function(x, g, h):\n    return x[0] * x[1]\n")
    text = SCRIPT.format(extra=str(extra), options={})
    if alone:
        text = "import sys; import rdex.workers; sys.platform = 'elsewhere'\n" + text
    (scripts / "script.py").write_text(text)
    run = subprocess.run(
        [sys.executable, scripts / "script.py"], cwd=here, capture_output=True, text=True
    )
    assert run.stdout == "12.0\n", run.stderr
    assert not (tmp_path / "was_run").exists()


def test_the_folder_of_an_interactive_session_is_passed_on(tmp_path):
    (tmp_path / "beside.py").write_text("def function(x, g, h):\n    return x[0] * x[1]\n")
    text = SCRIPT.format(extra=".", options={})
    run = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout == "12.0\n", run.stderr


@needs_fork
@pytest.mark.parametrize("limit", [None, 2.0])
@pytest.mark.parametrize("way", ["os.fork", "libc", "subprocess"])
def test_a_held_pipe_does_not_hide_a_death(pool_of, tmp_path, way, limit):
    """A process that the worker started keeps its pipes, in a session of its own."""
    note = tmp_path / "pids"

    def leaves_one(x, g, h):
        if way == "subprocess":
            pid = subprocess.Popen(["sleep", "300"], close_fds=False, start_new_session=True).pid
        else:
            pid = os.fork() if way == "os.fork" else ctypes.CDLL(None).fork()
            if pid == 0:
                os.setsid()
                time.sleep(300)
                os._exit(0)
        with open(note, "a") as stream:
            stream.write(f"{pid}\n")
        os._exit(7)

    pool = pool_of(leaves_one, n=1, n_ineq=0, timeout=limit)
    assert outcomes(pool, POINTS[:1])[0].error == "the worker process died (exit code 7)"
    for pid in map(int, note.read_text().split()):
        os.kill(pid, 9)


@needs_fork
@pytest.mark.parametrize("way", ["os.fork", "libc"])
def test_a_function_that_returns_twice_shifts_no_result(pool_of, way):
    def forks(x, g, h):
        pid = os.fork() if way == "os.fork" else ctypes.CDLL(None).fork()
        if pid == 0 and x[0] % 4 == 0:
            sys.exit(3)
        return point(x, g, h)

    points = np.arange(200.0).reshape(100, 2)
    found = outcomes(pool_of(forks), points)
    assert [o.f for o in found] == [float(x @ x) for x in points]


@pytest.mark.skipif(sys.platform != "linux", reason="open files are found in /proc")
def test_programs_do_not_inherit_the_pipes(pool_of, tmp_path):
    """A program that outlives its worker would hold them."""

    def starts_one(x, g, h):
        with open(tmp_path / "files", "w") as stream:
            subprocess.run(["ls", "-l", "/proc/self/fd"], stdout=stream, close_fds=False)
        return point(x, g, h)

    assert outcomes(pool_of(starts_one, n=1), POINTS[:1])[0].status == "ok"
    listed = [line.split(" -> ") for line in (tmp_path / "files").read_text().splitlines()[1:]]
    held = [where for name, where in listed if int(name.split()[-1]) > 2]
    assert held and not [where for where in held if where.startswith(("pipe:", "socket:"))]


def test_an_answer_to_an_earlier_question_is_not_taken():
    class Echo:
        """Answers the last question once more before each answer."""

        def __init__(self):
            self.answers = []

        def send(self, question, until):
            self.answers += [self.answers[-1]] if self.answers else []
            self.answers.append((question[0], float(question[1][0])))

        def receive(self, until):
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    process, channel = WorkerProcess(b"", 0, 0), Echo()
    assert [process._ask(channel, np.array([x])) for x in (3.0, 5.0, 7.0)] == [3.0, 5.0, 7.0]


def test_sys_exit_is_an_exception_like_any_other(pool_of):
    found = outcomes(pool_of(lambda x, g, h: sys.exit(3), n=1, n_ineq=0), POINTS[:1])[0]
    assert found.status == "raised" and "SystemExit: 3" in found.error


@pytest.mark.skipif(sys.platform != "linux", reason="sessions are found in /proc")
@pytest.mark.parametrize("way", ["killed", "told"])
def test_programs_end_with_their_worker(pool_of, tmp_path, way):
    """A program in a process group of its own too, as from_command starts them."""

    def starts_one(x, g, h):
        process = subprocess.Popen(["sleep", "300"], process_group=0)
        with open(tmp_path / "pids", "a") as stream:
            stream.write(f"{process.pid}\n")
        if way == "killed":
            os.kill(os.getpid(), 9)
        return 0.0

    pool = pool_of(starts_one, n=1, n_ineq=0)
    outcomes(pool, POINTS[:1])
    pool.close()
    pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
    wait_until(lambda: not any(is_alive(pid) for pid in pids))


def in_a_fork(function):
    """What a function returns in a fork of this process, as a number up to 100."""
    pid = os.fork()
    if pid == 0:
        code = 101
        try:
            code = function()
        finally:
            os._exit(code)
    end = time.monotonic() + 60
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
            raise AssertionError("the fork hangs")
        time.sleep(0.02)


def hangs_at_4(x, g, h):
    if x[0] == 4:
        time.sleep(300)
    return point(x, g, h)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_of_a_run_starts_anew(pool_of):
    """With a new pool, and with one it has inherited; the parent's goes on."""
    expected = ["ok", "ok", "timeout", "ok", "ok"]
    pool = pool_of(hangs_at_4, timeout=1.0)
    for number, x in enumerate(POINTS):
        pool.submit(number, x)
    first = dict([pool.next(np.inf)])

    def inherited():
        found = dict(pool.next(np.inf) for _ in range(4)) | first
        again = outcomes(pool)
        pool.close()
        statuses = [found[k].status for k in range(5)]
        return (statuses == expected) + 2 * ([o.status for o in again] == expected)

    def another():
        new = make_pool(PointTask(hangs_at_4, 1, 0), 2, timeout=1.0)
        found = outcomes(new)
        new.close()
        pool.close()
        return sum(o.status == status for o, status in zip(found, expected, strict=True))

    assert in_a_fork(inherited) == 3
    assert in_a_fork(another) == 5
    found = dict(pool.next(np.inf) for _ in range(4)) | first
    assert [found[k].status for k in range(5)] == expected


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_guarded_tasks_start_anew_in_a_fork():
    def parent_at_0(x, g, h):
        hangs_at_4(x, g, h)
        return os.getppid()

    pool = make_pool(PointTask(parent_at_0, 1, 0), map, timeout=1.0)
    before = outcomes(pool, POINTS[:2])
    pids = {o.worker for o in before}

    def same_pool():
        found = outcomes(pool)
        right = [o.status for o in found] == ["ok", "ok", "timeout", "ok", "ok"]
        new = pids.isdisjoint(o.worker for o in found)
        return right + 2 * new + 4 * (found[0].f != before[0].f)  # another fork server

    assert in_a_fork(same_pool) == 7
    assert {o.worker for o in outcomes(pool, POINTS[:2])} == pids
    pool.close()


@pytest.mark.parametrize("workers", ["processes", "executor", "guarded executor"])
def test_a_function_that_cannot_be_loaded_is_one_clear_error(tmp_path, monkeypatch, capfd, workers):
    (tmp_path / "only_here.py").write_text(
        "import os\n"
        f"if os.getpid() != {os.getpid()}: raise OSError('no licence')\n"
        "def function(x, g, h): return 0.0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    task = PointTask(only_here.function, 0, 0)
    with ThreadPoolExecutor(1) as threads:
        pool = make_pool(
            task,
            2 if workers == "processes" else threads,
            timeout=None if workers == "executor" else 30.0,
        )
        if workers == "executor":
            monkeypatch.setitem(sys.modules, "only_here", None)
        try:
            with pytest.raises(
                FunctionLoadError,
                match=r"^workers: the function cannot be loaded in a worker process: "
                r"(OSError: no licence|ModuleNotFoundError: .*only_here.*)$",
            ):
                outcomes(pool)
        finally:
            pool.close()
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("how", ["raise SystemExit(4)", "os._exit(5)"])
def test_a_function_whose_import_ends_the_process(tmp_path, monkeypatch, pool_of, how):
    (tmp_path / "deadly.py").write_text(
        f"import os\nif os.getpid() != {os.getpid()}: {how}\ndef function(x, g, h): return 0.0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "deadly", raising=False)
    import deadly

    with pytest.raises(FunctionLoadError, match=r"SystemExit: 4|before it was ready .exit code 5"):
        outcomes(pool_of(deadly.function, n=1, n_ineq=0), POINTS[:1])


@pytest.mark.parametrize("workers", [np.int64(2), np.uint8(2), np.int32(-1)])
def test_numbers_of_numpy_are_numbers_of_workers(workers):
    pool = make_pool(PointTask(point, 1, 0), workers)
    assert pool.n == (2 if workers > 0 else os.cpu_count())
    assert [o.f for o in outcomes(pool)] == [float(x @ x) for x in POINTS]
    pool.close()


def test_large_points_and_functions_travel(pool_of):
    large = np.arange(300_000.0)
    shift = np.arange(200_000.0)
    pool = pool_of(lambda x, g, h: float(x.sum() + shift.sum()), n=1, n_ineq=0)
    assert outcomes(pool, [large])[0].f == large.sum() + shift.sum()


def test_noise_in_the_pipe_is_a_failure(pool_of):
    def writes_everywhere(x, g, h):
        for handle in range(3, 30):
            try:
                os.write(handle, b"noise" * 10)
            except OSError:
                pass
        return 0.0

    assert outcomes(pool_of(writes_everywhere, n=1, n_ineq=0), POINTS[:1])[0].status == "died"


@pytest.mark.parametrize("way", ["ok", "dies", "hangs", "holds"])
def test_the_channel_without_waiting_for_pipes(monkeypatch, way):
    """As on Windows."""

    def function(x, g, h):
        if way == "holds":
            subprocess.Popen(["sleep", "5"], close_fds=False, start_new_session=True)
        if way in ("dies", "holds"):
            os._exit(7)
        time.sleep(300 if way == "hangs" else 0)
        return 2.0

    monkeypatch.setattr("rdex.workers.worker_process.open_channel", ThreadChannel)
    process = WorkerProcess(PickledTask(PointTask(function, 0, 0)).data, 0, 0, timeout=2.0)
    found = process.evaluate(POINTS[0])
    process.close()
    expected = {"ok": "ok", "hangs": "timeout"}
    assert found.status == expected.get(way, "died")


def test_no_threads_or_processes_are_left(pool_of):
    pool = pool_of(point, timeout=5.0)
    pids = {int(o.worker.rpartition(":")[2]) for o in outcomes(pool)}
    server = pool.pool._fork_server._process.pid
    pool.close()
    wait_until(lambda: not any(is_alive(pid) for pid in (*pids, server)))
    assert not [each for each in threading.enumerate() if each.name.startswith("rdex-worker")]
