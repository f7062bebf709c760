"""Significant digits, exactly as a text file would keep them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rdex.scoring.arrays import Floats


def round_significant(values: ArrayLike, digits: int | None) -> Floats:
    """Values as they come back from text of `digits` significant digits; unchanged for None.

    Bit for bit what printing and reading each number gives, ties and all, so that traces rounded
    here and traces read from six-digit files meet as equals.

    Examples
    --------
    >>> round_significant([-2.839809171e-4, 1234567.0, 0.0], 6).tolist()
    [-0.000283981, 1234570.0, 0.0]
    """
    array = np.asarray(values, dtype=np.float64)
    if digits is None:
        return array
    if not 1 <= digits <= 15:
        raise ValueError(f"digits must be None or a whole number from 1 to 15, got {digits!r}")
    rounded = array.copy()
    plain = np.isfinite(array) & (array != 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = digits - 1 - np.floor(np.log10(np.abs(array)))
    # Powers of ten up to 22 are exact, so that one division of whole numbers rounds correctly.
    # Outside them, near a tie and at a power of ten, only text is sure.
    scalable = plain & (np.abs(shift) <= 22)
    unsure = plain & ~scalable
    x, places = array[scalable], shift[scalable]
    power = 10.0 ** np.abs(places)
    scaled = np.where(places >= 0, x * power, x / power)
    whole = np.rint(scaled)
    near_tie = np.abs(np.abs(scaled - whole) - 0.5) <= np.abs(scaled) * 1e-15
    near_power = (np.abs(whole) >= 10.0**digits) | (np.abs(whole) < 10.0 ** (digits - 1))
    rounded[scalable] = np.where(places >= 0, whole / power, whole * power)
    unsure[scalable] = near_tie | near_power
    rounded[unsure] = _through_text(array[unsure], digits)
    return rounded


def _through_text(values: Floats, digits: int) -> Floats:
    """Print and read each distinct value."""
    distinct, inverse = np.unique(values, return_inverse=True)
    read = np.array([float(f"{value:.{digits - 1}e}") for value in distinct], dtype=np.float64)
    return read[inverse]
