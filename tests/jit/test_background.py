"""Runs that begin without compiled code: what they start with, who compiles, and who does not."""

import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rdex.common import cores
from rdex.jit import background, cache_folders, loading
from rdex.jit.background import Background
from rdex.jit.interpreting import interpreted

pytestmark = pytest.mark.compiled

#: A kernel that compiles in a third of a second.
SMALL = "rdex.engine.kernels.order:violation_of"

#: Calls it until it is compiled; says what happened.
UNTIL_COMPILED = f"""
import sys, time
import numpy as np
from rdex.jit import loading
from rdex.jit.background import BACKGROUND
arguments = np.array([2.0]), np.array([]), np.ones((3, 1)), 1, 0.0
started, interpreted, end = False, 0, time.monotonic() + 300
while time.monotonic() < end:
    kernel = loading.find_kernel({SMALL!r}, weight=10000)
    assert kernel(*arguments) == 2.0
    if loading.is_compiled(kernel):
        break
    assert "numba" not in sys.modules
    interpreted += 1
    started = started or BACKGROUND._process is not None
    time.sleep(0.01)
hits = sum(kernel.stats.cache_hits.values())
print(started, interpreted > 0, loading.is_compiled(kernel), hits)
"""


def environment(cache, **more):
    return os.environ | {"RDEX_CACHE_DIR": str(cache), "RDEX_COMPILE": ""} | more


def begun(cache, program=UNTIL_COMPILED, **more):
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        env=environment(cache, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(process):
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return out.split(), errors


def test_two_runs_that_start_together_begin_at_once_and_compile_once(tmp_path):
    runs = [ended(run)[0] for run in [begun(tmp_path) for _ in range(2)]]
    assert sorted(run[0] for run in runs) == ["False", "True"]
    assert all(run[1:] == ["True", "True", "1"] for run in runs)
    # A cache that is copied, as into a container image, is found there.
    shutil.copytree(tmp_path, tmp_path / "image")
    assert ended(begun(tmp_path / "image"))[0] == ["False", "False", "True", "1"]


def test_a_cache_that_cannot_be_written_is_read(monkeypatch, tmp_path):
    def refuse(*_arguments, **_more):
        raise OSError(30, "Read-only file system")

    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path))
    folder = Path(cache_folders.usable_folder("a" * 16))
    (folder / "kernel.nbi").touch()
    monkeypatch.setattr(cache_folders.tempfile, "TemporaryFile", refuse)
    assert cache_folders.usable_folder("a" * 16) == str(folder)
    assert not cache_folders.can_write()


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """A process without compiled code, and an empty cache."""
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RDEX_COMPILE", "")
    for name, value in (("_compiled", {}), ("_look_at", {}), ("_uses", loading.Counter())):
        monkeypatch.setattr(loading, name, value)
    monkeypatch.setattr(loading, "is_cached", lambda place: False)
    monkeypatch.setattr(background, "is_cached", lambda place: False)
    monkeypatch.setattr(background, "usable_cores", lambda: 2)
    monkeypatch.setattr(loading, "BACKGROUND", Background())
    monkeypatch.setattr(loading, "_expected", 10**6)


def asked(n=3, pause=0.0, **options):
    """What is found, asked n times."""
    found = []
    for _ in range(n):
        loading._look_at[SMALL] = 0.0
        found.append(loading.find_kernel(SMALL, weight=10_000, **options))
        time.sleep(pause)
    return found


def test_one_core_stays_interpreted_and_says_so_once(alone, monkeypatch, caplog):
    monkeypatch.setattr(background, "usable_cores", lambda: 1)
    with caplog.at_level(logging.WARNING, logger="rdex"):
        assert asked() == [interpreted(SMALL)] * 3
    assert [record.message.split(",")[0] for record in caplog.records] == ["there is one core only"]
    assert not loading.is_compiling()


