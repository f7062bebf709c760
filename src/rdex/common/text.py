"""Texts of users on their way to a terminal, a page or a file."""

from __future__ import annotations

import re

#: Control characters, marks that reverse text, line separators and lone surrogates.
UNSAFE = "\\x00-\\x1f\\x7f-\\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"

_UNSAFE = re.compile(f"[{UNSAFE}]")


def escaped(code: int) -> str:
    """A character by its number."""
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def printable(text: str) -> str:
    """A text on one line that steers no terminal and can be encoded; plain text stays as it is.

    Examples
    --------
    >>> printable("a\\x1b[31m b"), printable("mass in kg")
    ('a\\\\x1b[31m b', 'mass in kg')
    """
    return _UNSAFE.sub(lambda match: escaped(ord(match[0])), text)
