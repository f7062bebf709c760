"""Differential evolution for categories: coded without an order, nothing evaluated twice."""

import numpy as np
import pytest

import rdex
from rdex.problem.space import Space
from rdex.run.status import Status
from rdex.strategies.discrete import EVOLUTION
from rdex.strategies.one_hot import OneHot

# Of the generator, without the JIT.
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")

COLOURS = ["red", "green", "blue", "black", "white"]
WORTH = dict(zip(COLOURS, [5.0, 2.0, 9.0, 1.0, 7.0], strict=True))
LISTS = {
    "n": {"integer": (0, 9)},
    "colour": {"categories": COLOURS},
    "shade": {"categories": COLOURS},
}


class Counting:
    def __init__(self):
        self.seen = []

    def __call__(self, d):
        self.seen.append(tuple(d.values()))
        return abs(d["n"] - 6) + WORTH[d["colour"]] + 3 * (d["colour"] == d["shade"]) + WORTH[
            d["shade"]] / 10  # fmt: skip


def coding():
    variables = rdex.Variables({"a": {"bounds": (1.0, 100.0), "log": True}}).integer("n", 2, 5)
    variables.categories("colour", COLOURS).categories("one", ["only"])
    problem = rdex.Problem.from_function(len, variables)
    return OneHot(Space(problem, variables.logarithmic), 2, 1)


def test_coding_is_undone():
    coded = coding()
    assert coded.problem.dim == 1 + 1 + 5 + 1
    assert (coded.problem.n_ineq, coded.problem.n_eq) == (2, 1)
    assert coded.logarithmic.tolist() == [True] + [False] * 7
    assert coded.problem.integrality.tolist() == [False, True] + [False] * 5 + [True]
    points = np.array([[3.5, 2.0, 4.0, 0.0], [90.0, 5.0, 0.0, 0.0]])
    rows = coded.encoded(points)
    assert coded.decoded(rows).tolist() == points.tolist()
    assert rows[0, 2:7].tolist() == [0, 0, 0, 0, 1]


def test_no_order_of_categories_matters():
    """Another order of the list permutes coordinates: every value is as far from every other."""
    coded = coding()
    rows = coded.encoded(np.array([[1.0, 2.0, k, 0.0] for k in range(5)]))
    distances = {round(float(np.linalg.norm(a - b)), 9) for a in rows for b in rows if a is not b}
    distances.discard(0.0)
    assert len(distances) == 1


@pytest.mark.parametrize("more", [{}, {"batch": 7}, {"workers": 1, "updating": "async"}])
def test_nothing_is_evaluated_twice_and_the_optimum_is_found(more):
    fun = Counting()
    result = rdex.minimize(fun, LISTS, algorithm="rdex-csop", maxfev=200, rng=0, **more)
    assert len(fun.seen) == len(set(fun.seen)) == result.nfev
    assert result.design["n"] == 6 and result.design["colour"] == "black"
    assert result.fun == pytest.approx(1.2)


def test_the_search_ends_when_everything_is_known():
    fun = Counting()
    result = rdex.minimize(fun, LISTS, algorithm="rdex-csop", maxfev=5000, rng=0)
    assert result.status == Status.FINISHED and len(fun.seen) <= 250
    assert len(fun.seen) > 200 and result.n_restarts > 0


def test_known_and_given_points_are_used():
    known = {"x": [[6.0, 3.0, 1.0]], "fun": [1.2]}
    fun = Counting()
    result = rdex.minimize(fun, LISTS, algorithm="rdex-csop", maxfev=30, rng=0, x0=known)
    assert (6, "black", "green") not in fun.seen and result.fun == 1.2
    start = {"n": 6, "colour": "black", "shade": "green"}
    fun = Counting()
    assert rdex.minimize(
        fun, LISTS, algorithm="rdex-csop", maxfev=30, rng=0, x0=start
    ).fun == pytest.approx(1.2)
    assert fun.seen[0] == (6, "black", "green")


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    whole = rdex.minimize(Counting(), LISTS, maxfev=60, rng=3)
    path = tmp_path / "run.npz"

    class Stopping(Counting):
        def __call__(self, d):
            if len(self.seen) == 30:
                raise KeyboardInterrupt
            return super().__call__(d)

    first = Stopping()
    first.__name__ = "fun"
    part = rdex.minimize(first, LISTS, maxfev=60, rng=3, checkpoint=path)
    assert part.nfev == 30
    again = Counting()
    again.__name__ = "fun"
    rest = rdex.minimize(again, LISTS, maxfev=60, rng=3, checkpoint=path)
    assert rest.nfev == 60 and rest.design == whole.design and rest.fun == whole.fun


def test_ordered_lists_beside_real_variables_stay_with_the_plain_evolution():
    result = rdex.minimize(lambda d: d["a"] + d["b"], {"a": (0, 1), "b": {"choices": [1, 2, 4]}},
                           algorithm="rdex-csop", maxfev=100, rng=0)  # fmt: skip
    assert not result.phases
    assert rdex.minimize(Counting(), LISTS, maxfev=20, rng=0).phases


@pytest.mark.parametrize("algorithm", ["rdex-csop+local", "rdex-tide+local"])
def test_local_search_has_no_part_where_all_numbers_are_whole(algorithm):
    """There are no slopes: a discrete evolution has the budget, and evaluates nothing twice."""
    seen = []

    def fun(x):
        seen.append(tuple(x))
        return abs(x[0] * x[1] - 77.0) + abs(x[2] - 4.0)

    result = rdex.minimize(fun, [(1, 20)] * 3, integrality=[1, 1, 1], algorithm=algorithm,
                           maxfev=400, rng=0)  # fmt: skip
    assert result.algorithm == algorithm and [phase.name for phase in result.phases] == [EVOLUTION]
    assert len(set(seen)) == len(seen) == 400 and result.fun == 0.0


def test_half_of_a_population_is_new_where_much_is_known():
    """Points of earlier searches stand about one place: a population of them looks nowhere else."""
    x = np.array([[i, j, k] for i in range(6) for j in range(6) for k in range(6)], dtype=float)
    known = {"x": x, "fun": x.sum(axis=1)}
    asked = []

    def fun(x):
        asked.append(x.copy())
        return x.sum()

    rdex.minimize(fun, [(0, 40)] * 3, integrality=[1, 1, 1], algorithm="rdex-csop+local",
                  maxfev=60 + len(x), rng=0, x0=known)  # fmt: skip
    assert np.mean(np.max(asked, axis=1) > 12) > 0.5
