"""The scripts behind rdex-tide, small: its standing in a field, and COCO's suite."""

import importlib
import sys
from pathlib import Path

import pytest

from rdex import campaign
from rdex.scoring import trials_from_stores
from runs_here import runs_here

BENCHMARKS = str(Path(__file__).resolve().parents[2] / "benchmarks")
sys.path.append(BENCHMARKS)  # last, and not for long: a script there is called as a test folder is
champion, coco, tuning = map(importlib.import_module, ("champion", "coco", "tuning"))
sys.path.remove(BENCHMARKS)

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    folder = tmp_path_factory.mktemp("field")
    plan = campaign.Plan.of([*champion.FIELD, champion.OURS], problems="1,8,13", dim=10, runs=3,
                            maxfev=2000, checkpoints=50)  # fmt: skip
    with runs_here():
        campaign.run(folder, plan, workers=1)
    return trials_from_stores([folder]).prepared(cutoff=1e-8)


@pytest.mark.slow
def test_scores_are_those_of_the_field(trials):
    lines = list(champion.scores(trials, resamples=20))
    for form in champion.FORMS:
        part = [line for line in lines if line["form"] == form]
        assert {line["algorithm"] for line in part} == set(trials.algorithms)
        assert [line["total"] for line in part] == sorted(
            (line["total"] for line in part), reverse=True
        )
        assert part[1]["of the second"] == 1.0
        assert all(line["low"] <= line["total"] <= line["high"] for line in part)
        assert {line["our rank without it"] for line in part} <= {"", 1, 2, 3, 4, 5}
    ours = next(line for line in lines if line["algorithm"] == champion.OURS)
    standing = tuning.standing(trials, champion.OURS)
    best_other = max(
        line["total"] for line in lines
        if line["form"] == "target" and line["algorithm"] != champion.OURS
    )  # fmt: skip
    assert standing["target"] == round(ours["total"])
    assert standing["target / second"] == round(ours["total"] / best_other, 3)


@pytest.mark.slow
def test_the_counts_against_the_rival_are_complete(trials):
    for line in champion.against_rival(trials):
        assert sum(map(int, line["wins/ties/losses"].split("/"))) == 3


def test_cocos_problems_are_solved_through_their_own_package():
    pytest.importorskip("cocoex")
    rows = [row for name in coco.ALGORITHMS for row in coco.solve(name, 2, 200, functions="1")]
    assert len(rows) == 6 and all(row["cv"] == 0.0 for row in rows)
    line = coco.compared(rows, 2, 200)
    assert line["problems"] == 3 and line["better"] + line["worse"] <= 3
