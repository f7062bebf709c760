"""`Edges`: the way down where an objective has edges, as the largest of several loads has.

At an edge SLSQP sees the slope of one side only, and its steps become shorter and shorter. Here the
slopes of earlier points are kept as cuts: the objective is taken for the largest of what all of
them say, with one curvature for all. The lowest point of this model in a box is the next one. If it
is not lower than the centre, its slopes are a cut that was missing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.problem.problem import Floats
from rdex.solvers.sqp import Slopes, Values, solve, sqp_steps

#: Weight of the violation of constraints, in units of the largest slope of f.
PENALTY = 10.0

#: Cuts nearer than so many radii are used, and the n + 2 nearest of all.
NEAR = 4.0

#: A cut above the centre by more than this share of its change on the way there says nothing.
ABOVE = 0.1

#: Cuts of a constraint count where their slopes differ by this share from those at the centre.
OTHER = 0.1

#: On one smooth piece, the mean slope of two points misses less than this share of what the
#: difference of their slopes explains.
MISSED = 0.2

#: Differences are no better than this share.
ROUNDING = 1e-3

#: Slopes by differences may be those of two sides at points so near to an edge.
SAME = 1e-5

#: Radius at the start and at the end.
FIRST, LAST = 0.1, 1e-7

#: An expected gain below this share of f is none.
NO_GAIN = 1e-10


class Cut(NamedTuple):
    """A point with its values and slopes."""

    z: Floats
    values: Values
    slopes: Slopes


class Between(NamedTuple):
    """What the mean slope of two points misses of the change of f between them, how much the
    difference of their slopes explains, and how much the slopes themselves."""

    missed: float
    bent: float
    size: float


def between(one: Cut, other: Cut) -> Between:
    """See `Between`."""
    way, change = one.z - other.z, one.values.f - other.values.f
    mean = 0.5 * (one.slopes.f + other.slopes.f)
    size = float((np.abs(one.slopes.f) + np.abs(other.slopes.f)) @ np.abs(way))
    bent = 0.5 * abs(float((one.slopes.f - other.slopes.f) @ way))
    return Between(abs(change - float(mean @ way)), bent, size)


def is_one_piece(one: Cut, other: Cut) -> bool:
    """Whether f looks smooth between two points."""
    missed, bent, size = between(one, other)
    return missed <= MISSED * bent + ROUNDING * size


def is_jump(one: Cut, other: Cut) -> bool:
    """Whether f changes by more than slopes and edges explain."""
    missed, _, size = between(one, other)
    return missed > 2.0 * size


def may_have_edge(cuts: list[Cut]) -> bool:
    """Whether there may be an edge somewhere, and no jump was seen."""
    pairs = list(zip(cuts[1:], cuts[:-1], strict=True))
    is_smooth = all(is_one_piece(*pair) for pair in pairs)
    return not is_smooth and not any(is_jump(*pair) for pair in pairs)


class Edges:
    """The model of f by cuts, and the box in which it is trusted.

    Parameters
    ----------
    cuts : list of Cut
        What is known; the last one is the centre. It may be so near to an edge that its slopes are
        a mixture of both sides, so they count only where there are no others.
    lower, upper : (n,) array
        Bounds.
    """

    def __init__(self, cuts: list[Cut], lower: Floats, upper: Floats) -> None:
        n = lower.size
        self._lower, self._upper = lower, upper
        self._most = 3 * n + 5
        self._centre = cuts[-1]
        self._is_sharp = True
        self._curvature = np.zeros((n, n))
        self._cuts: list[Cut] = []
        for k, cut in enumerate(cuts):
            if all(np.abs(cut.z - later.z).max() > SAME for later in cuts[k + 1 :]):
                self._keep(cut)
        self.radius = FIRST
        self._is_strict = self.has_jump = False
        self._expected = 0.0

    def propose(self) -> Floats | None:
        """The next point; None where nothing is left to gain."""
        while self.radius > LAST:
            z, merit = self._lowest()
            self._expected = self.merit(self._centre.values) - merit
            least = NO_GAIN * max(1.0, abs(self._centre.values.f) / self._steepest)
            is_new = all(
                np.abs(z - cut.z).max() > 1e-3 * min(self.radius, SAME) for cut in self._cuts
            )
            if self._expected > least and is_new:
                return z
            # Cuts from far away may be wrong: only those nearby, in a smaller box.
            self.radius *= 0.25
            self._is_strict = True
        return None

    def fail(self) -> None:
        """The point has no values."""
        self.radius *= 0.3

    def learn(self, cut: Cut) -> None:
        """Values and slopes of the point that was proposed."""
        nearest = min(self._cuts, key=lambda other: float(np.abs(cut.z - other.z).max()))
        self.has_jump = is_jump(cut, nearest)
        self._keep(cut)
        self._is_strict = False
        gain = self.merit(self._centre.values) - self.merit(cut.values)
        step = float(np.abs(cut.z - self._centre.z).max())
        ratio = gain / self._expected
        if gain > 0.0:
            self._centre, self._is_sharp = cut, step < SAME
            if ratio > 0.7 and step >= 0.99 * self.radius:
                self.radius = min(2.0 * self.radius, 0.5)
            elif ratio < 0.1:
                self.radius *= 0.5
        else:
            self.radius *= 0.5 if len(self._cuts) > cut.z.size + 1 or ratio < -1.0 else 0.7
        if len(self._cuts) > self._most:
            self._cuts = self._nearest_first()[: self._most]

    def merit(self, values: Values) -> float:
        """f and the largest violation, in units of the slopes of f at the centre."""
        violation = float(np.max(-values.c, initial=0.0))
        return values.f / self._steepest + PENALTY * violation

    @property
    def _steepest(self) -> float:
        """Largest slope of f at the centre."""
        return float(np.abs(self._centre.slopes.f).max()) or 1.0

    # --- the model --------------------------------------------------------------------------------
    def _nearest_first(self) -> list[Cut]:
        """All cuts by their distance from the centre."""
        return sorted(self._cuts, key=lambda cut: float(np.abs(cut.z - self._centre.z).max()))

    def _near(self) -> Iterable[Cut]:
        """The cuts of the model, nearest first."""
        least = 1 if self._is_strict else self._centre.z.size + 2
        for k, cut in enumerate(self._nearest_first()):
            away = float(np.abs(cut.z - self._centre.z).max())
            if k < least or away <= NEAR * self.radius:
                yield cut

    def _lowest(self) -> tuple[Floats, float]:
        """The lowest point of the model in the box, and its merit."""
        z, f, radius, unit = self._centre.z, self._centre.values.f, self.radius, self._steepest
        limits: list[float] = []
        slopes, c_limits, c_slopes = [], [], []
        for cut in reversed(list(self._near())):  # the centre's last
            way = z - cut.z
            change = float(cut.slopes.f @ way)
            bent = self._curvature @ way
            at = cut.values.f + change + 0.5 * float(way @ bent)
            is_centre = cut is self._centre
            is_below = at <= f + ABOVE * max(abs(change), abs(cut.values.f - f))
            if not (self._is_sharp and limits) if is_centre else is_below:
                limits.append((min(at, f) - f) / unit)
                slopes.append((cut.slopes.f + bent) / unit)
            kept = slice(None) if is_centre else self._other_pieces(cut, way)
            c_limits.append(cut.values.c[kept] + cut.slopes.c[kept] @ way)
            c_slopes.append(cut.slopes.c[kept])
        lower = np.maximum(-radius, self._lower - z) / radius
        upper = np.minimum(radius, self._upper - z) / radius
        model = _Model(
            np.array(limits) / radius, np.array(slopes), np.concatenate(c_limits) / radius,
            np.concatenate(c_slopes), self._curvature * (radius / unit),
        )  # fmt: skip
        step, merit = model.lowest(lower, upper)
        return np.clip(z + radius * step, self._lower, self._upper), f / unit + radius * merit

    def _other_pieces(self, cut: Cut, way: Floats) -> NDArray[np.intp]:
        """Which constraints have an edge between a cut and the centre, and hold at both by it."""
        here, slopes = self._centre.values.c, self._centre.slopes.c
        change = np.abs(cut.slopes.c @ way)
        at = cut.values.c + cut.slopes.c @ way
        differs = np.abs(cut.slopes.c - slopes).max(axis=1, initial=0.0)
        is_other = differs > OTHER * np.abs(slopes).max(axis=1, initial=0.0)
        return np.flatnonzero(is_other & (at >= here - ABOVE * change) & (at <= here + 10 * change))

    def _keep(self, cut: Cut) -> None:
        """One cut more; the curvature follows from it and the most similar one (BFGS, damped)."""

        def difference(other: Cut) -> float:
            away = float(np.linalg.norm(cut.z - other.z))
            change = float(np.linalg.norm(cut.slopes.f - other.slopes.f))
            return change / max(away, 1e-300)

        other = min(self._cuts, key=difference, default=cut)
        self._cuts.append(cut)
        s, y = cut.z - other.z, cut.slopes.f - other.slopes.f
        sy = float(s @ y)
        if np.linalg.norm(s) <= SAME or sy <= 0.0 or not is_one_piece(cut, other):
            return
        bent = self._curvature @ s
        sbs = float(s @ bent)
        if sy < 0.2 * sbs:
            share = 0.8 * sbs / (sbs - sy)
            y = share * y + (1.0 - share) * bent
        if sbs > 1e-14 * np.abs(self._curvature).max() * float(s @ s):
            self._curvature = self._curvature - np.outer(bent, bent) / sbs
        self._curvature = self._curvature + np.outer(y, y) / float(s @ y)


class _Model(NamedTuple):
    """Minimise v + PENALTY·t + ½ d'Bd with limits + slopes·d <= v, c_limits + c_slopes·d >= -t."""

    limits: Floats
    slopes: Floats
    c_limits: Floats
    c_slopes: Floats
    curvature: Floats

    def lowest(self, lower: Floats, upper: Floats) -> tuple[Floats, float]:
        """The best step in a box, and what is minimised there."""
        n = lower.size
        n_cuts, n_sides = len(self.limits), len(self.c_limits)
        constant = np.zeros((n_cuts + n_sides, n + 2))
        constant[:n_cuts, :n], constant[n_cuts:, :n] = -self.slopes, self.c_slopes
        constant[:n_cuts, n] = constant[n_cuts:, n + 1] = 1.0
        at_zero = np.concatenate([-self.limits, self.c_limits])

        def values(y: Floats) -> Values:
            bent = 0.5 * float(y[:n] @ self.curvature @ y[:n])
            return Values(bent + y[n] + PENALTY * y[n + 1], at_zero + constant @ y)

        def gradient(y: Floats) -> Slopes:
            return Slopes(np.concatenate([self.curvature @ y[:n], [1.0, PENALTY]]), constant)

        outside = float(np.max(-self.c_limits, initial=0.0))
        most = 1.0 + float(np.abs(self.slopes).sum(axis=1).max())
        start = np.concatenate([np.zeros(n + 1), [outside]])
        low = np.concatenate([lower, [-most, 0.0]])
        high = np.concatenate([upper, [most, outside + 1.0]])
        first = values(start), gradient(start)
        end = solve(sqp_steps(start, low, high, first, iterations=100), values, gradient).z
        step = np.clip(np.nan_to_num(end[:n]), lower, upper)
        bent = 0.5 * float(step @ self.curvature @ step)
        top = float((self.limits + self.slopes @ step).max())
        t = float(np.max(-(self.c_limits + self.c_slopes @ step), initial=0.0))
        merit = bent + top + PENALTY * t
        return step, merit if math.isfinite(merit) else math.inf
