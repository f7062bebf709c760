"""Numbers as text, and text made safe for LaTeX and Markdown."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

#: What stands for a number that is not there.
ABSENT = "–"

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"\textasciigrave{}",
    "'": r"{'}",
    # After \\ these would be read as arguments.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "–": "--",
    "−": "$-$",
    "…": r"\dots{}",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "φ": r"$\varphi$",
    "χ": r"$\chi$",
    "²": r"$^{2}$",
}


def latex_text(text: str) -> str:
    r"""Text that LaTeX prints as it is; characters its usual fonts lack become their code points.

    Examples
    --------
    >>> print(latex_text("50_% {α} 漢"))
    50\_\% \{$\alpha$\} {[}U+6F22{]}
    """
    parts = [""]
    for char in unicodedata.normalize("NFC", text):
        if char == "-" and parts[-1].endswith("-"):  # two hyphens would become one dash
            parts.append("{}-")
        elif char in _LATEX:
            parts.append(_LATEX[char])
        elif char.isspace() or unicodedata.category(char) == "Cc":
            parts.append(" ")
        elif char.isascii() or _is_accented(char):
            parts.append(char)
        else:
            parts.append(f"{{[}}U+{ord(char):04X}{{]}}")
    return "".join(parts)


def _is_accented(char: str) -> bool:
    """Whether it is a Latin letter with an accent that inputenc knows."""
    return 0xC0 <= ord(char) <= 0x17F and unicodedata.name(char, "").startswith("LATIN")


def markdown_text(text: str) -> str:
    r"""Text that Markdown shows as it is, inside a cell of a table.

    Examples
    --------
    >>> markdown_text("a|b <i> _x_")
    'a\\|b \\<i\\> \\_x\\_'
    """
    plain = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>#|~&$^])", r"\\\1", plain)


def shown(value: Any, form: str = "") -> str:
    """A cell as people read it.

    `form` is a format specification for numbers; without it whole numbers are whole and others
    have five digits.

    Examples
    --------
    >>> shown(0.000123456, ".2E"), shown(3.0), shown(float("nan")), shown(True)
    ('1.23E-04', '3', '–', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ABSENT
    if not isinstance(value, int | float):
        return str(value)
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if form:
        return format(value, form)
    whole = value == round(value) and abs(value) < 1e7
    return f"{value:.0f}" if whole else f"{value:.5g}"
