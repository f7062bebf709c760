"""Tricks: each works here, each can be switched off, and none changes a result."""

import json
import logging
import os
import subprocess
import sys
import threading

import numba
import pytest

from rdex.jit import compiling, tricks
from rdex.jit.tricks import Trick

compiled = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """No answers yet, and a cache of one's own."""
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("RDEX_JIT_OFF", raising=False)
    forget()
    yield tmp_path
    forget()


def forget():
    for function in (tricks.is_on, tricks._answers_file, tricks._remembered):
        function.cache_clear()


@compiled
@pytest.mark.parametrize("trick", compiling.TRICKS, ids=lambda trick: trick.name)
def test_every_trick_works_with_the_pinned_numba(trick):
    assert trick.works()


@compiled
def test_the_answer_is_remembered_and_asked_for_once(fresh):
    asked = []
    trick = Trick("sample", lambda: bool(asked.append(1)) or True)
    assert trick.is_on and trick.is_on
    (file,) = (fresh / "kernels").glob("tricks-*.json")
    assert json.loads(file.read_text()) == {"sample": True}
    forget()
    assert trick.is_on and len(asked) == 1
    forget()
    file.write_text("damaged")
    assert trick.is_on and len(asked) == 2


def raising():
    raise AttributeError("numba has changed")


@compiled
@pytest.mark.parametrize(("works", "reason"), [
    (raising, "AttributeError: numba has changed"), (lambda: False, "its test fails"),
])  # fmt: skip
def test_a_trick_that_fails_is_off_with_a_warning(fresh, caplog, works, reason):
    with caplog.at_level(logging.WARNING, logger="rdex"):
        assert not Trick("sample", works).is_on
    assert "'sample'" in caplog.text and reason in caplog.text


def test_tricks_are_switched_off_by_name(fresh, monkeypatch):
    monkeypatch.setenv("RDEX_JIT_OFF", "other, sample")
    assert not Trick("sample", lambda: True).is_on
    monkeypatch.setenv("RDEX_JIT_OFF", "all")
    assert not Trick("another", lambda: True).is_on


@compiled
def test_threads_ask_once(fresh):
    asked = []
    trick = Trick("sample", lambda: bool(asked.append(1)) or True)
    threads = [threading.Thread(target=lambda: trick.is_on) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1


RUN = """
from rdex import Problem, preset
from rdex.engine.engine import Engine
from rdex.jit.compiling import tricks_on
problem = Problem([-5.0] * 3, [5.0] * 3, rows=lambda X: ((X**2).sum(1), X[:, :1] - 1.0, None),
                  n_ineq=1)
engine = Engine(problem, preset("rdex-tide"), {maxfev}, 7)
while not engine.is_finished:
    engine.tell(*problem.evaluate(engine.ask(4)))
print(",".join(tricks_on()), float(engine.best_f).hex(), int(engine.state.random.sum()))
"""


def outcome(maxfev: int, off: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", RUN.format(maxfev=maxfev)], env=os.environ | {"RDEX_JIT_OFF": off},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return run.stdout.strip("\n").split(" ")


@pytest.mark.slow
@pytest.mark.compiled
def test_a_run_without_any_trick_is_the_same_run():
    assert outcome(3000, "all") == ["", *outcome(3000, "")[1:]]


SMALL = """
import numpy as np
from small_kernels import POINT, search
from rdex.jit.binding import table_of
from rdex.engine.state import seed_words
arrays = (seed_words(3), np.zeros(20), np.arange(20))
search(table_of(POINT, arrays), 500)
print(",".join(map(float.hex, arrays[1])), arrays[2].tolist())
"""

KERNELS = """
from numba import types
from rdex.engine.kernels.random import below, normal
from rdex.jit.binding import table_type, tuple_at
from rdex.jit.compiling import kernel, part
from rdex.jit.moving import move
from rdex.jit.signatures import INTEGERS, VECTOR, WORDS
import numpy as np

POINT = types.Tuple((WORDS, VECTOR, INTEGERS))
point_at = tuple_at(POINT)

@part(inline=False)
def improve(random, values, order, k):
    values[k] = min(values[k], normal(random))
    source = np.uint64(below(random, 10))
    move(order, source + np.uint64(k % 5), source, np.uint64(6))
    move(order, source, source + np.uint64(3), np.uint64(6))

@kernel(types.void(table_type(POINT), types.int64))
def search(table, n):
    random, values, order = point_at(table)
    improve(random, values, order, 0)
    for _ in range(n):
        improve(random, values, order, below(random, values.size))
"""


@pytest.mark.compiled
def test_a_small_search_without_any_trick_is_the_same_search(tmp_path):
    """Every trick in a few lines: the search above takes two minutes to compile without them."""
    (tmp_path / "small_kernels.py").write_text(KERNELS)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    answers = []
    for off in ("all", ""):
        run = subprocess.run(
            [sys.executable, "-c", SMALL], capture_output=True, text=True, check=True,
            env=os.environ | {"RDEX_JIT_OFF": off, "PYTHONPATH": path},
        )  # fmt: skip
        answers.append(run.stdout)
    assert answers[0] == answers[1] != ""
