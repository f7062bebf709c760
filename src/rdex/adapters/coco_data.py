"""COCO's data sets (folders of `.info` and `.dat` files) in our tables and reports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rdex.problem.problem import Floats
from rdex.report import Options, Written
from rdex.report.campaign import write_report
from rdex.report.contents import contents_of
from rdex.scoring import Run, Trials

_HEADER = re.compile(r"suite = '([^']*)', funcId = (\d+), DIM = (\d+),.*algId = '([^']*)'")
_RUN = re.compile(r"(\d+):(\d+)\|")


class Series(NamedTuple):
    """All instances of one function in one dimension by one algorithm.

    runs: for every instance its number, evaluations of f, and the records (evaluations, best).
    """

    suite: str
    algorithm: str
    function: int
    dim: int
    runs: list[tuple[int, int, Floats]]


def read_data_set(folder: str | os.PathLike[str]) -> list[Series]:
    """A data set, folders in it included.

    Raises
    ------
    ValueError
        Where there is none, or a file does not fit its `.info`.
    """
    files = sorted(Path(folder).rglob("*.info"))
    if not files:
        raise ValueError(f"{folder} holds no data set of COCO: there is no .info file")
    return [series for file in files for series in _of_info(file)]


def _of_info(file: Path) -> Iterator[Series]:
    """The parts of one `.info`: a header, a comment, and a line of instances each."""
    header = None
    for line in file.read_text(encoding="utf-8").splitlines():
        found = _HEADER.search(line)
        if found:
            header = found.groups()
        elif header is not None and line.strip() and not line.startswith("%"):
            suite, function, dim, algorithm = header
            name, _, listed = line.partition(",")
            # Written by COCO on Windows as well.
            records = _records(file.parent / name.strip().replace("\\", "/"))
            ends = [(int(number), int(n)) for number, n in _RUN.findall(listed)]
            if len(ends) != len(records):
                raise ValueError(f"{file}: {len(ends)} runs listed, {len(records)} in {name}")
            runs = [(*end, part) for end, part in zip(ends, records, strict=True)]
            yield Series(suite, algorithm, int(function), int(dim), runs)


def _records(file: Path) -> list[Floats]:
    """(evaluations of f, best) of every run in a `.dat`; each begins with a comment."""
    runs: list[list[tuple[float, float]]] = []
    has_constraints = False
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("%"):
            runs.append([])
            has_constraints = "g evaluations" in line
            continue
        words = line.split()
        if words and runs:
            runs[-1].append((float(words[0]), float(words[2 if has_constraints else 1])))
    return [np.array(run, dtype=np.float64).reshape(-1, 2) for run in runs]


def trials_from_coco(
    *folders: str | os.PathLike[str], maxfev: int | None = None, checkpoints: int = 100
) -> Trials:
    """Data sets of COCO as one field, for the tables of `rdex.scoring`.

    The objective is COCO's: f - f_opt plus the sum of violated constraints, best so far. It holds
    both, so the violation is 0 throughout.

    Parameters
    ----------
    *folders : path
        One per algorithm, or one with all.
    maxfev : int, optional
        Evaluations per variable that the traces cover; default the longest run of all.
    checkpoints : int
        Records per trace.
    """
    parts = [series for folder in folders for series in read_data_set(folder)]
    longest = max(n / series.dim for series in parts for _, n, _ in series.runs)
    runs = []
    for series in parts:
        budget = round((maxfev or longest) * series.dim)
        at = np.ceil(np.arange(1, checkpoints + 1) * budget / checkpoints)
        for _, _, records in series.runs:
            f = sampled(records, at)
            name = f"f{series.function:03d}/d{series.dim:02d}"
            runs.append(Run(series.algorithm, name, budget, f, np.zeros(checkpoints)))
    return Trials.from_runs(sorted(runs, key=lambda run: run.problem))


def report_from_coco(
    *folders: str | os.PathLike[str],
    out: str | os.PathLike[str],
    maxfev: int | None = None,
    checkpoints: int = 100,
) -> Written:
    """Write a report (page, tables, figures) about data sets of COCO, ours or anybody's.

    Parameters
    ----------
    *folders : path
        One per algorithm, or one with all.
    out : path
        Folder for the report.
    maxfev, checkpoints : as in `trials_from_coco`
    """
    trials = trials_from_coco(*folders, maxfev=maxfev, checkpoints=checkpoints)
    return write_report(contents_of(trials, Options()), out)


def sampled(records: Floats, at: Floats) -> Floats:
    """The best at these evaluations; before the first record that of the first."""
    if not len(records):
        raise ValueError("a run without a record")
    best = np.minimum.accumulate(records[:, 1])
    places = np.searchsorted(records[:, 0], at, side="right") - 1
    values: Floats = best[np.maximum(places, 0)]
    return values
