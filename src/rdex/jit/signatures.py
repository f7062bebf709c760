"""Types that signatures of kernels are made of."""

from numba import types

#: A row of float64 as kernels see it: contiguous, never a strided view.
VECTOR = types.float64[::1]
MATRIX = types.float64[:, ::1]
INTEGERS = types.int64[::1]
WORDS = types.uint64[::1]

#: The one signature of a compiled problem: f = objective(x, data, work, g, h), writing g and h.
OBJECTIVE = types.float64(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR)
