"""Models and local searches with categories: a search per combination, no order among them."""

import copy
import dataclasses
import heapq
import itertools
from functools import partial

import numpy as np
import pytest
from light_functions import METALS, SHAPES, WORTH, cost

import rdex
from rdex.problem.problem import Problem
from rdex.run.arguments import SearchArguments, make_spec
from rdex.run.searching import make_searching
from rdex.strategies import auto
from rdex.strategies.archive import Sample
from rdex.strategies.registry import AUTO_LISTS, DISCRETE, OVER_CATEGORIES, kind_for

# Of the generator, without the JIT.
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")

BOX = {
    "a": (0.0, 1.0),
    "metal": {"categories": METALS},
    "b": (0.0, 2.0),
    "shape": {"categories": SHAPES},
}
NAMED = ("auto", "scout", "local", "rdex-csop+local")
#: `auto` begins as "scout" does.
QUICK = ("auto", pytest.param("scout", marks=pytest.mark.slow), *NAMED[2:])


def problem(fun=cost):
    return Problem.from_function(fun, BOX, n_ineq=1, constraint_names=["gap"])


@pytest.mark.parametrize("algorithm", QUICK)
def test_the_best_combination_and_its_numbers_are_found(algorithm):
    result = rdex.minimize(problem(), algorithm=algorithm, maxfev=250, rng=1)
    assert result.feasible and result.nfev <= 250 and result.algorithm == algorithm
    assert (result.design["metal"], result.design["shape"]) == ("iron", "rod")
    # f falls by 1 per unit of a at the border b = a + 0.2: a = 0.5 - 1/6.
    assert result.fun == pytest.approx(0.5 + 3 / 36 + 0.5 - 1 / 6 + 0.2, abs=1e-3)


@pytest.mark.parametrize("algorithm", QUICK)
def test_the_order_of_a_list_means_nothing(algorithm):
    """Whatever the order of the list, the budget is enough for every order."""
    for order in list(itertools.permutations(METALS))[::12]:
        box = BOX | {"metal": {"categories": list(order)}}
        made = Problem.from_function(cost, box, n_ineq=1)
        result = rdex.minimize(made, algorithm=algorithm, maxfev=120, rng=2)
        assert result.design["metal"] == "iron", order


def test_given_points_come_first():
    seen = []

    def fun(d):
        seen.append(dict(d))
        return cost(d)

    first = {"a": 0.1, "metal": "gold", "b": 1.0, "shape": "tube"}
    rdex.minimize(problem(fun), algorithm="scout", maxfev=30, rng=1, x0=[first])
    assert first in seen[:3] and seen[0]["metal"] == "gold"


@pytest.mark.parametrize("algorithm", QUICK)
def test_a_run_repeats_itself_and_goes_on_from_a_checkpoint(tmp_path, algorithm):
    options = {"algorithm": algorithm, "maxfev": 60, "rng": 3}
    whole = rdex.minimize(problem(), **options)
    again = rdex.minimize(problem(), **options)
    assert whole.fun == again.fun and (whole.x == again.x).all()
    path = tmp_path / "run.npz"
    rdex.minimize(problem(), checkpoint=path, callback=lambda r: r.nfev >= 30, **options)
    resumed = rdex.minimize(problem(), checkpoint=path, **options)
    assert resumed.nfev == whole.nfev and resumed.fun == whole.fun


def test_nothing_is_evaluated_twice_and_the_search_ends():
    seen = []

    def fun(d):
        seen.append(tuple(d.values()))
        return abs(d["n"] - 2) + WORTH[d["metal"]]

    box = {"n": {"integer": (0, 3)}, "metal": {"categories": METALS}}
    result = rdex.minimize(fun, box, algorithm="local", maxfev=100, rng=1)
    assert len(seen) == len(set(seen)) == result.nfev <= 16
    assert result.design == {"n": 2, "metal": "iron"}


