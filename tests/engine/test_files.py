"""Runs on disk: continued in another process bit for bit, and nothing else taken for one."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from engine_problems import KINDS
from runs import IS_COMPILED, assert_same_arrays, assert_same_state, budget, drive, quiet, variant

from rdex.common.errors import RunFileError
from rdex.engine import files
from rdex.engine.engine import Engine
from rdex.engine.files import load_state, save_state
from rdex.engine.settings import Settings
from rdex.engine.state import Limits

pytestmark = quiet

RACING = variant("rde26", race_target_share=0.5, race_until=1.0, race_feasible_share=0.0, n0=20)
FES = budget(900)
HERE = Path(__file__).resolve().parent


def make_engine(name="holes-5"):
    return Engine(KINDS[name], RACING, FES, 3, checkpoints=20, limits=Limits(scale="auto"))


def header():
    return {"settings": RACING.as_dict(), "problem": "holes-5"}


# What the other process does: for every file, finish the run by run() and save it.
CONTINUE = """
import sys
sys.path[:0] = [{here!r}]
import warnings
warnings.filterwarnings("ignore", message=".*encountered in scalar")
from test_files import make_engine
from rdex.engine.files import load_state, save_state
for name in {names!r}:
    engine = make_engine()
    arrays, header = load_state(name)
    engine.restore(arrays)
    engine.run()
    save_state(name + ".end", engine.arrays(), header)
"""


def mid_race(engine):
    return engine.state.run["race_owed"][0] >= 0


def test_continued_in_a_new_process(tmp_path):
    """Saved during the start, in mid-generation, in mid-race and at random places."""
    whole = make_engine()
    whole.run()
    stops = {1, 7, 19, 20, 21, FES - 1, FES}
    stops |= set(np.random.default_rng(1).integers(21, FES, 6).tolist())
    paths = []
    engine = make_engine()
    raced = []
    for stop in range(FES + 1):
        engine.run(stop_at=stop)
        if mid_race(engine) and len(raced) < 3:
            raced.append(stop)
            stops.add(stop)
        if stop in stops:
            paths.append(str(tmp_path / f"{stop}.npz"))
            save_state(paths[-1], engine.arrays(), header())
    assert len(raced) == 3
    script = CONTINUE.format(here=str(HERE), names=paths)
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ | {
        "PYTHONPATH": os.pathsep.join([str(HERE.parent), *sys.path]),
    })  # fmt: skip
    for path in paths:
        arrays, told = load_state(path + ".end")
        assert_same_arrays(arrays, whole.arrays())
        assert Settings.from_dict(told["settings"]) == RACING


def test_saved_between_ask_and_tell(tmp_path):
    """Outstanding rows are part of the state."""
    ends = []
    for is_saved in (False, True):
        engine = make_engine()
        drive(engine, batch=5, until=FES // 2)
        points = engine.ask(4)
        if is_saved:
            save_state(tmp_path / "run.npz", engine.arrays(), header())
            engine = make_engine()
            arrays, _ = load_state(tmp_path / "run.npz")
            engine.restore(arrays)
        F, G, H = engine.problem.evaluate(points)
        engine.tell(F, G, H)
        drive(engine, batch=5)
        ends.append(engine.state)
    assert_same_state(*ends, except_for=())


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "run.npz"
    engine = make_engine()
    engine.run(stop_at=50)
    save_state(path, engine.arrays(), header())
    return path


def rewrite(path, **changes):
    """The file with some arrays replaced, or left out where None."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays.update(changes)
    np.savez(path, **{name: value for name, value in arrays.items() if value is not None})


def as_header(record):
    return np.frombuffer(json.dumps(record).encode(), np.uint8)


def test_a_state_comes_back_as_it_was(saved):
    engine = make_engine()
    engine.run(stop_at=50)
    arrays, told = load_state(saved)
    assert_same_arrays(arrays, engine.arrays())
    assert told == {
        "format": "rdex-run",
        "version": files.VERSION,
        **json.loads(json.dumps(header())),
    }
    for name, array in arrays.items():
        assert array.dtype == engine.arrays()[name].dtype
        assert array.flags.c_contiguous and array.flags.writeable


def test_the_file_holds_no_pickle(saved):
    with zipfile.ZipFile(saved) as archive:
        assert all(name.endswith(".npy") for name in archive.namelist())
    with np.load(saved, allow_pickle=False) as archive:
        assert set(archive.files) == {"header", *make_engine().arrays()}


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_truncated_files(saved, share):
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(RunFileError, match=r"run\.npz"):
        load_state(saved)


def test_damaged_bytes(saved):
    whole = bytearray(saved.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    saved.write_bytes(bytes(whole))
    with pytest.raises(RunFileError):
        load_state(saved)


@pytest.mark.parametrize("content", [b"hello", b"PK\x03\x04 not a zip", b"\x80\x04K\x01.", b"{}"])
def test_foreign_files(tmp_path, content):
    (tmp_path / "foreign").write_bytes(content)
    with pytest.raises(RunFileError, match="foreign"):
        load_state(tmp_path / "foreign")


def test_a_plain_array_and_a_foreign_archive(tmp_path):
    stream = io.BytesIO()
    np.save(stream, np.arange(3))
    (tmp_path / "a.npy").write_bytes(stream.getvalue())
    np.savez(tmp_path / "b.npz", x=np.arange(3))
    for name in ("a.npy", "b.npz"):
        with pytest.raises(RunFileError, match=name[0]):
            load_state(tmp_path / name)


@pytest.mark.parametrize("record", [
    {"format": "rdex-run", "version": 1}, {"format": "rdex-run"}, {"format": "other", "version": 2},
    {}, [1, 2], "text", 7, None,
])  # fmt: skip
def test_other_headers_and_versions(saved, record):
    rewrite(saved, header=as_header(record))
    with pytest.raises(RunFileError):
        load_state(saved)


def test_missing_and_misshapen_arrays(saved):
    whole = saved.read_bytes()
    for changes in ({"engine.ranks.pool": None}, {"engine.settings": np.zeros(3)},
                    {"engine.run": np.ones((2, 2))}, {"engine.run": np.zeros(99)}):  # fmt: skip
        saved.write_bytes(whole)
        rewrite(saved, **changes)
        with pytest.raises(RunFileError):
            make_engine().restore(load_state(saved)[0])


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_state(tmp_path / "none.npz")


def test_saving_replaces_whole_files_only(saved, monkeypatch):
    before = saved.read_bytes()
    monkeypatch.setattr(np, "savez", broken_savez)
    with pytest.raises(OSError, match="disk full"):
        save_state(saved, make_engine().arrays(), header())
    assert saved.read_bytes() == before
    assert os.listdir(saved.parent) == [saved.name]


def broken_savez(stream, **arrays):
    stream.write(b"half a file")
    raise OSError("disk full")


def test_this_process_compiles_as_the_others_do():
    """The runs above compare like with like."""
    assert IS_COMPILED == (os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0"))
