"""Beams, columns, trusses and vessels: f = name(x, data, work, g, h), writing g <= 0.

Sources, units and names stand beside each problem in `rdex.suites.engineering.structures`.
"""

import numpy as np

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE


@kernel(OBJECTIVE)
def welded_beam(x, data, work, g, h):
    weld, length, depth, width = x[0], x[1], x[2], x[3]
    load, arm, young, shear = 6000.0, 14.0, 30e6, 12e6
    half = 0.5 * (weld + depth)
    lever = np.sqrt(0.25 * length * length + half * half)
    throat = np.sqrt(2.0) * weld * length
    polar = 2.0 * throat * (length * length / 12.0 + half * half)
    direct = load / throat
    torsion = load * (arm + 0.5 * length) * lever / polar
    stress = direct * direct + direct * torsion * length / lever + torsion * torsion
    buckling = 4.013 * young * depth * width**3 / (6.0 * arm * arm)
    buckling *= 1.0 - depth / (2.0 * arm) * np.sqrt(young / (4.0 * shear))
    bar = 0.04811 * depth * width * (14.0 + length)
    g[0] = np.sqrt(stress) - 13600.0
    g[1] = 6.0 * load * arm / (width * depth * depth) - 30000.0
    g[2] = weld - width
    g[3] = 0.10471 * weld * weld + bar - 5.0
    g[4] = 0.125 - weld
    g[5] = 4.0 * load * arm**3 / (young * depth**3 * width) - 0.25
    g[6] = load - buckling
    return 1.10471 * weld * weld * length + bar


@kernel(OBJECTIVE)
def pressure_vessel(x, data, work, g, h):
    shell, head, radius, length = 0.0625 * x[0], 0.0625 * x[1], x[2], x[3]
    square = radius * radius
    g[0] = 0.0193 * radius - shell
    g[1] = 0.00954 * radius - head
    g[2] = 1296000.0 - np.pi * square * length - 4.0 / 3.0 * np.pi * square * radius
    g[3] = length - 240.0
    f = 0.6224 * shell * radius * length + 1.7781 * head * square
    return f + 3.1661 * shell * shell * length + 19.84 * shell * shell * radius


@kernel(OBJECTIVE)
def three_bar_truss(x, data, work, g, h):
    outer, inner = x[0], x[1]
    load, limit, length = 2.0, 2.0, 100.0
    root = np.sqrt(2.0)
    below = root * outer * outer + 2.0 * outer * inner
    g[0] = load * (root * outer + inner) / below - limit
    g[1] = load * inner / below - limit
    g[2] = load / (root * inner + outer) - limit
    return length * (2.0 * root * outer + inner)


@kernel(OBJECTIVE)
def cantilever_beam(x, data, work, g, h):
    # data: the compliance of each step, root first
    total = 0.0
    bending = 0.0
    for j in range(5):
        total += x[j]
        bending += data[j] / (x[j] * x[j] * x[j])
    g[0] = bending - 1.0
    return 0.0624 * total


@kernel(OBJECTIVE)
def stepped_cantilever(x, data, work, g, h):
    # data: compliance of each step (5,), widths on offer (4,), heights on offer (4,), root first.
    # x: width and height of each step; of steps 2 and 3 the places in the lists on offer.
    load, step, young = 50000.0, 100.0, 2e7
    volume = 0.0
    bending = 0.0
    for i in range(5):
        width, height = x[2 * i], x[2 * i + 1]
        if i == 1 or i == 2:
            width = interpolate(data, 5, width)
            height = interpolate(data, 9, height)
        area = width * height
        volume += area
        bending += 12.0 * data[i] / (area * height * height)
        g[i] = 6.0 * load * (5 - i) * step / (area * height) - 14000.0
        g[6 + i] = height / width - 20.0
    g[5] = load * step**3 / (3.0 * young) * bending - 2.7
    return step * volume


@kernel()
def interpolate(data, start, place):
    """The value at `place` (1 to 4) of the list that begins at `start`, linear in between."""
    if not place >= 1.0:
        return data[start] + (place - 1.0)
    if place >= 4.0:
        return data[start + 3] + (place - 4.0)
    k = int(place)
    low = data[start + k - 1]
    return low + (place - k) * (data[start + k] - low)


