"""`Variables`: named design variables: real, integer, from a list, or a category.

Searches see a variable from a list as the place in the list, 0, 1, …: they never see the values
themselves. `decoded` turns the points of a search into what the user's function takes, `encoded`
does the reverse.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REAL, INTEGER, CHOICES, CATEGORIES = "real", "integer", "choices", "categories"

#: What a specification in a mapping may hold.
KEYS = ("bounds", INTEGER, CHOICES, CATEGORIES, "units", "log")


@dataclass(frozen=True)
class Variable:
    """One design variable.

    kind: "real", "integer", "choices" (values in an order that means something) or "categories"
    (no order). low, high: bounds; places in the list for the last two. values: the list.
    """

    name: str
    kind: str
    low: float
    high: float
    values: tuple[Any, ...] = ()
    units: str = ""
    log: bool = False

    @property
    def numbers(self) -> Floats | None:
        """The list as numbers; None where there is no list, or not of numbers."""
        if not self.values or not all(is_number(value) for value in self.values):
            return None
        return np.array([float(value) for value in self.values])

    def decoded(self, code: float) -> Any:
        """The value that the user's function sees."""
        if self.values:
            return self.values[round(code)]
        return round(code) if self.kind == INTEGER else float(code)

    def encoded(self, value: Any) -> float:
        """What a search sees of a value; a ValueError where it is not in the list."""
        if not self.values:
            if not is_number(value):
                raise ValueError(f"{self.name} must be a number, got {value!r}")
            return float(value)
        for code, known in enumerate(self.values):
            if known is value or known == value:
                return float(code)
        listed = ", ".join(map(repr, self.values))
        raise ValueError(f"{self.name} must be one of {listed}, got {value!r}")

    def text(self, code: float) -> str:
        """The value for people."""
        value = self.decoded(code)
        return f"{value: .10g}" if is_number(value) else f" {value}"


class Variables(Mapping[str, Variable]):
    """Named design variables, in an order; give it to `minimize` in the place of bounds.

    Parameters
    ----------
    specifications : mapping, optional
        Name to (low, high), or to a dict with one of `bounds`, `integer` (both (low, high)),
        `choices` (a list in an order that means something) or `categories` (a list without one),
        and optionally `units` and `log`.

    Examples
    --------
    >>> tank = Variables({"radius": (0.1, 2.0), "plate": {"choices": [4, 5, 6, 8], "units": "mm"}})
    >>> tank.integer("ribs", 0, 12).categories("steel", ["S235", "S355"]).names
    ('radius', 'plate', 'ribs', 'steel')
    >>> tank.design([0.5, 3, 2, 1])
    {'radius': 0.5, 'plate': 8, 'ribs': 2, 'steel': 'S355'}
    """

    def __init__(self, specifications: Mapping[str, Any] | None = None) -> None:
        self._listed: dict[str, Variable] = {}
        self.is_named = True  # False: from a sequence, so that functions take arrays
        for name, given in (specifications or {}).items():
            self._add(made(str(name), given))

    # --- building -------------------------------------------------------------------------------
    def real(
        self, name: str, low: float, high: float, *, units: str = "", log: bool = False
    ) -> Variables:
        """Add a real variable; `log` searches it on a logarithmic scale."""
        return self._add(made(name, {"bounds": (low, high), "units": units, "log": log}))

    def integer(self, name: str, low: int, high: int, *, units: str = "") -> Variables:
        """Add a variable that takes whole numbers."""
        return self._add(made(name, {"integer": (low, high), "units": units}))

    def choices(self, name: str, values: Sequence[Any], *, units: str = "") -> Variables:
        """Add a variable from a list whose order means something, such as plate thicknesses."""
        return self._add(made(name, {"choices": values, "units": units}))

    def categories(self, name: str, values: Sequence[Any]) -> Variables:
        """Add a variable from a list without an order, such as materials."""
        return self._add(made(name, {"categories": values}))

    def _add(self, variable: Variable) -> Variables:
        if variable.name in self._listed:
            raise ValueError(f"there are two variables {variable.name!r}")
        self._listed[variable.name] = variable
        return self

    # --- as a mapping ---------------------------------------------------------------------------
    def __getitem__(self, name: str) -> Variable:
        return self._listed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def __repr__(self) -> str:
        return f"Variables({', '.join(self._listed)})"

    # --- what a problem takes from it -----------------------------------------------------------
    @property
    def names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(self._listed)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of what searches see."""
        listed = self.values()
        return np.array([v.low for v in listed]), np.array([v.high for v in listed])

    @property
    def whole(self) -> NDArray[np.bool_]:
        """Which are whole numbers for searches."""
        return np.array([v.kind != REAL for v in self.values()], dtype=bool)

    @property
    def unordered(self) -> NDArray[np.bool_]:
        """Which are categories: a difference of codes means nothing."""
        return np.array([v.kind == CATEGORIES for v in self.values()], dtype=bool)

    @property
    def logarithmic(self) -> NDArray[np.bool_]:
        """Which are searched on a logarithmic scale."""
        return np.array([v.log for v in self.values()], dtype=bool)

    @property
    def units(self) -> dict[str, str]:
        """Units by name, where there are any."""
        return {name: v.units for name, v in self.items() if v.units}

    @property
    def has_lists(self) -> bool:
        """Whether some variable is from a list: codes differ from values."""
        return any(v.values for v in self.values())

    def description(self) -> list[list[Any]]:
        """Kinds and lists as JSON values, for files of runs."""
        return [[v.kind, [v.text(k).strip() for k in range(len(v.values))]] for v in self.values()]

    def renamed(self, names: Sequence[str]) -> Variables:
        """The same variables under other names."""
        changed = Variables(dict(zip(names, self.values(), strict=True)))
        changed.is_named = self.is_named
        return changed

    def with_whole(self, flags: NDArray[np.bool_]) -> Variables:
        """The same variables with some of the real ones whole."""
        changed = Variables()
        changed.is_named = self.is_named
        for variable, flag in zip(self.values(), flags, strict=True):
            is_new = flag and variable.kind == REAL
            changed._add(replace(variable, kind=INTEGER) if is_new else variable)
        return changed

    # --- codes and values -----------------------------------------------------------------------
    def design(self, x: Any) -> dict[str, Any]:
        """Values by name, as the user's function sees them, of one point (d,) of a search."""
        return {name: v.decoded(float(x[j])) for j, (name, v) in enumerate(self.items())}

    def columns(self, x: Floats) -> dict[str, Any]:
        """Values by name of many points, (d, n): an array per variable."""
        return {
            name: np.array(v.values)[np.rint(x[j]).astype(int)] if v.values else x[j]
            for j, (name, v) in enumerate(self.items())
        }

    def decoded(self, x: Any) -> Floats:
        """Points (…, d) with numbers from lists in the place of codes.

        Codes stay where a list holds anything but numbers.
        """
        points = np.array(x, dtype=np.float64)
        for j, variable in enumerate(self.values()):
            numbers = variable.numbers
            if numbers is not None:
                points[..., j] = numbers[np.rint(points[..., j]).astype(int)]
        return points

    def encoded(self, x: Any) -> Floats:
        """Points (…, d) of a search from what `decoded` gave; a ValueError for unlisted numbers."""
        points = np.array(x, dtype=np.float64)
        for j, variable in enumerate(self.values()):
            numbers = variable.numbers
            if numbers is None:
                continue
            column = points[..., j]
            codes = np.abs(column[..., None] - numbers).argmin(axis=-1)
            wrong = np.atleast_1d(column)[np.atleast_1d(numbers[codes] != column)]
            if wrong.size:
                variable.encoded(float(wrong[0]))
            points[..., j] = codes
        return points

    def point(self, design: Mapping[str, Any]) -> Floats:
        """The point of a search behind values by name."""
        missing = [name for name in self if name not in design]
        if missing or len(design) != len(self):
            unknown = [str(name) for name in design if name not in self]
            what = f"no {', '.join(missing)}" if missing else f"unknown {', '.join(unknown)}"
            raise ValueError(f"a design needs {', '.join(self)}; {what}")
        return np.array([v.encoded(design[name]) for name, v in self.items()])


