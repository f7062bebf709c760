"""Points in and out of the engine's box; apart, so that a run compiles only what it needs."""

from numba import types

from rdex.engine.kernels.drivers import decode
from rdex.engine.kernels.random import uniform_row
from rdex.jit.compiling import kernel
from rdex.jit.signatures import MATRIX, WORDS


@kernel(types.void(WORDS, MATRIX, MATRIX))
def uniform_points(random, box, points):
    """Fill `points` (n, d) with uniform points of the engine's box, row by row."""
    for i in range(points.shape[0]):
        uniform_row(random, box, points, i, points.shape[1])


@kernel(types.void(MATRIX, MATRIX, MATRIX))
def decode_points(x, box, points):
    """The user's points for all rows of x."""
    for i in range(x.shape[0]):
        decode(x, i, box, 1, points[i])
