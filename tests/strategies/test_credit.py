"""Gains of parts of a search, and where local searches start."""

import math

import numpy as np
import pytest
from strategy_runs import make_problem

from rdex.problem.space import Space
from rdex.strategies.credit import Credit, gain_of
from rdex.strategies.integers import neighbours
from rdex.strategies.starts import Candidates, Starts


def test_late_gains_count_more():
    credit = Credit(half_life=100)
    credit.note("early", 100, 1.0)
    credit.note("early", 100, 0.0)
    credit.note("late", 100, 0.0)
    credit.note("late", 100, 1.0)
    assert credit.rate("late") == pytest.approx(2 * credit.rate("early"))
    assert credit.rate("nobody") == 0.0


@pytest.mark.parametrize(("before", "after", "gain"), [
    ((math.inf, math.inf), (0.3, 1.0), 1.0),
    ((0.4, 1.0), (0.0, 9.0), 1.0),
    ((0.4, 1.0), (0.2, 9.0), 0.5),
    ((0.0, 1.0), (0.2, 0.0), 0.0),
    ((0.0, 1.0), (0.0, 1.0), 0.0),
    ((0.0, 1.0), (0.0, -3.0), 0.8),
])  # fmt: skip
def test_gains_lie_between_nothing_and_one(before, after, gain):
    assert gain_of(before, after, spread=1.0) == pytest.approx(gain)


def test_gains_in_f_far_below_its_size_are_small():
    assert gain_of((0.0, 100.0), (0.0, 100.0 - 1e-6), spread=0.0) < 1e-5


def candidates(space, points, f):
    x = np.array(points, dtype=float)
    return Candidates(space.to_unit(x), x, np.array(f, dtype=float), np.zeros(len(f)))


SPACE = Space(make_problem([0.0, 0.0], [1.0, 9.0], lambda x: (0.0, [], []),
                           integrality=[False, True]))  # fmt: skip


def test_starts_near_earlier_ends_are_not_new_unless_better():
    starts = Starts(SPACE, from_end=0.02, from_start=0.01)
    points = candidates(SPACE, [[0.5, 3], [0.505, 3], [0.505, 4], [0.8, 3], [0.2, 3]], [5] * 5)
    assert starts.new(points).all()
    starts.note(SPACE.to_unit([0.2, 3]), SPACE.to_unit([0.5, 3]), (0.0, 4.0))
    assert starts.new(points).tolist() == [False, False, True, True, False]
    assert starts.new(points._replace(f=np.full(5, 3.0))).tolist() == [True] * 4 + [False]


def test_the_farthest_start_is_far_from_starts_and_ends():
    starts = Starts(SPACE, from_end=0.02, from_start=0.01)
    points = candidates(SPACE, [[0.5, 3], [0.3, 3], [0.9, 3]], [1, 2, 3])
    flags = np.ones(3, dtype=bool)
    assert starts.farthest(points, flags) == 0
    starts.note(SPACE.to_unit([0.2, 3]), SPACE.to_unit([0.6, 3]), (0.0, 4.0))
    assert starts.farthest(points, flags) == 2


def test_neighbours_stay_inside_the_bounds():
    assert neighbours(SPACE, np.array([0.5, 0.0])).tolist() == [[0.5, 1.0]]
    assert len(neighbours(SPACE, np.array([0.5, 4.0]))) == 2
