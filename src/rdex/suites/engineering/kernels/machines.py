"""Springs, gears, bearings, brakes, levers: f = name(x, data, work, g, h), writing g <= 0.

Sources, units and names stand beside each problem in `rdex.suites.engineering.machines`.
"""

import numpy as np

from rdex.jit.compiling import kernel
from rdex.jit.signatures import OBJECTIVE


@kernel(OBJECTIVE)
def tension_spring(x, data, work, g, h):
    wire, coil, turns = x[0], x[1], x[2]
    square = wire * wire
    fourth = square * square
    g[0] = 1.0 - coil**3 * turns / (71785.0 * fourth)
    shear = (4.0 * coil * coil - wire * coil) / (12566.0 * (coil * square * wire - fourth))
    g[1] = shear + 1.0 / (5108.0 * square) - 1.0
    g[2] = 1.0 - 140.45 * wire / (coil * coil * turns)
    g[3] = (wire + coil) / 1.5 - 1.0
    return (turns + 2.0) * coil * square


@kernel(OBJECTIVE)
def speed_reducer(x, data, work, g, h):
    face, module, teeth, span1, span2, shaft1, shaft2 = x[0], x[1], x[2], x[3], x[4], x[5], x[6]
    pitch = module * teeth
    area = face * module * module
    square1, square2 = shaft1 * shaft1, shaft2 * shaft2
    cube1, cube2 = square1 * shaft1, square2 * shaft2
    g[0] = 27.0 / (area * teeth) - 1.0
    g[1] = 397.5 / (area * teeth * teeth) - 1.0
    g[2] = 1.93 * span1**3 / (pitch * square1 * square1) - 1.0
    g[3] = 1.93 * span2**3 / (pitch * square2 * square2) - 1.0
    g[4] = np.sqrt((745.0 * span1 / pitch) ** 2 + 16.9e6) / (110.0 * cube1) - 1.0
    g[5] = np.sqrt((745.0 * span2 / pitch) ** 2 + 157.5e6) / (85.0 * cube2) - 1.0
    g[6] = pitch / 40.0 - 1.0
    g[7] = 5.0 * module / face - 1.0
    g[8] = face / (12.0 * module) - 1.0
    g[9] = (1.5 * shaft1 + 1.9) / span1 - 1.0
    g[10] = (1.1 * shaft2 + 1.9) / span2 - 1.0
    f = 0.7854 * area * (3.3333 * teeth * teeth + 14.9334 * teeth - 43.0934)
    f -= 1.508 * face * (square1 + square2)
    return f + 7.4777 * (cube1 + cube2) + 0.7854 * (span1 * square1 + span2 * square2)


@kernel(OBJECTIVE)
def gear_train(x, data, work, g, h):
    error = 1.0 / 6.931 - x[0] * x[1] / (x[2] * x[3])
    return error * error


@kernel(OBJECTIVE)
def rolling_bearing(x, data, work, g, h):
    pitch, ball, count, inner, outer = x[0], x[1], x[2], x[3], x[4]
    k_min, k_max, reach, mobility, breadth = x[5], x[6], x[7], x[8], x[9]
    outside, bore, width = 160.0, 90.0, 30.0
    ratio = ball / pitch
    grooves = inner * (2.0 * outer - 1.0) / (outer * (2.0 * inner - 1.0))
    share = 1.04 * ((1.0 - ratio) / (1.0 + ratio)) ** 1.72 * grooves**0.41
    factor = 37.91 * (1.0 + share ** (10.0 / 3.0)) ** -0.3
    factor *= ratio**0.3 * (1.0 - ratio) ** 1.39 / (1.0 + ratio) ** (1.0 / 3.0)
    factor *= (2.0 * inner / (2.0 * inner - 1.0)) ** 0.41
    rest = outside - bore - 2.0 * ball
    a = 0.5 * (outside - bore) - 0.75 * rest
    b = 0.5 * outside - 0.25 * rest - ball
    c = 0.5 * bore + 0.25 * rest
    # Where the triangle of a, b, c does not close, the nearest angle keeps the values finite.
    cos = min(max((a * a + b * b - c * c) / (2.0 * a * b), -1.0), 1.0)
    filling = 2.0 * np.pi - 2.0 * np.arccos(cos)
    g[0] = count - 1.0 - filling / (2.0 * np.arcsin(ratio))
    g[1] = k_min * (outside - bore) - 2.0 * ball
    g[2] = 2.0 * ball - k_max * (outside - bore)
    g[3] = ball - breadth * width
    g[4] = 0.5 * (outside + bore) - pitch
    g[5] = pitch - (0.5 + mobility) * (outside + bore)
    g[6] = reach * ball - 0.5 * (outside - pitch - ball)
    if ball <= 25.4:
        return -factor * count ** (2.0 / 3.0) * ball**1.8
    return -3.647 * factor * count ** (2.0 / 3.0) * ball**1.4


