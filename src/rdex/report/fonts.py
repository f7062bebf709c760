"""The font of printed figures: matplotlib's own, cut to the scripts that names are written in.

A PDF holds the characters that it shows, with outlines that editors and publishers accept (Type
42). Cutting them out of the whole DejaVu Sans, with its 6241 characters and its rules for Arabic,
takes 0.2 s per file: half of the time of drawing. So the first cut is made once and kept in the
cache folder. A character that it lacks comes from the whole font.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
from importlib import metadata
from pathlib import Path

from rdex.common.extras import require
from rdex.common.files import atomic_write
from rdex.common.folders import cache_folder

WHOLE = "DejaVu Sans"
CUT = "DejaVu Sans rdex"

#: First and last character of what is kept: Latin, Greek; punctuation, superscripts, arrows and
#: operators.
KEPT = ((0x20, 0x17F), (0x370, 0x3FF), (0x2010, 0x2027), (0x2070, 0x209C), (0x2190, 0x2194),
        (0x2208, 0x2265))  # fmt: skip


@functools.cache
def families() -> list[str]:
    """Names of fonts for matplotlib, to be tried in this order."""
    with contextlib.suppress(Exception):  # without the cut font, drawing takes longer
        path = _cut_file()
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            content = _cut()
            with atomic_write(path) as stream:
                stream.write(content)
        require("matplotlib.font_manager", "bench").fontManager.addfont(path)
        return [CUT, WHOLE]
    return [WHOLE]


def _cut_file() -> Path:
    """Where the cut font of this matplotlib is kept."""
    versions = [metadata.version(name) for name in ("matplotlib", "fonttools")]
    digest = hashlib.sha256(f"{versions} {KEPT}".encode()).hexdigest()[:16]
    return cache_folder() / "fonts" / f"{digest}.ttf"


def _cut() -> bytes:
    """The font file: no rules for layout, characters of `KEPT` alone, a name of its own."""
    subset = require("fontTools.subset", "bench")
    options = subset.Options(glyph_names=True, layout_features=[], hinting=True)
    options.drop_tables += ["FFTM", "GDEF", "GPOS", "GSUB", "MATH"]
    whole = require("matplotlib.font_manager", "bench").findfont(WHOLE, fallback_to_default=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[code for low, high in KEPT for code in range(low, high + 1)])
    with subset.load_font(whole, options) as font, io.BytesIO() as stream:
        subsetter.subset(font)
        for record in font["name"].names:
            if record.nameID == 1:  # the family
                record.string = CUT
        font.save(stream)
        return stream.getvalue()
