"""`rdex solve`: minimise a problem that a Python file defines.

The file names either a `rdex.Problem` (`problem` by default, or FILE.py:NAME), or a function
(`fun` by default, or FILE.py:NAME) together with `bounds` and, where there are any, the arguments
of `rdex.minimize`. A name that looks like one of them is an error, not ignored. The file is read by
`rdex.api.problem_file`, which campaigns use too.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rdex.cli.printing import fail, show, show_json
from rdex.common.extras import require
from rdex.common.text import printable

if TYPE_CHECKING:
    from rdex.run.result import Result

INFEASIBLE = 2


def solve(
    file: Annotated[str, typer.Argument(help="FILE.py, or FILE.py:NAME for one of its names.")],
    maxfev: Annotated[
        int | None, typer.Option(help="Budget of evaluations; 20000 per variable by default.")
    ] = None,
    rng: Annotated[int | None, typer.Option(help="Seed; without it every run is new.")] = None,
    workers: Annotated[int, typer.Option(help="Processes that evaluate; -1: one per core.")] = 1,
    updating: Annotated[
        str | None,
        typer.Option(
            help="immediate, deferred (runs repeat) or async (workers never wait); by default "
            "chosen by the time of the first evaluations."
        ),
    ] = None,
    algorithm: Annotated[
        str, typer.Option(help="auto chooses by itself; or scout, rdex-csop+local, rdex-csop, ...")
    ] = "auto",
    checkpoint: Annotated[
        Path | None, typer.Option(help="File to keep the run in, and to go on from.")
    ] = None,
    evaluations: Annotated[
        Path | None, typer.Option(help="CSV file of all evaluations; `rdex watch` shows it.")
    ] = None,
    maxtime: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds after which one evaluation has failed.")
    ] = None,
    retries: Annotated[int, typer.Option(help="How often a failed evaluation is repeated.")] = 0,
    progress: Annotated[
        bool | None, typer.Option(help="Show progress; by default in a terminal.")
    ] = None,
    feasibility_only: Annotated[
        bool,
        typer.Option(
            "--feasibility-only",
            help="Stop at the first feasible point; say which share of random points satisfies "
            "each constraint.",
        ),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say what limits the design, or why none is feasible."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    report: Annotated[
        Path | None, typer.Option(help="Write a page on the run: FILE.html or a folder.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw objective and violation to this file (png, pdf, svg).")
    ] = None,
) -> None:
    """Minimise the problem of a Python file: a Problem `problem`, or `fun` and `bounds`.

    Ends with 0 if the answer is feasible, 2 if it is not, 1 after an error, 64 after wrong use.
    """
    import rdex

    try:
        check_plot(plot)
        check_report(report)
        from rdex.api.problem_file import read_problem

        arguments = read_problem(file)
        result = rdex.minimize(
            **arguments,
            maxfev=maxfev,
            rng=rng,
            workers=workers,
            updating=updating,
            algorithm=algorithm,
            checkpoint=checkpoint,
            evaluations=evaluations,
            maxtime=maxtime,
            eval_timeout=timeout,
            retries=retries,
            feasibility_only=feasibility_only,
            progress=not as_json and sys.stderr.isatty() if progress is None else progress,
        )
    except Exception as error:
        fail(one_line(error))
    explained = explanation(result) if explain else {}
    if as_json:
        show_json(facts(result) | explained)
    else:
        show(*rendered(result), *(explained_lines(explained["explanation"]) if explained else []))
    write_files(result, plot, report)
    if not result.feasible:
        raise typer.Exit(INFEASIBLE)


def explanation(result: Result) -> dict[str, Any]:
    """What limits the design, or which constraints cannot hold together: a text, and its facts."""
    name = "sensitivity" if result.feasible else "conflict"
    try:
        found = getattr(result, name)()
    except Exception as error:
        return {"explanation": f"no explanation: {one_line(error)}"}
    return {"explanation": str(found), name: found.facts()}


def explained_lines(text: str) -> list[Any]:
    """An explanation under the result; lines that are too long go on at their own indentation."""
    lines = text.splitlines()
    return [
        Text(""),
        *(indented(Text(line.lstrip()), len(line) - len(line.lstrip())) for line in lines),
    ]


def write_files(result: Result, plot: Path | None, report: Path | None) -> None:
    """The plot and the page, where they are wanted."""
    for path, what, write in (
        (plot, "plot", lambda: result.plot().savefig(plot)),
        (report, "report", lambda: result.report(str(report))),
    ):
        if path is None:
            continue
        try:
            write()
        except Exception as error:
            fail(f"the {what} was not written: {one_line(error)}")


def check_plot(path: Path | None) -> None:
    """A plot that could not be written is known before the run."""
    if path is None:
        return
    if not path.absolute().parent.is_dir():
        raise ValueError(f"--plot: there is no folder {path.absolute().parent}")
    figure = require("matplotlib.figure", "bench").Figure()
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lower().lstrip(".") not in known:
        raise ValueError(
            f"--plot: cannot write {path.suffix or 'a file without an ending'!r} files; known: "
            f"{', '.join(sorted(known))}"
        )


def check_report(path: Path | None) -> None:
    """A page that could not be written is known before the run; missing folders are made."""
    if path is None:
        return
    require("plotly", "bench")
    place = path.absolute().parent if path.suffix.lower() in (".html", ".htm") else path.absolute()
    while not place.exists():
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise ValueError(f"--report: cannot write to {place}")


def one_line(error: Exception) -> str:
    """What went wrong, and where in the user's file."""
    import traceback

    text = printable(" ".join(str(error).split())) or "no message"
    label = "" if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: "
    frames = traceback.extract_tb(error.__traceback__)
    library = str(Path(__file__).resolve().parent.parent)
    if frames and not frames[-1].filename.startswith((library, "<frozen")):
        return f"{label}{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    return label + text


