"""Random problems: networks with many equalities, mixed units, integers and crashes, and designs.

Every network is drawn from a seed around a point that is feasible by construction. Designs are
feasible by experience: inverters, wind farms, feeds, grippers, gears, trusses, curves fitted to
data, pools, light structures.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rdex.problem import Problem

#: Family -> sizes of its problems.
NETWORKS = {
    "flow": (6, 9, 14, 20, 30),
    "grid": (3, 5, 9),
    "reactors": (2, 3, 4, 6),
    "powers": (3, 5, 8),
    "choices": (3, 5, 8),
    "units": (6, 12, 20),
    "crashes": (4, 8, 14),
}
LARGE = {"large": (20, 40, 80)}
DESIGNS = {
    "harmonics": (6, 12, 25),
    "layout": (4, 8, 15),
    "ration": (10, 25, 55),
    "gripper": (1, 2, 3),
    "gears": (2, 3, 4),
    "truss": (2, 3, 4),
    "fitting": (4, 9, 16),
    "pooling": (1, 2, 4),
    "topology": (6, 15, 30),
}
SIZES = {**NETWORKS, **LARGE, **DESIGNS}


def flow(size: int, rng: np.random.Generator) -> Problem:
    """Streams between units: linear balances, bilinear mixing of qualities, linear cost."""
    n_flows, n_quality = size, max(2, size // 3)
    d = n_flows + n_quality
    unit = 10.0 ** rng.integers(0, 4)
    at = np.concatenate([rng.uniform(0.1, 0.9, n_flows) * unit, rng.uniform(0.5, 4.0, n_quality)])
    upper = np.concatenate([np.full(n_flows, unit), np.full(n_quality, 5.0)])
    n_linear, n_mixing = max(1, n_flows // 3), n_quality
    balances = np.zeros((n_linear, n_flows))
    for row in balances:
        chosen = rng.choice(n_flows, size=min(n_flows, int(rng.integers(3, 6))), replace=False)
        row[chosen] = rng.choice([-1.0, 1.0], chosen.size)
    right = balances @ at[:n_flows]
    pairs = [rng.choice(n_flows, 3, replace=False) for _ in range(n_mixing)]
    others = [rng.choice(n_quality, 2, replace=False) for _ in range(n_mixing)]

    def mixing(x):
        flows, quality = x[:n_flows], x[n_flows:]
        return np.array([
            flows[a] * quality[p] + flows[b] * quality[q] - flows[c] * (quality[p] + quality[q]) / 2
            for (a, b, c), (p, q) in zip(pairs, others, strict=True)
        ])  # fmt: skip

    mixed = mixing(at)
    demand = rng.uniform(-1, 1, (3, d)) / np.maximum(upper, 1e-9)
    limit = demand @ at + rng.uniform(0.0, 0.1, 3)
    cost = rng.uniform(-1, 2, d) / upper * 100.0

    def fun(x):
        return float(cost @ x)

    def equalities(x):
        return np.concatenate([balances @ x[:n_flows] - right, mixing(x) - mixed])

    def inequalities(x):
        return demand @ x - limit

    return problem(fun, np.zeros(d), upper, inequalities, equalities)


def grid(size: int, rng: np.random.Generator) -> Problem:
    """Power flow: voltages and angles of buses, powers of generators, balances at every bus."""
    n, n_gen = size, max(2, size // 3)
    g, b = np.zeros((n, n)), np.zeros((n, n))
    lines = {(k, k + 1) for k in range(n - 1)} | {
        tuple(sorted(rng.choice(n, 2, replace=False))) for _ in range(n // 2)
    }
    for i, j in lines:
        conductance, susceptance = rng.uniform(0.5, 2), -rng.uniform(4, 12)
        g[i, j] = g[j, i] = -conductance
        b[i, j] = b[j, i] = -susceptance
    np.fill_diagonal(g, -g.sum(axis=1))
    np.fill_diagonal(b, -b.sum(axis=1))
    gens = np.sort(rng.choice(n, n_gen, replace=False))

    def injected(v, angle):
        e = v * np.exp(1j * angle)
        s = e * np.conj((g + 1j * b) @ e)
        return s.real, s.imag

    v0, angle0 = rng.uniform(0.97, 1.05, n), np.append(0.0, rng.uniform(-0.15, 0.15, n - 1))
    p0, q0 = injected(v0, angle0)
    made_p, made_q = rng.uniform(0.5, 1.5, n_gen), rng.uniform(-0.3, 0.6, n_gen)
    load_p, load_q = -p0.copy(), -q0.copy()
    load_p[gens] += made_p
    load_q[gens] += made_q
    price, square = rng.uniform(10, 40, n_gen), rng.uniform(1, 10, n_gen)
    lower = np.concatenate(
        [np.full(n, 0.94), np.full(n - 1, -0.6), np.zeros(n_gen), np.full(n_gen, -1.0)]
    )
    upper = np.concatenate(
        [np.full(n, 1.06), np.full(n - 1, 0.6), np.full(n_gen, 2.0), np.full(n_gen, 1.0)]
    )

    def split(x):
        return x[:n], np.append(0.0, x[n : 2 * n - 1]), x[2 * n - 1 : 2 * n - 1 + n_gen], x[-n_gen:]

    def fun(x):
        p = split(x)[2]
        return float(price @ p + square @ p**2)

    def equalities(x):
        v, angle, p, q = split(x)
        out_p, out_q = injected(v, angle)
        left_p, left_q = -load_p - out_p, -load_q - out_q
        left_p[gens] += p
        left_q[gens] += q
        return np.concatenate([left_p, left_q])

    return problem(fun, lower, upper, None, equalities)


def reactors(size: int, rng: np.random.Generator) -> Problem:
    """A chain of stirred tanks: concentrations, volumes and temperatures in many units."""
    rate, energy = rng.uniform(5, 7, size), rng.uniform(900, 1800, size)
    feed = rng.uniform(0.8, 1.2)
    volume0, kelvin0 = rng.uniform(1, 8, size), rng.uniform(330, 420, size)

    def converted(before, volume, kelvin, k):
        return before / (1.0 + math.exp(rate[k] - energy[k] / kelvin) / 10.0 * volume)

    x0, before = [], feed
    for k in range(size):
        before = converted(before, volume0[k], kelvin0[k], k)
        x0.append(before)
    lower = np.concatenate([np.full(size, 1e-4), np.full(size, 0.01), np.full(size, 300.0)])
    upper = np.concatenate([np.full(size, 1.0), np.full(size, 16.0), np.full(size, 480.0)])
    wanted = x0[-1] * 1.05
    price = rng.uniform(10, 100, size)

    def fun(x):
        volume, kelvin = x[size : 2 * size], x[2 * size :]
        return float(price @ np.sqrt(volume) + ((kelvin - 300.0) ** 1.2).sum() / 10.0)

    def equalities(x):
        c, volume, kelvin = x[:size], x[size : 2 * size], x[2 * size :]
        heads = np.append(feed, c[:-1])
        k = np.exp(rate - energy / kelvin) / 10.0
        return 1e3 * (heads - c * (1.0 + k * volume))

    def inequalities(x):
        return np.array(
            [x[size - 1] - wanted, 1e4 * (x[size : 2 * size].sum() - 2 * volume0.sum())]
        )

    return problem(fun, lower, upper, inequalities, equalities)


def powers(size: int, rng: np.random.Generator) -> Problem:
    """Sums of products of powers over decades, some variables whole: sizes of machine parts."""
    d = size
    decades = rng.uniform(0.5, 2.5, d)
    lower = 10.0 ** rng.uniform(-2, 1, d)
    upper = lower * 10.0**decades
    whole = np.zeros(d, dtype=bool)
    whole[rng.random(d) < 0.25] = True
    lower = np.where(whole, np.ceil(lower), lower)
    upper = np.where(whole, lower + np.floor(rng.uniform(3, 40, d)), upper)
    at = np.where(
        whole, np.round((lower + upper) / 2), np.exp(rng.uniform(np.log(lower), np.log(upper)))
    )
    n_terms, n_ineq = 3, d
    exponents = np.round(
        rng.uniform(-2, 3, (n_ineq + 1, n_terms, d)) * (rng.random((n_ineq + 1, n_terms, d)) < 0.6),
        1,
    )
    exponents[0] = np.abs(exponents[0]) * 0.5
    logs = exponents @ np.log(at)
    weights = rng.uniform(0.2, 1.0, (n_ineq + 1, n_terms))
    signs = np.where(rng.random((n_ineq + 1, n_terms)) < 0.8, 1.0, -1.0)
    signs[0] = 1.0
    scale = 10.0 ** rng.uniform(-3, 5, n_ineq + 1)
    slack = rng.uniform(0.0, 0.5, n_ineq)

    def terms(x):
        return (signs * weights * np.exp(np.clip(exponents @ np.log(x) - logs, -50, 50))).sum(
            axis=1
        )

    right = terms(at)

    def fun(x):
        return float(terms(x)[0] * scale[0])

    def inequalities(x):
        return (terms(x)[1:] - right[1:] - slack) * scale[1:]

    return problem(fun, lower, upper, inequalities, None, whole)


def choices(size: int, rng: np.random.Generator) -> Problem:
    """0/1 choices that switch capacities on: fixed costs, concave costs, balances."""
    n = size
    capacity, fixed, per_unit = rng.uniform(1, 5, n), rng.uniform(1, 6, n), rng.uniform(0.5, 3, n)
    gain = rng.uniform(0.6, 0.95, n)
    on = (rng.random(n) < 0.5).astype(float)
    on[0] = 1.0
    flows = on * capacity * rng.uniform(0.3, 0.9, n)
    made = float((gain * flows).sum())
    lower = np.zeros(2 * n + 1)
    upper = np.concatenate([capacity, [2.0 * made + 1.0], np.ones(n)])
    whole = np.concatenate([np.zeros(n + 1, dtype=bool), np.ones(n, dtype=bool)])

    def fun(x):
        return float(fixed @ x[n + 1 :] + per_unit @ np.sqrt(x[:n] + 0.01) - 2.0 * x[n])

    def equalities(x):
        return np.array([gain @ x[:n] - x[n]])

    def inequalities(x):
        return np.concatenate(
            [x[:n] - capacity * x[n + 1 :], [0.8 * made - x[n]], [x[n + 1 :].sum() - n / 2 - 1]]
        )

    return problem(fun, lower, upper, inequalities, equalities, whole)


def units(size: int, rng: np.random.Generator) -> Problem:
    """A flow network whose equalities are written in very different units."""
    plain = flow(size, rng)
    factor = 10.0 ** rng.uniform(-2, 5, plain.n_eq)

    def point(x, g, h):
        f = plain.point(x, g, h)
        h *= factor
        return f

    return Problem(plain.lower, plain.upper, plain.n_ineq, plain.n_eq, point=point)


def crashes(size: int, rng: np.random.Generator) -> Problem:
    """A power grid or a flow network that has no answer in parts of its box."""
    plain = flow(size, rng) if size % 8 else grid(size // 2, rng)
    width = plain.upper - plain.lower
    normals = rng.standard_normal((3, plain.dim))
    corners = plain.lower + rng.uniform(0.3, 0.7, (3, plain.dim)) * width
    reach = 0.25 * np.sqrt(plain.dim) * rng.uniform(0.3, 0.6, 3)

    def point(x, g, h):
        away = np.einsum("ij,ij->i", normals, (x - corners) / width)
        if (away > reach * np.linalg.norm(normals, axis=1)).any():
            return math.nan
        return plain.point(x, g, h)

    return Problem(plain.lower, plain.upper, plain.n_ineq, plain.n_eq, point=point)


def large(size: int, rng: np.random.Generator) -> Problem:
    """Up to some 160 variables."""
    return flow(size, rng) if rng.random() < 0.5 else grid(size * 5 // 8, rng)


def harmonics(size: int, rng: np.random.Generator) -> Problem:
    """Switching angles of an inverter: least distortion at a voltage, angles in their order."""
    sign = np.where(np.arange(size) % 2 == 0, 1.0, -1.0)
    level = rng.uniform(0.3, 0.9)
    orders = np.array([k for k in range(5, 60, 2) if k % 3])
    weight = 1.0 / orders.astype(float) ** 4

    def fun(x):
        amplitudes = np.cos(np.outer(orders, x)) @ sign
        return float(np.sqrt((weight * amplitudes**2).sum() / weight.sum()))

    def inequalities(x):
        return x[:-1] - x[1:] + 1e-3

    def equalities(x):
        return np.array([np.cos(x) @ sign - level])

    return problem(fun, np.zeros(size), np.full(size, np.pi / 2), inequalities, equalities)


def layout(size: int, rng: np.random.Generator) -> Problem:
    """Places of turbines: most power behind each other's wakes, distances between all of them."""
    angle, share = rng.uniform(0, 2 * np.pi, 4), rng.dirichlet(np.ones(4))
    winds = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    side = 10.0
    apart = 0.75 * side / math.sqrt(size)
    first, second = np.triu_indices(size, 1)

    def fun(x):
        at = x.reshape(size, 2)
        between = at[:, None] - at[None]
        power = 0.0
        for wind, part in zip(winds, share, strict=True):
            along, across = between @ wind, between @ np.array([-wind[1], wind[0]])
            width = 1.0 + 0.2 * np.maximum(along, 0.0)
            shadow = 0.6 / width**2 * np.exp(-((2.0 * across / width) ** 2))
            lost = np.where(along > 0.05, shadow, 0.0)
            speed = np.maximum(1.0 - np.sqrt((lost**2).sum(axis=1)), 0.0)
            power += part * (speed**3).sum()
        return -100.0 * float(power)

    def inequalities(x):
        at = x.reshape(size, 2)
        return apart - np.hypot(*(at[first] - at[second]).T)

    return problem(fun, np.zeros(2 * size), np.full(2 * size, side), inequalities, None)


