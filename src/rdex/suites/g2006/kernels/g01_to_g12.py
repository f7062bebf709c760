"""G01 to G12 of [CEC2006]: f = gNN(x, data, work, g, h), writing g <= 0 and h = 0.

[CEC2006] J. J. Liang, T. P. Runarsson, E. Mezura-Montes, M. Clerc, P. N. Suganthan,
C. A. Coello Coello, K. Deb: Problem Definitions and Evaluation Criteria for the CEC 2006 Special
Session on Constrained Real-Parameter Optimization. Constraints stand in the report's order.
"""

import numpy as np

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE


@kernel(OBJECTIVE)
def g01(x, data, work, g, h):
    f = 0.0
    for j in range(4):
        f += 5.0 * x[j] - 5.0 * x[j] * x[j]
    for j in range(4, 13):
        f -= x[j]
    g[0] = 2.0 * x[0] + 2.0 * x[1] + x[9] + x[10] - 10.0
    g[1] = 2.0 * x[0] + 2.0 * x[2] + x[9] + x[11] - 10.0
    g[2] = 2.0 * x[1] + 2.0 * x[2] + x[10] + x[11] - 10.0
    g[3] = -8.0 * x[0] + x[9]
    g[4] = -8.0 * x[1] + x[10]
    g[5] = -8.0 * x[2] + x[11]
    g[6] = -2.0 * x[3] - x[4] + x[9]
    g[7] = -2.0 * x[5] - x[6] + x[10]
    g[8] = -2.0 * x[7] - x[8] + x[11]
    return f


@kernel(OBJECTIVE)
def g02(x, data, work, g, h):
    n = x.shape[0]
    quartic = 0.0
    cosines = 1.0
    weighted = 0.0
    product = 1.0
    total = 0.0
    for j in range(n):
        cos = np.cos(x[j])
        square = cos * cos
        quartic += square * square
        cosines *= square
        weighted += (j + 1) * x[j] * x[j]
        product *= x[j]
        total += x[j]
    g[0] = 0.75 - product
    g[1] = total - 7.5 * n
    return -abs((quartic - 2.0 * cosines) / np.sqrt(weighted))


@kernel(OBJECTIVE)
def g03(x, data, work, g, h):
    n = x.shape[0]
    root = np.sqrt(float(n))
    product = 1.0
    squares = 0.0
    for j in range(n):
        product *= root * x[j]
        squares += x[j] * x[j]
    h[0] = squares - 1.0
    return -product


@kernel(OBJECTIVE)
def g04(x, data, work, g, h):
    u = 85.334407 + 0.0056858 * x[1] * x[4] + 0.0006262 * x[0] * x[3] - 0.0022053 * x[2] * x[4]
    v = 80.51249 + 0.0071317 * x[1] * x[4] + 0.0029955 * x[0] * x[1] + 0.0021813 * x[2] * x[2]
    w = 9.300961 + 0.0047026 * x[2] * x[4] + 0.0012547 * x[0] * x[2] + 0.0019085 * x[2] * x[3]
    g[0] = u - 92.0
    g[1] = -u
    g[2] = v - 110.0
    g[3] = 90.0 - v
    g[4] = w - 25.0
    g[5] = 20.0 - w
    return 5.3578547 * x[2] * x[2] + 0.8356891 * x[0] * x[4] + 37.293239 * x[0] - 40792.141


@kernel(OBJECTIVE)
def g05(x, data, work, g, h):
    difference = x[2] - x[3]
    g[0] = difference - 0.55
    g[1] = -difference - 0.55
    h[0] = 1000.0 * (np.sin(-x[2] - 0.25) + np.sin(-x[3] - 0.25)) + 894.8 - x[0]
    h[1] = 1000.0 * (np.sin(x[2] - 0.25) + np.sin(difference - 0.25)) + 894.8 - x[1]
    h[2] = 1000.0 * (np.sin(x[3] - 0.25) + np.sin(-difference - 0.25)) + 1294.8
    cubes = 1e-6 * x[0] * x[0] * x[0] + 2e-6 / 3.0 * x[1] * x[1] * x[1]
    return 3.0 * x[0] + 2.0 * x[1] + cubes


@kernel(OBJECTIVE)
def g06(x, data, work, g, h):
    down = (x[1] - 5.0) * (x[1] - 5.0)
    g[0] = 100.0 - (x[0] - 5.0) * (x[0] - 5.0) - down
    g[1] = (x[0] - 6.0) * (x[0] - 6.0) + down - 82.81
    return (x[0] - 10.0) ** 3 + (x[1] - 20.0) ** 3


