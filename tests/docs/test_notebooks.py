"""The notebooks are made from the tutorials, and run."""

import pytest

pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

import nbformat
from notebooks import TUTORIALS, notebook_of, notebook_path

NAMES = [page.stem for page in TUTORIALS]


def test_there_are_two():
    assert NAMES == ["engineers", "researchers"]


@pytest.mark.parametrize("page", TUTORIALS, ids=NAMES)
def test_it_is_made_from_the_page_as_it_is(page):
    there = notebook_path(page).read_text(encoding="utf-8")
    assert there == notebook_of(page), "run: python scripts/notebooks.py"


@pytest.mark.compiled
@pytest.mark.filterwarnings("default")  # of Jupyter's event loops
@pytest.mark.parametrize("page", [
    # The blocks of this page run as they are in test_code_blocks.
    pytest.param(page, id=page.stem, marks=pytest.mark.slow if page.stem == "engineers" else ())
    for page in TUTORIALS
])  # fmt: skip
def test_it_runs(page, tmp_path):
    from nbclient import NotebookClient

    notebook = nbformat.read(notebook_path(page), as_version=4)
    ran = NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    cells = [cell for cell in ran.cells if cell.cell_type == "code"]
    assert len(cells) >= 4
    assert all(cell.execution_count for cell in cells)
