"""A file of evaluations, cheap constraints, time limits and larger budgets."""

import logging
import shutil
import time

import numpy as np
import pytest
from problems import BOX, LENS, same_run, simulator, tilted
from scipy.optimize import LinearConstraint, NonlinearConstraint

import rdex.run.result
from rdex import Problem, minimize, preset
from rdex.common.errors import LogError, RunFileError
from rdex.engine.files import load_state
from rdex.suites import get

# Without the JIT NumPy mentions that unknown values have no difference; the kernel expects it.
pytestmark = pytest.mark.filterwarnings(
    "ignore:invalid value encountered in scalar subtract:RuntimeWarning"
)


class Counting:
    """A function that counts its calls and can refuse them."""

    def __init__(self, function, most=10**9):
        self.function, self.most, self.points = function, most, []
        self.__name__ = "counting"

    def __call__(self, x):
        if len(self.points) >= self.most:
            raise KeyboardInterrupt
        self.points.append(x.copy())
        return self.function(x)


# --- the file of evaluations ----------------------------------------------------------------------
@pytest.mark.parametrize("options", [{}, {"batch": 7}, {"updating": "deferred"}, {"workers": 2}])
def test_a_file_changes_nothing_and_saves_everything(tmp_path, options):
    options = {**LENS, "maxfev": 150, "rng": 1, **options}
    plain = minimize(tilted, BOX, **options)
    assert "workers_busy" in plain or "workers" not in options
    first = minimize(tilted, BOX, evaluations=tmp_path / "e.csv", **options)
    assert same_run(first, plain) and len(first.evaluations) == 150
    nothing = Counting(tilted, most=1)  # one stored point is evaluated again, to compare
    nothing.__name__ = "tilted"
    assert same_run(minimize(nothing, BOX, evaluations=tmp_path / "e.csv", **options), plain)


@pytest.mark.parametrize("most", [1, 29, 30, 31, 100])
def test_a_stopped_run_goes_on_where_it_was(tmp_path, most):
    path = tmp_path / "e.csv"
    options = {"maxfev": 120, "rng": 1, "evaluations": path, "batch": 4}
    first = minimize(Counting(tilted, most), BOX, **options)
    assert first.status == 5
    rest = Counting(tilted)
    again = minimize(rest, BOX, **options)
    seen = again.evaluations.drop_duplicates(["x1", "x2"])
    assert len(rest.points) - 1 == len(seen) - most == len({x.tobytes() for x in rest.points[1:]})
    assert same_run(again, minimize(tilted, BOX, maxfev=120, rng=1, batch=4))


def test_without_a_seed_the_stored_one_goes_on(tmp_path):
    path = tmp_path / "e.csv"
    options = {"maxfev": 60, "init": "sobol", "evaluations": path, "checkpoint": tmp_path / "c.npz"}
    first = minimize(Counting(tilted, 30), BOX, **options)
    rest = Counting(tilted)
    again = minimize(rest, BOX, **options)
    assert (
        len(rest.points) == (again.evaluations.status == "ok").sum() - 30 + 1 and again.nfev == 60
    )
    assert again.history.f[0] == first.history.f[0]


@pytest.mark.parametrize(("changes", "different"), [
    ({"maxfev": 80}, "maxfev"), ({"rng": 2}, "entropy, rng"), ({"batch": 3}, "batch"),
    ({"maxtime": 9.0}, "maxtime"), ({"x0": [1, 1]}, "x0"),
])  # fmt: skip
def test_another_run_is_refused(tmp_path, changes, different):
    path = tmp_path / "e.csv"
    options = {"maxfev": 60, "rng": 1, "evaluations": path}
    minimize(tilted, BOX, **options)
    with pytest.raises(LogError, match=f"another run: different {different}"):
        minimize(tilted, BOX, **{**options, **changes})


def test_a_file_that_does_not_fit_is_named(tmp_path):
    path = tmp_path / "e.csv"
    minimize(tilted, BOX, maxfev=40, rng=1, evaluations=path)
    from rdex.evaluation.log import EvaluationLog, stored_run

    problem = Problem.from_function(tilted, BOX)
    run = stored_run(path)
    entries = EvaluationLog(problem, path, run)
    path.unlink()
    changed = EvaluationLog(problem, path, run)
    for entry in entries.entries:
        changed.append(entry._replace(x=entry.x + (entry.number == 20)))
    changed.close()
    entries.close()
    with pytest.raises(LogError, match=r"point 20 was .* and is now"):
        minimize(tilted, BOX, maxfev=40, rng=1, evaluations=path)


