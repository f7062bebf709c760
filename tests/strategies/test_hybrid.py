"""Differential evolution with local search: what it solves, spends, saves and survives."""

import numpy as np
import pytest
from light_functions import g15

import rdex
from rdex.evaluation.evaluator import Evaluator
from rdex.run import driver
from rdex.run.arguments import SearchArguments, make_spec
from rdex.run.spec import RunSpec
from rdex.strategies.archive import Sample
from rdex.strategies.auto import Auto
from rdex.strategies.composite import spread_rows
from rdex.strategies.hybrid import EVOLUTION, Hybrid
from rdex.strategies.strategy import LOCAL
from rdex.suites import get

NAME = "rdex-csop+local"


G15 = rdex.Problem.from_function(g15, [(0, 10)] * 3, n_eq=2)


def spent(result, name=LOCAL):
    return sum(phase.nfev for phase in result.phases if phase.name == name)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("id", "best"), [("g2006/G15", 961.71502), ("g2006/G05", 5126.4967)])
def test_solves_what_the_evolution_alone_does_not(id, best, seed):
    result = rdex.minimize(get(id), maxfev=1000, rng=seed, algorithm=NAME)
    assert result.feasible and result.fun <= best + 1e-4
    assert result.nfev == 1000 == sum(phase.nfev for phase in result.phases)


@pytest.mark.parametrize("seed", [0, 2])
def test_a_population_on_its_way_to_the_constraints_goes_on(seed):
    """It is narrow long before C27 allows it: an equality over ten powers of ten."""
    problem = get("cec2017/C27/d10/2017/1")
    result = rdex.minimize(problem, maxfev=20_000, rng=seed, algorithm=NAME)
    assert result.feasible


@pytest.mark.parametrize("seed", [0, 4])
def test_a_narrow_population_that_still_travels_goes_on(seed):
    """Along the valley of C18, down to 36.60; 38 and 41 where another population took its place."""
    problem = get("cec2017/C18/d10/2017/1")
    result = rdex.minimize(problem, maxfev=20_000, rng=seed, algorithm=NAME)
    assert result.feasible and result.fun < 36.7


@pytest.mark.parametrize("seed", range(2))
def test_a_narrow_population_goes_on_where_no_local_search_converges(seed):
    """No slopes lead to a cusp; 2e-3 and more where another population took its place."""

    def cusp(x):
        return float(np.sqrt(np.abs(x - 0.3)).sum())

    result = rdex.minimize(cusp, [(-5, 5)] * 5, maxfev=10_000, rng=seed, algorithm=NAME)
    assert result.fun < 2e-4


def test_the_end_of_an_evolution_is_expected_where_its_gains_lead():
    hybrid = Hybrid(make_spec(G15, SearchArguments(maxfev=1000, rng=1)).context(1000))
    hybrid._own_best, hybrid._spread = (0.5, 900.0), 20.0
    assert hybrid._expected_end() == (0.5, 900.0)
    hybrid._credit.note(EVOLUTION, 100, 1.0)
    phi, f = hybrid._expected_end()
    assert phi == pytest.approx(0.5 * np.exp(-10.0)) and f == pytest.approx(700.0)


@pytest.mark.parametrize("name", ["rdex-tide+local", "ude-iv+local", "lshade+local"])
def test_every_preset_takes_local_search(name):
    result = rdex.minimize(G15, maxfev=600, rng=1, algorithm=name)
    assert result.feasible and result.algorithm.endswith("+local")


@pytest.mark.parametrize("maxfev", [1, 2, 10, 37, 100, 150])
@pytest.mark.parametrize("how", [{}, {"batch": 4}, {"updating": "async", "workers": 1}])
def test_never_exceeds_the_budget(maxfev, how):
    points = []

    def function(x):
        points.append(x)
        return g15(x)

    problem = rdex.Problem.from_function(function, [(0, 10)] * 3, n_eq=2)
    result = rdex.minimize(problem, maxfev=maxfev, rng=1, algorithm=NAME, **how)
    assert result.nfev == maxfev == len(points)


