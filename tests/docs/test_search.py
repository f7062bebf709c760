"""The search of the site finds the words that people type, as headings."""

import json
import re

import pytest

pytestmark = pytest.mark.xdist_group("site")  # built once

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
