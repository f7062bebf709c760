"""Texts of users on their way to a terminal, a page or a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

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


def did_you_mean(name: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """A hint for a name that is unknown: the alias or the closest known name; empty without one.

    Examples
    --------
    >>> did_you_mean("maxfew", ["maxfev", "rng"]), did_you_mean("colour", ["rng"])
    ("; did you mean 'maxfev'?", '')
    """
    import difflib  # only for mistakes

    alias = (aliases or {}).get(name)
    close = [alias] if alias else difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
