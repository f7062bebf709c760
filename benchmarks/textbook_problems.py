"""Problems of textbooks and of the process and design literature, for benchmarks/textbook.py.

Each function returns (f, values that must be <= 0, values that must be 0). Some are NaN in a part
of their box, where a logarithm or a root has no value. Variables that have no bound in the source
have a plain wide one here, and the comment says so ("wide"). HS is Hock and Schittkowski, Test
Examples for Nonlinear Programming Codes (1981). None is in `rdex.suites`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import erfc, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from rdex.problem import Problem

exp, log, sin, cos = np.exp, np.log, np.sin, np.cos


class Case(NamedTuple):
    """A problem: its kind, function, box, best known value and the variables that are whole."""

    kind: str
    fun: Callable[[np.ndarray], tuple[float, Any, Any]]
    low: np.ndarray
    high: np.ndarray
    best: float
    whole: tuple[int, ...]


CASES: dict[str, Case] = {}


def case(kind: str, name: str, low: Any, high: Any, best: float, whole: Any = ()) -> Callable:
    """Keep a function as a problem."""

    def keep(fun):
        CASES[name] = Case(kind, fun, *np.broadcast_arrays(low, high), best, tuple(whole))
        return fun

    return keep


def make(name: str) -> Problem:
    """The problem of a name."""
    case = CASES[name]

    def fun(x):
        with np.errstate(all="ignore"):
            return case.fun(x)

    _, g, h = fun(0.5 * (case.low + case.high))
    whole = np.isin(np.arange(case.low.size), case.whole)
    return Problem.from_function(
        fun, list(zip(case.low, case.high, strict=True)), n_ineq=len(g), n_eq=len(h), name=name,
        integrality=whole if whole.any() else None, optimum=case.best,
        info={"success": "absolute" if abs(case.best) < 1.0 else "relative"},
    )  # fmt: skip


# Hock and Schittkowski: inequalities

hs_ineq = partial(case, "HS, inequalities")


@hs_ineq("HS 13", [0, 0], [10, 10], 1.0)  # a cusp; wide: upper bounds
def hs13(x):
    return (x[0] - 2) ** 2 + x[1] ** 2, [x[1] - (1 - x[0]) ** 3], []


@hs_ineq("HS 34", [0, 0, 0], [100, 100, 10], -log(log(10)))
def hs34(x):
    return -x[0], [exp(x[0]) - x[1], exp(x[1]) - x[2]], []


@hs_ineq("HS 59", [0, 0], [75, 65], -7.8027894)
def hs59(x):
    a, b = x
    f = (
        -75.196 + 3.8112 * a - 0.12694 * a**2 + 0.0020567 * a**3 - 1.0345e-5 * a**4 + 6.8306 * b
        - 0.030234 * a * b
        + 1.28134e-3 * b * a**2 + 2.266e-7 * a**4 * b - 0.25645 * b**2 + 0.0034604 * b**3
        - 1.3514e-5 * b**4 + 28.106 / (b + 1) + 5.2375e-6 * a**2 * b**2 + 6.3e-8 * a**3 * b**2
        - 7e-10 * a**3 * b**3 - 3.405e-4 * a * b**2 + 1.6638e-6 * a * b**3
        + 2.8673 * exp(0.0005 * a * b) - 3.5256e-5 * a**3 * b
    )  # fmt: skip
    return f, [700 - a * b, a**2 / 125 - b, 5 * (a - 55) - (b - 50) ** 2], []


@hs_ineq("HS 64", [1e-5] * 3, [1000] * 3, 6299.842428)  # wide: upper bounds
def hs64(x):
    f = 5 * x[0] + 50000 / x[0] + 20 * x[1] + 72000 / x[1] + 10 * x[2] + 144000 / x[2]
    return f, [4 / x[0] + 32 / x[1] + 120 / x[2] - 1], []


@hs_ineq("HS 67", [1e-5] * 3, [2000, 16000, 120], -1162.0356)  # alkylation, with inner loops
def hs67(x):
    a, b, c = x
    y2, y4 = 1.6 * a, 93.0
    for _ in range(100):
        y3 = 1.22 * y2 - a
        y6 = (b + y3) / a
        before, y2 = y2, 0.01 * a * (112 + 13.167 * y6 - 0.6667 * y6**2)
        if abs(before - y2) <= 1e-3:
            break
    for _ in range(100):
        y5 = 86.35 + 1.098 * y6 - 0.038 * y6**2 + 0.325 * (y4 - 89)
        y8 = 3 * y5 - 133
        y7 = 35.82 - 0.222 * y8
        before, y4 = y4, 98000 * c / (y2 * y7 + 1000 * c)
        if abs(before - y4) <= 1e-4:
            break
    y = np.array([y2, y3, y4, y5, y6, y7, y8])
    f = 5.04 * a + 0.035 * b + 10 * c + 3.36 * y3 - 0.063 * y2 * y5
    low = np.array([0, 0, 85, 90, 3, 0.01, 145])
    return f, np.concatenate([low - y, y - [5000, 2000, 93, 95, 12, 4, 162]]), []


@hs_ineq("HS 72", [1e-3] * 4, [4e5, 3e5, 2e5, 1e5], 727.67937)
def hs72(x):
    g1 = 4 / x[0] + 2.25 / x[1] + 1 / x[2] + 0.25 / x[3] - 0.0401
    g2 = 0.16 / x[0] + 0.36 / x[1] + 0.64 / x[2] + 0.64 / x[3] - 0.010085
    return 1 + x.sum(), [g1, g2], []


@hs_ineq("HS 84", [0, 1.2, 20, 9, 6.5], [1000, 2.4, 60, 9.3, 7], -5280335.133)
def hs84(x):
    a = np.array([
        [-8720288.849, 150512.5253, -156.6950325, 476470.3222, 729482.8271],
        [-145421.402, 2931.1506, -40.427932, 5106.192, 15711.36],
        [-155011.1084, 4360.53352, 12.9492344, 10236.884, 13176.786],
        [-326669.5104, 7390.68412, -27.8986976, 16643.076, 30988.146],
    ])  # fmt: skip
    f, *made = a @ np.concatenate([x[:1], x[0] * x[1:]])
    made = np.array(made)
    return 24345 - f, np.concatenate([-made, made - [294000, 294000, 277200]]), []


@hs_ineq("HS 86", [0] * 5, [10] * 5, -32.34867897)  # Colville 1; wide: upper bounds
def hs86(x):
    c = [[30, -20, -10, 32, -10], [-20, 39, -6, -31, 32], [-10, -6, 10, -6, -10],
         [32, -31, -6, 39, -20], [-10, 32, -10, -20, 30]]  # fmt: skip
    a = [[-16, 2, 0, 1, 0], [0, -2, 0, 0.4, 2], [-3.5, 0, 2, 0, 0], [0, -2, 0, -4, -1],
         [0, -9, -2, 1, -2.8], [2, 0, -4, 0, 0], [-1] * 5, [-1, -2, -3, -2, -1],
         [1, 2, 3, 4, 5], [1] * 5]  # fmt: skip
    f = [-15, -27, -36, -18, -12] @ x + x @ c @ x + [4, 8, 10, 6, 2] @ x**3
    return f, np.array([-40, -2, -0.25, -4, -4, -1, -40, -60, 5, 1]) - a @ x, []


@hs_ineq("HS 93", [0] * 6, [20] * 6, 135.075961)  # transformer; wide: upper bounds
def hs93(x):
    a, b, c, d, e, s = x
    core, coil = a * d * (a + b + c), b * c * (a + 1.57 * b + d)
    f = 0.0204 * core + 0.0187 * coil + 0.0607 * core * e**2 + 0.0437 * coil * s**2
    return f, [2.07 - 1e-3 * x.prod(), 0.00062 * core * e**2 + 0.00058 * coil * s**2 - 1], []


@hs_ineq("HS 97", [0] * 6, [0.31, 0.046, 0.068, 0.042, 0.028, 0.0134], 3.1358091)
def hs97(x):
    a, b, c, d, e, s = x
    g = np.array([
        [17.1, 38.2, 204.2, 212.3, 623.4, 1495.5] @ x - 169 * a * c - 3580 * c * e - 3810 * d * e
        - 18500 * d * s - 24300 * e * s - 32.97,
        [17.9, 36.8, 113.9, 169.7, 337.8, 1385.2] @ x - 139 * a * c - 2450 * d * e - 16600 * d * s
        - 17200 * e * s - 25.12,
        -273 * b - 70 * d - 819 * e + 26000 * d * e + 29.08,
        159.9 * a - 311 * b + 587 * d + 391 * e + 2198 * s - 14000 * a * s + 78.02,
    ])  # fmt: skip
    return [4.3, 31.8, 63.3, 15.8, 68.5, 4.7] @ x, -g, []


@hs_ineq("HS 103", [0.1] * 6 + [0.01], [10] * 7, 543.667958)  # a geometric program
def hs103(x):
    a, b, c, d, e, s, t = x
    f = (
        10 * a * d**2 * t**0.5 / (b * s**3) + 15 * c * d / (a * b**2 * e * t**0.5)
        + 20 * b * s / (a**2 * d * e**2) + 25 * a**2 * b**2 * e**0.5 * t / (c * s**2)
    )  # fmt: skip
    g = [
        0.5 * a**0.5 * t / (c * s**2) + 0.7 * a**3 * b * s * t**0.5 / c**2
        + 0.2 * c * s ** (2 / 3) * t**0.25 / (b * d**0.5) - 1,
        1.3 * b * s / (a**0.5 * c * e) + 0.8 * c * s**2 / (d * e)
        + 3.1 * b**0.5 * s ** (1 / 3) / (a * d**2 * e) - 1,
        2 * a * e * t ** (1 / 3) / (c**1.5 * s) + 0.1 * b * e / (c**0.5 * s * t**0.5)
        + b * c**0.5 * e / a + 0.65 * c * e * t / (b**2 * s) - 1,
        0.2 * b * e**0.5 * t ** (1 / 3) / (a**2 * d)
        + 0.3 * a**0.5 * b**2 * c * d ** (1 / 3) * t**0.25 / e ** (2 / 3)
        + 0.4 * c * e * t**0.75 / (a**3 * b**2) + 0.5 * d * t**0.5 / c**2 - 1,
        100 - f,
        f - 3000,
    ]  # fmt: skip
    return f, g, []


@hs_ineq("HS 104", [0.1] * 8, [10] * 8, 3.9511634396)  # two reactors
def hs104(x):
    a, b, c, d, e, s, t, u = x
    f = 0.4 * (a / t) ** 0.67 + 0.4 * (b / u) ** 0.67 + 10 - a - b
    g = [
        0.0588 * e * t + 0.1 * a - 1,
        0.0588 * s * u + 0.1 * (a + b) - 1,
        4 * c / e + 2 / (c**0.71 * e) + 0.0588 * t / c**1.3 - 1,
        4 * d / s + 2 / (d**0.71 * s) + 0.0588 * u / d**1.3 - 1,
        1 - f,
        f - 4.2,
    ]
    return f, g, []


@hs_ineq("HS 116", [0.1] * 3 + [1e-4, 0.1, 0.1, 0.1, 0.1, 500, 0.1, 1, 1e-4, 1e-4],
         [1, 1, 1, 0.1, 0.9, 0.9, 1000, 1000, 1000, 500, 150, 150, 150], 97.58751)  # fmt: skip
def hs116(x):  # membrane separation in three stages
    a, b, c, d, e, s, t, u, v, w, p, q, r = x
    f = p + q + r
    g = [
        c - b, b - a, 1 - 0.002 * (t - u), f - 50, 250 - f,
        r - 1.262626 * w + 1.231059 * c * w,
        e - 0.03475 * b - 0.975 * b * e + 0.00975 * b**2,
        s - 0.03475 * c - 0.975 * c * s + 0.00975 * c**2,
        e * t - a * u - d * t + d * u,
        1 - 0.002 * (b * v + e * u - a * u - s * v) - e - s,
        b * v - c * w - s * v - 500 * b + 500 * s + b * w,
        b - 0.9 - 0.002 * (b * w - c * w),
        d - 0.03475 * a - 0.975 * a * d + 0.00975 * a**2,
        p - 1.262626 * u + 1.231059 * a * u,
        q - 1.262626 * v + 1.231059 * b * v,
    ]  # fmt: skip
    return f, -np.array(g), []


@hs_ineq("HS 118", [8, 43, 3] + [0, 0, 0] * 4, [21, 57, 16] + [90, 120, 60] * 4, 664.82045)
def hs118(x):
    x = x.reshape(5, 3)
    f = (x @ [2.3, 1.7, 2.2] + x**2 @ [1e-4, 1e-4, 1.5e-4]).sum()
    step = np.diff(x, axis=0)
    g = [-7 - step, step - [6, 7, 6]]
    return f, np.append(np.ravel(g), [60, 50, 70, 85, 100] - x.sum(axis=1)), []


# Hock and Schittkowski: equalities

hs_eq = partial(case, "HS, equalities")


@hs_eq("HS 55", [0] * 6, [1, 10, 10, 1, 10, 10], 19 / 3)  # wide: upper bounds but of 1 and 4
def hs55(x):
    a, b, c, d, e, s = x
    h = [a + 2 * b + 5 * e - 6, a + b + c - 3, d + e + s - 2, a + d - 1, b + e - 2, c + s - 2]
    return a + 2 * b + 4 * e + exp(a * d), [], h


@hs_eq("HS 56", [-10] * 7, [10] * 7, -3.456)  # wide: all
def hs56(x):
    a, b, c, d, e, s, t = x
    h = [a - 4.2 * sin(d) ** 2, b - 4.2 * sin(e) ** 2, c - 4.2 * sin(s) ** 2,
         a + 2 * b + 2 * c - 7.2 * sin(t) ** 2]  # fmt: skip
    return -a * b * c, [], h


@hs_eq("HS 62", [0] * 3, [1] * 3, -26272.514)
def hs62(x):
    a, b, c = x
    f = (
        255 * log((a + b + c + 0.03) / (0.09 * a + b + c + 0.03))
        + 280 * log((b + c + 0.03) / (0.07 * b + c + 0.03))
        + 290 * log((c + 0.03) / (0.13 * c + 0.03))
    )
    return -32.174 * f, [], [a + b + c - 1]


@hs_eq("HS 68", [1e-4, 0, 0, 0], [100, 100, 2, 2], -0.920425026)  # plan of inspections
def hs68(x):
    a, b, c, d = x
    f = (24e-4 - (exp(a) - 1 - c) / (exp(a) - 1 + d) * d) / a
    shift, half = sqrt(24), 1 / sqrt(2)
    h = [c - erfc(b * half), d - 0.5 * (erfc((b - shift) * half) + erfc((b + shift) * half))]
    return f, [], h


@hs_eq("HS 71", [1] * 4, [5] * 4, 17.0140173)
def hs71(x):
    return x[0] * x[3] * x[:3].sum() + x[2], [25 - x.prod()], [x @ x - 40]


@hs_eq("HS 77", [-10] * 5, [10] * 5, 0.24150513)  # wide: all
def hs77(x):
    a, b, c, d, e = x
    f = (a - 1) ** 2 + (a - b) ** 2 + (c - 1) ** 2 + (d - 1) ** 4 + (e - 1) ** 6
    return f, [], [a**2 * d + sin(d - e) - 2 * sqrt(2), b + c**4 * d**2 - 8 - sqrt(2)]


@hs_eq("HS 99", [0] * 7, [1.58] * 7, -831079891.5)  # the trajectory of a rocket
def hs99(x):
    r, q, s = 0.0, 0.0, 0.0
    times = np.diff([0, 25, 50, 100, 150, 200, 290, 380])
    for angle, thrust, t in zip(x, [50, 50, 75, 75, 75, 100, 100], times, strict=True):
        up = thrust * sin(angle) - 32
        r += thrust * t * cos(angle)
        q += 0.5 * t**2 * up + t * s
        s += t * up
    return -(r**2), [], [q - 1e5, s - 1e3]


@hs_eq("HS 107", [0, 0, -1, -1, 0.90909, 0.90909, 0.90909, -1, -1],
       [2, 2, 1, 1, 1.0909, 1.0909, 1.0909, 1, 1], 5055.011803)  # fmt: skip
def hs107(x):  # static power scheduling; wide: powers and angles
    p1, p2, q1, q2, v1, v2, v3, a, b = x
    c, d = 48.4 / 50.176 * sin(0.25), 48.4 / 50.176 * cos(0.25)
    h = [
        0.4 - p1 + 2 * c * v1**2 - v1 * v2 * (d * sin(a) + c * cos(a))
        - v1 * v3 * (d * sin(b) + c * cos(b)),
        0.4 - p2 + 2 * c * v2**2 + v1 * v2 * (d * sin(a) - c * cos(a))
        + v2 * v3 * (d * sin(a - b) - c * cos(a - b)),
        0.8 + 2 * c * v3**2 + v1 * v3 * (d * sin(b) - c * cos(b))
        - v2 * v3 * (d * sin(a - b) + c * cos(a - b)),
        0.2 - q1 + 2 * d * v1**2 + v1 * v2 * (c * sin(a) - d * cos(a))
        + v1 * v3 * (c * sin(b) - d * cos(b)),
        0.2 - q2 + 2 * d * v2**2 - v1 * v2 * (c * sin(a) + d * cos(a))
        - v2 * v3 * (c * sin(a - b) + d * cos(a - b)),
        -0.337 + 2 * d * v3**2 - v1 * v3 * (c * sin(b) + d * cos(b))
        + v2 * v3 * (c * sin(a - b) - d * cos(a - b)),
    ]  # fmt: skip
    return 3000 * p1 + 1000 * p1**3 + 2000 * p2 + 666.667 * p2**3, [], h


@hs_eq("HS 109", [0, 0, -0.55, -0.55, 196, 196, 196, -400, -400],
       [2000, 2000, 0.55, 0.55, 252, 252, 252, 800, 800], 5326.85133)  # fmt: skip
def hs109(x):  # power flow; the book's 5362.07 is not the best; wide: upper bounds of 1 and 2
    p1, p2, s, t, u, v, w, q1, q2 = x
    a, b, c, k = 50.176, sin(0.25), cos(0.25), 0.7533e-3 * 50.176
    f = 3 * p1 + 1e-6 * p1**3 + 2 * p2 + 0.522074e-6 * p2**3
    g = [s - t - 0.55, t - s - 0.55, p1**2 + q1**2 - 2.25e6, p2**2 + q2**2 - 2.25e6]
    h = [
        u * v * sin(-s - 0.25) + u * w * sin(-t - 0.25) + 2 * b * u**2 - a * p1 + 400 * a,
        u * v * sin(s - 0.25) + v * w * sin(s - t - 0.25) + 2 * b * v**2 - a * p2 + 400 * a,
        u * w * sin(t - 0.25) + v * w * sin(t - s - 0.25) + 2 * b * w**2 + 881.779 * a,
        a * q1 + u * v * cos(-s - 0.25) + u * w * cos(-t - 0.25) - 200 * a + (k - 2 * c) * u**2,
        a * q2 + u * v * cos(s - 0.25) + v * w * cos(s - t - 0.25) - 200 * a + (k - 2 * c) * v**2,
        u * w * cos(t - 0.25) + v * w * cos(t - s - 0.25) + 22.938 * a + (k - 2 * c) * w**2,
    ]
    return f, g, h


@hs_eq("HS 114", [1e-5] * 5 + [85, 90, 3, 1.2, 145],
       [2000, 16000, 120, 5000, 2000, 93, 95, 12, 4, 162], -1768.80696)  # fmt: skip
def hs114(x):  # alkylation, as equations
    p, q, r, s, t, u, v, w, y, z = x
    f = 5.04 * p + 0.035 * q + 10 * r + 3.36 * t - 0.063 * s * v
    a, b = 0.99, 0.9
    made = 1.12 * p + 0.13167 * p * w - 0.00667 * p * w**2
    octane = 57.425 + 1.098 * w - 0.038 * w**2 + 0.325 * u
    g = [
        b * y - 35.82 + 0.222 * z, 35.82 - 0.222 * z - y / b,
        a * z + 133 - 3 * v, 3 * v - 133 - z / a,
        a * s - made, made - s / a,
        a * v - octane, octane - v / a,
    ]  # fmt: skip
    return f, g, [1.22 * s - p - t, 98000 * r / (s * y + 1000 * r) - u, (q + t) / p - w]


@hs_eq("HS 119", [0] * 16, [5] * 16, 244.899698)  # Colville 7
def hs119(x):
    pairs = (
        "1,4 1,7 1,8 1,16 2,3 2,7 2,10 3,7 3,9 3,10 3,14 4,7 4,11 4,15 5,6 5,10 5,12 5,16 6,8 6,15 "
        "7,11 7,13 8,10 8,15 9,12 9,16 10,14 11,13 12,14 13,14"
    )
    y = x**2 + x + 1
    f = y @ y
    for pair in pairs.split():
        i, j = pair.split(",")
        f += y[int(i) - 1] * y[int(j) - 1]
    b = np.array([
        [0.22, 0.20, 0.19, 0.25, 0.15, 0.11, 0.12, 0.13],
        [-1.46, 0, -1.30, 1.82, -1.15, 0, 0.80, 0],
        [1.29, -0.89, 0, 0, -1.16, -0.96, 0, -0.49],
        [-1.10, -1.06, 0.95, -0.54, 0, -1.78, -0.41, 0],
        [0, 0, 0, -1.43, 1.51, 0.59, -0.33, -0.43],
        [0, -1.72, -0.33, 0, 1.62, 1.24, 0.21, -0.26],
        [1.12, 0, 0, 0.31, 0, 0, 1.12, 0],
        [0, 0.45, 0.26, -1.10, 0.58, 0, -1.03, 0.10],
    ])  # fmt: skip
    h = b @ x[:8] + x[8:] - [2.5, 1.1, -3.1, -3.5, 1.3, 2.1, 2.3, -1.5]
    h[6] -= 0.36 * x[8]
    return f, [], h


# Process design

process = partial(case, "process design")


@process("insulated tank", [0, 14.7, -459.67, 0], [15.1, 94.2, 80, 1e4], 5194.866)
def tank(x):  # Ryoo and Sahinidis (1995), after Stoecker; wide: upper bound of 4
    f = 400 * x[0] ** 0.9 + 1000 + 22 * (x[1] - 14.7) ** 1.2 + x[3]
    return f, [], [x[1] - exp(-3950 / (x[2] + 460) + 11.86), 144 * (80 - x[2]) - x[0] * x[3]]


@process("reactor network", [0, 0, 0, 0, 1e-5, 1e-5], [1, 1, 1, 1, 16, 16], -0.388812)
def reactors(x):  # Manousiouthakis and Sourlas (1992): two tanks, A to B to C
    a, b, c, d, v, w = x
    k1, k3 = 0.09755988, 0.0391908
    h = [a + k1 * a * v - 1, b - a + 0.99 * k1 * b * w, c + a + k3 * c * v - 1,
         d - c + b - a + 0.9 * k3 * d * w]  # fmt: skip
    return -d, [v**0.5 + w**0.5 - 4], h


@process("pooling Ben-Tal 4", [0] * 7, [1, 1, 1, 100, 200, 100, 200], -450.0)
def pooling(x):  # Ben-Tal, Eiger and Gershovitz (1994), shares and flows
    s, (y, z, u, v) = x[:3], x[3:]
    price, sulphur = [6, 16, 15] @ s, [3, 1, 1] @ s
    g = [s[2] * (y + z) - 50, y + u - 100, z + v - 200, (sulphur - 2.5) * y - 0.5 * u,
         (sulphur - 1.5) * z + 0.5 * v]  # fmt: skip
    return (price - 9) * y + (price - 15) * z + u - 5 * v, g, [s.sum() - 1]


@process("heat exchanger superstructure", [0] * 8 + [10] * 4 + [150] * 4,
         [10] * 8 + [350, 350, 200, 200] + [310] * 4, 4845.462)  # fmt: skip
def superstructure(x):  # Floudas and Pardalos (1999), 5.4.3: a stream splits, mixes and passes by
    i1, i2, b1, b2, e1, e2, o1, o2, d11, d12, d21, d22, in1, out1, in2, out2 = x

    def area(duty, a, b):
        return duty / (a * b / 30 + (a + b) / 6)

    h = [
        i1 + i2 - 10, i1 + b2 - e1, i2 + b1 - e2, o1 + b1 - e1, o2 + b2 - e2,
        150 * i1 + out2 * b2 - in1 * e1, 150 * i2 + out1 * b1 - in2 * e2,
        e1 * (out1 - in1) - 1000, e2 * (out2 - in2) - 600,
        d11 + out1 - 500, d12 + in1 - 250, d21 + out2 - 350, d22 + in2 - 200,
    ]  # fmt: skip
    return 1300 * (area(1000, d11, d12) ** 0.6 + area(600, d21, d22) ** 0.6), [], h


@process("two reactors, 0/1", [0] * 8, [10, 10, 20, 20, 10, 10, 1, 1], 99.2396, [6, 7])
def two_reactors(x):  # Kocis and Grossmann (1989); wide: upper bounds of the products
    v1, v2, x1, x2, z1, z2, y1, y2 = x
    f = 7.5 * y1 + 5.5 * y2 + 7 * v1 + 6 * v2 + 5 * (x1 + x2)
    h = [z1 - 0.9 * (1 - exp(-0.5 * v1)) * x1, z2 - 0.8 * (1 - exp(-0.4 * v2)) * x2,
         z1 + z2 - 10, y1 + y2 - 1]  # fmt: skip
    return f, [v1 - 10 * y1, v2 - 10 * y2, x1 - 20 * y1, x2 - 20 * y2], h


@process("synthesis of 3 units, 0/1", [0] * 6, [2, 2, 1, 1, 1, 1], 6.00976, [3, 4, 5])
def three_units(x):  # Duran and Grossmann (1986), 1: NaN where x1 - x0 > 1
    a, b, c, *y = x
    p, q = log(b + 1), log(a - b + 1)
    f = np.dot([5, 6, 8], y) + 10 * a - 7 * c - 18 * p - 19.2 * q + 10
    g = [0.8 * c - 0.8 * p - 0.96 * q, c + 2 * y[2] - 2 - p - 1.2 * q, b - a, b - 2 * y[0],
         a - b - 2 * y[1], y[0] + y[1] - 1]  # fmt: skip
    return f, g, []


@process("synthesis of 5 units, 0/1", [0] * 11, [2, 2, 2, 10, 10, 3] + [1] * 5, 73.0353,
         range(6, 11))  # fmt: skip
def five_units(x):  # Duran and Grossmann (1986), 2; wide: upper bounds of the logarithm
    a, b, c, d, e, s, *y = x
    f = (
        np.dot([5, 8, 6, 10, 6], y) - 10 * a - 15 * b - 15 * c + 15 * d + 5 * e - 20 * s
        + exp(a) + exp(b / 1.2) - 60 * log(d + e + 1) + 140
    )  # fmt: skip
    g = [
        -log(d + e + 1), -a - b - 2 * c + d + 2 * s, -a - b - 0.75 * c + d + 2 * s, c - s,
        2 * c - d - 2 * s, e - 0.5 * d, 0.2 * d - e, exp(a) - 10 * y[0] - 1,
        exp(b / 1.2) - 10 * y[1] - 1, 1.25 * c - 10 * y[2], d + e - 10 * y[3],
        2 * s - 2 * c - 10 * y[4], y[3] + y[4] - 1,
    ]  # fmt: skip
    return f, g, [y[0] + y[1] - 1]


@process("small synthesis, 0/1", [0.2, -2.22554, 0], [1, -1, 1], 1.07654, [2])
def small_synthesis(x):  # Floudas (1995), 6.6.5
    a, b, y = x
    return 5 * (a - 0.5) ** 2 + 0.8 - 0.7 * y, [-exp(a - 0.2) - b, b + 1.1 * y + 1, a - y - 0.2], []


@process("batch plant", [1] * 3 + [250] * 3 + [6, 4, 40, 10], [3] * 3 + [2500] * 3
         + [20, 16, 700, 450], 38499.47, range(3))  # fmt: skip
def batch_plant(x):  # Kocis and Grossmann (1988): 3 stages, 2 products
    n, v, cycle, size = x[:3], x[3:6], x[6:8], x[8:]
    volume, hours = np.array([[2, 3, 4], [4, 6, 3]]), np.array([[8, 20, 8], [16, 4, 4]])
    g = [np.ravel(volume * size[:, None] - v), np.ravel(hours / n - cycle[:, None]),
         [[40000, 20000] @ (cycle / size) - 6000]]  # fmt: skip
    return 250 * n @ v**0.6, np.concatenate(g), []


# Mechanical and other designs

design = partial(case, "design")


@design("corrugated bulkhead", [0] * 4, [100, 100, 100, 5], 6.8429580)
def bulkhead(x):  # Ravindran, Ragsdell and Reklaitis (2006): NaN where the depth exceeds the length
    width, depth, length, thick = x
    span = width + np.sqrt(length**2 - depth**2)
    g = [
        8.94 * span - thick * depth * (0.4 * width + length / 6),
        2.2 * (8.94 * span) ** (4 / 3) - thick * depth**2 * (0.2 * width + length / 12),
        0.0156 * width + 0.15 - thick, 0.0156 * length + 0.15 - thick, 1.05 - thick, depth - length,
    ]  # fmt: skip
    return 5.885 * thick * (width + length) / span, g, []


@design("car side impact", [0.5] * 7 + [0, 0, -30, -30], [1.5] * 7 + [1, 1, 30, 30], 22.84297,
        [7, 8])  # fmt: skip
def car(x):  # Gu et al. (2001), with the box of Gandomi et al. (2011)
    a, b, c, d, e, s, t, u, v, p, q = x
    u, v = 0.192 + 0.153 * u, 0.192 + 0.153 * v
    f = 1.98 + 4.9 * a + 6.67 * b + 6.98 * c + 4.01 * d + 1.78 * e + 2.73 * t
    g = [
        1.16 - 0.3717 * b * d - 0.00931 * b * p - 0.484 * c * v + 0.01343 * s * p - 1,
        28.98 + 3.818 * c - 4.2 * a * b + 0.0207 * e * p + 6.63 * s * v - 7.7 * t * u
        + 0.32 * v * p - 32,
        33.86 + 2.95 * c + 0.1792 * p - 5.057 * a * b - 11 * b * u - 0.0215 * e * p - 9.98 * t * u
        + 22 * u * v - 32,
        46.36 - 9.9 * b - 12.9 * a * u + 0.1107 * c * p - 32,
        0.261 - 0.0159 * a * b - 0.188 * a * u - 0.019 * b * t + 0.0144 * c * e
        + 0.0008757 * e * p + 0.080405 * s * v + 0.00139 * u * q + 0.00001575 * p * q - 0.32,
        0.214 + 0.00817 * e - 0.131 * a * u - 0.0704 * a * v + 0.03099 * b * s - 0.018 * b * t
        + 0.0208 * c * u + 0.121 * c * v - 0.00364 * e * s + 0.0007715 * e * p - 0.0005354 * s * p
        + 0.00121 * u * q - 0.32,
        0.74 - 0.61 * b - 0.163 * c * u + 0.001232 * c * p - 0.166 * t * v + 0.227 * b**2 - 0.32,
        4.72 - 0.5 * d - 0.19 * b * c - 0.0122 * d * p + 0.009325 * s * p + 0.000191 * q**2 - 4,
        10.58 - 0.674 * a * b - 1.95 * b * u + 0.02054 * c * p - 0.0198 * d * p + 0.028 * s * p
        - 9.9,
        16.45 - 0.489 * c * t - 0.843 * e * s + 0.0432 * v * p - 0.0556 * v * q - 0.000786 * q**2
        - 15.7,
    ]  # fmt: skip
    return f, g, []


@design("two-bar truss", [0.2, 0.1], [4, 1.6], 1.50865)  # Svanberg (1987)
def two_bars(x):
    root = sqrt(1 + x[1] ** 2)
    load = 0.124 * root * (8 + np.array([1, -1]) / x[1]) / x[0]
    return x[0] * root, load - 1, []


WIRES = [
    0.009, 0.0095, 0.0104, 0.0118, 0.0128, 0.0132, 0.014, 0.015, 0.0162, 0.0173, 0.018, 0.02, 0.023,
    0.025, 0.028, 0.032, 0.035, 0.041, 0.047, 0.054, 0.063, 0.072, 0.08, 0.092, 0.105, 0.12, 0.135,
    0.148, 0.162, 0.177, 0.192, 0.207, 0.225, 0.244, 0.263, 0.283, 0.307, 0.331, 0.362, 0.394,
    0.4375, 0.5,
]  # fmt: skip


@design("coil spring", [1, 0.6, 0], [70, 3, 41], 2.658559, [0, 2])
def coil_spring(x):  # Sandgren (1990): coils, diameter, and one of 42 wires
    coils, width, wire = x[0], x[1], WIRES[int(x[2])]
    c = width / wire
    stiff = 11.5e6 * wire**4 / (8 * coils * width**3)
    factor = (4 * c - 1) / (4 * c - 4) + 0.615 / c
    loaded = 1000 / stiff
    length = loaded + 1.05 * (coils + 2) * wire
    g = [
        8 * factor * 1000 * width / (pi * wire**3) - 189e3, length - 14, 0.2 - wire, width - 3,
        3 - c, 300 / stiff - 6, 300 / stiff + 700 / stiff + 1.05 * (coils + 2) * wire - length,
        1.25 - 700 / stiff,
    ]  # fmt: skip
    return pi**2 / 4 * (coils + 2) * width * wire**2, g, []


STEEL = [6, 6.16, 6.32, 6.6, 7, 7.11, 7.2, 7.8, 7.9, 8, 8.4]


@design("concrete beam", [0, 28, 5], [10, 40, 10], 359.208, [0, 1])
def concrete_beam(x):  # Amir and Hasegawa (1989): one of 11 areas of steel, height, width
    steel, height, width = STEEL[int(x[0])], x[1], x[2]
    g = [height / width - 4, 180 + 7.375 * steel**2 / width - steel * height]
    return 29.4 * steel + 0.6 * height * width, g, []


@design("step-cone pulley", [0] * 5, [60, 60, 90, 90, 90], 16.0902735)
def pulley(x):  # Rao (1996), in mm. Known as 16.0699 with lengths in m, which differ by up to 1e-4
    d, width = x[:4] * 1e-3, x[4] * 1e-3
    ratio = np.array([750, 450, 250, 150]) / 350
    length = 0.5 * pi * d * (1 + ratio) + (ratio - 1) ** 2 * d**2 / 12 + 6
    angle = pi - 2 * np.arcsin((ratio - 1) * d / 6)
    tension = exp(0.35 * angle)
    power = 1.75e6 * 8e-3 * width * (1 - 1 / tension) * pi * d * ratio * 350 / 60
    g = [*(2 - tension), *(0.75 * 745.6998 - power)]
    return pi / 4 * 7200 * width * (d**2 @ (1 + ratio**2)), g, 1e3 * (length[0] - length[1:])


@design("reliability of a series", [1] * 5 + [0.5] * 5, [5] * 5 + [1 - 1e-6] * 5, -0.931682,
        range(5))  # fmt: skip
def series(x):  # Kuo and Prasad (2000): redundancy and reliability of 5 parts
    n, r = x[:5], x[5:]
    alpha = 1e-5 * np.array([2.33, 1.45, 0.541, 8.05, 1.95])
    weight = np.array([7, 8, 8, 6, 9])
    g = [[1, 2, 3, 4, 2] @ n**2 - 110,
         alpha * (-1000 / log(r)) ** 1.5 @ (n + exp(n / 4)) - 175,
         weight @ (n * exp(n / 4)) - 200]  # fmt: skip
    return -np.prod(1 - (1 - r) ** n), g, []


@design("Thomson, 6 charges", [-1] * 18, [1] * 18, 9.985281374)  # on a sphere
def thomson(x):
    at = x.reshape(6, 3)
    i, j = np.triu_indices(6, 1)
    return (1 / np.linalg.norm(at[i] - at[j], axis=1)).sum(), [], (at**2).sum(axis=1) - 1


# Minimax, edges, and curves fitted to data

edges = partial(case, "edges")


@edges("CB2", [-10] * 2, [10] * 2, 1.9522245)  # Charalambous and Conn (1978); wide: all
def cb2(x):
    a, b = x
    return max(a**2 + b**4, (2 - a) ** 2 + (2 - b) ** 2, 2 * exp(b - a)), [], []


@edges("EVD52", [-10] * 3, [10] * 3, 3.5997193)  # Evtushenko (1985); wide: all
def evd52(x):
    a, b, c = x
    f = max(x @ x - 1, a**2 + b**2 + (c - 2) ** 2, a + b + c - 1, a + b - c + 1,
            2 * a**3 + 6 * b**2 + 2 * (5 * c - a + 1) ** 2, a**2 - 9 * c)  # fmt: skip
    return f, [], []


@edges("Shor", [-10] * 5, [10] * 5, 22.600162)  # Shor (1985); wide: all
def shor(x):
    a = [[0, 0, 0, 0, 0], [2, 1, 1, 1, 3], [1, 2, 1, 1, 2], [1, 4, 1, 2, 2], [3, 2, 1, 0, 1],
         [0, 2, 1, 0, 1], [1, 1, 1, 1, 1], [1, 0, 1, 2, 1], [0, 0, 2, 1, 0],
         [1, 1, 2, 0, 0]]  # fmt: skip
    b = np.array([1, 5, 10, 2, 4, 3, 1.7, 2.5, 6, 3.5])
    return (b * ((x - a) ** 2).sum(axis=1)).max(), [], []


@edges("MAD1", [-10] * 2, [10] * 2, -0.38965952)  # Madsen (1975); wide: all
def mad1(x):
    return max(x @ x + x[0] * x[1] - 1, sin(x[0]), -cos(x[1])), [0.5 - x.sum()], []


@edges("dispatch of 3 units", [100, 100, 50], [600, 400, 200], 8234.07)
def dispatch(x):  # Sinha et al. (2003): valve points, 850 MW
    f = 949 + [7.92, 7.85, 7.97] @ x + [0.001562, 0.00194, 0.00482] @ x**2
    valves = [300, 200, 150] @ np.abs(sin([0.0315, 0.042, 0.063] * (np.array([100, 100, 50]) - x)))
    return f + valves, [], [x.sum() - 850]


fit = partial(case, "fit")


@fit("Bard minimax", [0, 0.1, 0.1], [1, 10, 10], 0.05081633)  # Madsen (1975); wide: all
def bard(x):
    y = [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.1, 4.39]
    u = np.arange(1, 16)
    return np.abs(y - x[0] - u / ((16 - u) * x[1] + np.minimum(u, 16 - u) * x[2])).max(), [], []


@fit("Misra1a", [1, 1e-6], [1000, 0.1], 0.12455138894)  # NIST StRD; wide: all
def misra1a(x):
    y = [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.4, 75.47,
         81.78]  # fmt: skip
    at = [77.6, 114.9, 141.1, 190.8, 239.9, 289, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1,
          760]  # fmt: skip
    return ((y - x[0] * (1 - exp(-x[1] * np.array(at)))) ** 2).sum(), [], []


@fit("Rat42", [10, 0, 0], [200, 10, 1], 8.0565229338)  # NIST StRD; wide: all
def rat42(x):
    y = [8.93, 10.8, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08]
    at = np.array([9, 14, 21, 28, 42, 57, 63, 70, 79])
    return ((y - x[0] / (1 + exp(x[1] - x[2] * at))) ** 2).sum(), [], []


@fit("HS 25", [0.1, 0, 0], [100, 25.6, 5], 0.0)  # Weibull curve
def hs25(x):
    p = 0.01 * np.arange(1, 100)
    u = 25 + (-50 * log(p)) ** (2 / 3)
    return ((exp(-((u - x[1]) ** x[2]) / x[0]) - p) ** 2).sum(), [], []
