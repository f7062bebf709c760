"""The fenced blocks of a page of the documentation."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_LEFT_OUT = re.compile(r"<!-- no-run: (.*?) -->\s*\Z", re.DOTALL)


class Piece(NamedTuple):
    """A stretch of a page: a fenced block of a language, or text (language "")."""

    language: str
    title: str
    body: str
    line: int


class Block(NamedTuple):
    """A fenced block of a page; one with a reason is not run."""

    language: str
    title: str
    body: str
    line: int
    reason: str | None


def pieces(text: str) -> list[Piece]:
    """The page cut at its fenced blocks; `line` is where a piece's body begins, from 1."""
    found, at = [], 0
    for fence in _FENCE.finditer(text):
        found.append(Piece("", "", text[at : fence.start()], _line(text, at)))
        words = fence["info"].split()
        title = _TITLE.search(fence["info"])
        language = words[0] if words else "?"
        line = _line(text, fence.start("body"))
        found.append(Piece(language, title[1] if title else "", fence["body"], line))
        at = fence.end()
    found.append(Piece("", "", text[at:], _line(text, at)))
    return found


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def blocks(text: str) -> list[Block]:
    """The blocks of a page; those with a reason are not run."""
    found, before = [], ""
    for piece in pieces(text):
        if piece.language:
            left_out = _LEFT_OUT.search(before)
            found.append(Block(*piece, left_out[1] if left_out else None))
        before = piece.body if not piece.language else ""
    return found


def is_printed(printed: str, expected: str) -> bool:
    """Whether a program prints what a page says, where `…` stands for anything."""
    got, want = (re.sub(r"[ \t]+$", "", each, flags=re.M).strip() for each in (printed, expected))
    pattern = ".*".join(map(re.escape, want.split("…")))
    return re.fullmatch(pattern, got, re.DOTALL) is not None
