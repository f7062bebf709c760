"""Named variables of other packages that `rdex.Variables` does not have: steps, whole logarithms.

Each is one variable of a search. What differs is how the search's number is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rdex.problem.problem import Floats
from rdex.problem.variables import Variables


@dataclass(frozen=True)
class Number:
    """A number from `low` to `high`.

    is_integer: whole numbers only. step: low, low + step, …; None for all. is_log: searched on a
    logarithmic scale, in whole numbers too.
    """

    low: float
    high: float
    is_integer: bool = False
    is_log: bool = False
    step: float | None = None

    @property
    def specification(self) -> dict[str, Any]:
        """For `rdex.Variables`."""
        if self.step is not None:
            return {"integer": (0, float(np.floor((self.high - self.low) / self.step + 1e-9)))}
        if self.is_integer and self.is_log:  # no variable is both: round when it is read
            return {"bounds": (self.low - 0.5, self.high + 0.5), "log": True}
        if self.is_integer:
            return {"integer": (self.low, self.high)}
        return {"bounds": (self.low, self.high), "log": self.is_log}

    def value(self, z: float) -> float | int:
        """The number that the search's number stands for."""
        if self.step is not None:
            z = self.low + round(z) * self.step
        if self.is_integer:
            return int(np.clip(round(z), self.low, self.high))
        return float(z)

    def code(self, value: Any) -> float:
        """The other way round."""
        if self.step is not None:
            return float(round((float(value) - self.low) / self.step))
        return float(value)


@dataclass(frozen=True)
class Choice:
    """One of several options without an order; any objects, also equal ones."""

    options: Sequence[Any]

    @property
    def specification(self) -> dict[str, Any]:
        """For `rdex.Variables`: places, because a list there has no equal values."""
        return {"categories": range(len(self.options))}

    def value(self, z: float) -> Any:
        """The option at a place."""
        return self.options[round(z)]

    def code(self, value: Any) -> float:
        """The other way round."""
        same = (k for k, each in enumerate(self.options) if each is value or each == value)
        return float(next(same))


class Named:
    """Variables by name, as a search has them.

    Examples
    --------
    >>> v = Named({"length": Number(1, 9), "steel": Choice(["S235", "S355", "S460"])})
    >>> v.values(np.array([2.5, 1.0]))
    {'length': 2.5, 'steel': 'S355'}
    >>> v.point({"length": 2.5, "steel": "S355"}).tolist()
    [2.5, 1.0]
    """

    def __init__(self, kinds: Mapping[str, Number | Choice]) -> None:
        self.kinds = dict(kinds)
        self.variables = Variables({name: kind.specification for name, kind in kinds.items()})
        self.lower, self.upper = self.variables.bounds

    def values(self, x: Floats) -> dict[str, Any]:
        """The values by name that a point stands for."""
        return {name: kind.value(x[j]) for j, (name, kind) in enumerate(self.kinds.items())}

    def point(self, values: Mapping[str, Any]) -> Floats:
        """A point that stands for these values, inside the box."""
        codes = [kind.code(values[name]) for name, kind in self.kinds.items()]
        return np.clip(codes, self.lower, self.upper)

    def legal(self, x: Floats) -> Floats:
        """A point with whole numbers where they must be."""
        return np.where(self.variables.whole, np.rint(x), x)
