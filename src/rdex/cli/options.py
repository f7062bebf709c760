"""Options that several commands share, each defined once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Data = Annotated[Path | None, typer.Option(help="Folder or zip with the official data of cec2017.")]
Folders = Annotated[list[Path], typer.Argument(help="Folders of campaigns.", metavar="DIR...")]

# How campaigns are scored.
Reference = Annotated[
    str | None, typer.Option(help="Algorithm the others are compared with; the leader by default.")
]
Cutoff = Annotated[float, typer.Option(help="|f| below it counts as 0; 0 for none.")]
Digits = Annotated[
    int | None, typer.Option(help="Significant digits to round to; published files have 6.")
]
AsPublished = Annotated[
    bool, typer.Option("--as-published", help="Let signed sums decide feasibility.")
]
Resamples = Annotated[int, typer.Option(help="Bootstrap resamples for 95 % limits; 0 for none.")]
