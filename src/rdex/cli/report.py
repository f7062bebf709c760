"""`rdex bench report`: the page, tables and figures of campaigns."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from rdex.cli.options import AsPublished, Cutoff, Digits, Folders, Reference, Resamples
from rdex.cli.printing import duration, fail
from rdex.common.collecting import no_collecting


def report(
    folders: Folders,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report.")],
    reference: Reference = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="Put the published figures beside ours.")
    ] = False,
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Campaign report",
    cutoff: Cutoff = 1e-8,
    digits: Digits = None,
    as_published: AsPublished = False,
    resamples: Resamples = 0,
) -> None:
    """Write a page to explore campaigns, with tables for papers and figures for print."""
    began = time.monotonic()
    with no_collecting():
        from rdex.report import Options, campaign_report
        from rdex.store import StoreError

        options = Options(reference, cutoff, digits, as_published, resamples)
        try:
            written = campaign_report(folders, out, options, paper=paper, title=title)
        except (ValueError, OSError, StoreError) as error:
            fail(error)
    size = written.page.stat().st_size / 1e6
    typer.echo(
        f"{written.page} ({size:.1f} MB), {len(written.tables)} files of tables, "
        f"{len(written.figures)} of figures, in {duration(time.monotonic() - began)}"
    )
