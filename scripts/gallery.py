"""Draws the figures of the gallery: docs/assets/gallery/NAME.png from examples/gallery/NAME.py.

    python scripts/gallery.py [--all] [NAME ...]

`make docs` runs this. A figure keeps a fingerprint of its script and of the release; those that
still fit are left alone, so that the site builds in seconds. `--all` draws all of them again: for
changes of the search within a release.
"""

from __future__ import annotations

import hashlib
import runpy
import sys
from pathlib import Path

import matplotlib as mpl
from PIL import Image

import rdex

PROJECT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((PROJECT / "examples" / "gallery").glob("*.py"))
FIGURES = PROJECT / "docs" / "assets" / "gallery"

KEY = "Source"  # of the PNG's text that holds the fingerprint


def fingerprint(script: Path) -> str:
    """What a figure is made from: the script and the release."""
    source = script.read_text(encoding="utf-8") + rdex.__version__
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def figure_of(script: Path) -> Path:
    """Where the figure of a script is."""
    return FIGURES / f"{script.stem}.png"


def is_stale(script: Path) -> bool:
    """Whether the figure is missing or was made from something else."""
    file = figure_of(script)
    if not file.is_file():
        return True
    with Image.open(file) as image:
        return image.info.get(KEY) != fingerprint(script)


def draw(script: Path) -> Path:
    """Solve what a script states and write its figure."""
    names = runpy.run_path(str(script))
    result = names["solve"]()
    target = figure_of(script)
    names["draw"](result).savefig(target, dpi=100, metadata={KEY: fingerprint(script)})
    return target


def main() -> None:
    """Draw those that are named, all, or those that are stale."""
    mpl.use("Agg")
    wanted = sys.argv[1:]
    for script in SCRIPTS:
        if script.stem in wanted or "--all" in wanted or (not wanted and is_stale(script)):
            print(draw(script).relative_to(PROJECT), flush=True)


if __name__ == "__main__":
    main()
