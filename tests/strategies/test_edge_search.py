"""Objectives with edges."""

import numpy as np
import pytest
from strategy_runs import drive, make_context, make_problem, sample_at

from rdex.solvers.sqp import Slopes, Values
from rdex.strategies.edges import Cut, Edges, is_jump, is_one_piece, may_have_edge
from rdex.strategies.local import local_search
from rdex.strategies.local_settings import LocalSettings

NONE = np.empty(0)
OFF = LocalSettings(edge_steps=10**9)


def largest(x):
    """Of three smooth functions; the least is 1.9522245 (Charalambous and Bandler)."""
    a = x[0] ** 2 + x[1] ** 4
    b = (2 - x[0]) ** 2 + (2 - x[1]) ** 2
    return max(a, b, 2 * np.exp(x[1] - x[0]))


def valley(x):
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def search(fun, n, start, settings=None):
    """A local search as `scout` begins one."""
    problem = make_problem([-3.0] * n, [3.0] * n, lambda x: (float(fun(x)), [], []))
    begun = local_search(
        make_context(problem), sample_at(problem, np.array(start)), 600, settings,
        soft_limit=10 * (n + 1),
    )  # fmt: skip
    return drive(begun, problem)


@pytest.mark.parametrize("start", [(2.5, -2.0), (-1.0, 0.5), (0.0, 2.9)])
def test_three_pieces(start):
    outcome, _ = search(largest, 2, start)
    assert outcome.best.f == pytest.approx(1.9522245, abs=1e-4) and outcome.n < 200


@pytest.mark.parametrize("seed", [0, 5, 6])
def test_cuts_end_lower_than_the_solver_alone(seed):
    rng = np.random.default_rng(seed)
    slopes, centres = rng.normal(size=(10, 6)), rng.uniform(-1, 1, (10, 6))

    def loads(x):
        return np.max(((x - centres) ** 2).sum(axis=1) + slopes @ x)

    start = [2.0, -2.0, 1.5, -1.5, 2.5, 0.5]
    outcome, _ = search(loads, 6, start)
    without, _ = search(loads, 6, start, OFF)
    assert outcome.best.f < without.best.f - 1e-3


def test_smooth_functions_have_no_edges():
    start = [-1.2, 1.0, -0.5, 2.0]
    outcome, _ = search(valley, 4, start)
    without, _ = search(valley, 4, start, OFF)
    assert (outcome.n, outcome.best.f) == (without.n, without.best.f)


def cut(z, fun, slope):
    z = np.array([float(z)])
    return Cut(z, Values(fun(z[0]), NONE), Slopes(np.array([slope(z[0])]), np.empty((0, 1))))


def kink(z):
    return abs(z - 0.3)


def side(z):
    return 1.0 if z > 0.3 else -1.0


def test_one_piece():
    def square(z):
        return cut(z, lambda z: z**2, lambda z: 2 * z)

    def bent(z):
        return cut(z, kink, side)

    assert is_one_piece(square(0.0), square(0.4)) and is_one_piece(bent(0.4), bent(0.9))
    assert not is_one_piece(bent(0.2), bent(0.9))
    assert may_have_edge([bent(0.2), bent(0.9), bent(0.8)])
    assert not may_have_edge([bent(0.4), bent(0.9), bent(0.8)]) and not may_have_edge([bent(0.2)])


def test_jumps_are_no_edges():
    def step(z):
        return cut(z, lambda z: z + 10.0 * (z > 0.3), lambda z: 1.0)

    assert is_jump(step(0.2), step(0.4)) and not is_jump(step(0.4), step(0.9))
    assert not may_have_edge([step(0.2), step(0.4)])


def test_slopes_of_both_sides_meet_at_the_edge():
    edges = Edges([cut(0.5, kink, side), cut(0.2, kink, side)], np.zeros(1), np.ones(1))
    for _ in range(8):
        z = edges.propose()
        if z is None:
            break
        edges.learn(cut(z[0], kink, side))
    assert abs(z[0] - 0.3) < 1e-5