def test_repeated_points_are_read_from_the_file(tmp_path):
    counted = Counting(tilted)
    options = {"maxfev": 300, "rng": 1, "integrality": True}
    result = minimize(counted, BOX, evaluations=tmp_path / "e.csv", **options)
    assert len(counted.points) == len({x.tobytes() for x in counted.points}) <= 121
    table = result.evaluations
    assert (table.status == "repeated").sum() == 300 - len(counted.points)
    assert same_run(result, minimize(tilted, BOX, **options))


def test_vectorised_and_compiled_functions_keep_a_file_too(tmp_path):
    sizes = []

    def rows(X):
        sizes.append(len(X))
        return (X**2).sum(1)

    options = {"maxfev": 80, "rng": 1, "batch": 8}
    result = minimize(rows, BOX, vectorized="rows", evaluations=tmp_path / "e.csv", **options)
    assert max(sizes) == 8 and len(result.evaluations) == 80
    assert same_run(result, minimize(lambda x: (x**2).sum(), BOX, **options))
    compiled = get("g2006/G24")
    again = minimize(compiled, evaluations=tmp_path / "f.csv", **options)
    assert same_run(again, minimize(compiled, **options))


def test_tables_are_there_only_where_they_are_kept():
    with pytest.raises(AttributeError, match="evaluations"):
        _ = minimize(tilted, BOX, maxfev=20, rng=1).evaluations


def test_failures_are_repeated_here_too():
    tries = {}

    def fun(x):
        tries[x.tobytes()] = tries.get(x.tobytes(), 0) + 1
        if tries[x.tobytes()] < 3:
            raise ArithmeticError("not yet")
        return tilted(x)

    result = minimize(fun, BOX, maxfev=40, rng=1, retries=2)
    assert result.n_failed == 0 and min(tries.values()) == 3
    assert same_run(result, minimize(tilted, BOX, maxfev=40, rng=1))


# --- cheap constraints ----------------------------------------------------------------------------
def half(x):
    return x[0] + x[1]


CHEAP = {"cheap_constraints": NonlinearConstraint(half, 1.0, np.inf)}


@pytest.mark.parametrize("options", [{}, {"batch": 8}, {"updating": "async"}])
def test_the_simulator_is_skipped_where_a_cheap_constraint_is_violated(options):
    counted = Counting(tilted)
    ring = {"type": "ineq", "fun": Counting(lambda x: 9.0 - x @ x)}
    result = minimize(counted, BOX, constraints=ring, **CHEAP, maxfev=400, rng=1, **options)
    points = np.array(counted.points)
    assert (points.sum(1) >= 1.0).all() and result.success
    assert result.n_skipped == 400 - len(points) > 50
    assert np.array_equal(ring["fun"].points[1:], points)  # once more to learn its size
    assert [state.name for state in result.violations] == ["half", "counting"]
    assert result.G[0] == 1.0 - half(result.x) and "skipped" in str(result)
    assert result.fun < 0.5


def test_a_problem_may_have_cheap_constraints_too():
    equal = LinearConstraint([[1.0, -1.0]], -3.0, 3.0)
    result = minimize(simulator(), cheap_constraints=equal, maxfev=600, rng=1, updating="deferred")
    assert result.constraint_scale.shape == (4,) and result.success and result.n_skipped > 50
    names = [state.name for state in result.violations]
    assert names == ["c1 (upper)", "c1 (lower)", "g1", "h1"]
    assert abs(result.x[0] - result.x[1]) <= 3.0


def test_cheap_equalities_and_tolerances_of_their_own():
    line = {"type": "eq", "fun": lambda x: x[0] - x[1]}
    counted = Counting(tilted)
    result = minimize(counted, BOX, cheap_constraints=line, eq_tol=0.1, maxfev=300, rng=1)
    points = np.array(counted.points)
    assert (abs(points[:, 0] - points[:, 1]) <= 0.1).all() and result.success


def test_skipped_points_count_with_the_largest_violation_seen():
    def hard(x):
        return 1.0, [10.0 + x[0] ** 2]

    problem = Problem.from_function(hard, BOX, n_ineq=1, name="hard")
    result = minimize(problem, **CHEAP, maxfev=300, rng=1, constraint_scale="none")
    assert not result.success and half(result.x) >= 1.0  # a simulated point is the best
    assert 10 <= result.G[1] < 10.1


@pytest.mark.parametrize("options", [{}, {"updating": "async"}])
def test_what_was_not_simulated_is_unknown(options):
    never = NonlinearConstraint(half, 100.0, np.inf)
    result = minimize(simulator(), cheap_constraints=never, maxfev=60, rng=1, **options)
    assert result.n_skipped == 60 and not result.success and np.isnan(result.fun)
    assert result.G[0] == 100.0 - half(result.x)
    assert np.isnan(result.G[1]) and np.isnan(result.H).all()
    names = {state.name: state for state in result.violations}
    assert names["half"].violation == result.maxcv == result.constr_violation == result.G[0]
    assert np.isnan(names["g1"].violation) and not names["g1"].satisfied
    assert "half by" in result.message and "(2 unknown: not simulated there)" in result.message
    rows = [line.split()[-1] for line in str(result).splitlines() if line.startswith("    ")]
    assert rows.count("unknown") == 2 and "nan" not in result.message