def is_number(value: Any) -> bool:
    """A real number, and no truth value."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def made(name: str, given: Any) -> Variable:
    """A variable from its specification."""
    if isinstance(given, Variable):
        return replace(given, name=name)
    if not isinstance(given, Mapping):
        given = {"bounds": given}
    unknown = [str(key) for key in given if key not in KEYS]
    kinds = [key for key in KEYS[:4] if key in given]
    if unknown or len(kinds) != 1:
        got = f"unknown {', '.join(unknown)}" if unknown else f"got {len(kinds)} of them"
        raise ValueError(f"{name}: expected one of bounds, integer, choices, categories; {got}")
    units, log = str(given.get("units", "")), bool(given.get("log", False))
    kind, value = kinds[0], given[kinds[0]]
    if kind in (CHOICES, CATEGORIES):
        if log:
            raise ValueError(f"{name}: a list has no logarithmic scale")
        values = checked_list(name, value)
        return Variable(name, kind, 0.0, len(values) - 1.0, values, units)
    low, high = checked_pair(name, value)
    if kind == INTEGER:
        if log:
            raise ValueError(f"{name}: an integer variable has no logarithmic scale")
        return Variable(name, INTEGER, low, high, (), units)
    return Variable(name, REAL, low, high, (), units, log)


def checked_list(name: str, values: Any) -> tuple[Any, ...]:
    """At least one value, no two of them equal."""
    if isinstance(values, str | bytes) or not isinstance(values, Sequence | np.ndarray | range):
        raise ValueError(f"{name}: expected a list of values, got {values!r}")
    listed = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
    if not listed:
        raise ValueError(f"{name}: the list of values is empty")
    for k, value in enumerate(listed):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name}: {value!r} is in the list, which is not finite")
        if any(value is other or value == other for other in listed[:k]):
            raise ValueError(f"{name}: {value!r} is in the list twice")
    return listed


def checked_pair(name: str, pair: Any) -> tuple[float, float]:
    """(low, high)."""
    ends = list(pair) if isinstance(pair, Sequence | np.ndarray) else []
    if isinstance(pair, str) or len(ends) != 2 or not all(is_number(end) for end in ends):
        raise ValueError(f"{name}: expected a pair (low, high) of numbers, got {pair!r}")
    low, high = float(ends[0]), float(ends[1])
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"{name}: bounds must be finite, got ({low}, {high})")
    return low, high


def read_variables(bounds: Mapping[str, Any] | Sequence[Any]) -> Variables:
    """Variables from a mapping, a `Variables`, or a sequence with specifications in it."""
    if isinstance(bounds, Variables):
        return bounds
    if isinstance(bounds, Mapping):
        if not bounds:
            raise ValueError("bounds must name at least one variable")
        return Variables(bounds)
    variables = Variables({f"x{j + 1}": each for j, each in enumerate(bounds)})
    variables.is_named = False
    return variables
