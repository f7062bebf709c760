"""Named variables of other packages, categorical ones too, as coordinates of a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.problem.problem import Floats


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

    def box(self) -> list[tuple[float, float, bool, bool]]:
        """Coordinates: lower, upper, whether whole, whether logarithmic."""
        if self.step is not None:
            return [(0.0, float(np.floor((self.high - self.low) / self.step + 1e-9)), True, False)]
        if self.is_integer and self.is_log:  # no coordinate is both: round when it is read
            return [(self.low - 0.5, self.high + 0.5, False, True)]
        return [(self.low, self.high, self.is_integer, self.is_log)]

    def value(self, coordinates: Floats) -> float | int:
        """The number that coordinates stand for."""
        z = float(coordinates[0])
        if self.step is not None:
            z = self.low + round(z) * self.step
        if self.is_integer:
            return int(np.clip(round(z), self.low, self.high))
        return z

    def coordinates(self, value: Any) -> list[float]:
        """The other way round."""
        if self.step is not None:
            return [float(round((float(value) - self.low) / self.step))]
        return [float(value)]


@dataclass(frozen=True)
class Choice:
    """One of several options without an order.

    Two options are a whole number. More have a coordinate in [0, 1] each, and the largest one
    wins: as a single number they would get an order that means nothing.
    """

    options: Sequence[Any]

    def box(self) -> list[tuple[float, float, bool, bool]]:
        """Coordinates: lower, upper, whether whole, whether logarithmic."""
        n = len(self.options)
        if n <= 2:
            return [(0.0, n - 1.0, True, False)]
        return [(0.0, 1.0, False, False)] * n

    def value(self, coordinates: Floats) -> Any:
        """The option that coordinates stand for."""
        is_one = len(coordinates) == 1
        return self.options[round(float(coordinates[0])) if is_one else int(coordinates.argmax())]

    def coordinates(self, value: Any) -> list[float]:
        """The other way round."""
        n = len(self.options)
        place = next(k for k in range(n) if self.options[k] is value or self.options[k] == value)
        return [float(place)] if n <= 2 else [float(k == place) for k in range(n)]


class Variables:
    """Variables by name, as a box.

    Examples
    --------
    >>> v = Variables({"length": Number(1, 9), "steel": Choice(["S235", "S355", "S460"])})
    >>> v.lower.tolist(), v.names
    ([1.0, 0.0, 0.0, 0.0], ('length', 'steel:S235', 'steel:S355', 'steel:S460'))
    >>> v.values(np.array([2.5, 0.1, 0.7, 0.3]))
    {'length': 2.5, 'steel': 'S355'}
    >>> v.point({"length": 2.5, "steel": "S355"}).tolist()
    [2.5, 0.0, 1.0, 0.0]
    """

    def __init__(self, kinds: Mapping[str, Number | Choice]) -> None:
        self.kinds = dict(kinds)
        self._slices: dict[str, slice] = {}
        box: list[tuple[float, float, bool, bool]] = []
        names: list[str] = []
        for name, kind in self.kinds.items():
            part = kind.box()
            self._slices[name] = slice(len(box), len(box) + len(part))
            box += part
            if isinstance(kind, Choice) and len(part) > 1:
                names += [f"{name}:{option}" for option in kind.options]
            else:
                names.append(name)
        self.names = tuple(names)
        self.lower: Floats = np.array([low for low, _, _, _ in box])
        self.upper: Floats = np.array([high for _, high, _, _ in box])
        self.integrality: NDArray[np.bool_] = np.array([whole for _, _, whole, _ in box])
        self.log_scale: NDArray[np.bool_] = np.array([log for _, _, _, log in box])

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Pairs (low, high), one per coordinate."""
        return list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))

    def values(self, x: Floats) -> dict[str, Any]:
        """The values by name that a point stands for."""
        return {name: kind.value(x[self._slices[name]]) for name, kind in self.kinds.items()}

    def point(self, values: Mapping[str, Any]) -> Floats:
        """A point that stands for these values, inside the box."""
        parts = [kind.coordinates(values[name]) for name, kind in self.kinds.items()]
        return np.clip(np.concatenate(parts), self.lower, self.upper)
