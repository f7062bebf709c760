"""How a run with workers uses its results: in batches, or as they come once they prove slow."""

import numpy as np
import pytest
from light import bowl

from rdex import Problem, minimize
from rdex.common.errors import RunFileError
from rdex.evaluation import pace as room
from rdex.evaluation.log import Entry
from rdex.evaluation.pace import MEASURED, SLOW, Pace
from rdex.workers.point_task import OK, Outcome

OPTIONS = {"maxfev": 60, "rng": 1, "algorithm": "rdex-csop"}


def entries(n, seconds, status=OK):
    outcome = Outcome(0.0, np.empty(0), np.empty(0), None, status, seconds, "")
    return [Entry(k, np.zeros(1), outcome, 0.0) for k in range(n)]


PROBLEM = Problem.from_function(bowl, [(-2, 2)] * 2, n_ineq=1, name="bowl")


@pytest.mark.parametrize(("seconds", "word"), [(2 * SLOW, "async"), (SLOW / 2, "deferred")])
def test_the_first_evaluations_decide_and_later_ones_do_not(seconds, word):
    pace = Pace(3, is_measured=True)
    pace.note(entries(3 * MEASURED - 1, seconds))
    assert pace.updating == "deferred"
    pace.note(entries(1, seconds))
    assert pace.updating == word
    pace.note(entries(100, 1.0 if word == "deferred" else 0.0))
    assert pace.updating == word


def test_evaluations_that_failed_say_nothing_about_the_time():
    pace = Pace(2, is_measured=True)
    pace.note(entries(50, 10.0, status="timeout"))
    assert pace.updating == "deferred"


def test_what_was_asked_for_is_kept():
    for in_flight, word in ((None, "deferred"), (4, "async")):
        pace = Pace(in_flight, is_measured=False)
        pace.note(entries(100, 0.0 if in_flight else 10.0))
        assert pace.updating == word and pace.facts() == {}


def test_a_checkpoint_keeps_the_decision():
    pace = Pace(2, is_measured=True)
    pace.note(entries(3, 2 * SLOW))
    again = Pace(2, is_measured=True)
    again.restore(pace.facts())
    again.note(entries(1, 2 * SLOW))
    assert again.updating == "async"
    third = Pace(2, is_measured=True)
    third.restore(again.facts())
    assert third.updating == "async"
    for damaged in ({"waits": 1, "first seconds": []}, {"waits": True, "first seconds": ["a"]}):
        with pytest.raises(RunFileError, match="first evaluations"):
            Pace(2, is_measured=True).restore(damaged)


@pytest.mark.parametrize(("limit", "word"), [(0.0, "async"), (1e9, "deferred")])
def test_minimize_says_how_results_were_used(monkeypatch, limit, word):
    monkeypatch.setattr(room, "SLOW", limit)
    result = minimize(PROBLEM, workers=2, **OPTIONS)
    assert result.updating == word and result.workers == 2 and f'updating="{word}"' in str(result)


def test_no_pace_is_looked_for_where_it_is_given(monkeypatch):
    monkeypatch.setattr(room, "SLOW", 0.0)
    options = {**OPTIONS, "maxfev": 20}
    assert minimize(PROBLEM, workers=2, updating="deferred", **options).updating == "deferred"
    assert minimize(PROBLEM, workers=2, batch=4, **options).updating == "deferred"
    assert minimize(PROBLEM, workers=map, **options).updating == "deferred"
    assert minimize(PROBLEM, **options).updating == "immediate"


@pytest.mark.parametrize(("algorithm", "file"), [
    ("auto", "evaluations"), ("rdex-csop", "checkpoint"),
    pytest.param("rdex-csop", "evaluations", marks=pytest.mark.slow),
    pytest.param("auto", "checkpoint", marks=pytest.mark.slow),
    pytest.param("rdex-csop+local", "evaluations", marks=pytest.mark.slow),
    pytest.param("rdex-csop+local", "checkpoint", marks=pytest.mark.slow),
])  # fmt: skip
def test_a_run_that_found_its_pace_goes_on(tmp_path, monkeypatch, algorithm, file):
    monkeypatch.setattr(room, "SLOW", 0.0)
    options = {**OPTIONS, "algorithm": algorithm, "workers": 2, file: tmp_path / "run"}
    options["maxfev"] = 30
    begun = minimize(PROBLEM, callback=lambda state: state.nfev >= 20, **options)
    assert begun.nfev < 30 and begun.updating == "async"
    ended = minimize(PROBLEM, **options)
    assert ended.nfev == 30 and ended.updating == "async"


def test_a_log_is_replayed_with_the_times_it_holds(tmp_path):
    def forbidden(x):
        raise AssertionError("evaluated again")

    path = tmp_path / "run.csv"
    first = minimize(PROBLEM, workers=2, evaluations=path, **OPTIONS)
    refusing = Problem.from_function(forbidden, [(-2, 2)] * 2, n_ineq=1, name="bowl")
    again = minimize(refusing, workers=2, evaluations=path, **OPTIONS)
    assert (again.x == first.x).all() and again.updating == first.updating
