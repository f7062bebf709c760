"""Interpreted and compiled kernels are one run: a change at any evaluation is invisible."""

import sys
import warnings

import numpy as np
import pytest
from engine_problems import lens, plane, problem
from runs import assert_same_arrays, variant

import rdex
from rdex.engine.anyorder import AnyOrder
from rdex.engine.engine import Engine
from rdex.engine.presets import PRESETS
from rdex.engine.state import Limits
from rdex.jit import loading
from rdex.jit.interpreting import interpreted
from rdex.suites import registry

pytestmark = pytest.mark.compiled

#: A budget at which every preset ends several generations, and rdex-tide restarts.
MAXFEV = 600


@pytest.fixture
def changing(monkeypatch):
    """Kernels are compiled or interpreted, at random, each time one is asked for."""
    used = {True: 0, False: 0}
    rng = np.random.default_rng(5)

    def find(place, *_more, **_options):
        is_interpreted = bool(rng.random() < 0.5)
        used[is_interpreted] += 1
        return interpreted(place) if is_interpreted else loading.load(place)

    def begin():
        for name in ("rdex.jit.loading", "rdex.engine.engine"):
            monkeypatch.setattr(sys.modules[name], "find_kernel", find)
        return used

    return begin


def made(name):
    """A problem with integers, logarithms and constraints for a preset."""
    settings = variant(name) if name.startswith("ude") else variant(name, n0=20)
    box = problem(lens, 3, n_ineq=2, low=0.5, high=6.0, integrality=[False, True, False])
    limits = Limits(scale="auto")
    return Engine(
        box, settings, MAXFEV, 3, checkpoints=20, limits=limits,
        log_variables=np.array([True, False, False]),
    )  # fmt: skip


def by_fused_loop(engine):
    while not engine.is_finished:
        engine.run(engine.nfev + 7, batch=3)


def by_ask_and_tell(engine):
    while not engine.is_finished:
        engine.tell(*engine.problem.evaluate(engine.ask(4)))


def by_single_points(engine):
    g, h, point = np.empty(2), np.empty(0), engine.ask(1)[0]
    more = 1
    while more:
        f, g_row, _ = engine.problem.evaluate(point[None])
        g[:] = g_row[0]
        more = engine.bound_tell_ask(g, h, point)(f[0])


def by_batches(engine):
    f, g, h, points = np.empty(5), np.empty((5, 2)), np.empty((5, 0)), np.empty((5, 3))
    n = engine.bound_tell_ask_rows(f, g, h, points)(0, 5)
    while n:
        f[:n], g[:n], h[:n] = engine.problem.evaluate(points[:n])
        n = abs(engine.bound_tell_ask_rows(f, g, h, points)(n, 5))


def in_any_order(engine):
    flight, out, rng = AnyOrder(engine), [], np.random.default_rng(1)
    while True:
        asked = flight.ask() if len(out) < 4 else None
        if asked is not None:
            out.append(asked)
            continue
        if not out:
            return
        number, x = out.pop(int(rng.integers(len(out))))
        f, g, h = engine.problem.evaluate(x[None])
        flight.tell(number, f[0], g[0], h[0])


WAYS = (by_fused_loop, by_ask_and_tell, by_single_points, by_batches, in_any_order)


#: Presets that differ in kind run in every way by default, the others in the first and the last.
KINDS = ("rdex-csop", "rdex-tide", "ude-iv")


def is_usual(name, way):
    return name in KINDS or way in (by_fused_loop, in_any_order)


@pytest.mark.parametrize(("name", "way"), [
    pytest.param(name, way, marks=() if is_usual(name, way) else pytest.mark.slow,
                 id=f"{name}-{way.__name__}")
    for name in PRESETS for way in WAYS
])  # fmt: skip
def test_changing_over_at_any_evaluation_changes_no_bit(name, way, changing):
    whole = made(name)
    way(whole)
    used = changing()
    changed = made(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        way(changed)
    assert used[True] > 20 and used[False] > 20
    assert_same_arrays(changed.arrays(), whole.arrays())
    np.testing.assert_array_equal(changed.best.x, whole.best.x)
    np.testing.assert_array_equal(changed.population().x, whole.population().x)


def test_injected_points_and_larger_budgets_change_over_too(changing):
    def run(engine):
        for k in range(30):
            engine.inject(np.array([1.0 + k / 10, 2.0, 3.0]), 5.0 - k, np.zeros(2), np.zeros(0))
        by_ask_and_tell(engine)
        engine.extend(2 * MAXFEV)
        by_ask_and_tell(engine)
        return engine.arrays()

    whole = run(made("rdex-csop"))
    changing()
    assert_same_arrays(run(made("rdex-csop")), whole)


@pytest.mark.parametrize("algorithm", ["rdex-csop+local", "rdex-csop", "rdex-tide+local", "ude-iv"])
@pytest.mark.parametrize("options", [{}, {"vectorized": True}, {"updating": "async", "batch": 3}])
def test_minimize_changes_over_invisibly(algorithm, options, changing):
    def run():
        fun = (lambda X: (X**2).sum(0)) if options.get("vectorized") else (lambda x: float(x @ x))
        cons = {"type": "eq", "fun": lambda x: np.sum(x, 0) - 1}
        return rdex.minimize(
            fun, [(-5, 5)] * 3, constraints=cons, maxfev=400, rng=1, algorithm=algorithm, **options
        )

    whole = run()
    used = changing()
    changed = run()
    assert used[True] > 2 and used[False] > 2
    assert changed.fun == whole.fun and changed.nfev == whole.nfev
    np.testing.assert_array_equal(changed.x, whole.x)
    np.testing.assert_array_equal(changed.population, whole.population)


@pytest.mark.parametrize(
    "id", ["g2006/G06", "engineering/thrust-bearing", "cec2017/C22/d10/2017/1"]
)
@pytest.mark.parametrize("name", ["rdex-csop", "ude-iv"])
def test_functions_of_suites_change_over_with_the_loop(id, name, changing):
    def run():
        engine = Engine(registry.get(id), variant(name), MAXFEV, 1)
        by_fused_loop(engine)
        return engine.arrays()

    whole = run()
    used = changing()
    changed = run()
    assert used[True] > 10 and used[False] > 10
    assert_same_arrays(changed, whole)


def test_equalities_are_judged_alike(changing):
    box = problem(plane, 4, n_eq=2, n_ineq=1)
    whole = Engine(box, variant("rdex-csop", n0=20), 300, 1)
    by_fused_loop(whole)
    changing()
    changed = Engine(box, variant("rdex-csop", n0=20), 300, 1)
    by_fused_loop(changed)
    assert_same_arrays(changed.arrays(), whole.arrays())
