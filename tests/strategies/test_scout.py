"""The model-based search: small budgets, fixed seeds."""

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint

from rdex import Optimizer, Problem, minimize
from rdex.suites import get, is_solved


def total(x):
    """x0 + x1."""
    return x[0] + x[1]


#: Points outside a circle.
OUTSIDE = NonlinearConstraint(lambda x: x @ x, 1.0, np.inf)


@pytest.mark.parametrize(
    "id, budget",
    [
        ("g2006/G04", 60),
        ("g2006/G05", 80),
        pytest.param("g2006/G07", 100, marks=pytest.mark.slow),
        ("g2006/G11", 30),
        pytest.param("engineering/welded-beam", 100, marks=pytest.mark.slow),
        pytest.param("engineering/speed-reducer", 80, marks=pytest.mark.slow),  # one integer
        ("engineering/process-synthesis", 60),  # four of them
    ],
)
def test_it_solves_with_few_evaluations(id, budget):
    problem = get(id)
    result = minimize(problem, algorithm="scout", maxfev=budget, rng=1)
    assert result.nfev <= budget
    assert is_solved(problem, result.fun, result.cv)


def test_batches_reach_the_same():
    problem = get("g2006/G04")
    result = minimize(problem, algorithm="scout", maxfev=120, rng=0, batch=4)
    assert is_solved(problem, result.fun, result.cv)
    assert result.nit <= 31


def rosenbrock(x):
    """Of any number of variables."""
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


def test_without_constraints():
    result = minimize(rosenbrock, [(-2, 2)] * 3, algorithm="scout", maxfev=150, rng=0)
    assert result.fun < 1e-3


def test_one_variable():
    result = minimize(lambda x: (x[0] - 0.3) ** 2, [(-1, 2)], algorithm="scout", maxfev=30, rng=0)
    assert result.fun < 1e-8


def test_fixed_integer_and_logarithmic_variables():
    def f(x):
        assert x[1] == 2.0 and x[2] == int(x[2])
        return (np.log10(x[0]) + 2) ** 2 + (x[2] - 3) ** 2 + 0.1 * x[0] * x[1]

    result = minimize(
        f, [(1e-5, 1e2), (2, 2), (-9, 9)], algorithm="scout", maxfev=60, rng=0,
        integrality=[False, False, True], log_scale=[True, False, False],
    )  # fmt: skip
    assert result.x[2] == 3 and result.fun < 0.0021


def crashing(x):
    """A tenth of the box fails, beside the optimum at (0.5, 0.5, 0.5)."""
    if x[0] - x[1] > 0.55:
        raise RuntimeError("no mesh")
    return float(((x - 0.5) ** 2).sum() + x[0])


def test_failures_are_kept_away_from():
    half = NonlinearConstraint(lambda x: x[0], 0.5, np.inf)
    result = minimize(crashing, [(0, 1)] * 3, constraints=half, algorithm="scout", maxfev=80, rng=0)
    assert result.fun == pytest.approx(0.5, abs=1e-4)
    assert result.n_failed <= 8


def test_nothing_works():
    optimizer = Optimizer([(0, 1)] * 2, algorithm="scout", maxfev=60, rng=0)
    while optimizer.stop is None:
        optimizer.tell(optimizer.ask(1), [np.nan])
    assert optimizer.nfev == 60 and not optimizer.result().feasible


def test_many_variables():
    result = minimize(
        lambda x: float(((x - 0.3) ** 2).sum()), [(-1, 1)] * 50, algorithm="scout", maxfev=130,
        rng=0,
    )  # fmt: skip
    assert result.fun < 1e-3


def test_known_values_are_data():
    z = np.random.default_rng(3).random((25, 2)) * 4 - 2
    known = {"x": z, "fun": z.sum(1), "G": 1 - (z**2).sum(1, keepdims=True)}
    result = minimize(
        total, [(-2, 2)] * 2, constraints=OUTSIDE, algorithm="scout", maxfev=45, rng=0, x0=known
    )
    assert result.nfev == 45 and result.fun == pytest.approx(-4.0, abs=1e-6)


@pytest.mark.parametrize(
    "at", [pytest.param(5, marks=pytest.mark.slow), 23, pytest.param(41, marks=pytest.mark.slow)]
)
def test_resume_is_exact(tmp_path, at):
    def options(path, **more):
        return dict(bounds=[(-2, 2)] * 2, constraints=OUTSIDE, algorithm="scout", maxfev=50, rng=2,
                    checkpoint=path, **more)  # fmt: skip

    whole = minimize(total, **options(tmp_path / "whole"))
    count = 0

    def stops(x):
        nonlocal count
        count += 1
        if count > at:
            raise KeyboardInterrupt
        return total(x)

    assert minimize(stops, **options(tmp_path / "part")).nfev == at
    resumed = minimize(total, **options(tmp_path / "part"))
    assert resumed.nfev == whole.nfev
    np.testing.assert_array_equal(resumed.x, whole.x)
    np.testing.assert_array_equal(resumed.population, whole.population)


