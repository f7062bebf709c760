"""C01 to C11 and C20: the functions without a rotated twin.

z = y = x - o unless a rotation is named; the scratch vector is called z after what it holds (see
`vectors`). Coordinates are numbered from 1 in the formulas, from 0 in the code.
"""

import math

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE
from rdex.suites.cec2017.kernels.vectors import (
    TWO_PI,
    largest,
    neighbour_squares,
    prefix_squares,
    rastrigin,
    rosenbrock,
    rotate,
    shift,
    shift_and_rotate,
)

TENTH_PI = 0.1 * math.pi
EXP_QUARTER = math.exp(0.25)


@kernel(forceinline=True)
def wavy_sphere(z, d, wave, slope, level):
    """Σ (z_i² - wave cos(slope z_i) - level): the inequality of C01, C02 and C05."""
    total = 0.0
    for i in range(d):
        total += z[i] * z[i] - wave * math.cos(slope * z[i]) - level
    return total


@kernel(OBJECTIVE)
def c01(x, data, z, g, h):
    """f = S(z); g = Σ (z² - 5000 cos 0.1πz - 4000)."""
    d = shift(x, data, z)
    g[0] = wavy_sphere(z, d, 5000.0, TENTH_PI, 4000.0)
    return prefix_squares(z, 0, d, 1)


@kernel(OBJECTIVE)
def c02(x, data, z, g, h):
    """f = S(y); g as C01 on z = M y."""
    d = shift_and_rotate(x, data, z)
    g[0] = wavy_sphere(z, d, 5000.0, TENTH_PI, 4000.0)
    return prefix_squares(z, d, 2 * d, 1)


@kernel(OBJECTIVE)
def c03(x, data, z, g, h):
    """f and g as C01; h = -Σ z sin 0.1πz."""
    d = shift(x, data, z)
    waves = 0.0
    sines = 0.0
    # Not `wavy_sphere`: sine and cosine of one angle are cheapest together.
    for i in range(d):
        angle = TENTH_PI * z[i]
        waves += z[i] * z[i] - 5000.0 * math.cos(angle) - 4000.0
        sines += z[i] * math.sin(angle)
    g[0] = waves
    h[0] = -sines
    return prefix_squares(z, 0, d, 1)


@kernel(OBJECTIVE)
def c04(x, data, z, g, h):
    """f = R(z); g1 = -Σ z sin 2z; g2 = Σ z sin z."""
    d = shift(x, data, z)
    double_sines = 0.0
    sines = 0.0
    for i in range(d):
        double_sines += z[i] * math.sin(2.0 * z[i])
        sines += z[i] * math.sin(z[i])
    g[0] = -double_sines
    g[1] = sines
    return rastrigin(z, d)


@kernel(OBJECTIVE)
def c05(x, data, z, g, h):
    """f = B(y); g_k = Σ (w² - 50 cos 2πw - 40), w = M_k y."""
    d = shift(x, data, z)
    f = rosenbrock(z, d)
    shift_and_rotate(x, data, z)
    g[0] = wavy_sphere(z, d, 50.0, TWO_PI, 40.0)
    rotate(data, d + d * d, z, d)
    g[1] = wavy_sphere(z, d, 50.0, TWO_PI, 40.0)
    return f


@kernel(OBJECTIVE)
def c06(x, data, z, g, h):
    """f = R(z); h = ∓Σ z sin z, z sin πz, z cos z, z cos πz, z sin 2√|z| in both signs."""
    d = shift(x, data, z)
    h1 = 0.0
    h2 = 0.0
    h3 = 0.0
    h4 = 0.0
    h5 = 0.0
    for i in range(d):
        h1 += z[i] * math.sin(z[i])
        h2 += z[i] * math.sin(math.pi * z[i])
        h3 += z[i] * math.cos(z[i])
        h4 += z[i] * math.cos(math.pi * z[i])
        h5 += z[i] * math.sin(2.0 * math.sqrt(abs(z[i])))
    h[0] = -h1
    h[1] = h2
    h[2] = -h3
    h[3] = h4
    h[4] = h5
    h[5] = -h5
    return rastrigin(z, d)