def rendered(result: Result) -> list[Any]:
    """The result for a terminal."""
    from rdex.run.text import constraint_rows, headline, share_rows, variable_rows
    from rdex.run.text import facts as fact_rows

    style = "bold green" if result.feasible else "bold red"
    parts: list[Any] = [
        Text(headline(result), style=style),
        indented(Text(printable(result.message)), 2),
        Text(""),
    ]
    parts.append(indented(grid(fact_rows(result), first_style="dim"), 2))
    sections = {"variables": variable_rows(result)}
    if result.violations:
        sections["constraints"] = constraint_rows(result)
    if result.get("feasible_shares"):
        sections["share of random points that satisfy"] = share_rows(result)
    for title, rows in sections.items():
        parts += [Text(""), indented(Text(title, style="bold"), 2), indented(grid(rows), 4)]
    if result.notes:
        parts += [Text(""), indented(Text("notes", style="bold"), 2)]
        parts.append(indented(grid([("-", note) for note in result.notes], gap=1), 4))
    return [Group(*parts)]


def indented(part: Any, columns: int) -> Padding:
    """The same as in `print(result)`."""
    return Padding(part, (0, 0, 0, columns), expand=False)


def grid(rows: list[tuple[str, ...]], first_style: str | None = None, gap: int = 2) -> Table:
    """Rows without rules; what is violated stands out."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, gap, 0, 0))
    for k in range(len(rows[0])):
        table.add_column(style=first_style if k == 0 else None, overflow="fold")
    for row in rows:
        style = "red" if row[-1].startswith("VIOLATED") else None
        table.add_row(*(Text(printable(cell)) for cell in row), style=style)
    return table


def facts(result: Result) -> dict[str, Any]:
    """The result as JSON has it: NaN and infinity become null."""
    from rdex.problem.variables import is_number

    def number(value: float) -> float | None:
        return float(value) if math.isfinite(value) else None

    return {
        "x": {
            name: value if is_number(value) else str(value) for name, value in result.design.items()
        },
        "fun": number(result.fun),
        "feasible": result.feasible,
        "status": result.status,
        "message": result.message,
        "notes": result.notes,
        "cv": number(result.cv),
        "maxcv": number(result.maxcv),
        "constraints": [state.facts() for state in result.violations],
        "feasible_shares": [
            {"name": each.name, "satisfied": each.satisfied, "n": each.n}
            for each in result.get("feasible_shares", [])
        ],
        "units": dict(result.units),
        "nfev": result.nfev,
        "nit": result.nit,
        "n_failed": result.n_failed,
        "n_restarts": result.n_restarts,
        "first_feasible": result.first_feasible,
        "maxfev": result.maxfev,
        "algorithm": result.algorithm,
        "seconds": result.seconds,
        "updating": result.updating,
        "workers_busy": result.get("workers_busy"),
    }
