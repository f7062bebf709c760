"""Constraints as SciPy writes them, and as dicts with bounds, turned into G <= 0 and H = 0.

A source of raw values c(x) (a constraint function, or a matrix) yields one inequality for each
finite bound of each value, and one equality where both bounds are equal. Derivatives given with
the constraints are not needed and ignored. `Stated` keeps what the user wrote: `volume >= 2`, and
not `2 - volume <= 0`.

``{"fun": f, "lb": 1, "ub": 4}`` means what ``NonlinearConstraint(f, 1, 4)`` means, and needs no
import. One bound is enough. In SciPy's form 'ineq' means fun(x) >= 0. 'args' and 'name' may stand
in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rdex.common.text import did_you_mean
from rdex.problem.checks import as_floats
from rdex.problem.functions import Presenting
from rdex.problem.variables import Floats

#: Signs for people.
SIGNS = {"<=": "≤", ">=": "≥", "=": "="}

#: Key of the unit of the objective.
OBJECTIVE = "f"

#: Keys of a dict with bounds. SciPy's form may have further keys, which SciPy ignores.
KEYS = ("fun", "lb", "ub", "args", "name")

#: What others call them.
ALIASES = {
    "low": "lb", "lower": "lb", "min": "lb",
    "high": "ub", "upper": "ub", "max": "ub",
    "function": "fun", "func": "fun", "label": "name",
}  # fmt: skip

#: Bounds of SciPy's types.
TYPES = {"eq": (0.0, 0.0), "ineq": (0.0, math.inf)}


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


class Source:
    """Raw values of one constraint object and how each becomes an entry of G or H.

    `rows` picks values, `signs` and `shifts` turn them: entry = sign · (value − shift).
    """

    def __init__(self, function: Callable[[Floats], Any], label: str) -> None:
        self.function = function
        self.label = label
        self.size = 0
        self.is_number = False  # whether the function returns a bare number
        self.is_boolean = False  # whether it returns True and False
        self.ineq: tuple[Any, Floats, Floats]
        self.eq: tuple[Any, Floats, Floats]

    def learn(self, values: Any, lower: Any, upper: Any) -> None:
        """Fix the number of values and what becomes of each, from one call of the function."""
        array = as_floats(self.label, values, "return")
        if not array.size and not isinstance(self.function, Linear):
            raise ValueError(f"{self.label} must return at least one value, got none")
        self.size = array.size
        self.is_number = array.ndim == 0
        low, high = as_floats(f"{self.label}: lb", lower), as_floats(f"{self.label}: ub", upper)
        try:
            low, high = np.broadcast_to(low, self.size), np.broadcast_to(high, self.size)
        except ValueError:
            raise ValueError(
                f"{self.label}: {self.size} values, but bounds of shapes "
                f"{np.shape(lower)} and {np.shape(upper)}"
            ) from None
        if not (low <= high).all() or np.isposinf(low).any() or np.isneginf(high).any():
            raise ValueError(
                f"{self.label}: expected lower <= upper bounds that leave some value, "
                f"got {lower} and {upper}"
            )
        if self.is_boolean and ((low <= 0.0) & (high >= 1.0)).any():
            raise ValueError(
                f"{self.label} returns True or False, and holds for both. Return the margin, such "
                "as x[0] - 1 for x[0] > 1, or use {'fun': fun, 'lb': 1, 'ub': 1}"
            )
        equal = low == high
        below = np.flatnonzero(~equal & np.isfinite(high))
        above = np.flatnonzero(~equal & np.isfinite(low))
        self.ineq = (
            np.concatenate([below, above]),
            np.repeat([1.0, -1.0], [below.size, above.size]),
            np.concatenate([high[below], low[above]]),
        )
        pinned = np.flatnonzero(equal)
        self.eq = (pinned, np.ones(pinned.size), low[pinned])

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """Default names of the entries of G and of H."""
        rows, signs, _ = self.ineq
        both = set(rows[signs > 0].tolist()) & set(rows[signs < 0].tolist())
        g = []
        for row, sign in zip(rows.tolist(), signs, strict=True):
            side = (" (upper)" if sign > 0 else " (lower)") if row in both else ""
            g.append(self._entry(row) + side)
        return g, [self._entry(row) for row in self.eq[0].tolist()]

    @property
    def stated(self) -> tuple[list[Stated], list[Stated]]:
        """How the entries of G and of H were written."""
        _, signs, shifts = self.ineq
        g = [
            Stated("<=" if sign > 0 else ">=", float(shift))
            for sign, shift in zip(signs, shifts, strict=True)
        ]
        return g, [Stated("=", float(shift)) for shift in self.eq[2]]

    def _entry(self, row: int) -> str:
        return self.label if self.size == 1 else f"{self.label}[{row}]"

    def values(self, x: Floats) -> Floats:
        """Raw values at one point, which the function gets as its own, checked for their number."""
        raw = as_floats(self.label, self.function(x.copy()), "return").reshape(-1)
        if raw.size != self.size:
            raise ValueError(f"{self.label}: expected {self.size} values, got {raw.size}")
        return raw

    @property
    def is_single(self) -> bool:
        """Whether it is one value with one bound: one inequality."""
        return self.size == 1 and self.ineq[1].size == 1

    def checked_column(self, raw: Floats, n: int, layout: Any) -> Floats:
        """Values (n,) of a source of one value, from those of a vectorised function."""
        expected = (n, 1) if layout == "rows" else (1, n)
        if raw.shape not in (expected, (n,)):
            raise ValueError(f"{self.label}: expected values of shape {expected}, got {raw.shape}")
        return raw.reshape(n)

    def value_rows(self, x: Floats, layout: Any) -> Floats:
        """Raw values (n, size) at the rows of x, from a vectorised function."""
        n = x.shape[0]
        own = x.copy()
        values = self.function(own if layout == "rows" else own.T)
        raw = as_floats(self.label, values, "return")
        expected = (n, self.size) if layout == "rows" else (self.size, n)
        if raw.shape != expected and not (self.size == 1 and raw.shape == (n,)):
            raise ValueError(f"{self.label}: expected values of shape {expected}, got {raw.shape}")
        if raw.ndim == 1:
            return raw[:, None]
        return raw if layout == "rows" else raw.T


def read_constraints(
    constraints: Any, probe: Floats, layout: Any = False, present: Presenting | None = None
) -> list[Source]:
    """The sources behind constraints: dicts, and what `scipy.optimize.minimize` accepts.

    Every constraint function is called once, at `probe` (d,), to learn how many values it has.
    `present` says how it takes a point.
    """
    present = present or Presenting(None, None, layout)
    if isinstance(constraints, dict) or not isinstance(constraints, Iterable):
        constraints = [constraints]
    items = list(constraints)
    return [
        read_constraint(item, label, probe, present)
        for item, label in zip(items, labels_of(items), strict=True)
    ]


def names_of(sources: list[Source]) -> tuple[list[str], list[str]]:
    """Default names of all entries of G and of H."""
    pairs = [source.names for source in sources]
    return [name for g, _ in pairs for name in g], [name for _, h in pairs for name in h]


def stated_of(sources: list[Source]) -> tuple[list[Stated], list[Stated]]:
    """How all entries of G and of H were written."""
    pairs = [source.stated for source in sources]
    return [one for g, _ in pairs for one in g], [one for _, h in pairs for one in h]


def labels_of(items: list[Any]) -> list[str]:
    """What to call each constraint object: by the name in its dict, or its function's own."""
    numbered = [f"c{k + 1}" for k in range(len(items))]
    given = [given_name(item, number) for item, number in zip(items, numbered, strict=True)]
    functions = [item.get("fun") if isinstance(item, dict) else getattr(item, "fun", None)
                 for item in items]  # fmt: skip
    names = [getattr(function, "__name__", "") for function in functions]
    taken = [*given, *numbered, *(name for name, own in zip(names, given, strict=True) if not own)]
    labels = [
        own or (name if name.isidentifier() and taken.count(name) == 1 else number)
        for own, name, number in zip(given, names, numbered, strict=True)
    ]
    for label in given:
        if label and labels.count(label) > 1:
            raise ValueError(f"constraints: {labels.count(label)} have the name {label!r}")
    return labels


