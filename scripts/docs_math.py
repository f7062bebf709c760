"""Formulas as MathML, which browsers draw themselves, and thousands that stay on one line.

`pymdownx.arithmatex` finds what stands between dollar signs and leaves it as LaTeX. This hook
converts it when the site is built. KaTeX or MathJax would have to be bundled: 1 MB or more.
"""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_THOUSANDS = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
_CODE = re.compile(r"(<pre.*?</pre>|<code.*?</code>)", re.DOTALL)
_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def on_page_content(content: str, **_: Any) -> str:
    """The HTML of a page, with its formulas as MathML and 20 000 unbroken."""
    pieces = _CODE.split(content)
    pieces[::2] = [_THOUSANDS.sub("\N{NARROW NO-BREAK SPACE}", each) for each in pieces[::2]]
    content = "".join(pieces)
    content = _BLOCK.sub(
        lambda found: f"<div class='formula'>{mathml(found[1], 'block')}</div>", content
    )
    return _INLINE.sub(lambda found: mathml(found[1], "inline"), content)


def mathml(escaped: str, display: str) -> str:
    """A formula in LaTeX, escaped for HTML, as MathML."""
    return convert(html.unescape(escaped).strip(), display=display)
