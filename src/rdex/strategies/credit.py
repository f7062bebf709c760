"""`Credit`: which part of a search gains more per evaluation."""

from __future__ import annotations

import math

#: Relative change of f below which gains are counted as if f were spread that much.
FINEST = 1e-2


class Credit:
    """Gains of the parts of a search; older ones count less.

    Parameters
    ----------
    half_life : float
        Evaluations of a part after which a gain counts half.

    Examples
    --------
    >>> credit = Credit(half_life=100)
    >>> credit.note("evolution", 200, 0.5)
    >>> credit.note("local", 50, 0.9)
    >>> credit.rate("local") > credit.rate("evolution")
    True
    """

    def __init__(self, half_life: float) -> None:
        self.half_life = max(half_life, 1.0)
        self._gain: dict[str, float] = {}
        self._n: dict[str, float] = {}

    def note(self, part: str, n: int, gain: float) -> None:
        """A part has used n evaluations and gained."""
        kept = 0.5 ** (n / self.half_life)
        self._gain[part] = kept * self._gain.get(part, 0.0) + gain
        self._n[part] = kept * self._n.get(part, 0.0) + n

    def rate(self, part: str) -> float:
        """Gain per evaluation of late; 0 where nothing is known."""
        n = self._n.get(part, 0.0)
        return self._gain[part] / n if n else 0.0


def gain_of(before: tuple[float, float], after: tuple[float, float], spread: float) -> float:
    """How much a better point gains, from 0 to 1; values are (φ, f).

    Outside the constraints the share of the violation that is gone; 1 for the first feasible point;
    then the gain in f beside the spread of f in the population. So gains of all parts compare.

    Examples
    --------
    >>> gain_of((0.4, 1.0), (0.1, 5.0), 1.0), gain_of((0.0, 3.0), (0.0, 2.0), 1.0)
    (0.75, 0.5)
    """
    (phi, f), (new_phi, new_f) = before, after
    if new_phi < phi:
        return 1.0 - new_phi / phi if phi < float("inf") else 1.0
    if new_phi > phi or not new_f < f:
        return 0.0
    if f == float("inf"):
        return 1.0
    return (f - new_f) / (f - new_f + max(scale_of(f, spread), scale_of(new_f, spread)))


def scale_of(f: float, spread: float) -> float:
    """What gains in f are compared with."""
    return max(spread, FINEST * abs(f))


def forecast(value: tuple[float, float], gain: float, spread: float) -> tuple[float, float]:
    """(φ, f) of a point after gains that add up to `gain`, each as `gain_of` counts it.

    Examples
    --------
    >>> forecast((0.0, 7.0), 2.0, spread=1.5)
    (0.0, 4.0)
    """
    phi, f = value
    return phi * math.exp(-gain), f - gain * scale_of(f, spread)
