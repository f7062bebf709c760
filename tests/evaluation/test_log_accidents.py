"""What happens to a file of evaluations while a run writes it, and what users put into it."""

import csv
import io
import os
import time

import numpy as np
import pytest
from log_samples import PROBLEM, RUN, entry, read_back, written

from rdex import Problem
from rdex.evaluation import log_file
from rdex.evaluation.log import Entry, EvaluationLog, LogError, read_evaluations
from rdex.workers.point_task import failed

ODD = [
    "=HYPERLINK('http://x')", "+1", "-2+3", "@SUM(A1)", "  =1+1", "\tx", "hash # inside", "#",
    "lone \udc80 surrogate", "\x1b[2Jgone", "bell \x07 and \x9b31m", "nul \x00", "a\rb",
    "right \u202e left", "line\u2028separator", "comma, \"quote\" 'apostrophe'", "ü 漢字",
    "x" * 200_000,
]  # fmt: skip


@pytest.fixture
def log(tmp_path):
    opened = EvaluationLog(PROBLEM, tmp_path / "e.csv", RUN)
    yield opened
    opened.close()


class FullDisk:
    """`os.write` on a disk with some room left."""

    def __init__(self, monkeypatch, room):
        self.room = room
        self.write = os.write
        monkeypatch.setattr(log_file.os, "write", self)

    def __call__(self, handle, data):
        size = min(len(data), self.room)
        if size == 0:
            raise OSError(28, "No space left on device")
        self.room -= size
        return self.write(handle, data[:size])


@pytest.mark.parametrize("room", range(0, 200, 9))
def test_a_full_disk_loses_nothing_once_there_is_room(tmp_path, monkeypatch, caplog, log, room):
    path = tmp_path / "e.csv"
    log.append(entry(0))
    disk = FullDisk(monkeypatch, room)
    for k in range(1, 5):
        log.append(entry(k))
    assert path.read_bytes().endswith(b"\n")  # only whole lines, whatever happens next
    disk.room = 10**6
    log.append(entry(5))
    assert caplog.text.count("No space left on device") == 1 == caplog.text.count("nothing is lost")
    log.close()
    assert read_back(path, 6)


def test_room_that_comes_at_the_end_is_used(tmp_path, monkeypatch, caplog, log):
    disk = FullDisk(monkeypatch, 0)
    log.append(entry(0))
    disk.room = 10**6
    log.close()
    assert read_back(tmp_path / "e.csv", 1)


def test_lines_that_never_found_room_are_counted(tmp_path, monkeypatch, caplog, log):
    FullDisk(monkeypatch, 0)
    log.append(entry(0))
    log.append(entry(1))
    log.close()
    monkeypatch.undo()
    assert f"2 lines could not be written to {tmp_path}" in caplog.text
    assert read_back(tmp_path / "e.csv", 0)


def test_a_disk_that_cannot_be_forced_writes_no_line_twice(tmp_path, monkeypatch, caplog, log):
    def broken(handle):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(log_file.os, "fsync", broken)
    monkeypatch.setattr(log_file, "SYNC", 0.0)
    for k in range(3):
        log.append(entry(k))
    assert caplog.text.count("cannot be forced to the disk: Input/output error") == 1
    monkeypatch.undo()
    log.close()
    assert read_back(tmp_path / "e.csv", 3)


def test_the_file_stays_when_the_run_changes_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = EvaluationLog(PROBLEM, "e.csv", RUN)
    log.append(entry(0))
    (tmp_path / "other").mkdir()
    os.chdir("other")
    log.append(entry(1))
    (tmp_path / "e.csv").unlink()
    log.append(entry(2))
    log.close()
    assert read_back(tmp_path / "e.csv", 3) and not (tmp_path / "other" / "e.csv").exists()


def deleted(path):
    path.unlink()


def emptied(path):
    os.truncate(path, 0)


def cut_off(path):
    os.truncate(path, path.stat().st_size - 30)


def restored(path):
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


@pytest.mark.parametrize("accident", [deleted, emptied, cut_off, restored])
@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_lost_file_is_written_anew(tmp_path, caplog, accident, at_the_end):
    path = tmp_path / "e.csv"
    written(path, 2)
    earlier = EvaluationLog(PROBLEM, path, RUN)
    earlier.describe({**RUN, "maxfev": 200})
    for k in range(2, 4):
        earlier.append(entry(k))
    accident(path)
    if not at_the_end:
        earlier.append(entry(4))
    earlier.close()
    assert caplog.text.count("while the run was using it; all evaluations are written to it") == 1
    again = EvaluationLog(PROBLEM, path, {**RUN, "maxfev": 200})
    again.close()
    n = 4 if at_the_end else 5
    assert [e.number for e in again.entries] == [entry(k).number for k in range(n)]
    assert again.n_earlier == 2


@pytest.mark.parametrize("way", ["replaced", "overwritten", "appended"])
def test_what_others_wrote_is_kept(tmp_path, caplog, log, way):
    """Everything goes into a copy beside it."""
    path = tmp_path / "e.csv"
    log.append(entry(0))
    others = "something else\n" if way != "appended" else path.read_text() + "something else\n"
    if way == "replaced":
        path.unlink()
    path.write_text(others)
    log.append(entry(1))
    log.append(entry(2))
    log.close()
    assert path.read_text() == others and read_back(tmp_path / "e.csv.1", 3)
    assert f"all evaluations are written to {path}.1" in caplog.text


