"""Problems of one's own in campaigns: a Python file, as `rdex solve` takes it."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rdex.api.problem_file import problem_of_names
from rdex.common.python_file import loaded_names, split_place
from rdex.problem import Problem
from rdex.problem.problem import Floats

#: The "suite" of problems of one's own in ids, tables and seeds.
SUITE = "own"


@dataclass(frozen=True)
class ProblemFile:
    """A problem in a file. Its text travels to the workers, which may not have the file.

    name: which of the file's names; None: `problem`, or `fun` with `bounds`.
    """

    path: str
    name: str | None
    source: str

    @property
    def id(self) -> str:
        """The id of the problem in stores: the name, or the file where none is given."""
        return f"{SUITE}/{self.name or Path(self.path).stem}"

    @property
    def digest(self) -> str:
        """What tells a changed file from an unchanged one."""
        return hashlib.sha256(self.source.encode()).hexdigest()

    def load(self) -> Problem:
        """The problem; the file is executed once in a process."""
        return _loaded(self)


@functools.lru_cache(maxsize=64)
def _loaded(file: ProblemFile) -> Problem:
    problem = problem_of_names(loaded_names(file.path, file.source), Path(file.path), file.name)
    return replace(problem, info={**problem.info, "suite": SUITE})


def find_problem_file(place: str) -> ProblemFile:
    """The file at FILE.py[:NAME], not executed."""
    path, name = split_place(place)
    return ProblemFile(str(path.resolve()), name, path.read_text(encoding="utf-8"))


def stand_in(problem: Problem) -> Problem:
    """A problem of the same shape that costs nothing: compiling must not call users' functions."""
    return Problem(
        problem.lower,
        problem.upper,
        problem.n_ineq,
        problem.n_eq,
        rows=_Zeros(problem.n_ineq, problem.n_eq),
        integrality=problem.integrality,
        name="stand-in",
    )


@dataclass(frozen=True)
class _Zeros:
    n_ineq: int
    n_eq: int

    def __call__(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        n = len(x)
        return np.zeros(n), np.zeros((n, self.n_ineq)), np.zeros((n, self.n_eq))
