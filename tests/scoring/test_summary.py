"""Leaderboard, summary tables and published tables."""

import json

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, mannwhitneyu
from statsmodels.stats.multitest import multipletests

from rdex.scoring import (
    PAPER_TABLES,
    Table,
    Trials,
    attainment_table,
    indicators,
    leaderboard,
    pairwise_score,
    paper_table,
    score_trials,
    stability_table,
    summary,
    target_score,
)
from rdex.scoring.summary import mean_and_deviation
from scoring.fields import best_so_far, pad


@pytest.fixture(scope="module")
def field():
    """Three algorithms of different strength on five problems, ten runs."""
    rng = np.random.default_rng(12)
    shape = 3, 5, 10, 20
    v = np.maximum(np.round(rng.normal(-1, 1, shape), 1), 0)
    strength = np.array([0.0, 0.5, 1.0])[:, None, None, None]
    f, v = best_so_far(np.round(rng.normal(0, 1, shape) + strength, 1), v)
    names = ["good", "fair", "poor"]
    return Trials.from_arrays(f, v, maxfev=200, algorithms=names, problems=list("abcde"))


def test_leaderboard_is_the_score_in_order(field):
    score = target_score(field.f, field.v)
    board = leaderboard(field)
    order = np.argsort(-score.total)
    assert board.column("algorithm") == [field.algorithms[a] for a in order]
    assert board.column("total") == score.total[order].tolist()
    assert board.column("speed") == score.strata_total["speed"][order].tolist()
    assert board.column("rank_sum") == score.rank_sum[order].tolist()
    assert board.column("per_problem") == (score.total[order] / 5).tolist()
    pairwise = leaderboard(field, "pairwise")
    expected = np.sort(pairwise_score(field.f, field.v).total)[::-1]
    assert pairwise.column("total") == expected.tolist()


def test_leaderboard_with_intervals(field):
    board = leaderboard(field, n_resamples=50)
    for low, total, high in zip(
        board.column("total_low"), board.column("total"), board.column("total_high"), strict=True
    ):
        assert low <= total <= high
    assert "50 resamples" in board.notes[-1]


def test_every_table_against_direct_calls(field):
    result = summary(field, reference="fair")
    metrics = indicators(field).metrics
    assert list(metrics) == ["final_quality", "time_to_target", "final_objective",
                             "final_violation", "auc"]  # fmt: skip
    rows = iter(result.tables["pairwise"].rows)
    for metric, values in metrics.items():
        for other, a in (("good", 0), ("poor", 2)):
            p = [
                1.0 if np.ptp(values[[1, a], j]) == 0
                else mannwhitneyu(values[1, j], values[a, j], alternative="two-sided").pvalue
                for j in range(5)
            ]  # fmt: skip
            effect = [
                (np.subtract.outer(values[1, j], values[a, j]) < 0).mean()
                + (np.subtract.outer(values[1, j], values[a, j]) == 0).mean() / 2
                for j in range(5)
            ]
            counts = []
            for level in (np.array(p), multipletests(p, method="holm")[1]):
                signs = np.where(level < 0.05, np.sign(np.array(effect) - 0.5), 0)
                counts += [(signs == s).sum() for s in (1, 0, -1)]
            row = next(rows)
            assert row[:-1] == (metric, other, *counts)
            assert row[-1] == pytest.approx(np.median(effect))
            column = result.tables[metric].column(f"{other}_w")
            assert column == [
                "=" if q >= 0.05 else "+" if e > 0.5 else "-"
                for q, e in zip(p, effect, strict=True)
            ]
            assert result.tables[metric].column(f"{other}_mean") == pytest.approx(
                values[a].mean(axis=-1)
            )
            assert result.tables[metric].column(f"{other}_sd") == pytest.approx(
                values[a].std(axis=-1)
            )
    for row, values in zip(result.tables["friedman"].rows, metrics.values(), strict=True):
        medians = np.median(values, axis=-1)
        if (medians == medians[0]).all():
            assert row[1:4] == (0.0, 2, 1.0)
        else:
            test = friedmanchisquare(*medians)
            assert row[1:4] == pytest.approx((test.statistic, 2, test.pvalue))
    assert result.tables["scores"].column("poor") == result.score.per_problem[2].tolist()
    assert len(result.tables["nemenyi"].rows) == 5 * 3
    assert result.tables["feasibility"].column("good") == pytest.approx(
        (field.v[0, :, :, -1] == 0).mean(axis=-1)
    )


