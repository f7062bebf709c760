"""Classic design problems of engineering, with units, names and best known values.

Each is written down with its source and with what distinguishes it from the variants of the same
name in the literature, for most of these problems circulate in several. Best known values were
searched for again with the formulas here (differential evolution, then SLSQP; enumeration where
all variables are discrete), and are feasible with inequalities met exactly. A run is successful
where its point is feasible and f is within 1e-4 of the best known value, relative
(`rdex.suites.success`).

The robot gripper of Osyczka is not among them: written down from secondary sources, nothing demands
that its links meet, and designs that cannot be built bring the objective to zero.
"""

from __future__ import annotations

from rdex.problem import Problem
from rdex.suites.engineering import machines, processes, structures

__all__ = ["NAMES", "problem"]

_DESIGNS = {
    design.name: design
    for design in sorted(
        (*structures.DESIGNS, *machines.DESIGNS, *processes.DESIGNS), key=lambda each: each.name
    )
}

#: The problems there are.
NAMES = tuple(_DESIGNS)


def problem(name: str) -> Problem:
    """A design problem by name; compiled when first evaluated.

    Raises
    ------
    ValueError
        Where there is none of that name.

    Examples
    --------
    >>> vessel = problem("pressure-vessel")
    >>> vessel.id, vessel.dim, vessel.integrality.tolist()
    ('engineering/pressure-vessel', 4, [True, True, False, False])
    """
    if name not in _DESIGNS:
        raise ValueError(f"engineering: expected one of {', '.join(NAMES)}, got {name!r}")
    return _DESIGNS[name].problem()
