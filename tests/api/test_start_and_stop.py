"""Where runs start and why they stop: x0, init, target, tol, maxtime, callback, announcements."""

import logging
import time

import numpy as np
import pytest
from problems import BOX, LENS, TOY, one_call, ring, same_run, simulator, square, tilted
from scipy.optimize import NonlinearConstraint

import rdex.run.watch
from rdex import minimize


def recorder(fun):
    seen = []

    def recorded(x):
        seen.append(x)
        return fun(x)

    return recorded, seen


@pytest.mark.parametrize(("x0", "rows"), [
    ([1.0, 2.0], [[1.0, 2.0]]),
    ([[1.0, 2.0], [3.0, -4.0]], [[1.0, 2.0], [3.0, -4.0]]),
])  # fmt: skip
@pytest.mark.parametrize("batch", [1, 4])
def test_points_to_start_from_come_first(x0, rows, batch):
    fun, seen = recorder(square)
    minimize(fun, BOX, x0=x0, maxfev=50, rng=0, batch=batch)
    assert np.array(seen)[: len(rows)].tolist() == rows
    plain, others = recorder(square)
    minimize(plain, BOX, maxfev=50, rng=0, batch=batch)
    n = len(rows)
    assert np.array_equal(np.array(seen)[n:9], np.array(others)[n:9])  # the rest is as it was


@pytest.mark.parametrize("batch", [1, 4])
def test_known_values_are_used_and_not_asked_for_again(batch):
    points = np.array([[0.5, 0.0], [1.5, -1.0], [3.0, 3.0]])
    fun, seen = recorder(one_call)
    problem = simulator(variable_names=["a", "b"])
    values = [one_call(x) for x in points]
    known = {"x": points, "fun": [v[0] for v in values], "G": [v[1] for v in values],
             "H": [v[2] for v in values]}  # fmt: skip
    told = minimize(simulator(), x0=known, maxfev=200, rng=0, batch=batch)
    asked = minimize(simulator(), x0=points, maxfev=200, rng=0, batch=batch)
    assert same_run(told, asked) and told.nfev == 200
    counted = minimize(
        rdex.Problem.from_function(fun, BOX, n_ineq=1, n_eq=1), x0=known, maxfev=200, rng=0
    )
    assert len(seen) == 197 and counted.nfev == 200
    assert not any(np.array_equal(x, p) for x in seen for p in points)
    assert problem.variable_names == ("a", "b")


def test_an_earlier_result_is_a_start_with_known_values():
    first = minimize(square, BOX, **TOY, maxfev=500, rng=0)
    fun, seen = recorder(square)
    again = minimize(fun, BOX, **TOY, x0=first, maxfev=60, rng=1)
    assert len(seen) == 59
    assert (again.cv, again.fun) <= (first.cv, first.fun)


def test_more_points_than_fit_are_announced(caplog):
    result = minimize(square, BOX, x0=np.ones((70, 2)), maxfev=100, rng=0)
    assert result.history.n[0] < 70
    assert "of 70 given points fit the population" in caplog.text


@pytest.mark.parametrize("init", ["latinhypercube", "sobol"])
def test_designs_fill_the_box_evenly(init):
    fun, seen = recorder(square)
    minimize(fun, [(0, 1), (1, 100)], init=init, log_scale=[0, 1], maxfev=100, rng=0)
    first = np.array(seen[:16])
    assert np.histogram(first[:, 0], bins=4, range=(0, 1))[0].min() >= 2
    assert np.histogram(np.log10(first[:, 1]), bins=4, range=(0, 2))[0].min() >= 2
    a = minimize(square, BOX, init=init, maxfev=60, rng=3)
    assert same_run(a, minimize(square, BOX, init=init, maxfev=60, rng=3))
    assert not same_run(a, minimize(square, BOX, init=init, maxfev=60, rng=4))


def test_an_array_follows_x0():
    fun, seen = recorder(square)
    minimize(fun, BOX, x0=[1, 1], init=[[2, 2], [3, 3]], maxfev=30, rng=0)
    assert np.array(seen)[:3].tolist() == [[1, 1], [2, 2], [3, 3]]


