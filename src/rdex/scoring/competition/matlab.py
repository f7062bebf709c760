"""MATLAB tables of the 2025 rules: rows are checkpoints, columns f and LCV of every run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from rdex.common.files import atomic_write
from rdex.scoring.arrays import Floats
from rdex.scoring.competition.names import (
    budget_of,
    only,
    problem_name,
    problem_number,
    refuse_bad_violation,
    result_files,
    with_constraint_counts,
)
from rdex.scoring.trials import Run, Trials


def read_matlab(
    path: str | os.PathLike[str],
    algorithm: str,
    *,
    maxfev: int | None = None,
    checkpoints: int = 2000,
    initial_row: bool = False,
    variable: str | None = None,
    n_constraints: Mapping[str, int] | None = None,
) -> Trials:
    """Read `…_F{J}.mat` or `…_F{J}_D{D}.mat` files.

    Parameters
    ----------
    path, algorithm, n_constraints
        As in `import_results`.
    maxfev : int, optional
        Budget; by default 20000 D, where the names tell D.
    checkpoints : int
        Rows that are checkpoints.
    initial_row : bool
        Whether one more row, the first, holds the record after initialisation.
    variable : str, optional
        Name of the table; needed where a file holds more than one.
    """
    runs = []
    for file in result_files(path, ".mat"):
        table = _table(file.path, variable)
        expected = checkpoints + initial_row
        if table.shape[0] != expected or table.shape[1] % 2 or table.shape[1] == 0:
            raise ValueError(
                f"{file.path.name}: expected {expected} rows (checkpoints), two columns per run, "
                f"got a table of shape {table.shape}; see checkpoints= and initial_row="
            )
        budget = budget_of(file, maxfev)
        for i in range(table.shape[1] // 2):
            f, v = table[:, 2 * i], table[:, 2 * i + 1]
            refuse_bad_violation(f, v, f"{file.path.name}, run {i + 1}")
            start = (float(f[0]), float(v[0])) if initial_row else (float("nan"), float("nan"))
            traces = f[initial_row:], v[initial_row:]
            runs.append(Run(algorithm, problem_name(file.number), budget, *traces, *start))
    return with_constraint_counts(Trials.from_runs(runs, form="sum"), n_constraints)


def write_matlab(
    trials: Trials,
    folder: str | os.PathLike[str],
    algorithm: str,
    *,
    initial_row: bool = False,
    variable: str = "results",
) -> list[str]:
    """Write `ALGORITHM_F{J}.mat` files with one table each; the names written."""
    from scipy.io import savemat

    one = only(trials, algorithm).in_form("sum")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for j, problem in enumerate(one.problems):
        columns = []
        for i in np.flatnonzero(one.present[0, j]):
            f, v = one.f[0, j, i], one.v[0, j, i]
            if initial_row:
                if np.isnan(one.v0[0, j, i]):
                    raise ValueError(f"{problem}: the record after initialisation is not known")
                f, v = np.r_[one.f0[0, j, i], f], np.r_[one.v0[0, j, i], v]
            columns += [f, v]
        name = f"{algorithm}_F{problem_number(problem)}.mat"
        with atomic_write(target / name) as stream:
            savemat(stream, {variable: np.stack(columns, axis=1)}, do_compression=True)
        written.append(name)
    return written


def _table(path: Path, variable: str | None) -> Floats:
    """The one numeric table of a file, or the one named."""
    from scipy.io import loadmat

    try:
        content = loadmat(path)
    except NotImplementedError:
        raise ValueError(
            f"{path.name} is a MATLAB 7.3 (HDF5) file: save it with -v7 to have it read here"
        ) from None
    except Exception as error:
        raise ValueError(f"{path.name} cannot be read as a MATLAB file: {error}") from error
    tables = {name: value for name, value in content.items() if _is_numeric(value)}
    if variable is None and len(tables) != 1:
        raise ValueError(
            f"{path.name} holds {len(tables)} numeric tables ({', '.join(tables)}): give variable="
        )
    if variable is not None and variable not in tables:
        raise ValueError(
            f"{path.name} holds no numeric table {variable!r}; there are {', '.join(tables)}"
        )
    return np.asarray(tables[variable or next(iter(tables))], dtype=np.float64)


def _is_numeric(value: object) -> bool:
    """Whether a variable of a file is a table of numbers."""
    return isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind in "fiu"
