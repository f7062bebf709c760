"""Every evaluation of a run in one growing text file, safe against a kill at any byte.

The file is a CSV table that any tool reads (lines that begin with `#` are comments):

    # rdex-evaluations 1 {"run": {...}}
    order,number,status,seconds,at,worker,message,f,x1,...,g1,...,h1,...,check
    0,1,ok,0.0513,0.0524,host:4711,,3.25,...,8d0f2a11

One line an evaluation, in the order in which results came back: `number` counts points in the order
of asking, `seconds` is the time in the function, `at` the time since the run began, `check` the
CRC-32 of the line before its last comma in eight hexadecimal digits. Numbers are written with all
their digits. A line is appended by one write, so a killed process loses nothing that had come back;
it is forced to the disk at most once a second and at the end, so a power cut may lose a second. A
last line that is not whole is dropped when the file is opened again; anything else that does not
fit is refused.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import time
import zlib
from typing import Any, NamedTuple

import numpy as np

from rdex.common.errors import LogError
from rdex.evaluation.outcome import OK, Outcome
from rdex.problem.problem import Floats, Problem

log = logging.getLogger("rdex")

FORMAT = "rdex-evaluations"
VERSION = 1
FACTS = ("order", "number", "status", "seconds", "at", "worker", "message", "f")

#: Seconds between two times that the file is forced to the disk.
SYNC = 1.0


class Entry(NamedTuple):
    """One evaluation: a line of the file."""

    number: int
    x: Floats
    outcome: Outcome
    at: float


class EvaluationLog:
    """The evaluations of a run, in memory and, where a path is given, in a file.

    Parameters
    ----------
    problem : Problem
        Gives names and sizes.
    path : path, optional
    description : dict
        What decides the run, as JSON values; a file of another one is refused.
    """

    def __init__(
        self,
        problem: Problem,
        path: str | os.PathLike[str] | None = None,
        description: dict[str, Any] | None = None,
    ) -> None:
        self.problem = problem
        self.entries: list[Entry] = []
        self.columns = column_names(problem)
        self._known: dict[bytes, int] = {}  # points that need not be evaluated again
        self._file: LogFile | None = None
        if path is not None:
            self._file = LogFile(path, self.columns, description or {})
            try:
                for cells in self._file.rows:
                    self._remember(self._read(cells))
            except LogError:
                self.close()
                raise
            self._file.rows = []
        #: Lines that were there before this session began: they stand for evaluations.
        self.n_before = len(self.entries)
        #: The first of them that belongs to the present schedule. Earlier ones, of a smaller
        #: budget, give points that are known, but their order is not that of this run.
        self.n_earlier = 0 if self._file is None else self._file.n_earlier

    def append(self, entry: Entry) -> None:
        """One more evaluation has come back."""
        self._remember(entry)
        if self._file is not None:
            self._file.write(self._cells(len(self.entries) - 1, entry))

    def known(self, x: Floats) -> Outcome | None:
        """What came of this very point earlier, where it was evaluated without failing."""
        k = self._known.get(x.tobytes())
        return None if k is None else self.entries[k].outcome

    def _remember(self, entry: Entry) -> None:
        if entry.outcome.status == OK and self._file is not None:
            self._known.setdefault(entry.x.tobytes(), len(self.entries))
        self.entries.append(entry)

    def _cells(self, order: int, entry: Entry) -> list[str]:
        outcome = entry.outcome
        values = [outcome.f, *entry.x, *outcome.g, *outcome.h]
        return [
            str(order), str(entry.number), outcome.status, f"{outcome.seconds:.6g}",
            f"{entry.at:.6f}", outcome.worker, last_line(outcome.error),
            *[repr(float(value)) for value in values],
        ]  # fmt: skip

    def _read(self, cells: list[str]) -> Entry:
        order, number, status, seconds, at, worker, message = cells[:7]
        if int(order) != len(self.entries):
            raise LogError(f"expected evaluation {len(self.entries)}, got {order}")
        values = np.array([float(cell) for cell in cells[7:]])
        d, m = self.problem.dim, self.problem.n_ineq
        x, g, h = values[1 : 1 + d], values[1 + d : 1 + d + m], values[1 + d + m :]
        outcome = Outcome(float(values[0]), g, h, message or None, status, float(seconds), worker)
        return Entry(int(number), x, outcome, float(at))

    def table(self) -> Any:
        """The evaluations as a pandas DataFrame, or as a dict of arrays where pandas is not."""
        entries = self.entries
        columns: dict[str, Any] = {
            "order": np.arange(len(entries)),
            "number": np.array([entry.number for entry in entries], dtype=np.int64),
            "status": np.array([entry.outcome.status for entry in entries], dtype=object),
            "seconds": np.array([entry.outcome.seconds for entry in entries], dtype=float),
            "at": np.array([entry.at for entry in entries], dtype=float),
            "worker": np.array([entry.outcome.worker for entry in entries], dtype=object),
            "message": np.array([last_line(e.outcome.error) for e in entries], dtype=object),
        }
        rows = [[e.outcome.f, *e.x, *e.outcome.g, *e.outcome.h] for e in entries]
        names = self.columns[7:]
        values = np.array(rows, dtype=float).reshape(len(entries), len(names))
        columns |= {name: values[:, k] for k, name in enumerate(names)}
        try:
            import pandas
        except ModuleNotFoundError:
            return columns
        return pandas.DataFrame(columns)

    def describe(self, facts: dict[str, Any]) -> None:
        """Write down that the run goes on under another description."""
        self.n_earlier = len(self.entries)
        if self._file is not None:
            self._file.describe(facts)

    def close(self) -> None:
        """Everything is on the disk."""
        if self._file is not None:
            self._file.close()


def last_line(text: str | None) -> str:
    """What a traceback ends with."""
    lines = (text or "").strip().splitlines()
    return lines[-1] if lines else ""


def column_names(problem: Problem) -> list[str]:
    """Names of the columns: facts, variables, constraints; made distinct where they are not."""
    names = list(FACTS)
    for name in (*problem.variable_names, *problem.constraint_names):
        while name in names or name == "check":
            name += "_"
        names.append(name)
    return names


class LogFile:
    """The file behind a log: opened, checked, locked, and appended to."""

    def __init__(
        self, path: str | os.PathLike[str], columns: list[str], description: dict[str, Any]
    ) -> None:
        self.path = os.fspath(path)
        self.rows: list[list[str]] = []
        self.n_earlier = 0  # of them, those above the last description
        self._size = 0
        self.description: dict[str, Any] | None = None
        try:
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            reason = error.strerror or str(error)
            raise OSError(
                error.errno, f"evaluations: cannot write {self.path}: {reason}"
            ) from error
        self._synced = time.monotonic()
        self._is_broken = False
        try:
            lock(self._handle, self.path)
            self._size = self._load(columns)
            os.ftruncate(self._handle, self._size)
            if self.description is None:
                self.describe(description)
                self._append(line_of([*columns, "check"], checked=False))
            else:
                self._compare(description)
        except BaseException:
            os.close(self._handle)
            raise

    def _load(self, columns: list[str]) -> int:
        """Read what is there; the number of bytes that are whole."""
        with open(self.path, "rb") as stream:
            data = stream.read()
        whole = 0
        has_names = False
        while whole < len(data):
            end = data.find(b"\n", whole)
            line = data[whole : end if end >= 0 else len(data)]
            try:
                cells = self._line(line, columns, has_names)
            except (ValueError, UnicodeDecodeError) as error:
                is_last = end < 0 or end == len(data) - 1
                if is_last and not isinstance(error, LogError):
                    break  # torn: it never came to its end
                raise LogError(f"evaluations: {self.path}, byte {whole}: {error}") from None
            if end < 0:  # only its end of line is missing
                os.write(self._handle, b"\n")
            has_names = has_names or cells == []
            if cells:
                self.rows.append(cells)
            whole += len(line) + 1
        if not has_names:
            self.description = None
        return whole if has_names else 0

    def _line(self, line: bytes, columns: list[str], has_names: bool) -> list[str] | None:
        """Cells of an evaluation; None for a comment, [] for the names; ValueError if torn."""
        text = line.decode()
        if text.startswith("#"):
            words = text.split(" ", 3)
            if len(words) < 4:
                raise ValueError("a comment that is not whole")
            facts = json.loads(words[3])
            if words[1] != FORMAT or words[2] != str(VERSION):
                raise LogError(f"expected {FORMAT} {VERSION}, got {words[1]} {words[2]}")
            self.description = facts
            self.n_earlier = len(self.rows)
            return None
        if self.description is None:
            raise LogError(f"is not a file of evaluations: it begins with {text[:40]!r}")
        if not has_names:
            given = next(csv.reader([text]))
            if given != [*columns, "check"]:
                if line_of([*columns, "check"], checked=False).startswith(line):
                    raise ValueError("names that are not whole")
                raise LogError(f"another run: expected the columns {', '.join(columns)}")
            return []
        body, comma, check = text.rpartition(",")
        if not comma or len(check) != 8 or int(check, 16) != zlib.crc32(body.encode()):
            raise ValueError("the line is damaged")
        cells = next(csv.reader([body]))
        if len(cells) != len(columns):
            raise LogError(f"expected {len(columns)} cells, got {len(cells)}")
        return cells

    def _compare(self, description: dict[str, Any]) -> None:
        """The stored run must be this one."""
        stored = self.description or {}
        different = [
            key
            for key in sorted(set(stored) | set(description))
            if stored.get(key) != description.get(key)
        ]
        if different:
            raise LogError(
                f"{self.path} holds the evaluations of another run: different "
                f"{', '.join(different)}. Remove the file or give another name to start anew."
            )

    def describe(self, facts: dict[str, Any]) -> None:
        """Write a comment that says what the run is from here on."""
        self.description = facts
        self._append(f"# {FORMAT} {VERSION} {json.dumps(facts)}\n".encode())

    def write(self, cells: list[str]) -> None:
        """Append one evaluation; a disk that is full is reported once, the run goes on."""
        if self._is_broken:
            return
        try:
            self._append(line_of(cells))
        except OSError as error:
            self._is_broken = True
            log.error(
                "cannot write to %s any more: %s; the evaluations up to here are kept",
                self.path,
                error.strerror or error,
            )
            os.ftruncate(self._handle, self._size)

    def _append(self, line: bytes) -> None:
        written = os.write(self._handle, line)
        while written < len(line):  # a signal, or the last bytes of a disk
            written += os.write(self._handle, line[written:])
        self._size += len(line)
        now = time.monotonic()
        if now - self._synced >= SYNC:
            self._synced = now
            os.fsync(self._handle)

    def close(self) -> None:
        """Force everything to the disk and let the file go."""
        try:
            os.fsync(self._handle)
        finally:
            os.close(self._handle)


def line_of(cells: list[str], checked: bool = True) -> bytes:
    """Cells as a line, with its checksum at the end."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(cells)
    body = stream.getvalue()
    return (f"{body},{zlib.crc32(body.encode()):08x}\n" if checked else f"{body}\n").encode()


def lock(handle: int, path: str) -> None:
    """Only one run may write a file; the lock ends with the process."""
    try:
        import fcntl
    except ModuleNotFoundError:  # no such locks on this system
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(f"evaluations: {path} is in use by another run") from None
    except OSError:  # a file system without locks
        return


def stored_run(path: str | os.PathLike[str], last: bool = False) -> dict[str, Any] | None:
    """The first or last description in a file of evaluations; None where there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            found = None
            for line in stream:
                if line.startswith(f"# {FORMAT} {VERSION} ") and line.endswith("\n"):
                    found = json.loads(line.split(" ", 3)[3])
                    if not last:
                        break
            return found
    except (OSError, ValueError):
        return None
