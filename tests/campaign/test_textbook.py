"""The benchmark of textbook problems, with two of them and few evaluations."""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = str(Path(__file__).resolve().parents[2] / "benchmarks")


@pytest.fixture
def on_path(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield
    for name in ("textbook", "textbook_problems", "small_tables"):
        sys.modules.pop(name, None)


def test_cells_are_kept_and_not_run_again(on_path, monkeypatch, tmp_path):
    import textbook

    algorithms = ["rdex-csop", "multistart-slsqp"]
    words = ["--problems", "HS 71", "two-bar truss", "--budgets", "50", "--seeds", "1"]
    words += ["--keep", str(tmp_path), "--algorithms", *algorithms]
    monkeypatch.setattr(sys, "argv", ["textbook.py", *words])
    textbook.main()
    cells = textbook.read(tmp_path / "textbook-cells.csv")
    assert len(cells) == 4
    textbook.main()
    assert textbook.read(tmp_path / "textbook-cells.csv") == cells
    with (tmp_path / "textbook-success.csv").open() as stream:
        assert [row["algorithm"] for row in csv.DictReader(stream)] == algorithms


def test_every_problem_has_values_in_its_box(on_path):
    import textbook_problems

    rng = np.random.default_rng(1)
    for name in textbook_problems.CASES:
        problem = textbook_problems.make(name)
        x = rng.uniform(problem.lower, problem.upper, (20, problem.dim))
        f, g, h = problem.evaluate(x)
        assert np.isfinite(f).any(), name
        assert g.shape == (20, problem.n_ineq) and h.shape == (20, problem.n_eq)
