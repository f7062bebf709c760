"""Progress: plain lines where there is no terminal, a live display where there is one."""

import io
import sys
import time

import pytest
from problems import BOX, LENS, tilted

import rdex.run.progress
from rdex import minimize
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


def test_times():
    assert [clock_text(s) for s in (0, 59.6, 3600, float("inf"))] == [
        "0:00",
        "1:00",
        "1:00:00",
        "–",
    ]