@kernel(OBJECTIVE)
def i_beam(x, data, work, g, h):
    height, width, web, flange = x[0], x[1], x[2], x[3]
    clear = height - 2.0 * flange
    cube = web * clear * clear * clear
    inertia = cube / 12.0 + width * flange**3 / 6.0
    inertia += 0.5 * width * flange * (height - flange) ** 2
    upright = cube + 2.0 * width * flange * (4.0 * flange * flange + 3.0 * height * clear)
    sideways = clear * web**3 + 2.0 * flange * width**3
    g[0] = 2.0 * width * flange + web * clear - 300.0
    g[1] = 180000.0 * height / upright + 15000.0 * width / sideways - 6.0
    return 5000.0 / inertia


@kernel(OBJECTIVE)
def tubular_column(x, data, work, g, h):
    diameter, wall = x[0], x[1]
    load, limit, young, length = 2500.0, 500.0, 0.85e6, 250.0
    section = np.pi * diameter * wall
    g[0] = load / (section * limit) - 1.0
    above = 8.0 * load * length * length
    g[1] = above / (np.pi**2 * young * section * (diameter * diameter + wall * wall)) - 1.0
    return 9.8 * diameter * wall + 2.0 * diameter


@kernel(OBJECTIVE)
def ten_bar_truss(x, data, work, g, h):
    # data: for each bar its two nodes, the cosines of its direction and its length (10, 5).
    # Nodes 0 to 3 are free, 4 and 5 are held; node k moves by u[2 k], u[2 k + 1].
    # work: stiffness (8, 8), then its Cholesky factor in the lower half; displacements u (8,).
    young, density, stress_limit, move_limit = 1e4, 0.1, 25.0, 2.0
    u = 64
    weight = 0.0
    for i in range(64):
        work[i] = 0.0
    for i in range(10):
        first, second = int(data[5 * i]), int(data[5 * i + 1])
        cos, sin, length = data[5 * i + 2], data[5 * i + 3], data[5 * i + 4]
        weight += density * x[i] * length
        stiffness = young * x[i] / length
        add_bar(work, first, first, stiffness, cos, sin)
        add_bar(work, second, second, stiffness, cos, sin)
        add_bar(work, first, second, -stiffness, cos, sin)
        add_bar(work, second, first, -stiffness, cos, sin)
    for j in range(8):
        work[u + j] = 0.0
    work[u + 3] = -100.0
    work[u + 7] = -100.0
    solve_positive(work, u, 8)
    for i in range(10):
        first, second = int(data[5 * i]), int(data[5 * i + 1])
        cos, sin, length = data[5 * i + 2], data[5 * i + 3], data[5 * i + 4]
        stretch = 0.0
        if first < 4:
            stretch -= cos * work[u + 2 * first] + sin * work[u + 2 * first + 1]
        if second < 4:
            stretch += cos * work[u + 2 * second] + sin * work[u + 2 * second + 1]
        g[i] = abs(young * stretch / length) / stress_limit - 1.0
    for j in range(8):
        g[10 + j] = abs(work[u + j]) / move_limit - 1.0
    return weight


@kernel()
def add_bar(work, row, column, stiffness, cos, sin):
    """Add one 2 by 2 block of a bar to the (8, 8) stiffness; held nodes have no rows."""
    if row < 4 and column < 4:
        start = 16 * row + 2 * column
        work[start] += stiffness * cos * cos
        work[start + 1] += stiffness * cos * sin
        work[start + 8] += stiffness * cos * sin
        work[start + 9] += stiffness * sin * sin


@kernel()
def solve_positive(work, u, n):
    """Solve A u = b by Cholesky: A (n, n) starts at work[0], b at work[u]; both are overwritten."""
    for i in range(n):
        for j in range(i + 1):
            total = work[n * i + j]
            for k in range(j):
                total -= work[n * i + k] * work[n * j + k]
            if i == j:
                work[n * i + i] = np.sqrt(total)
            else:
                work[n * i + j] = total / work[n * j + j]
    for i in range(n):
        total = work[u + i]
        for k in range(i):
            total -= work[n * i + k] * work[u + k]
        work[u + i] = total / work[n * i + i]
    for i in range(n - 1, -1, -1):
        total = work[u + i]
        for k in range(i + 1, n):
            total -= work[n * k + i] * work[u + k]
        work[u + i] = total / work[n * i + i]