def test_points_of_both_parts_are_out_at_the_same_time():
    optimizer = rdex.Optimizer([(0, 10)] * 6, maxfev=600, rng=1, algorithm=NAME)
    while not optimizer.stop:
        X = optimizer.ask(10)
        strategy = optimizer._searching.strategy
        parts = {owner.part for owner in strategy._owned.values()}
        optimizer.tell(X, ((X - 3.3) ** 2).sum(1))
        if len(parts) == 2:
            return
    pytest.fail("never")


@pytest.mark.parametrize(("strategy", "name"), [(Hybrid, NAME), (Auto, "auto")])
def test_what_is_needed_later_is_loaded_before_points_are_out(strategy, name, monkeypatch):
    """Workers would wait for it in the middle of the run."""
    calls = []
    ready, submit = strategy.get_ready, Evaluator.submit
    monkeypatch.setattr(strategy, "get_ready", lambda self: (calls.append("ready"), ready(self)))
    monkeypatch.setattr(
        Evaluator, "submit", lambda self, id, x: (calls.append(id), submit(self, id, x))
    )
    rdex.minimize(G15, maxfev=40, rng=1, algorithm=name, workers=2)
    assert calls[0] == "ready" and calls.count("ready") == 1
    calls.clear()
    rdex.minimize(G15, maxfev=40, rng=1, algorithm=name)  # here nobody waits
    assert "ready" not in calls


def test_a_loop_is_compiled_ahead_only_for_strategies_that_have_one(monkeypatch):
    """A search by SLSQP alone had the loop of the differential evolution compiled."""
    asked = []
    monkeypatch.setattr(driver, "prepare", lambda left, *places: asked.append(left))
    for name in ("local", NAME, "auto"):
        rdex.minimize(lambda x: x @ x, [(-5, 5)] * 2, maxfev=20, rng=1, algorithm=name)
    assert asked == [20, 20]


def test_one_at_a_time_local_searches_are_not_interrupted():
    result = rdex.minimize(lambda x: ((x - 3.3) ** 2).sum(), [(0, 10)] * 6, maxfev=150, rng=1,
                           algorithm=NAME)  # fmt: skip
    assert result.fun < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_a_saved_optimizer_goes_on_exactly(tmp_path, seed):
    def advance(optimizer, until):
        while not optimizer.stop and optimizer.nfev < until:
            for trial in optimizer.ask_trials(3):
                f, _, h = g15(trial.x)
                optimizer.tell_trial(trial.id, f, H=h)
        return optimizer

    def make():
        return rdex.Optimizer([(0, 10)] * 3, n_eq=2, maxfev=400, rng=seed, algorithm=NAME)

    whole = advance(make(), 400).result()
    rng = np.random.default_rng(seed)
    parts = make()
    for until in sorted(rng.integers(1, 400, size=4)):
        advance(parts, until)
        parts.ask(2)  # points that are out are saved too
        out = parts.pending
        parts.save(tmp_path / "run")
        parts = make()
        parts.load(tmp_path / "run")
        assert np.array_equal(parts.pending, out)
        values = [g15(x) for x in out]
        parts.tell(out, [f for f, _, _ in values], H=[h for _, _, h in values])
    ended = advance(parts, 400).result()
    assert ended.nfev == 400 and ended.feasible
    assert whole.feasible


HOW = ({}, {"batch": 4}, {"updating": "async", "batch": 3})
#: Each way to run and each time to stop once, the rest of the pairs with the slow tests.
PAIRS = [
    pytest.param(how, stop, marks=() if i == j else pytest.mark.slow)
    for i, how in enumerate(HOW)
    for j, stop in enumerate((20, 77, 203))
]


