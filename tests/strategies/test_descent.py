"""Local searches by finite differences between the steps of trust regions."""

from __future__ import annotations

import numpy as np
import pytest

import rdex
from rdex.evaluation.judging import Judge
from rdex.problem.problem import Problem
from rdex.problem.space import Space
from rdex.strategies.archive import Archive
from rdex.strategies.scout.descent import LEAST, MOST, TURN, descend, is_descent_due
from rdex.strategies.scout.region import begin_region
from rdex.strategies.scout.state import Report, State
from rdex.strategies.strategy import LOCAL, Context

DIM = 6
BOX = [(-2.0, 2.0)] * DIM


def valley(x):
    """Rosenbrock's: models need hundreds of points to follow it."""
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def evaluated(state, search):
    """Drive a search by its generator; what it returns and the points asked for."""
    asked, samples = [], None
    try:
        while True:
            points = next(search) if samples is None else search.send(samples)
            asked += list(points)
            samples = [sample_of(state, x) for x in points]
    except StopIteration as end:
        return end.value, asked


def sample_of(state, x):
    sample = rdex.strategies.archive.Sample(x, state.fun(x), np.empty(0), np.empty(0))
    state.context.archive.add(sample)
    return sample


def made(fun=valley, n=20, **integer):
    """A search with n random points."""
    problem = Problem.from_function(fun, BOX, **integer)
    space, judge = Space(problem), Judge(problem)
    context = Context(space, judge, Archive(space, judge), 1000, 1, np.random.default_rng(0))
    state = State(context, Report())
    state.fun = fun
    for x in space.from_unit(context.rng.random((n, DIM))):
        sample_of(state, x)
    state.knowledge.refresh()
    return state, begin_region(state, state.knowledge.best())


def test_a_turn_of_models_takes_no_more_than_a_share_of_the_budget():
    state, region = made()
    state.context.maxfev = 100
    region.spent = int(MOST * 100) - 1
    assert not is_descent_due(state, region, is_stuck=False)
    region.spent += 1
    assert is_descent_due(state, region, is_stuck=False)


def test_models_have_a_turn_before():
    state, region = made()
    region.spent = TURN * (DIM + 1) - 1
    assert not is_descent_due(state, region, is_stuck=False)
    region.spent += 1
    assert is_descent_due(state, region, is_stuck=False)
    state.turn = 2
    assert not is_descent_due(state, region, is_stuck=False)
    assert is_descent_due(state, region, is_stuck=True)
    region.delta = 1e-6  # it has all but converged
    assert not is_descent_due(state, region, is_stuck=True)


def test_none_where_functions_are_rough_or_little_is_left():
    state, region = made()
    region.spent = 10**6
    assert is_descent_due(state, region, is_stuck=False)
    state.context.maxfev = state.context.used + LEAST * (DIM + 1) - 1
    assert not is_descent_due(state, region, is_stuck=False)
    state.context.maxfev = 1000
    state.is_rough = True
    assert not is_descent_due(state, region, is_stuck=False)
    state, region = made(integrality=np.ones(DIM))
    region.spent = 10**6
    assert not is_descent_due(state, region, is_stuck=True)


def test_the_centre_moves_to_the_end_and_is_not_searched_again():
    state, region = made()
    start = region.centre
    has_ended, asked = evaluated(state, descend(state, region))
    assert has_ended and valley(state.knowledge.x(state.knowledge.z[[region.centre]])[0]) < 1e-6
    assert region.centre != start and region.spent == 0 and state.turn == 1
    assert len(asked) == state.report.n_evaluations and state.report.n_searches == 1
    region.spent = 10**6
    assert not is_descent_due(state, region, is_stuck=False)


def test_a_search_that_gains_less_than_models_has_to_wait():
    state, region = made()
    region.before, region.spent = (0.0, 1e9), 1  # models gained nearly all in one evaluation
    evaluated(state, descend(state, region))
    assert state.turn == 2


@pytest.mark.parametrize("fun", [
    lambda x: valley(x) + 1e-3 * np.random.default_rng().random(),  # noise
    lambda x: valley(x) + 1e3 * (np.abs(x).sum() > 1.0),  # jumps
])  # fmt: skip
def test_noise_and_jumps_are_noticed(fun):
    state, region = made(fun)
    _, asked = evaluated(state, descend(state, region))
    assert state.is_rough and len(asked) <= 3 * TURN * (DIM + 1)
    assert not is_descent_due(state, region, is_stuck=True)


def test_a_valley_is_followed_and_the_books_say_by_whom():
    box = [(0.0, 2.0)] * DIM  # there is one valley only
    result = rdex.minimize(valley, box, maxfev=400, rng=1)
    assert result.fun < 1e-6
    phases = {phase.name: phase for phase in result.phases}
    assert sum(phase.nfev for phase in result.phases) == result.nfev == 400
    assert phases[LOCAL].nfev > 0 and "improved" in phases[LOCAL].gain


def test_goes_on_exactly_inside_a_local_search(tmp_path):
    call = {"bounds": BOX[:3], "maxfev": 100, "rng": 0}

    def spent(result):
        return sum(phase.nfev for phase in result.phases if phase.name == LOCAL)

    whole = rdex.minimize(valley, **call)
    file = tmp_path / "run.rdex"
    for until in (75, 85):
        stopped = rdex.minimize(
            valley, **call, checkpoint=file,
            callback=lambda state, until=until: state.nfev >= until,
        )  # fmt: skip
        assert 0 < spent(stopped) < spent(whole)
    resumed = rdex.minimize(valley, **call, checkpoint=file)
    assert spent(resumed) == spent(whole) and resumed.nfev == whole.nfev
    assert resumed.fun == whole.fun and np.array_equal(resumed.x, whole.x)
