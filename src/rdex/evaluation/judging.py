"""`Judge`: which of two points is better, feasibility first."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rdex.problem.problem import Floats, Problem

#: Below this many terms NumPy adds one after the other, so a loop gives the same sum.
FEW = 8


class Judge:
    """Tolerances and scales of the constraints, and what follows from them.

    A satisfied constraint counts 0; a violated one with its whole g or |h|, divided by its scale.
    φ is the mean over all constraints, infinite where a value is not finite.

    Parameters
    ----------
    problem : Problem
        Gives the numbers of constraints.
    eq_tol, ineq_tol : float or array
        |h| > eq_tol and g > ineq_tol are violations.
    scale : (m,) array, optional
        What violations are divided by, inequalities first; default 1.

    Examples
    --------
    >>> toy = Problem([0.0], [1.0], n_ineq=1, n_eq=1, rows=lambda X: (X, X, X))
    >>> judge = Judge(toy, eq_tol=1e-4)
    >>> judge.phi(np.array([0.5]), np.array([1e-5])), judge.is_better(3.0, 0.0, 2.0, 0.1)
    (0.25, True)
    """

    def __init__(
        self, problem: Problem, eq_tol: Any = 1e-4, ineq_tol: Any = 0.0, scale: Any = None
    ) -> None:
        self.n_ineq, self.n_eq = problem.n_ineq, problem.n_eq
        self.tolerance: Floats = np.empty(problem.n_constraints)
        self.tolerance[: self.n_ineq] = ineq_tol
        self.tolerance[self.n_ineq :] = eq_tol
        self.scale: Floats = np.ones(problem.n_constraints)
        if scale is not None:
            self.scale[:] = scale

    @property
    def has_scales(self) -> bool:
        """Whether scales were given or learnt."""
        return bool((self.scale != 1.0).any())

    def violations(self, g: Floats, h: Floats) -> Floats:
        """Violation of every constraint (…, m), not scaled; infinite where it is not finite."""
        sizes = np.concatenate([g, np.abs(h)], axis=-1)
        sizes = np.where(np.isfinite(sizes), sizes, np.inf)
        violated: Floats = np.where(sizes > self.tolerance, sizes, 0.0)
        return violated

    def phi(self, g: Floats, h: Floats) -> Any:
        """φ of one point, a float, or of rows, an array."""
        m = self.tolerance.size
        if g.ndim == 1 and m < FEW:
            return self.phi_of(g, h)
        with np.errstate(over="ignore"):
            total = (self.violations(g, h) / self.scale).sum(axis=-1) / max(m, 1)
        return float(total) if np.ndim(total) == 0 else total

    def phi_of(self, g: Floats, h: Floats) -> float:
        """φ of one point; a loop is five times as fast as arrays for a few constraints."""
        total = 0.0
        limits, scales = self.tolerance.tolist(), self.scale.tolist()
        sizes = [*g.tolist(), *map(abs, h.tolist())]
        for size, limit, scale in zip(sizes, limits, scales, strict=True):
            if not math.isfinite(size):
                return math.inf
            if size > limit:
                total += size / scale
        return total / max(len(sizes), 1)

    def settled(self, f: float, phi: float) -> tuple[float, float]:
        """(f, φ) without NaN: (inf, inf) where the point failed, f inf where unknown."""
        if math.isfinite(f):
            return (f, phi) if phi < math.inf else (math.inf, math.inf)
        if math.isnan(f) and 0.0 < phi < math.inf:
            return math.inf, phi
        return math.inf, math.inf

    @staticmethod
    def is_better(f: float, phi: float, than_f: float, than_phi: float) -> bool:
        """Feasibility first: lower φ, then lower f; settled values."""
        return phi < than_phi or (phi == than_phi and f < than_f)
