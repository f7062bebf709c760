"""Local search: what it finds, what it spends, and what it does where things go wrong."""

import numpy as np
import pytest
from strategy_runs import drive, make_context, make_problem, sample_at
from threadpoolctl import threadpool_limits

import rdex
from rdex.strategies.local import local_search
from rdex.strategies.local_settings import BUDGET, CONVERGED, FAILED, FLAT, NOISY, LocalSettings
from rdex.suites import get


def disc(x):
    """Closest to (2, 1) in the unit disc: on its edge."""
    return float((x[0] - 2) ** 2 + (x[1] - 1) ** 2), [x @ x - 1.0], []


DISC = make_problem([-2.0, -2.0], [2.0, 2.0], disc, n_ineq=1)
EDGE = np.array([2.0, 1.0]) / np.sqrt(5.0)


def search(problem, x, limit=500, fails=lambda x: False, **given):
    context = make_context(problem, logarithmic=given.pop("logarithmic", None))
    return drive(local_search(context, sample_at(problem, x), limit, **given), problem, fails)


def test_ends_on_the_constraint_and_inside():
    outcome, batches = search(DISC, [-1.0, 0.3])
    assert outcome.has_converged and outcome.reason == CONVERGED
    assert np.allclose(outcome.best.x, EDGE, atol=1e-5)
    assert outcome.best.g[0] <= 0.0
    assert outcome.n == sum(map(len, batches)) < 60


def test_the_differences_of_a_gradient_go_out_together():
    _, batches = search(DISC, [-1.0, 0.3])
    assert len(batches[0]) == 2
    assert set(map(len, batches)) == {1, 2}


@pytest.mark.parametrize("limit", range(0, 40, 3))
def test_never_exceeds_its_limit(limit):
    outcome, batches = search(DISC, [-1.0, 0.3], limit=limit)
    assert outcome.n == sum(map(len, batches)) <= limit
    assert outcome.reason in (BUDGET, CONVERGED)


@pytest.mark.parametrize(("id", "seed"), [("g2006/G05", 1), ("g2006/G15", 0), ("g2006/G13", 3)])
def test_equalities_are_met_within_the_tolerance(id, seed):
    problem = get(id)
    x = problem.lower + np.random.default_rng(seed).random(problem.dim) * (
        problem.upper - problem.lower
    )
    outcome, _ = search(problem, x, limit=2000)
    assert np.abs(outcome.best.h).max() <= 1e-4
    assert (outcome.best.g <= 0.0).all()


@pytest.mark.parametrize("limit", [100, 150, 300])
def test_from_a_point_inside_the_end_is_inside_and_better(limit):
    """Steps along curved equalities end a little outside; the search comes back before it ends."""
    matrix = np.random.default_rng(3).standard_normal((8, 24))

    def curved(x):
        return float(matrix[0] @ x), [], matrix[1:] @ (x + x * x)

    problem = make_problem([-1.0] * 24, [1.0] * 24, curved, n_eq=7)
    outcome, _ = search(problem, np.zeros(24), limit=limit, soft_limit=50)
    context = make_context(problem)
    assert context.judge.phi_of(outcome.best.g, outcome.best.h) == 0.0
    assert outcome.best.f < -5.0


def test_integers_and_fixed_variables_stay():
    def function(x):
        return float((x[0] - 0.3) ** 2 + (x[1] - 2.4) ** 2 + x[2]), [], []

    problem = make_problem([0.0, 0.0, 5.0], [1.0, 9.0, 5.0], function,
                           integrality=[False, True, False])  # fmt: skip
    outcome, batches = search(problem, [0.9, 7.0, 5.0])
    points = np.concatenate(batches)
    assert (points[:, 1] == 7.0).all() and (points[:, 2] == 5.0).all()
    assert abs(outcome.best.x[0] - 0.3) < 1e-6


def test_logarithmic_variables_are_searched_by_their_logarithm():
    problem = make_problem([1e-6, 1e-6], [1e6, 1e6],
                           lambda x: (float((np.log(x) ** 2).sum()), [], []))  # fmt: skip
    outcome, _ = search(problem, [1e-5, 1e4], logarithmic=np.array([True, True]))
    assert np.allclose(outcome.best.x, 1.0, rtol=1e-4)
    assert outcome.n < 20


def test_differences_at_the_upper_bound_go_backward():
    outcome, batches = search(DISC, [2.0, 2.0])
    assert (batches[0] <= 2.0).all()
    assert np.allclose(outcome.best.x, EDGE, atol=1e-5)


