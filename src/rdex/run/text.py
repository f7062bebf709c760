"""A result as text and as HTML."""

from __future__ import annotations

import html
import math
import textwrap
from typing import TYPE_CHECKING, Any

from rdex.common.text import printable
from rdex.problem.constraints import OBJECTIVE, unit_of
from rdex.problem.variables import is_number
from rdex.run.constraint_state import blocking, with_unit

if TYPE_CHECKING:
    from rdex.run.result import Result

MOST_ROWS = 30

Rows = list[tuple[str, ...]]


def result_text(result: Result) -> str:
    """What `print(result)` shows."""
    lines = [headline(result), f"  {printable(result.message)}", ""]
    lines += columns(facts(result))
    lines += ["", "  variables", *columns(variable_rows(result), indent=4)]
    if result.violations:
        lines += ["", "  constraints", *columns(constraint_rows(result), indent=4)]
    if result.get("feasible_shares"):
        lines += ["", "  share of random points that satisfy", *columns(share_rows(result), 4)]
    if result.get("notes"):
        lines += ["", "  notes", *note_lines(result)]
    return "\n".join(lines)


def note_lines(result: Result, width: int = 100) -> list[str]:
    """The notes, each on as many lines as it needs."""
    lines = []
    for note in result.notes:
        lines += textwrap.wrap(
            printable(note), width, initial_indent="    - ", subsequent_indent="      "
        )
    return lines


def result_html(result: Result) -> str:
    """What a notebook shows."""
    if "message" not in result:
        return f"<pre>{html.escape(str(result))}</pre>"
    parts = [f"<b>{escaped(headline(result))}</b><br>{escaped(result.message)}"]
    parts.append(table(facts(result)))
    parts.append("Variables" + table(variable_rows(result)))
    if result.violations:
        parts.append("Constraints" + table(constraint_rows(result)))
    if result.get("feasible_shares"):
        parts.append("Share of random points that satisfy" + table(share_rows(result)))
    if result.get("notes"):
        items = "".join(f"<li>{escaped(note)}</li>" for note in result.notes)
        parts.append(f"<ul>{items}</ul>")
    return "<div>" + "".join(parts) + "</div>"


def headline(result: Result) -> str:
    """One line that says how it ended."""
    if result.feasible:
        return "Feasible solution" if result.violations else "Solution"
    return "No feasible solution" if math.isfinite(result.cv) else "No solution"


def facts(result: Result) -> Rows:
    """What is one line each."""
    time = "" if math.isnan(result.seconds) else f" in {result.seconds:.3g} s"
    # Only a differential evolution alone has generations.
    rounds = "" if result.get("phases") else f", {result.nit} generations"
    rows: Rows = [
        ("f", "unknown" if math.isnan(result.fun) else objective_text(result)),
        ("evaluations", f"{result.nfev} of {result.maxfev}{time}{rounds}"),
        ("algorithm", result.algorithm),
    ]
    phases = enumerate(result.get("phases", []))
    rows += [("" if k else "phases", str(phase)) for k, phase in phases]
    if result.n_restarts:
        rows.append(("restarts", str(result.n_restarts)))
    if result.n_failed:
        rows.append(("failed", f"{result.n_failed} evaluations gave no usable values"))
    if result.get("n_skipped"):
        rows.append(("skipped", f"{result.n_skipped} evaluations by cheap constraints"))
    if result.get("workers_busy") is not None:
        rows.append(("workers", workers_text(result)))
    if result.violations and result.first_feasible:
        rows.append(("feasible", f"first at evaluation {result.first_feasible}"))
    elif result.violations and math.isfinite(result.cv):
        rows.append(("feasible", f"never; blocking: {blocking(result.violations)}"))
        rows.append(("violation", closeness(result)))
    if "polished" in result:
        rows.append(("polish", "kept" if result.polished else "not better, dropped"))
    return rows


def workers_text(result: Result) -> str:
    """How many, how busy, and how their results were used."""
    used = "as they came" if result.updating == "async" else "in batches"
    word = f'updating="{result.updating}"'
    busy = f"busy {100 * result.workers_busy:.0f} % of the time"
    return f"{result.workers}, {busy}; results used {used} ({word})"


def objective_text(result: Result) -> str:
    """f with its unit."""
    return with_unit(f"{result.fun:.12g}", unit_of(result.units, OBJECTIVE))


def closeness(result: Result) -> str:
    """How the mean violation of the best point fell."""
    finite = result.history.cv[result.history.cv < math.inf]
    text = f"mean {result.cv:.4g}, largest {result.maxcv:.4g}"
    return f"{text}; the mean was {finite[0]:.4g} at the start" if finite.size else text


def variable_rows(result: Result) -> Rows:
    """One row per variable, some left out where there are many."""
    design = result.design or dict(zip(result.variable_names, result.x, strict=True))
    return shortened(
        [
            (name, with_unit(value_text(value), unit_of(result.units, name)))
            for name, value in design.items()
        ]
    )


def value_text(value: Any) -> str:
    """A number with ten digits and room for a sign, or a category."""
    return f"{value: .10g}" if is_number(value) else f" {value}"


def constraint_rows(result: Result) -> Rows:
    """One row per constraint: both sides as they were stated, and how it stands."""
    return shortened([(s.label, s.value_text, s.relation, s.verdict) for s in result.violations])


def share_rows(result: Result) -> Rows:
    """One row per constraint: how many random points satisfy it."""
    return shortened([(share.name, str(share)) for share in result.feasible_shares])


def shortened(rows: Rows) -> Rows:
    """The first and the last of many rows."""
    if len(rows) <= MOST_ROWS:
        return rows
    half = MOST_ROWS // 2
    middle = (f"… {len(rows) - 2 * half} more …", *[""] * (len(rows[0]) - 1))
    return [*rows[:half], middle, *rows[-half:]]


def escaped(text: str) -> str:
    """A text for HTML."""
    return html.escape(printable(text))


def columns(rows: Rows, indent: int = 2) -> list[str]:
    """Rows as lines with aligned columns."""
    rows = [tuple(map(printable, row)) for row in rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return [
        " " * indent
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def table(rows: Rows) -> str:
    """Rows as an HTML table; what is violated stands out."""
    body = []
    for row in rows:
        style = ' style="color:#b00"' if row[-1].startswith("VIOLATED") else ""
        cells = "".join(f"<td>{escaped(cell.strip())}</td>" for cell in row)
        body.append(f"<tr{style}>{cells}</tr>")
    return f"<table>{''.join(body)}</table>"
