"""Cubic radial basis functions with polynomial tails, all functions and all tails at once.

A model of a function y known at points u_1 … u_n is

    m(u) = Σ c_i ‖u − u_i‖³ + p(u),

with p a polynomial: linear, separable quadratic or full quadratic. The tails are nested, and that
saves most of the work. Let P = [P_linear, P_squares, P_products] = Q R be the tail at the points.
For a tail of p terms, c = G y with G = Q₂ (Q₂ᵀ Φ Q₂)⁻¹ Q₂ᵀ, where Q₂ are the columns of Q from p
on. In reversed order these matrices are leading blocks of one another, so one Cholesky factor
serves all tails, and the factor serves all functions. The leave-one-out error at point i is
c_i / G_ii.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dgeqrf, dormqr, dpotrf, dtrtrs
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]

#: A column of the tail that depends on those before it up to this share of its size is left out.
DEPENDENT = 1e-9

#: Added to the diagonal of the reduced matrix, in units of its mean, until it can be factorised.
NUGGETS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3)


def n_terms(tail: int, d: int) -> int:
    """Number of terms of a tail in d variables."""
    return (1 + d, 1 + 2 * d, (d + 1) * (d + 2) // 2)[tail]


def largest_tail(n: int, d: int) -> int:
    """The largest tail that n points can carry and still say something about its error."""
    return max((tail for tail in range(3) if n > n_terms(tail, d) + 1), default=0)


def basis(u: Floats, tail: int) -> Floats:
    """The terms of a tail at points (n, d): 1, u, squares, products."""
    parts = [np.ones((len(u), 1)), u]
    if tail >= 1:
        parts.append(u * u)
    if tail >= 2:
        i, j = pairs(u.shape[1])
        parts.append(u[:, i] * u[:, j])
    return np.hstack(parts)


@functools.cache
def pairs(d: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The two variables of each product."""
    return np.triu_indices(d, 1)


def squared_distances(u: Floats, v: Floats) -> Floats:
    """(m, n) between points (m, d) and (n, d), exact to 1e-16 of their sizes: one product of
    matrices instead of differences, in one array."""
    squares: Floats = (-2.0 * u) @ v.T
    squares += np.vecdot(u, u)[:, None]
    squares += np.vecdot(v, v)
    return np.maximum(squares, 0.0, out=squares)


@dataclass
class Polynomials:
    """const + slope·u + ½ uᵀ curvature u of q functions: (q,), (q, d), (q, d, d) or None."""

    const: Floats
    slope: Floats
    curvature: Floats | None


class Fit:
    """The factorisation of n points for all tails up to one.

    Parameters
    ----------
    u : (n, d) array
        Points; equal ones make it a regression.
    tail : int
        The largest tail wanted; smaller if the points cannot carry it.
    nugget : float
        Smoothing in units of the mean of the diagonal: 0 interpolates.

    Attributes
    ----------
    tails : list of int
        The tails that can be used.
    """

    def __init__(self, u: Floats, tail: int = 2, nugget: float = 0.0) -> None:
        self.u = u
        n, d = u.shape
        tail = min(tail, largest_tail(n, d))
        terms = basis(u, tail)
        kept = np.arange(min(terms.shape[1], max(n - 1, 1)))
        q, r = orthogonal(terms[:, kept])
        sizes = np.linalg.norm(terms[:, kept], axis=0)
        is_new = np.abs(np.diag(r)) > DEPENDENT * np.maximum(sizes, 1e-300)
        if not is_new.all():
            kept = kept[is_new]
            q, r = orthogonal(terms[:, kept])
        self._kept, self._q, self._r = kept, q, r
        ends = [int((kept < n_terms(t, d)).sum()) for t in range(tail + 1)]
        self.tails = [t for t in range(tail + 1) if t == 0 or ends[t] > ends[t - 1]]
        self._ends = {t: ends[t] for t in self.tails}
        r = cdist(u, u)
        self._phi = r * r * r  # a power takes ten times as long
        first = ends[0]
        self._v, self._nugget = np.empty((0, n)), 0.0
        if first < n:  # else there is one point, and the model is constant
            reduced = q[:, first:].T @ self._phi @ q[:, first:]
            factor, self._nugget = safe_cholesky(reduced[::-1, ::-1], nugget)
            self._v = dtrtrs(factor, q[:, first:].T[::-1], lower=1)[0]

    def weights(self, y: Floats, tail: int) -> Floats:
        """c (n, q) of functions y (n, q) with one tail."""
        k = len(self.u) - self._ends[tail]
        v = self._v[:k]
        c: Floats = v.T @ (v @ y)
        return c

    def leave_one_out(self, y: Floats) -> Floats:
        """Errors (tails, n, q): prediction at each point by the model without it, minus value."""
        s = self._v @ y
        errors = np.empty((len(self.tails), *y.shape))
        for row, tail in enumerate(self.tails):
            k = len(self.u) - self._ends[tail]
            v = self._v[:k].T
            diagonal = np.vecdot(v, v)
            safe = np.maximum(diagonal, 1e-12 * diagonal.max() + 1e-300)
            errors[row] = -(v @ s[:k]) / safe[:, None]
        return errors

    def polynomials(self, y: Floats, c: Floats, tails: NDArray[np.int64]) -> Polynomials:
        """The tails of functions y (n, q) with weights c (n, q), each function with its own."""
        d = self.u.shape[1]
        rest = self._q[:, : len(self._kept)].T @ (y - self._phi @ c - self._nugget * c)
        coefficients = np.zeros((n_terms(2, d), y.shape[1]))
        for tail in self.tails:
            of = np.flatnonzero(tails == tail)
            p = self._ends[tail]
            if of.size:
                coefficients[self._kept[:p, None], of] = dtrtrs(self._r[:p, :p], rest[:p, of])[0]
        const, slope = coefficients[0], coefficients[1 : d + 1].T
        if not (tails > 0).any():
            return Polynomials(const, np.ascontiguousarray(slope), None)
        curvature = np.zeros((y.shape[1], d, d))
        i, j = pairs(d)
        curvature[:, i, j] = curvature[:, j, i] = coefficients[2 * d + 1 :].T
        k = np.arange(d)
        curvature[:, k, k] = 2.0 * coefficients[d + 1 : 2 * d + 1].T
        return Polynomials(const, np.ascontiguousarray(slope), curvature)


def orthogonal(terms: Floats) -> tuple[Floats, Floats]:
    """Q (n, n) and R (p, p) with terms (n, p) = Q[:, :p] R.

    LAPACK is called directly, here and below: SciPy's functions around it take as long again.
    """
    n, p = terms.shape
    packed, tau, _, _ = dgeqrf(terms, lwork=64 * p)
    q = dormqr("L", "N", packed, tau, np.eye(n, order="F"), 64 * n, overwrite_c=1)[0]
    return q, np.triu(packed[:p])


def safe_cholesky(matrix: Floats, nugget: float) -> tuple[Floats, float]:
    """Lower factor of a matrix that may be singular, and what was added to its diagonal."""
    unit = max(float(np.trace(matrix)) / len(matrix), 1e-300)
    for extra in NUGGETS:
        added = max(nugget, extra) * unit
        lifted = matrix + added * np.eye(len(matrix)) if added else matrix
        factor, failed = dpotrf(lifted, lower=1)
        if failed:
            continue
        diagonal = np.diag(factor)
        if np.isfinite(diagonal).all() and diagonal.min() > 1e-8 * math.sqrt(unit) * (added == 0):
            return factor, added
    return math.sqrt(unit) * np.eye(len(matrix)), unit