@kernel(OBJECTIVE)
def g07(x, data, work, g, h):
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    x6, x7, x8, x9, x10 = x[5], x[6], x[7], x[8], x[9]
    g[0] = -105.0 + 4.0 * x1 + 5.0 * x2 - 3.0 * x7 + 9.0 * x8
    g[1] = 10.0 * x1 - 8.0 * x2 - 17.0 * x7 + 2.0 * x8
    g[2] = -8.0 * x1 + 2.0 * x2 + 5.0 * x9 - 2.0 * x10 - 12.0
    g[3] = 3.0 * (x1 - 2.0) ** 2 + 4.0 * (x2 - 3.0) ** 2 + 2.0 * x3 * x3 - 7.0 * x4 - 120.0
    g[4] = 5.0 * x1 * x1 + 8.0 * x2 + (x3 - 6.0) ** 2 - 2.0 * x4 - 40.0
    g[5] = x1 * x1 + 2.0 * (x2 - 2.0) ** 2 - 2.0 * x1 * x2 + 14.0 * x5 - 6.0 * x6
    g[6] = 0.5 * (x1 - 8.0) ** 2 + 2.0 * (x2 - 4.0) ** 2 + 3.0 * x5 * x5 - x6 - 30.0
    g[7] = -3.0 * x1 + 6.0 * x2 + 12.0 * (x9 - 8.0) ** 2 - 7.0 * x10
    f = x1 * x1 + x2 * x2 + x1 * x2 - 14.0 * x1 - 16.0 * x2 + (x3 - 10.0) ** 2
    f += 4.0 * (x4 - 5.0) ** 2 + (x5 - 3.0) ** 2 + 2.0 * (x6 - 1.0) ** 2 + 5.0 * x7 * x7
    f += 7.0 * (x8 - 11.0) ** 2 + 2.0 * (x9 - 10.0) ** 2 + (x10 - 7.0) ** 2 + 45.0
    return f


@kernel(OBJECTIVE)
def g08(x, data, work, g, h):
    g[0] = x[0] * x[0] - x[1] + 1.0
    g[1] = 1.0 - x[0] + (x[1] - 4.0) * (x[1] - 4.0)
    sine = np.sin(2.0 * np.pi * x[0])
    below = x[0] * x[0] * x[0] * (x[0] + x[1])
    return -(sine * sine * sine) * np.sin(2.0 * np.pi * x[1]) / below


@kernel(OBJECTIVE)
def g09(x, data, work, g, h):
    x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    s1, s2, s3, s5, s6, s7 = x1 * x1, x2 * x2, x3 * x3, x5 * x5, x6 * x6, x7 * x7
    g[0] = -127.0 + 2.0 * s1 + 3.0 * s2 * s2 + x3 + 4.0 * x4 * x4 + 5.0 * x5
    g[1] = -282.0 + 7.0 * x1 + 3.0 * x2 + 10.0 * s3 + x4 - x5
    g[2] = -196.0 + 23.0 * x1 + s2 + 6.0 * s6 - 8.0 * x7
    g[3] = 4.0 * s1 + s2 - 3.0 * x1 * x2 + 2.0 * s3 + 5.0 * x6 - 11.0 * x7
    f = (x1 - 10.0) ** 2 + 5.0 * (x2 - 12.0) ** 2 + s3 * s3 + 3.0 * (x4 - 11.0) ** 2
    f += 10.0 * s5 * s5 * s5 + 7.0 * s6 + s7 * s7 - 4.0 * x6 * x7 - 10.0 * x6 - 8.0 * x7
    return f


@kernel(OBJECTIVE)
def g10(x, data, work, g, h):
    g[0] = -1.0 + 0.0025 * (x[3] + x[5])
    g[1] = -1.0 + 0.0025 * (x[4] + x[6] - x[3])
    g[2] = -1.0 + 0.01 * (x[7] - x[4])
    g[3] = -x[0] * x[5] + 833.33252 * x[3] + 100.0 * x[0] - 83333.333
    g[4] = -x[1] * x[6] + 1250.0 * x[4] + x[1] * x[3] - 1250.0 * x[3]
    g[5] = -x[2] * x[7] + 1250000.0 + x[2] * x[4] - 2500.0 * x[4]
    return x[0] + x[1] + x[2]


@kernel(OBJECTIVE)
def g11(x, data, work, g, h):
    h[0] = x[1] - x[0] * x[0]
    return x[0] * x[0] + (x[1] - 1.0) * (x[1] - 1.0)


@kernel(OBJECTIVE)
def g12(x, data, work, g, h):
    # The feasible set is 9 x 9 x 9 balls around the points of {1..9}^3: the constraint is that of
    # the nearest centre, and the nearest centre is found coordinate by coordinate.
    distance = 0.0
    outside = 0.0
    for j in range(3):
        centre = np.floor(x[j] + 0.5)
        if centre < 1.0:
            centre = 1.0
        elif centre > 9.0:
            centre = 9.0
        distance += (x[j] - centre) * (x[j] - centre)
        outside += (x[j] - 5.0) * (x[j] - 5.0)
    g[0] = distance - 0.0625
    return -(100.0 - outside) / 100.0
