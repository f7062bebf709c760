"""The campaign's page and folder: numbers, names, size, odd fields, the command."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from made_up_trials import AWKWARD, HOSTILE, made_up, stored

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("pyarrow")
pytest.importorskip("pandas")
pytest.importorskip("plotly")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
pytest.importorskip("statsmodels")
pytest.importorskip("scikit_posthocs")

from typer.testing import CliRunner

from rdex.cli.app import app
from rdex.report import Options, campaign_report
from rdex.report.campaign_page import campaign_html
from rdex.report.contents import contents_of
from rdex.report.printed_tables import printed_tables
from rdex.report.traces import bands
from rdex.scoring import Trials


def bench(*words):
    return CliRunner().invoke(app, ["bench", *map(str, words)])


def block(html, id):
    """Data inside a page."""
    found = re.search(rf'<script type="application/json" id="{id}">(.*?)</script>', html, re.S)
    return json.loads(found[1])


def page_of(trials, **options):
    contents = contents_of(trials, Options(**options))
    return campaign_html(contents, printed_tables(contents), None)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("store"), made_up((HOSTILE, AWKWARD, "C")))


@pytest.fixture(scope="module")
def written(store, tmp_path_factory):
    out = tmp_path_factory.mktemp("report")
    result = bench("report", store, "-o", out, "--reference", "C", "--paper")
    assert result.exit_code == 0, result.output
    assert "index.html" in result.stdout
    return out


@pytest.fixture(scope="module")
def html(written):
    return (written / "index.html").read_text(encoding="utf-8")


def test_numbers_are_those_of_bench_score(store, html):
    target = bench("score", store, "--reference", "C", "--json")
    assert target.exit_code == 0, target.output
    data = block(html, "data")
    expected = json.loads(target.stdout)
    assert data["reference"] == expected["reference"]
    assert data["tables"] == expected["tables"]
    pairwise = bench("score", store, "--form", "pairwise", "--reference", "C", "--json")
    tables = json.loads(pairwise.stdout)["tables"]
    assert data["pairwise_leaderboard"] == tables["leaderboard"]


def test_options_change_page_and_score_alike(store, tmp_path):
    words = ("--cutoff", "5", "--digits", "2", "--resamples", "20")
    result = bench("report", store, "-o", tmp_path, *words)
    assert result.exit_code == 0, result.output
    expected = json.loads(bench("score", store, *words, "--json").stdout)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert block(page, "data")["tables"] == expected["tables"]
    assert "|f| &lt; 5 counts as 0; traces rounded to 2 significant digits" in page


def test_names_are_text_everywhere(html):
    """Scripts are only our own: a name appears escaped, in markup and in data."""
    own = re.sub(r"<script>.*?</script>", "", html, flags=re.S)
    assert "<script>alert" not in own and "alert(1)</script>" not in own
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in own
    assert "\\u003cscript\\u003ealert(1)" in own
    assert block(html, "data")["algorithms"] == [HOSTILE, AWKWARD, "C"]


def test_the_page_refers_to_nothing_outside(html):
    own = re.sub(r"<script>.*?</script>", "", html, flags=re.S)
    assert not re.findall(r"(?:src|href)=\"(?!#|data:)", own)
    assert "default-src 'none'" in own
    assert html.count("plotly.js v") == 1


def test_traces_are_thinned(tmp_path):
    html = page_of(made_up(k=1500))
    data = block(html, "problem-0")
    assert 100 < len(data["nfev"]) <= 150 and data["nfev"][-1] == 6000
    assert np.shape(data["gap"]) == (3, 3, len(data["nfev"]))


def test_problem_blocks_hold_medians_and_qualities():
    trials = made_up()
    contents = contents_of(trials, Options(cutoff=0))
    data = block(campaign_html(contents, (), None), "problem-1")
    final = np.where(trials.v[:, 1, :, -1] == 0, trials.f[:, 1, :, -1], np.inf)
    assert [end[1] for end in data["end"]] == pytest.approx(np.median(final, axis=1).tolist())
    assert data["best"] == final.min()
    quality = contents.target.indicators.quality[:, 1]
    np.testing.assert_allclose(data["quality"], quality, rtol=1e-11)


def test_runs_say_where_they_come_from(html):
    runs = block(html, "runs")
    assert runs["count"] == 3 * 4 * 5
    ids = runs["columns"]["problem_id"]
    assert ids["values"][ids["at"][0]] == "cec2017/C01/d10/2017/official"
    assert {"edition", "instance", "suite", "rng", "seed_key", "origin"} <= set(runs["names"])


def test_all_files_are_written(written):
    for name in ("uscore", "final_quality", "paper_competition_2026"):
        present = [(written / "tables" / f"{name}.{end}").exists() for end in ("tex", "md", "csv")]
        assert present == [name != "paper_competition_2026"] * 3
    for name in ("convergence_objective", "convergence_violation", "ecdf", "critical_difference",
                 "rank_heatmap"):  # fmt: skip
        assert (written / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert (written / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_downloads_are_the_files(written, html):
    texts = block(html, "downloads")
    for name in ("uscore", "friedman"):
        for ending in ("tex", "md", "csv"):
            path = written / "tables" / f"{name}.{ending}"
            assert texts[name][ending] == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("algorithms", [("A",), ("A", "B")])
def test_few_algorithms(algorithms, tmp_path):
    folder = stored(tmp_path / "store", made_up(algorithms, p=2))
    result = campaign_report(folder, tmp_path / "out")
    text = result.page.read_text(encoding="utf-8")
    assert ('id="comparisons"' in text) == (len(algorithms) > 1)
    assert "critical_difference.pdf" not in {path.name for path in result.figures}


def test_missing_runs_and_infinite_values_are_shown():
    trials = made_up(("A", "B", "C"))
    f, v = trials.f.copy(), trials.v.copy()
    f[1, 0], v[1, 0] = np.nan, np.nan
    f[2, 1, 0, :5], v[2, 1, 0, :5] = np.inf, np.inf
    odd = Trials.from_arrays(f, v, maxfev=6000, algorithms=trials.algorithms)
    html = page_of(odd)
    assert "B has no runs on 1 of 4 problems" in html
    data = block(html, "problem-0")
    assert data["quality"][1] == [] and set(data["share"][1]) == {None}


def test_wrong_words_are_told(store, tmp_path):
    unknown = bench("report", store, "-o", tmp_path / "r", "--reference", "nobody")
    assert unknown.exit_code == 1 and "no algorithm named 'nobody'" in unknown.stderr
    nowhere = bench("report", tmp_path / "nowhere", "-o", tmp_path / "r")
    assert nowhere.exit_code == 1 and "nowhere" in nowhere.stderr
    with pytest.raises(ValueError, match="at least one folder"):
        campaign_report([], tmp_path / "r")


def test_a_violation_that_few_runs_have_can_be_drawn(tmp_path):
    """Where the upper quartile alone is above zero there is nothing for a logarithmic axis."""
    trials = made_up(("A", "B"), p=2)
    v = np.zeros_like(trials.v)
    v[:, 0, :2, :2] = 0.5
    band = bands(replace(trials, v=v), 0)
    assert (band.v[:, 2] > 0).any() and not (band.v[:, 1] > 0).any()
    folder = stored(tmp_path / "store", replace(trials, v=v))
    assert campaign_report(folder, tmp_path / "out").page.is_file()
