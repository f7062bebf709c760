"""Benchmarks of crashes, workers, constants and random problems, each with something small."""

import sys
from pathlib import Path

import numpy as np
import pytest

from rdex.suites import get

BENCHMARKS = str(Path(__file__).resolve().parents[2] / "benchmarks")


@pytest.fixture
def on_path(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield
    for name in (
        "crashes",
        "parallel",
        "constants",
        "budgets",
        "small_tables",
        "networks",
        "random_problems",
    ):
        sys.modules.pop(name, None)


def test_a_tenth_of_the_box_crashes_and_the_best_design_does_not(on_path):
    import crashes

    problem = get("engineering/three-bar-truss")
    best = np.array([0.7887, 0.4082])
    fails = crashes.crashing(problem, best, seed=1)
    points = np.random.default_rng(0).uniform(problem.lower, problem.upper, (2000, 2))
    assert 0.06 < np.mean([fails(x) for x in points]) < 0.13
    assert not fails(best)
    result = crashes.run(problem, fails, "auto", 1)
    assert result.fun == pytest.approx(263.8958, abs=0.03)


@pytest.mark.parametrize("workers", [1, 4])
def test_the_virtual_clock_counts_rounds_of_workers(on_path, workers):
    import parallel

    seconds = parallel.seconds_to_target("g2006/G11", "auto", workers, 100.0, 0)
    rounds = seconds / 100.0
    assert 4 / workers < rounds < 60 / workers


def test_a_changed_constant_changes_the_run_while_it_lasts(on_path):
    import constants

    from rdex.strategies import auto

    def run():
        return constants.runs([60], 1, ("g2006/G09",))[0]

    before = run()
    with constants.changed(auto, auto.AutoSettings, model_seconds=0.0):
        after = run()
    assert constants.sign(before, after) == 1 and constants.sign(after, before) == -1
    assert run() == before and constants.sign(before, before) == 0


def test_random_problems_have_values_and_are_drawn_by_their_names(on_path):
    import random_problems

    rng = np.random.default_rng(1)
    for name in random_problems.names(list(random_problems.SIZES), 1):
        problem, again = random_problems.make(name), random_problems.make(name)
        x = rng.uniform(problem.lower, problem.upper, (20, problem.dim))
        values = problem.evaluate(x)
        assert np.isfinite(values[0]).any(), name
        for value, other in zip(values, again.evaluate(x), strict=True):
            np.testing.assert_array_equal(value, other, err_msg=name)


def test_random_problems_are_compared_with_the_best_run(on_path, monkeypatch, tmp_path):
    import networks

    monkeypatch.setattr(networks, "KEEP", tmp_path / "best.csv")
    monkeypatch.setattr(networks, "RATES", str(tmp_path / "{}-rates.csv"))
    words = "--families pooling --algorithms auto multistart-slsqp --budgets 60 --keep"
    monkeypatch.setattr(sys, "argv", ["networks.py", *words.split()])
    monkeypatch.setitem(sys.modules["random_problems"].SIZES, "pooling", (1,))
    networks.main()
    assert networks.read().keys() == {"pooling-1-0"}
    rows = (tmp_path / "networks-rates.csv").read_text().splitlines()
    assert rows[0].split(",") == networks.HEAD
    assert rows[1].startswith("auto,60,all,1,1,1,")
