"""Small compiled problems for tests of the engine."""

import math

import numpy as np

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE
from rdex.problem.problem import CompiledFunction, Problem


def problem(function, d, n_ineq=0, n_eq=0, low=-5.0, high=5.0, data=(0.0,), **facts):
    """A problem of `d` variables on a cube, with `data` for its function."""
    lower, upper = np.broadcast_to(low, d), np.broadcast_to(high, d)
    compiled = CompiledFunction(function, np.array(data, dtype=float), 1)
    return Problem(
        lower, upper, n_ineq=n_ineq, n_eq=n_eq, compile=lambda: compiled,
        name=function.__name__, **facts,
    )  # fmt: skip


@kernel(OBJECTIVE)
def sphere(x, data, work, g, h):
    """Unconstrained."""
    total = 0.0
    for j in range(x.size):
        total += (x[j] - 1.0) * (x[j] - 1.0) * (1.0 + j)
    return total


@kernel(OBJECTIVE)
def lens(x, data, work, g, h):
    """Two inequalities: outside one ball, on one side of a plane."""
    total = 0.0
    near = 0.0
    for j in range(x.size):
        total += x[j] + math.sin(3.0 * x[j])
        near += x[j] * x[j]
    g[0] = 1.0 - near
    g[1] = -total - 2.0
    return total + 0.1 * near


@kernel(OBJECTIVE)
def plane(x, data, work, g, h):
    """Two equalities (one of them curved) and, if there is room, one inequality."""
    total = 0.0
    square = 0.0
    for j in range(x.size):
        total += x[j]
        square += x[j] * x[j]
    h[0] = total - 1.0
    if h.size > 1:
        h[1] = square - 3.0
    if g.size > 0:
        g[0] = x[0] - 2.0
    return square + x[0]


@kernel(OBJECTIVE)
def holes(x, data, work, g, h):
    """Fails in every way there is: NaN and infinities of f, of g, and f unknown beside g > 0."""
    total = 0.0
    for j in range(x.size):
        total += x[j] * x[j]
    g[0] = x[0] - 1.0
    place = math.floor(x[x.size - 1] * 4.0) % 16
    if place == 3:
        return math.nan
    if place == 5:
        g[0] = math.nan
    if place == 7:
        return -math.inf
    if place == 9:
        g[0] = math.inf
    if place == 11:
        return math.inf
    if place == 13:
        g[0] = -math.inf
    return total


@kernel(OBJECTIVE)
def stairs(x, data, work, g, h):
    """Many ties, in f and in g."""
    total = 0.0
    for j in range(x.size):
        total += math.floor(abs(x[j]))
    g[0] = math.floor(x[0]) + 1.0
    return total


@kernel(OBJECTIVE)
def constant(x, data, work, g, h):
    """The same everywhere, wherever the constraints stand: data[0] for f, data[1] for the rest."""
    for k in range(g.size):
        g[k] = data[1]
    for k in range(h.size):
        h[k] = data[1]
    return data[0]


@kernel(OBJECTIVE)
def sloped_hopeless(x, data, work, g, h):
    """Nowhere feasible, but with a least violation."""
    total = 0.0
    for j in range(x.size):
        total += x[j] * x[j]
    g[0] = 1.0 + total
    return -total


@kernel(OBJECTIVE)
def units(x, data, work, g, h):
    """data[j] multiplies variable j, the rest constraints g0, g1, h0: powers of two change
    nothing but the units."""
    d = x.size
    total = 0.0
    square = 0.0
    for j in range(d):
        y = x[j] / data[j]
        total += y
        square += y * y
    g[0] = data[d] * (total - 1.0)
    g[1] = data[d + 1] * (square - 9.0)
    h[0] = data[d + 2] * (x[0] / data[0] + total)
    return square + total


@kernel(OBJECTIVE)
def dyadic(x, data, work, g, h):
    """Constraints in multiples of 2^-20, whose sums are exact in any order; data permutes them."""
    total = 0.0
    for j in range(x.size):
        total += x[j] * x[j]
    for k in range(4):
        value = (k + 1.0) * x[k % x.size] + 0.5 * k - 1.0
        g[int(data[k])] = math.floor(value * 1048576.0) / 1048576.0
    return total


#: Name, problem: one of every kind.
KINDS = {
    "sphere-1": problem(sphere, 1),
    "sphere-5": problem(sphere, 5),
    "lens-2": problem(lens, 2, n_ineq=2),
    "lens-10": problem(lens, 10, n_ineq=2),
    "plane-2": problem(plane, 2, n_eq=1),
    "plane-5": problem(plane, 5, n_ineq=1, n_eq=2),
    "holes-2": problem(holes, 2, n_ineq=1),
    "holes-5": problem(holes, 5, n_ineq=1),
    "stairs-5": problem(stairs, 5, n_ineq=1),
    "narrow-2": problem(lens, 2, n_ineq=2, low=(-5.0, 1.0), high=(5.0, 1.0)),
}
