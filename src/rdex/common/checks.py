"""Arguments that must be numbers: checked, with messages that name them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The one object that NumPy gives to its arrays of float64.
FLOAT = np.dtype(np.float64)


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
    if is_text or is_complex or value is np.ma.masked:
        kind = "a masked value" if value is np.ma.masked else repr(value)
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
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.is_masked(value))
