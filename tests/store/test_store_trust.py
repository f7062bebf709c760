"""Stores that are damaged, doubled, written to by many, or whose algorithms have changed."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

from test_store_files import PLAN, a_run, store  # noqa: F401 - a fixture

import rdex.store
from rdex.store import PlanDifference, RunFileError, Store, StoreError
from rdex.store.schema import encode_run


def put(store, one, name=None):  # noqa: F811
    """Write a run, under another file name where one is given."""
    store.write(one.key, encode_run(one))
    if name is not None:
        store.path(one.key).rename(store.path(one.key).with_name(name))


def changed(**settings):
    """The plan with other settings of its algorithm "a"."""
    return {**PLAN, "algorithms": {**PLAN["algorithms"], "a": settings}}


# --- reading ------------------------------------------------------------------------------------
def loaded_or_refused(folder):
    """All values of a store as text, or None where it is refused."""
    try:
        return repr(rdex.store.load(folder).arrow.to_pylist())
    except RunFileError:
        return None


def test_a_damaged_copy_is_refused_or_the_same(tmp_path):
    """Pages that carry no checked checksum were read with other numbers."""
    made = Store(tmp_path)
    made.open(PLAN, {})
    put(made, a_run())
    path = made.path(a_run().key)
    sound, expected = path.read_bytes(), loaded_or_refused(tmp_path)
    refused = 0
    for at in range(4, len(sound), 31):
        damaged = bytearray(sound)
        damaged[at] ^= 1 << at % 8
        path.write_bytes(bytes(damaged))
        got = loaded_or_refused(tmp_path)
        refused += got is None
        assert got in (None, expected), f"byte {at}"
    assert refused > 50
    for size in range(0, len(sound), 97):
        path.write_bytes(sound[:size])
        assert loaded_or_refused(tmp_path) is None


def test_two_files_of_one_run_are_refused(store):  # noqa: F811
    path = store.path(a_run().key)
    path.with_name("run-001 (copy).parquet").write_bytes(path.read_bytes())
    with pytest.raises(RunFileError, match=r"run-001 \(copy\).*are both the run a:g2006/G06:1"):
        rdex.store.load(store.folder)


@pytest.mark.parametrize("run", [0, -1])
def test_runs_that_no_campaign_makes_are_refused(store, run):  # noqa: F811
    put(store, a_run(run=run), "run-009.parquet")
    with pytest.raises(RunFileError, match=f"runs count from 1, got {run}"):
        rdex.store.load(store.folder)


READ = """
import glob, sys, time
import pyarrow.parquet, scipy.linalg  # BLAS has threads of its own
from rdex.store import Store, load

def name_of(thread):
    try:
        return open(thread).read()
    except OSError:  # it ended since it was listed
        return "jemalloc"

def threads():  # those of the allocator come and go, and do no harm
    names = [name_of(thread) for thread in glob.glob("/proc/self/task/*/comm")]
    return len([name for name in names if not name.startswith("jemalloc")])

before = threads()
load(sys.argv[1])
Store(sys.argv[1]).check([])
for _ in range(100):  # our own threads that read files end soon
    if threads() > before:
        time.sleep(0.05)
print(threads() - before)
"""


def test_reading_leaves_no_threads_of_arrow(store):  # noqa: F811
    """Interpreters that end while Arrow's threads live abort now and then."""
    command = [sys.executable, "-c", READ, str(store.folder)]
    shown = subprocess.run(command, capture_output=True, text=True)
    assert (shown.returncode, shown.stdout.strip()) == (0, "0"), shown.stderr


@pytest.mark.slow
def test_the_interpreter_ends_well_after_reading(store):  # noqa: F811
    command = [sys.executable, "-c", READ, str(store.folder)]
    codes = [subprocess.run(command, capture_output=True).returncode for _ in range(70)]
    assert codes == [0] * 70


# --- the manifest -------------------------------------------------------------------------------
IMPORT = """
import sys, time, pathlib
from rdex.store import Store
pathlib.Path(sys.argv[1], sys.argv[2]).touch()
while len(list(pathlib.Path(sys.argv[1]).glob("[abc]"))) < 3:
    time.sleep(0.001)
for number in range(8):
    Store(sys.argv[1] + "/out").note_import(f"{sys.argv[2]}-{number}", {"source": "x"})
"""


def test_simultaneous_imports_are_all_noted(tmp_path):
    processes = [
        subprocess.Popen([sys.executable, "-c", IMPORT, str(tmp_path), name]) for name in "abc"
    ]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    noted = Store(tmp_path / "out").manifest()["imported"]
    assert sorted(noted) == [f"{name}-{number}" for name in "abc" for number in range(8)]


@pytest.mark.parametrize(
    "content",
    [
        '{"format": "rdex-campaign", "version": 1}',
        '{"format": "rdex-campaign", "version": 1, "plan": [], "versions": {}, "imported": {}}',
        '{"format": "rdex-campaign", "version": 1, "plan": {"runs": 2}, "versions": {}, '
        '"imported": {}}',
        "[]",
        "[" * 100_000,
    ],
)
def test_half_a_manifest_is_refused(store, content):  # noqa: F811
    (store.folder / "_manifest.json").write_text(content)
    with pytest.raises(StoreError, match="manifest"):
        rdex.store.load(store.folder)


# --- algorithms that change ---------------------------------------------------------------------
def test_an_algorithm_without_runs_may_change(tmp_path):
    made = Store(tmp_path)
    made.open(PLAN, {})
    put(made, a_run("b"))
    made.write_failure(a_run().key, "NameError: typo", "Traceback")
    made.open(changed(n=2), {})
    assert made.manifest()["plan"]["algorithms"]["a"] == {"n": 2}
    assert made.failures() == []  # to be tried again
    assert made.has(a_run("b").key)


def test_an_algorithm_with_runs_may_not_change_unless_replaced(store):  # noqa: F811
    with pytest.raises(PlanDifference, match=r"--replace a sets its stored runs aside"):
        store.open(changed(n=2), {})
    store.open(changed(n=2), {}, replace=["a"])
    assert rdex.store.load(store.folder).algorithms == ("b",)
    assert len(list((store.folder / "_set_aside").rglob("run-*"))) == 4
    assert store.manifest()["plan"]["algorithms"]["a"] == {"n": 2}


def test_replacing_needs_no_change(store):  # noqa: F811
    """What an algorithm's file imports may have changed."""
    store.open(PLAN, {}, replace=["b"])
    assert rdex.store.load(store.folder).algorithms == ("a",)
    with pytest.raises(ValueError, match="'c' is no algorithm of the plan"):
        store.open(PLAN, {}, replace=["c"])


def test_a_refusal_names_the_way_on(store):  # noqa: F811
    with pytest.raises(PlanDifference, match=r"runs: 2 → 3\n.*--extend makes what is missing"):
        store.open({**PLAN, "runs": 3}, {})
    with pytest.raises(PlanDifference, match=r"(?s)--replace a .*--extend"):
        store.open({**changed(n=2), "runs": 3}, {})
    with pytest.raises(PlanDifference, match="Use another folder"):
        store.open({**PLAN, "rng": 1}, {})


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_files_have_the_permissions_of_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        made = Store(tmp_path / "out")
        made.open(PLAN, {})
        put(made, a_run())
    finally:
        os.umask(before)
    assert made.path(a_run().key).stat().st_mode & 0o777 == 0o640
    assert (made.folder / "_manifest.json").stat().st_mode & 0o777 == 0o640