def read_constraint(item: Any, label: str, probe: Floats, present: Presenting) -> Source:
    """One constraint object as a source."""
    if isinstance(item, dict):
        return _from_dict(item, label, probe, present)
    if hasattr(item, "A") and hasattr(item, "lb"):
        return _from_matrix(item, label, probe, present)
    if hasattr(item, "fun") and hasattr(item, "lb"):
        source = Source(present(item.fun), label)
        source.learn(_probed(source, probe, present.layout), item.lb, item.ub)
        return source
    raise ValueError(
        f"{label}: expected a dict with 'fun' and bounds, a NonlinearConstraint, a "
        f"LinearConstraint or a dict with 'type' and 'fun', got {type(item).__name__}"
    )


def _from_dict(item: dict[str, Any], label: str, probe: Floats, present: Presenting) -> Source:
    """A dict with bounds, or in SciPy's form."""
    given = read_dict(item, label)
    source = Source(present(given.function, given.args), label)
    source.learn(_probed(source, probe, present.layout), given.lower, given.upper)
    return source


def _from_matrix(item: Any, label: str, probe: Floats, present: Presenting) -> Source:
    """lb <= A x <= ub."""
    dense = item.A.toarray() if hasattr(item.A, "toarray") else item.A
    matrix = np.atleast_2d(as_floats(f"{label}: the matrix", dense))
    if matrix.shape[1] != probe.size:
        raise ValueError(
            f"{label}: expected a matrix of {probe.size} columns, got shape {matrix.shape}"
        )
    linear = present.numbers(Linear(matrix, present.layout))
    source = Source(linear, label)
    source.learn(_probed(source, probe, present.layout), item.lb, item.ub)
    return source


