"""The notebooks are made from the tutorials, and run."""

import pytest

pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

import nbformat
from notebooks import TUTORIALS, notebook_of, notebook_path

#: Cells of the first one that run by default: text, definitions, a run.
FIRST = 4

NAMES = [page.stem for page in TUTORIALS]


def test_there_are_two():
    assert NAMES == ["engineers", "researchers"]


@pytest.mark.parametrize("page", TUTORIALS, ids=NAMES)
def test_it_is_made_from_the_page_as_it_is(page):
    there = notebook_path(page).read_text(encoding="utf-8")
    assert there == notebook_of(page), "run: python scripts/notebooks.py"


@pytest.mark.compiled
@pytest.mark.filterwarnings("default")  # of Jupyter's event loops
@pytest.mark.parametrize(("page", "n_cells"), [
    pytest.param(TUTORIALS[0], FIRST, id="beginning"),
    *(pytest.param(page, None, id=page.stem, marks=pytest.mark.slow) for page in TUTORIALS),
])  # fmt: skip
def test_it_runs(page, n_cells, tmp_path):
    from nbclient import NotebookClient

    notebook = nbformat.read(notebook_path(page), as_version=4)
    notebook.cells = notebook.cells[:n_cells]
    ran = NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    cells = [cell for cell in ran.cells if cell.cell_type == "code"]
    assert len(cells) >= (2 if n_cells else 4)
    assert all(cell.execution_count for cell in cells)