def ration(size: int, rng: np.random.Generator) -> Problem:
    """A mixture of feeds at least cost: all is linear, contents in many units, shares sum to 1."""
    n_contents = max(4, size // 4)
    content = rng.uniform(0, 1, (n_contents, size)) * 10.0 ** rng.uniform(-1, 3, (n_contents, 1))
    share = rng.dirichlet(np.full(size, 0.3))
    upper = np.minimum(np.maximum(2 * share, 0.05 + rng.uniform(0, 0.3, size)), 1.0)
    least = content @ share * rng.uniform(0.9, 1.0, n_contents)
    most = content @ share * rng.uniform(1.0, 1.1, n_contents)
    cost = rng.uniform(1, 20, size)

    def fun(x):
        return float(cost @ x)

    def inequalities(x):
        return np.concatenate([least - content @ x, content @ x - most])

    def equalities(x):
        return np.array([x.sum() - 1.0])

    return problem(fun, np.zeros(size), upper, inequalities, equalities)


def gripper(size: int, rng: np.random.Generator) -> Problem:
    """Bars of a gripper: least range of its force over the stroke, an objective with edges; no
    answer where the bars do not meet. `size` only numbers it."""
    load, stroke = rng.uniform(50, 150), rng.uniform(40, 70)
    lower = np.array([10.0, 10.0, 100.0, 0.0, 10.0, 100.0, 1.0])
    upper = np.array([150.0, 150.0, 200.0, 50.0, 150.0, 300.0, 3.14])
    z = np.linspace(0.0, stroke, 25)

    def motion(x):
        a, b, c, e, offset, reach, delta = x
        g = np.hypot(reach - z, e)
        phi = np.arctan(e / (reach - z))
        with np.errstate(invalid="ignore"):
            alpha = np.arccos((a**2 + g**2 - b**2) / (2 * a * g)) + phi
            beta = np.arccos((b**2 + g**2 - a**2) / (2 * b * g)) - phi
        force = load * b * np.sin(alpha + beta) / (2 * c * np.cos(alpha))
        return force, 2 * (e + offset + c * np.sin(beta + delta))

    def fun(x):
        force, _ = motion(x)
        return float(abs(force.max() - force.min()))

    def inequalities(x):
        a, b, _, e, _, reach, _ = x
        _, width = motion(x)
        return np.array([
            width[-1] - 50.0, -width[-1], 100.0 - width[0], width[0] - 150.0,
            reach**2 + e**2 - (a + b) ** 2, b**2 - (a - e) ** 2 - (reach - stroke) ** 2,
            stroke - reach,
        ])  # fmt: skip

    return problem(fun, lower, upper, inequalities, None)


def gears(size: int, rng: np.random.Generator) -> Problem:
    """Pairs of gears: numbers of teeth and a module from a list, ratios as wanted."""
    modules = np.array([1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0])
    wanted, room = rng.uniform(1.3, 5.0, size), rng.uniform(180, 300)
    lower = np.append(np.full(2 * size, 14.0), 0.0)
    upper = np.concatenate([np.full(size, 60.0), np.full(size, 120.0), [6.0]])

    def fun(x):
        return float(np.abs(x[size : 2 * size] / x[:size] - wanted).max())

    def inequalities(x):
        module, wheels = modules[int(x[-1])], x[size : 2 * size]
        distance = module * (x[:size] + wheels) / 2
        return np.concatenate([
            distance - room, [abs(distance[0] - distance[1]) - 2.0], 60.0 - distance,
            [module * wheels.sum() - 1.2 * size * room],
        ])  # fmt: skip

    return problem(fun, lower, upper, inequalities, None, np.ones(2 * size + 1, dtype=bool))


def truss(size: int, rng: np.random.Generator) -> Problem:
    """Areas of the bars of a plane truss: stresses and displacements by finite elements."""
    nodes = np.array([(k, j) for k in range(size + 1) for j in range(2)], dtype=float) * 360.0
    nodes[2:] += rng.uniform(-40, 40, nodes[2:].shape)
    bay = np.array([(0, 2), (1, 3), (2, 3), (0, 3), (1, 2)])
    bars = np.concatenate([bay + 2 * k for k in range(size)])
    along = nodes[bars[:, 1]] - nodes[bars[:, 0]]
    length = np.hypot(*along.T)
    load = np.zeros(2 * len(nodes))
    load[5::4] = -rng.uniform(20, 100, size)
    strain = np.zeros((len(bars), 2 * len(nodes)))
    for row, (p, q), way in zip(strain, bars, along / length[:, None] ** 2, strict=True):
        row[2 * p : 2 * p + 2], row[2 * q : 2 * q + 2] = -way, way
    strain, load = strain[:, 4:], load[4:]
    modulus, most_stress, most_moved = 1e4, 25.0, 2.0 * size

    def fun(x):
        return float(0.1 * x @ length)

    def inequalities(x):
        moved = np.linalg.solve((strain.T * (modulus * x * length)) @ strain, load)
        stress = modulus * (strain @ moved)
        return np.concatenate([np.abs(stress) - most_stress, np.abs(moved[1::2]) - most_moved])

    n = len(bars)
    return problem(fun, np.full(n, 0.1), np.full(n, 40.0), inequalities, None)


def fitting(size: int, rng: np.random.Generator) -> Problem:
    """Rates of two reactions in a row, and the states between: balances from time to time."""
    steps = np.full(size, 1.5 / size)
    rates = rng.uniform(1, 5, 2)

    def changes(k, y):
        return np.stack([-k[0] * y[:, 0], k[0] * y[:, 0] - k[1] * y[:, 1] ** 2], axis=1)

    states = [np.array([[1.0, 0.0]])]
    for step in steps:
        y = states[-1]
        for _ in range(50):
            y = y + step / 50 * changes(rates, y)
        states.append(y)
    seen = np.concatenate(states)
    seen = seen + rng.normal(0, 0.02, seen.shape)

    def split(x):
        return x[:2], np.vstack([[1.0, 0.0], x[2:].reshape(size, 2)])

    def fun(x):
        return float(100 * ((split(x)[1][1:] - seen[1:]) ** 2).sum())

    def equalities(x):
        k, y = split(x)
        change = changes(k, y)
        return (y[1:] - y[:-1] - 0.5 * steps[:, None] * (change[1:] + change[:-1])).ravel()

    upper = np.append([10.0, 10.0], np.ones(2 * size))
    return problem(fun, np.zeros(2 + 2 * size), upper, None, equalities)


def pooling(size: int, rng: np.random.Generator) -> Problem:
    """Pools that mix: flows and qualities, products of both in the balances."""
    n_in, n_pool, n_out = size + 1, size, size
    quality = rng.uniform(1, 5, n_in)
    cost, price = 10 - quality + rng.uniform(0, 2, n_in), rng.uniform(8, 16, n_out)
    most, limit = rng.uniform(50, 200, n_out), rng.uniform(2, 4, n_out)
    n_first, n_second = n_in * n_pool, n_pool * n_out

    def split(x):
        first, second, mixed = np.split(x, [n_first, n_first + n_second])
        return first.reshape(n_in, n_pool), second.reshape(n_pool, n_out), mixed

    def fun(x):
        first, second, _ = split(x)
        return float(cost @ first.sum(axis=1) - price @ second.sum(axis=0))

    def equalities(x):
        first, second, mixed = split(x)
        out = second.sum(axis=1)
        return np.concatenate([first.sum(axis=0) - out, quality @ first - mixed * out])

    def inequalities(x):
        _, second, mixed = split(x)
        made = second.sum(axis=0)
        return np.concatenate([made - most, mixed @ second - limit * made])

    upper = np.append(np.full(n_first + n_second, 100.0), np.full(n_pool, 5.0))
    return problem(fun, np.zeros(upper.size), upper, inequalities, equalities)


def topology(size: int, rng: np.random.Generator) -> Problem:
    """Densities of a chain of elements on springs: least compliance for a volume."""
    force, spring = rng.uniform(0.5, 2.0, size), rng.uniform(0.05, 0.3, size)
    inside = np.arange(size - 1)

    def fun(x):
        stiff = x**3 + 1e-3
        matrix = np.diag(stiff + spring)
        matrix[inside, inside] += stiff[1:]
        matrix[inside, inside + 1] = matrix[inside + 1, inside] = -stiff[1:]
        return float(force @ np.linalg.solve(matrix, force))

    def inequalities(x):
        return np.array([x.sum() - 0.4 * size])

    return problem(fun, np.full(size, 1e-3), np.ones(size), inequalities, None)


def problem(fun, lower, upper, inequalities, equalities, whole=None) -> Problem:
    """A problem of these functions."""
    middle = 0.5 * (lower + upper)
    n_ineq = 0 if inequalities is None else len(inequalities(middle))
    n_eq = 0 if equalities is None else len(equalities(middle))

    def point(x, g, h):
        if n_ineq:
            g[:] = inequalities(x)
        if n_eq:
            h[:] = equalities(x)
        return fun(x)

    return Problem(lower, upper, n_ineq, n_eq, point=point, integrality=whole)


FAMILIES: dict[str, Callable[[int, np.random.Generator], Problem]] = {
    "flow": flow, "grid": grid, "reactors": reactors, "powers": powers, "choices": choices,
    "units": units, "crashes": crashes, "large": large, "harmonics": harmonics, "layout": layout,
    "ration": ration, "gripper": gripper, "gears": gears, "truss": truss, "fitting": fitting,
    "pooling": pooling, "topology": topology,
}  # fmt: skip


def names(families: list[str], draws: int) -> list[str]:
    """family-size-draw."""
    return [f"{name}-{size}-{k}" for name in families for size in SIZES[name] for k in range(draws)]


def make(name: str) -> Problem:
    """The problem of a name."""
    family, size, draw = name.split("-")
    return FAMILIES[family](int(size), np.random.default_rng([int(size), int(draw), len(family)]))
