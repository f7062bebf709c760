"""Damaged files of runs: read as they were, mended, or refused with a clear error. Never another
answer, a crash or a raw exception."""

import io
import json
import zipfile

import numpy as np
import pytest
from fuzzing import DONE, IS_LONG, fuzzed
from hypothesis import given
from hypothesis import strategies as st

import rdex

BOX = [(-5.0, 5.0)] * 2
COMMON = {"maxfev": 60, "rng": 1}

#: What may stand in a header in the place of what was there.
ODD_JSON = st.sampled_from([
    None, True, -1, 0, 3, 10**30, 0.5, 1e300, "", "x", "nan", [], [1], [[1, 2]], {}, {"a": 1},
    [None], "\ud800", -0.0,
])  # fmt: skip

EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=6)


def fun(x):
    return float(x @ x) + float(np.sin(5 * x[0])), [1.0 - float(x[0])]


PROBLEM = rdex.Problem.from_function(fun, BOX, n_ineq=1, name="fuzzed")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Files of runs that were stopped halfway: kind -> bytes; and the runs' results."""
    folder = tmp_path_factory.mktemp("whole")
    files, results = {}, {}
    for kind, name, algorithm in KINDS:
        path = folder / kind
        options = {**common(algorithm), name: path}
        half = options["maxfev"] // 2
        rdex.minimize(PROBLEM, callback=lambda result, half=half: result.nfev >= half, **options)
        files[kind] = path.read_bytes()
        results[kind] = rdex.minimize(PROBLEM, **options)
    for kind, algorithm in OPTIMIZERS.items():
        optimizer = asked(algorithm)
        optimizer.save(folder / kind)
        files[kind] = (folder / kind).read_bytes()
    return Whole((files, results))


class Whole(tuple):
    """Files and results, with a short name in messages."""

    def __repr__(self):
        return "whole"


KINDS = [
    ("log", "evaluations", "rdex-csop"),
    ("checkpoint", "checkpoint", "rdex-csop"),
    ("checkpoint-ude", "checkpoint", "ude-iv"),
    ("checkpoint-local", "checkpoint", "local"),
    ("checkpoint-hybrid", "checkpoint", "rdex-csop+local"),
    ("log-auto", "evaluations", "auto"),
    ("checkpoint-auto", "checkpoint", "auto"),
]
OPTIONS = {kind: (name, algorithm) for kind, name, algorithm in KINDS}
OPTIMIZERS = {"optimizer": "rdex-csop", "optimizer-auto": "auto"}


def common(algorithm):
    """Arguments of a run; models take their time."""
    return {**COMMON, "algorithm": algorithm, "maxfev": 12 if algorithm == "auto" else 60}


def asked(algorithm):
    optimizer = rdex.Optimizer(BOX, 1, **common(algorithm))
    for _ in range(2):
        for n_told in (3, 4):
            X = optimizer.ask(5)[:n_told]
            if len(X):
                optimizer.tell(X, *zip(*[fun(x) for x in X], strict=True))
    return optimizer


def opened(kind, data, path, results, is_forged=False):
    """Read a file as a user would; True if it was taken for whole.

    A file that somebody forged, checksums included, may be of another run.
    """
    DONE["corrupted files"] += 1
    path.write_bytes(data)
    try:
        if kind in OPTIMIZERS:
            optimizer = rdex.Optimizer(BOX, 1, **common(OPTIMIZERS[kind]))
            optimizer.load(path)
            result = optimizer.result()
            assert result.nfev <= 60 and (np.abs(result.x) <= 5.0).all()
            assert is_forged or not result.nfev or result.fun == fun(result.x)[0], "another answer"
            return True
        name, algorithm = OPTIONS[kind]
        result = rdex.minimize(PROBLEM, **common(algorithm), **{name: path})
    except rdex.RdexError as error:
        assert str(error)
        return False
    assert result.nfev <= 60
    assert is_forged or result.fun == results[kind].fun, "another answer"
    return True


def entries(facts):
    """Every place of a header where something stands, as (dict, key)."""
    for key, value in facts.items():
        yield facts, key
        if isinstance(value, dict):
            yield from entries(value)


def damaged(data, edits):
    """Bytes changed at some places."""
    changed = bytearray(data)
    for place, value in edits:
        changed[int(place * (len(changed) - 1))] = value
    return bytes(changed)


ALL = [*OPTIONS, *OPTIMIZERS]


@pytest.mark.parametrize("kind", ALL)
def test_truncated_anywhere(kind, whole, tmp_path):
    files, results = whole
    data = files[kind]
    n = min(len(data), (150 if "auto" in kind else 600) if IS_LONG else 12)
    for size in np.unique(np.linspace(0, len(data) - 1, n).astype(int)):
        opened(kind, data[:size], tmp_path / "file", results)


@pytest.mark.parametrize("kind", ALL)
@fuzzed(10, 200)
@given(edits=EDITS)
def test_bytes_changed_anywhere(kind, edits, whole, tmp_path):
    files, results = whole
    opened(kind, damaged(files[kind], edits), tmp_path / "file", results)


@pytest.mark.parametrize("kind", [kind for kind in ALL if "log" not in kind])
@fuzzed(10, 150)
@given(place=st.integers(0, 10**6), value=ODD_JSON)
def test_headers_that_say_something_else(kind, place, value, whole, tmp_path):
    """A whole archive whose header was edited: no checksum notices it."""
    files, results = whole
    with zipfile.ZipFile(io.BytesIO(files[kind])) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    array = np.load(io.BytesIO(parts["header.npy"]))
    header = json.loads(bytes(array).decode())
    places = list(entries(header))
    target, key = places[place % len(places)]
    target[key] = value
    stream = io.BytesIO()
    np.save(stream, np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))
    parts["header.npy"] = stream.getvalue()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    opened(kind, packed.getvalue(), tmp_path / "file", results, is_forged=True)


@pytest.mark.parametrize("edit", [
    {"calls": np.array([10**15])}, {"calls": np.array([-1])}, {"calls": np.array([5, -10**9])},
    {"calls": np.zeros((2, 2), np.int64)}, {"calls": np.array([1.5])}, {"values": np.zeros(3)},
    {"values": np.zeros((1, 1))}, {"budgets": np.array([[0, 10**18]])}, {"budgets": np.zeros(2)},
    {"budgets": np.array([[5, 60], [0, 60]])}, {"budgets": np.array([[0, 60], [3, 10]])},
    {"points": np.zeros((1, 2))}, {"points": np.zeros(3)}, {"injections": np.zeros((3, 2))},
    {"clock": np.array([0.5])},
], ids=str)  # fmt: skip
def test_journals_that_make_no_sense(edit, whole, tmp_path):
    files, results = whole
    with np.load(io.BytesIO(files["checkpoint-local"])) as archive:
        arrays = {**{name: archive[name] for name in archive.files}, **edit}
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    assert not opened("checkpoint-local", stream.getvalue(), tmp_path / "file", results)
