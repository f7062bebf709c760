"""Functions that jump: what is taken for a jump, and what a search and a run do about it."""

import numpy as np
import pytest
from strategy_runs import drive, make_context, make_problem, sample_at

import rdex
from rdex.solvers.sqp import Slopes, Values
from rdex.strategies.jumps import JumpWatch
from rdex.strategies.local import local_search
from rdex.strategies.local_settings import LocalSettings
from rdex.suites import get

NONE = np.empty(0)


def watch_line(function, slope, steps, times=2):
    """What the watch says of each step along one variable from 0."""
    watch = JumpWatch(times=times, least=1e-6)
    watch.begin(np.zeros(1), Values(function(0.0), NONE), Slopes(np.array([slope]), NONE[:, None]))
    return watch, [watch.sees(np.array([z]), Values(function(z), NONE)) for z in steps]


def narrow(watch, function, halvings=8):
    for _ in range(halvings):
        if watch.is_possible:
            watch.narrow(Values(function(float(watch.middle[0])), NONE))
    return watch.is_sure


def step_at(at):
    return lambda z: float(-z + (z > at))


def test_an_error_that_stays_is_a_jump():
    function = step_at(0.01)
    watch, seen = watch_line(function, -1.0, [0.4, 0.1, 0.05])
    assert seen == [False, False, True]
    assert narrow(watch, function)
    assert watch.here[0] <= 0.01 < watch.beyond[0]
    assert watch.distance == pytest.approx(0.05 / 2**8)


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda z: -z + 30 * z * z, -1.0),
        (lambda z: abs(z) * 3.0, -3.0),  # a kink at the start
        (lambda z: max(-z, 5.0 * (z - 0.02)), -1.0),
        (lambda z: np.exp(9 * z), 9.0),
    ],
)
def test_curves_and_kinks_are_no_jumps(function, slope):
    _, seen = watch_line(function, slope, [0.4, 0.2, 0.1, 0.05, 0.01, 1e-3, 1e-4])
    assert not any(seen)


def test_an_error_that_is_gone_on_two_lines_is_a_jump():
    function = step_at(0.2)
    watch, seen = watch_line(function, -1.0, [0.4, 0.04])
    assert seen == [False, False]
    slopes = Slopes(np.array([-1.0]), NONE[:, None])
    watch.begin(np.array([0.04]), Values(function(0.04), NONE), slopes)
    assert not watch.sees(np.array([0.4]), Values(function(0.4), NONE))
    assert watch.sees(np.array([0.076]), Values(function(0.076), NONE))
    assert narrow(watch, function)
    assert watch.here[0] <= 0.2 < watch.beyond[0]


@pytest.mark.parametrize("function", [
    lambda z: 1e-3 / (0.1000001 - z),  # a pole beside the end
    lambda z: 0.0 if z < 0.1 else 1e9,  # the end alone, at a bound
])  # fmt: skip
def test_poles_and_single_points_are_no_jumps(function):
    watch, _ = watch_line(function, 0.0, [0.1, 0.01])
    watch.begin(np.zeros(1), Values(function(0.0), NONE), Slopes(np.zeros(1), NONE[:, None]))
    watch.sees(np.array([0.1]), Values(function(0.1), NONE))
    if watch.sees(np.array([0.01]), Values(function(0.01), NONE)):
        assert not narrow(watch, function)


def stairs(x):
    """The lowest value is beside the jump of the first variable at 0.3, where x1 = 0.7."""
    return float((x[0] - 0.9) ** 2 + (x[1] - 0.7) ** 2 + (x[0] > 0.3) * 2.0), [], []


STAIRS = make_problem([0.0, 0.0], [1.0, 1.0], stairs)


def search(problem, x, limit=500, **given):
    context = make_context(problem)
    return drive(local_search(context, sample_at(problem, x), limit, **given), problem)


def test_a_search_follows_the_edge_of_a_jump():
    outcome, batches = search(STAIRS, [0.05, 0.1])
    assert outcome.has_jump and outcome.has_converged
    assert np.allclose(outcome.best.x, [0.3, 0.7], atol=1e-5)
    assert outcome.n == sum(map(len, batches)) < 60


def test_a_jump_along_several_variables_ends_the_search():
    def slanted(x):
        return float((x[0] - 0.9) ** 2 + (x[1] - 0.8) ** 2 + (x.sum() > 0.7) * 2.0), [], []

    problem = make_problem([0.0, 0.0], [1.0, 1.0], slanted)
    outcome, _ = search(problem, [0.05, 0.1])
    assert outcome.has_jump and outcome.n < 80


def test_the_limit_at_jumps_is_kept():
    outcome, _ = search(STAIRS, [0.05, 0.1], jump_limit=20)
    assert outcome.has_jump
    alone, _ = search(STAIRS, [0.05, 0.1])
    assert outcome.n < alone.n


def test_smooth_functions_know_no_limit_at_jumps():
    problem = make_problem([-2.0, -2.0], [2.0, 2.0], lambda x: (float(x @ x), [], []))
    outcome, _ = search(problem, [1.0, 1.5], jump_limit=0)
    assert not outcome.has_jump and outcome.has_converged


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_steps_that_are_too_short_end_a_leg(seed):
    """With these integers nothing is feasible; the solver would go on by tiny steps."""
    problem = get("engineering/stepped-cantilever")
    random = np.random.default_rng(seed).random(problem.dim)
    x = problem.lower + random * (problem.upper - problem.lower)
    x = np.where(problem.integrality, np.round(x), x)
    short, _ = search(problem, x)
    long, _ = search(problem, x, settings=LocalSettings(shortest=0.0))
    assert short.n < 50 and short.n < long.n  # how many more depends on the processor
    assert short.best.f == long.best.f


def test_a_function_with_jumps_loses_at_most_a_tenth():
    """Jumps of 1 % at the lines of a grid."""
    design = get("engineering/three-bar-truss")

    def terraced(x):
        f, g, _ = design.evaluate(x[None, :])
        cells = np.floor(50.0 * (x - design.lower) / (design.upper - design.lower)).astype(int)
        jump = 0.01 * float((7 * cells).sum() % 3)
        return float(f[0]) + jump * abs(float(f[0])), g[0] + jump * np.abs(g[0])

    bounds = list(zip(design.lower, design.upper, strict=True))
    problem = rdex.Problem.from_function(terraced, bounds, n_ineq=design.n_ineq)
    for seed in range(2):
        result = rdex.minimize(problem, maxfev=3000, rng=seed, algorithm="rdex-csop+local")
        (spent,) = [phase.nfev for phase in result.phases if phase.name == "local search"]
        assert 0 < spent <= 300
