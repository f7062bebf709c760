"""Best so far and its trace for evaluations that come in rows."""

import math

from numba import types

from rdex.engine.kernels.order import settle, violation
from rdex.jit.compiling import kernel
from rdex.jit.signatures import INTEGERS, MATRIX, VECTOR

# Slots of `count`.
NFEV = 0
NEXT = 1
FIRST_FEASIBLE = 2
FAILED = 3

UNWEIGHTED = 1


@kernel(
    types.int64(VECTOR, MATRIX, MATRIX, MATRIX, types.int64, INTEGERS, VECTOR, MATRIX)
)  # fmt: skip
def record_rows(f, g, h, limit, maxfev, count, best, trace):
    """Take the values of rows in order; returns which row is the best so far, -1 if none of them.

    f: (n,), g: (n, m_g), h: (n, m_h); limit: (2, m_g + m_h), tolerances and ones.
    best: (f, φ); trace: (2, K), f and φ of the best at checkpoints.
    """
    k_all = trace.shape[1]
    winner = -1
    for i in range(f.size):
        phi = violation(g[i], h[i], limit, UNWEIGHTED, 0.0)
        value, phi = settle(f[i], phi)
        count[NFEV] += 1
        if phi == math.inf:
            count[FAILED] += 1
        if phi == 0.0 and count[FIRST_FEASIBLE] == 0:
            count[FIRST_FEASIBLE] = count[NFEV]
        if count[NFEV] == 1 or phi < best[1] or (phi == best[1] and value < best[0]):
            best[0] = value
            best[1] = phi
            winner = i
        while count[NEXT] <= k_all and count[NFEV] * k_all >= count[NEXT] * maxfev:
            trace[0, count[NEXT] - 1] = best[0]
            trace[1, count[NEXT] - 1] = best[1]
            count[NEXT] += 1
    return winner
