"""How a constraint was stated: `volume >= 2`, and not `2 - volume <= 0`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

#: Signs for people.
SIGNS = {"<=": "≤", ">=": "≥", "=": "="}

#: Key of the unit of the objective.
OBJECTIVE = "f"


class Stated(NamedTuple):
    """One side of a constraint as the user wrote it.

    sense: "<=", ">=" or "=". bound: what the value is compared with. The searches see
    g = value - bound, or bound - value for ">=".

    Examples
    --------
    >>> volume = Stated(">=", 2.0)
    >>> volume.value(-0.5), volume.entry(2.5)
    (2.5, -0.5)
    """

    sense: str = "<="
    bound: float = 0.0

    @property
    def sign(self) -> float:
        """What the distance to the bound is multiplied by."""
        return -1.0 if self.sense == ">=" else 1.0

    def value(self, entry: float) -> float:
        """The value behind an entry of G or H."""
        return self.bound + self.sign * entry

    def entry(self, value: float) -> float:
        """The entry of G or H of a value."""
        return self.sign * (value - self.bound)


def checked_stated(
    stated: Iterable[Iterable[object]], n_ineq: int, n_eq: int
) -> tuple[Stated, ...]:
    """One per constraint, inequalities first; by default G <= 0 and H = 0."""
    given = tuple(Stated(str(sense), float(str(bound))) for sense, bound in stated)
    if not given:
        return (Stated(),) * n_ineq + (Stated("="),) * n_eq
    if len(given) != n_ineq + n_eq:
        raise ValueError(f"stated: expected {n_ineq + n_eq} entries, got {len(given)}")
    for k, one in enumerate(given):
        senses = ("<=", ">=") if k < n_ineq else ("=",)
        if one.sense not in senses or not math.isfinite(one.bound):
            raise ValueError(f"stated[{k}]: expected {' or '.join(senses)} a number, got {one}")
    return given


def quantity(name: str) -> str:
    """A constraint without its side or place: what its unit may be given for.

    Examples
    --------
    >>> quantity("volume (upper)"), quantity("stress[3]"), quantity("mass")
    ('volume', 'stress', 'mass')
    """
    name = name.removesuffix(" (upper)").removesuffix(" (lower)")
    return name.partition("[")[0] if name.endswith("]") else name


def unit_of(units: Mapping[str, str], name: str) -> str:
    """The unit of a variable or constraint; empty where none is given."""
    return units.get(name) or units.get(quantity(name), "")


def checked_units(units: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """Units by name, each of something that exists."""
    known = {OBJECTIVE}
    for name in names:
        known |= {name, quantity(name)}
    for name in units:
        if name not in known:
            raise ValueError(f"units: there is no variable or constraint {name!r}")
    return {str(name): str(unit) for name, unit in units.items()}
