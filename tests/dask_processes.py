"""A Dask scheduler and its workers as processes of their own, to be killed by tests."""

import contextlib
import json
import os
import subprocess
import sys
import time


def dask(*words):
    """Its workers import what this process can."""
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip


@contextlib.contextmanager
def cluster(folder):
    """A scheduler and two workers with their nannies; gives the address and the nanny process."""
    file = folder / "scheduler.json"
    started = [
        dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
             "--scheduler-file", str(file))
    ]  # fmt: skip
    try:
        end = time.monotonic() + 60
        while not (file.exists() and file.read_text().strip().endswith("}")):
            assert time.monotonic() < end, "the scheduler does not start"
            time.sleep(0.02)
        started.append(
            dask("worker", "--scheduler-file", str(file), "--nworkers", "2", "--nthreads", "1",
                 "--no-dashboard", "--host", "127.0.0.1", "--local-directory", str(folder))
        )  # fmt: skip
        yield json.loads(file.read_text())["address"], started[1]
    finally:
        for process in reversed(started):
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def worker_pids(nannies):
    """Worker processes under the nannies."""
    import psutil

    return [
        child.pid
        for child in psutil.Process(nannies.pid).children(recursive=True)
        if "spawn_main" in " ".join(child.cmdline())
    ]
