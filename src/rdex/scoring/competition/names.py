"""Which files there are, which problem each is about, and the numbers in them."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rdex.scoring.arrays import Floats
from rdex.scoring.trials import Trials

#: Budget of the competitions: evaluations for each variable.
EVALUATIONS_PER_DIMENSION = 20000

_NAME = re.compile(r"(?:(?P<name>.*?)[_\-. ])?F(?P<number>\d+)(?:[_\-]D(?P<dimension>\d+))?", re.I)
_UNKNOWN = re.compile(r"[+-]?(?:nan(?:\([^)]*\))?|1\.#(?:qnan|ind)\d*)", re.I)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?|[+-]?inf(?:inity)?", re.I)


class ResultFile(NamedTuple):
    """A file of results and what its name says."""

    path: Path
    name: str
    number: int
    dimension: int | None


def result_format(path: str | os.PathLike[str]) -> str:
    """The format the file names speak of; a ValueError where they disagree or say nothing."""
    formats = set()
    for suffix in (".txt", ".mat"):
        for file in _named(Path(path), suffix):
            text = "released" if file.dimension is not None else "2026"
            formats.add("matlab" if suffix == ".mat" else text)
    if len(formats) != 1:
        found = " and ".join(sorted(formats)) if formats else "no files …_F<number>.txt or .mat"
        raise ValueError(f"cannot tell the format of {path}: found {found}; give format=")
    return formats.pop()


def result_files(path: str | os.PathLike[str], suffix: str) -> list[ResultFile]:
    """The files of results at `path`, ordered by problem; one per problem, at least one."""
    source = Path(path)
    if not source.exists():
        raise ValueError(f"there is no file or folder {source}")
    files = sorted(_named(source, suffix), key=lambda file: file.number)
    if not files:
        raise ValueError(
            f"no results in {source}: expected names like NAME_F1{suffix} or NAME_F1_D30{suffix}"
        )
    for first, second in itertools.pairwise(files):
        if first.number == second.number:
            raise ValueError(
                f"two files for problem {first.number}: {first.path.name} and {second.path.name}"
            )
    return files


def _named(source: Path, suffix: str) -> Iterator[ResultFile]:
    """Files whose names end in F{J} or F{J}_D{D}."""
    for file in [source] if source.is_file() else sorted(source.iterdir()):
        match = _NAME.fullmatch(file.stem)
        if file.suffix.lower() == suffix and match:
            dimension = match["dimension"]
            yield ResultFile(
                file,
                match["name"] or "",
                int(match["number"]),
                None if dimension is None else int(dimension),
            )


def problem_name(number: int) -> str:
    """What the suites call problem J: C01, C02, …"""
    return f"C{number:02d}"


def problem_number(name: str) -> int:
    """J of a problem with one part like C08 or F8 in its name, such as cec2017/C08."""
    numbers = re.findall(r"(?<![A-Za-z0-9])[CF](\d+)(?![A-Za-z0-9])", name)
    if len(numbers) != 1:
        raise ValueError(
            f"competition files number the problems, and {name!r} has no one number like C08"
        )
    return int(numbers[0])


def budget_of(file: ResultFile, maxfev: int | None) -> int:
    """Evaluations of a run: as given, or the competitions' 20000 per variable."""
    if maxfev is not None:
        return maxfev
    if file.dimension is None:
        raise ValueError(f"{file.path.name} does not name its dimension: give maxfev=")
    return EVALUATIONS_PER_DIMENSION * file.dimension


def read_rows(path: Path) -> list[tuple[int, Floats]]:
    """Line numbers and numbers of a text file.

    Columns are separated by blanks, tabs, commas or semicolons. Empty lines, lines that begin with
    # or %, and lines of words before the first numbers are skipped. NaN may be spelt as C, MATLAB
    and Microsoft's library do; exponents may be Fortran's.
    """
    rows: list[tuple[int, Floats]] = []
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            words = re.split(r"[\s,;]+", line.strip().strip(",;"))
            if words == [""] or words[0][0] in "#%":
                continue
            values = [_value(word) for word in words]
            if None in values:
                if not rows and not any(_NUMBER.fullmatch(word) for word in words):
                    continue
                wrong = words[values.index(None)]
                raise ValueError(f"{path.name}, line {number}: {wrong!r} is not a number")
            rows.append((number, np.array(values, dtype=np.float64)))
    if not rows:
        raise ValueError(f"{path.name} holds no numbers")
    return rows


def _value(word: str) -> float | None:
    """The number a word spells, or None."""
    if _NUMBER.fullmatch(word):
        return float(word.lower().replace("d", "e"))
    return float("nan") if _UNKNOWN.fullmatch(word) else None


def refuse_bad_violation(f: Floats, v: Floats, where: str, signed: bool = False) -> None:
    """Raise where traces contradict themselves; rows are checkpoints or runs."""
    if np.isnan(v).any():
        raise ValueError(f"{where}: a violation is NaN")
    if not signed and (v < 0).any():
        raise ValueError(
            f"{where}: a violation is {v.min()}, below zero; sums of violations cannot be "
            "(signed sums of raw constraints can: violation='signed' of read_released)"
        )
    if not signed and (np.isnan(f) & (v == 0)).any():
        raise ValueError(f"{where}: the objective is NaN where the violation is 0")


def with_constraint_counts(trials: Trials, counts: Mapping[str, int] | None) -> Trials:
    """The trials knowing how many constraints their problems have, if that is given."""
    if counts is None:
        return trials
    missing = [name for name in trials.problems if name not in counts]
    if missing:
        raise ValueError(f"n_constraints does not name {', '.join(missing)}")
    return replace(trials, n_constraints=np.array([counts[name] for name in trials.problems]))


def only(trials: Trials, algorithm: str) -> Trials:
    """The one algorithm to be written, its empty problems left out."""
    one = trials.select([algorithm])
    return one.select(problems=[p for p, n in zip(one.problems, one.counts[0], strict=True) if n])