def test_rows_are_skipped_in_rows():
    sizes = []

    def rows(X):
        assert (X.sum(1) >= 1.0).all()
        sizes.append(len(X))
        return (X**2).sum(1)

    result = minimize(rows, BOX, vectorized="rows", **CHEAP, batch=8, maxfev=200, rng=1)
    assert sum(sizes) + result.n_skipped == 200 and max(sizes) > 1


def test_skipping_survives_a_restart(tmp_path):
    options = {**CHEAP, "maxfev": 150, "rng": 1, "evaluations": tmp_path / "e.csv"}
    one = minimize(simulator(), **{**options, "evaluations": tmp_path / "o.csv"})
    for kept in ({}, {"checkpoint": tmp_path / "c.npz"}):
        problem = simulator()
        stopped = Problem.from_function(
            Counting(problem.point.fun, 40), BOX, n_ineq=1, n_eq=1, name="simulator"
        )
        assert minimize(stopped, **options, **kept).status == 5
        again = minimize(simulator(), **options, **kept)
        assert same_run(again, one) and again.n_skipped == one.n_skipped > 0
        (tmp_path / "e.csv").unlink()


# --- time -----------------------------------------------------------------------------------------
def slow(x):
    time.sleep(0.002)
    return tilted(x)


@pytest.mark.parametrize("options", [
    {}, pytest.param({"batch": 4}, marks=pytest.mark.slow), {"updating": "async"}
])  # fmt: skip
def test_the_search_follows_the_clock(options):
    few = preset("rdex-csop").replace(n0=30)
    result = minimize(slow, BOX, **LENS, maxtime=1.5, maxfev=10**6, rng=1, settings=few, **options)
    assert result.status == 3 and len(result.population) < 15
    assert result.feasible


def test_a_time_limit_does_not_wait_for_a_slow_evaluation():
    def stuck(x):
        if x[0] > 0:
            time.sleep(60)
        return tilted(x)

    for updating in ("deferred", "async"):
        start = time.monotonic()
        result = minimize(stuck, BOX, maxtime=2.0, maxfev=1000, rng=1, workers=2, updating=updating)
        assert result.status == 3 and time.monotonic() - start < 30


def test_used_time_counts_over_all_sessions(tmp_path):
    options = {"maxfev": 10**6, "rng": 1, "checkpoint": tmp_path / "c.npz"}
    first = minimize(slow, BOX, maxtime=1.0, **options)
    assert first.status == 3
    again = minimize(slow, BOX, maxtime=1.0, **options)
    assert again.nfev == first.nfev and again.seconds >= 1.0
    more = minimize(slow, BOX, maxtime=2.0, **options)
    assert more.nfev > first.nfev and more.seconds < 15
    assert more.continued == [[first.nfev, 10**6]]


def test_a_run_with_a_time_limit_is_replayed_from_its_file(tmp_path):
    options = {"maxfev": 300, "rng": 1, "maxtime": 60.0, "evaluations": tmp_path / "e.csv"}
    first = minimize(slow, BOX, **options)
    nothing = Counting(slow, 1)
    nothing.__name__ = "slow"
    assert same_run(minimize(nothing, BOX, **options), first) and first.nfev == 300


@pytest.mark.parametrize("options", [{"batch": 4}, {"updating": "async"}])
def test_a_run_that_time_has_ended_is_replayed_too(tmp_path, options):
    options = {"maxfev": 10**6, "rng": 1, "maxtime": 0.7, "evaluations": tmp_path / "e.csv",
               **options}  # fmt: skip
    first = minimize(slow, BOX, **options)
    again = minimize(slow, BOX, **options)
    assert first.status == again.status == 3 and first.nfev > 0
    assert same_run(first, again) and len(again.evaluations) == len(first.evaluations)


# --- larger budgets -------------------------------------------------------------------------------
@pytest.mark.parametrize("options", [{}, {"updating": "deferred"}, {"updating": "async"}])
def test_a_finished_run_goes_on_with_more_evaluations(tmp_path, options):
    options = {**LENS, "rng": 1, "checkpoint": tmp_path / "c.npz",
               "evaluations": tmp_path / "e.csv", **options}  # fmt: skip
    first = minimize(tilted, BOX, maxfev=300, **options)
    counted = Counting(tilted)
    counted.__name__ = "tilted"
    more = minimize(counted, BOX, maxfev=900, **options)
    assert more.nfev == 900 and more.continued == [[300, 300]]
    assert (more.cv, more.fun) <= (first.cv, first.fun)
    assert len(more.evaluations) == 900
    assert len(counted.points) <= 601  # one stored point is evaluated again, to compare
    assert len(more.population) == 4 and more.history.n.max() > 20
    again = minimize(tilted, BOX, maxfev=900, **options)
    assert same_run(again, more) and again.continued == [[300, 300]]
    with pytest.raises(RunFileError, match="different maxfev"):
        minimize(tilted, BOX, maxfev=600, **options)


