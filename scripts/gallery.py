"""Draws the figures of the gallery: docs/assets/gallery/NAME.png from examples/gallery/NAME.py.

    python scripts/gallery.py [NAME ...]

The figures are committed, so that the site builds in seconds. Run this when a script changes.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import matplotlib as mpl

PROJECT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((PROJECT / "examples" / "gallery").glob("*.py"))
FIGURES = PROJECT / "docs" / "assets" / "gallery"


def draw(script: Path) -> Path:
    """Solve what a script states and write its figure."""
    names = runpy.run_path(str(script))
    result = names["solve"]()
    target = FIGURES / f"{script.stem}.png"
    names["draw"](result).savefig(target, dpi=100)
    return target


def main() -> None:
    """Draw those that are named, or all."""
    mpl.use("Agg")
    wanted = sys.argv[1:]
    for script in SCRIPTS:
        if not wanted or script.stem in wanted:
            print(draw(script).relative_to(PROJECT))


if __name__ == "__main__":
    main()
