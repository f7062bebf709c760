"""Random problems with many equalities, mixed units, integers and crashes.

Flow networks, power grids, chains of reactors, products of powers, and process choices.

    python benchmarks/networks.py [--algorithms auto rdex-csop+local] [--budgets 300 1000]
                                  [--seeds 2] [--families flow grid ...]

Every problem is drawn from a seed around a point that is feasible by construction, so feasibility
is possible and the best value is not known: a run is compared with the best of all runs kept in
docs/data/networks.csv. A run is a success if it is feasible and within 1e-3 of that value.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from small_tables import write_csv

import rdex
from rdex.problem import Problem

KEEP, RATES = Path("docs/data/networks.csv"), Path("docs/data/networks-rates.csv")
HEAD = ["algorithm", "budget", "family", "runs", "success", "feasible", "ms per evaluation"]

#: Family -> (number of its problems, sizes of each).
SIZES = {
    "flow": (6, 9, 14, 20, 30),
    "grid": (3, 5, 9),
    "reactors": (2, 3, 4, 6),
    "powers": (3, 5, 8),
    "choices": (3, 5, 8),
    "units": (6, 12, 20),
    "crashes": (4, 8, 14),
    "large": (20, 40, 80),
}


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
    "units": units, "crashes": crashes, "large": large,
}  # fmt: skip


class Run(NamedTuple):
    """One run."""

    problem: str
    algorithm: str
    budget: int
    seed: int
    f: float
    violation: float
    seconds: float


def names(families: list[str], draws: int) -> list[str]:
    """family-size-draw."""
    return [f"{name}-{size}-{k}" for name in families for size in SIZES[name] for k in range(draws)]


def make(name: str) -> Problem:
    """The problem of a name."""
    family, size, draw = name.split("-")
    return FAMILIES[family](int(size), np.random.default_rng([int(size), int(draw), len(family)]))


def read() -> dict[str, float]:
    """The best known values."""
    if not KEEP.exists():
        return {}
    with KEEP.open() as file:
        return {row["problem"]: float(row["f"]) for row in csv.DictReader(file)}


def rates(runs: list[Run], best: dict[str, float]) -> list[list[Any]]:
    """Success and feasibility by family, and the time per evaluation."""
    groups = defaultdict(list)
    for run in runs:
        known = best.get(run.problem, math.nan)
        is_feasible = run.violation <= 0.0
        is_solved = is_feasible and run.f <= known + 1e-3 * max(1.0, abs(known))
        for family in (run.problem.split("-")[0], "all"):
            row = is_solved, is_feasible, 1e3 * run.seconds / run.budget
            groups[run.algorithm, run.budget, family].append(row)
    return [
        [*key, len(rows), *(f"{mean:.3g}" for mean in np.mean(rows, axis=0))]
        for key, rows in sorted(groups.items())
    ]


def main() -> None:
    """Run and show."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--algorithms", nargs="+", default=["auto"])
    parser.add_argument("--budgets", nargs="+", type=int, default=[1000])
    parser.add_argument("--families", nargs="+", default=list(FAMILIES))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--keep", action="store_true", help="write the rates to docs/data")
    options = parser.parse_args()
    best, runs = read(), []
    for name in names(options.families, options.draws):
        case = make(name)
        seeds = range(options.first, options.first + options.seeds)
        for algorithm, budget, seed in product(options.algorithms, options.budgets, seeds):
            begun = time.process_time()
            result = rdex.minimize(case, algorithm=algorithm, maxfev=budget, rng=seed)
            taken = time.process_time() - begun
            run = Run(name, algorithm, budget, seed, result.fun, result.cv, taken)
            runs.append(run)
            if run.violation <= 0.0 and run.f < best.get(name, math.inf):
                best[name] = run.f
            if options.verbose:
                shape = f"D={case.dim} m={case.n_ineq}+{case.n_eq}"
                print(f"{name:14}{shape:16}{algorithm:16}{budget:7}{run.f:14.6g}"
                      f"{run.violation:9.2g}  best {best.get(name, math.nan):14.6g}"
                      f"{1e3 * taken / budget:7.1f} ms", flush=True)  # fmt: skip
    table = rates(runs, best)
    for row in table:
        print("".join(f"{cell:>18}" for cell in row))
    if options.keep:
        write_csv(RATES, [dict(zip(HEAD, row, strict=True)) for row in table])
    write_csv(KEEP, [{"problem": name, "f": f} for name, f in sorted(best.items())])


if __name__ == "__main__":
    main()
