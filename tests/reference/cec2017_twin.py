"""The 28 functions of CEC 2017 in plain NumPy, straight from their definition.

Slow, one point at a time, sharing no code with the package: `evaluate(number, edition, x, shift,
matrices)` returns f, g, h.
"""

import numpy as np
from numpy import cos, exp, pi, sin, sqrt


def partial_sums(z):
    return np.sum(np.cumsum(z) ** 2)


def rastrigin(z):
    return np.sum(z**2 - 10 * cos(2 * pi * z) + 10)


def rosenbrock(z):
    return np.sum(100 * (z[:-1] ** 2 - z[1:]) ** 2 + (z[:-1] - 1) ** 2)


def wavy(z):
    return np.sum(z**2 - 5000 * cos(0.1 * pi * z) - 4000)


def steps(z):
    return np.sum((z[:-1] - z[1:]) ** 2)


def c01(z, y, matrices, edition):
    return partial_sums(z), [wavy(z)], []


def c02(z, y, matrices, edition):
    return partial_sums(y), [wavy(z)], []


def c03(z, y, matrices, edition):
    return partial_sums(z), [wavy(z)], [-np.sum(z * sin(0.1 * pi * z))]


def c04(z, y, matrices, edition):
    return rastrigin(z), [-np.sum(z * sin(2 * z)), np.sum(z * sin(z))], []


def c05(z, y, matrices, edition):
    images = [matrix @ y for matrix in matrices]
    return rosenbrock(y), [np.sum(w**2 - 50 * cos(2 * pi * w) - 40) for w in images], []


def c06(z, y, matrices, edition):
    h5 = np.sum(z * sin(2 * sqrt(np.abs(z))))
    h = [-np.sum(z * sin(z)), np.sum(z * sin(pi * z)), -np.sum(z * cos(z)), np.sum(z * cos(pi * z))]
    return rastrigin(z), [], [*h, h5, -h5]


def c07(z, y, matrices, edition):
    h = np.sum(z - 100 * cos(0.5 * z) + 100)
    return np.sum(z * sin(z)), [], [h, -h]


def c08(z, y, matrices, edition):
    return np.max(z), [], [partial_sums(z[0::2]), partial_sums(z[1::2])]


def c09(z, y, matrices, edition):
    odd, even = z[0::2], z[1::2]
    if edition == "2017":
        h = np.sum((odd[1:] ** 2 - even[1:]) ** 2)
    else:
        h = np.sum((odd[:-1] ** 2 - odd[1:]) ** 2)
    return np.max(z), [np.prod(even)], [h]


def c10(z, y, matrices, edition):
    return np.max(z), [], [partial_sums(z), steps(z)]


def c11(z, y, matrices, edition):
    return np.sum(z), [np.prod(z)], [steps(z)]


def c12(z, y, matrices, edition):
    return rastrigin(z), [4 - np.sum(np.abs(z)), np.sum(z**2) - 4], []


def c13(z, y, matrices, edition):
    return rosenbrock(z), [rastrigin(z) - 100, np.sum(z) - 2 * z.size, 5 - np.sum(z)], []


def c14(z, y, matrices, edition):
    d = z.size
    f = -20 * exp(-0.2 * sqrt(np.sum(z**2) / d)) + 20 - exp(np.sum(cos(2 * pi * z)) / d) + np.e
    return f, [np.sum(z[1:] ** 2) + 1 - abs(z[0])], [np.sum(z**2) - 4]


def c15(z, y, matrices, edition):
    f = np.max(z) if edition == "2017" else np.max(np.abs(z))
    return f, [np.sum(z**2) - 100 * z.size], [cos(f) + sin(f)]


def c16(z, y, matrices, edition):
    f = np.sum(np.abs(z))
    c = cos(f) + sin(f)
    return f, [np.sum(z**2) - 100 * z.size], [c**2 - exp(c) - 1 + np.e]


def c17(z, y, matrices, edition):
    d = z.size
    f = np.sum(z**2) / 4000 + 1 - np.prod(cos(z / sqrt(np.arange(1, d + 1))))
    signs = [np.sign(abs(z[i]) - np.sum(np.delete(z, i) ** 2) - 1) for i in range(d)]
    return f, [1 - np.sum(signs)], [np.sum(z**2) - 4 * d]


def c18(z, y, matrices, edition):
    whole = np.trunc(2 * z + np.copysign(0.5, z))  # halves away from zero
    w = np.where(np.abs(z) < 0.5, z, whole / 2)
    h = np.sum(100 * (z[:-1] ** 2 - z[1:]) ** 2) + np.prod(sin((z - 1) * pi) ** 2)
    return rastrigin(w), [1 - np.sum(np.abs(z)), np.sum(z**2) - 100 * z.size], [h]


def c19(z, y, matrices, edition):
    d = z.size
    lengths = sqrt(z[:-1] ** 2 + z[1:] ** 2)
    g1 = -10 * np.sum(exp(-0.2 * lengths)) + (d - 1) * 10 / exp(-5)
    f = np.sum(sqrt(np.abs(z)) + 2 * sin(z**3))
    return f, [g1, np.sum(sin(2 * z) ** 2) - 0.5 * d], []


def c20(z, y, matrices, edition):
    r = sqrt(z**2 + np.roll(z, -1) ** 2)
    s = np.sum(z)
    g = [cos(s) ** 2 - 0.25 * cos(s) - 0.125, exp(cos(s)) - exp(0.25)]
    return np.sum(0.5 + (sin(r) ** 2 - 0.5) / (1 + 0.001 * r) ** 2), g, []


PLAIN = [c01, c02, c03, c04, c05, c06, c07, c08, c09, c10]
PLAIN += [c11, c12, c13, c14, c15, c16, c17, c18, c19, c20]


def evaluate(number, edition, x, shift, matrices):
    """f, g, h of problem `number` at the point x."""
    y = x - shift
    z = matrices[0] @ y if number == 2 or number > 20 else y
    function = PLAIN[number - 1] if number <= 20 else PLAIN[number - 10]
    f, g, h = function(z, y, matrices, edition)
    return f, np.array(g), np.array(h)