def test_no_writable_cache_stays_interpreted_and_says_so_once(alone, monkeypatch, caplog, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with caplog.at_level(logging.WARNING, logger="rdex"):
        assert asked() == [interpreted(SMALL)] * 3
    assert len(caplog.records) == 1 and "cannot be written" in caplog.text


def test_failing_to_compile_stays_interpreted_and_says_why_once(alone, monkeypatch, caplog):
    monkeypatch.setattr(background, "BESIDE_A_RUN", "import sys; sys.exit('no compiler today')")
    with caplog.at_level(logging.WARNING, logger="rdex"):
        end = time.monotonic() + 60
        while not caplog.records and time.monotonic() < end:
            assert asked(1, 0.05) == [interpreted(SMALL)]
        assert asked() == [interpreted(SMALL)] * 3
    assert len(caplog.records) == 1 and "no compiler today" in caplog.text


def test_fused_runs_wait_where_interpreting_would_take_longer(alone, monkeypatch):
    monkeypatch.setattr(background, "usable_cores", lambda: 1)
    waited = []
    monkeypatch.setattr(loading, "load", lambda place: waited.append(place) or len)
    loading._expected = loading.AS_LONG_AS_COMPILING // 2
    assert asked(1, is_loop=True, is_fused=True) == [interpreted(SMALL)] and not waited
    loading._expected = loading.AS_LONG_AS_COMPILING * 2
    assert asked(1, is_loop=True) == [interpreted(SMALL)] and not waited
    assert asked(1, is_loop=True, is_fused=True) == [len] and waited


def test_the_first_evaluations_do_not_wait_for_loading(alone, monkeypatch):
    monkeypatch.setattr(loading, "is_cached", lambda place: True)
    monkeypatch.setattr(loading, "load", lambda place: len)
    assert loading.find_kernel(SMALL, is_loop=True) == interpreted(SMALL)
    assert asked(1, is_loop=True) == [len]
    loading._look_at.clear()
    assert loading.find_kernel(SMALL, is_loop=True, is_fused=True) is len


def test_short_runs_compile_nothing(alone, monkeypatch):
    monkeypatch.setattr(background, "BESIDE_A_RUN", "raise SystemExit('nothing to compile')")
    loading._expected = loading.WORTH_COMPILING - 1
    assert asked(1, is_loop=True) == [interpreted(SMALL)]
    loading.prepare(loading.WORTH_COMPILING - 1, SMALL)
    assert not loading.is_compiling()


def test_several_missing_loops_are_compiled_apart_one_is_not(alone, monkeypatch):
    groups = []
    monkeypatch.setattr(loading, "compile_apart", lambda found: groups.extend(found) or [])
    loading.compile_missing(["a:run"])
    assert groups == []
    loading.compile_missing(["b:run", "a:run"])
    assert groups == [["a:run"], ["b:run"]]
    monkeypatch.setattr(background, "usable_cores", lambda: 1)
    groups.clear()
    loading.compile_missing(["b:run", "a:run"])
    assert groups == []


def test_a_loop_waits_for_the_function_that_it_calls(alone, monkeypatch):
    other = "rdex.problem.kernels:evaluate_rows"
    cached, asked_for = {SMALL}, []
    monkeypatch.setattr(loading, "is_cached", cached.__contains__)
    monkeypatch.setattr(loading.BACKGROUND, "ask_for", lambda place: asked_for.append(place) or 1)
    monkeypatch.setattr(loading, "load", lambda place: place)
    assert asked(1, is_loop=True, beside=(other,)) == [interpreted(SMALL)]
    assert asked_for == [SMALL, other]
    cached.add(other)
    assert asked(1, is_loop=True, beside=(other,)) == [SMALL]
    loading._compiled[SMALL] = len
    assert asked(1) == [len]
    assert asked(1, is_loop=True, beside=(other,)) == [SMALL]  # until both are loaded


def test_cores_follow_affinity_and_quota(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    monkeypatch.setattr(cores, "QUOTA", tmp_path / "cpu.max")
    found = []
    for text in ("max 100000", "150000 100000", "50000 100000", "400000 100000"):
        (tmp_path / "cpu.max").write_text(text)
        found.append(cores.usable_cores())
    assert found == [4, 1, 1, 4]


CONTAINER = """
import os, sys
os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:1])
import rdex
result = rdex.minimize(lambda x: float(x @ x), [(-5, 5)] * 2, algorithm="rdex-csop",
                       constraints={"type": "ineq", "fun": lambda x: x[0] - 1},
                       maxfev=5000, rng=1)
print(float(result.fun).hex(), "numba" in sys.modules)
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
def test_a_container_with_one_core_and_no_place_for_a_cache_gives_the_same_result(tmp_path):
    blocked = tmp_path / "file"
    blocked.touch()
    home = {"HOME": str(blocked / "home"), "XDG_CACHE_HOME": str(blocked / "cache")}
    cold = begun("", CONTAINER, **home)
    warm = subprocess.run(
        [sys.executable, "-c", CONTAINER], capture_output=True, text=True, check=True
    )
    out, errors = ended(cold)
    assert out == [warm.stdout.split()[0], "False"]
    assert errors.count("interpreted") == 1
    assert warm.stderr == ""


def test_interpreted_kernels_warn_of_nothing_and_leave_settings_alone():
    before = np.geterr()
    words = np.full(133, 2**64 - 1, np.uint64)
    words[4] = 133
    points = np.empty((40, 5))
    box = np.zeros((6, 8))
    box[1] = 1.0
    interpreted("rdex.engine.kernels.drivers:uniform_points")(words, box, points)
    assert ((points >= 0) & (points <= 1)).all()
    assert np.geterr() == before
