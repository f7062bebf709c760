"""The recorder of foreign algorithms: counts, caps, traces against a naive twin."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rdex.engine.engine import Engine
from rdex.engine.presets import preset
from rdex.problem import Problem
from rdex.recorder.counting import BudgetSpent, CountingRecorder
from rdex.recorder.record import record_of
from rdex.suites import get


def table_problem(values):
    """A problem of one variable whose row i has the values (f, g, h) of line i of a table."""

    def rows(x):
        at = x[:, 0].astype(int)
        return values[at, 0], values[at, 1:2], values[at, 2:3]

    return Problem(lower=[0], upper=[len(values)], n_ineq=1, n_eq=1, rows=rows)


def naive_trace(values, maxfev, k_all):
    """Best so far at checkpoints, feasibility first, in plain Python."""
    best, told, trace = None, [], []
    for f, g, h in values:
        phi = (max(g, 0.0) + (abs(h) if abs(h) > 1e-4 else 0.0)) / 2
        if not (math.isfinite(g) and math.isfinite(h)):
            f, phi = math.inf, math.inf
        elif not math.isfinite(f):
            f, phi = (math.inf, phi) if math.isnan(f) and phi > 0 else (math.inf, math.inf)
        if best is None or (phi, f) < best:
            best = (phi, f)
        told.append(best)
    for k in range(1, k_all + 1):
        trace.append(told[min(-(-k * maxfev // k_all), len(told)) - 1])
    return np.array([f for _, f in trace]), np.array([phi for phi, _ in trace])


# The random words of the engine wrap around, which NumPy's scalars tell without the compiler.
quiet = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")

number = st.sampled_from([-1.0, 0.0, 5e-5, 1.0, 2.0, math.inf, -math.inf, math.nan])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(number, number, number), min_size=1, max_size=12), st.integers(1, 15),
       st.integers(1, 9), st.integers(1, 5))  # fmt: skip
def test_trace_is_that_of_plain_python(lines, maxfev, k_all, batch):
    values = np.array(lines)
    recorder = CountingRecorder(table_problem(values), maxfev, k_all)
    x = np.arange(len(values), dtype=float)[:, None]
    try:
        for start in range(0, len(values), batch):
            recorder.problem.evaluate(x[start : start + batch])
    except BudgetSpent:
        assert len(values) > maxfev
    record = recorder.record()
    assert record.nfev == min(len(values), maxfev)
    f, v = naive_trace(lines[: record.nfev], maxfev, k_all)
    np.testing.assert_array_equal(record.f, f)
    np.testing.assert_array_equal(record.v, v)
    start = naive_trace(lines[: record.initial_nfev], record.initial_nfev, 1)
    assert (record.f0, record.v0) == (start[0][0], start[1][0])
    assert record.initial_nfev == min(batch, len(values), maxfev)


def test_rows_beyond_the_budget_are_not_evaluated():
    seen = []

    def rows(x):
        seen.append(len(x))
        return x[:, 0], None, None

    recorder = CountingRecorder(Problem(lower=[0], upper=[1], rows=rows), maxfev=5, checkpoints=5)
    recorder.problem.evaluate(np.full((3, 1), 0.5))
    with pytest.raises(BudgetSpent):
        recorder.problem.evaluate(np.full((3, 1), 0.25))
    with pytest.raises(BudgetSpent):
        recorder.problem.evaluate(np.full((1, 1), 0.0))
    assert seen == [3, 2]
    assert recorder.record().f.tolist() == [0.5, 0.5, 0.5, 0.25, 0.25]


def test_spent_budget_passes_through_except_exception():
    assert not issubclass(BudgetSpent, Exception)


def test_the_known_optimum_is_not_handed_out():
    problem = CountingRecorder(get("g2006/G06"), 10).problem
    assert problem.optimum is None
    assert problem.optimum_x is None


def test_no_evaluation_is_an_error():
    with pytest.raises(ValueError, match="without a single evaluation"):
        CountingRecorder(get("g2006/G06"), 10).record()


@quiet
@pytest.mark.parametrize("id", ["g2006/G06", "g2006/G05", "cec2017/C06/d10/2017/1"])
def test_engine_and_recorder_agree(id):
    """The engine's own trace equals that of its evaluations seen from outside."""
    problem = get(id)
    own = Engine(problem, preset("rdex-csop"), 1000, 7, checkpoints=50)
    own.run()
    outer = CountingRecorder(problem, 1000, 50)
    asked = Engine(problem, preset("rdex-csop"), 1000, 7, checkpoints=50)
    while not asked.is_finished:
        asked.tell(*outer.problem.evaluate(asked.ask(1)))
    inside, outside = record_of(own), outer.record()
    for name in ("f", "v", "x", "G", "H", "nfev", "first_feasible", "n_failed"):
        np.testing.assert_array_equal(getattr(inside, name), getattr(outside, name), err_msg=name)


@quiet
def test_an_unfinished_run_has_no_record():
    engine = Engine(get("g2006/G06"), preset("rdex"), 100, 1, checkpoints=10)
    engine.run(stop_at=50)
    with pytest.raises(ValueError, match="50 of 100"):
        record_of(engine)
