"""`rdex bench`: a small campaign from command line and file, scored, exported, imported."""

import io
import json
import logging

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")
pytest.importorskip("pandas")
pytest.importorskip("joblib")
pytest.importorskip("statsmodels")

from rich.console import Console
from typer.testing import CliRunner

import rdex.store
from rdex.campaign import CampaignProgress
from rdex.cli.app import app
from rdex.cli.printing import duration
from rdex.cli.progress import Display, line_of, panel
from rdex.scoring.table import cell_text
from rdex.store import RunKey
from runs_here import runs_here

WORDS = ("--algorithms", "rdex-csop,cl-srde", "--dim", "10", "--problems", "1-2", "--runs", "3",
         "--maxfev", "2000", "--checkpoints", "40")  # fmt: skip


def bench(*words):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small campaign, made by the command from a file and the command line."""
    place = tmp_path_factory.mktemp("bench")
    (place / "plan.toml").write_text(
        'algorithms = "rdex-csop,cl-srde"\ndim = 10\nproblems = "1-2"\nruns = 99\n'
        "maxfev = 2000\ncheckpoints = 40\nworkers = 2\n"
    )
    with runs_here() as workers:
        result = bench("run", place / "plan.toml", "--runs", "3", "--out", place / "out")
    assert result.exit_code == 0, result.output
    assert workers == [2]
    assert "12 runs in" in result.stdout
    return place / "out"


def test_a_command_leaves_no_log_handler_behind(tmp_path):
    before = list(logging.getLogger("rdex").handlers)
    bench("run", *WORDS, "--dry-run", "--out", tmp_path / "out")
    assert logging.getLogger("rdex").handlers == before


@pytest.mark.compiled
def test_the_same_words_continue(folder):
    result = bench("run", *WORDS, "--out", folder)
    assert result.exit_code == 0, result.output
    assert "0 runs in" in result.stdout
    assert "12 were there" in result.stdout


@pytest.mark.compiled
def test_other_words_are_refused(folder):
    result = bench("run", *WORDS, "--rng", "5", "--out", folder)
    assert result.exit_code == 1
    assert "rng: 0 → 5" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.compiled
def test_dry_run_says_plan_and_estimate(folder, tmp_path):
    result = bench("run", *WORDS, "--out", folder, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "3 each, 12 in all, 12 are there" in result.stdout
    assert "estimate     0.0 s of one core" in result.stdout
    fresh = bench("run", *WORDS, "--shard", "1/2", "--out", tmp_path / "new", "--dry-run")
    assert "3 each, 6 in all, 0 are there" in fresh.stdout
    assert "estimate" in fresh.stdout
    assert not (tmp_path / "new").exists()


@pytest.mark.compiled
def test_score_prints_tables_and_json(folder):
    result = bench("score", folder)
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["2", "algorithms,", "2", "problems,", "3", "runs", "each"] in lines
    assert any(line[1:2] == ["rdex-csop"] for line in lines)
    assert "Friedman" in result.stdout
    facts = json.loads(bench("score", folder, "--json", "--form", "pairwise").stdout)
    leader = facts["tables"]["leaderboard"]["rows"][0]
    assert facts["reference"] in leader
    total = facts["tables"]["leaderboard"]["columns"].index("total")
    totals = [row[total] for row in facts["tables"]["leaderboard"]["rows"]]
    assert sum(totals) == 2 * 6 * 5  # S + A over two problems of six trials
    only = bench("score", folder, "--table", "scores", "--reference", "cl-srde")
    assert "Score by problem" in only.stdout
    assert "Friedman" not in only.stdout


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--reference", "nobody"), "nobody"),
        (("--form", "best"), "form of score must be"),
        (("--table", "x"), "no table 'x'"),
    ],
)
def test_score_refuses_wrong_words(folder, words, message):
    result = bench("score", folder, *words)
    assert result.exit_code == 1
    assert message in result.stderr


@pytest.mark.compiled
def test_exported_files_come_back(folder, tmp_path):
    sent = bench("export", folder, tmp_path / "text", "--algorithm", "cl-srde")
    assert sent.exit_code == 0, sent.output
    assert sorted(path.name for path in (tmp_path / "text").iterdir()) == [
        "cl-srde_F1.txt",
        "cl-srde_F2.txt",
    ]
    out = tmp_path / "other"
    words = ("--dim", "10", "--instance", "1", "--out", out)
    got = bench("import", tmp_path / "text", "--algorithm", "theirs", *words)
    assert got.exit_code == 0, got.output
    assert "6 runs of theirs on 2 problems" in got.stdout
    own, other = rdex.store.load(folder), rdex.store.load(out)
    counts = own.table.drop_duplicates("problem").n_constraints.to_numpy()
    np.testing.assert_allclose(other.v[0], own.v[1] * counts[:, None, None], rtol=1e-15)  # sums
    feasible = other.v[0] == 0
    np.testing.assert_array_equal(other.f[0][feasible], own.f[1][feasible])
    scored = bench("score", folder, out)
    assert scored.exit_code == 0, scored.output
    assert "3 algorithms" in scored.stdout
    again = bench("import", tmp_path / "text", "--algorithm", "theirs", *words)
    assert again.exit_code == 1
    assert "already holds imported runs of theirs" in again.stderr


@pytest.mark.compiled
def test_imported_runs_stay_beside_a_campaign(folder, tmp_path):
    bench("export", folder, tmp_path / "text", "--algorithm", "cl-srde", "--format", "released")
    out = tmp_path / "out"
    small = (*WORDS, "--out", out, "--workers", "1", "--only", "rdex-csop:1:1")
    with runs_here() as workers:
        assert bench("run", *small).exit_code == 0
    assert workers == [1]
    got = bench("import", tmp_path / "text", "--algorithm", "theirs", "--dim", "10", "--instance",
                "1", "--maxfev", "2000", "--checkpoints", "40", "--out", out)  # fmt: skip
    assert got.exit_code == 0, got.output
    assert bench("run", *small).exit_code == 0
    assert rdex.store.load(out).algorithms == ("rdex-csop", "theirs")
    taken = bench("import", tmp_path / "text", "--algorithm", "rdex-csop", "--out", out,
                  "--instance", "1", "--maxfev", "2000", "--checkpoints", "40")  # fmt: skip
    assert taken.exit_code == 1
    assert "is an algorithm of the campaign" in taken.stderr


@pytest.mark.compiled
def test_results_on_other_instances_are_not_ranked_together(folder, tmp_path):
    """A run on a generated instance says nothing about the official one."""
    bench("export", folder, tmp_path / "text", "--algorithm", "cl-srde")
    words = ("import", tmp_path / "text", "--algorithm", "theirs", "--dim", "10")
    unsaid = bench(*words, "--out", tmp_path / "unsaid")
    assert unsaid.exit_code != 0
    assert "--instance" in unsaid.output
    assert not (tmp_path / "unsaid").exists()
    out = tmp_path / "out"
    assert bench(*words, "--instance", "official", "--out", out).exit_code == 0
    for command in (("score",), ("report", "--out", tmp_path / "report")):
        refused = bench(*command, folder, out)
        assert refused.exit_code == 1
        assert "share no problem" in refused.stderr or "shares no problem" in refused.stderr
        assert "cec2017/C01/d10/2017/official" in refused.stderr
    wrong = bench(*words, "--instance", "oficial", "--out", tmp_path / "wrong")
    assert wrong.exit_code == 1
    assert not (tmp_path / "wrong").exists()


@pytest.mark.compiled
def test_problems_that_not_all_have_are_named(folder, tmp_path):
    text, out = tmp_path / "text", tmp_path / "out"
    bench("export", folder, text, "--algorithm", "cl-srde")
    (text / "cl-srde_F2.txt").unlink()
    bench("import", text, "--algorithm", "theirs", "--dim", "10", "--instance", "1", "--out", out)
    result = bench("score", folder, out)
    assert result.exit_code == 0, result.output
    assert "theirs has no runs on 1 of 2 problems (C02)" in result.stderr


def test_algorithms_are_listed():
    text = bench("algorithms").stdout
    for name in ("rdex-csop", "rdex", "cl-srde", "rde26"):
        assert any(line.split()[:2] == [name, "preset"] for line in text.splitlines())
    lines = [line.split(maxsplit=1) for line in text.splitlines()]
    assert any(line[0] == "scipy-de" and "BSD-3-Clause" in line[1] for line in lines if line)
    settings = {
        line[0]: line[1] for line in lines[text.splitlines().index("Settings") :] if line[1:]
    }
    assert settings["rdex"] == "as rdex-csop"
    assert settings["cl-srde"].startswith("as rdex-csop but for n0_per_dim: 20; perturb_prob")
    assert "optimize.differential_evolution of scipy" in settings["scipy-de"]
    rows = json.loads(bench("algorithms", "--json").stdout)
    assert rows[0]["settings"]["n_min"] == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--out DIR"),
        (("--out", "x", "--problems", "99"), "not within 1-28"),
        (("--out", "x", "--algorithms", "nobody"), "unknown algorithm 'nobody'"),
        (("nowhere.toml", "--out", "x"), "nowhere.toml"),
    ],
)
def test_wrong_words_end_with_a_message(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = bench("run", *words)
    assert result.exit_code == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_progress_in_a_line_and_in_a_terminal():
    progress = CampaignProgress(total=100, stored=20, computed=30, failed=2, running=4)
    progress.begun -= 60
    assert line_of(progress).startswith("50/100 done, 4 running, 2 failed, 32 runs/min, 1 min 3")
    console = Console(force_terminal=True, width=80, record=True, file=io.StringIO())
    console.print(panel(progress))
    assert "50/100 done" in console.export_text()


def test_without_a_terminal_there_are_lines(capsys, monkeypatch):
    monkeypatch.setattr("rdex.cli.progress.LINE_EVERY", 0.0)
    progress = CampaignProgress(total=3, computed=1)
    key = RunKey("a", "g2006/G06", 2, 10, 1)
    with Display(Console(force_terminal=False)) as display:
        display(progress, key, "ValueError: no")
    shown = capsys.readouterr().err.splitlines()
    assert shown[0] == "failed: a:g2006/G06:1: ValueError: no"
    assert shown[1].startswith("1/3 done, 0 running")


def test_cells_and_times():
    assert [cell_text(each) for each in (1.0, 0.123456789, float("nan"), True, "x", 1e9)] == [
        "1", "0.12346", "–", "yes", "x", "1e+09",
    ]  # fmt: skip
    assert duration(3599) == "59 min 59 s"
