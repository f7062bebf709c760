"""Shift, rotation and the sums that several functions are made of.

The scratch vector z of length 2d holds the point of a formula in its first d places, and y = x - o
in the others while that is rotated. The functions carry no signature: they are compiled into the
entry points that call them, and inlined by force: C08 in 10 dimensions takes 28 ns instead of 48.
"""

import math

from rdex.jit.compiling import kernel

TWO_PI = 2.0 * math.pi


@kernel(forceinline=True)
def shift(x, data, z):
    """z[:d] = x - o; returns d."""
    d = x.shape[0]
    for j in range(d):
        z[j] = x[j] - data[j]
    return d


@kernel(forceinline=True)
def rotate(data, start, z, d):
    """z[:d] = M z[d:2d], where data[start:] holds the d rows of M transposed.

    Each sum runs in the order of a dot product with a row of M, but the inner loop runs along the
    result, which vectorises without reassociation. The rows must be slices: indexing the flat
    array in the loop does not vectorise. Two rows at a time halve the traffic in z; all dimensions
    of the suite are even.
    """
    result = z[:d]
    for i in range(d):
        result[i] = 0.0
    for j in range(0, d, 2):
        y0 = z[d + j]
        y1 = z[d + j + 1]
        row0 = data[start + j * d : start + (j + 1) * d]
        row1 = data[start + (j + 1) * d : start + (j + 2) * d]
        for i in range(d):
            result[i] = (result[i] + y0 * row0[i]) + y1 * row1[i]


@kernel(forceinline=True)
def shift_and_rotate(x, data, z):
    """z[d:2d] = y = x - o and z[:d] = M y; returns d."""
    d = x.shape[0]
    for j in range(d):
        z[d + j] = x[j] - data[j]
    rotate(data, d, z, d)
    return d


@kernel(forceinline=True)
def prefix_squares(z, first, stop, step):
    """S: the sum of squared partial sums of z[first:stop:step]."""
    partial = 0.0
    total = 0.0
    for i in range(first, stop, step):
        partial += z[i]
        total += partial * partial
    return total


@kernel(forceinline=True)
def largest(z, d):
    """max z_i."""
    top = z[0]
    for i in range(1, d):
        if z[i] > top:
            top = z[i]
    return top


@kernel(forceinline=True)
def largest_magnitude(z, d):
    """max |z_i|."""
    top = abs(z[0])
    for i in range(1, d):
        if abs(z[i]) > top:
            top = abs(z[i])
    return top


@kernel(forceinline=True)
def neighbour_squares(z, d):
    """Σ_{i<d} (z_i - z_{i+1})²."""
    total = 0.0
    for i in range(d - 1):
        step = z[i] - z[i + 1]
        total += step * step
    return total


@kernel(forceinline=True)
def rosenbrock(z, d):
    """B(z) = Σ_{i<d} (100 (z_i² - z_{i+1})² + (z_i - 1)²)."""
    total = 0.0
    for i in range(d - 1):
        valley = z[i] * z[i] - z[i + 1]
        offset = z[i] - 1.0
        total += 100.0 * valley * valley + offset * offset
    return total


@kernel(forceinline=True)
def rastrigin_term(value):
    """What one coordinate adds to R."""
    return value * value - 10.0 * math.cos(TWO_PI * value) + 10.0


@kernel(forceinline=True)
def rastrigin(z, d):
    """R(z) = Σ (z_i² - 10 cos 2πz_i + 10)."""
    total = 0.0
    for i in range(d):
        total += rastrigin_term(z[i])
    return total
