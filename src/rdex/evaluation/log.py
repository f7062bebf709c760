"""Every evaluation of a run, in memory and in one growing text file that survives a kill.

`log_format` describes the text, `log_file` how it gets to the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rdex.common.errors import LogError
from rdex.evaluation.log_file import LogFile
from rdex.evaluation.log_format import (
    CHECK,
    FACTS,
    FORMAT,
    VERSION,
    comment_of,
    facts_of,
    last_line,
    line_of,
    names_line,
    parse,
    plain,
)
from rdex.problem.problem import Floats, Problem
from rdex.workers.point_task import OK, Outcome

__all__ = ["Entry", "EvaluationLog", "LogError", "read_evaluations", "stored_run"]


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
        The folder is that of now, wherever the run goes later.
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
        self._comments: list[tuple[int, dict[str, Any]]] = []  # each before a line
        sizes = sizes_of(problem)
        if path is not None:
            self._file = LogFile(path, self.columns, sizes, description or {}, self._lines)
            try:
                for cells in self._file.contents.rows:
                    self._remember(self._read(cells))
            except LogError:
                self.close()
                raise
            self._file.contents.rows = []
            self._comments = self._file.contents.comments
        #: Lines that were there before this session began: they stand for evaluations.
        self.n_before = len(self.entries)
        #: The first of them that belongs to the present schedule. Earlier ones, of a smaller
        #: budget, give points that are known, but their order is not that of this run.
        self.n_earlier = 0 if self._file is None else self._file.contents.n_earlier

    @property
    def path(self) -> str | None:
        """Where the file is, if there is one."""
        return None if self._file is None else self._file.path

    def append(self, entry: Entry) -> None:
        """One more evaluation has come back."""
        self._remember(entry)
        if self._file is not None:
            self._file.write(line_of(self._cells(len(self.entries) - 1, entry)))

    def _lines(self) -> Iterator[bytes]:
        """All lines of the file."""
        comments = list(self._comments)
        sizes = sizes_of(self.problem)
        has_names = False
        for order in range(len(self.entries) + 1):
            while comments and comments[0][0] == order:
                yield comment_of(comments.pop(0)[1], sizes)
                if not has_names:
                    yield names_line(self.columns)
                    has_names = True
            if order < len(self.entries):
                yield line_of(self._cells(order, self.entries[order]))

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
            f"{entry.at:.6f}", plain(outcome.worker), last_line(outcome.error),
            *[repr(float(value)) for value in values],
        ]  # fmt: skip

    def _read(self, cells: list[str]) -> Entry:
        if cells[0] != str(len(self.entries)):
            raise LogError(f"expected evaluation {len(self.entries)}, got {cells[0]}")
        return entry_of(cells, self.problem)

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
        # pandas cannot hold lone surrogates.
        names = [name.encode(errors="backslashreplace").decode() for name in self.columns[7:]]
        values = np.array(rows, dtype=float).reshape(len(entries), len(names))
        columns |= {name: values[:, k] for k, name in enumerate(names)}
        if self.problem.variables is not None:  # codes in the file, values here
            x = values[:, 1 : 1 + self.problem.dim].T
            decoded = self.problem.variables.columns(x)
            columns |= dict(zip(names[1:], decoded.values(), strict=False))
        try:
            import pandas
        except ModuleNotFoundError:
            return columns
        return pandas.DataFrame(columns)

    def describe(self, facts: dict[str, Any]) -> None:
        """Write down that the run goes on under another description."""
        self.n_earlier = len(self.entries)
        if self._file is not None:
            self._comments.append((self.n_earlier, facts))
            self._file.describe(facts)

    def close(self) -> None:
        """Everything is on the disk."""
        if self._file is not None:
            self._file.close()


def entry_of(cells: list[str], problem: Problem) -> Entry:
    """A line of the file as an evaluation; LogError where a cell is no number."""
    _, number, status, seconds, at, worker, message = cells[:7]
    d, m = problem.dim, problem.n_ineq
    try:
        values = np.array([float(cell) for cell in cells[7:]])
        x, g, h = values[1 : 1 + d], values[1 + d : 1 + d + m], values[1 + d + m :]
        outcome = Outcome(float(values[0]), g, h, message or None, status, float(seconds), worker)
        return Entry(int(number), x, outcome, float(at))
    except ValueError as error:
        raise LogError(f"evaluations: evaluation {cells[0]}: {error}") from None


def sizes_of(problem: Problem) -> list[int]:
    """Numbers of variables, inequality and equality constraints."""
    return [problem.dim, problem.n_ineq, problem.n_eq]


def column_names(problem: Problem) -> list[str]:
    """Names of the columns: facts, variables, constraints; made distinct where they are not."""
    names = list(FACTS)
    for name in (*problem.variable_names, *problem.constraint_names):
        while name in names or name == CHECK:
            name += "_"
        names.append(name)
    return names


def read_evaluations(
    path: str | os.PathLike[str], problem: Problem
) -> list[tuple[Floats, float, Floats, Floats]]:
    """The values in a file of evaluations of any run, as data for another one.

    Only evaluations that worked are given back (status `ok`), in their order, each as (x, f, g, h).
    The run may have had another algorithm, budget, seed, other bounds and other names; its numbers
    of variables and constraints must be those of the problem. The file is only read: its run may
    still be writing it. Points may lie outside the bounds of `problem`.

    Parameters
    ----------
    path : path
    problem : Problem

    Raises
    ------
    LogError
        The file is damaged, or is not one of such a problem.
    OSError
        It cannot be read.
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(error.errno, f"evaluations: cannot read {path}: {reason}") from error
    contents = parse(data, os.fspath(path))
    if contents.names is None:
        raise LogError(f"evaluations: {path} holds no evaluations")
    sizes = sizes_of(problem)
    n_values = len(contents.names) - len(FACTS)
    stored = contents.sizes if contents.sizes is not None else sizes  # earlier versions: unknown
    if stored != sizes or n_values != sum(sizes):
        has = in_words(stored) if sum(stored) == n_values else f"{n_values} columns of values"
        raise LogError(f"evaluations: {path} has {has}; the problem has {in_words(sizes)}")
    entries = [entry_of(cells, problem) for cells in contents.rows]
    return [
        (entry.x, entry.outcome.f, entry.outcome.g, entry.outcome.h)
        for entry in entries
        if entry.outcome.status == OK
    ]


def in_words(sizes: list[int]) -> str:
    """Sizes for a message."""
    d, m, p = sizes
    return f"{d} variables, {m} inequality and {p} equality constraints"


def stored_run(path: str | os.PathLike[str], last: bool = False) -> dict[str, Any] | None:
    """The first or last description in a file of evaluations; None where there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            found = None
            for line in stream:
                if line.startswith(f"# {FORMAT} {VERSION} ") and line.endswith("\n"):
                    found = facts_of(line)
                    found.pop("sizes", None)
                    if not last:
                        break
            return found
    except (OSError, ValueError, RecursionError):
        return None
