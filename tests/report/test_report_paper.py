"""The paper's figures beside ours."""

import math

import pytest
from made_up_trials import made_up

pytest.importorskip("statsmodels")
pytest.importorskip("scikit_posthocs")

from rdex.report.contents import Options, contents_of
from rdex.report.paper_comparison import CAVEATS, matches, pair, paper_tables, problem_number
from rdex.scoring import paper_table, target_score

FOUR = ("rdex-csop", "rdex", "UDE_III", "cl_srde")


@pytest.fixture(scope="module")
def found():
    contents = contents_of(made_up(("other", *FOUR)), Options())
    return {sheet.name: sheet for sheet in paper_tables(contents)}


def test_names_match_without_case_and_punctuation():
    theirs = paper_table("uscore").column("algorithm")
    assert matches(("other", *FOUR), theirs) == dict(
        zip(FOUR, ("RDEx-CSOP", "RDEx", "UDEIII", "CL-SRDE"), strict=True)
    )
    assert matches(("rdex", "RDEx"), theirs) == {"rdex": "RDEx"}


def test_every_published_table_is_beside_ours(found):
    assert set(found) == {
        "paper_uscore", "paper_score_ranks", "paper_friedman", "paper_pairwise",
        "paper_final_quality", "paper_time_to_target", "paper_final_objective",
        "paper_final_violation", "paper_auc", "paper_competition_2026",
    }  # fmt: skip


def test_ours_are_computed_as_the_papers(found):
    """Only its algorithms, six digits: the other one must not move the target."""
    four = made_up(("other", *FOUR)).select(FOUR).prepared(digits=6)
    totals = target_score(four.f, four.v).total
    row = found["paper_uscore"].rows[0]
    assert row[0].value == "rdex-csop"
    assert [cell.value for cell in row[1:5]] == pytest.approx(
        [totals[0], 53680.5, totals[0] / 53680.5, totals[0] - 53680.5]
    )


def test_means_stand_beside_the_published_ones(found):
    four = made_up(("other", *FOUR)).select(FOUR).prepared(digits=6)
    row = found["paper_final_objective"].rows[2]
    mine = four.f[0, 2, :, -1].mean()
    assert row[0].value == "C03"
    assert [cell.value for cell in row[1:5]] == pytest.approx([mine, 256.0, mine / 256, mine - 256])


def test_ratio_is_left_out_where_it_says_nothing():
    assert pair(2.0, 4.0, "")[2].value == 0.5
    for ours, theirs in ((1.0, 0.0), (1.0, -2.0), (math.nan, 1.0)):
        assert math.isnan(pair(ours, theirs, "")[2].value)


def test_a_field_without_the_papers_algorithms_has_no_such_table():
    assert paper_tables(contents_of(made_up(("x", "y")), Options())) == []


def test_part_of_the_field_is_warned_of():
    sheets = paper_tables(contents_of(made_up(("rdex", "y")), Options()))
    assert any("do not compare" in note for note in sheets[0].notes)


def test_problems_of_other_suites_are_left_out():
    assert problem_number("G06") is None and problem_number("C28") == 28


def test_the_caveats_are_stated():
    text = " ".join(CAVEATS)
    for words in ("162186", "141400", "signed sums", "six significant digits", "dividing by n",
                  "without asking for feasibility"):  # fmt: skip
        assert words in text
