"""Algorithms of one's own: from files and functions, overspending, failing, dying."""

import json
import os

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("joblib")

import rdex.campaign
import rdex.store
from rdex.campaign.algorithms import CountedRun, find, names
from rdex.engine.presets import preset
from rdex.suites import get

SOURCE = '''
import os
import numpy as np

def greedy(problem, budget, rng):
    """Spends ten times its budget, and catches what it can."""
    for _ in range(10 * budget):
        try:
            problem.evaluate(rng.uniform(problem.lower, problem.upper, (7, problem.dim)))
        except Exception:
            pass

class Sampler:
    """Asks and tells."""
    def __init__(self, problem, budget, rng):
        self.problem, self.rng = problem, rng
    def ask(self):
        return self.rng.uniform(self.problem.lower, self.problem.upper, (5, self.problem.dim))
    def tell(self, X, F, G, H):
        assert X.shape == (5, self.problem.dim) and F.shape == (5,)
        assert G.shape == (5, self.problem.n_ineq) and H.shape == (5, self.problem.n_eq)

def failing(problem, budget, rng):
    problem.evaluate(problem.lower[None])
    raise RuntimeError("no <luck> today")

def dying(problem, budget, rng):
    os.kill(os.getpid(), 9)

def lazy(problem, budget, rng):
    problem.evaluate(problem.lower[None])
'''


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def counted(solve, maxfev=100, checkpoints=10):
    return CountedRun(solve)(get("g2006/G06"), maxfev, np.random.SeedSequence(1), checkpoints)


@pytest.mark.compiled
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_campaign_of_own_algorithms(file, tmp_path):
    """Those that fail or take their process with them are failed runs; the others go on."""
    out = tmp_path / "out"
    words = {
        "algorithms": [f"{file}:{name}" for name in ("greedy", "Sampler", "failing", "dying")],
        "suite": "g2006", "problems": "6", "runs": 1, "maxfev": 100, "checkpoints": 10,
    }  # fmt: skip
    outcome = rdex.campaign.run(out, workers=2, **words)
    assert (outcome.computed, outcome.failed) == (2, 2)
    data = rdex.store.load(out)
    assert data.algorithms == ("greedy", "Sampler")
    assert data.table.nfev.tolist() == [100] * 2
    assert data.table.initial_nfev.tolist() == [7, 5]
    errors = {(failure.algorithm, failure.run): failure for failure in data.failures}
    assert sorted(errors) == [("dying", 1), ("failing", 1)]
    assert errors["failing", 1].error == "RuntimeError: no <luck> today"
    assert "mine.py" in errors["failing", 1].traceback
    assert errors["dying", 1].error.startswith("the worker died 3 times")

    again = rdex.campaign.run(out, **words)
    assert (again.computed, again.failed, again.skipped, again.stored) == (0, 0, 2, 2)
    assert again.stored + again.computed < again.total
    retried = rdex.campaign.run(out, retry_failed=True, only=["failing:G06:1"], **words)
    assert (retried.total, retried.failed) == (1, 1)


def test_overspending_is_capped(file):
    record = counted(find(f"{file}:greedy").run.solve)
    assert record.nfev == 100


def test_underspending_is_padded(file):
    record = counted(find(f"{file}:lazy").run.solve)
    assert record.nfev == 1
    assert np.all(record.f == record.f0)


def test_a_function_is_an_algorithm():
    def halves(problem, budget, rng):
        problem.evaluate(np.tile(problem.upper / 2, (budget, 1)))

    algorithm = find(halves)
    assert algorithm.name == "halves"
    assert len(algorithm.settings["source_sha256"]) == 64
    assert counted(halves).nfev == 100


def test_an_object_that_stops_asking_ends_the_run():
    class Once:
        asked = False

        def __init__(self, problem, budget, rng):
            self.problem = problem

        def ask(self):
            if self.asked:
                return np.empty((0, self.problem.dim))
            self.asked = True
            return self.problem.upper  # one point may come without its row

        def tell(self, X, F, G, H):
            assert X.shape == (1, 2)

    assert counted(Once).nfev == 1


def test_presets_are_known_by_name():
    assert {"rdex-csop", "rdex", "cl-srde", "rde26"} <= set(names())
    assert find("rde26").settings == preset("rde26").as_dict()
    json.dumps(find("rde26").settings)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("rdex-cosp", "unknown algorithm 'rdex-cosp'; known: rdex-csop"),
        ("nowhere.py:solve", "there is no file nowhere.py"),
        ({"base": "rdex"}, "needs name and base"),
        ({"name": "rdex", "base": "rdex", "n0": 50}, "is a preset with other settings"),
        ({"name": "mine", "base": "rdex", "n00": 50}, "no field 'n00'"),
    ],
)
def test_wrong_algorithms_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        find(wrong)


def test_a_name_missing_in_a_file(file):
    with pytest.raises(ValueError, match=r"mine\.py has no function or class 'gredy'"):
        find(f"{file}:gredy")


def test_presets_keep_their_names(file):
    file.write_text("def rdex(problem, budget, rng): pass")
    with pytest.raises(ValueError, match="taken by an algorithm of rdex"):
        find(f"{file}:rdex")


def test_entry_points(monkeypatch):
    from importlib import metadata

    point = metadata.EntryPoint("walk", "os.path:join", "rdex.algorithms")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    assert "walk" in names()
    assert find("walk").settings["function"] == "os.path:join"
