"""What the tests of campaigns share: the command as a process, and stores compared bit for bit."""

import subprocess
import sys
import time

import rdex.store

#: Twenty runs of about a tenth of a second.
WORDS = {
    "algorithms": ["rdex-csop", "cl-srde"],
    "suite": "cec2017",
    "dim": 10,
    "instance": 1,
    "problems": "1,6",
    "runs": 5,
    "maxfev": 60000,
    "checkpoints": 200,
}


def command(out, *more, words=WORDS, **options):
    """`rdex bench run` as a process of its own."""
    listed = [sys.executable, "-c", "from rdex.cli import main; main()", "bench", "run"]
    for name, value in words.items():
        text = ",".join(value) if isinstance(value, list) else str(value)
        listed += [f"--{name}", text]
    listed += ["--out", str(out), *more]
    return subprocess.Popen(
        listed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def finished(process, seconds=600):
    """Exit code, stdout and stderr of a process."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def wait_for_runs(folder, count, process, seconds=300):
    """Wait until the folder holds that many runs, or the process has ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(list(folder.glob("*/*/run-*.parquet"))) >= count or process.poll() is not None:
            return
        time.sleep(0.005)
    raise AssertionError(f"no {count} runs within {seconds} s")


def wait_until(fact, seconds=30):
    """Wait until `fact()` is true."""
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def rows(folder):
    """All rows of a store without times, as plain values with every bit kept."""
    table = rdex.store.load(folder).arrow.drop_columns(["started", "wall_time"])
    return [{name: bits(value) for name, value in row.items()} for row in table.to_pylist()]


def bits(value):
    """A number as text that keeps every bit."""
    if isinstance(value, float):
        return value.hex()
    return [bits(each) for each in value] if isinstance(value, list) else value


def is_alive(pid):
    """Whether a process runs; one that waits for its parent to look does not."""
    import psutil

    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def worker_processes(process):
    """Processes under the command that carry out runs; the trackers of resources do not."""
    import psutil

    children = psutil.Process(process.pid).children(recursive=True)
    return [
        child
        for child in children
        if "resource_tracker" not in " ".join(_words(child)) and child.is_running()
    ]


def _words(child):
    import psutil

    try:
        return child.cmdline()
    except psutil.Error:
        return ["resource_tracker"]
