"""The change from models to evolution while points of the models are out: none is lost or doubled.

A virtual clock decides the order: points of the models take longest, so the evolution has asked for
all it may before they are back.
"""

import heapq
import math

import numpy as np
import pytest
from strategy_runs import sample_at

import rdex
from rdex.run.arguments import SearchArguments, make_spec
from rdex.strategies import auto as auto_module
from rdex.strategies.auto import LISTS, MODELS, NUMBERS, Auto, AutoSettings
from rdex.strategies.journal import Journal

#: Models are left at the first chance after the first points.
SHORT = AutoSettings(model_seconds=1e-12, evaluation_seconds=0.0)
COLOURS = ["red", "green", "blue"]


def bowl(x):
    return float((x - 0.3) @ (x - 0.3)), [0.1 - float(x[0])]


def listed(d):
    return abs(d["n"] - 3) + COLOURS.index(d["colour"]) / 2


BOX = [(-1.0, 1.0)] * 2
BOWL = rdex.Problem.from_function(bowl, BOX, n_ineq=1)
MIXED = rdex.Problem.from_function(
    listed, {"n": {"integer": (0, 4)}, "colour": {"categories": COLOURS}}
)
CASES = {"numbers": (BOWL, NUMBERS), "lists": (MIXED, LISTS)}


def made(name, maxfev, width):
    problem, parts = CASES[name]
    given = SearchArguments(maxfev=maxfev, rng=4, workers=width, updating="async")
    return Journal(Auto(make_spec(problem, given).context(maxfev), SHORT, parts))


class Virtual:
    """A run whose evaluations take virtual time, those of models longest, `width` at a time.

    out_at_change, n_at_change: ids that were out and results that were in when models were left.
    """

    def __init__(self, name, maxfev, width):
        self.problem, self.journal = CASES[name][0], made(name, maxfev, width)
        self.width, self.now, self.rng = width, 0.0, np.random.default_rng(1)
        self.asked, self.out, self.told = {}, [], []
        self.out_at_change, self.n_at_change = None, math.inf

    def advance(self, after_change=math.inf):
        """To the end, or until so many results are in after the change."""
        while True:
            self.ask()
            if not self.out or len(self.told) >= self.n_at_change + after_change:
                return self
            self.now, id = heapq.heappop(self.out)
            self.told.append(id)
            self.journal.tell(id, sample_at(self.problem, self.asked[id]))

    def ask(self):
        auto, before = self.journal.strategy, {id for _, id in self.out}
        trials = self.journal.ask(self.width - len(before)) if len(before) < self.width else []
        if auto._rest is not None and self.out_at_change is None:
            self.out_at_change, self.n_at_change = before, len(self.told)
        for trial in trials:
            assert trial.id not in self.asked
            self.asked[trial.id] = trial.x
            is_slow = auto._owned[trial.id].part == MODELS and auto.phase != "design"
            takes = (1e6 if is_slow else 1.0) * self.rng.lognormal()
            heapq.heappush(self.out, (self.now + takes, trial.id))
        assert auto.context.used + len(self.out) <= auto.context.maxfev


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("width", [2, 4, 9])
@pytest.mark.parametrize("more", [0, 3, 60])
def test_what_is_out_at_the_change_is_evaluated_counted_and_told_once(name, width, more):
    maxfev = 2 * width + 20 + more
    run = Virtual(name, maxfev, width).advance()
    auto = run.journal.strategy
    assert run.out_at_change
    assert sorted(run.told) == sorted(run.asked) == list(range(len(run.told)))
    assert auto.context.used == sum(phase.nfev for phase in auto.phases) == len(run.told)
    assert not auto.context.out_before and not auto._owned
    for id in run.out_at_change:  # data for the rest
        row = auto._rest.archive.find(run.asked[id])
        assert auto.archive.f[row] == sample_at(run.problem, run.asked[id]).f
    if name == "numbers":
        assert len(run.told) == maxfev
    else:  # the lists have 15 points
        assert len({x.tobytes() for x in run.asked.values()}) == len(run.told) <= 15


