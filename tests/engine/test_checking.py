"""States from files: whatever is edited in them, they are refused or the run goes on to its end.

The edits run in a process of their own, with a limit of time: a crash or a hang would be seen.
"""

import io
import os
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
from engine_problems import KINDS
from runs import IS_COMPILED, quiet, variant

from rdex.common.errors import RunFileError
from rdex.engine.anyorder import AnyOrder
from rdex.engine.engine import Engine
from rdex.engine.files import load_state, save_state

pytestmark = quiet

VARIANTS = {
    "rdex": variant("rdex-tide", n0=12, n0_least=0),
    "ude": variant("ude-iv", n0=8, pbest_high=6, memory_size=5, learning_period=3),
}
FES = 260
CASES = 100 if IS_COMPILED else 60


def engine_at(name: str, stop: int, out: int = 0) -> Engine:
    """A run after `stop` evaluations with a few points out."""
    engine = Engine(KINDS["plane-5"], VARIANTS[name], FES, 3, checkpoints=20)
    while engine.nfev < stop:
        tell(engine, engine.ask(min(3, stop - engine.nfev)))
    if out:
        engine.ask(out)
    return engine


def tell(engine, points):
    engine.tell(*engine.problem.evaluate(points))


def edited(arrays, random):
    """The arrays with one entry changed; its name."""
    names = [name for name, array in arrays.items() if array.size]
    name = names[random.integers(len(names))]
    array = arrays[name]
    if array.dtype.names:
        field = array.dtype.names[random.integers(len(array.dtype.names))]
        name, array = f"{name}.{field}", array[field]
    k = random.integers(array.size)
    words = [0, 1, -1, 2, 7, 100, 10**6, 2**31, 2**62, -(2**63)]
    reals = [0.0, -1.0, 0.5, 2.0, 1e300, -1e300, np.inf, -np.inf, np.nan, 1e-300]
    if array.dtype == np.float64:
        array.flat[k] = reals[random.integers(len(reals))]
    elif array.dtype == np.uint64:
        array.flat[k] = np.uint64(random.integers(2**63))
    else:
        array.flat[k] = words[random.integers(len(words))]
    return name


def try_edits(name: str, cases: int) -> None:
    """Each edit is refused with a RunFileError, or the run uses up its budget."""
    random = np.random.default_rng(5)
    refused = 0
    for _ in range(cases):
        stop, out = int(random.integers(1, FES - 5)), int(random.integers(0, 4))
        arrays = engine_at(name, stop, out).arrays()
        what = edited(arrays, random)
        print(what, stop, out, flush=True)
        engine = Engine(KINDS["plane-5"], VARIANTS[name], FES, 3, checkpoints=20)
        try:
            engine.restore(arrays, may_grow=bool(random.integers(2)))
        except RunFileError:
            refused += 1
            continue
        if len(engine.outstanding()):
            tell(engine, engine.outstanding())
        while engine.nfev < engine.maxfev and engine.nfev < 2 * FES:
            points = engine.ask(3)
            assert len(points), what
            tell(engine, points)
    print("refused", refused, flush=True)


@pytest.mark.parametrize("name", VARIANTS)
def test_edited_states_are_refused_or_run(name):
    code = f"import test_checking as t; t.try_edits({name!r}, {CASES})"
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, *sys.path])
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    lines = run.stdout.splitlines()
    assert run.returncode == 0, f"{run.returncode} after {lines[-1:]}: {run.stderr[-2000:]}"
    assert int(lines[-1].split()[1]) > CASES // 4


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("out", [0, 1, 3])
def test_states_of_whole_runs_pass_wherever_they_are_saved(name, out):
    for stop in range(out, FES - 4, 3 if IS_COMPILED else 16):
        engine = engine_at(name, stop, out)
        Engine(KINDS["plane-5"], VARIANTS[name], FES, 3, checkpoints=20).restore(engine.arrays())


def test_states_of_older_versions_go_on():
    """Without a constant that came later, and only where that is at its default now."""
    whole, begun = engine_at("rdex", FES), engine_at("rdex", 100)
    arrays = begun.arrays()
    record = arrays["engine.settings"]
    older = [name for name in record.dtype.names if name != "eps_locked_share"]
    packed = np.empty(1, [(name, record.dtype[name]) for name in older])
    for name in older:
        packed[name] = record[name]
    arrays["engine.settings"] = packed
    resumed = Engine(KINDS["plane-5"], VARIANTS["rdex"], FES, 3, checkpoints=20)
    resumed.restore(arrays)
    while not resumed.is_finished:
        tell(resumed, resumed.ask(min(3, FES - resumed.nfev)))
    assert resumed.best.f == whole.best.f
    unlocking = VARIANTS["rdex"].replace(eps_locked_share=0.4)
    with pytest.raises(RunFileError, match="other arguments"):
        Engine(KINDS["plane-5"], unlocking, FES, 3, checkpoints=20).restore(arrays)


@pytest.mark.parametrize("name", VARIANTS)
def test_states_in_any_order_pass(name):
    """Results in random order, with races, restarts and points drawn ahead."""
    random = np.random.default_rng(2)
    flight = AnyOrder(Engine(KINDS["plane-5"], VARIANTS[name], FES, 3, checkpoints=20))
    out = []
    while not flight.engine.is_finished:
        asked = flight.ask() if len(out) < random.integers(1, 9) else None
        if asked is not None:
            out.append(asked)
        elif out:
            number, point = out.pop(random.integers(len(out)))
            f, g, h = flight.engine.problem.evaluate(point[None])
            flight.tell(number, float(f[0]), g[0], h[0])
        arrays = flight.engine.arrays()
        Engine(KINDS["plane-5"], VARIANTS[name], FES, 3, checkpoints=20).restore(arrays)


def entry(shape, data=b"", dtype="<f8"):
    """A .npy file that declares a shape."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": dtype, "fortran_order": False, "shape": shape}
    )
    return stream.getvalue() + data


@pytest.mark.parametrize(("kind", "content"), [
    (zipfile.ZIP_STORED, entry((10**12,))),
    (zipfile.ZIP_STORED, entry((10**8,))),
    (zipfile.ZIP_STORED, entry((2**40, 2**40))),
    (zipfile.ZIP_STORED, entry((3,), b"12345678")),
    (zipfile.ZIP_STORED, entry((1,), b"12345678", "|O")),
    (zipfile.ZIP_DEFLATED, entry((200_000_000,), bytes(1_600_000))),
    (zipfile.ZIP_STORED, b"\x93NUMPY\x01\x00\xff\xff{'descr"),
    (zipfile.ZIP_STORED, b""),
])  # fmt: skip
def test_a_file_is_not_believed_to_be_larger_than_it_is(tmp_path, kind, content):
    path = tmp_path / "run.npz"
    save_state(path, {"x": np.zeros(3)}, {})
    with zipfile.ZipFile(path, "a", kind) as archive:
        archive.writestr("more.npy", content)
    tracemalloc.start()
    try:
        with pytest.raises(RunFileError):
            load_state(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
