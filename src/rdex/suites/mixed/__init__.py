"""Problems with integer, discrete and categorical variables, made for this package.

Each is a small selection from catalogues: materials, profiles, pumps, cells. Formulas are those of
first lessons in engineering, with made-up prices; nothing here is a design rule. The optimum is
known: `enumerated` tries all combinations of the discrete variables, with the real ones at their
best in closed form. A run is successful where it finds that value (`rdex.suites.success`).
"""

from __future__ import annotations

from rdex.problem import Problem
from rdex.suites.mixed import machines, structures, systems
from rdex.suites.mixed.design import Mixed

__all__ = ["NAMES", "mixed", "problem"]

_PROBLEMS = {
    each.name: each
    for each in sorted(
        (*machines.PROBLEMS, *structures.PROBLEMS, *systems.PROBLEMS), key=lambda each: each.name
    )
}

#: The problems there are.
NAMES = tuple(_PROBLEMS)


def mixed(name: str) -> Mixed:
    """A problem as it is written down; ValueError where there is none of that name."""
    if name not in _PROBLEMS:
        raise ValueError(f"mixed: expected one of {', '.join(NAMES)}, got {name!r}")
    return _PROBLEMS[name]


def problem(name: str) -> Problem:
    """A problem by name.

    Examples
    --------
    >>> joint = problem("bolted-joint")
    >>> joint.id, joint.design(joint.optimum_x)["grade"]
    ('mixed/bolted-joint', '8.8')
    """
    return mixed(name).problem()