def test_ask_gives_as_many_as_wanted_and_states_go_on(tmp_path):
    def tell(optimizer, x):
        optimizer.tell(x, x.sum(1), G=1 - (x**2).sum(1, keepdims=True))

    arguments = ([(-2, 2)] * 2, 1)
    first = Optimizer(*arguments, algorithm="scout", maxfev=40, rng=0)
    for n in (5, 1, 4, 4, 3):
        x = first.ask(n)
        assert len(x) == n and len(np.unique(x, axis=0)) == n
        tell(first, x)
    first.save(tmp_path / "state")
    second = Optimizer(*arguments, algorithm="scout", maxfev=40, rng=0)
    second.load(tmp_path / "state")
    while first.stop is None:
        x = first.ask(3)
        np.testing.assert_array_equal(x, second.ask(3))
        tell(first, x)
        tell(second, x)
    assert second.result().fun == first.result().fun == pytest.approx(-4.0, abs=1e-3)


def test_it_hands_over_where_models_predict_nothing():
    def rugged(x):
        return float(np.sin(1e4 * x).sum())

    result = minimize(rugged, [(0, 1)] * 3, algorithm="scout", maxfev=800, rng=0)
    phases = {phase.name: phase for phase in result.phases}
    assert "predict" in phases["models"].reason and phases["models"].nfev < 400
    assert phases["differential evolution"].nfev > 200


def test_results_have_a_model_with_honest_errors():
    result = minimize(
        total, [(-2, 2)] * 2, constraints=OUTSIDE, algorithm="scout", maxfev=40, rng=0
    )
    x = np.random.default_rng(1).random((50, 2)) * 4 - 2
    predicted = result.model.predict(x)
    np.testing.assert_allclose(predicted.f, x.sum(1), atol=1e-6)
    errors = np.abs(predicted.G[:, 0] - (1 - (x**2).sum(1)))
    assert np.median(errors) <= 3 * np.median(predicted.G_error) + 1e-9
    np.testing.assert_allclose(result.model.importance()[0], [0.5, 0.5], atol=1e-6)
    plain = minimize(rosenbrock, [(-2, 2)] * 2, algorithm="rdex-csop", maxfev=50, rng=0)
    assert "model" not in plain


def test_a_larger_budget_goes_on(tmp_path):
    arguments = dict(bounds=[(-2, 2)] * 3, algorithm="scout", rng=0, checkpoint=tmp_path / "run")
    first = minimize(rosenbrock, maxfev=40, **arguments)
    second = minimize(rosenbrock, maxfev=80, **arguments)
    assert second.nfev == 80 and second.fun < first.fun


def noisy_bowl(seed):
    """A bowl and a constraint with 1 % of noise."""
    rng = np.random.default_rng(seed)

    def function(x):
        noise = 1.0 + 0.01 * rng.standard_normal(2)
        return float((1.0 + x @ x) * noise[0]), [float((1.5 - x.sum()) * noise[1])], []

    return Problem.from_function(function, [(-3, 3)] * 3, n_ineq=1)


@pytest.mark.parametrize("n_seeds", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_noise_is_seen_and_smoothed(n_seeds):
    excess = []
    for seed in range(n_seeds):
        result = minimize(noisy_bowl(seed), algorithm="scout", maxfev=120, rng=seed)
        excess.append(1.0 + result.x @ result.x - 1.75)  # the exact optimum is 1.75
        assert "do not predict" not in " ".join(phase.reason for phase in result.phases)
    assert np.median(excess) < 0.02


def test_one_point_is_evaluated_again_and_no_more_without_noise():
    seen = []

    def function(x):
        seen.append(x.copy())
        return float(np.abs(x - 0.3).sum() + np.floor(5 * x[0]))  # models fail at the steps

    minimize(function, [(-1, 1)] * 2, algorithm="scout", maxfev=80, rng=0)
    x = np.array(seen)
    close = np.abs(x[:, None] - x[None]).max(axis=2)
    assert ((close < 1e-14).sum() - len(x)) / 2 <= 1


def test_a_constraint_that_only_says_yes_or_no():
    """Does it mesh? The optimum is on the border of what is allowed."""

    def function(x):
        return float(x.sum()), [float(x @ x < 1.0)], []

    problem = Problem.from_function(function, [(0, 2)] * 2, n_ineq=1)
    result = minimize(problem, algorithm="scout", maxfev=100, rng=2)
    assert result.success and result.fun < 1.05
