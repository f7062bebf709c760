"""Progress: plain lines where there is no terminal, a live display where there is one."""

import io
import sys
import time

import numpy as np
import pytest
from problems import BOX, LENS, tilted

import rdex.run.progress
from rdex import minimize
from rdex.engine.engine import Engine
from rdex.run.progress import Progress, clock_text

WORDS = ("evaluations", "best f", "violation", "feasible", "ε", "N", "speed", "left")


def test_plain_lines_go_to_standard_error(capsys):
    minimize(tilted, BOX, **LENS, maxfev=300, rng=0, progress=True)
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert all(word in err for word in WORDS) and "300/300" in err


def test_lines_come_now_and_then(capsys, monkeypatch):
    init = Progress.__init__
    monkeypatch.setattr(Progress, "__init__", lambda self, engine: init(self, engine, every=0.05))

    def slow(x):
        time.sleep(0.01)
        return tilted(x)

    minimize(slow, BOX, maxfev=40, rng=0, progress=True)
    assert 2 <= capsys.readouterr().err.count("\n") <= 12


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_a_live_display(monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    minimize(tilted, BOX, **LENS, maxfev=300, rng=0, progress=True)
    shown = sys.stderr.getvalue()
    assert "\x1b[" in shown and "300/300" in shown and "best f" in shown


def test_without_rich_a_terminal_gets_lines(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(sys.modules, "rich.live", None)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    minimize(tilted, BOX, **LENS, maxfev=300, rng=0, progress=True)
    assert sys.stderr.getvalue().count("\n") == 1


def test_the_display_is_closed_when_a_run_ends_badly(monkeypatch):
    closed = []
    monkeypatch.setattr(rdex.run.progress.Progress, "close", lambda self: closed.append(1))
    with pytest.raises(ZeroDivisionError):
        minimize(lambda x: 1 / 0, BOX, maxfev=30, progress=True)
    assert closed == [1]


def test_the_worst_constraint_has_its_unit_and_steers_no_terminal(capsys):
    minimize(lambda x: x[0], [(0, 1)], constraints={"type": "ineq", "fun": lambda x: x[0] - 2},
             constraint_names=["reach\x1b[31m"], units={"reach\x1b[31m": "m"}, maxfev=30, rng=1,
             progress=True)  # fmt: skip
    text = capsys.readouterr().err
    assert "worst reach\\x1b[31m -1.039 m ≥ 0" in text and "\x1b" not in text


def test_times():
    assert [clock_text(s) for s in (0, 59.6, 3600, float("inf"))] == [
        "0:00",
        "1:00",
        "1:00:00",
        "–",
    ]


def test_compiling_is_shown_and_never_counts_in_speed(monkeypatch):
    kernels = {"compiling": False, "loading": 0.0}
    monkeypatch.setattr(rdex.run.progress, "is_compiling", lambda: kernels["compiling"])
    monkeypatch.setattr(rdex.run.progress, "seconds_loading", lambda: kernels["loading"])
    clock = [100.0]
    monkeypatch.setattr(rdex.run.progress.time, "monotonic", lambda: clock[0])
    problem = rdex.Problem(*np.transpose(BOX), 2, rows=lambda x: (x[:, 0], x, None))
    standing = Engine(problem, rdex.preset("rdex-csop"), 300, 0)
    progress = Progress(standing)
    kernels["compiling"] = True
    clock[0] += 50.0
    assert progress.facts()["compiling"] == "in the background"
    standing.tell([1.0] * 10, [[0.0, 0.0]] * len(standing.ask(10)))
    clock[0] += 5.0
    assert progress.facts()["speed"] == "2/s"
    kernels.update(compiling=False, loading=7.0)
    assert "compiling" not in progress.facts() and progress.facts()["left"] == "–"
    standing.tell([1.0] * 10, [[0.0, 0.0]] * len(standing.ask(10)))
    clock[0] += 1.0
    assert progress.facts()["speed"] == "10/s" and progress.facts()["left"] == "0:28"


def test_the_time_of_a_result_leaves_out_loading_and_compiling(monkeypatch):
    spent = iter([0.0] + [1000.0] * 10_000)
    monkeypatch.setattr("rdex.run.watch.seconds_loading", lambda: next(spent))
    assert minimize(tilted, BOX, **LENS, maxfev=50, rng=0).seconds < -900
