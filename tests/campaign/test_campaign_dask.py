"""The same campaign on a real Dask scheduler with two workers, which are killed."""

import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("distributed")
pytest.importorskip("psutil")

import psutil
from commands import WORDS, command, finished, rows, wait_for_runs, wait_until

import rdex.campaign
from rdex.campaign import CampaignError

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
]


def dask(*words):
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers with their nannies; gives the address and the nanny process."""
    import json

    file = tmp_path / "scheduler.json"
    started = [
        dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
             "--scheduler-file", str(file))
    ]  # fmt: skip
    try:
        wait_until(lambda: file.exists() and file.read_text().strip().endswith("}"), 60)
        started.append(
            dask("worker", "--scheduler-file", str(file), "--nworkers", "2", "--nthreads", "1",
                 "--no-dashboard", "--host", "127.0.0.1")
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
    return [
        child.pid
        for child in psutil.Process(nannies.pid).children(recursive=True)
        if "spawn_main" in " ".join(child.cmdline())
    ]


def test_dask_equals_local_though_worker_and_client_are_killed(
    cluster, undisturbed_folder, tmp_path
):
    address, nannies = cluster
    folder = tmp_path / "out"
    process = command(folder, "--scheduler", address)
    wait_for_runs(folder, 2, process)
    os.kill(worker_pids(nannies)[0], signal.SIGKILL)
    wait_for_runs(folder, 8, process)
    assert process.poll() is None, process.communicate()
    process.kill()
    finished(process)
    stored = len(list(folder.glob("*/*/*.parquet")))
    assert 8 <= stored < 20
    code, out, err = finished(command(folder, "--scheduler", address))
    assert code == 0, err
    assert f"{stored} were there" in out
    assert rows(folder) == rows(undisturbed_folder)


@pytest.mark.slow
def test_a_cluster_of_this_machine(undisturbed_folder, tmp_path):
    code, _, err = finished(command(tmp_path / "out", "--cluster", "local:2"))
    assert code == 0, err
    assert rows(tmp_path / "out") == rows(undisturbed_folder)


@pytest.mark.slow
def test_a_scheduler_that_dies_ends_with_a_message(cluster, undisturbed_folder, tmp_path):
    address, _ = cluster
    folder = tmp_path / "out"
    process = command(folder, "--scheduler", address)
    wait_for_runs(folder, 2, process)
    [scheduler] = [each for each in psutil.Process().children() if "scheduler" in each.cmdline()]
    scheduler.kill()
    code, _, err = finished(process)
    assert code == 1
    assert "the same command goes on" in err
    rdex.campaign.run(folder, workers=2, **WORDS)
    assert rows(folder) == rows(undisturbed_folder)


@pytest.mark.slow
def test_no_scheduler_there(tmp_path):
    with pytest.raises(CampaignError, match="no Dask scheduler answers"):
        rdex.campaign.run(tmp_path / "out", scheduler="tcp://127.0.0.1:1", **WORDS)


def test_words_of_a_cluster_are_checked(tmp_path):
    with pytest.raises(ValueError, match="local:N"):
        rdex.campaign.run(tmp_path / "out", cluster="slurm:3", **WORDS)
    with pytest.raises(ValueError, match="not both"):
        rdex.campaign.run(tmp_path / "out", cluster="local:1", scheduler="tcp://a:1", **WORDS)