@pytest.mark.parametrize("batch", [1, 4])
def test_target_needs_a_feasible_point(batch):
    result = minimize(square, BOX, **LENS, target=1.05, maxfev=5000, rng=0, batch=batch)
    assert result.status == 1 and result.success and result.fun <= 1.05
    assert result.nfev < 5000 and "target" in result.message
    assert result.history.nfev[-1] == result.nfev and result.history.f[-1] == result.fun
    never = minimize(square, BOX, constraints=NonlinearConstraint(ring, -2, -1), target=1e9,
                     maxfev=200, rng=0, batch=batch)  # fmt: skip
    assert never.status == 0 and never.nfev == 200


def test_tol_stops_when_the_population_agrees():
    result = minimize(square, BOX, tol=1e-6, maxfev=20000, rng=0)
    assert result.status == 2 and result.nfev < 20000 and "tol" in result.message
    assert np.ptp(result.population_energies) <= 1e-6
    assert minimize(square, BOX, maxfev=300, rng=0).status == 0


@pytest.mark.parametrize("batch", [1, 4])
def test_maxtime(batch):
    def slow(x):
        time.sleep(0.01)
        return square(x)

    result = minimize(slow, BOX, maxtime=0.1, maxfev=10**6, rng=0, batch=batch)
    assert result.status == 3 and 1 <= result.nfev < 100 and "time limit" in result.message


@pytest.mark.parametrize("batch", [1, 3])
def test_the_callback_sees_every_generation_once(batch):
    seen = []
    result = minimize(tilted, BOX, **LENS, callback=seen.append, maxfev=400, rng=0, batch=batch)
    assert [each.nit for each in seen] == list(range(1, result.nit + 1))
    assert np.all(np.diff([each.nfev for each in seen]) > 0)
    last = seen[-1]
    assert last.population.shape == (len(last.population_energies), 2)
    assert last.G.size == 2 and last.feasible and "nit: " in str(last)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("kind", ["True", "StopIteration"])
def test_the_callback_may_stop(kind, batch):
    def callback(intermediate_result):
        if intermediate_result.nit == 3:
            if kind == "StopIteration":
                raise StopIteration
            return True
        return None

    result = minimize(tilted, BOX, callback=callback, maxfev=4000, rng=0, batch=batch)
    assert result.status == 4 and result.nit == 3 and result.nfev < 4000


def test_other_exceptions_of_the_callback_are_the_users():
    with pytest.raises(ZeroDivisionError):
        minimize(square, BOX, callback=lambda r: 1 / 0, maxfev=200, rng=0)


class Clock:
    """A run as the estimate sees it, at moments of our choosing."""

    def __init__(self, maxfev):
        self.nfev, self.maxfev, self.now = 0, maxfev, 0.0


@pytest.mark.parametrize(("seconds", "first", "says"), [
    (1.0, 1.0, True), (0.0001, 30.0, False), (0.0001, 0.0001, False), (100.0, 100.0, True),
])  # fmt: skip
def test_a_long_default_run_is_announced_once(monkeypatch, caplog, seconds, first, says):
    clock = Clock(40000)
    monkeypatch.setattr(rdex.run.watch.time, "monotonic", lambda: clock.now)
    estimate = rdex.run.watch.Estimate(clock)
    made = 0
    for n in range(1, 20):
        clock.nfev, clock.now = n, clock.now + (first if n == 1 else seconds)
        if estimate.is_made(clock.now):
            made = n
            break
    assert made == (1 if seconds > 60 else 6)
    assert ("40000 evaluations will take about" in caplog.text) == says
    assert all(record.levelno == logging.WARNING for record in caplog.records)


def test_only_default_budgets_are_estimated(monkeypatch):
    made = []
    monkeypatch.setattr(rdex.run.watch, "Estimate", lambda engine: made.append(1))
    minimize(square, BOX, maxfev=50, rng=0)
    assert not made
    minimize(square, BOX, maxtime=0.0, rng=0)
    assert made