def test_workers_and_any_order():
    result = rdex.minimize(
        problem(), algorithm="scout", maxfev=40, rng=1, workers=2, updating="async"
    )
    assert result.nfev == 40 and result.feasible


def test_which_search_a_problem_with_lists_gets():
    lists = Problem.from_function(len, {"n": {"choices": [1, 2]}, "m": {"integer": (0, 3)}})
    only = Problem.from_function(len, {"c": {"categories": METALS}})
    for kind, expected in (
        ("scout", (OVER_CATEGORIES + "scout", "scout", DISCRETE)),
        ("auto", (AUTO_LISTS, AUTO_LISTS, DISCRETE)),
        ("evolution", (DISCRETE, DISCRETE, DISCRETE)),
    ):
        made = problem(), lists, only
        assert tuple(kind_for(kind, each) for each in made) == expected
    plain = Problem.from_function(np.sum, [(0, 1)])
    assert kind_for("auto", plain) == "auto"


def leave_early(monkeypatch):
    """Models are left with fewer evaluations than a population needs: runs here are short."""
    monkeypatch.setattr(auto, "AutoSettings", partial(auto.AutoSettings, population=50))


def test_auto_leaves_models_for_an_evolution_that_knows_their_points(monkeypatch):
    """Two variables of which only one combination is good, and nothing better after it."""
    seen = []

    def fun(d):
        seen.append(tuple(d.values()))
        return float(d["metal"] != "iron") + (d["n"] % 7)

    box = {"n": {"integer": (0, 900)}, "metal": {"categories": METALS}}
    leave_early(monkeypatch)
    result = rdex.minimize(fun, box, maxfev=500, rng=1)
    models, evolution = result.phases
    assert (models.name, evolution.name) == ("models", "evolution")
    assert models.nfev + evolution.nfev == result.nfev == len(seen) == len(set(seen))
    assert evolution.nfev > 100 and "nothing better" in models.reason
    assert result.fun == 0.0 and result.algorithm == "auto"


def test_auto_begins_with_points_of_all_combinations():
    """So shares of feasible points are shares of the whole space."""
    seen = []

    def fun(d):
        seen.append(d)
        return cost(d)

    rdex.minimize(problem(fun), maxfev=40, rng=1)
    first = seen[:9]
    assert {d["metal"] for d in first} == set(METALS)
    assert {d["shape"] for d in first} == set(SHAPES)


def test_noise_seen_in_one_combination_is_noise_in_all():
    context = make_spec(problem(), SearchArguments(maxfev=100, rng=1)).context(100)
    lower, upper = context.space.lower.copy(), context.space.upper.copy()
    lower[[1, 3]] = upper[[1, 3]] = 1.0
    one, other = (context.smaller(lower, upper, 50, number) for number in (0, 1))
    one.noise.size = np.ones(2)
    assert other.noise.size is not None and context.noise.size is not None


def test_scales_that_models_learnt_stay_when_the_evolution_begins(monkeypatch):
    """It begins with the best points, where active constraints are all but 0."""

    def fun(d):
        return cost(d)[0], [100 * (d["a"] + 0.2 - d["b"])]

    models = rdex.minimize(problem(fun), algorithm="scout", maxfev=60, rng=1)
    leave_early(monkeypatch)
    both = rdex.minimize(problem(fun), maxfev=500, rng=1)
    assert both.phases[-1].name == "evolution" and both.phases[-1].nfev > 100
    assert both.constraint_scale[0] > 0.1 * models.constraint_scale[0] > 1.0
    assert both.violations[0].state == "active"


