"""The documentation site builds without a warning, and its pages ask no other host for anything."""

import json
import re
from pathlib import Path

import pytest
from chromium import Browser, chromium_path

pytest.importorskip("mkdocs")
pytest.importorskip("material")
pytest.importorskip("mkdocstrings")

PROJECT = Path(__file__).resolve().parents[2]


def test_every_page_is_in_the_navigation(build):
    """mkdocs only mentions those that are not."""
    assert "not included in the" not in build[1], build[1]


def test_every_page_is_there(site):
    sources = [path.relative_to(PROJECT / "docs") for path in (PROJECT / "docs").rglob("*.md")]
    missing = [page for page in sources if not (site / page.with_suffix(".html")).is_file()]
    assert sources and not missing


def test_nothing_is_fetched_from_elsewhere(site):
    """Links lead elsewhere; scripts, styles, fonts and pictures must not."""
    fetched = re.compile(
        r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']?(https?:)?//|"
        r"<link[^>]*rel=[\"']?(?:stylesheet|preconnect|icon)[^>]*href=[\"']?(https?:)?//|"
        r"url\([\"']?(https?:)?//|@import\s+[\"'](https?:)?//"
    )
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        found = fetched.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.name}: {found[0]}"


def test_public_names_are_in_the_reference(site):
    import rdex

    pages = "".join(path.read_text("utf-8") for path in (site / "reference").glob("*.html"))
    for name in set(rdex.__all__) - {"__version__"}:
        assert re.search(rf'id="rdex\.[\w.]*\.{name}"', pages), name
    for room in ("scoring", "campaign", "report", "suites"):
        module = getattr(__import__(f"rdex.{room}"), room)
        for name in module.__all__:
            if callable(getattr(module, name)):
                assert re.search(rf'id="rdex\.{room}\.[\w.]*\.{name}"', pages), f"{room}.{name}"


def test_commands_are_in_the_reference(site):
    page = (site / "reference" / "cli.html").read_text(encoding="utf-8")
    for command in ("rdex solve", "rdex bench run", "rdex bench report", "rdex suite show"):
        assert f"<code>{command}</code>" in page
    assert "--retry-failed" in page


def test_the_picture_shows_the_rooms_there_are():
    rooms = {path.parent.name for path in (PROJECT / "src" / "rdex").glob("*/__init__.py")}
    picture = (PROJECT / "docs" / "assets" / "rooms.svg").read_text(encoding="utf-8")
    assert set(re.findall(r'class="n"[^>]*>(\w+)<', picture)) == rooms


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if chromium_path() is None:
        pytest.skip("no Chromium: scripts/install-chromium.sh installs it")
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


#: The search is ready once it says what to do.
READY = "document.querySelector('.md-search-result__meta').textContent !== ''"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("page", ["index", "architecture", "tide", "reference/api"])
def test_pages_in_a_browser(site, browser, page, width, scheme):
    browser.open(site / f"{page}.html", width=width, scheme=scheme)
    browser.wait(READY)
    assert browser.complaints() == []
    assert [each for each in browser.requests() if not each.startswith("file:")] == []
    assert browser.run("document.documentElement.scrollWidth <= innerWidth"), (
        "wider than the window"
    )
    chosen = browser.run("document.body.dataset.mdColorScheme")
    assert chosen == {"light": "default", "dark": "slate"}[scheme]


def test_the_search_finds_pages_opened_from_a_folder(site, browser):
    browser.open(site / "index.html")
    browser.wait(READY)
    browser.run("document.querySelector('.md-search__input').focus()")
    browser.call("Input.insertText", text="resume")
    browser.key("End", 35)  # the search looks at its field when a key is let go
    browser.wait("document.querySelectorAll('.md-search-result__item').length > 0")
    assert "resum" in browser.run("document.querySelector('.md-search-result').textContent").lower()


# --- the search: words that people type stand in headings ----------------------------------------
#: Words people search for. Each must stand in a heading of some page.
WORDS = [
    "maximise", "maximize", "categorical", "discrete", "integer", "constraint violation",
    "infeasible", "tolerance", "parallel", "multiprocessing", "cluster", "Dask", "resume",
    "checkpoint", "warm start", "noisy", "expensive", "surrogate", "progress bar", "callback",
    "early stopping", "seed", "reproducible", "which algorithm", "equality", "simulator",
]  # fmt: skip


@pytest.fixture(scope="module")
def headings(site):
    """Headings of all pages but the generated reference, as the search has them."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    return [
        re.sub(r"<[^>]+>", "", entry["title"]).lower()
        for entry in index["docs"]
        if not entry["location"].startswith("reference/")
    ]


@pytest.mark.parametrize("word", WORDS)
def test_a_heading_has_the_word(word, headings):
    assert any(word.lower() in heading for heading in headings)