@pytest.mark.parametrize(("how", "stop"), PAIRS)
def test_an_interrupted_run_goes_on_exactly(tmp_path, how, stop):
    def run(maxcalls, **given):
        calls = []

        def function(x):
            calls.append(x.copy())
            if len(calls) > maxcalls:
                raise KeyboardInterrupt
            return g15(x)

        problem = rdex.Problem.from_function(function, [(0, 10)] * 3, n_eq=2)
        return rdex.minimize(problem, maxfev=400, rng=5, algorithm=NAME, **how, **given), calls

    whole, points = run(1000)
    begun, _ = run(stop, checkpoint=tmp_path / "run")
    assert begun.nfev < 400
    ended, rest = run(1000, checkpoint=tmp_path / "run")
    assert ended.nfev == 400 and ended.fun == whole.fun
    assert np.array_equal(ended.population, whole.population)
    assert {x.tobytes() for x in rest} <= {x.tobytes() for x in points}
    assert [(p.name, p.nfev, p.gain) for p in ended.phases] == [
        (p.name, p.nfev, p.gain) for p in whole.phases
    ]


@pytest.mark.parametrize("algorithm", [NAME, "local"])
def test_a_larger_budget_goes_on_from_a_checkpoint(tmp_path, algorithm):
    """`local` ended without a further evaluation."""
    path = tmp_path / "run"
    rdex.minimize(G15, maxfev=200, rng=5, algorithm=algorithm, checkpoint=path)
    result = rdex.minimize(G15, maxfev=500, rng=5, algorithm=algorithm, checkpoint=path)
    again = rdex.minimize(G15, maxfev=500, rng=5, algorithm=algorithm, checkpoint=path)
    assert result.nfev == again.nfev == 500
    assert result.fun == again.fun


@pytest.mark.parametrize("name", ["checkpoint", "evaluations"])
def test_a_search_that_takes_another_way_is_noticed(tmp_path, monkeypatch, name):
    """As with another version: values would be given to other points."""
    options = {"maxfev": 60, "rng": 5, "algorithm": "local", name: tmp_path / "run"}
    rdex.minimize(G15, callback=lambda result: result.nfev >= 30, **options)
    seed_of = RunSpec._child_seed
    monkeypatch.setattr(RunSpec, "_child_seed", lambda self, n: seed_of(self, n + 7))
    with pytest.raises(rdex.RdexError, match=r"run: .* another version|another version of rdex"):
        rdex.minimize(G15, **options)


def test_known_points_are_not_evaluated_again():
    points = []

    def function(x):
        points.append(x)
        return g15(x)

    X = np.random.default_rng(1).random((40, 3)) * 10
    values = [g15(x) for x in X]
    known = {"x": X, "fun": [f for f, _, _ in values], "H": [h for _, _, h in values]}
    problem = rdex.Problem.from_function(function, [(0, 10)] * 3, n_eq=2)
    result = rdex.minimize(problem, maxfev=300, rng=1, algorithm=NAME, x0=known)
    assert result.nfev == 300 and len(points) == 260
    assert result.feasible


def test_injected_points_are_kept_across_a_saved_run(tmp_path):
    def make():
        return rdex.Optimizer([(0, 10)] * 3, n_eq=2, maxfev=300, rng=1, algorithm=NAME)

    def advance(optimizer, n):
        for _ in range(n):
            X = optimizer.ask(1)
            f, _, h = g15(X[0])
            optimizer.tell(X, f, H=h)

    first = make()
    advance(first, 70)
    f, _, h = g15(np.array([3.5, 0.2, 3.5]))
    first.tell([3.5, 0.2, 3.5], f, H=h)
    advance(first, 20)
    first.save(tmp_path / "run")
    second = make()
    second.load(tmp_path / "run")
    assert second.nfev == 91
    assert np.array_equal(first.ask(1), second.ask(1))


def test_failed_evaluations_are_survived():
    def function(x):
        if x[0] > 6:
            raise ValueError("no mesh")
        return g15(x)

    problem = rdex.Problem.from_function(function, [(0, 10)] * 3, n_eq=2)
    result = rdex.minimize(problem, maxfev=1000, rng=1, algorithm=NAME)
    assert result.feasible and result.fun <= 961.7152
    assert result.n_failed > 0


def test_cheap_constraints_go_with_local_search():
    cheap = {"type": "ineq", "fun": lambda x: 1.0 - x[0] - x[1]}
    result = rdex.minimize(lambda x: (x[0] - 1) ** 2 + (x[1] - 1) ** 2, [(0, 2)] * 2, rng=1,
                           cheap_constraints=cheap, maxfev=300, algorithm=NAME)  # fmt: skip
    assert result.feasible and result.fun < 0.5 + 1e-4
    assert result.n_skipped > 0


