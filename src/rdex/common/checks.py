"""Arguments that must be numbers: checked, with messages that name them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def as_floats(label: str, value: Any) -> NDArray[np.float64]:
    """Numbers as an array, or a ValueError naming the argument."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{label} must be a number or numbers, got {value!r}") from None
