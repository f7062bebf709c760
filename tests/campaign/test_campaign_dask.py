"""The same campaign on a real Dask scheduler with two workers, which are killed."""

import os
import signal

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("distributed")
pytest.importorskip("psutil")

import psutil
from commands import WORDS, command, finished, rows, wait_for_runs

import dask_processes
import rdex.campaign
from dask_processes import worker_pids
from rdex.campaign import CampaignError

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
]


@pytest.fixture
def cluster(tmp_path):
    """Address and nannies of a cluster of this machine."""
    with dask_processes.cluster(tmp_path) as made:
        yield made


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
    assert rdex.campaign.run(folder, scheduler=address, **WORDS).stored == stored
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
