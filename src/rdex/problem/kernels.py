"""Evaluate rows with a compiled problem function; compiled once for all problems."""

from numba import types

from rdex.jit.compiling import kernel
from rdex.jit.signatures import MATRIX, OBJECTIVE, VECTOR


@kernel(types.void(types.FunctionType(OBJECTIVE), MATRIX, VECTOR, VECTOR, VECTOR, MATRIX, MATRIX))
def evaluate_rows(objective, x, data, work, f, g, h):
    """Fill f (n,), g (n, m_g) and h (n, m_h) from the rows of x (n, d)."""
    for i in range(x.shape[0]):
        f[i] = objective(x[i], data, work, g[i], h[i])