def test_mixed_integers_are_solved():
    def f(x):
        return (x[0] - 2.2) ** 2 + (x[1] - 0.37) ** 2 + 0.1 * abs(x[2] + 3)

    result = rdex.minimize(f, [(-10, 10)] * 3, integrality=[True, False, True], rng=2,
                           maxfev=800, algorithm=NAME)  # fmt: skip
    assert result.x[0] == 2.0 and result.x[2] == -3.0
    assert abs(result.x[1] - 0.37) < 1e-5


def test_all_integers_get_no_local_search():
    result = rdex.minimize(lambda x: float(x @ x), [(-9, 9)] * 3, integrality=True, rng=2,
                           maxfev=500, algorithm=NAME)  # fmt: skip
    assert result.fun == 0.0 and spent(result) == 0


def test_unknown_names_are_explained():
    with pytest.raises(ValueError, match=r"did you mean 'rdex-tide\+local'"):
        rdex.minimize(lambda x: x @ x, [(0, 1)] * 2, algorithm="rdex-tide+locl")


def test_a_plain_run_and_one_that_is_kept_are_the_same(tmp_path):
    """Stretches in compiled code, and asking and telling."""
    problem = get("g2006/G10")
    plain = rdex.minimize(problem, maxfev=1500, rng=2, algorithm=NAME)
    kept = rdex.minimize(problem, maxfev=1500, rng=2, algorithm=NAME, checkpoint=tmp_path / "run")
    assert plain.fun == kept.fun and np.array_equal(plain.population, kept.population)
    spent_by = [[(p.name, p.nfev, p.gain) for p in r.phases] for r in (plain, kept)]
    assert spent_by[0] == spent_by[1]


def spoilt(change):
    """A design whose values are spoilt."""
    design = get("engineering/tension-spring")

    def function(x):
        f, g, _ = design.evaluate(x[None, :])
        return change(float(f[0])), [change(float(value)) for value in g[0]], []

    bounds = list(zip(design.lower, design.upper, strict=True))
    return rdex.Problem.from_function(function, bounds, n_ineq=design.n_ineq)


def test_a_noisy_function_loses_one_evaluation():
    rng = np.random.default_rng(3)
    noisy = spoilt(lambda value: value * (1 + 1e-3 * rng.standard_normal()))
    result = rdex.minimize(noisy, maxfev=2000, rng=1, algorithm=NAME)
    assert spent(result) == 1
    assert result.phases[-1].reason == "the function is noisy"


def test_a_rounded_function_loses_at_most_a_tenth():
    rounded = spoilt(lambda value: float(f"{value:.3g}"))
    result = rdex.minimize(rounded, maxfev=3000, rng=1, algorithm=NAME)
    assert 0 < spent(result) <= 300


def test_searches_in_vain_lose_at_most_a_tenth():
    """Teeth of a saw: every slope leads away from the optimum, to the next jump."""

    def saw(x):
        steps = 20 * np.abs(x - 3.3)
        return float(np.floor(steps).sum() - 0.3 * (steps - np.floor(steps)).sum())

    result = rdex.minimize(saw, [(0, 10)] * 3, maxfev=5000, rng=1, algorithm=NAME)
    assert 0 < spent(result) <= 0.1 * 5000 + 30 * 4  # what is under way ends


@pytest.mark.parametrize("seed", range(3))
def test_units_that_are_switched_off(seed):
    """Flows <= capacity · 0 at the lower bound 0: nothing can keep a distance from the limit."""
    rng = np.random.default_rng(seed)
    n = 4
    capacity, fixed, price = rng.uniform(1, 5, n), rng.uniform(1, 6, n), rng.uniform(0.5, 3, n)
    gain = rng.uniform(0.6, 0.95, n)
    wanted = 0.3 * float(gain @ capacity)

    def plant(x):
        flow, made, on = x[:n], x[n], x[n + 1 :]
        f = float(fixed @ on + price @ np.sqrt(flow + 0.01) - 2.0 * made)
        return f, [*(flow - capacity * on), wanted - made, on.sum() - 3.0], [gain @ flow - made]

    problem = rdex.Problem.from_function(
        plant, [*((0, each) for each in capacity), (0, 20), *[(0, 1)] * n],
        n_ineq=n + 2, n_eq=1, integrality=[False] * (n + 1) + [True] * n,
    )  # fmt: skip
    assert rdex.minimize(problem, maxfev=800, rng=seed, algorithm=NAME).feasible


