"""Exit codes of wrong use; texts of users that would steer a terminal, a page or a spreadsheet."""

import json

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")

from rich.text import Text
from typer.testing import CliRunner

from rdex.cli.app import USAGE, app
from rdex.cli.printing import grid_of
from rdex.report.page import environment, plain
from rdex.report.printed_tables import Cell, PrintedTable
from rdex.report.writing import comma_separated
from rdex.scoring import Table

ESCAPE = "\x1b[2Jgone"


@pytest.mark.parametrize(
    "words",
    [("--nonsense",), ("nonsense",), ("bench", "run", "--nonsense"), ("solve",),
     ("bench", "run", "--runs", "three")],
)  # fmt: skip
def test_wrong_use_has_an_exit_code_of_its_own(words):
    assert CliRunner().invoke(app, list(words)).exit_code == USAGE == 64


def test_a_dry_run_executes_no_file(tmp_path):
    trace = tmp_path / "executed"
    text = f"import pathlib\npathlib.Path({str(trace)!r}).touch()\n"
    (tmp_path / "mine.py").write_text(text + "def solve(problem, budget, rng): pass\n")
    (tmp_path / "beam.py").write_text(text + "def fun(x): return x[0]\nbounds = [(0, 1)]\n")
    words = ["bench", "run", "--algorithms", f"{tmp_path}/mine.py:solve", "--suite", "g2006",
             "--problems", f"6,{tmp_path}/beam.py", "--out", f"{tmp_path}/out",
             "--dry-run"]  # fmt: skip
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert "beam.py is not executed" in result.stdout
    assert not trace.exists()


def test_escape_codes_do_not_reach_the_terminal(tmp_path):
    result = CliRunner().invoke(app, ["bench", "score", str(tmp_path / ESCAPE)])
    assert result.exit_code == 1
    assert "\x1b" not in result.stderr
    assert "\\x1b[2Jgone" in result.stderr
    title, grid, note, _ = grid_of(Table.of(ESCAPE, (ESCAPE,), [(ESCAPE,)], (ESCAPE,)))
    shown = [title, note, grid.columns[0].header, *grid.columns[0].cells]
    assert all(isinstance(each, Text) and "\x1b" not in each.plain for each in shown)


def test_escape_codes_and_formulas_do_not_reach_pages_and_tables():
    template = environment().from_string("{{ name }}")
    assert template.render(name=ESCAPE) == "\\x1b[2Jgone"
    assert "001b" not in json.dumps(plain({"error": [ESCAPE]}))
    cells = [Cell("=HYPERLINK(1)"), Cell("+"), Cell("@x" + ESCAPE), Cell(-1.5)]
    table = PrintedTable("t", "t", ("=a", "b", "c", "d"), (tuple(cells),))
    heads, row = comma_separated(table).splitlines()
    assert heads.startswith("'=a,")
    assert row == "'=HYPERLINK(1),+,'@x\\x1b[2Jgone,-1.5"
