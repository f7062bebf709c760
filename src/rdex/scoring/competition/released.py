"""Text files of the released programs: for every run a line of f and a line of violation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rdex.common.files import atomic_write
from rdex.scoring.arrays import Floats
from rdex.scoring.competition.names import (
    EVALUATIONS_PER_DIMENSION,
    budget_of,
    only,
    problem_name,
    problem_number,
    read_rows,
    refuse_bad_violation,
    result_files,
    with_constraint_counts,
)
from rdex.scoring.trials import Run, Trials
from rdex.scoring.violation import checked_form


class Program(NamedTuple):
    """What a program writes: the form of its violations, and whether lines have one value more.

    That value is the number of evaluations at which f and φ first fell below 1e-8, or the budget.
    """

    violation: str
    solved_at: bool


#: Programs whose files are known, by the names they give them.
PROGRAMS = {
    "RDEx": Program("signed", True),
    "CORDEx": Program("signed", True),  # RDEx-CSOP
    "CL-SRDE": Program("sum", False),
}


def read_released(
    path: str | os.PathLike[str],
    algorithm: str,
    *,
    violation: str | None = None,
    solved_at: bool | None = None,
    checkpoints: int = 2000,
    maxfev: int | None = None,
    n_constraints: Mapping[str, int] | None = None,
) -> Trials:
    """Read `NAME_F{J}_D{D}.txt` files.

    Parameters
    ----------
    path, algorithm, n_constraints
        As in `import_results`.
    violation : {"mean", "sum", "signed"}, optional
        Form of the violations; known for files named RDEx, CORDEx (both signed) and CL-SRDE (sum).
    solved_at : bool, optional
        Whether each line ends with a number of evaluations, which is no checkpoint and is left
        out; known for the same files (RDEx and CORDEx do, CL-SRDE do not).
    checkpoints : int
        Values of a line that are checkpoints.
    maxfev : int, optional
        Budget; 20000 D by default.

    Raises
    ------
    ValueError
        Naming file and line, for what the description does not fit, and for programs that are not
        known and not described.
    """
    if violation is not None:
        checked_form(violation)
    runs, forms = [], set()
    for file in result_files(path, ".txt"):
        program = _described(file.name, violation, solved_at, file.path.name)
        forms.add(program.violation)
        budget = budget_of(file, maxfev)
        rows = read_rows(file.path)
        if len(rows) % 2:
            raise ValueError(
                f"{file.path.name}: expected two lines per run, f and violation, "
                f"got {len(rows)} lines"
            )
        lines = [_trace(row, at, program, checkpoints, budget, file.path) for at, row in rows]
        for i, (f, v) in enumerate(zip(lines[::2], lines[1::2], strict=True)):
            where = f"{file.path.name}, run {i + 1}"
            refuse_bad_violation(f, v, where, signed=program.violation == "signed")
            runs.append(Run(algorithm, problem_name(file.number), budget, f, v))
    if len(forms) > 1:
        raise ValueError(f"{path} holds files of programs that write {' and '.join(sorted(forms))}")
    return with_constraint_counts(Trials.from_runs(runs, form=forms.pop()), n_constraints)


def write_released(
    trials: Trials,
    folder: str | os.PathLike[str],
    algorithm: str,
    *,
    program: str = "CL-SRDE",
    name: str | None = None,
    dimension: int | None = None,
    digits: int = 6,
) -> list[str]:
    """Write `NAME_F{J}_D{D}.txt` files as a released program does; the names written.

    Parameters
    ----------
    program : {"CL-SRDE", "RDEx", "CORDEx"}
        Whose conventions to follow. Signed sums can be written only from trials that hold them.
        The evaluations at which f and φ fell below 1e-8 are those of the checkpoint.
    name : str, optional
        First part of the file names; the program's by default, which lets them be read again
        without a description.
    dimension : int, optional
        D for the names; by default the budget divided by 20000.
    digits : int
        Significant digits; the programs write 6, 17 keep every bit.
    """
    if program not in PROGRAMS:
        raise ValueError(f"program must be one of {', '.join(PROGRAMS)}, got {program!r}")
    form, solved_at = PROGRAMS[program]
    one = only(trials, algorithm).in_form(form)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for j, problem in enumerate(one.problems):
        budget = int(one.maxfev[j])
        d = dimension or _dimension(budget)
        file = f"{name or program}_F{problem_number(problem)}_D{d}.txt"
        with atomic_write(target / file) as stream:
            for i in np.flatnonzero(one.present[0, j]):
                f, v = one.f[0, j, i], one.v[0, j, i]
                ends = ["", ""]
                if solved_at:
                    small = (f < 1e-8) & (v < 1e-8)
                    solved = one.evaluations[j][np.argmax(small)] if small.any() else budget
                    ends = [f" {solved}"] * 2
                for trace, end in zip((f, v), ends, strict=True):
                    values = " ".join(f"{value:.{digits}g}" for value in trace)
                    stream.write(f"{values}{end}\n".encode())
        written.append(file)
    return written


def _described(name: str, violation: str | None, solved_at: bool | None, file: str) -> Program:
    """The program's conventions: told, or known by its name."""
    known = {key.lower(): value for key, value in PROGRAMS.items()}.get(name.lower())
    if violation is None and known:
        violation = known.violation
    if solved_at is None and known:
        solved_at = known.solved_at
    if violation is None or solved_at is None:
        raise ValueError(
            f"{file}: what the program {name!r} writes is not known (known are "
            f"{', '.join(PROGRAMS)}): give violation= (mean, sum or signed) and solved_at= "
            "(whether lines end with a number of evaluations)"
        )
    return Program(violation, solved_at)


def _trace(
    row: Floats, line: int, program: Program, checkpoints: int, budget: int, path: Path
) -> Floats:
    """The checkpoints of a line, whatever follows them checked and left out."""
    expected = checkpoints + program.solved_at
    if row.size != expected:
        more = " and a number of evaluations" if program.solved_at else ""
        raise ValueError(
            f"{path.name}, line {line}: expected {checkpoints} checkpoints{more}, "
            f"got {row.size} values; see checkpoints= and solved_at="
        )
    if program.solved_at:
        solved = row[-1]
        # Six digits cannot hold every number of evaluations, hence the slack above the budget.
        if not (0 <= solved <= budget * (1 + 1e-5) and solved == np.floor(solved)):
            raise ValueError(
                f"{path.name}, line {line}: value {expected} should be a number of evaluations "
                f"up to {budget}, got {solved}"
            )
    return row[:checkpoints]


def _dimension(budget: int) -> int:
    """D of the competitions' budget."""
    d, rest = divmod(budget, EVALUATIONS_PER_DIMENSION)
    if rest or not d:
        raise ValueError(f"a budget of {budget} is not 20000 D: give dimension=")
    return d
