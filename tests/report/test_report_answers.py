"""What a campaign report says in words and counts by hand: verdict, warnings, cost, gaps, times."""

import numpy as np
import pytest
from made_up_trials import made_up, stored
from typer.testing import CliRunner

import rdex.campaign
from rdex.cli.app import app
from rdex.report import Options
from rdex.report.campaign_page import campaign_html
from rdex.report.campaign_words import runs_needed, small_sample_warnings, verdict
from rdex.report.contents import collect, contents_of
from rdex.report.cost import ALL
from rdex.report.printed_tables import printed_tables
from rdex.scoring import attainment, reached_by_cost, smallest_p
from runs_here import runs_here

OWN = '''"""Random search."""


def blind(problem, budget, rng):
    for _ in range(budget):
        problem.evaluate(rng.uniform(problem.lower, problem.upper, (1, problem.dim)))
'''


def sheets(contents):
    return {sheet.name: sheet for sheet in printed_tables(contents)}


def test_the_verdict_names_the_leader_the_tests_and_where_nothing_is_feasible():
    contents = contents_of(made_up(), Options())
    board = contents.target.tables["leaderboard"]
    first, second, last = verdict(contents)
    assert first.startswith(f"{board.rows[0][1]} leads") and str(board.rows[1][1]) in first
    compared = contents.target.comparisons["final_quality"]
    won, tied, lost = compared.win_tie_loss_holm[0]
    assert f"better on {won}, not different on {tied}, worse on {lost}" in second
    assert "75 % of the 20 runs" in last and last.endswith("none on C04.")


def test_one_algorithm_alone_is_not_said_to_lead():
    contents = contents_of(made_up(("A",)), Options())
    assert verdict(contents) == ["75 % of the 20 runs of A end feasible; none on C04."]
    assert small_sample_warnings(contents) == []


@pytest.mark.parametrize(("n", "words"), [(3, "Too few runs"), (4, "Few runs"), (6, None)])
def test_too_few_runs_for_the_tests_are_named(n, words):
    found = small_sample_warnings(contents_of(made_up(n=n), Options()))
    assert [text.split(":")[0] for text in found] == ([words] if words else [])


def test_the_smallest_p_is_the_one_of_samples_that_do_not_overlap():
    from math import comb

    for n in (2, 3, 5, 8):
        assert smallest_p(n, n) == pytest.approx(2 / comb(2 * n, n))
    assert smallest_p(0, 5) == 1.0
    for alpha in (0.05, 0.001):
        n = runs_needed(alpha)
        assert smallest_p(n, n) < alpha <= smallest_p(n - 1, n - 1)


def test_targets_reached_by_cost_are_counted_one_by_one():
    trials = made_up(p=3)
    result = attainment(trials)
    cost = trials.evaluations / np.array([[2.0], [5.0], [3.0]])
    grid = np.array([10.0, 100.0, 500.0, 3000.0])
    k = result.budget.size
    for chosen in (None, [0], [1, 2]):
        shares = reached_by_cost(result, cost, grid, chosen)
        for a in range(3):
            for i, limit in enumerate(grid):
                by_problem = []
                for j in range(3) if chosen is None else chosen:
                    known = ~np.isnan(result.targets[j])
                    hits = result.hits[a, j][:, known].ravel().tolist()
                    if hits:
                        good = [hit <= k and cost[j][hit - 1] <= limit for hit in hits]
                        by_problem.append(np.mean(good))
                expected = np.mean(by_problem) if by_problem else np.nan
                assert shares[a, i] == pytest.approx(expected, nan_ok=True)


def test_stores_give_evaluations_per_variable_and_groups(tmp_path):
    contents = collect([stored(tmp_path / "c", made_up())], Options())
    cost = contents.cost
    assert cost.per_variable and cost.label == "log10(evaluations / D)"
    assert next(iter(cost.groups)) == ALL and cost.groups["some runs end infeasible"] == [3]
    assert "cec2017" not in cost.groups and "D = 10" not in cost.groups  # they are all
    np.testing.assert_allclose(
        cost.reached[ALL][:, -1], contents.attainment.ecdf[:, -1], rtol=1e-12
    )
    known = np.isfinite(contents.attainment.ert)
    np.testing.assert_allclose(
        cost.expected[known], np.log10(contents.attainment.ert[known] / 10), rtol=1e-12
    )
    assert np.isnan(cost.expected[~known]).all()


def test_gaps_are_distances_of_feasible_runs_to_the_best():
    contents = contents_of(made_up(), Options())
    trials, sheet = contents.trials, sheets(contents)["gaps"]
    for j, row in enumerate(sheet.rows):
        feasible = trials.v[:, j, :, -1] == 0
        if not feasible.any():
            assert all(np.isnan(cell.value) for cell in row[1:])
            continue
        final = trials.f[:, j, :, -1]
        best = final[feasible].min()
        assert row[1].value == best
        for a in range(3):
            gaps = final[a][feasible[a]] - best
            assert row[2 + 2 * a].value == gaps.min() and row[3 + 2 * a].value == np.median(gaps)


def test_effects_have_intervals_and_bold_says_that_one_half_is_outside():
    contents = contents_of(made_up(), Options())
    compared = contents.target.comparisons["final_quality"]
    sheet = sheets(contents)["effects_final_quality"]
    for j, row in enumerate(sheet.rows):
        for i in range(2):
            effect, limits = row[1 + 3 * i], row[2 + 3 * i]
            low, high = compared.a12_low[i, j], compared.a12_high[i, j]
            assert effect.value == compared.a12[i, j] and limits.value == f"{low:.2f} to {high:.2f}"
            assert effect.is_best == (low > 0.5 or high < 0.5)


@pytest.fixture(scope="module")
def own_campaign(tmp_path_factory):
    """Two short runs of an algorithm of one's own, and of one of ours."""
    place = tmp_path_factory.mktemp("own")
    (place / "mine.py").write_text(OWN)
    with runs_here():
        rdex.campaign.run(
            place / "c", algorithms=[f"{place / 'mine.py'}:blind", "rdex-csop"],
            suite="engineering", problems=["welded-beam"], runs=2, maxfev=300, checkpoints=20,
        )  # fmt: skip
    return place / "c"


def test_the_report_shows_the_source_of_own_algorithms_times_and_a_title(own_campaign, tmp_path):
    contents = collect([own_campaign], Options())
    times = sheets(contents)["run_times"]
    assert [row[1].value for row in times.rows] == [2, 2]
    assert all(0 < row[2].value <= row[3].value <= row[4].value for row in times.rows)
    answer = CliRunner().invoke(
        app, ["bench", "report", str(own_campaign), "--out", str(tmp_path), "--title", "My <field>"]
    )
    assert answer.exit_code == 0, answer.output
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<h1>My &lt;field&gt;</h1>" in page
    assert "Source of blind" in page and "for _ in range(budget):" in page
    assert "Too few runs" in page and "leads with a U-score" in page


def test_a_store_without_sources_has_none(tmp_path):
    contents = collect([stored(tmp_path / "c", made_up())], Options())
    assert "Source of" not in campaign_html(contents, printed_tables(contents), None)
