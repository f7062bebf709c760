"""Evaluations that raise, or give NaN or infinity, in every way of evaluating."""

import numpy as np
import pytest
from problems import BOX, LENS, same_run, square, tilted
from scipy.optimize import NonlinearConstraint

from rdex import Problem, minimize


def failing(at, error=ZeroDivisionError):
    """tilted, raising at the evaluations whose number (from 1) `at` accepts."""
    count = 0

    def fun(x):
        nonlocal count
        count += 1
        if at(count):
            raise error(f"evaluation {count}")
        return tilted(x)

    return fun


def test_the_first_evaluation_raises_with_the_users_traceback():
    with pytest.raises(ZeroDivisionError, match="evaluation 1") as caught:
        minimize(failing(lambda n: n == 1), BOX, maxfev=100, rng=0)
    assert caught.traceback[-1].name == "fun"


@pytest.mark.parametrize("batch", [1, 5])
def test_later_failures_are_counted_and_the_search_goes_on(batch):
    result = minimize(failing(lambda n: n % 3 == 0), BOX, **LENS, maxfev=600, rng=0, batch=batch)
    assert result.n_failed == 200 and result.nfev == 600
    assert result.feasible and np.isfinite(result.population_energies).all()
    assert "200 evaluations gave no usable values" in str(result)


def test_failures_raise_where_asked_for():
    with pytest.raises(ZeroDivisionError, match="evaluation 40"):
        minimize(failing(lambda n: n == 40), BOX, maxfev=100, rng=0, on_error="raise")


def test_if_nothing_works_the_first_exception_ends_the_run():
    count = []

    def fun(x):
        count.append(1)
        if len(count) > 1:
            raise KeyError(f"evaluation {len(count)}")
        return np.nan

    with pytest.raises(KeyError, match="evaluation 2"):
        minimize(fun, BOX, maxfev=500, rng=0)
    assert len(count) == minimize(square, BOX, maxfev=500, rng=0).history.nfev[0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_failures(bad):
    result = minimize(lambda x: bad if x[0] < 0 else tilted(x), BOX, maxfev=500, rng=0)
    assert result.n_failed > 0 and result.feasible and result.x[0] >= 0
    assert np.isfinite(result.fun)
    same = minimize(lambda x: np.nan if x[0] < 0 else tilted(x), BOX, maxfev=500, rng=0)
    assert same_run(result, same)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_constraint_that_is_not_finite_is_a_failure(bad):
    constraint = NonlinearConstraint(lambda x: bad if x[0] < 0 else x[1], 0, 3)
    result = minimize(square, BOX, constraints=constraint, maxfev=300, rng=0)
    assert result.n_failed > 0 and result.feasible


def test_a_run_of_nothing_but_nan_still_says_so():
    """It stops after the initial population: the rest of the budget would be wasted."""
    result = minimize(lambda x: np.nan, BOX, maxfev=60, rng=0)
    assert result.nfev == result.n_failed == 13 and result.status == 6
    assert not result.success and result.fun == np.inf and result.x.shape == (2,)
    assert "No evaluation gave usable values" in result.message
    assert str(result).startswith("No solution")


# Without the JIT, unknown minus unknown is mentioned by NumPy before the engine drops it.
@pytest.mark.filterwarnings("ignore:invalid value encountered in scalar:RuntimeWarning")
def test_an_unknown_objective_of_an_infeasible_point_is_no_failure():
    def fun(x):
        return np.nan if x[0] < 1 else tilted(x)

    constraint = NonlinearConstraint(lambda x: x[0], 1, np.inf)
    result = minimize(fun, BOX, constraints=constraint, maxfev=500, rng=0)
    assert result.n_failed == 0 and result.feasible
    never = minimize(lambda x: np.nan, BOX, constraints=NonlinearConstraint(square, -2, -1),
                     maxfev=200, rng=0)  # fmt: skip
    assert never.n_failed == 0 and np.isnan(never.fun) and not never.success
    assert never.maxcv < 1.1 and "unknown" in str(never)


@pytest.mark.parametrize("layout", [True, "rows"])
def test_a_vectorised_function_that_raises_loses_its_batch(layout):
    calls = []

    def fun(X):
        calls.append(X.shape[1 if layout is True else 0])
        if len(calls) == 4:
            raise OSError
        return (X**2).sum(0 if layout is True else 1)

    result = minimize(fun, BOX, vectorized=layout, maxfev=200, rng=0)
    assert result.n_failed == calls[3] and sum(calls) == 200


def test_interrupts_are_not_failures():
    result = minimize(failing(lambda n: n == 30, KeyboardInterrupt), BOX, maxfev=100, rng=0)
    assert result.nfev == 29 and result.status == 5 and "interrupted" in result.message


def test_a_wrong_number_of_constraints_is_named_at_once():
    with pytest.raises(ValueError, match="expected 1 values of G, got 2"):
        minimize(Problem.from_function(lambda x: (0.0, [1, 2]), BOX, n_ineq=1), maxfev=50)
