"""The pages in a real browser: no errors, no requests, controls that work, two widths."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from chromium import Browser, chromium_path
from made_up_trials import AWKWARD, HOSTILE, made_up, stored

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")
pytest.importorskip("plotly")
pytest.importorskip("jinja2")
pytest.importorskip("statsmodels")
pytest.importorskip("scikit_posthocs")

import rdex
from rdex.report.campaign_page import campaign_html
from rdex.report.contents import Options, collect
from rdex.report.printed_tables import printed_tables

pytestmark = pytest.mark.skipif(
    chromium_path() is None, reason="no Chromium: scripts/install-chromium.sh installs it"
)

WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder = stored(tmp_path_factory.mktemp("store"), made_up((HOSTILE, AWKWARD, "C")))
    return collect([folder], Options())


@pytest.fixture(scope="module")
def page(contents, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(campaign_html(contents, printed_tables(contents), None), encoding="utf-8")
    return path


def shots(tmp_path):
    """Where screenshots go: to look at them, set RDEX_SCREENSHOTS."""
    folder = Path(os.environ.get("RDEX_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def scroll_through(browser, *charts):
    """See every chart once, so that it is drawn."""
    for name in charts:
        browser.run(f"document.getElementById('{name}').scrollIntoView({{block: 'center'}})")
        browser.wait(f"document.querySelector('#{name} .main-svg') !== null")


def cells(browser, table):
    """Texts of the body of a table."""
    return browser.run(
        f"[...document.querySelectorAll('#{table} tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


@pytest.mark.parametrize(("width", "scheme"), list(zip(WIDTHS, ("light", "dark"), strict=True)))
def test_the_page_draws_without_errors_and_requests(browser, page, tmp_path, width, scheme):
    browser.open(page, width, 900, scheme)
    scroll_through(browser, "objective", "violation", "share", "quality", "ecdf", "ert", "group-1")
    assert browser.run("document.documentElement.scrollWidth") <= width
    path = shots(tmp_path) / f"campaign-{width}-{scheme}.png"
    browser.screenshot(path, whole=True)
    assert path.stat().st_size > 30000
    assert browser.complaints() == [] and browser.requests() == []


def test_the_leaderboard_shows_the_scores(browser, page, contents):
    browser.open(page)
    rows = cells(browser, "leaderboard-target")
    board = contents.target.tables["leaderboard"]
    assert [row[1] for row in rows] == board.column("algorithm")
    assert [float(row[2]) for row in rows] == pytest.approx(board.column("total"), rel=1e-4)


def test_problem_and_algorithm_can_be_chosen(browser, page, contents):
    browser.open(page)
    scroll_through(browser, "objective")
    browser.choose("problem", "C03")
    final = contents.trials.f[:, 2, :, -1]
    rows = cells(browser, "convergence-table")
    assert [row[0] for row in rows] == [HOSTILE, AWKWARD, "C"]
    assert [float(row[2]) for row in rows] == pytest.approx(np.median(final, axis=1), rel=1e-4)
    assert browser.run("document.querySelector('.problem-name').textContent") == "C03"
    browser.run("document.querySelectorAll('#algorithms input')[0].click()")
    assert [row[0] for row in cells(browser, "convergence-table")] == [AWKWARD, "C"]
    browser.wait("document.getElementById('objective').data.length === 4")
    shown = browser.run("document.getElementById('objective').data[1].y.at(-1)")
    assert shown == pytest.approx(np.median(final[1]) - final.min() + 1e-10, rel=1e-3)


def test_a_small_picture_chooses_its_problem(browser, page, contents):
    browser.open(page)
    paths = "document.querySelectorAll('#multiples button:nth-child(%d) path').length"
    assert browser.run(paths % 1) == len(contents.algorithms)
    assert browser.run(paths % 4) == 0  # never feasible: a word instead
    browser.run("document.querySelector('#multiples button:nth-child(2)').click()")
    assert browser.run("document.querySelector('.problem-name').textContent") == "C02"
    times = [row[1:] for row in cells(browser, "ert-table")]
    known = contents.cost.expected[:, 1]
    assert [[cell == "–" for cell in row] for row in times] == np.isnan(known).tolist()


def test_names_are_never_run_or_read_as_tags(browser, page):
    browser.open(page)
    scroll_through(browser, "quality")
    names = browser.run(
        "[...document.querySelectorAll('#quality .xtick text')].map((t) => t.textContent)"
    )
    assert names[:2] == [HOSTILE, AWKWARD]
    assert browser.run("document.querySelectorAll('main script').length") == 0
    dialogs = [e for e in browser.events if e.get("method") == "Page.javascriptDialogOpening"]
    assert dialogs == []


def test_selects_show_other_parts_and_are_reached_by_keys(browser, page):
    browser.open(page)
    browser.run("document.getElementById('rank-score').focus()")
    assert browser.run("document.activeElement.id") == "rank-score"
    seen = "[...document.querySelectorAll('[data-group=rank-score]')].map((p) => !p.hidden)"
    assert browser.run(seen) == [True, False]
    browser.choose("rank-score", "pairwise, 2026")
    assert browser.run(seen) == [False, True]
    order = []
    for _ in range(6):
        browser.key("Tab", 9)
        order.append(browser.run("document.activeElement.id || document.activeElement.type"))
    assert order[1:] == ["checkbox"] * 3 + ["button"] * 2


def test_every_control_and_chart_has_a_name(browser, page):
    browser.open(page)
    nameless = browser.run(
        "[...document.querySelectorAll('select, input')].filter((e) => !e.labels.length).length"
    )
    assert nameless == 0
    assert browser.run(
        "[...document.querySelectorAll('.chart, svg.critical, .scroll')]"
        ".every((e) => e.getAttribute('role') && e.getAttribute('aria-label') || e.role === 'img')"
    )


def test_runs_are_listed_and_tables_downloaded(browser, page, contents):
    browser.open(page)
    browser.run("document.getElementById('runs-details').open = true")
    browser.wait("document.querySelectorAll('#runs-table tbody tr').length === 25")
    browser.choose("run-algorithm", "C")
    assert browser.run("document.getElementById('runs-state').textContent") == "1 to 20 of 20 runs"
    head = browser.run(
        "[...document.querySelectorAll('#runs-table thead th')].map((cell) => cell.textContent)"
    )
    first = dict(zip(head, cells(browser, "runs-table")[0], strict=True))
    run = contents.trials.f[2, 0, 0, -1]
    assert (first["algorithm"], first["run"], first["form"]) == ("C", "1", "mean")
    assert float(first["final f"]) == pytest.approx(run, rel=1e-4)
    assert len(first["seed key"].split()) == 8
    taken = browser.run(
        "new Promise((done) => { URL.createObjectURL = (b) => { b.text().then(done);"
        " return '#'; };"
        " document.querySelector('[data-download=\"tables.json\"]').click(); })"
    )
    assert json.loads(taken)["tables"]["leaderboard"]["title"] == (
        contents.target.tables["leaderboard"].title
    )
    assert browser.complaints() == []


@pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")  # without the JIT
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_of_a_run(browser, tmp_path, width):
    result = rdex.minimize(
        lambda x: x @ x, [(-5, 5)] * 2,
        constraints=[{"type": "eq", "fun": lambda x: x[0] + x[1] - 1}], maxfev=3000, rng=1,
        constraint_names=[HOSTILE], variable_names=[AWKWARD, "b"],
    )  # fmt: skip
    page = result.report(tmp_path / "run.html")
    browser.open(page, width, 900)
    scroll_through(browser, "activity", "objective", "parallel", "slice-0", "slice-1")
    assert browser.run("document.getElementById('parallel').data.at(-1).line.width") == 4
    browser.choose("yscale", "distance to the last, log")
    rows = cells(browser, "variables")
    assert rows[0][0] == AWKWARD
    assert float(rows[1][1]) == pytest.approx(result.x[1], rel=1e-8)
    assert browser.run("document.documentElement.scrollWidth") <= width
    browser.screenshot(shots(tmp_path) / f"run-{width}.png", whole=True)
    assert browser.complaints() == [] and browser.requests() == []


@pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")  # without the JIT
def test_internals_of_an_evolution_are_folded_and_drawn_when_opened(browser, tmp_path):
    result = rdex.minimize(
        lambda x: x @ x, [(-5, 5)] * 2,
        constraints=[{"type": "ineq", "fun": lambda x: x[0] - 6}], maxfev=900, rng=1,
        algorithm="rdex-csop",
    )  # fmt: skip
    browser.open(result.report(tmp_path / "run.html"))
    scroll_through(browser, "by-constraint", "objective", "violation")
    assert browser.run("document.querySelector('#size .main-svg')") is None
    browser.run("document.getElementById('internals').open = true")
    scroll_through(browser, "size", "shares", "memory-F", "memory-CR")
    assert browser.complaints() == []


LONG = "a name so long that it leaves no room for the numbers beside it, number {}"


def crowded(n=30):
    """Tiny f, 30 constraints with long names, a logarithmic variable with a long name."""

    def fun(design):
        x, y = design.values()
        return 1e-9 * (30 + (x - 2) ** 2 + (y - 1) ** 2), [0.01 * k - x for k in range(n)]

    problem = rdex.Problem.from_function(
        fun, {LONG.format(0): {"bounds": (1e-3, 10.0), "log": True}, "y": (-3.0, 3.0)},
        n_ineq=n, constraint_names=[LONG.format(k) for k in range(n)], units={"f": "<b>GW</b>"},
    )  # fmt: skip
    return rdex.minimize(problem, maxfev=60, rng=1, algorithm="scout")


def test_long_names_many_constraints_and_tiny_numbers(browser, tmp_path):
    result = crowded()
    browser.open(result.report(tmp_path / "run.html"), 1280)
    scroll_through(browser, "activity", "objective", "parallel", "slice-0")
    for table in ("variables", "constraint-table"):  # every column is in view
        widths = browser.run(
            f"(t => [t.scrollWidth, t.parentElement.clientWidth])(byId('{table}'))"
        )
        assert widths[0] <= widths[1]
    labels = browser.run(
        "[...document.querySelectorAll('#activity .ytick text')].map((each) => each.textContent)"
    )
    assert len(set(labels)) == 30 and all("…" in each and len(each) < 35 for each in labels)
    ticks = browser.run(
        "[...document.querySelectorAll('#objective .ytick text')].map((each) => each.textContent)"
    )
    assert ticks and all(len(each) < 12 and "0000" not in each for each in ticks)
    title = browser.run("document.querySelector('#objective .ytitle').textContent")
    assert title == "f, <b>GW</b>"
    named = f"run.slices.findIndex((each) => each.name === '{LONG.format(0)}')"
    axis = browser.run(f"document.getElementById('slice-' + {named}).layout.xaxis.type")
    assert axis == "log"
    lower, upper = np.log([1e-3, 10.0])
    share = browser.run("run.designs.share.at(-1)[0]")
    assert share == pytest.approx((np.log(result.x[0]) - lower) / (upper - lower), abs=1e-3)
    shapes = browser.run("document.getElementById('objective').data.at(-1).line.shape")
    assert shapes == "hv"


def test_nothing_is_said_of_what_a_run_does_not_have(browser, tmp_path):
    """No constraints: no violations. Nothing feasible: no good designs, no line for them."""
    free = rdex.minimize(lambda x: x @ x, [(-1, 1)] * 2, maxfev=60, rng=1)
    browser.open(free.report(tmp_path / "free.html"))
    text = browser.run("document.body.innerText")
    assert "violation" not in text.lower() and "The best f is" in text
    scroll_through(browser, "objective")
    names = "document.getElementById('objective').data.map((each) => each.name)"
    assert browser.run(names) == ["evaluations", "best"]
    blocked = rdex.minimize(
        lambda x: x[0], [(0, 1)], constraints={"type": "ineq", "fun": lambda x: x[0] - 2},
        maxfev=60, rng=1,
    )  # fmt: skip
    browser.open(blocked.report(tmp_path / "blocked.html"))
    assert browser.run("document.getElementById('designs')") is None
    scroll_through(browser, "objective")
    assert "best feasible" not in browser.run(names)
