"""Printed tables as LaTeX, Markdown and CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

from rdex.common.text import printable
from rdex.report.numbers import latex_text, markdown_text
from rdex.report.printed_tables import Cell, PrintedTable

#: Tables wider than the text are shrunk to its width, others left as they are.
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"

DOCUMENT = r"""% Compiles as it is: pdflatex tables.tex
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[margin=15mm]{geometry}
\usepackage{booktabs}
\usepackage{graphicx}
\begin{document}
INPUTS
\end{document}
"""


def latex(sheet: PrintedTable) -> str:
    """A table environment; needs the packages booktabs and graphicx."""
    is_text = [_is_text(sheet, at) for at in range(len(sheet.columns))]
    lines = [
        "% Needs \\usepackage{booktabs,graphicx}.",
        "\\begin{table}[htbp]",
        "\\centering",
        f"\\caption{{{latex_text(sheet.title)}.}}",
        f"\\label{{tab:rdex-{sheet.name.replace('_', '-')}}}",
        "\\scriptsize",
        "\\setlength{\\tabcolsep}{3pt}",
        FITTED,
    ]
    lines.append(f"\\begin{{tabular}}{{{''.join('l' if each else 'r' for each in is_text)}}}")
    lines.append("\\toprule")
    if sheet.groups:
        lines += _latex_groups(sheet.groups)
    lines.append(" & ".join(latex_text(name) for name in sheet.columns) + " \\\\")
    lines.append("\\midrule")
    lines += [" & ".join(_latex_cell(cell) for cell in row) + " \\\\" for row in sheet.rows]
    lines += ["\\bottomrule", "\\end{tabular}}"]
    if sheet.notes:
        notes = " ".join(latex_text(note) for note in sheet.notes)
        lines.append(f"\\par\\smallskip\\parbox{{\\linewidth}}{{\\scriptsize {notes}}}")
    return "\n".join([*lines, "\\end{table}", ""])


def _latex_groups(groups: Sequence[tuple[str, int]]) -> list[str]:
    """The line of headings above several columns, and its rules."""
    cells, rules, start = [], [], 1
    for name, span in groups:
        cells.append(f"\\multicolumn{{{span}}}{{c}}{{{latex_text(name)}}}" if name else "")
        if name:
            rules.append(f"\\cmidrule(lr){{{start}-{start + span - 1}}}")
        start += span
    return [" & ".join(cells) + " \\\\", "".join(rules)]


def _latex_cell(cell: Cell) -> str:
    text = latex_text(cell.text)
    if cell.text in ("+", "-", "="):
        text = f"${cell.text}$"
    return f"\\textbf{{{text}}}" if cell.is_best else text


def markdown(sheet: PrintedTable) -> str:
    """A pipe table under its title."""
    is_text = [_is_text(sheet, at) for at in range(len(sheet.columns))]
    lines = [
        f"**{markdown_text(sheet.title)}**",
        "",
        "| " + " | ".join(markdown_text(name) for name in sheet.full_columns) + " |",
        "| " + " | ".join("---" if each else "--:" for each in is_text) + " |",
    ]
    for row in sheet.rows:
        cells = (markdown_text(cell.text) for cell in row)
        bold = (f"**{text}**" if cell.is_best else text
                for text, cell in zip(cells, row, strict=True))  # fmt: skip
        lines.append("| " + " | ".join(bold) + " |")
    if sheet.notes:
        lines += ["", " ".join(markdown_text(note) for note in sheet.notes)]
    return "\n".join([*lines, ""])


def comma_separated(sheet: PrintedTable) -> str:
    """One line of headings, then the values with all their digits; what is unknown is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([harmless(name) for name in sheet.full_columns])
    for row in sheet.rows:
        values = ["" if cell.value != cell.value else cell.value for cell in row]
        writer.writerow([harmless(each) if isinstance(each, str) else each for each in values])
    return stream.getvalue()


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula; signs alone are no formulas."""
    plain = printable(text)
    return f"'{plain}" if len(plain) > 1 and plain.lstrip()[:1] in ("=", "+", "-", "@") else plain


#: Ending -> writer.
WRITERS = {"tex": latex, "md": markdown, "csv": comma_separated}


def write_tables(sheets: Sequence[PrintedTable], folder: str | os.PathLike[str]) -> list[Path]:
    """Every table in every format, and a document with all of them that compiles."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for sheet in sheets:
        for ending, write in WRITERS.items():
            path = place / f"{sheet.name}.{ending}"
            path.write_text(write(sheet), encoding="utf-8")
            written.append(path)
    inputs = "\n".join(f"\\input{{{sheet.name}.tex}}\n\\clearpage" for sheet in sheets)
    document = place / "tables.tex"
    document.write_text(DOCUMENT.replace("INPUTS", inputs), encoding="utf-8")
    return [*written, document]


def _is_text(sheet: PrintedTable, at: int) -> bool:
    """Whether a column holds text, which stands on the left."""
    return any(isinstance(row[at].value, str) for row in sheet.rows)
