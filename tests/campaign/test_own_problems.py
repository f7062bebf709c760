"""Campaigns on problems of one's own, and algorithms that leave the box or end themselves."""

import pickle

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("joblib")

import rdex.campaign
import rdex.store
from rdex.campaign.algorithms import EngineRun, find
from rdex.campaign.own_problems import find_problem_file
from rdex.campaign.plan import Plan
from rdex.campaign.running import RunTask, execute
from rdex.engine.presets import preset
from rdex.recorder.counting import CountingRecorder
from rdex.store import PlanDifference
from rdex.suites import get

PROBLEM = """
import numpy as np
from dataclasses import dataclass

@dataclass
class Load:
    force: float = 2.0

calls = 0

def fun(x):
    global calls
    calls += 1
    if calls > 1 and x[0] > 0.9:
        raise ArithmeticError("no solution")
    return x[0] ** 2 + Load().force * x[1]

def volume(x):
    return x[0] + x[1] - 1.0

bounds = [(0.0, 1.0), (0.0, 3.0)]
constraints = [{"type": "ineq", "fun": volume}]
x0 = [0.5, 0.5]
"""

ALGORITHM = """
import sys

def outside(problem, budget, rng):
    for _ in range(budget // 2):
        problem.evaluate(rng.uniform(problem.lower, problem.upper, (1, problem.dim)))
        problem.evaluate(problem.upper[None] + 100.0)

def leaving(problem, budget, rng):
    problem.evaluate(problem.lower[None])
    sys.exit()

def leaving_at_once(problem, budget, rng):
    sys.exit()

def interrupted(problem, budget, rng):
    problem.evaluate(problem.lower[None])
    raise KeyboardInterrupt
"""


@pytest.fixture
def beam(tmp_path):
    path = tmp_path / "beam.py"
    path.write_text(PROBLEM)
    return path


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(ALGORITHM)
    return path


def words(problems, *algorithms):
    return {"algorithms": [str(each) for each in algorithms], "problems": str(problems), "runs": 2,
            "maxfev": 60, "checkpoints": 6}  # fmt: skip


@pytest.mark.compiled
def test_a_campaign_on_a_problem_of_a_file(beam, mine, tmp_path):
    out = tmp_path / "out"
    outcome = rdex.campaign.run(out, **words(beam, "rdex-csop", f"{mine}:outside"))
    assert (outcome.computed, outcome.failed) == (4, 0)
    data = rdex.store.load(out)
    assert data.problems == ("own/beam",)
    assert data.table.dim.tolist() == [2] * 4
    assert data.table.n_outside.tolist() == [0, 0, 30, 30]
    assert (data.table.n_failed[2:] >= 30).all()
    best = data.f[0, 0, :, -1]
    assert ((best > 0.5) & (best < 4.0)).all()  # the least is 1, at (1, 0), where it cannot go
    beam.write_text(PROBLEM.replace("2.0", "3.0"))
    with pytest.raises(PlanDifference, match="problem_sources, own/beam"):
        rdex.campaign.run(out, **words(beam, "rdex-csop", f"{mine}:outside"))


def test_tasks_carry_the_text_of_their_files(beam):
    plan = Plan.of(**words(f"{beam}:fun", "rdex-csop"))
    [key, _] = plan.keys()
    task = RunTask(key, plan.algorithm("rdex-csop"), None, plan.files[key.problem_id])
    beam.unlink()
    assert pickle.loads(pickle.dumps(task)).problem().n_ineq == 1


def test_files_and_suites_go_together(beam):
    plan = Plan.of(["rdex-csop"], suite="g2006", problems=f"4,{beam}", maxfev="10D")
    assert plan.problems == (("g2006/G04", 5, 50), ("own/beam", 2, 20))
    with pytest.raises(ValueError, match="two problems with one name"):
        Plan.of(problems=[str(beam), str(beam)])


def test_mistakes_in_a_problem_file(tmp_path):
    path = tmp_path / "wrong.py"
    for text, message in (
        ("import sys\nsys.exit()", r"wrong\.py ends itself with sys\.exit"),
        ("fun = 3\n1 / 0", r"wrong\.py, line 2: ZeroDivisionError"),
        ("def fun(x): return 1\nbound = [(0, 1)]", "did you mean 'bounds'"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            find_problem_file(str(path)).load()


def test_preparing_calls_no_function_of_the_user(beam):
    problem = find_problem_file(str(beam)).load()
    object.__setattr__(problem, "point", None)  # would fail if it was called
    for algorithm in ("rdex-csop", "scipy-de"):
        find(algorithm).run.prepare(problem)


# --- points that are none of the problem --------------------------------------------------------
def test_points_outside_the_box_and_fractions_fail():
    recorder = CountingRecorder(get("engineering/gear-train"), 10, 1)
    lower, upper = recorder.problem.lower, recorder.problem.upper
    whole = np.floor((lower + upper) / 2)
    rows = np.stack([upper + 1, whole + 0.5, np.full_like(lower, np.nan), whole])
    f, _, _ = recorder.problem.evaluate(rows)
    assert np.isinf(f[:3]).all()
    assert np.isfinite(f[3])
    record = recorder.record()
    assert (record.nfev, record.n_outside, record.n_failed) == (4, 3, 3)
    assert np.array_equal(record.x, whole)


# --- algorithms that end themselves -------------------------------------------------------------
@pytest.mark.parametrize("name", ["leaving", "leaving_at_once", "interrupted"])
def test_ending_oneself_is_a_failed_run(mine, name):
    plan = Plan.of([f"{mine}:{name}"], suite="g2006", problems="6", maxfev=10, checkpoints=2)
    made = execute(RunTask(plan.keys()[0], plan.algorithms[0]))
    assert made.error.startswith(("SystemExit", "KeyboardInterrupt"))
    assert "mine.py" in made.traceback


def test_an_algorithm_file_is_not_executed_before_it_runs(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import sys\nsys.exit()\ndef solve(p, b, r): pass\n")
    algorithm = find(f"{path}:solve")
    with pytest.raises(ValueError, match="ends itself"):
        algorithm.run.prepare(get("g2006/G06"))


@pytest.mark.compiled
def test_python_and_compiled_runs_of_the_engine_are_one():
    import dataclasses

    problem = get("g2006/G06")
    plain = dataclasses.replace(problem, compile=None, rows=problem.evaluate)
    run = EngineRun(preset("rdex-csop"))
    first, second = (run(each, 500, np.random.SeedSequence(3), 5) for each in (problem, plain))
    assert np.array_equal(first.f, second.f)
    assert np.array_equal(first.x, second.x)
