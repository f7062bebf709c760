"""The default: what it decides and why, what it solves, spends and survives."""

import numpy as np
import pytest
from light_functions import g15
from strategy_runs import make_context, make_problem, sample_at

import rdex
from rdex.strategies.auto import MODELS, Auto, AutoSettings
from rdex.suites import get

CHEAP, SLOW = 0.0, 1.0


G15 = rdex.Problem.from_function(g15, [(0, 10)] * 3, n_eq=2)


def spent(result, name):
    return sum(phase.nfev for phase in result.phases if phase.name == name)


def advance(auto, problem, until):
    """Ask and tell one by one until so many evaluations."""
    while auto.context.used < until:
        for trial in auto.ask(1):
            auto.tell(trial.id, sample_at(problem, trial.x)._replace(seconds=auto.seconds))
    return auto


@pytest.mark.parametrize("seed", range(2))
def test_the_textbook_problem_needs_no_further_argument(seed):
    result = rdex.minimize(G15, maxfev=100, rng=seed)
    assert result.feasible and result.fun == pytest.approx(961.7151, abs=2e-4)
    assert result.algorithm == "auto" and result.nfev == 100
    assert sum(phase.nfev for phase in result.phases) == 100


@pytest.mark.parametrize("maxfev", [1, 2, 10, 40])
@pytest.mark.parametrize("how", [{}, {"batch": 4}, {"updating": "async", "workers": 1}])
def test_never_exceeds_the_budget(maxfev, how):
    points = []

    def function(x):
        points.append(x)
        return g15(x)

    problem = rdex.Problem.from_function(function, [(0, 10)] * 3, n_eq=2)
    result = rdex.minimize(problem, maxfev=maxfev, rng=1, **how)
    assert result.nfev == maxfev == len(points)


def test_the_time_of_models_is_limited_by_budget_and_cost():
    settings = AutoSettings()
    small = settings.allowance(1000, CHEAP, 1)
    assert small == pytest.approx(20.0)  # a small budget: evaluations are precious
    assert settings.allowance(100, CHEAP, 1) == pytest.approx(small / 10)
    assert settings.allowance(4000, CHEAP, 1) == pytest.approx(small / 2)  # time counts
    assert settings.allowance(10_000, SLOW, 1) > 100 * small
    assert settings.allowance(10_000, SLOW, 4) < settings.allowance(10_000, SLOW, 1)


def test_a_cheap_function_with_a_large_budget_does_not_wait_for_models():
    result = rdex.minimize(get("g2006/G02"), maxfev=100_000, rng=1)
    assert 0 < spent(result, MODELS) < 400
    assert "s in this run" in result.phases[0].reason


def test_slow_evaluations_leave_time_for_models():
    problem = get("g2006/G06")

    def share_of_models(seconds):
        context = make_context(problem, maxfev=40_000_000)
        context.make_engine = None
        auto = Auto(context, AutoSettings(evaluation_seconds=seconds))
        auto.seconds = seconds
        while auto._reason_to_leave() == "" and context.used < 80:
            advance(auto, problem, context.used + 1)
        return context.used

    assert share_of_models(CHEAP) < share_of_models(SLOW) == 80


def test_models_go_on_where_nothing_else_can_use_the_rest():
    """Less than 3 (n + 1) evaluations are of no use to a population or to slopes."""

    def reason(maxfev):
        problem = make_problem([-1.0] * 10, [1.0] * 10, lambda x: (float(x @ x), [], []))
        context = make_context(problem, maxfev)
        auto = Auto(context, AutoSettings(model_seconds=0.0, evaluation_seconds=CHEAP))
        auto.seconds = CHEAP
        while auto.report.phase == "design" or auto._model_seconds == 0.0:
            advance(auto, problem, context.used + 1)
        return auto._reason_to_leave()

    assert reason(40) == "" and "0 s in this run" in reason(70)


def test_models_that_gain_nothing_are_left():
    """A function without any structure: the best point is found by luck."""

    def hashed(x):
        return float(np.random.default_rng(x.view(np.uint64) >> np.uint64(20)).random()), [], []

    problem = make_problem([0.0] * 2, [1.0] * 2, hashed)
    result = rdex.minimize(problem, maxfev=200, rng=1)
    assert spent(result, MODELS) < 180
    assert result.phases[0].reason


def test_everything_known_is_data_for_all():
    known = {"x": [[1.0, 2.0, 3.0]], "fun": [0.0], "H": [[5.0, 5.0]]}
    result = rdex.minimize(G15, x0=known, maxfev=80, rng=2)
    assert result.nfev == 80 and result.feasible


def test_two_runs_are_the_same():
    first, second = (rdex.minimize(get("g2006/G04"), maxfev=80, rng=3) for _ in range(2))
    assert first.x.tobytes() == second.x.tobytes() and first.fun == second.fun


@pytest.fixture(scope="module")
def whole():
    """A run that nothing interrupts."""
    return rdex.minimize(get("g2006/G06"), maxfev=80, rng=1)


@pytest.mark.parametrize("stop", [5, 30, 70])
def test_goes_on_exactly_from_a_checkpoint(tmp_path, whole, stop):
    problem, calls = get("g2006/G06"), []

    def ends(result):
        calls.append(1)
        return len(calls) >= stop

    options = {"maxfev": 80, "rng": 1, "checkpoint": tmp_path / "run.npz"}
    rdex.minimize(problem, callback=ends, **options)
    rest = rdex.minimize(problem, **options)
    assert rest.nfev == whole.nfev == 80
    assert rest.x.tobytes() == whole.x.tobytes() and rest.fun == whole.fun


def test_batches_for_workers():
    result = rdex.minimize(get("g2006/G06"), maxfev=160, batch=4, rng=1)
    assert result.feasible and result.fun == pytest.approx(-6961.81388, abs=1e-3)


def test_whole_numbers_are_never_evaluated_twice():
    seen = []

    def function(x):
        seen.append(tuple(x))
        return float((x[0] - 3.2) ** 2 + (x[1] - 1.7) ** 2 + x[0] * x[1] % 3)

    box = {"bounds": [(0, 4), (0, 4)], "integrality": [1, 1]}
    result = rdex.minimize(function, **box, maxfev=200, rng=1)
    assert len(set(seen)) == len(seen) == result.nfev <= 25
    assert result.fun == min(function((a, b)) for a in range(5) for b in range(5))


def test_many_fast_workers_do_not_wait_for_models_to_fill_them():
    """Each point takes the models milliseconds to choose."""
    problem = get("g2006/G06")

    def points_of_a_round(seconds):
        context = make_context(problem, maxfev=400)
        context.width, context.is_async = 16, True
        auto = Auto(context)
        while auto.report.phase == "design":
            trials = auto.ask(16)
            for trial in trials:
                sample = sample_at(problem, trial.x)._replace(seconds=seconds)
                auto.tell(trial.id, sample)
        return len(auto.ask(16))

    assert points_of_a_round(0.001) == 1 < points_of_a_round(60.0) == 15
    assert points_of_a_round(0.0) == 15  # not measured
