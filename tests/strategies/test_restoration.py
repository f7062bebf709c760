"""The way to the constraints: few evaluations, many equalities."""

import math

import numpy as np
import pytest

from rdex import Problem, minimize
from rdex.strategies.scout import phases
from rdex.suites import get


def network(d, n_eq, seed, whole=None, crashes=False):
    """Equalities of three variables each that hold at a random point; one inequality as well."""
    rng = np.random.default_rng(seed)
    at = rng.uniform(0.2, 0.8, d)
    if whole is not None:
        at = np.where(whole, np.round(3.0 * at), at)
    triples = np.array([rng.choice(d, 3, replace=False) for _ in range(n_eq)])

    def products(x):
        a, b, c = x[triples].T
        return a * b + np.sin(2.0 * c) + 0.5 * a

    right = products(at)

    def point(x, g, h):
        if crashes and x[0] + x[1] > 1.4:
            return math.nan
        h[:] = products(x) - right
        g[0] = x.sum() - at.sum() - 0.1
        return float(((x - 0.5) ** 2).sum())

    upper = np.where(whole, 3.0, 1.0) if whole is not None else np.ones(d)
    return Problem(np.zeros(d), upper, 1, n_eq, point=point, integrality=whole)


def first_feasible(problem, maxfev, **options):
    """Evaluations until the first feasible point."""
    return minimize(problem, maxfev=maxfev, rng=0, feasibility_only=True, **options)


@pytest.mark.parametrize("d, n_eq", [(10, 6), (40, 30)])
def test_equalities_are_reached_in_some_evaluations_per_variable(d, n_eq):
    result = first_feasible(network(d, n_eq, seed=1), 10 * d)
    assert result.feasible
    assert result.nfev <= 4 * d + 40  # design, slopes, steps


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_linear_equalities_need_no_differences(seed):
    """Their slopes follow from the design: 17 points, and a step."""
    rng = np.random.default_rng(seed)
    slopes, at = rng.standard_normal((5, 8)), rng.uniform(0.2, 0.8, 8)

    def linear(x):
        return float(((x - 0.5) ** 2).sum()), [], slopes @ (x - at)

    result = first_feasible(Problem.from_function(linear, [(0, 1)] * 8, n_eq=5), 100)
    assert result.feasible and result.nfev <= 19


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_equalities_that_hold_on_bounds_only(seed):
    """Five flows that must be off: steps have to end on the bounds, not near them."""
    rng = np.random.default_rng(seed)
    at = rng.uniform(0.2, 0.8, 7)

    def valves(x):
        off = 1e3 * x[:5] * (1.0 + x[:-6:-1])
        return ((x - 0.5) ** 2).sum(), [], [*off, x[5:].sum() - at.sum(), x[5] * x[-1] - 0.1]

    result = first_feasible(Problem.from_function(valves, [(0, 1)] * 12, n_eq=7), 200)
    assert result.feasible
    assert result.nfev <= 55  # 65 to 125 with a solver that stays off the bounds


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_inequalities_that_hold_in_a_corner_only(seed):
    """exp(100) lies at the other end of the box: models of all of it see nothing else."""

    def steep(x):
        return -x[0], [np.exp(x[0]) - x[1], np.exp(x[1]) - x[2]], []

    problem = Problem.from_function(steep, [(0, 100), (0, 100), (0, 10)], n_ineq=2)
    result = minimize(problem, maxfev=100, rng=seed)
    assert result.feasible


def test_batches_take_fewer_rounds():
    one = first_feasible(network(20, 14, seed=2), 200)
    four = first_feasible(network(20, 14, seed=2), 200, batch=4)
    assert one.feasible and four.feasible
    assert four.nit < 0.8 * one.nit


def test_crashes_on_the_way():
    result = first_feasible(network(12, 8, seed=3, crashes=True), 300)
    assert result.feasible


def test_whole_variables_stay_whole():
    whole = np.arange(10) < 2
    result = minimize(network(10, 3, seed=4, whole=whole), maxfev=80, rng=0)
    assert result.feasible
    assert np.array_equal(result.x[:2], np.round(result.x[:2]))


def test_what_cannot_hold_is_given_up():
    def impossible(x):
        return x.sum(), [], [x[0] + x[1] - 1.0, x[0] + x[1] - 2.0]

    problem = Problem.from_function(impossible, [(0, 1)] * 4, n_eq=2)
    result = minimize(problem, maxfev=80, rng=0)
    assert not result.feasible and result.nfev == 80


def test_a_way_that_ends_short_of_the_constraints_is_followed_by_others(monkeypatch):
    """From points at some distance from each other, up to a limit."""
    begun = []

    def restore(state, row, guesses):
        begun.append(state.knowledge.z[row].copy())
        yield from state.evaluate(np.clip(begun[-1] + 0.01, 0.0, 1.0))
        return row

    monkeypatch.setattr(phases, "restore", restore)
    minimize(network(6, 3, seed=5), maxfev=60, rng=0)
    assert len(begun) == phases.ROUTES
    apart = [np.abs(a - b).max() for i, a in enumerate(begun) for b in begun[:i]]
    assert min(apart) >= phases.AWAY


@pytest.mark.parametrize("seed", [7, 10])
def test_another_way_leads_where_the_first_does_not(seed):
    """22 variables and 19 equalities over seven powers of ten: the best point of the design leads
    to a corner."""
    result = minimize(get("g2006/G22"), maxfev=800, rng=seed, feasibility_only=True)
    assert result.feasible and result.nfev < 300