@kernel(OBJECTIVE)
def c07(x, data, z, g, h):
    """f = Σ z sin z; h1 = Σ (z - 100 cos 0.5z + 100); h2 = -h1."""
    d = shift(x, data, z)
    total = 0.0
    balance = 0.0
    for i in range(d):
        total += z[i] * math.sin(z[i])
        balance += z[i] - 100.0 * math.cos(0.5 * z[i]) + 100.0
    h[0] = balance
    h[1] = -balance
    return total


@kernel(OBJECTIVE)
def c08(x, data, z, g, h):
    """f = max z; h1 = S over z1, z3, …; h2 = S over z2, z4, …"""
    d = shift(x, data, z)
    h[0] = prefix_squares(z, 0, d, 2)
    h[1] = prefix_squares(z, 1, d, 2)
    return largest(z, d)


@kernel(forceinline=True)
def even_product(z, d):
    """z2 z4 z6 …: the inequality of C09."""
    product = 1.0
    for i in range(1, d, 2):
        product *= z[i]
    return product


@kernel(forceinline=True)
def parabola_squares(z, d, first, ahead):
    """Σ (z_i² - z_{i+ahead})² over every second coordinate from index `first` on."""
    total = 0.0
    for i in range(first, d - ahead, 2):
        gap = z[i] * z[i] - z[i + ahead]
        total += gap * gap
    return total


@kernel(OBJECTIVE)
def c09(x, data, z, g, h):
    """f = max z; g = Π z_2k; h = Σ_{k≥2} (z_{2k-1}² - z_2k)²: the edition of 2017."""
    d = shift(x, data, z)
    g[0] = even_product(z, d)
    h[0] = parabola_squares(z, d, 2, 1)
    return largest(z, d)


@kernel(OBJECTIVE)
def c09_of_2024(x, data, z, g, h):
    """As `c09`, but h = Σ_{k≥1} (z_{2k-1}² - z_{2k+1})²: odd coordinates only."""
    d = shift(x, data, z)
    g[0] = even_product(z, d)
    h[0] = parabola_squares(z, d, 0, 2)
    return largest(z, d)


@kernel(OBJECTIVE)
def c10(x, data, z, g, h):
    """f = max z; h1 = S(z); h2 = Σ (z_i - z_{i+1})²."""
    d = shift(x, data, z)
    h[0] = prefix_squares(z, 0, d, 1)
    h[1] = neighbour_squares(z, d)
    return largest(z, d)


@kernel(OBJECTIVE)
def c11(x, data, z, g, h):
    """f = Σ z; g = Π z; h = Σ (z_i - z_{i+1})²."""
    d = shift(x, data, z)
    total = 0.0
    product = 1.0
    for i in range(d):
        total += z[i]
        product *= z[i]
    g[0] = product
    h[0] = neighbour_squares(z, d)
    return total


@kernel(OBJECTIVE)
def c20(x, data, z, g, h):
    """f = Σ over the ring of 0.5 + (sin² r - 0.5)/(1 + 0.001 r)², r = √(z_i² + z_{i+1}²).

    With s = Σ z: g1 = cos² s - 0.25 cos s - 0.125; g2 = exp(cos s) - exp 0.25.
    """
    d = shift(x, data, z)
    ring = 0.0
    total = 0.0
    for i in range(d):
        following = z[i + 1] if i + 1 < d else z[0]
        r = math.sqrt(z[i] * z[i] + following * following)
        sine = math.sin(r)
        damping = 1.0 + 0.001 * r
        ring += 0.5 + (sine * sine - 0.5) / (damping * damping)
        total += z[i]
    cosine = math.cos(total)
    g[0] = cosine * cosine - 0.25 * cosine - 0.125
    g[1] = math.exp(cosine) - EXP_QUARTER
    return ring
