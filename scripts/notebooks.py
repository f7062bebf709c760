"""Makes docs/notebooks/*.ipynb from the tutorials, so that there is one source of each.

Python blocks of a page become code cells, everything else text. What a block prints is left out:
running the notebook shows it.

    python scripts/notebooks.py
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from pages import pieces

DOCS = Path(__file__).resolve().parent.parent / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))


def notebook_path(page: Path) -> Path:
    """Where the notebook of a page is."""
    return DOCS / "notebooks" / f"{page.stem}.ipynb"


def notebook_of(page: Path) -> str:
    """The notebook of a page as a file has it."""
    cells: list[nbformat.NotebookNode] = []
    prose = ""
    for piece in pieces(page.read_text(encoding="utf-8")):
        if piece.language == "python":
            cells += [new_markdown_cell(prose.strip())] if prose.strip() else []
            cells.append(new_code_cell(piece.body.rstrip("\n")))
            prose = ""
        elif piece.language == "":
            prose += piece.body
        elif piece.language != "output":
            prose += f"```{piece.language}\n{piece.body}```"
    cells += [new_markdown_cell(prose.strip())] if prose.strip() else []
    for k, cell in enumerate(cells):
        cell.id = f"cell-{k}"  # nbformat draws them at random
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.writes(new_notebook(cells=cells, metadata={"kernelspec": kernel})) + "\n"


if __name__ == "__main__":
    for tutorial in TUTORIALS:
        notebook_path(tutorial).write_text(notebook_of(tutorial), encoding="utf-8")