class Linear:
    """x -> A x, for one point or in the layout of a vectorised function.

    Products are added from left to right, as compiled code does: the same bits for one point, for
    many and in the fused loop, which a BLAS would not give.
    """

    def __init__(self, matrix: Floats, layout: Any) -> None:
        self.matrix = matrix
        self.layout = layout

    def __call__(self, x: Floats) -> Floats:
        if x.ndim == 1:
            return np.add.accumulate(self.matrix * x, axis=1)[:, -1]
        rows = x if self.layout == "rows" else x.T
        total = np.zeros((rows.shape[0], self.matrix.shape[0]))
        for j in range(rows.shape[1]):
            total += self.matrix[:, j] * rows[:, j, None]
        return total if self.layout == "rows" else total.T


def _probed(source: Source, probe: Floats, layout: Any) -> Any:
    """Values at one point, from a plain or a vectorised function."""
    x = probe.copy()
    if layout:
        x = x[None, :] if layout == "rows" else x[:, None]
    returned = source.function(x)
    first = returned[0] if isinstance(returned, list | tuple) and returned else returned
    source.is_boolean = isinstance(first, bool) or getattr(first, "dtype", None) == np.bool_
    if not layout:
        return returned
    values = as_floats(source.label, returned, "return")
    if values.size == 1:
        return values
    if values.ndim != 2 or values.shape[0 if layout == "rows" else 1] != 1:
        shape = "(S, M)" if layout == "rows" else "(M, S)"
        raise ValueError(f"{source.label}: expected values of shape {shape}, got {values.shape}")
    return values


# --- dicts ---------------------------------------------------------------------------------------
class Entries(NamedTuple):
    """What a constraint dict says."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    lower: Any
    upper: Any


def read_dict(item: dict[str, Any], label: str) -> Entries:
    """The entries of a constraint dict, checked."""
    lower, upper = _typed(item, label) if "type" in item else _bounded(item, label)
    function = item.get("fun")
    if not callable(function):
        got = f"got {function!r}" if "fun" in item else "which is missing"
        raise ValueError(f"{label}: a constraint dict needs a function as 'fun', {got}")
    args = item.get("args", ())
    return Entries(function, tuple(args) if isinstance(args, Sequence) else (args,), lower, upper)


def given_name(item: Any, number: str) -> str:
    """The name that a constraint dict gives itself; empty where it has none."""
    if not isinstance(item, dict) or "name" not in item:
        return ""
    name = item["name"]
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{number}: 'name' must be a text that is not empty, got {name!r}")
    return name


def _typed(item: dict[str, Any], label: str) -> tuple[float, float]:
    """Bounds of SciPy's form."""
    kind = item["type"]
    both = [key for key in ("lb", "ub") if key in item]
    if both:
        raise ValueError(f"{label}: a constraint dict has 'type' or bounds, got 'type' and "
                         f"{both[0]!r}")  # fmt: skip
    if not isinstance(kind, str) or kind not in TYPES:
        raise ValueError(f"{label}: 'type' must be 'eq' or 'ineq', got {kind!r}")
    return TYPES[kind]


def _bounded(item: dict[str, Any], label: str) -> tuple[Any, Any]:
    """Bounds of a dict that has them; a missing one is infinite."""
    for key in item:
        if key not in KEYS:
            hint = did_you_mean(str(key), (*KEYS, "type"), ALIASES)
            raise ValueError(f"{label}: a constraint dict has no key {key!r}{hint}; "
                             f"known: {', '.join(KEYS)}, or SciPy's 'type'")  # fmt: skip
    if "lb" not in item and "ub" not in item:
        raise ValueError(
            f"{label}: a constraint dict needs 'fun' and bounds ('lb', 'ub' or both), "
            "or SciPy's 'type' ('eq' or 'ineq') and 'fun'"
        )
    return item.get("lb", -math.inf), item.get("ub", math.inf)