@kernel(OBJECTIVE)
def disk_clutch_brake(x, data, work, g, h):
    inner, outer, surfaces = x[0], x[1], x[4]
    thickness = 0.5 * x[2]
    force = 10.0 * x[3]
    ring = outer * outer - inner * inner
    mean = (outer**3 - inner**3) / ring
    torque = 2.0 / 3.0 * 0.5 * force * surfaces * mean / 1000.0
    pressure = force / (np.pi * ring)
    speed = 2.0 * np.pi * 250.0 * mean / 90.0 / 1000.0
    time = 55.0 * np.pi * 250.0 / (30.0 * (torque + 3.0))
    g[0] = 20.0 - (outer - inner)
    g[1] = (surfaces + 1.0) * (thickness + 0.5) - 30.0
    g[2] = pressure - 1.0
    g[3] = pressure * speed - 10.0
    g[4] = speed - 10.0
    g[5] = time - 15.0
    g[6] = 1.5 * 40.0 - torque
    return np.pi * ring * thickness * (surfaces + 1.0) * 0.0000078


@kernel(OBJECTIVE)
def thrust_bearing(x, data, work, g, h):
    radius, recess, viscosity, flow = x[0], x[1], 1e-6 * x[2], x[3]
    inside = np.log10(np.log10(8.122e6 * viscosity + 0.8))
    rise = 2.0 * (10.0 ** ((inside - 10.04) / -3.55) - 560.0)
    friction = 9336.0 * flow * 0.0307 * 0.5 * rise
    film = (2.0 * np.pi * 750.0 / 60.0) ** 2 * (2.0 * np.pi * viscosity / friction)
    film *= 0.25 * (radius**4 - recess**4)
    ratio = np.log(radius / recess)
    ring = radius * radius - recess * recess
    pressure = 6.0 * viscosity * flow / (np.pi * film**3) * ratio
    load = 0.5 * np.pi * pressure * ring / ratio
    g[0] = 101000.0 - load
    g[1] = pressure - 1000.0
    g[2] = rise - 50.0
    g[3] = 0.001 - film
    g[4] = recess - radius
    g[5] = 0.0307 / (386.4 * pressure) * flow / (2.0 * np.pi * radius * film) - 0.001
    g[6] = load / (np.pi * ring) - 5000.0
    return (flow * pressure / 0.7 + friction) / 12.0


@kernel(OBJECTIVE)
def piston_lever(x, data, work, g, h):
    rise, base, arm, bore = x[0], x[1], x[2], x[3]
    load, length, pressure, limit = 10000.0, 240.0, 1500.0, 1.8e6
    half = np.sqrt(0.5)  # sine and cosine of 45 degrees
    up = arm * half + rise
    across = base - arm * half
    start = np.sqrt((arm - base) ** 2 + rise * rise)
    end = np.sqrt(up * up + across * across)
    lever = abs(rise * across - arm * up) / start
    section = 0.25 * np.pi * bore * bore
    stroke = end - start
    g[0] = load * length * half - lever * pressure * section
    g[1] = load * (length - arm) - limit
    g[2] = 1.2 * stroke - start
    g[3] = 0.5 * bore - base
    return section * stroke
