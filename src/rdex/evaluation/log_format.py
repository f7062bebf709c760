"""The text of a file of evaluations: lines out of values, values out of lines.

The file is a CSV table that any tool reads (lines that begin with `#` are comments):

    # rdex-evaluations 1 {"sizes": [2, 1, 0], ...}
    order,number,status,seconds,at,worker,message,f,x1,...,g1,...,h1,...,check
    0,1,ok,0.0513,0.0524,host:4711,,3.25,...,8d0f2a11

There is one line per evaluation, in the order in which results came back: `number` counts points in
the order of asking, `seconds` is the time in the function, `at` the time since the run began,
`check` the CRC-32 of the line before its last comma in eight hexadecimal digits. Numbers are
written with all their digits. `sizes` are the numbers of variables, inequality and equality
constraints; the rest of the comment describes the run.

Messages and names come from the user. What could end a line, begin a comment, steer a terminal or
break the encoding is written as `\\x1b` or `\\u202e`. What a spreadsheet would take for a formula
begins with an apostrophe.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rdex.common.errors import LogError
from rdex.common.text import UNSAFE, escaped

FORMAT = "rdex-evaluations"
VERSION = 1
FACTS = ("order", "number", "status", "seconds", "at", "worker", "message", "f")
CHECK = "check"

#: Longest message, in characters. Readers of CSV refuse cells of more than 131072.
LONGEST = 1000

#: What is not printable, and `#`.
_UNSAFE = re.compile(f"[#{UNSAFE}]")


def plain(text: str) -> str:
    """A text as a cell: one line, no comment, no formula, no escape codes. Plain text stays."""
    text = _UNSAFE.sub(lambda match: escaped(ord(match[0])), text)
    return f"'{text}" if text.lstrip()[:1] in ("=", "+", "-", "@") else text


def last_line(text: str | None) -> str:
    """What a traceback ends with, as a cell: the exception, its message on one line."""
    lines = (text or "").strip().splitlines()
    frames = [k for k, line in enumerate(lines[:-1]) if line.startswith("  ")]
    return plain(" ".join(lines[frames[-1] + 1 :] if frames else lines[-1:]))[:LONGEST]


def line_of(cells: Sequence[str], checked: bool = True) -> bytes:
    """Cells as a line, with its checksum at the end."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(cells)
    body = stream.getvalue()
    return (f"{body},{zlib.crc32(body.encode()):08x}\n" if checked else f"{body}\n").encode()


def names_line(columns: Sequence[str]) -> bytes:
    """The line of names."""
    return line_of([*(plain(name) for name in columns), CHECK], checked=False)


def comment_of(facts: dict[str, Any], sizes: Sequence[int]) -> bytes:
    """The comment that says what the run is from here on."""
    text = json.dumps({"sizes": list(sizes), **facts})
    return f"# {FORMAT} {VERSION} {text}\n".encode()


def facts_of(comment: str) -> dict[str, Any]:
    """What a comment says; ValueError if it is not whole, LogError if it is not ours."""
    words = comment.split(" ", 3)
    if len(words) < 4:
        raise ValueError("a comment that is not whole")
    if words[1] != FORMAT or words[2] != str(VERSION):
        raise LogError(f"expected {FORMAT} {VERSION}, got {words[1]} {words[2]}")
    facts = json.loads(words[3])
    if not isinstance(facts, dict):
        raise ValueError("a comment that is not an object")
    return facts


@dataclass
class Contents:
    """What a file holds.

    size: number of bytes that are whole. lacks_end: whether only the last end of line is missing.
    n_earlier: number of rows above the last comment.
    """

    rows: list[list[str]] = field(default_factory=list)
    comments: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    names: list[str] | None = None
    sizes: list[int] | None = None
    size: int = 0
    lacks_end: bool = False
    has_torn_line: bool = False

    @property
    def n_earlier(self) -> int:
        """Rows above the last comment."""
        return self.comments[-1][0] if self.comments else 0

    @property
    def description(self) -> dict[str, Any] | None:
        """What the last comment says of the run."""
        return self.comments[-1][1] if self.comments else None


def parse(data: bytes, path: str, columns: Sequence[str] | None = None) -> Contents:
    """The contents of a file; a last line that is not whole is left out.

    Raises LogError for everything else that does not fit: damage, another kind of file, or other
    columns than those given.
    """
    begin = f"# {FORMAT} ".encode()
    if not (data.startswith(begin) or begin.startswith(data)):
        shown = data[:40].decode(errors="replace")
        raise LogError(
            f"evaluations: {path} is not a file of evaluations: it begins with {shown!r}"
        )
    found = Contents()
    place = 0
    while place < len(data):
        end = data.find(b"\n", place)
        line = data[place : end if end >= 0 else len(data)]
        try:
            take_line(line, found, columns)
        except (ValueError, RecursionError, csv.Error) as error:
            is_last = end < 0 or end == len(data) - 1
            if is_last and not isinstance(error, LogError):
                found.has_torn_line = True
                break
            raise LogError(f"evaluations: {path}, byte {place}: {error}") from None
        found.lacks_end = end < 0
        place += len(line) + 1
    found.size = place
    if found.names is None:  # torn before the first evaluation
        return Contents(has_torn_line=bool(data))
    return found


def take_line(line: bytes, found: Contents, columns: Sequence[str] | None) -> None:
    """Add one line to the contents; ValueError if it is not whole."""
    text = line.decode()
    if text.startswith("#"):
        facts = facts_of(text)
        found.sizes = facts.pop("sizes", found.sizes)
        found.comments.append((len(found.rows), facts))
    elif found.names is None:
        check_names(line, columns)
        found.names = next(csv.reader([text]))[:-1]
    else:
        body, comma, check = text.rpartition(",")
        if not comma or len(check) != 8 or int(check, 16) != zlib.crc32(body.encode()):
            raise ValueError("the line is damaged")
        cells = next(csv.reader([body]))
        if len(cells) != len(found.names):
            raise LogError(f"expected {len(found.names)} cells, got {len(cells)}")
        found.rows.append(cells)


def check_names(line: bytes, columns: Sequence[str] | None) -> None:
    """The names must be those of the run; ValueError if they are not whole."""
    given = next(csv.reader([line.decode()]))
    if columns is None:
        if given[: len(FACTS)] != list(FACTS) or given[-1] != CHECK:
            raise ValueError("the names of the columns are damaged")
        return
    expected = names_line(columns)
    if line == expected[:-1] or given == [*columns, CHECK]:  # earlier versions escaped nothing
        return
    if expected.startswith(line):
        raise ValueError("names that are not whole")
    raise LogError(f"another run: expected the columns {', '.join(map(plain, columns))}")
