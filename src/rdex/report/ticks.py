"""Frame, grid, ticks and labels of a panel, as two collections of lines and a few texts.

matplotlib's own axes make five artists of each tick and measure every label several times per
drawing. Without them, the figures of a report take about three quarters of the time.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rdex.common.extras import require

GRID, FRAME = "0.9", "black"
FRAME_WIDTH = 0.8
POINTS_PER_INCH = 72.0

#: In points: length of a tick, and distances of labels and titles from the frame.
TICK, LABEL, TITLE = 3.5, 7.0, 2.0
FONT = 8.0

#: Widths of a label along its axis, in units of the font size: what is left free between ticks.
ACROSS, UP = 3, 2
MOST_TICKS = 9

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Ticks(NamedTuple):
    """Where the ticks of an axis are; a label may be empty."""

    places: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()

    def unlabelled(self) -> Ticks:
        """The same ticks without labels."""
        return Ticks(self.places, ("",) * len(self.places))


def even_ticks(low: float, high: float, most: int = MOST_TICKS) -> Ticks:
    """Round numbers, at most `most` steps apart.

    Examples
    --------
    >>> even_ticks(-0.02, 1.02, 6).labels
    ('0.0', '0.2', '0.4', '0.6', '0.8', '1.0')
    """
    ticker = require("matplotlib.ticker", "bench")
    found = ticker.MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    places = [float(x) for x in found if low - slack <= x <= high + slack]
    step = float(found[1] - found[0]) if len(found) > 1 else 1.0
    digits = next((d for d in range(12) if math.isclose(round(step, d), step)), 12)
    return Ticks(tuple(places), tuple(f"{x:.{digits}f}".replace("-", "−") for x in places))


def power_ticks(low: float, high: float) -> Ticks:
    """Few powers of ten between 10^low and 10^high, placed at their exponents.

    Their labels are plain text: mathematics takes ten times as long to set. Where there are less
    than two powers of ten, other round numbers take their place.

    Examples
    --------
    >>> power_ticks(-10.5, 3.2)
    Ticks(places=(-8.0, -4.0, 0.0), labels=('10⁻⁸', '10⁻⁴', '10⁰'))
    >>> power_ticks(-0.8, 0.4).labels
    ('0.2', '0.5', '1', '2')
    """
    first, last = math.ceil(low), math.floor(high)
    step = max(1, math.ceil((last - first) / 4))
    exponents = range(-(-first // step) * step, last + 1, step)
    if len(exponents) > 1:
        return Ticks(tuple(map(float, exponents)), tuple(map(power_of_ten, exponents)))
    rounded = [math.log10(x) + n for n in range(first - 1, last + 1) for x in (1, 2, 5)]
    places = tuple(x for x in rounded if low <= x <= high)
    if len(places) < 2:
        places = even_ticks(low, high, 3).places
    return Ticks(places, tuple(f"{10.0**x:.3g}" for x in places))


def power_of_ten(exponent: int) -> str:
    """A power of ten in text.

    Examples
    --------
    >>> power_of_ten(-12)
    '10⁻¹²'
    """
    return f"10{str(exponent).translate(RAISED)}"


def draw_frame(axis: Any, x: Ticks | None = None, y: Ticks | None = None, title: str = "") -> None:
    """Draw all around the data of a panel, once these are there; even ticks where none are given.

    The layout must be fixed: sizes are computed from the panel's place on the figure.
    """
    lines = require("matplotlib.collections", "bench").LineCollection
    box = axis.get_position()
    width, height = (
        POINTS_PER_INCH * axis.figure.get_size_inches() * (box.width, box.height)
    ).tolist()
    (left, right), (low, high) = axis.get_xlim(), axis.get_ylim()
    axis.axis("off")
    if x is None:
        x = even_ticks(left, right, room_for(width, ACROSS))
    if y is None:
        y = even_ticks(low, high, room_for(height, UP))
    across = (np.array(x.places) - left) / (right - left)
    up = (np.array(y.places) - low) / (high - low)
    grid = [*(((u, 0), (u, 1)) for u in across), *(((0, u), (1, u)) for u in up)]
    frame = [((0, 0), (1, 0)), ((0, 0), (0, 1)), *(((u, 0), (u, -TICK / height)) for u in across),
             *(((0, u), (-TICK / width, u)) for u in up)]  # fmt: skip
    for segments, colour, order in ((grid, GRID, 1.5), (frame, FRAME, 2.5)):
        axis.add_collection(
            lines(segments, colors=colour, linewidths=FRAME_WIDTH, zorder=order, clip_on=False,
                  transform=axis.transAxes, capstyle="projecting"),
            autolim=False,
        )  # fmt: skip
    words = [*((u, -LABEL / height, text, "center", "top")
               for u, text in zip(across, x.labels, strict=True)),
             *((-LABEL / width, u, text, "right", "center_baseline")
               for u, text in zip(up, y.labels, strict=True)),
             (0, 1 + TITLE / height, title, "left", "baseline")]  # fmt: skip
    for u, v, text, ha, va in words:
        if text:
            axis.text(u, v, text, ha=ha, va=va, fontsize=FONT, transform=axis.transAxes)


def room_for(points: float, spacing: int) -> int:
    """Steps between ticks that an axis of so many points has room for."""
    return max(1, min(MOST_TICKS, int(points / (FONT * spacing))))
