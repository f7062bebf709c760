"""The problem that a Python file defines, for `rdex solve` and for campaigns.

The file names either a `rdex.Problem` (`problem` by default, or FILE.py:NAME), or a function
(`fun` by default, or FILE.py:NAME) together with `bounds` and, where there are any, the arguments
of `rdex.minimize` in `BESIDE`. A name that looks like one of them is an error, not ignored.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from types import ModuleType
from typing import Any

from rdex.common.python_file import names_of_source, split_place
from rdex.common.text import did_you_mean
from rdex.problem import Problem
from rdex.problem.arguments import ProblemArguments, make_problem

#: What a file may define beside a function.
BESIDE = (
    "call", "cheap_constraints", "constraint_names", "constraints", "eq_tol", "ineq_tol",
    "integrality", "log_scale", "units", "variable_names", "vectorized", "x0",
)  # fmt: skip

#: Those of them that are of the search, not of the problem.
OF_THE_SEARCH = ("eq_tol", "ineq_tol", "log_scale", "x0")

#: How much a name must look like one that is read, and names that mean one without looking like it.
ALIKE = 0.9
ALIASES = {"cons": "constraints", "objective": "fun", "func": "fun"}


def read_problem(place: str) -> dict[str, Any]:
    """The arguments of `minimize` that describe the problem at FILE.py[:NAME]."""
    path, name = split_place(place)
    source = path.read_text(encoding="utf-8")
    return arguments_of(names_of_source(str(path), source), path, name)


def arguments_of(names: dict[str, Any], path: Path, name: str | None) -> dict[str, Any]:
    """The arguments of `minimize` among the names of a file."""
    if name is None:
        name = "problem" if "problem" in names else "fun"
        if name not in names:
            check_spelling(names, ("problem", "fun"), path)
            raise ValueError(f"{path} defines neither `problem` nor `fun`; FILE.py:NAME picks")
    if name not in names:
        raise ValueError(f"{path} defines no {name!r}{did_you_mean(name, names)}")
    found = names[name]
    check_options(names, path)
    if isinstance(found, Problem):
        check_spelling(names, OF_THE_SEARCH, path)
        return {"fun": found} | {key: names[key] for key in OF_THE_SEARCH if key in names}
    if not callable(found):
        kind = type(found).__name__
        raise ValueError(f"{name} in {path} must be a Problem or a function, got {kind}")
    check_spelling(names, ("bounds", *BESIDE), path)
    if "bounds" not in names:
        raise ValueError(f"{path} defines the function {name}, but no `bounds`")
    given = {key: names[key] for key in BESIDE if key in names}
    return {"fun": found, "bounds": names["bounds"], **given}


def problem_of_names(names: dict[str, Any], path: Path, name: str | None) -> Problem:
    """The problem among the names of a file; tolerances and starting points are no part of it."""
    given = arguments_of(names, path, name)
    told = {key: each for key, each in given.items() if key not in OF_THE_SEARCH}
    return make_problem(ProblemArguments(**told))


def check_spelling(names: dict[str, Any], known: tuple[str, ...], path: Path) -> None:
    """A name that looks like one that is read and is not there is a mistake, not ignored."""
    for name, value in names.items():
        if name.startswith("_") or name in known or isinstance(value, ModuleType | type):
            continue
        close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=ALIKE)
        meant = ALIASES.get(name) or (close[0] if close else None)
        if meant in known and meant not in names:
            raise ValueError(f"{path} defines {name!r}, which is not read; did you mean {meant!r}?")


def check_options(names: dict[str, Any], path: Path) -> None:
    """What only the command line sets must not stand in the file."""
    for name in ("maxfev", "algorithm", "checkpoint", "workers"):
        if isinstance(names.get(name), int | float | str):
            raise ValueError(f"{path} defines {name!r}, which is not read; use --{name}")