def test_failed_differences_are_tried_in_the_other_direction():
    _, batches = search(DISC, [0.5, 0.5], fails=lambda x: 0.5 < x[0] < 0.5 + 1e-6)
    assert [len(batch) for batch in batches[:2]] == [2, 1]
    assert batches[1][0, 0] < 0.5
    # The last bits decide on which side of the edge the last step ends.
    assert np.abs(np.concatenate(batches) - EDGE).max(axis=1).min() < 1e-5


def test_failed_steps_are_shortened():
    outcome, _ = search(DISC, [-1.0, 0.3], fails=lambda x: x[0] > 0.85)
    assert np.isfinite(outcome.best.f)
    assert outcome.best.x[0] > 0.6


def test_a_failed_start_costs_nothing():
    context = make_context(DISC)
    start = sample_at(DISC, [0.0, 0.0])._replace(f=np.nan)
    outcome, batches = drive(local_search(context, start, 100), DISC)
    assert outcome.reason == FAILED and batches == []


def test_a_flat_function_costs_one_gradient():
    steps = make_problem([0.0] * 3, [1.0] * 3, lambda x: (float(np.round(x, 1).sum()), [], []))
    outcome, _ = search(steps, [0.33, 0.51, 0.72])
    assert outcome.reason == FLAT and outcome.n == 3


def test_a_noisy_function_costs_one_evaluation():
    rng = np.random.default_rng(1)
    noisy = make_problem([0.0], [1.0], lambda x: (1.0 + x[0] + 1e-6 * rng.random(), [], []))
    outcome, _ = search(noisy, [0.4], checks_start=True)
    assert outcome.reason == NOISY and outcome.n == 1


def test_an_exact_function_passes_the_check_for_noise():
    outcome, _ = search(DISC, [-1.0, 0.3], checks_start=True)
    assert outcome.reason == CONVERGED


def test_the_strategy_solves_a_textbook_problem():
    result = rdex.minimize(get("g2006/G15"), maxfev=300, rng=1, algorithm="local")
    assert result.feasible and result.fun < 961.7151
    assert result.nfev == 300
    assert result.algorithm == "local"


def test_the_strategy_starts_from_x0():
    result = rdex.minimize(lambda x: x @ x, [(-1, 1)] * 2, x0=[0.5, 0.5], maxfev=7, rng=1,
                           algorithm="local")  # fmt: skip
    assert result.fun < 1e-10


def test_the_strategy_descends_on_integers():
    result = rdex.minimize(lambda x: (x[0] - 3) ** 2 + (x[1] + 4) ** 2, [(-50, 50)] * 2, rng=1,
                           maxfev=300, integrality=True, algorithm="local")  # fmt: skip
    assert result.x.tolist() == [3.0, -4.0]


def test_the_search_does_not_depend_on_the_threads_of_the_linear_algebra():
    """The solver rounds differently with other numbers of threads."""
    problem = get("engineering/stepped-cantilever")
    random = np.random.default_rng(1).random(problem.dim)
    x = problem.lower + random * (problem.upper - problem.lower)
    start = sample_at(problem, np.where(problem.integrality, np.round(x), x))
    outcomes = []
    for n in (1, 2):
        context = make_context(problem)
        with threadpool_limits(n, user_api="blas"):
            search = local_search(context, start, 1000, LocalSettings(shortest=0.0))
            outcomes.append(drive(search, problem)[0])
    assert outcomes[0].n == outcomes[1].n
    assert np.array_equal(outcomes[0].end, outcomes[1].end)


def test_the_last_digits_of_the_best_point_come_from_differences_on_both_sides():
    """A steep start in a wide box: scales and slopes from there are too rough at the end."""

    def valley(x):
        return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))

    box = {"bounds": [(-100.0, 100.0)] * 6, "x0": [[80.0, -70.0, 60.0, -50.0, 40.0, -30.0]]}
    result = rdex.minimize(valley, **box, algorithm="local", maxfev=2500, rng=1)
    assert result.fun < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_an_equality_written_as_two_inequalities(seed):
    """They leave no room: only points without rounding errors hold both. Fails without `_round`."""

    def flows(x):
        balance = 2 * x[0] + x[1] - 3 * x[2]
        return (x[0] - 1 / 3) ** 2 + (x[1] - 0.7) ** 2 + x[2] ** 3, [balance, -balance], []

    problem = rdex.Problem.from_function(flows, [(0, 2), (0, 5), (0, 1)], n_ineq=2)
    result = rdex.minimize(problem, algorithm="local", maxfev=200, rng=seed)
    assert result.feasible
    assert result.fun == pytest.approx(0.062917, abs=1e-4)
