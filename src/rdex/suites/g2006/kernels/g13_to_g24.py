"""G13 to G24 of [CEC2006]: f = gNN(x, data, work, g, h), writing g <= 0 and h = 0.

[CEC2006] as in `g01_to_g12`. Constraints stand in the report's order; the long tables of G14,
G19 and G20 come in `data`, laid out as `rdex.suites.g2006.table` says.
"""

import numpy as np

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE


@kernel(OBJECTIVE)
def g13(x, data, work, g, h):
    squares = 0.0
    product = 1.0
    for j in range(5):
        squares += x[j] * x[j]
        product *= x[j]
    h[0] = squares - 10.0
    h[1] = x[1] * x[2] - 5.0 * x[3] * x[4]
    h[2] = x[0] * x[0] * x[0] + x[1] * x[1] * x[1] + 1.0
    return np.exp(product)


@kernel(OBJECTIVE)
def g14(x, data, work, g, h):
    # data: c (10,)
    total = 0.0
    for j in range(10):
        total += x[j]
    f = 0.0
    for j in range(10):
        if x[j] != 0.0:  # x ln x -> 0: the box is closed at 0, where the logarithm is not
            f += x[j] * (data[j] + np.log(x[j] / total))
    h[0] = x[0] + 2.0 * x[1] + 2.0 * x[2] + x[5] + x[9] - 2.0
    h[1] = x[3] + 2.0 * x[4] + x[5] + x[6] - 1.0
    h[2] = x[2] + x[6] + x[7] + 2.0 * x[8] + x[9] - 1.0
    return f


@kernel(OBJECTIVE)
def g15(x, data, work, g, h):
    s1, s2, s3 = x[0] * x[0], x[1] * x[1], x[2] * x[2]
    h[0] = s1 + s2 + s3 - 25.0
    h[1] = 8.0 * x[0] + 14.0 * x[1] + 7.0 * x[2] - 56.0
    return 1000.0 - s1 - 2.0 * s2 - s3 - x[0] * x[1] - x[0] * x[2]


@kernel()
def within(value, low, high, g, k):
    """g[k], g[k + 1] <= 0 where low <= value <= high."""
    g[k] = low - value
    g[k + 1] = value - high


@kernel(OBJECTIVE)
def g16(x, data, work, g, h):
    # The names y1..y17 and c1..c17 are the report's.
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    y1 = x2 + x3 + 41.6
    c1 = 0.024 * x4 - 4.62
    y2 = 12.5 / c1 + 12.0
    c2 = 0.0003535 * x1 * x1 + 0.5311 * x1 + 0.08705 * y2 * x1
    c3 = 0.052 * x1 + 78.0 + 0.002377 * y2 * x1
    y3 = c2 / c3
    y4 = 19.0 * y3
    rest = x1 - y3
    c4 = 0.04782 * rest + 0.1956 * rest * rest / x2 + 0.6376 * y4 + 1.594 * y3
    c5 = 100.0 * x2
    c6 = rest - y4
    c7 = 0.950 - c4 / c5
    y5 = c6 * c7
    y6 = x1 - y5 - y4 - y3
    c8 = (y5 + y4) * 0.995
    y7 = c8 / y1
    y8 = c8 / 3798.0
    c9 = y7 - 0.0663 * y7 / y8 - 0.3153
    y9 = 96.82 / c9 + 0.321 * y1
    y10 = 1.29 * y5 + 1.258 * y4 + 2.29 * y3 + 1.71 * y6
    y11 = 1.71 * x1 - 0.452 * y4 + 0.580 * y3
    c10 = 12.3 / 752.3
    c11 = 1.75 * y2 * 0.995 * x1
    c12 = 0.995 * y10 + 1998.0
    y12 = c10 * x1 + c11 / c12
    y13 = c12 - 1.75 * y2
    c17 = y9 + x5
    y14 = 3623.0 + 64.4 * x2 + 58.4 * x3 + 146312.0 / c17
    c13 = 0.995 * y10 + 60.8 * x2 + 48.0 * x4 - 0.1121 * y14 - 5095.0
    y15 = y13 / c13
    y16 = 148000.0 - 331000.0 * y15 + 40.0 * y13 - 61.0 * y15 * y13
    c14 = 2324.0 * y10 - 28740000.0 * y2
    y17 = 14130000.0 - 1328.0 * y10 - 531.0 * y11 + c14 / c12
    c15 = y13 / y15 - y13 / 0.52
    c16 = 1.104 - 0.72 * y15

    g[0] = 0.28 / 0.72 * y5 - y4
    g[1] = x3 - 1.5 * x2
    g[2] = 3496.0 * y2 / c12 - 21.0
    g[3] = 110.6 + y1 - 62212.0 / c17
    within(y1, 213.1, 405.23, g, 4)
    within(y2, 17.505, 1053.6667, g, 6)
    within(y3, 11.275, 35.03, g, 8)
    within(y4, 214.228, 665.585, g, 10)
    within(y5, 7.458, 584.463, g, 12)
    within(y6, 0.961, 265.916, g, 14)
    within(y7, 1.612, 7.046, g, 16)
    within(y8, 0.146, 0.222, g, 18)
    within(y9, 107.99, 273.366, g, 20)
    within(y10, 922.693, 1286.105, g, 22)
    within(y11, 926.832, 1444.046, g, 24)
    within(y12, 18.766, 537.141, g, 26)
    within(y13, 1072.163, 3247.039, g, 28)
    within(y14, 8961.448, 26844.086, g, 30)
    within(y15, 0.063, 0.386, g, 32)
    within(y16, 71084.33, 140000.0, g, 34)
    within(y17, 2802713.0, 12146108.0, g, 36)
    f = 0.000117 * y14 + 0.1365 + 0.00002358 * y13 + 0.000001502 * y16 + 0.0321 * y12
    return f + 0.004324 * y5 + 0.0001 * c15 / c16 + 37.48 * y2 / c12 - 0.0000005843 * y17


