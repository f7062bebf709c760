"""Tables of the pages whose numbers come from files of docs/data.

    <!-- table: data/ablation.csv "All variants" problem,Q -->

becomes a closed box with that title that holds the file as a table, when the site is built. The
list of columns may be left out.

    <!-- from data/adapters.csv package=scipy: solver,solved,runs -->

stands above a table in the page itself, for readers of the source. A test compares the two. After
a file has changed, this writes all such tables again:

    python scripts/docs_tables.py
"""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"

_TABLE = re.compile(r'<!-- table: (?P<file>\S+) "(?P<title>[^"]+)"(?P<columns>[^>]*?) -->')
_WRITTEN = re.compile(
    r"(?P<comment><!-- from (?P<file>[^\s:]+)(?: (?P<name>[^=>]+)=(?P<value>[^:>]*?))?"
    r"(?:: (?P<columns>[^>]*?))? -->)\n(?P<table>(?:\|.*\n)*)"
)


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """The source of a page, with the tables it asks for."""
    return _TABLE.sub(lambda found: box(Path(config.docs_dir), found), markdown)


def box(docs: Path, found: re.Match[str]) -> str:
    """A closed box with the table of a file."""
    lines = table(docs / found["file"], found["columns"])
    return f'??? note "{found["title"]}"\n\n' + "".join(f"    {line}\n" for line in lines)


def refreshed(markdown: str, docs: Path = DOCS) -> str:
    """The source of a page, with its written tables as their files have them."""

    def written(found: re.Match[str]) -> str:
        rows = table(docs / found["file"], found["columns"], found["name"], found["value"])
        return "\n".join([found["comment"], *rows, ""])

    return _WRITTEN.sub(written, markdown)


def table(
    file: Path, columns: str | None, name: str | None = None, value: str | None = None
) -> list[str]:
    """The lines of a table: of all rows, or of those with a value; of all columns, or of some."""
    with file.open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    wanted = [each.strip() for each in (columns or "").split(",") if each.strip()]
    wanted = wanted or [each for each in names if each != name]
    if name is not None:
        rows = [row for row in rows if row[names.index(name)] == value]
        if not rows:
            raise ValueError(f"{file.name} has no row with {name} = {value}")
    places = [names.index(each) for each in wanted]
    are_numbers = [all(is_number(row[place]) for row in rows) for place in places]
    lines = [wanted, ["---:" if number else "---" for number in are_numbers]]
    lines += [[shown(row[place]) for place in places] for row in rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def is_number(text: str) -> bool:
    """Whether a cell holds a number, or nothing."""
    try:
        float(text or 0)
    except ValueError:
        return False
    return True


def shown(text: str) -> str:
    """A cell: numbers with four digits, nothing for what is not known."""
    if text in ("", "nan"):
        return ""
    if is_number(text):
        value = float(text)
        return f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.4g}"
    return html.escape(text, quote=False).replace("|", "&#124;")


def main() -> None:
    """Write the tables of all pages again."""
    for page in sorted(DOCS.rglob("*.md")):
        there = page.read_text(encoding="utf-8")
        new = refreshed(there)
        if new != there:
            page.write_text(new, encoding="utf-8")
            print(page.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
