"""C12 to C19 and their rotated twins C21 to C28: one formula each, two ways to z.

C12-C19 take z = x - o, C21-C28 take z = M (x - o).
"""

import math

import numpy as np

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE
from rdex.suites.cec2017.kernels.vectors import (
    TWO_PI,
    largest,
    largest_magnitude,
    rastrigin,
    rastrigin_term,
    rosenbrock,
    shift,
    shift_and_rotate,
)

TEN_OVER_EXP_MINUS_5 = 10.0 / math.exp(-5.0)


@kernel(forceinline=True)
def rastrigin_in_shell(z, d, g):
    """f = R(z); g1 = 4 - Σ|z|; g2 = Σz² - 4."""
    magnitudes = 0.0
    squares = 0.0
    for i in range(d):
        magnitudes += abs(z[i])
        squares += z[i] * z[i]
    g[0] = 4.0 - magnitudes
    g[1] = squares - 4.0
    return rastrigin(z, d)


@kernel(OBJECTIVE)
def c12(x, data, z, g, h):
    d = shift(x, data, z)
    return rastrigin_in_shell(z, d, g)


@kernel(OBJECTIVE)
def c21(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return rastrigin_in_shell(z, d, g)


@kernel(forceinline=True)
def rosenbrock_in_slab(z, d, g):
    """f = B(z); g1 = R(z) - 100; g2 = Σz - 2d; g3 = 5 - Σz."""
    total = 0.0
    for i in range(d):
        total += z[i]
    g[0] = rastrigin(z, d) - 100.0
    g[1] = total - 2.0 * d
    g[2] = 5.0 - total
    return rosenbrock(z, d)


@kernel(OBJECTIVE)
def c13(x, data, z, g, h):
    d = shift(x, data, z)
    return rosenbrock_in_slab(z, d, g)


@kernel(OBJECTIVE)
def c22(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return rosenbrock_in_slab(z, d, g)


@kernel(forceinline=True)
def ackley_on_sphere(z, d, g, h):
    """f = Ackley(z); g = Σ_{i≥2} z² + 1 - |z1|; h = Σz² - 4."""
    squares = 0.0
    cosines = 0.0
    for i in range(d):
        squares += z[i] * z[i]
        cosines += math.cos(TWO_PI * z[i])
    others = 0.0
    for i in range(1, d):
        others += z[i] * z[i]
    g[0] = others + 1.0 - abs(z[0])
    h[0] = squares - 4.0
    bowl = -20.0 * math.exp(-0.2 * math.sqrt(squares / d))
    return bowl + 20.0 - math.exp(cosines / d) + math.e


@kernel(OBJECTIVE)
def c14(x, data, z, g, h):
    d = shift(x, data, z)
    return ackley_on_sphere(z, d, g, h)


@kernel(OBJECTIVE)
def c23(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return ackley_on_sphere(z, d, g, h)


@kernel(forceinline=True)
def ball_excess(z, d):
    """Σz² - 100 d: the inequality of C15 and C16."""
    squares = 0.0
    for i in range(d):
        squares += z[i] * z[i]
    return squares - 100.0 * d


@kernel(forceinline=True)
def level_on_wave(f, z, d, g, h):
    """For f = max z (2017) or max |z| (2024): h = cos f + sin f; g = Σz² - 100 d."""
    g[0] = ball_excess(z, d)
    h[0] = math.cos(f) + math.sin(f)
    return f


@kernel(OBJECTIVE)
def c15(x, data, z, g, h):
    d = shift(x, data, z)
    return level_on_wave(largest(z, d), z, d, g, h)


@kernel(OBJECTIVE)
def c15_of_2024(x, data, z, g, h):
    d = shift(x, data, z)
    return level_on_wave(largest_magnitude(z, d), z, d, g, h)


@kernel(OBJECTIVE)
def c24(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return level_on_wave(largest(z, d), z, d, g, h)


@kernel(OBJECTIVE)
def c24_of_2024(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return level_on_wave(largest_magnitude(z, d), z, d, g, h)


@kernel(forceinline=True)
def magnitudes_on_wave(z, d, g, h):
    """f = Σ|z|; with c = cos f + sin f: h = c² - exp c - 1 + e; g = Σz² - 100 d."""
    f = 0.0
    for i in range(d):
        f += abs(z[i])
    c = math.cos(f) + math.sin(f)
    g[0] = ball_excess(z, d)
    h[0] = c * c - math.exp(c) - 1.0 + math.e
    return f


@kernel(OBJECTIVE)
def c16(x, data, z, g, h):
    d = shift(x, data, z)
    return magnitudes_on_wave(z, d, g, h)


@kernel(OBJECTIVE)
def c25(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return magnitudes_on_wave(z, d, g, h)


@kernel(forceinline=True)
def griewank_on_sphere(z, d, g, h):
    """f = Griewank(z); g = 1 - Σ sgn(|z_i| - Σ_{j≠i} z_j² - 1); h = Σz² - 4d."""
    squares = 0.0
    product = 1.0
    for i in range(d):
        squares += z[i] * z[i]
        product *= math.cos(z[i] / math.sqrt(1.0 + i))
    signs = 0.0
    for i in range(d):
        # The organisers subtract the whole sum and add z_i² again: a sign can hang on it.
        excess = abs(z[i]) - squares + z[i] * z[i] - 1.0
        if excess > 0.0:
            signs += 1.0
        elif excess < 0.0:
            signs -= 1.0
    g[0] = 1.0 - signs
    h[0] = squares - 4.0 * d
    return squares / 4000.0 + 1.0 - product


@kernel(OBJECTIVE)
def c17(x, data, z, g, h):
    d = shift(x, data, z)
    return griewank_on_sphere(z, d, g, h)


@kernel(OBJECTIVE)
def c26(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return griewank_on_sphere(z, d, g, h)


@kernel(forceinline=True)
def half_rounded(value):
    """The value itself inside (-0.5, 0.5), else the nearest half; quarters away from zero."""
    if abs(value) < 0.5:
        return value
    return math.copysign(np.floor(2.0 * abs(value) + 0.5) / 2.0, value)


@kernel(forceinline=True)
def rounded_rastrigin_in_valley(z, d, g, h):
    """f = R(half-rounded z); g1 = 1 - Σ|z|; g2 = Σz² - 100 d.

    h = Σ_{i<d} 100 (z_i² - z_{i+1})² + Π sin²((z_i - 1)π).
    """
    total = 0.0
    magnitudes = 0.0
    squares = 0.0
    product = 1.0
    for i in range(d):
        total += rastrigin_term(half_rounded(z[i]))
        magnitudes += abs(z[i])
        squares += z[i] * z[i]
        sine = math.sin((z[i] - 1.0) * math.pi)
        product *= sine * sine
    valley = 0.0
    for i in range(d - 1):
        gap = z[i] * z[i] - z[i + 1]
        valley += 100.0 * gap * gap
    g[0] = 1.0 - magnitudes
    g[1] = squares - 100.0 * d
    h[0] = valley + product
    return total


@kernel(OBJECTIVE)
def c18(x, data, z, g, h):
    d = shift(x, data, z)
    return rounded_rastrigin_in_valley(z, d, g, h)


@kernel(OBJECTIVE)
def c27(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return rounded_rastrigin_in_valley(z, d, g, h)


@kernel(forceinline=True)
def rugged_roots(z, d, g):
    """f = Σ (√|z| + 2 sin z³); g2 = Σ sin² 2z - 0.5 d.

    g1 = -10 Σ_{i<d} exp(-0.2 √(z_i² + z_{i+1}²)) + (d - 1) 10 / exp(-5).
    """
    total = 0.0
    sines = 0.0
    for i in range(d):
        total += math.sqrt(abs(z[i])) + 2.0 * math.sin(z[i] * z[i] * z[i])
        sine = math.sin(2.0 * z[i])
        sines += sine * sine
    decays = 0.0
    for i in range(d - 1):
        decays += math.exp(-0.2 * math.sqrt(z[i] * z[i] + z[i + 1] * z[i + 1]))
    g[0] = -10.0 * decays + (d - 1.0) * TEN_OVER_EXP_MINUS_5
    g[1] = sines - 0.5 * d
    return total


@kernel(OBJECTIVE)
def c19(x, data, z, g, h):
    d = shift(x, data, z)
    return rugged_roots(z, d, g)


@kernel(OBJECTIVE)
def c28(x, data, z, g, h):
    d = shift_and_rotate(x, data, z)
    return rugged_roots(z, d, g)
