"""`minimize`: right answers, all kinds of problems, the same run by every path."""

import logging

import numpy as np
import pytest
from problems import BOX, LENS, TOY, one_call, ring, same_run, simulator, square, tilted
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint, OptimizeResult

import rdex
from rdex import Problem, minimize, preset


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(10))
def test_the_toy_that_misleads_other_packages(seed):
    result = minimize(square, BOX, **TOY, maxfev=5000, rng=seed)
    assert result.success and result.feasible
    assert abs(result.fun - 0.4999) < 1e-3
    assert result.nfev == 5000
    assert abs(result.x.sum() - 1) <= 1e-4


def test_every_way_to_write_the_same_constraint_is_the_same_run():
    first = minimize(tilted, BOX, constraints=LinearConstraint([[1.0, 2.0]], -np.inf, -3.0),
                     maxfev=300, rng=1)  # fmt: skip
    for form in (
        NonlinearConstraint(lambda x: 1.0 * x[0] + 2.0 * x[1], -np.inf, -3.0),
        [{"type": "ineq", "fun": lambda x, a: -3.0 - (x[0] + a * x[1]), "args": 2.0}],
        (LinearConstraint([1.0, 2.0], ub=-3.0),),
    ):
        assert same_run(minimize(tilted, BOX, constraints=form, maxfev=300, rng=1), first)
    whole = Problem.from_function(lambda x: (tilted(x), [x[0] + 2.0 * x[1] + 3.0]), BOX, n_ineq=1)
    assert same_run(minimize(whole, maxfev=300, rng=1), first)
    assert same_run(
        minimize(tilted, Bounds(-5.0, [5.0, 5.0]), constraints=form, maxfev=300, rng=1), first
    )


@pytest.mark.parametrize("layout", [True, "rows"])
def test_vectorised_functions_give_the_run_of_plain_ones_at_equal_batch(layout):
    def turned(X):
        return X.T if layout is True else X

    def fun(X):
        rows = turned(X)
        return np.array([tilted(row) for row in rows])

    constraints = [NonlinearConstraint(lambda X: np.array([ring(r) for r in turned(X)]), 1, np.inf),
                   LinearConstraint([[1, -0.5]], ub=2)]  # fmt: skip
    plain = [NonlinearConstraint(ring, 1, np.inf), LinearConstraint([[1, -0.5]], ub=2)]
    many = minimize(fun, BOX, constraints=constraints, vectorized=layout, maxfev=400, rng=2)
    for batch in ({"updating": "deferred"}, {"batch": None, "updating": "deferred"}):
        assert same_run(many, minimize(tilted, BOX, constraints=plain, maxfev=400, rng=2, **batch))
    five = minimize(
        fun, BOX, constraints=constraints, vectorized=layout, maxfev=400, rng=2, batch=5
    )
    assert same_run(five, minimize(tilted, BOX, constraints=plain, maxfev=400, rng=2, batch=5))
    assert not same_run(five, minimize(tilted, BOX, constraints=plain, maxfev=400, rng=2))


def test_a_batch_of_one_is_the_immediate_run():
    now = minimize(tilted, BOX, **LENS, maxfev=400, rng=5)
    assert same_run(now, minimize(tilted, BOX, **LENS, maxfev=400, rng=5, updating="immediate"))
    assert same_run(now, minimize(tilted, BOX, **LENS, maxfev=400, rng=5, batch=1))


def test_a_vectorised_function_of_the_wrong_shape_is_refused_at_once():
    with pytest.raises(ValueError, match=r"points of shape \(2, \d+\) .* shape \(\d+,\), got \(2,"):
        minimize(lambda X: X, BOX, vectorized=True, maxfev=100)


def test_one_call_for_everything_and_its_arguments():
    result = minimize(simulator(), maxfev=2000, rng=0)
    assert result.feasible
    f, g, h = one_call(result.x)
    assert (result.fun, result.G.tolist(), result.H.tolist()) == (f, g, h)


def test_a_problem_of_the_suites():
    from rdex.suites import get

    result = minimize(get("g2006/G24"), maxfev=2000, rng=0)
    assert abs(result.fun + 5.50801) < 1e-2 and result.feasible
    assert result.settings.perturb_unit == "range"


def test_arguments_reach_the_function():
    shift = minimize(lambda x, a, b: (x[0] - a) ** 2 + b, [(-5, 5)], args=(2.0, 1.0), maxfev=500,
                     rng=0)  # fmt: skip
    assert abs(shift.x[0] - 2) < 1e-2 and shift.fun >= 1.0
    single = minimize(lambda x, a: (x[0] - a) ** 2, [(-5, 5)], args=3.0, maxfev=500, rng=0)
    assert abs(single.x[0] - 3) < 1e-2


