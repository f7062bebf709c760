"""Arguments checked: numbers, bounds, flags, names. Messages name the argument and its fault."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.problem.variables import Floats, Variables, read_variables

#: The one object that NumPy gives to its arrays of float64.
FLOAT = np.dtype(np.float64)

#: Usual numbers first: asking an abstract class takes longer.
NUMBER = (float, int, Real)

#: What to do where all lower bounds stand in one row and all upper bounds in the other.
TRANSPOSED = "if these are (lower bounds, upper bounds), use bounds=list(zip(lower, upper))"

#: Integers are float64: beyond this they have no neighbours.
LARGEST_INTEGER = 2.0**53


def checked_count(label: str, value: Any) -> int:
    """A whole number of at least 1."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < 1:
        raise ValueError(f"{label} must be a whole number >= 1, got {value!r}")
    return int(value)


def checked_number(label: str, value: Any) -> float:
    """A real number, not NaN."""
    array = as_floats(label, value)
    if array.ndim or np.isnan(array):
        raise ValueError(f"{label} must be one number, got {value!r}")
    return float(array)


def as_floats(label: str, value: Any, verb: str = "be") -> NDArray[np.float64]:
    """Real numbers as an array, or a ValueError naming the argument, or the function where `verb`
    is "return".

    NumPy would make numbers of text, of complex and of masked values; here they are refused.
    """
    if type(value) is np.ndarray and value.dtype is FLOAT:
        return value
    if has_masked(value):
        raise ValueError(f"{label} must {verb} numbers, got masked values: use NaN for missing")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # rows of different lengths
        raise ValueError(f"{label} must {verb} a number or numbers, got {value!r}") from None
    if array.dtype.kind in "biuf":
        return array.astype(FLOAT)
    if array.dtype.kind == "O" and array.ndim:
        numbers = [as_float(label, each, verb) for each in array.flat]
        return np.array(numbers, dtype=FLOAT).reshape(array.shape)
    kind = "complex numbers" if array.dtype.kind == "c" else repr(value)
    raise ValueError(f"{label} must {verb} a number or numbers, got {kind}")


def as_float(label: str, value: Any, verb: str = "be") -> float:
    """One real number, or a ValueError naming the argument, or the function where `verb` is
    "return"."""
    is_text = isinstance(value, str | bytes | bytearray)
    is_complex = isinstance(value, complex | np.complexfloating)
    is_missing = can_mask() and value is np.ma.masked
    if is_text or is_complex or is_missing:
        kind = "a masked value" if is_missing else repr(value)
        raise ValueError(f"{label} must {verb} one number, got {kind}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        kind = type(value).__name__
        raise ValueError(f"{label} must {verb} one number, got {kind}") from None


def has_masked(value: Any) -> bool:
    """Whether some of the values are masked."""
    if isinstance(value, list | tuple):
        return any(has_masked(each) for each in value)
    return can_mask() and isinstance(value, np.ma.MaskedArray) and bool(np.ma.is_masked(value))


def can_mask() -> bool:
    """Whether there may be masked values: `numpy.ma`, which loads itself when used, is loaded."""
    return "numpy.ma" in sys.modules


def read_bounds(bounds: Any) -> tuple[Floats, Floats, Variables | None]:
    """Lower and upper bounds from `scipy.optimize.Bounds`, or a sequence of (low, high); and the
    variables where the bounds are specifications."""
    if bounds is None:
        raise ValueError("bounds are needed: a sequence of (low, high), one pair per variable")
    is_list = isinstance(bounds, Sequence)
    if isinstance(bounds, Mapping) or (is_list and any(isinstance(b, Mapping) for b in bounds)):
        variables = read_variables(bounds)
        return *checked_box(*variables.bounds), variables
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        lower, upper = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
        return *checked_box(lower, upper), None
    try:
        pairs = [tuple(pair) for pair in bounds]
    except TypeError:
        raise ValueError(
            f"bounds must be scipy.optimize.Bounds or a sequence of (low, high), got {bounds!r}"
        ) from None
    if not pairs:
        raise ValueError("bounds must hold at least one pair (low, high)")
    for j, pair in enumerate(pairs):
        if len(pair) != 2 or not (isinstance(pair[0], NUMBER) and isinstance(pair[1], NUMBER)):
            are_rows = len(pairs) == 2 and len(pairs[0]) == len(pairs[1]) > 2
            hint = f"; {TRANSPOSED}" if are_rows else ""
            raise ValueError(
                f"bounds[{j}] must be a pair (low, high) of numbers, got {pair!r}{hint}"
            )
    return *checked_box([pair[0] for pair in pairs], [pair[1] for pair in pairs]), None


def checked_layout(vectorized: Any) -> bool | str:
    """False, True or "rows"."""
    if vectorized is True or vectorized is False or vectorized == "rows":
        return vectorized
    raise ValueError(f'vectorized must be False, True or "rows", got {vectorized!r}')


def checked_box(lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    """Both bounds as read-only float64 vectors, or a ValueError naming the variable at fault."""
    low, high = (as_floats("bounds", ends).copy() for ends in (lower, upper))
    if low.ndim != 1 or low.shape != high.shape or low.size == 0:
        raise ValueError(
            f"bounds must be two vectors of one length > 0, got {low.shape} and {high.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        is_good = (low <= high) & np.isfinite(high - low)
    if not is_good.all():
        j = int(np.argmin(is_good))
        if not (np.isfinite(low[j]) and np.isfinite(high[j])):
            raise ValueError(f"bounds[{j}] must be finite, got ({low[j]}, {high[j]})")
        if low[j] > high[j]:
            raise ValueError(f"bounds[{j}]: lower {low[j]} is above upper {high[j]}")
        raise ValueError(f"bounds[{j}]: the width of ({low[j]}, {high[j]}) overflows")
    low.setflags(write=False)
    high.setflags(write=False)
    return low, high


def checked_integrality(flags: ArrayLike, lower: Floats, upper: Floats) -> NDArray[np.bool_]:
    """One flag per variable, each integer variable having an integer inside its bounds."""
    array = np.asarray(flags)
    if array.ndim == 0:
        array = np.full(lower.size, array)
    if array.shape != lower.shape:
        raise ValueError(f"integrality must have shape {lower.shape}, got {array.shape}")
    if not np.isin(array, (0, 1)).all():
        raise ValueError("integrality must hold 0 (continuous) or 1 (integer) for each variable")
    whole = array.astype(bool)
    for j in np.flatnonzero(whole):
        if np.ceil(lower[j]) > np.floor(upper[j]):
            raise ValueError(f"bounds[{j}] = ({lower[j]}, {upper[j]}) hold no integer")
        if max(abs(lower[j]), abs(upper[j])) > LARGEST_INTEGER:
            raise ValueError(
                f"bounds[{j}] = ({lower[j]:g}, {upper[j]:g}) of an integer variable must be within "
                "±2**53: beyond it, float64 cannot tell neighbouring integers apart"
            )
    return whole


def checked_names(label: str, names: Sequence[str], count: int, letter: str) -> tuple[str, ...]:
    """`count` distinct names; `letter`1, `letter`2, … where none are given."""
    given = tuple(str(name) for name in names) or tuple(f"{letter}{i + 1}" for i in range(count))
    if len(given) != count:
        raise ValueError(f"{label}: expected {count} names, got {len(given)}")
    if len(set(given)) != count:
        raise ValueError(f"{label} must differ from one another")
    return given
