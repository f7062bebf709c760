"""Rows of points for a compiled function."""

from __future__ import annotations

import numpy as np

from rdex.jit.loading import find_kernel, is_compiled
from rdex.problem.problem import CompiledFunction, Floats

#: Up to so many rows are evaluated one by one: handing the function to `evaluate_rows` takes
#: 70 µs, calling it directly 1 µs and twice that for the views.
FEW_ROWS = 16


def evaluate_compiled(
    compiled: CompiledFunction, x: Floats, n_ineq: int, n_eq: int
) -> tuple[Floats, Floats, Floats]:
    """Raw f (n,), g (n, m_g), h (n, m_h) of the rows of x (n, d)."""
    rows = np.require(x, np.float64, ["C", "W"])
    f = np.empty(rows.shape[0])
    g = np.empty((rows.shape[0], n_ineq))
    h = np.empty((rows.shape[0], n_eq))
    work = np.empty(compiled.n_work)
    if rows.shape[0] > FEW_ROWS and is_compiled(compiled.function):
        evaluate_rows = find_kernel("rdex.problem.kernels:evaluate_rows", rows.shape[0])
        evaluate_rows(compiled.function, rows, compiled.data, work, f, g, h)
        return f, g, h
    for i in range(rows.shape[0]):
        f[i] = compiled.function(rows[i], compiled.data, work, g[i], h[i])
    return f, g, h
