"""Run files: written, read, damaged; names of any kind; whole stores loaded."""

import json
import logging
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pandas
import pyarrow as pa
import pyarrow.parquet

import rdex.store
from rdex.recorder.record import Record
from rdex.store import RunFileError, RunKey, Store, StoredRun, StoreError
from rdex.store.runkey import slug
from rdex.store.schema import check_key, encode_run, read_row

PLAN = {
    "algorithms": {"b": {}, "a": {}},
    "problems": {"g2006/G06": 10, "g2006/G04": 10},
    "runs": 2,
    "checkpoints": 4,
    "rng": 0,
}


def a_run(algorithm="a", problem="g2006/G06", run=1, start=0.0, **more):
    f = start + np.array([3.0, 2.0, np.inf, 0.1])
    record = Record(
        f=f, v=np.array([1.0, 0.5, np.inf, 0.0]), f0=7.0, v0=1.5, x=np.array([1.0, -0.0]),
        G=np.array([-1e-300, np.pi]), H=np.empty(0), nfev=10, initial_nfev=2,
        first_feasible=None, n_failed=1,
    )  # fmt: skip
    return StoredRun(RunKey(algorithm, problem, 2, 10, run, 4), record, 2, **more)


@pytest.fixture
def store(tmp_path):
    """Two algorithms on two problems, two runs each but for one cell."""
    made = Store(tmp_path / "store")
    made.open(PLAN, {"rdex": "1"})
    for i, (name, problem, run) in enumerate(
        (a, p, r) for a in "ab" for p in ("g2006/G04", "g2006/G06") for r in (1, 2)
    ):
        if (name, problem, run) != ("b", "g2006/G04", 2):
            one = a_run(name, problem, run, start=float(i))
            made.write(one.key, encode_run(one))
    return made


