"""Tables of the pages that are read from docs/data when the site is built.

    <!-- table: data/ablation.csv "All variants" problem,Q -->

becomes a closed box with that title that holds the file as a table. The list of columns may be
left out.
"""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path
from typing import Any

_TABLE = re.compile(r'<!-- table: (?P<file>\S+) "(?P<title>[^"]+)"(?P<columns>[^>]*?) -->')


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """The source of a page, with the tables it asks for."""
    return _TABLE.sub(lambda found: box(Path(config.docs_dir), found), markdown)


def box(docs: Path, found: re.Match[str]) -> str:
    """A closed box with the table of a file."""
    with (docs / found["file"]).open(encoding="utf-8", newline="") as stream:
        names, *rows = csv.reader(stream)
    wanted = [each.strip() for each in found["columns"].split(",") if each.strip()] or names
    places = [names.index(name) for name in wanted]
    are_numbers = [all(is_number(row[place]) for row in rows) for place in places]
    lines = [wanted, ["---:" if number else "---" for number in are_numbers]]
    lines += [[shown(row[place]) for place in places] for row in rows]
    table = "\n".join(f"    | {' | '.join(line)} |" for line in lines)
    return f'??? note "{found["title"]}"\n\n{table}\n'


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
