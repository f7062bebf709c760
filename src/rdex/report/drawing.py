"""What all matplotlib figures share: lines told apart without colour, names as data, files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from rdex.common.extras import require

#: Okabe and Ito's palette without its yellow, which is hard to see on paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8F8400")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.3)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)),
                           (0, (3, 1, 1, 1, 1, 1)))  # fmt: skip
MARKERS = "osD^vPX*"

STYLE = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "svg.hashsalt": "rdex",
}


def line_style(i: int) -> dict[str, Any]:
    """Colour, dashes and marker of the i-th line: any one of them tells it from its neighbours."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": DASHES[(i + i // len(COLOURS)) % len(DASHES)],
        "marker": MARKERS[i % len(MARKERS)],
        "markevery": (0.03 + 0.02 * (i % 5), 0.24),
        "markersize": 3.2,
        "linewidth": 1.2,
    }


def literal(name: str) -> str:
    """A name that matplotlib shows as it is: no mathematics, no label it leaves out."""
    text = name.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def new_figure(width: float, height: float, layout: str = "constrained") -> Any:
    """A figure in inches, apart from pyplot's state."""
    figure = require("matplotlib.figure", "bench")
    return figure.Figure(figsize=(width, height), layout=layout)


def save(figure: Any, folder: Path, name: str) -> list[Path]:
    """The figure as PDF and PNG."""
    written = []
    with warnings.catch_warnings():
        # Names may hold characters that the font lacks; boxes in their place are no error.
        warnings.filterwarnings("ignore", message="Glyph .* missing", category=UserWarning)
        for ending, more in (("pdf", {"metadata": {"CreationDate": None}}), ("png", {"dpi": 150})):
            path = folder / f"{name}.{ending}"
            figure.savefig(path, **more)
            figure.set_layout_engine(None)  # everything has its place: spare a second drawing
            written.append(path)
    return written
