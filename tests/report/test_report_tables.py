"""Printed tables: the paper's layouts, and what each format makes of awkward names."""

import csv
import io
import re
import shutil
import subprocess

import numpy as np
import pytest
from made_up_trials import AWKWARD, HOSTILE, made_up

pytest.importorskip("statsmodels")
pytest.importorskip("scikit_posthocs")

from rdex.report.contents import METRICS, Options, contents_of
from rdex.report.numbers import latex_text, markdown_text, shown
from rdex.report.printed_tables import Cell, PrintedTable, printed_tables
from rdex.report.writing import comma_separated, latex, markdown, write_tables
from rdex.scoring import Trials


@pytest.fixture(scope="module")
def contents():
    return contents_of(made_up((HOSTILE, AWKWARD, "C")), Options(reference="C"))


@pytest.fixture(scope="module")
def found(contents):
    return {sheet.name: sheet for sheet in printed_tables(contents)}


def test_every_table_of_the_paper_is_there(found):
    assert set(found) >= {"uscore", "score_ranks", "pairwise", "pairwise_more", "friedman",
                          "friedman_more", *METRICS}  # fmt: skip


def test_the_overall_score_has_the_columns_of_the_paper(found, contents):
    sheet = found["uscore"]
    assert sheet.columns == ("Rank", "Algorithm", "Total Score", "Avg Score/Prob.", "Speed",
                             "Accuracy", "Constraint")  # fmt: skip
    totals = contents.target.tables["leaderboard"].column("total")
    assert [row[2].value for row in sheet.rows] == totals
    assert [row[2].is_best for row in sheet.rows] == [total == max(totals) for total in totals]


def test_metric_tables_begin_with_the_reference_and_mark_the_smallest_mean(found, contents):
    sheet = found["final_quality"]
    assert sheet.groups == (("", 1), ("C", 2), (HOSTILE, 3), (AWKWARD, 3))
    assert sheet.columns == ("Problem", "Mean", "SD", "Mean", "SD", "W", "Mean", "SD", "W")
    quality = contents.target.indicators.quality
    for j, row in enumerate(sheet.rows):
        means = [quality[a, j].mean() for a in (2, 0, 1)]
        assert [row[1].value, row[3].value, row[6].value] == pytest.approx(means, rel=1e-12)
        assert row[2].value == pytest.approx(np.std(quality[2, j]), rel=1e-9)
        best = [row[1].is_best, row[3].is_best, row[6].is_best]
        assert best == [mean - min(means) <= 1e-8 for mean in means]
        assert {row[5].value, row[8].value} <= {"+", "=", "-"}


def test_rules_are_stated_beneath_metric_tables(found):
    text = " ".join(found["time_to_target"].notes)
    for words in ("Bold: the smallest mean", "SD divides by n", "+ where C is better",
                  "Mann-Whitney U", "= where there is no difference"):  # fmt: skip
        assert words in text


def test_pairwise_and_friedman_are_laid_out_as_in_the_paper(found, contents):
    sheet = found["pairwise"]
    assert sheet.groups == (("", 1), ("Final Q", 3), ("TTT", 3))
    row = sheet.rows[0]
    w, t, loss = contents.target.comparisons["final_quality"].win_tie_loss[0]
    assert (row[0].value, row[1].value) == (HOSTILE, f"{w}/{t}/{loss}")
    ranks = contents.target.friedman["time_to_target"].average_ranks
    assert [row[2].value for row in found["friedman"].rows] == ranks.tolist()
    assert "χ² = " in found["friedman"].title


def test_one_algorithm_has_no_comparisons():
    alone = {sheet.name for sheet in printed_tables(contents_of(made_up(("A",)), Options()))}
    assert "pairwise" not in alone
    assert {"uscore", "final_quality"} <= alone


def test_printed_tables_refuse_rows_of_other_lengths():
    with pytest.raises(ValueError, match="expected 2 columns"):
        PrintedTable("x", "t", ("a", "b"), ((Cell(1),),))
    with pytest.raises(ValueError, match="expected 2 columns"):
        PrintedTable("x", "t", ("a", "b"), (), groups=(("g", 3),))


def test_latex_escapes_every_special_character():
    text = latex_text(AWKWARD)
    assert text == (r"\_\%\&\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{} "
                    r"{[}{*}\textbar{}")  # fmt: skip
    assert latex_text("a--b\nc") == "a-{}-b c"
    assert latex_text("é漢") == "é{[}U+6F22{]}"
    assert latex_text("`'\"") == "\\textasciigrave{}{'}{\\char34}"


def test_latex_uses_booktabs_and_no_raw_name(found):
    text = latex(found["final_quality"])
    for word in (r"\toprule", r"\midrule", r"\bottomrule", r"\cmidrule(lr){2-3}", r"\textbf{"):
        assert word in text
    assert HOSTILE not in text and AWKWARD not in text
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert len(body) == 4 and {len(re.findall(r"(?<!\\)&", line)) for line in body} == {8}


def test_markdown_rows_have_as_many_cells_as_headings(found):
    lines = markdown(found["final_quality"]).splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {10}
    assert r"\<script\>" in rows[0] and markdown_text("a_b") == r"a\_b"


def test_csv_holds_the_values_with_all_digits(found):
    sheet = found["final_quality"]
    head, *rows = csv.reader(io.StringIO(comma_separated(sheet)))
    assert head[3] == f"{HOSTILE} Mean" and head[6] == f"{AWKWARD} Mean"
    assert [float(row[1]) for row in rows] == [row[1].value for row in sheet.rows]


def test_numbers_as_people_read_them():
    assert shown(float("inf")) == "inf" and shown(None) == "–" and shown(12345678.0) == "1.2346e+07"


def test_means_of_infinite_values_are_printed():
    f = np.full((2, 2, 3, 4), np.inf)
    trials = Trials.from_arrays(f, np.ones_like(f), maxfev=40)
    text = latex(
        next(
            s for s in printed_tables(contents_of(trials, Options())) if s.name == "final_objective"
        )
    )
    assert "inf" in text and "nan" not in text


@pytest.mark.slow
def test_all_tables_compile(contents, tmp_path):
    engine = shutil.which("pdflatex") or shutil.which("tectonic")
    if engine is None:
        pytest.skip("no LaTeX engine: neither pdflatex nor tectonic is installed")
    from rdex.report.paper_comparison import paper_tables

    named = made_up(("RDEx-CSOP", AWKWARD, "UDEIII", HOSTILE, "漢--é`'\""))
    more = contents_of(named, Options())
    write_tables([*printed_tables(more), *paper_tables(more)], tmp_path)
    flags = ["-interaction=nonstopmode", "-halt-on-error"] if "pdflatex" in engine else []
    run = subprocess.run([engine, *flags, "tables.tex"], cwd=tmp_path, capture_output=True,
                         text=True, errors="replace", check=False)  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:]
    assert (tmp_path / "tables.pdf").stat().st_size > 10000
    text = shutil.which("pdftotext")
    if text:
        subprocess.run([text, "-layout", "tables.pdf"], cwd=tmp_path, check=True)
        printed = (tmp_path / "tables.txt").read_text(errors="replace")
        assert "_%&$#{}" in printed and "<script>alert(1)</script>" in printed
