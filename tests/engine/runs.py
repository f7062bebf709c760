"""Making, driving and comparing runs in tests."""

import os

import numpy as np
import pytest

from rdex.engine.engine import Engine
from rdex.engine.presets import preset
from rdex.engine.state import flattened
from rdex.jit.interpreting import with_attributes

#: Whether kernels are compiled; runs are shorter where they are not.
IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")

#: NumPy scalars warn where machine numbers wrap around or make NaN, as the kernels mean them to.
quiet = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")


def budget(evaluations: int) -> int:
    """`evaluations`, or a third of them in plain Python."""
    return evaluations if IS_COMPILED else evaluations // 3


def pairs(names, others):
    """All pairs as parameters; every second one by default, so that all are met."""
    return [
        pytest.param(name, other, marks=() if (i + j) % 2 == 0 else pytest.mark.slow)
        for i, name in enumerate(names)
        for j, other in enumerate(others)
    ]


def for_parts(records):
    """Records for parts called one by one: in plain Python their fields must be attributes."""
    return records if IS_COMPILED else with_attributes(records)


def variant(name="rdex-csop", **changes):
    """A preset with some fields changed."""
    return preset(name).replace(**changes)


def finished(problem, settings, maxfev, rng=1, **options):
    """An engine that has run to its end."""
    engine = Engine(problem, settings, maxfev, rng, **options)
    engine.run()
    return engine


#: Parts of the state that only hold what is under way, or nothing: not compared between drivers.
PASSING = ("pending", "scratch.rows", "scratch.levels", "slots")


def assert_same_state(a, b, except_for=PASSING):
    """Every array equal, bit for bit, but for what only passes through and pending rows."""
    mine, theirs = flattened(a), flattened(b)
    for name in set(mine) - set(except_for):
        left, right = mine[name], theirs[name]
        if name.startswith("members."):
            rows = 3 * int(a.settings["n0"][0])
            left, right = left[:rows], right[:rows]
        for field in left.dtype.names or ():
            if f"{name}.{field}" not in except_for:
                np.testing.assert_array_equal(left[field], right[field], err_msg=field)
        if left.dtype.names is None:
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
    n, s = engine.n, engine.state.members
    return s.x[:n, : engine.problem.dim], s.f[:n], s.phi[:n]


def population_of(engine):
    """x, f, φ of P, best first."""
    rows = engine.state.ranks.pool[: engine.n]
    x, f, phi = (array[rows] for array in engine.state.members)
    return x[:, : engine.problem.dim], f, phi


def assert_order_holds(engine):
    """Front and P stand sorted by ε-score, and rows are neither lost nor doubled."""
    state, n, eps = engine.state, engine.n, engine.eps
    n0 = int(state.settings["n0"][0])
    assert sorted(state.ranks.pool) == list(range(n0, 3 * n0))
    assert sorted(state.ranks.front[:n]) == list(range(n))
    f, phi = state.members.f, state.members.phi
    for rows in (state.ranks.front[:n], state.ranks.pool[:n]):
        keys = [(0, f[r], r) if phi[r] <= eps else (1, phi[r], r) for r in rows.tolist()]
        assert keys == sorted(keys)
    assert state.run["inside"][0] == (state.members.phi[:n] <= eps).sum()
    near = state.settings["race_feasible_phi"][0]
    assert state.run["nearly"][0] == (state.members.phi[:n] < near).sum()