@pytest.mark.parametrize(("algorithm", "updating"), [
    ("ude-iv", "deferred"), ("rdex-csop", "async"),
    pytest.param("rdex-csop", "deferred", marks=pytest.mark.slow),
    pytest.param("ude-iv", "async", marks=pytest.mark.slow),
])  # fmt: skip
def test_a_killed_run_goes_on_with_more_evaluations(tmp_path, monkeypatch, algorithm, updating):
    monkeypatch.setattr("rdex.run.watch.PAUSE", 0.0)
    monkeypatch.setattr("rdex.run.checkpoint.EVERY", 0.0)
    monkeypatch.setattr("rdex.run.watch.SLOW", 0.0)
    kept, old = tmp_path / "c.npz", tmp_path / "old.npz"
    options = {"rng": 1, "updating": updating, "batch": 4, "algorithm": algorithm,
               "checkpoint": kept, "evaluations": tmp_path / "e.csv"}  # fmt: skip

    def losing(x):
        if len(stopped.points) == 80:  # what a kill would leave: a file older than the evaluations
            shutil.copy(kept, old)
        return tilted(x)

    stopped = Counting(losing, most=120)
    stopped.__name__ = "tilted"
    minimize(stopped, BOX, maxfev=160, **options)
    shutil.copy(old, kept)
    counted = Counting(tilted)
    counted.__name__ = "tilted"
    more = minimize(counted, BOX, maxfev=240, **options)
    ((nfev, before),) = more.continued
    assert more.nfev == 240 and 70 <= nfev < 120 and before == 160
    again = {x.tobytes() for x in stopped.points} & {x.tobytes() for x in counted.points}
    assert len(again) <= 1  # one stored point, to compare
    shutil.copy(old, kept)  # killed once more before the next checkpoint
    nothing = Counting(tilted, most=1)  # one stored point is evaluated again, to compare
    nothing.__name__ = "tilted"
    assert same_run(minimize(nothing, BOX, maxfev=240, **options), more)


def test_a_stopped_run_goes_on_with_more_evaluations(tmp_path):
    options = {"rng": 1, "checkpoint": tmp_path / "c.npz"}
    first = minimize(Counting(tilted, 200), BOX, maxfev=400, **options)
    more = minimize(tilted, BOX, maxfev=2000, **options)
    assert first.nfev == 200 and more.nfev == 2000 and more.continued == [[200, 400]]


def test_without_a_checkpoint_there_is_nothing_to_go_on_from(tmp_path):
    minimize(tilted, BOX, maxfev=60, rng=1, evaluations=tmp_path / "e.csv")
    with pytest.raises(LogError, match="different maxfev"):
        minimize(tilted, BOX, maxfev=90, rng=1, evaluations=tmp_path / "e.csv")


# --- what is said and kept ------------------------------------------------------------------------
def test_slow_batches_are_followed_by_checkpoints(tmp_path, monkeypatch):
    monkeypatch.setattr("rdex.run.watch.SLOW", 0.05)
    path = tmp_path / "c.npz"
    seen = []

    def slow(x):
        time.sleep(0.06)
        seen.append(int(load_state(path)[1]["facts"].get("nfev", 0)))
        return tilted(x)

    for options in ({}, {"updating": "async"}, {"batch": 2}):
        seen.clear()
        minimize(slow, BOX, maxfev=10, rng=1, checkpoint=path, **options)
        assert seen[-1] >= 7, options
        path.unlink()


def test_idle_workers_are_named(monkeypatch, caplog):
    monkeypatch.setattr(rdex.run.result, "HINT_AFTER", 0.0)
    result = minimize(simulator(), maxfev=40, rng=1, workers=2)
    assert result.workers_busy < 0.5 and "the 2 workers were busy" in caplog.text
    assert caplog.records[-1].levelno == logging.WARNING


def test_the_hint_on_idle_workers_goes_by_the_time_of_an_evaluation():
    """Slow evaluations were said to take a few milliseconds."""
    assert rdex.run.result.idle_advice(0.004, "async") == "evaluations of 4 ms need no workers"
    assert rdex.run.result.idle_advice(5.0, "deferred").startswith('updating="async"')
    assert "need no workers" not in rdex.run.result.idle_advice(5.0, "async")