@pytest.mark.parametrize("algorithm", ["auto", "scout"])
def test_the_model_covers_the_best_combination_and_says_so(algorithm, tmp_path):
    result = rdex.minimize(problem(), algorithm=algorithm, maxfev=120, rng=1)
    model = result.model
    assert model.where == {"metal": "iron", "shape": "rod"} and 5 < model.n_points < 120
    assert repr(model).endswith("evaluations with metal = iron, shape = rod)")
    designs = [{"a": a, "metal": "iron", "b": 1.0, "shape": "rod"} for a in (0.2, 0.4, 0.9)]
    truth = [cost(design)[0] for design in designs]
    np.testing.assert_allclose(model.predict(designs).f, truth, atol=0.02)
    at_answer = model.predict(result.design)
    assert at_answer.f[0] == pytest.approx(result.fun, abs=1e-3)
    assert model.predict(result.x).f == at_answer.f
    shares = model.importance()
    assert np.isnan(shares[:, [1, 3]]).all() and (shares[:, [0, 2]].sum(axis=1) > 0.999).all()
    with pytest.raises(ValueError, match="cover metal = iron, shape = rod only"):
        model.predict(designs[0] | {"metal": "zinc"})
    page = result.report(tmp_path / "run.html").read_text()
    assert "with metal = iron, shape = rod; they say nothing of other categories" in page


def test_a_model_takes_values_of_lists_not_their_places():
    """It took 3 mm for the fourth value of the list."""
    plates = [3, 4, 6, 8, 12]
    box = {"plate": {"choices": plates}, "width": (0.0, 1.0)}
    result = rdex.minimize(
        lambda d: plates.index(d["plate"]) + d["width"], box, algorithm="scout", maxfev=30, rng=1
    )
    predicted = result.model.predict([[3.0, 0.5], [8.0, 0.0]])
    np.testing.assert_allclose(predicted.f, [0.5, 3.0], atol=0.05)
    with pytest.raises(ValueError, match="plate"):
        result.model.predict([7.0, 0.5])


def in_any_order(named, workers, maxfev=150):
    """Let a search run with workers of a clock that is counted: evaluations take about a unit, the
    search takes no time. The share of the workers' time that is used, and all points."""
    spec = make_spec(problem(), SearchArguments(algorithm=named, maxfev=maxfev, rng=1))
    searching = make_searching(dataclasses.replace(spec, in_flight=workers + 1))
    made, rng = spec.problem, np.random.default_rng(2)
    free, out, seen, now, used = [0.0] * workers, [], [], 0.0, 0.0
    while len(seen) < maxfev:
        for trial in searching.ask(workers + 1 - len(out)):
            seconds = rng.uniform(0.7, 1.3)
            end = max(now, heapq.heappop(free)) + seconds
            heapq.heappush(free, end)
            heapq.heappush(out, (end, trial.id, trial.x))
            used += seconds
        now, id, x = heapq.heappop(out)
        seen.append(x)
        f, g, h = made.evaluate(x[None, :])
        searching.tell(id, Sample(x, float(f[0]), g[0], h[0], 1.0))
        if len(seen) == maxfev // 2:  # as if read from a file
            searching = copy.deepcopy(searching)
    return used / (now * workers), np.array(seen), searching.standing.best


@pytest.mark.parametrize(
    "algorithm", [pytest.param("auto", marks=pytest.mark.slow), "scout", "rdex-csop"]
)
def test_workers_stay_busy_and_the_run_goes_on_from_a_file(algorithm):
    """While one combination waits for results, others have points to evaluate."""
    busy, seen, best = in_any_order(algorithm, 4)
    assert busy > 0.93
    assert len(np.unique(seen, axis=0)) == len(seen)
    assert best.phi == 0.0
    again = in_any_order(algorithm, 4, maxfev=40)
    assert (again[1] == in_any_order(algorithm, 4, maxfev=40)[1]).all()


def test_a_batch_has_points_of_several_combinations():
    """One alone has fewer points to offer than there are workers."""
    optimizer = rdex.Optimizer(
        {"n": {"integer": (0, 4)}, "metal": {"categories": METALS}}, algorithm="scout",
        maxfev=20, rng=1,
    )  # fmt: skip
    sizes = []
    while not optimizer.stop:
        x = optimizer.ask(6)
        sizes.append(len(x))
        optimizer.tell(x, F=(x[:, 0] - 2) ** 2 + x[:, 1])
    assert min(sizes[:-1]) >= 3