def test_a_run_comes_back_bit_for_bit(tmp_path):
    one = a_run(settings={"n0": 5}, versions={"rdex": "1"}, cpu="z")
    path = tmp_path / "run.parquet"
    path.write_bytes(encode_run(one))
    row = read_row(path)
    check_key(row, one.key, path)
    assert next(iter(row)) == "format_version"
    for name in ("f", "v", "x", "G", "H"):
        assert row[name].tobytes() == getattr(one.record, name).tobytes()
    assert json.loads(row["settings"]) == {"n0": 5}
    assert row["first_feasible"] is None
    assert (row["suite"], row["problem"], row["edition"]) == ("g2006", "G06", None)
    entropy = np.random.SeedSequence(int(row["rng"]), spawn_key=tuple(row["seed_key"]))
    assert np.array_equal(entropy.generate_state(4), one.key.seed().generate_state(4))


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_damage_is_detected(data):
    """Whatever byte is changed or wherever the file ends, it is refused, or says the same."""
    one = a_run()
    whole = encode_run(one)
    content = bytearray(whole)
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(whole) - 1))]
    else:
        content[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.parquet"
        path.write_bytes(bytes(content))
        try:
            row = read_row(path)
            check_key(row, one.key, path)
        except RunFileError:
            return
    for name in ("f", "v", "x", "G", "H"):
        assert row[name].tobytes() == getattr(one.record, name).tobytes()


def test_other_parquet_files_are_refused(tmp_path):
    path = tmp_path / "other.parquet"
    pa.parquet.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(RunFileError, match="another Parquet file"):
        read_row(path)
    newer = pa.table({"a": [1]}).replace_schema_metadata(
        {"rdex.format": "rdex-run", "rdex.version": "3"}
    )
    pa.parquet.write_table(newer, path)
    with pytest.raises(
        RunFileError, match="expected a file of the format rdex-campaign-run 2, got rdex-run 3"
    ):
        read_row(path)


def test_runs_and_checkpoints_have_formats_of_their_own():
    from rdex.engine import files
    from rdex.store import schema

    assert schema.FORMAT != files.FORMAT


def test_runs_of_the_first_version_are_read(tmp_path):
    """It had another name, and no column `n_outside`."""
    one = a_run()
    path = tmp_path / "old.parquet"
    table = pa.parquet.read_table(pa.BufferReader(encode_run(one)))
    old = {"rdex.format": "rdex-run", "rdex.version": "1"}
    pa.parquet.write_table(table.drop(["n_outside"]).replace_schema_metadata(old), path)
    row = read_row(path)
    assert row["f"].tobytes() == one.record.f.tobytes()
    assert row["n_outside"] is None


@pytest.mark.parametrize(
    "name", ["../../etc", "<script>", "_%&$", ".hidden", "a b", "ü/ß", "CON:1"]
)
def test_names_of_any_kind_stay_in_the_folder(name, tmp_path):
    store = Store(tmp_path)
    store.open({**PLAN, "algorithms": {name: {}}}, {})
    one = a_run(name)
    store.write(one.key, encode_run(one))
    assert store.check([one.key]) == {one.key}
    assert store.path(one.key).resolve().is_relative_to(tmp_path.resolve())
    assert rdex.store.load(tmp_path).algorithms == (name,)


@given(st.lists(st.text(min_size=1, max_size=8), min_size=2, max_size=2, unique=True))
def test_slugs_differ(names):
    first, second = map(slug, names)
    assert first != second
    assert not first.startswith((".", "_", " "))
    assert "/" not in first + second


def test_load_gives_arrays_in_the_order_of_the_plan(store):
    data = rdex.store.load(store.folder)
    assert data.algorithms == ("b", "a")
    assert data.problems == ("g2006/G06", "g2006/G04")
    assert data.f.shape == data.v.shape == (2, 2, 2, 4)
    assert data.f0.shape == (2, 2, 2)
    assert len(data) == 7
    assert np.isnan(data.f[0, 1, 1]).all()
    assert data.f[1, 1, 0, 0] == 3.0  # a, G04, 1: the first that was written
    assert data.f[0, 0, 1, 0] == 3.0 + 7  # b, G06, 2: the last
    assert data.table[["algorithm", "problem", "run"]].iloc[0].tolist() == ["b", "G06", 1]
    assert data.points("G")[0].tolist() == [-1e-300, np.pi]
    traces = data.traces()
    assert len(traces) == 28
    assert traces.nfev[:4].tolist() == [3, 5, 8, 10]
    assert traces.f[:4].tolist() == data.f[0, 0, 0].tolist()


def test_the_folder_is_a_dataset_for_other_tools(store):
    store.write_failure(a_run(run=2).key, "E", "T")
    (store.folder / "_set_aside").mkdir()
    (store.folder / "_set_aside" / "x.parquet.1").write_bytes(b"")
    frame = pandas.read_parquet(store.folder)
    assert len(frame) == 7
    assert frame.columns[0] == "format_version"
    assert isinstance(frame.f[0], np.ndarray)


def test_load_names_the_file_at_fault(store):
    victim = store.path(a_run().key)
    victim.write_bytes(victim.read_bytes()[:300])
    with pytest.raises(RunFileError, match=r"run-001\.parquet is no whole Parquet file"):
        rdex.store.load(store.folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read"),
        (b"[]", "not the manifest"),
        (b'{"format": "rdex-campaign", "version": 9}', "expected version 1 of the format, got 9"),
    ],
)
def test_a_damaged_manifest_is_refused(store, content, message):
    (store.folder / "_manifest.json").write_bytes(content)
    with pytest.raises(StoreError, match=message):
        store.open(PLAN, {})


def test_load_of_what_is_no_store(tmp_path):
    with pytest.raises(StoreError, match="there is no folder"):
        rdex.store.load(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="has no manifest"):
        rdex.store.load(tmp_path)
    Store(tmp_path).open(PLAN, {})
    with pytest.raises(StoreError, match="no finished run yet"):
        rdex.store.load(tmp_path)


def test_other_versions_are_told(store, caplog):
    with caplog.at_level(logging.WARNING):
        store.open(PLAN, {"rdex": "2"})
    assert "was begun with rdex 1, this is 2" in caplog.text


def test_a_success_forgets_the_failure(store):
    one = a_run("b", "g2006/G04", 2)
    store.write_failure(one.key, "ValueError: no", "Traceback …")
    assert store.has_failed(one.key)
    [failure] = store.failures()
    assert (failure.run, failure.error) == (2, "ValueError: no")
    store.write(one.key, encode_run(one))
    assert not store.has_failed(one.key)
    assert store.failures() == []


def test_stale_parts_are_removed_and_fresh_ones_kept(store):
    import os

    fresh, stale = store.folder / ".a.part", store.folder / ".b.part"
    for path in (fresh, stale):
        path.write_bytes(b"half")
    os.utime(stale, (0, 0))
    store.check([])
    assert fresh.exists()
    assert not stale.exists()


def test_a_disk_that_is_full(store, monkeypatch):
    import errno
    import os

    def no_space(_handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    one = a_run("b", "g2006/G04", 2)
    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(StoreError, match=r"No space left on device\. All finished runs are whole"):
        store.write(one.key, encode_run(one))
    assert len(rdex.store.load(store.folder)) == 7
    assert not list(store.folder.rglob("*.part"))
