"""`campaign_report`: page, tables and figures of a campaign in one folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rdex.common.files import atomic_write
from rdex.report.campaign_page import campaign_html
from rdex.report.contents import Contents, Options, collect
from rdex.report.figures import write_figures
from rdex.report.paper_comparison import CAVEATS, paper_tables
from rdex.report.printed_tables import printed_tables
from rdex.report.writing import write_tables


@dataclass(frozen=True)
class Written:
    """The files of a report."""

    page: Path
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]


def campaign_report(
    folders: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    options: Options | None = None,
    *,
    paper: bool = False,
    title: str = "Campaign report",
) -> Written:
    """Write `index.html`, `tables/` and `figures/` for one campaign or several together.

    Parameters
    ----------
    folders : path or sequence of paths
        Stores; see `rdex.store`.
    out : path
        Folder for the files; made where it does not exist. Files of the same names are replaced.
    options : Options
        How trials are scored; as `rdex bench score` does by default.
    paper : bool
        Put the figures of the paper on RDEx-CSOP beside ours, too.
    title : str
        Heading of the page.

    Raises
    ------
    ValueError
        Where stores do not go together, or no algorithm has the name of the reference.

    Examples
    --------
    >>> from rdex.report import campaign_report
    >>> campaign_report("results", "report").page                             # doctest: +SKIP
    PosixPath('report/index.html')
    """
    places = [folders] if isinstance(folders, str | os.PathLike) else list(folders)
    return write_report(collect(places, options or Options()), out, paper=paper, title=title)


def write_report(
    contents: Contents,
    out: str | os.PathLike[str],
    *,
    paper: bool = False,
    title: str = "Campaign report",
) -> Written:
    """The files of a report whose contents are known."""
    target = Path(out)
    target.mkdir(parents=True, exist_ok=True)
    own = printed_tables(contents)
    beside = paper_tables(contents) if paper else None
    tables = write_tables([*own, *(beside or ())], target / "tables")
    if beside:
        caveats = target / "tables" / "paper_caveats.md"
        caveats.write_text("\n".join(f"- {line}" for line in CAVEATS) + "\n", encoding="utf-8")
        tables.append(caveats)
    figures = write_figures(contents, target / "figures")
    page = target / "index.html"
    with atomic_write(page) as stream:
        stream.write(campaign_html(contents, own, beside, title).encode())
    return Written(page, tuple(tables), tuple(figures))
