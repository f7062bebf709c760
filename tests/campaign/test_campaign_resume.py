"""Campaigns that are killed, doubled, damaged and continued end as if nothing had happened."""

import os
import random
import resource
import shutil
import signal

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("joblib")
pytest.importorskip("psutil")

import psutil
from commands import (
    WORDS,
    command,
    finished,
    is_alive,
    rows,
    wait_for_runs,
    wait_until,
    worker_processes,
)

import rdex.campaign
import rdex.store
from rdex.store import PlanDifference, StoreError
from runs_here import runs_here

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
]


@pytest.fixture(scope="module")
def undisturbed(undisturbed_folder):
    """Rows of the campaign made in one process without any interruption."""
    return rows(undisturbed_folder)


def test_command_killed_and_continued(undisturbed, tmp_path):
    folder = tmp_path / "out"
    process = command(folder, "--workers", "1")
    wait_for_runs(folder, 3, process)
    workers = [child.pid for child in worker_processes(process)]
    os.kill(process.pid, signal.SIGKILL)
    finished(process)
    wait_until(lambda: not any(is_alive(pid) for pid in workers))
    before = {path: path.read_bytes() for path in folder.glob("*/*/*.parquet")}
    assert 3 <= len(before) < 20
    with runs_here():
        outcome = rdex.campaign.run(folder, workers=1, **WORDS)
    assert outcome.stored == len(before)
    assert all(path.read_bytes() == content for path, content in before.items())
    assert rows(folder) == undisturbed


def test_worker_killed_costs_only_its_tasks(undisturbed, tmp_path):
    here = psutil.Process()
    others, killed = set(worker_processes(here)), []

    def kill_one(progress, _key, _error):
        if progress.computed >= 2 and not killed:
            workers = set(worker_processes(here)) - others
            assert len(workers) == 2
            killed.append(workers.pop())
            killed[0].kill()

    outcome = rdex.campaign.run(tmp_path / "out", workers=2, on_progress=kill_one, **WORDS)
    assert killed and (outcome.computed, outcome.failed) == (20, 0)
    assert rows(tmp_path / "out") == undisturbed


def test_two_commands_on_one_folder(undisturbed, tmp_path):
    folder = tmp_path / "out"
    process = command(folder, "--workers", "1")
    wait_for_runs(folder, 1, process)
    with runs_here():
        outcome = rdex.campaign.run(folder, workers=1, **WORDS)
    code, _, err = finished(process)
    assert code == 0, err
    assert 0 < outcome.computed < 20
    assert rows(folder) == undisturbed
    assert not list(folder.rglob("*.part"))


def test_damaged_and_foreign_files_are_set_aside(undisturbed, undisturbed_folder, tmp_path, caplog):
    folder = tmp_path / "out"
    shutil.copytree(undisturbed_folder, folder)
    files = sorted(folder.glob("*/*/*.parquet"))
    truncated, empty, flipped, swapped = files[0], files[5], files[9], files[14]
    sound = files[15].read_bytes()
    truncated.write_bytes(truncated.read_bytes()[:-100])
    empty.write_bytes(b"")
    content = bytearray(flipped.read_bytes())
    for k in range(400, 3000, 50):  # some of it is values, the rest nobody reads
        content[k] ^= 1
    flipped.write_bytes(bytes(content))
    swapped.write_bytes(sound)
    (folder / "notes.parquet").write_text("no Parquet at all")
    with pytest.raises(ValueError, match="no whole Parquet file"):
        rdex.store.load(folder)
    with runs_here():
        outcome = rdex.campaign.run(folder, workers=1, **WORDS)
    assert (outcome.stored, outcome.computed) == (16, 4)
    assert rows(folder) == undisturbed
    aside = {p.relative_to(folder / "_set_aside").as_posix() for p in
             (folder / "_set_aside").rglob("*") if p.is_file()}  # fmt: skip
    moved = [p.relative_to(folder).as_posix() for p in (truncated, empty, flipped, swapped)]
    assert aside == {f"{name}.1" for name in [*moved, "notes.parquet"]}
    assert "holds another run" in caplog.text


