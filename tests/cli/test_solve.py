"""`rdex solve`: problems of files, output for people and programs, exit codes."""

import io
import json

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from typer.testing import CliRunner

from rdex.cli.app import app

# Without the JIT the random numbers overflow as they should, and NumPy mentions it.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")

FILE = """
import rdex
from helper import HALF

bounds = [(-5, 5)] * 2
variable_names = ["width", "height"]

def fun(x):
    return x @ x

def area(x):
    return x[0] + x[1] - 2 * HALF

def never(x):
    return -1 - x @ x

constraints = [{"type": "eq", "fun": area}]
problem_of_mine = rdex.Problem.from_function(
    lambda x: (fun(x), [never(x)]), bounds, n_ineq=1, constraint_names=["always held"])
blocked = rdex.Problem.from_function(
    lambda x: (fun(x), [1 + fun(x)]), bounds, n_ineq=1, constraint_names=["too tight"])
broken = 3

def bad(x):
    raise KeyError("inside")
"""


@pytest.fixture
def solve(tmp_path, monkeypatch):
    (tmp_path / "case.py").write_text(FILE)
    (tmp_path / "helper.py").write_text("HALF = 0.5\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # undone afterwards

    def run(*words):
        """A cheap search does unless one is named."""
        given = words if "--algorithm" in words else (*words, "--algorithm", "rdex-csop")
        return CliRunner().invoke(app, ["solve", *map(str, given)])

    return run


def test_a_function_with_bounds_and_constraints(solve):
    result = solve("case.py", "--maxfev", 300, "--rng", 1, "--algorithm", "auto")
    assert result.exit_code == 0, result.output
    assert result.output.startswith("Feasible solution\n")
    assert "width" in result.output and "area" in result.output and "300 of 300" in result.output


def test_json(solve):
    result = solve("case.py", "--maxfev", 3000, "--rng", 1, "--json", "--algorithm", "rde26")
    facts = json.loads(result.stdout)
    assert facts["feasible"] is True and abs(facts["fun"] - 0.4999) < 1e-3
    assert set(facts["x"]) == {"width", "height"} and facts["algorithm"] == "rde26"
    assert facts["constraints"][0]["name"] == "area"
    again = solve("case.py", "--maxfev", 3000, "--rng", 1, "--json", "--algorithm", "rde26")
    assert json.loads(again.stdout)["x"] == facts["x"]


def test_a_problem_by_name_and_an_infeasible_end(solve):
    assert solve("case.py:problem_of_mine", "--maxfev", 100, "--rng", 1).exit_code == 0
    result = solve("case.py:blocked", "--maxfev", 100, "--rng", 1)
    assert result.exit_code == 2
    assert "No feasible solution" in result.output and "too tight by 1" in result.output
    assert solve("case.py:blocked", "--maxfev", 100, "--json").exit_code == 2


@pytest.mark.parametrize(("words", "message"), [
    (("absent.py",), "there is no file absent.py"),
    (("case.py:absent",), "case.py defines no 'absent'"),
    (("case.py:broken",), "broken in case.py must be a Problem or a function, got int"),
    (("empty.py",), "defines neither `problem` nor `fun`"),
    (("unbound.py",), "defines the function fun, but no `bounds`"),
    (("syntax.py",), "SyntaxError"),
    (("case.py:bad", "--maxfev", 50), "KeyError: 'inside' (case.py, line 25)"),
    (("case.py", "--maxfev", 0), "maxfev must be a whole number >= 1, got 0"),
    (("case.py", "--algorithm", "de"), "unknown algorithm 'de'"),
    (("case.py", "--workers", 0), "workers must be"),
    (("case.py", "--checkpoint", "absent/run.npz"), "cannot write"),
    (("case.py", "--plot", "x.foo"), "--plot: cannot write '.foo' files; known: "),
    (("case.py", "--plot", "x"), "--plot: cannot write 'a file without an ending' files"),
    (("case.py", "--plot", "absent/x.png"), "--plot: there is no folder"),
    (("case.py", "--report", "case.py/r.html"), "--report: cannot write to "),
    (("case.py", "--report", "case.py"), "--report: cannot write to "),
    (("case.py:fum",), "case.py defines no 'fum'; did you mean 'fun'?"),
    (("misspelt.py",), "defines 'constraint', which is not read; did you mean 'constraints'?"),
    (("objective.py",), "defines 'objective', which is not read; did you mean 'fun'?"),
    (("boxless.py",), "defines 'bound', which is not read; did you mean 'bounds'?"),
    (("budget.py",), "defines 'maxfev', which is not read; use --maxfev"),
])  # fmt: skip
def test_errors_are_one_line(solve, tmp_path, words, message):
    (tmp_path / "empty.py").write_text("x = 1\n")
    (tmp_path / "unbound.py").write_text("def fun(x): return 0\n")
    good = "def fun(x): return x @ x\nbounds = [(-5, 5)] * 2\n"
    (tmp_path / "misspelt.py").write_text(good + "constraint = [{'type': 'eq', 'fun': fun}]\n")
    (tmp_path / "objective.py").write_text(good.replace("fun", "objective"))
    (tmp_path / "boxless.py").write_text(good.replace("bounds", "bound"))
    (tmp_path / "budget.py").write_text(good + "maxfev = 50\n")
    (tmp_path / "syntax.py").write_text("def fun(x) return 0\n")
    result = solve(*words)
    assert result.exit_code == 1
    assert result.stderr.startswith("rdex: ") and result.stderr.count("\n") == 1
    assert message in result.stderr and result.stdout == ""


def test_tolerances_beside_a_problem_count(solve, tmp_path):
    """They were read beside a function only."""
    text = FILE + "ineq_tol = 30.0\n"
    (tmp_path / "loose.py").write_text(text)
    assert solve("loose.py:blocked", "--maxfev", 50, "--rng", 1).exit_code == 0
    (tmp_path / "odd.py").write_text(text.replace("ineq_tol", "ineqtol"))
    found = solve("odd.py:blocked", "--maxfev", 50)
    assert found.exit_code == 1 and "did you mean 'ineq_tol'?" in found.stderr


def test_plot_checkpoint_and_workers(solve, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    words = ("case.py", "--maxfev", 200, "--rng", 1, "--checkpoint", "run.npz")
    first = solve(*words, "--plot", "run.png", "--json")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    again = solve(*words, "--json")
    assert json.loads(again.stdout)["x"] == json.loads(first.stdout)["x"]
    other = solve("case.py", "--maxfev", 199, "--rng", 1, "--checkpoint", "run.npz")
    assert other.exit_code == 1 and "another run: different maxfev" in other.stderr
    parallel = solve("case.py", "--maxfev", 60, "--rng", 1, "--workers", 2, "--json")
    assert json.loads(parallel.stdout)["nfev"] == 60


def test_names_that_only_help_are_no_mistake(solve, tmp_path):
    text = "def constraint(x): return x[0]\nconstraints = [{'type': 'ineq', 'fun': constraint}]\n"
    text += "def fun(x): return x @ x\nbounds = [(-5, 5)] * 2\neq_tol = 1e-3\nx1 = bound = 3\n"
    (tmp_path / "helped.py").write_text(text)
    result = solve("helped.py", "--maxfev", 300, "--rng", 1)
    assert result.exit_code == 0, result.output


def test_the_result_is_printed_before_the_plot_is_written(solve, monkeypatch):
    from rdex.run.result import Result

    monkeypatch.setattr(Result, "plot", lambda self: 1 / 0)
    result = solve("case.py", "--maxfev", 300, "--rng", 1, "--plot", "x.png")
    assert result.exit_code == 1 and "evaluations" in result.stdout
    assert "the plot was not written: ZeroDivisionError" in result.stderr


def test_names_cannot_steer_the_terminal(solve, tmp_path):
    text = "def fun(x): return x @ x\nbounds = [(-5, 5)] * 2\n"
    text += "variable_names = ['a\\x1b[31m', 'b\\nc\\ud800']\n"
    (tmp_path / "odd.py").write_text(text)
    result = solve("odd.py", "--maxfev", 50, "--rng", 1)
    assert result.exit_code == 0 and "\x1b" not in result.output
    assert "a\\x1b[31m" in result.output and "b\\x0ac\\ud800" in result.output


def test_the_output_is_indented_as_in_print_and_explained(solve):
    result = solve("case.py", "--maxfev", 300, "--rng", 1, "--explain")
    assert result.exit_code == 0, result.output
    assert "\n  variables\n    width " in result.output
    assert "\n  constraints\n    |area| " in result.output
    assert "What limits the design" in result.output and "lowering `area`" in result.output
    blocked = solve("case.py:blocked", "--maxfev", 100, "--rng", 1, "--explain", "--json")
    assert blocked.exit_code == 2
    facts = json.loads(blocked.stdout)
    assert "cannot be satisfied within the bounds" in facts["explanation"]
    assert facts["conflict"]["gives_way"][0]["name"] == facts["conflict"]["names"][0]
    limits = json.loads(solve("case.py", "--maxfev", 300, "--rng", 1, "--explain", "--json").stdout)
    price = limits["sensitivity"]["prices"][0]
    assert (price["name"], price["of"]) == ("area", "box") and price["amount"] > 0


def test_report_evaluations_limits_and_progress(solve, tmp_path):
    pytest.importorskip("plotly")
    words = ("case.py", "--maxfev", 100, "--rng", 1, "--evaluations", "e.csv", "--report", "r.html",
             "--maxtime", 60, "--timeout", 30, "--retries", 1, "--progress")  # fmt: skip
    result = solve(*words)
    assert result.exit_code in (0, 2), result.output
    assert (tmp_path / "e.csv").read_text().count("\n") >= 100
    assert "<title>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "evaluations 100/100" in result.stderr
    assert "evaluations" not in solve("case.py", "--maxfev", 50, "--no-progress").stderr


def test_only_a_feasible_point_is_wanted(solve):
    words = ("case.py:problem_of_mine", "--maxfev", 60, "--rng", 1, "--feasibility-only")
    result = solve(*words)
    assert result.exit_code == 0 and "A feasible point was found." in result.output
    assert "share of random points that satisfy" in result.output
    facts = json.loads(solve(*words, "--json").stdout)
    names = [each["name"] for each in facts["feasible_shares"]]
    assert names == ["always held", "all together"] and facts["feasible_shares"][0]["n"] > 0


def test_long_explanations_keep_their_indentation():
    from rich.console import Console

    from rdex.cli.solve import explained_lines

    console = Console(width=30, record=True, file=io.StringIO())
    console.print(*explained_lines("What limits\n  relaxing `a` by 1 % saves much of the cost"))
    _, _, first, second = console.export_text().splitlines()[:4]
    assert first.startswith("  relaxing") and second.startswith("  ") and second.strip()


def test_notes_go_on_under_their_first_word():
    from rich.console import Console

    from rdex import minimize
    from rdex.cli.solve import rendered

    result = minimize(lambda x: x @ x, [(-5, 5)], maxfev=30, rng=1, algorithm="rdex-csop")
    result["notes"] = ["word " * 30]
    console = Console(width=60, record=True, file=io.StringIO())
    console.print(*rendered(result))
    lines = [line for line in console.export_text().splitlines() if "word" in line]
    assert lines[0].startswith("    - word") and len(lines) > 2
    assert all(line.startswith("      word") for line in lines[1:])


def test_a_file_may_state_constraints_with_bounds(solve, tmp_path):
    (tmp_path / "limited.py").write_text(
        "bounds = [(-5, 5)] * 2\n"
        "def fun(x):\n    return x @ x\n"
        "constraints = {'name': 'total width', 'fun': lambda x: x[0] + x[1], 'lb': 1}\n"
    )
    result = solve("limited.py", "--maxfev", 2000, "--rng", 1, "--json")
    assert result.exit_code == 0, result.output
    stated = json.loads(result.stdout)["constraints"][0]
    assert (stated["name"], stated["bound"]) == ("total width", 1)
