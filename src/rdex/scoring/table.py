"""`Table`: column names and rows, the one thing that printers and reports are given."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: What a cell may hold.
Cell = str | int | float | bool


@dataclass(frozen=True)
class Table:
    """A table of plain Python values.

    Attributes
    ----------
    title : str
        What it shows.
    columns : tuple of str
        Names of the columns.
    rows : tuple of tuples
        One tuple per row, as long as `columns`.
    notes : tuple of str
        Sentences to be printed with it.

    Examples
    --------
    >>> print(Table("Scores", ("name", "points"), (("one", 3.0), ("another", 0.123456789))))
    Scores
    name      points
    one            3
    another  0.12346
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"expected rows of {len(self.columns)} cells, got {len(row)}")

    @classmethod
    def of(
        cls,
        title: str,
        columns: Iterable[str],
        rows: Iterable[Iterable[Any]],
        notes: Iterable[str] = (),
    ) -> Table:
        """A table of any values, NumPy's numbers made Python's."""
        plain = tuple(
            tuple(cell.item() if isinstance(cell, np.generic) else cell for cell in row)
            for row in rows
        )
        return cls(title, tuple(columns), plain, tuple(notes))

    def __str__(self) -> str:
        """Plain text: title, columns with numbers to the right, notes."""
        grid = [self.columns, *([cell_text(cell) for cell in row] for row in self.rows)]
        widths = [max(len(row[at]) for row in grid) for at in range(len(self.columns))]
        to_right = [any(is_number(row[at]) for row in self.rows) for at in range(len(widths))]
        lines = [
            "  ".join(
                text.rjust(width) if right else text.ljust(width)
                for text, width, right in zip(row, widths, to_right, strict=True)
            ).rstrip()
            for row in grid
        ]
        return "\n".join((self.title, *lines, *self.notes))

    def column(self, name: str) -> list[Cell]:
        """The cells of one column."""
        if name not in self.columns:
            raise ValueError(f"no column {name!r}; there are {', '.join(self.columns)}")
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """The table for JSON, which knows no NaN and no infinity: they become null and text."""
        return {
            "title": self.title,
            "columns": list(self.columns),
            "rows": [[_jsonable(cell) for cell in row] for row in self.rows],
            "notes": list(self.notes),
        }


def is_number(cell: Any) -> bool:
    """Whether a cell holds a number; True and False are none."""
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def cell_text(cell: Any) -> str:
    """A cell as people read it: whole numbers whole, others with five digits."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        if cell != cell:
            return "–"
        return f"{cell:.0f}" if cell == round(cell, 0) and abs(cell) < 1e7 else f"{cell:.5g}"
    return str(cell)


def _jsonable(cell: Cell) -> Cell | None:
    """The cell, or what stands for it in JSON."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return None if math.isnan(cell) else str(cell)
    return cell
