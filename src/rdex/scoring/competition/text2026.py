"""Text files of the 2026 rules: a table of evaluations, and f and violation of every run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rdex.common.files import atomic_write
from rdex.scoring.arrays import Floats
from rdex.scoring.competition.names import (
    only,
    problem_name,
    problem_number,
    read_rows,
    refuse_bad_violation,
    result_files,
    with_constraint_counts,
)
from rdex.scoring.trials import Run, Trials


def read_2026(
    path: str | os.PathLike[str],
    algorithm: str,
    *,
    maxfev: int | None = None,
    n_constraints: Mapping[str, int] | None = None,
) -> Trials:
    """Read `…_F{J}.txt` files: evaluations, then Min_EV and LCV of each run.

    The first row is the record after initialisation, the others are the checkpoints. LCV is the sum
    of violations. Min_EV may be NaN where nothing is feasible yet.

    Parameters
    ----------
    path, algorithm, n_constraints
        As in `import_results`.
    maxfev : int, optional
        Budget; by default what the last row says.

    Raises
    ------
    ValueError
        Naming file and row, for tables that are not what the rules describe.
    """
    runs = []
    for file in result_files(path, ".txt"):
        table = _table(file.path)
        budget = int(table[-1, 0]) if maxfev is None else maxfev
        _refuse_other_checkpoints(table[:, 0], budget, file.path.name)
        for i in range((table.shape[1] - 1) // 2):
            f, v = table[:, 1 + 2 * i], table[:, 2 + 2 * i]
            refuse_bad_violation(f, v, f"{file.path.name}, run {i + 1}")
            name = problem_name(file.number)
            runs.append(Run(algorithm, name, budget, f[1:], v[1:], float(f[0]), float(v[0])))
    return with_constraint_counts(Trials.from_runs(runs, form="sum"), n_constraints)


def write_2026(
    trials: Trials,
    folder: str | os.PathLike[str],
    algorithm: str,
    *,
    initial_evaluations: int,
) -> list[str]:
    """Write `ALGORITHM_F{J}.txt` files; the names written.

    Values are written so that they read back exactly; f is NaN where nothing is feasible.

    Parameters
    ----------
    initial_evaluations : int
        Evaluations after which f0 and v0 were recorded: the size of the first population.

    Raises
    ------
    ValueError
        If the violations cannot be given as sums, or f0 and v0 are unknown.
    """
    one = only(trials, algorithm).in_form("sum")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for j, problem in enumerate(one.problems):
        runs = np.flatnonzero(one.present[0, j])
        if np.isnan(one.v0[0, j, runs]).any():
            raise ValueError(
                f"{problem}: the first row of this format is the record after initialisation, "
                "which these trials do not hold (f0, v0)"
            )
        columns = [np.r_[initial_evaluations, one.evaluations[j]].astype(np.float64)]
        for i in runs:
            v = np.r_[one.v0[0, j, i], one.v[0, j, i]]
            f = np.r_[one.f0[0, j, i], one.f[0, j, i]]
            columns += [np.where(v == 0, f, np.nan), v]
        name = f"{algorithm}_F{problem_number(problem)}.txt"
        with atomic_write(target / name) as stream:
            for row in np.stack(columns, axis=1):
                values = " ".join("NaN" if np.isnan(x) else repr(float(x)) for x in row[1:])
                stream.write(f"{int(row[0])} {values}\n".encode())
        written.append(name)
    return written


def _table(path: Path) -> Floats:
    """All rows as one table with a first column and pairs of columns."""
    rows = read_rows(path)
    width = rows[0][1].size
    for number, row in rows:
        if row.size != width:
            raise ValueError(
                f"{path.name}, line {number}: expected {width} columns as above, got {row.size}"
            )
    if width < 3 or width % 2 == 0:
        raise ValueError(
            f"{path.name}: expected a column of evaluations and two columns per run, "
            f"got {width} columns"
        )
    if len(rows) < 2:
        raise ValueError(f"{path.name}: expected a first row and checkpoints, got one row")
    return np.stack([row for _, row in rows])


def _refuse_other_checkpoints(evaluations: Floats, budget: int, name: str) -> None:
    """Raise unless row k (from 0) stands near k/K of the budget, K being the last row.

    Programs may check after whole generations, so half a step of lateness is let pass. A table
    without its first row, or one cut short, is further off than that.
    """
    k = np.arange(evaluations.size)
    step = budget / (evaluations.size - 1)
    # A first population can be larger than a step, so the first row may be above the second.
    grows = np.diff(evaluations[1:]) > 0
    if not grows.all():
        raise ValueError(f"{name}, row {int(np.argmin(grows)) + 3}: the evaluations do not grow")
    off = np.abs(evaluations - k * step) > step / 2
    off[0] = False
    if off.any():
        row = int(np.argmax(off))
        raise ValueError(
            f"{name}, row {row + 1}: expected about {row * step:.0f} evaluations ({row} of "
            f"{k[-1]} checkpoints in {budget}, after a first row for the initial population), "
            f"got {evaluations[row]:.0f}"
        )
