"""The critical-difference diagram: where names, marks and bars stand, and the diagram as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np

from rdex.scoring import Friedman


@dataclass(frozen=True)
class Diagram:
    """Positions on an axis of ranks.

    Attributes
    ----------
    names, ranks : tuples
        Algorithms from the best average rank to the worst.
    bars : tuple of (float, float)
        First and last rank of groups whose members do not differ.
    difference : float
        The critical difference.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    bars: tuple[tuple[float, float], ...]
    difference: float

    @property
    def text(self) -> str:
        """What the diagram says, in words."""
        listed = ", ".join(f"{n} {r:.2f}" for n, r in zip(self.names, self.ranks, strict=True))
        groups = [
            " and ".join(n for n, r in zip(self.names, self.ranks, strict=True) if a <= r <= b)
            for a, b in self.bars
        ]
        alike = "; ".join(groups) or "none"
        return (
            f"Average ranks, best first: {listed}. Critical difference {self.difference:.3f}. "
            f"Groups whose members do not differ: {alike}."
        )


def diagram(names: tuple[str, ...], test: Friedman) -> Diagram | None:
    """The diagram of a Friedman test; None where there was none."""
    if np.isnan(test.critical_difference):
        return None
    order = np.argsort(test.average_ranks, kind="stable")
    ranks = [float(test.average_ranks[i]) for i in order]
    bars: list[tuple[float, float]] = []
    for i, first in enumerate(ranks):
        last = max(r for r in ranks[i:] if r - first <= test.critical_difference)
        # A bar inside the one before it says nothing new.
        if last > first and not (bars and bars[-1][1] >= last):
            bars.append((first, last))
    return Diagram(
        tuple(names[i] for i in order), tuple(ranks), tuple(bars), test.critical_difference
    )


def svg(drawn: Diagram) -> str:
    """The diagram as inline SVG that takes colour and font from the page; names are escaped."""
    m = len(drawn.names)
    half = (m + 1) // 2
    left, right, top, row = 230.0, 570.0, 64.0, 22.0
    below = top + 14 + 9 * len(drawn.bars)

    def x(rank: float) -> float:
        return left + (right - left) * (rank - 1) / max(m - 1, 1)

    width = (right - left) * drawn.difference / max(m - 1, 1)
    parts = [_line(left, top, right, top), _line(left, 26, left + width, 26)]
    parts.append(_text(left, 18, f"CD = {drawn.difference:.3f}", "start"))
    for tick in range(1, m + 1):
        parts.append(_line(x(tick), top - 7, x(tick), top))
        parts.append(_text(x(tick), top - 11, str(tick), "middle"))
    for k, (a, b) in enumerate(drawn.bars):
        y = top + 10 + 9 * k
        parts.append(_line(x(a) - 4, y, x(b) + 4, y, 4))
    for i, (name, rank) in enumerate(zip(drawn.names, drawn.ranks, strict=True)):
        on_left = i < half
        y = below + row * ((i if on_left else m - 1 - i) + 1)
        end = left - 12 if on_left else right + 12
        parts += [_line(x(rank), top, x(rank), y), _line(x(rank), y, end, y)]
        anchor = "end" if on_left else "start"
        label = f"{_short(name)} ({rank:.2f})"
        parts.append(_text(end + (-5 if on_left else 5), y + 4, label, anchor))
    height = below + row * (half + 1)
    return (
        f'<svg viewBox="0 0 800 {height:.0f}" role="img" aria-label="{escape(drawn.text)}" '
        f'class="critical">{"".join(parts)}</svg>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, width: float = 1.2) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="currentColor" stroke-width="{width}"/>'
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _short(name: str, most: int = 22) -> str:
    """A long name cut, so that it stays inside the drawing."""
    return name if len(name) <= most else name[: most - 1] + "…"
