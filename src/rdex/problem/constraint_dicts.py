"""Constraints as dicts: with bounds, or in SciPy's form with 'type'.

``{"fun": f, "lb": 1, "ub": 4}`` means what ``NonlinearConstraint(f, 1, 4)`` means, and needs no
import. One bound is enough. In SciPy's form 'ineq' means fun(x) >= 0. 'args' and 'name' may stand
in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rdex.common.text import did_you_mean

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