def test_a_folder_that_comes_back_gets_everything(tmp_path, caplog):
    folder = tmp_path / "out"
    folder.mkdir()
    log = EvaluationLog(PROBLEM, folder / "e.csv", RUN)
    log.append(entry(0))
    folder.rename(tmp_path / "moved")
    for k in range(1, 3):
        log.append(entry(k))
    assert caplog.text.count("No such file or directory; the run goes on") == 1
    folder.mkdir()
    log.append(entry(3))
    log.close()
    assert read_back(folder / "e.csv", 4)


def odd_entry(k):
    return Entry(k, np.array([k, 0.5]), failed(1, 1, f"Traceback\n{ODD[k]}", "raised"), 0.0)


def test_odd_messages_are_one_plain_cell(tmp_path, log):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "e.csv"
    for k in range(len(ODD)):
        log.append(odd_entry(k))
    log.close()
    again = EvaluationLog(PROBLEM, path, RUN)
    again.close()
    assert len(again.entries) == len(ODD)
    text = path.read_bytes().decode()
    assert text.isprintable() or set(c for c in text if not c.isprintable()) == {"\n"}
    frame = pandas.read_csv(path, comment="#")  # as the docs say
    assert frame["number"].tolist() == list(range(len(ODD)))
    np.testing.assert_array_equal(frame["width, mm"], np.arange(len(ODD)))
    rows = list(csv.DictReader(io.StringIO(text.partition("\n")[2], newline="")))
    messages = [row["message"] for row in rows]
    assert frame["message"].fillna("").tolist() == messages == log.table()["message"].tolist()
    assert not any(message.lstrip()[:1] in tuple("=+-@#") for message in messages)
    assert messages[0] == "'=HYPERLINK('http://x')" and messages[6] == "hash \\x23 inside"
    assert messages[8] == "lone \\udc80 surrogate" and messages[9] == "\\x1b[2Jgone"
    assert messages[-2] == "ü 漢字" and len(messages[-1]) == 1000


def test_odd_names_do_not_spoil_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    names = ("two\nlines", "#1", "=x", "\udc80", "x\x1b[2J")
    problem = Problem([0] * 5, [9] * 5, point=lambda x, g, h: 0.0, variable_names=names)
    path = tmp_path / "e.csv"
    x = np.arange(5.0)
    for n in range(3):
        log = EvaluationLog(problem, path, RUN)
        assert len(log.entries) == n
        log.append(Entry(n, x, failed(0, 0, "no"), 0.0))
        log.close()
    frame = pandas.read_csv(path, comment="#")
    assert frame.columns[8:-1].tolist() == [
        "two\\x0alines",
        "\\x231",
        "'=x",
        "\\udc80",
        "x\\x1b[2J",
    ]
    assert (frame.iloc[:, 8:-1] == x).all(axis=None)
    assert list(log.table().columns[8:]) == ["two\nlines", "#1", "=x", "\\udc80", "x\x1b[2J"]


def test_a_fork_neither_writes_nor_locks_the_file(tmp_path, log):
    path = tmp_path / "e.csv"
    log.append(entry(0))
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            log.append(entry(1))
        except LogError as error:
            code = 0 if "is a fork" in str(error) else 2
            log.close()
        if code:
            os._exit(code)
        time.sleep(60)
        os._exit(0)
    try:
        deadline = time.monotonic() + 30
        log.append(entry(1))
        log.close()
        while True:  # the fork lets go of the lock as soon as it runs
            try:
                assert read_back(path, 2)
                break
            except OSError:
                assert time.monotonic() < deadline
        assert os.waitpid(pid, os.WNOHANG) == (0, 0)
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def test_closing_twice_is_harmless(log):
    log.close()
    log.close()


def test_values_of_another_run_are_data(tmp_path):
    path = tmp_path / "e.csv"
    written(path, 8)
    other = Problem([-1, -1], [5, 5], n_ineq=1, n_eq=1, point=lambda x, g, h: 0.0)
    running = EvaluationLog(PROBLEM, path, RUN)  # may still be open, and torn
    with path.open("ab") as stream:
        stream.write(b"8,56,ok,0.2")
    before = path.read_bytes()
    found = read_evaluations(path, other)
    running._file.abandon()
    assert path.read_bytes() == before
    expected = [entry(k) for k in (0, 3, 4, 7)]  # those that are ok
    assert len(found) == 4
    for (x, f, g, h), one in zip(found, expected, strict=True):
        assert x.tolist() == one.x.tolist() and f == one.outcome.f
        assert g.tolist() == one.outcome.g.tolist() and h.tolist() == one.outcome.h.tolist()


def test_data_that_does_not_fit_is_named(tmp_path):
    path = tmp_path / "e.csv"
    written(path, 2)
    for d, m, p in ((1, 1, 1), (2, 2, 0), (3, 1, 0), (3, 1, 1)):
        other = Problem([0] * d, [9] * d, n_ineq=m, n_eq=p, point=lambda x, g, h: 0.0)
        with pytest.raises(
            LogError,
            match=r"has 2 variables, 1 inequality and 1 equality constraints; the problem has "
            rf"{d} variables, {m} inequality and {p} equality",
        ):
            read_evaluations(path, other)
    with pytest.raises(
        FileNotFoundError, match=r"evaluations: cannot read .*missing: No such file"
    ):
        read_evaluations(tmp_path / "missing", PROBLEM)
    path.write_bytes(b"")
    with pytest.raises(LogError, match="holds no evaluations"):
        read_evaluations(path, PROBLEM)
    path.write_text("x,y\n1,2\n")
    with pytest.raises(LogError, match="is not a file of evaluations"):
        read_evaluations(path, PROBLEM)
