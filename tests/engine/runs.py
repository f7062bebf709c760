"""Making, driving and comparing runs in tests."""

import os

import numpy as np
import pytest

from rdex.engine.engine import Engine
from rdex.engine.kernels import layout
from rdex.engine.settings import preset

#: Whether kernels are compiled; runs are shorter where they are not.
IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

#: NumPy scalars warn where machine numbers wrap around or make NaN, as the kernels mean them to.
quiet = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")


def budget(evaluations: int) -> int:
    """`evaluations`, or a third of them in plain Python."""
    return evaluations if IS_COMPILED else evaluations // 3


def variant(name="rdex-csop", **changes):
    """A preset with some fields changed."""
    return preset(name).replace(**changes)


def finished(problem, settings, maxfev, rng=1, **options):
    """An engine that has run to its end."""
    engine = Engine(problem, settings, maxfev, rng, **options)
    engine.run()
    return engine


#: Parts of the state that only hold what is under way, or nothing: not compared between drivers.
PASSING = ("info", "draw", "scratch", "levels", "slot")


def assert_same_state(a, b, except_for=PASSING):
    """Every array equal, bit for bit, but for what only passes through and pending rows."""
    for name in type(a)._fields:
        if name in except_for:
            continue
        left, right = getattr(a, name), getattr(b, name)
        if name in ("x", "f", "phi"):
            rows = 3 * int(a.param[layout.N0])
            left, right = left[:rows], right[:rows]
        np.testing.assert_array_equal(left, right, err_msg=name)


def assert_same_arrays(a, b):
    """Everything that a run is, bit for bit."""
    assert set(a) == set(b)
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def drive(engine, batch=1, told=None, until=None):
    """Ask and tell to the end (or until so many evaluations); `told` cuts a batch into tells."""
    goal = engine.maxfev if until is None else until
    while engine.nfev < goal:
        points = engine.ask(min(batch, goal - engine.nfev))
        assert len(points) > 0
        F, G, H = engine.problem.evaluate(points)
        pieces = [len(points)] if told is None else told(len(points))
        start = 0
        for size in pieces:
            stop = start + size
            engine.tell(F[start:stop], G[start:stop], H[start:stop])
            start = stop


def front_of(engine):
    """x, f, φ of the front by slot."""
    n, s = engine.n, engine.state
    return s.x[:n, : engine.problem.dim], s.f[:n], s.phi[:n]


def population_of(engine):
    """x, f, φ of P, best first."""
    rows = engine.state.pool[: engine.n]
    return engine.state.x[rows, : engine.problem.dim], engine.state.f[rows], engine.state.phi[rows]


def assert_order_holds(engine):
    """Front and P stand sorted by ε-score, and rows are neither lost nor doubled."""
    state, n, eps = engine.state, engine.n, engine.eps
    n0 = int(state.param[layout.N0])
    assert sorted(state.pool) == list(range(n0, 3 * n0))
    assert sorted(state.front[:n]) == list(range(n))
    for rows in (state.front[:n], state.pool[:n]):
        keys = [
            (0, state.f[r], r) if state.phi[r] <= eps else (1, state.phi[r], r)
            for r in rows.tolist()
        ]
        assert keys == sorted(keys)
    assert state.count[layout.INSIDE] == (state.phi[:n] <= eps).sum()
    near = state.param[layout.RACE_FEASIBLE_PHI]
    assert state.count[layout.NEARLY] == (state.phi[:n] < near).sum()