def test_another_plan_is_refused_with_the_difference(undisturbed_folder):
    other = {**WORDS, "runs": 6, "rng": 7, "problems": "1,2", "algorithms": "rdex-csop,rde26"}
    with pytest.raises(PlanDifference) as caught:
        rdex.campaign.run(undisturbed_folder, **other)
    text = str(caught.value)
    for line in ("runs: 5 → 6", "rng: 0 → 7", "cec2017/C02/d10/2017/1: nothing → 60000",
                 "algorithms, rde26: nothing →", "algorithms, cl-srde: "):  # fmt: skip
        assert line in text


def test_extended_campaign_keeps_its_runs(tmp_path):
    folder = tmp_path / "out"
    changed = {"name": "cl-srde-600", "base": "cl-srde", "n0": 600}
    small = {**WORDS, "runs": 1, "maxfev": 1000, "problems": "1", "algorithms": [changed]}
    with runs_here():
        rdex.campaign.run(folder, **small)
        outcome = rdex.campaign.run(folder, extend=True, **{**small, "runs": 2})
    assert (outcome.stored, outcome.computed) == (1, 1)
    with pytest.raises(PlanDifference, match="runs: 2 → 1"):
        rdex.campaign.run(folder, extend=True, **small)
    other = {**small, "runs": 2, "algorithms": [{**changed, "n0": 500}]}
    with pytest.raises(PlanDifference, match="cl-srde-600, n0: 600 → 500"):
        rdex.campaign.run(folder, extend=True, **other)


@pytest.mark.usefixtures("undisturbed_folder")  # has compiled all kernels into the cache
def test_a_full_disk_ends_with_a_message(tmp_path):
    """Files may not grow beyond a limit, which is what a full disk is to the writer."""
    folder = tmp_path / "out"
    small = {**WORDS, "maxfev": 400, "runs": 1, "algorithms": ["rdex-csop"], "problems": "1"}
    limit = 4000  # a manifest fits, a run does not
    process = command(
        folder, "--workers", "1", words={**small, "checkpoints": 400},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )  # fmt: skip
    code, _, err = finished(process)
    assert code == 1
    assert "cannot write to" in err
    assert "All finished runs are whole" in err
    assert "Traceback" not in err
    assert not list(folder.rglob("*.parquet*"))


def test_folders_of_other_things_are_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(StoreError, match=r"holds thesis\.txt"):
        rdex.campaign.run(tmp_path, **{**WORDS, "maxfev": 1000})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.txt"]


@pytest.mark.slow
def test_ctrl_c_ends_at_once_and_says_so(undisturbed, tmp_path):
    folder = tmp_path / "out"
    process = command(folder, "--workers", "2")
    wait_for_runs(folder, 2, process)
    workers = [child.pid for child in worker_processes(process)]
    os.kill(process.pid, signal.SIGINT)
    code, _, err = finished(process)
    assert code == 130
    assert "the same command continues" in err
    assert "Traceback" not in err
    wait_until(lambda: not any(is_alive(pid) for pid in workers))
    rdex.campaign.run(folder, workers=2, **WORDS)
    assert rows(folder) == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_kills_at_random_moments(undisturbed, tmp_path, seed):
    """The command or one of its workers dies again and again, at any time."""
    folder = tmp_path / "out"
    chance = random.Random(seed)
    for _ in range(6):
        process = command(folder, "--workers", "2")
        try:
            process.wait(timeout=chance.uniform(0.5, 6.0))
        except Exception:
            workers = worker_processes(process)
            victim = chance.choice([process.pid, *(child.pid for child in workers)])
            os.kill(victim, signal.SIGKILL)
            if victim != process.pid:
                assert finished(process)[0] == 0
        process.communicate(timeout=60)
    rdex.campaign.run(folder, workers=2, **WORDS)
    assert rows(folder) == undisturbed
