"""External programs as problems: templates, JSON, folders, failures."""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rdex import Problem, minimize
from rdex.problem.command import CommandError

BOX = [(0.0, 4.0), (-1.0, 1.0)]
NAMES = ("width", "angle")

#: Reads deck.txt, writes answer.json; fails where width > 3.
SOLVER = """
import json, pathlib, sys
width, angle = (float(line.split("=")[1]) for line in open("deck.txt"))
print("solving", width, angle)
if width > 3:
    sys.exit("diverged")
pathlib.Path("answer.json").write_text(json.dumps({"f": width + angle, "G": [1 - width]}))
"""


def solver(tmp_path, **options):
    options = {"files": {"deck.txt": "width = ${width}\nangle = ${angle:.3f}\n"},
               "result": "answer.json", "folder": tmp_path / "runs", **options}  # fmt: skip
    return Problem.from_command(
        [sys.executable, "-c", SOLVER], BOX, n_ineq=1, variable_names=NAMES, **options
    )


def folders(tmp_path):
    return sorted((tmp_path / "runs").iterdir())


def test_files_in_and_out(tmp_path):
    problem = solver(tmp_path, keep="all")
    f, g, h = problem.evaluate([[2.0, 0.12345], [1 / 3, 0.0]])
    assert (
        f.tolist() == [2.123, 1 / 3] and g.tolist() == [[-1.0], [1 - 1 / 3]] and h.shape == (2, 0)
    )
    decks = {(folder / "deck.txt").read_text() for folder in folders(tmp_path)}
    assert decks == {"width = 2.0\nangle = 0.123\n", f"width = {1 / 3!r}\nangle = 0.000\n"}
    assert "solving 2.0" in "".join((f / "stdout.txt").read_text() for f in folders(tmp_path))


@pytest.mark.parametrize(("keep", "n"), [("failed", 1), ("none", 0), ("all", 2)])
def test_folders_of_failures_stay(tmp_path, keep, n):
    problem = solver(tmp_path, keep=keep)
    problem.evaluate([[2.0, 0.0]])
    with pytest.raises(CommandError, match=r"exit code 1, see .*rdex-evaluation-.*: diverged"):
        problem.evaluate([[3.5, 0.0]])
    assert len(folders(tmp_path)) == n
    if keep == "failed":
        assert "width = 3.5" in (folders(tmp_path)[0] / "deck.txt").read_text()


@pytest.mark.parametrize(("text", "expected"), [
    ('{"f": 1.5, "G": [2], "H": [null]}', (1.5, [2.0], [np.nan])),
    ("noise\nand more\n[1, [2], [3]]\n", (1.0, [2.0], [3.0])),
    ('{"f": NaN, "G": [Infinity], "H": [0]}', (np.nan, [np.inf], [0.0])),
])  # fmt: skip
def test_json_in_and_out(text, expected):
    program = f"import json, sys; json.load(sys.stdin)['variables']['x2']; print({text!r})"
    problem = Problem.from_command([sys.executable, "-c", program], BOX, n_ineq=1, n_eq=1)
    f, g, h = problem.evaluate([[1.0, 0.5]])
    np.testing.assert_equal((f[0], g[0].tolist(), h[0].tolist()), expected)


@pytest.mark.parametrize(("text", "message"), [
    ("", "no answer in .*: it is empty"),
    ("nothing", "no answer in"),
    ('{"value": 1}', "expected an object with f, G and H, got value"),
])  # fmt: skip
def test_answers_that_cannot_be_read(text, message):
    problem = Problem.from_command([sys.executable, "-c", f"print({text!r})"], BOX, keep="none")
    with pytest.raises(CommandError, match=message):
        problem.evaluate([[1.0, 0.5]])


def test_readers_arguments_templates_and_environment(tmp_path):
    template = tmp_path / "deck.in"
    template.write_text("${x1}")

    def read(folder: Path):
        words = (folder / "stdout.txt").read_text().split()
        return float(words[0]), [float((folder / "in/deck").read_text())], []

    problem = Problem.from_command(
        f"{sys.executable} -c 'import os, sys; print(sys.argv[1], os.environ[\"U\"])' ${{x2:.2f}}",
        BOX, n_ineq=1, files={"in/deck": template}, result=read, env={"U": "mm"},
    )  # fmt: skip
    f, g, _ = problem.evaluate([[1.25, 0.5]])
    assert f[0] == 0.5 and g[0, 0] == 1.25


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path):
    program = """
import subprocess, time
with open("pid", "w") as stream:
    stream.write(str(subprocess.Popen(["sleep", "300"]).pid))
time.sleep(300)
"""
    problem = Problem.from_command(
        [sys.executable, "-c", program], BOX, folder=tmp_path / "runs", timeout=1.0
    )
    start = time.monotonic()
    with pytest.raises(CommandError, match="took longer than 1 s"):
        problem.evaluate([[1.0, 0.5]])
    assert time.monotonic() - start < 30
    pid = int((folders(tmp_path)[0] / "pid").read_text())
    end = time.monotonic() + 10
    while os.path.exists(f"/proc/{pid}") and "Z" not in Path(f"/proc/{pid}/stat").read_text():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(("options", "message"), [
    ({"command": []}, "command must be"),
    ({"command": [3]}, "command must be"),
    ({"files": {"a": "${depth}"}}, r"\$\{depth\} is not a variable; known: width, angle"),
    ({"files": {"../a": ""}}, "names inside the folder"),
    ({"keep": "some"}, "keep must be one of failed, all, none, got 'some'"),
    ({"timeout": 0}, "timeout must be > 0, got 0"),
])  # fmt: skip
def test_bad_input_is_named(options, message):
    arguments = {"command": "true", **options}
    with pytest.raises(ValueError, match=message):
        Problem.from_command(arguments.pop("command"), BOX, variable_names=NAMES, **arguments)


@pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")
def test_in_a_run_with_workers(tmp_path):
    result = minimize(
        solver(tmp_path), maxfev=24, rng=1, workers=2, x0=[2.0, 0.0], eval_timeout=60,
        evaluations=tmp_path / "e.csv",
    )  # fmt: skip
    assert result.nfev == 24 and result.n_failed == len(folders(tmp_path)) > 0
    assert (result.evaluations.status == "raised").sum() == result.n_failed
    assert json.loads((folders(tmp_path)[0] / "stdin.json").read_text())["variables"]["width"] > 3
