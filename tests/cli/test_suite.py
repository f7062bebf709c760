"""`rdex suite list` and `rdex suite show`, as text, as JSON and in a narrow terminal."""

import json

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from typer.testing import CliRunner

from rdex.cli.app import app
from rdex.suites import get, ids


def run(*words):
    return CliRunner().invoke(app, ["suite", *words])


def test_list_names_every_problem_once():
    lines = run("list").stdout.splitlines()
    for id in (*ids("g2006"), *ids("engineering")):
        assert sum(line.split(" ")[0] == id for line in lines) == 1
    for number in range(1, 29):
        assert sum(line.startswith(f"cec2017/C{number:02d} ") for line in lines) == 1


def test_list_explains_the_ids_of_cec2017():
    text = run("list", "cec2017").stdout
    assert "cec2017/C07/d30/2017/official" in text
    assert "d10, d30, d50 or d100" in text
    assert "engineering" not in text


def test_output_without_a_terminal_is_plain():
    text = run("list", "engineering").stdout
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())
    assert "squared error of the ratio against 1/6.931" in text


def test_list_as_json():
    rows = json.loads(run("list", "--json").stdout)
    assert len(rows) == 28 + 18 + 24 + 13
    row = next(row for row in rows if row.get("id") == "g2006/G20")
    assert row == {
        "suite": "g2006",
        "id": "g2006/G20",
        "dim": 24,
        "n_integer": 0,
        "n_ineq": 6,
        "n_eq": 14,
        "optimum": None,
        "objective": None,
    }


def test_show_says_what_a_design_is():
    text = run("show", "engineering/pressure-vessel").stdout
    lines = [line.split() for line in text.splitlines()]
    assert ["shell", "thickness", "1", "99", "1/16", "in", "yes", "13"] in lines
    assert ["hoop", "stress", "in", "the", "shell", "≤", "0"] in lines
    assert ["best", "known", "6059.714335"] in lines
    assert ["success", "feasible", "and", "f", "≤", "6060.320306"] in lines
    assert "E. Sandgren" in text


def test_show_draws_numbered_names_together():
    lines = [line.split() for line in run("show", "g2006/G16").stdout.splitlines()]
    assert ["g1", "…", "g38", "≤", "0"] in lines
    two = [line.split() for line in run("show", "g2006/G23").stdout.splitlines()]
    assert ["g1", "≤", "0"] in two and ["g2", "≤", "0"] in two
    assert ["h1", "…", "h4", "=", "0"] in two


def test_show_says_edition_and_instance():
    lines = [line.split() for line in run("show", "cec2017/C07/d100/2024/3").stdout.splitlines()]
    assert ["edition", "2024"] in lines
    assert ["instance", "3"] in lines
    assert ["x1", "…", "x100", "-50", "50"] in lines


@pytest.mark.parametrize("id", ["g2006/G20", "engineering/gear-train", "cec2017/C01/d10/2017/1"])
def test_show_as_json(id):
    facts = json.loads(run("show", id, "--json").stdout)
    problem = get(id)
    assert facts["id"] == id
    assert [v["name"] for v in facts["variables"]] == list(problem.variable_names)
    assert [v["lower"] for v in facts["variables"]] == problem.lower.tolist()
    assert len(facts["constraints"]) == problem.n_constraints
    assert facts["optimum"] == problem.optimum
    assert facts["info"]["source"] == problem.info["source"]


def test_unknown_names_end_with_a_message():
    for words, message in (
        (("show", "g2006/g04"), "did you mean g2006/G04?"),
        (("list", "g2005"), "did you mean g2006?"),
    ):
        result = run(*words)
        assert result.exit_code == 1
        assert result.stdout == ""
        assert message in result.stderr


def test_missing_data_end_with_a_message(tmp_path):
    result = run("show", "cec2017/C01/d10/2017/official", "--data", str(tmp_path / "nowhere"))
    assert result.exit_code == 1
    assert "nowhere" in result.stderr


def test_numbers_are_never_cut_in_a_narrow_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = run("list", "engineering").stdout
    assert "\x1b" in text
    for value in ("2.700857e-12", "-81859.74", "heat-exchanger-network"):
        assert value in text