def test_phases_are_shown():
    result = rdex.minimize(G15, maxfev=300, rng=1, algorithm=NAME)
    evolution, local = result.phases
    assert (evolution.name, local.name) == ("differential evolution", LOCAL)
    assert evolution.nfev + local.nfev == 300
    assert "first feasible point" in local.gain and "searches" in local.reason
    first, second = [line for line in str(result).splitlines() if "evaluations, " in line]
    assert first.startswith("  phases       differential evolution: ")
    assert f"local search: {local.nfev} evaluations, improved the best" in second


def test_a_time_limit_is_kept_with_the_run(tmp_path):
    """The clock that schedules follow is saved too."""
    path = tmp_path / "run"
    first = rdex.minimize(G15, maxfev=2000, rng=1, algorithm=NAME, maxtime=1000, checkpoint=path,
                          callback=lambda r: r.nfev > 150)  # fmt: skip
    assert 150 < first.nfev < 2000
    result = rdex.minimize(G15, maxfev=2000, rng=1, algorithm=NAME, maxtime=1000, checkpoint=path)
    assert result.nfev == 2000


def test_settings_of_ones_own_are_used_as_they_are():
    settings = rdex.preset("rdex-csop").replace(n0=31)
    seen = []
    rdex.minimize(G15, maxfev=300, rng=1, algorithm="rdex-csop+local", settings=settings,
                  callback=lambda r: seen.append(len(r.population)) and None)  # fmt: skip
    assert max(seen) <= 31


def test_polish_is_kept_in_a_checkpoint(tmp_path):
    options = {"maxfev": 400, "rng": 1, "algorithm": "rdex-csop", "polish": True}
    whole = rdex.minimize(G15, **options)
    options["checkpoint"] = tmp_path / "run"
    begun = rdex.minimize(G15, callback=lambda r: r.nfev > 200, **options)
    ended = rdex.minimize(G15, **options)
    assert begun.nfev < 400 == ended.nfev
    assert whole.fun == ended.fun
    assert spent(whole) == spent(ended) <= 40


def test_a_search_that_gains_nothing_ends_where_it_began():
    """So a new population need not wait for another."""
    optimizer = rdex.Optimizer([(-1, 1)] * 2, maxfev=1000, rng=1, algorithm=NAME)
    hybrid = optimizer._searching.strategy
    for x in optimizer.ask(100):
        optimizer.tell([x], [np.abs(x).max()])
    best = Sample(np.zeros(2), 0.0, np.empty(0), np.empty(0))
    hybrid.archive.add(best)
    assert not hybrid._best_is_an_end()
    hybrid._start_from(best)
    while hybrid._local is not None:
        (x,) = optimizer.ask(1)
        optimizer.tell([x], [np.abs(x).max()])
    assert hybrid._best_is_an_end()


def test_a_population_begins_with_points_of_different_places():
    """Searches that converge leave many points about one place; one of them is enough."""
    optimizer = rdex.Optimizer([(0, 1)] * 2, maxfev=100, rng=1, algorithm=NAME)
    archive = optimizer._searching.strategy.archive
    for k in range(20):
        for x in ([0.5 + 1e-3 * k, 0.5], [0.05 * k, 0.1]):
            archive.add(Sample(np.array(x), sum(x), np.empty(0), np.empty(0)))
    rows = spread_rows(archive, 5, 0.02)
    z = archive.z[rows]
    assert [float(f) for f in archive.f[rows]] == sorted(archive.f[rows])
    assert len(rows) == 5 and z[0].tolist() == [0.0, 0.1]
    assert min(np.abs(z[i] - z[j]).max() for i in range(5) for j in range(i)) >= 0.02
