"""Optimal values that can be proved, for equality constraints met to 1e-4.

Each rests on a bound that no feasible point beats and a point of the box that attains it:

- C01-C04, C06, C16, C25: f >= 0, and z = 0 is feasible with f = 0.
- C05, C13, C22: f >= 0 = B(1, …, 1); whether z = (1, …, 1) is feasible depends on the data of C05.
- C08, C10: if all z_i <= -t the k-th partial sum is <= -kt, so S >= t² Σk²; equal z_i attain it.
- C09: if all z_i <= -t each of the d/2 - 1 terms of h is >= (t² + t)²; equal z_i attain it while
  d/2 is odd. (For d = 100 the sign of g forbids it, and a product that underflows to zero blurs
  what "optimal" means: no value is claimed.)
- C11: d is even, so some z_i >= 0; with the steps allowed by h the others sum to at least
  -√(1e-4 Σ_{j<d} j²), attained by z_1 = 0.
- C15, C24: h allows f within asin(1e-4/√2) of 3π/4 + kπ. Edition 2017: g needs f >= -10, so the
  lowest is -9π/4. Edition 2024: f >= 0, so the lowest is 3π/4.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.suites.cec2017.definitions import DEFINITIONS, EQ_TOL
from rdex.suites.cec2017.instance import Instance

Floats = NDArray[np.float64]

#: How far f may leave a root of cos f + sin f = √2 sin(f + π/4).
WAVE_SLACK = math.asin(EQ_TOL / math.sqrt(2.0))


class Optimum(NamedTuple):
    """The optimal value, and a point where rounding does not disturb it."""

    value: float | None = None
    x: Floats | None = None


def known_optimum(number: int, edition: str, instance: Instance) -> Optimum:
    """What is proved about the optimum of a problem; empty where nothing is."""
    if number in (1, 2, 3, 4, 6, 16, 25):
        return Optimum(0.0, instance.shift.copy())
    candidate = _candidate(number, edition, instance)
    if candidate is None:
        return Optimum()
    value, z = candidate
    if not _is_reached(number, instance, z):
        return Optimum()
    return Optimum(value)


def _candidate(number: int, edition: str, instance: Instance) -> tuple[float, Floats] | None:
    """The proved bound and the z that attains it, up to rounding."""
    d = instance.shift.size
    ones = np.ones(d)
    if number in (5, 13, 22):
        is_feasible = number != 5 or _ones_meet_c05(instance)
        return (0.0, ones) if is_feasible else None
    if number in (8, 10):
        n = d if number == 10 else d // 2
        t = math.sqrt(EQ_TOL / _sum_of_squares(n))
        return -t, -t * ones
    if number == 9 and d % 4 == 2:
        t = 0.5 * (math.sqrt(1.0 + 4.0 * math.sqrt(EQ_TOL / (d // 2 - 1))) - 1.0)
        return -t, -t * ones
    if number == 11:
        steps = np.arange(d - 1.0, 0.0, -1.0) * math.sqrt(EQ_TOL / _sum_of_squares(d - 1))
        z = np.concatenate([[0.0], -np.cumsum(steps)])
        return -math.sqrt(EQ_TOL * _sum_of_squares(d - 1)), z
    if number in (15, 24):
        level = -2.25 * math.pi if edition == "2017" else 0.75 * math.pi
        return level - WAVE_SLACK, (level - WAVE_SLACK) * ones
    return None


def _sum_of_squares(n: int) -> float:
    """1² + … + n²."""
    return n * (n + 1) * (2 * n + 1) / 6


def _ones_meet_c05(instance: Instance) -> bool:
    """Whether the two inequalities of C05 hold at z = (1, …, 1)."""
    images = (matrix.sum(axis=1) for matrix in instance.matrices)
    return all(np.sum(w * w - 50.0 * np.cos(2.0 * np.pi * w) - 40.0) <= 0.0 for w in images)


def _is_reached(number: int, instance: Instance, z: Floats) -> bool:
    """Whether a point of the box maps to z."""
    is_twin = number > 20
    y = np.linalg.solve(instance.matrices[0], z) if is_twin else z
    return bool(np.all(np.abs(instance.shift + y) <= DEFINITIONS[number].bound))