def test_the_rest_goes_on_from_a_late_point_that_is_best():
    run = Virtual("numbers", 80, 4).advance(after_change=10)
    late = min(run.out_at_change - set(run.told))
    best = sample_at(BOWL, run.asked[late])._replace(f=-1.0, g=np.array([-1.0]))
    run.journal.tell(late, best)
    auto = run.journal.strategy
    assert auto.archive.f[auto.archive.best] == -1.0 and auto._rest.best == (0.0, -1.0)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_run_saved_at_the_change_goes_on_the_same(name, after):
    whole = Virtual(name, 48, 4).advance()
    first = Virtual(name, 48, 4).advance(after)
    assert set(first.out_at_change) & {id for _, id in first.out}
    again = made(name, 48, 4)
    again.replay(first.journal.arrays(), first.problem.n_ineq, 0)
    assert {trial.id: trial.x.tobytes() for trial in again.pending()} == {
        id: first.asked[id].tobytes() for _, id in first.out
    }
    first.journal = again
    assert first.advance().told == whole.told
    for id, x in whole.asked.items():
        assert first.asked[id].tobytes() == x.tobytes()
    assert again.strategy.context.used == len(whole.told)


@pytest.mark.parametrize("files", [["checkpoint"], ["evaluations"], ["checkpoint", "evaluations"]])
def test_an_interruption_at_the_change_evaluates_nothing_twice(tmp_path, monkeypatch, files):
    monkeypatch.setattr(auto_module, "AutoSettings", lambda: SHORT)
    began = []
    begin_rest = Auto._begin_rest

    def note(self, reason):
        began.append(len(self._owned))
        begin_rest(self, reason)

    monkeypatch.setattr(Auto, "_begin_rest", note)
    points = []

    def fun(x):
        if began and stops:
            raise KeyboardInterrupt
        points.append(x.tobytes())
        return bowl(x)

    problem = rdex.Problem.from_function(fun, BOX, n_ineq=1, name="bowl")
    options = {"maxfev": 40, "rng": 4, "updating": "async", "batch": 4, "algorithm": "auto"}
    stops = False
    whole = rdex.minimize(problem, **options)
    assert began == [2] and len(points) == whole.nfev == 40
    began.clear()
    every = set(points)
    points.clear()
    stops = True
    paths = {name: tmp_path / f"{name}.csv" for name in files}
    first = rdex.minimize(problem, **options, **paths)
    assert first.status == 5 and first.nfev < 40 and len(points) == first.nfev
    stops = False
    rest = rdex.minimize(problem, **options, **paths)
    n_checked = 1  # a stored point is evaluated again, to see that the function is the same
    assert len(points) == 40 + n_checked and set(points) == every
    assert rest.nfev == 40 and rest.x.tobytes() == whole.x.tobytes()


def test_somebody_else_who_evaluates_late():
    """`Optimizer`: the points of the models are told last."""
    optimizer = rdex.Optimizer(
        {"n": {"integer": (0, 4)}, "colour": {"categories": COLOURS}}, maxfev=60, rng=1,
        algorithm="auto",
    )  # fmt: skip
    auto = optimizer._searching.strategy
    auto.settings = SHORT
    kept, seen, n_waited = [], [], 0

    def tell(trial):
        optimizer.tell_trial(trial.id, listed(optimizer.design(trial.x)))

    while optimizer.stop is None:
        trials = optimizer.ask_trials(3)
        seen += [tuple(trial.x) for trial in trials]
        for trial in trials:
            if auto._rest is None and len(kept) < 2:
                kept.append(trial)
            else:
                tell(trial)
        if not trials and auto._rest is not None:  # results are needed first
            n_waited += len(kept)
            while kept:
                tell(kept.pop())
    assert n_waited == 2 and len(set(seen)) == len(seen) == optimizer.nfev <= 15