def test_integers_are_rounded_inside_the_bounds():
    seen = []

    def fun(x):
        seen.append(x)
        return (x[0] - 2.4) ** 2 + (x[1] - 0.3) ** 2

    result = minimize(fun, [(-3.7, 4.2), (-1, 1)], integrality=[1, 0], maxfev=400, rng=0,
                      init="latinhypercube", x0=[1.2, 0.0])  # fmt: skip
    whole = np.array([x[0] for x in seen])
    assert set(whole) == set(range(-3, 5))
    assert result.x[0] == 2 and abs(result.x[1] - 0.3) < 0.05
    assert (result.population[:, 0] % 1 == 0).all()


def test_logarithmic_variables_are_searched_by_their_order_of_magnitude():
    seen = []

    def fun(x):
        seen.append(x[0])
        return (np.log10(x[0]) + 5) ** 2

    result = minimize(fun, [(1e-8, 1.0)], log_scale=True, maxfev=300, rng=0)
    assert abs(np.log10(result.x[0]) + 5) < 1e-2
    assert 1e-8 <= min(seen) and max(seen) <= 1.0
    assert np.mean(np.array(seen[:12]) < 1e-4) > 0.2


def test_the_function_never_sees_a_point_outside_and_may_keep_what_it_gets():
    seen = []

    def fun(x):
        assert (np.abs(x) <= 5).all()
        seen.append(x)
        x[:] = x + 0  # ours to write
        return square(x)

    minimize(fun, BOX, maxfev=200, rng=0, on_error="raise")
    assert len({x.tobytes() for x in seen}) > 190


def test_rng_of_every_kind_and_nothing_global():
    np.random.seed(1)  # noqa: NPY002 - to see that nobody draws from it
    before = np.random.get_state()[1].copy()  # noqa: NPY002

    def once(rng):
        return minimize(tilted, BOX, maxfev=60, rng=rng)

    assert same_run(once(7), once(7))
    assert not same_run(once(7), once(8))
    assert not same_run(once(None), once(None))
    sequence = np.random.SeedSequence(7)
    assert same_run(once(sequence), once(7)) and sequence.n_children_spawned == 0
    assert same_run(once(np.random.default_rng(7)), once(np.random.default_rng(7)))
    generator = np.random.default_rng(7)
    assert not same_run(once(generator), once(generator))
    children = np.random.SeedSequence(7).spawn(2)
    assert not same_run(once(children[0]), once(children[1]))
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_algorithms_and_settings():
    results = [minimize(tilted, BOX, algorithm=name, maxfev=200, rng=0)
               for name in ("rdex-csop", "rdex", "cl-srde", "rde26")]  # fmt: skip
    assert same_run(results[0], results[1])
    assert not same_run(results[0], results[2])
    assert not same_run(results[0], results[3])
    own = preset("rdex-csop").replace(n0=8, name="mine")
    a = minimize(tilted, BOX, algorithm=own, maxfev=200, rng=0)
    b = minimize(tilted, BOX, settings=own, maxfev=200, rng=0)
    assert same_run(a, b) and a.history.n[0] == 8 and a.settings.perturb_unit == "absolute"


@pytest.mark.parametrize("maxfev", [1, 2, 5, 12, 13, 40])
def test_tiny_budgets_are_kept_exactly(maxfev):
    calls = []
    result = minimize(lambda x: calls.append(1) or square(x), BOX, **TOY, maxfev=maxfev, rng=0)
    assert len(calls) == result.nfev == maxfev
    assert result.x.shape == (2,) and np.isfinite(result.fun)
    assert len(result.population) <= maxfev


def test_a_fixed_variable_stays():
    result = minimize(square, [(-5, 5), (1.5, 1.5)], maxfev=300, rng=0)
    assert result.x[1] == 1.5


def test_the_default_budget_is_part_of_the_result():
    result = minimize(square, BOX, maxtime=0.0, rng=0)
    assert result.maxfev == 40000 and result.nfev <= 1


def test_the_library_logs_and_does_not_print(capsys, caplog):
    with caplog.at_level(logging.DEBUG):
        result = minimize(square, BOX, maxfev=60, rng=0, x0=np.zeros((100, 2)))
    assert capsys.readouterr() == ("", "")
    assert {record.name for record in caplog.records} == {"rdex"}
    assert isinstance(result, OptimizeResult)
    assert isinstance(result, dict) and rdex.minimize is minimize
