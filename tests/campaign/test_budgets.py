"""The tables of `make budgets`, from cells made by hand, and two real runs."""

import importlib
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from rdex.suites import is_solved

BENCHMARKS = str(Path(__file__).resolve().parents[2] / "benchmarks")
sys.path.append(BENCHMARKS)  # last, and not for long: a script there is called as a test folder is
budgets, tables, figures = map(
    importlib.import_module, ("budgets", "budget_tables", "budget_figures")
)
sys.path.remove(BENCHMARKS)


def cells(budget=50, **values):
    """A cell per algorithm and problem, from (f, violation, solved) by algorithm."""
    return [
        tables.Cell("g2006", f"g2006/G{k}", name, budget, 0, *each)
        for name, field in values.items()
        for k, each in enumerate(field)
    ]


def test_rates_are_means_over_problems_whatever_the_seeds():
    made = cells(auto=[(1, 0, 1), (2, 0, 0)], other=[(1, 0, 1), (2, 0.5, 0)])
    made += [made[1]._replace(seed=seed) for seed in (1, 2)]  # three runs of one problem
    made += [made[0]._replace(algorithm="partial")]  # not on all problems: left out
    runs = tables.runs_of(made)
    assert tables.rates(runs, "solved") == {("g2006", 50): {"auto": 0.5, "other": 0.5}}
    assert tables.rates(runs, "feasible") == {("g2006", 50): {"auto": 1.0, "other": 0.5}}
    assert tables.seeds_of(runs)[0]["auto"] == "2"


def test_ranks_count_solved_runs_as_equal_and_feasible_ones_first():
    made = cells(
        auto=[(1.0, 0, 1), (5, 0, 0)], better=[(0.9, 0, 1), (1, 0.5, 0)],
        worse=[(3, 0, 0), (0, 1, 0)],
    )  # fmt: skip
    assert tables.ranks(tables.runs_of(made))["g2006", 50] == {
        "auto": 1.25, "better": 1.75, "worse": 3.0,
    }  # fmt: skip


def test_the_promise_is_judged_by_success_or_by_rank_where_nobody_solves_anything():
    made = cells(auto=[(1, 0, 1), (2, 0, 0)], other=[(1, 0, 1), (2, 0, 1)])
    made += cells(100, auto=[(2, 0, 0), (2, 0, 0)], other=[(3, 0, 0), (2, 0.1, 0)])
    runs = tables.runs_of(made)
    rates = tables.rates(runs, "solved"), tables.rates(runs, "feasible"), tables.ranks(runs)
    missed, kept = tables.against_best(*rates)
    assert (missed["by"], missed["kept"], missed["who"]) == ("success", "no", "other")
    assert (kept["by"], kept["kept"], kept["feasible kept"]) == ("rank", "yes", "yes")
    assert tables.leads(rates[0])[0]["lead"] == "-0.250"


def test_profiles_end_where_the_first_problem_has_no_more_evaluations():
    problems = {"small": {10: 0.0, 20: 1.0}, "large": {10: 1.0, 20: 1.0}}
    assert figures.over_ratio(problems, {"small": 2, "large": 4}.get) == [(2.5, 0.5), (5.0, 0.5)]


def test_a_peer_run_gives_the_cells_of_all_smaller_budgets():
    made = budgets.run(budgets.Cell("g2006", "g2006/G24", "multistart-slsqp", 200, 0))
    assert [cell.budget for cell in made] == [50, 100, 200]
    assert made[-1].solved == 1
    assert sorted((cell.violation, cell.f) for cell in made) == [
        (cell.violation, cell.f) for cell in reversed(made)
    ]


@pytest.mark.skipif(not importlib.util.find_spec("cocoex"), reason="cocoex is not installed")
def test_the_best_values_of_coco_are_reached_and_not_exceeded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problem = budgets.problem_of("coco/f01-D5-i11")
    assert list(tmp_path.iterdir()) == []
    assert is_solved(problem, problem.optimum, 0.0)
    x = np.random.default_rng(1).uniform(problem.lower, problem.upper, (500, 5))
    f, g, _ = problem.evaluate(x)
    feasible = (g <= 0).all(axis=1)
    assert feasible.any() and f[feasible].min() > problem.optimum
    (cell,) = budgets.run(budgets.Cell("coco-d5", "coco/f01-D5-i11", "local", 300, 0))
    assert cell.solved == 1 and cell.f == pytest.approx(problem.optimum, abs=1e-4)
