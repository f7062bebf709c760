"""Words of several commands: tables for people and for other programs, and how a command fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from rdex.common.text import printable

if TYPE_CHECKING:
    from rdex.scoring import Table


def fail(error: BaseException | str) -> NoReturn:
    """Say on stderr what was wrong and end."""
    warn(str(error))
    raise typer.Exit(1)


def warn(note: str) -> None:
    """Say on stderr what one must know; the command goes on."""
    lines = [printable(line) for line in f"rdex: {note}".split("\n")]
    typer.echo("\n".join(lines), err=True)


def show(*parts: RenderableType) -> None:
    """Print for the terminal, or one line per row and nothing but text where there is none."""
    console = Console(highlight=False, markup=False)
    if console.is_terminal:
        console.print(*parts, sep="\n")
        return
    plain = Console(highlight=False, markup=False, width=1000, no_color=True)
    with plain.capture() as captured:
        plain.print(*parts, sep="\n")
    typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def show_json(facts: Any) -> None:
    """Print facts as JSON."""
    typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))


def grid_of(table: Table) -> list[RenderableType]:
    """A table of the scoring room: title, columns, notes. Names are data, never markup."""
    from rdex.scoring.table import cell_text, is_number

    grid = Grid(box=None, pad_edge=False, header_style="bold underline")
    for at, name in enumerate(table.columns):
        are_numbers = any(is_number(row[at]) for row in table.rows)
        grid.add_column(
            Text(printable(name)),
            justify="right" if are_numbers else "left",
            no_wrap=are_numbers,
            overflow="fold",
        )
    for row in table.rows:
        grid.add_row(*(Text(printable(cell_text(cell))) for cell in row))
    notes = [Text(printable(note), style="dim") for note in table.notes]
    return [Text(printable(table.title), style="bold"), grid, *notes, Text("")]


def duration(seconds: float) -> str:
    """A time as people say it.

    Examples
    --------
    >>> duration(0.4), duration(75), duration(7260)
    ('0.4 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