@kernel(OBJECTIVE)
def g17(x, data, work, g, h):
    flow = x[2] * x[3] / 131.078
    third = 0.90798 * x[2] * x[2] / 131.078
    fourth = 0.90798 * x[3] * x[3] / 131.078
    cos, sin = np.cos(1.47588), np.sin(1.47588)
    h[0] = -x[0] + 300.0 - flow * np.cos(1.48477 - x[5]) + third * cos
    h[1] = -x[1] - flow * np.cos(1.48477 + x[5]) + fourth * cos
    h[2] = -x[4] - flow * np.sin(1.48477 + x[5]) + fourth * sin
    h[3] = 200.0 - flow * np.sin(1.48477 - x[5]) + third * sin
    if x[0] < 300.0:
        f = 30.0 * x[0]
    else:
        f = 31.0 * x[0]
    if x[1] < 100.0:
        return f + 28.0 * x[1]
    if x[1] < 200.0:
        return f + 29.0 * x[1]
    return f + 30.0 * x[1]


@kernel(OBJECTIVE)
def g18(x, data, work, g, h):
    x1, x2, x3, x4, x5 = x[0], x[1], x[2], x[3], x[4]
    x6, x7, x8, x9 = x[5], x[6], x[7], x[8]
    first = x1 * x4 - x2 * x3
    second = x3 * x9
    third = x5 * x9
    last = x5 * x8 - x6 * x7
    g[0] = x3 * x3 + x4 * x4 - 1.0
    g[1] = x9 * x9 - 1.0
    g[2] = x5 * x5 + x6 * x6 - 1.0
    g[3] = x1 * x1 + (x2 - x9) ** 2 - 1.0
    g[4] = (x1 - x5) ** 2 + (x2 - x6) ** 2 - 1.0
    g[5] = (x1 - x7) ** 2 + (x2 - x8) ** 2 - 1.0
    g[6] = (x3 - x5) ** 2 + (x4 - x6) ** 2 - 1.0
    g[7] = (x3 - x7) ** 2 + (x4 - x8) ** 2 - 1.0
    g[8] = x7 * x7 + (x8 - x9) ** 2 - 1.0
    g[9] = -first
    g[10] = -second
    g[11] = third
    g[12] = -last
    return -0.5 * (first + second - third + last)


@kernel(OBJECTIVE)
def g19(x, data, work, g, h):
    # data: a (10, 5), b (10,), c (5, 5), d (5,), e (5,)
    a, b, c, d, e = 0, 50, 60, 85, 90
    f = 0.0
    for i in range(10):
        f -= data[b + i] * x[i]
    for j in range(5):
        y = x[10 + j]
        row = 0.0
        for i in range(5):
            row += data[c + 5 * i + j] * x[10 + i]
        f += row * y + 2.0 * data[d + j] * y * y * y
        total = 0.0
        for i in range(10):
            total += data[a + 5 * i + j] * x[i]
        g[j] = total - 2.0 * row - 3.0 * data[d + j] * y * y - data[e + j]
    return f