def test_reference_is_the_leader_by_default(field):
    result = summary(field, form="pairwise")
    assert result.reference == leaderboard(field, "pairwise").rows[0][1]
    with pytest.raises(ValueError, match="no algorithm named 'x'; there are good, fair, poor"):
        summary(field, reference="x")
    with pytest.raises(ValueError, match="form of score must be one of"):
        score_trials(field, "u")


def test_summary_of_a_difficult_field():
    """One run, one algorithm missing, nothing feasible, infinite values: all answers defined."""
    f = np.array([[[1.0, np.inf]], [[2.0, -np.inf]], [[np.inf, np.inf]]])[..., None, :]
    f = np.repeat(f, 2, axis=1)
    v = np.zeros_like(f)
    v[:, 1], v[2, 0] = 1.0, np.inf
    f, v = pad(f, v, 1, 1, [0])
    result = summary(Trials.from_arrays(f, v, maxfev=4))
    assert any("A2 has no runs on 1 of 2 problems" in n for n in result.score.notes)
    assert any("no trial is feasible on P2" in n for n in result.score.notes)
    assert "1 of 2 problems left out" in result.tables["friedman"].notes[0]
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text)["reference"] == result.reference


def test_two_identical_algorithms_tie_everywhere(field):
    f, v = field.f[[0, 0]], field.v[[0, 0]]
    result = summary(Trials.from_arrays(f, v, maxfev=200))
    assert result.score.total[0] == result.score.total[1] == 5 * 10 * 10 / 2
    for row in result.tables["pairwise"].rows:
        assert row[2:] == (0, 5, 0, 0, 5, 0, 0.5)


def test_other_tables(field):
    reached = attainment_table(field)
    assert reached.columns[-1] == "100 %" and len(reached.rows) == 3
    stable = stability_table(field)
    assert stable.column("left_out") == ["good", "fair", "poor"]
    assert sorted(stable.rows[0][2].split(", ")) == ["fair", "poor"]


def test_mean_and_deviation():
    mean, deviation = mean_and_deviation(np.array([[1.0, 3.0, np.nan], [np.nan] * 3]))
    np.testing.assert_array_equal(mean, [2.0, np.nan])
    np.testing.assert_array_equal(deviation, [1.0, np.nan])
    mean, deviation = mean_and_deviation(np.array([1.0, np.inf]))
    assert mean == np.inf and np.isnan(deviation)


def test_tables_refuse_ragged_rows():
    with pytest.raises(ValueError, match="expected rows of 2 cells, got 1"):
        Table.of("t", ["a", "b"], [(1,)])
    with pytest.raises(ValueError, match="no column 'c'; there are a, b"):
        Table.of("t", ["a", "b"], [(1, 2)]).column("c")


@pytest.mark.parametrize("name", PAPER_TABLES)
def test_published_tables_can_be_read(name):
    table = paper_table(name)
    assert table.rows and table.title
    if "problem" in table.columns:
        assert table.column("problem") == list(range(1, 29))
        assert all(isinstance(cell, int | float) for cell in table.column("CL-SRDE_mean"))


def test_published_totals_are_beyond_what_ranks_allow():
    totals = paper_table("uscore").column("total")
    assert sum(totals) == 162186.0 > 28 * 100 * 101 / 2
    with pytest.raises(ValueError, match="no published table 'x'; there are uscore"):
        paper_table("x")


def test_published_tables_are_those_of_the_reference(reference_dir):
    from importlib import resources

    for path in (reference_dir / "paper_tables").glob("*.csv"):
        shipped = resources.files("rdex.scoring.paper").joinpath(path.name).read_text()
        assert shipped == path.read_text()
