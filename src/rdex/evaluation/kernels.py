"""What counts as a violation, and what counts as a failure."""

import math

from numba import types

from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import VECTOR


@part()
def violation(g, h, limit, weights, excess):
    """φ of Eq. (csop_penalty): the mean violation of all constraints; +inf if one is not finite.

    limit: (rows, m_g + m_h), inequalities first: row 0 holds the tolerances, row `weights` the
    factors that violations are multiplied by.
    An equality counts with its whole |h| once that is above its tolerance; with excess = 1.0 only
    with what is above it, as the paper writes. No constraints: 0.
    """
    n_ineq = g.size
    total = 0.0
    for i in range(n_ineq):
        if not math.isfinite(g[i]):
            return math.inf
        if g[i] > limit[0, i]:
            total += g[i] * limit[weights, i]
    for j in range(h.size):
        size = abs(h[j])
        if not math.isfinite(size):
            return math.inf
        k = n_ineq + j
        if size > limit[0, k]:
            total += (size - excess * limit[0, k]) * limit[weights, k]
    m = n_ineq + h.size
    if m == 0:
        return 0.0
    return total / m


@kernel(types.float64(VECTOR, VECTOR, types.float64[:, ::1], types.int64, types.float64))
def violation_of(g, h, limit, weights, excess):
    """`violation` for callers outside compiled code."""
    return violation(g, h, limit, weights, excess)


@part()
def settle(f, phi):
    """(f, φ) as the search may see them: no NaN, and a failed point is (+inf, +inf).

    f may be unknown (NaN) where φ > 0: the point is infeasible anyway and is ordered by φ, with
    f = +inf standing for "unknown".
    """
    if phi == math.inf or (phi == 0.0 and not math.isfinite(f)):
        return math.inf, math.inf
    if math.isfinite(f):
        return f, phi
    if math.isnan(f):
        return math.inf, phi
    return math.inf, math.inf