@kernel(OBJECTIVE)
def g20(x, data, work, g, h):
    # data: a (12,), b (12,), c (12,), d (12,), e (6,); a and b serve both halves of x
    a, b, c, d, e = 0, 12, 24, 36, 48
    k = 0.7302 * 530.0 * 14.7 / 40.0
    f = 0.0
    total = 0.0
    first = 0.0
    second = 0.0
    volume = 0.0
    for i in range(12):
        f += data[a + i] * (x[i] + x[12 + i])
        total += x[i] + x[12 + i]
        first += x[i] / data[b + i]
        second += x[12 + i] / data[b + i]
        volume += x[i] / data[d + i]
    for i in range(3):
        g[i] = (x[i] + x[i + 12]) / (total + data[e + i])
        g[i + 3] = (x[i + 6] + x[i + 18]) / (total + data[e + i + 3])
    for i in range(12):
        left = x[i + 12] / (data[b + i] * second)
        h[i] = left - data[c + i] * x[i] / (40.0 * data[b + i] * first)
    h[12] = total - 1.0
    h[13] = volume + k * second - 1.671
    return f


@kernel(OBJECTIVE)
def g21(x, data, work, g, h):
    x1, x2, x3, x4, x5, x6, x7 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    g[0] = -x1 + 35.0 * x2**0.6 + 35.0 * x3**0.6
    h[0] = -300.0 * x3 + 7500.0 * (x5 - x6) - 25.0 * x4 * (x5 - x6) + x3 * x4
    h[1] = 100.0 * x2 + 155.365 * x4 + 2500.0 * x7 - x2 * x4 - 25.0 * x4 * x7 - 15536.5
    h[2] = -x5 + np.log(900.0 - x4)
    h[3] = -x6 + np.log(x4 + 300.0)
    h[4] = -x7 + np.log(700.0 - 2.0 * x4)
    return x1


@kernel(OBJECTIVE)
def g22(x, data, work, g, h):
    x8, x9, x10, x11, x12 = x[7], x[8], x[9], x[10], x[11]
    g[0] = -x[0] + x[1] ** 0.6 + x[2] ** 0.6 + x[3] ** 0.6
    h[0] = x[4] - 100000.0 * x8 + 1e7
    h[1] = x[5] + 100000.0 * x8 - 100000.0 * x9
    h[2] = x[6] + 100000.0 * x9 - 5e7
    h[3] = x[4] + 100000.0 * x10 - 3.3e7
    h[4] = x[5] + 100000.0 * x11 - 4.4e7
    h[5] = x[6] + 100000.0 * x12 - 6.6e7
    h[6] = x[4] - 120.0 * x[1] * x[12]
    h[7] = x[5] - 80.0 * x[2] * x[13]
    h[8] = x[6] - 40.0 * x[3] * x[14]
    h[9] = x8 - x11 + x[15]
    h[10] = x9 - x12 + x[16]
    h[11] = -x[17] + np.log(x10 - 100.0)
    h[12] = -x[18] + np.log(300.0 - x8)
    h[13] = -x[19] + np.log(x[15])
    h[14] = -x[20] + np.log(400.0 - x9)
    h[15] = -x[21] + np.log(x[16])
    h[16] = -x8 - x10 + x[12] * (x[17] - x[18]) + 400.0
    h[17] = x8 - x9 - x11 + x[13] * (x[19] - x[20]) + 400.0
    h[18] = x9 - x12 - 4.60517 * x[14] + x[14] * x[21] + 100.0
    return x[0]


@kernel(OBJECTIVE)
def g23(x, data, work, g, h):
    g[0] = x[8] * x[2] + 0.02 * x[5] - 0.025 * x[4]
    g[1] = x[8] * x[3] + 0.02 * x[6] - 0.015 * x[7]
    h[0] = x[0] + x[1] - x[2] - x[3]
    h[1] = 0.03 * x[0] + 0.01 * x[1] - x[8] * (x[2] + x[3])
    h[2] = x[2] + x[5] - x[4]
    h[3] = x[3] + x[6] - x[7]
    return -9.0 * x[4] - 15.0 * x[7] + 6.0 * x[0] + 16.0 * x[1] + 10.0 * (x[5] + x[6])


@kernel(OBJECTIVE)
def g24(x, data, work, g, h):
    x1 = x[0]
    square = x1 * x1
    g[0] = square * (-2.0 * square + 8.0 * x1 - 8.0) + x[1] - 2.0
    g[1] = x1 * (x1 * (x1 * (-4.0 * x1 + 32.0) - 88.0) + 96.0) + x[1] - 36.0
    return -x1 - x[1]
