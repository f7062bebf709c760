"""Files of the competitions, in and out.

Three formats: the text of the 2026 rules, the text the released programs write, and the MATLAB
tables of the 2025 rules. Readers are tolerant of layout (separators, headers, spellings of NaN)
and strict about meaning: what a file does not say must be told, and what contradicts itself is
refused with the file and the line. Imports `trials`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from rdex.scoring.competition.matlab import read_matlab, write_matlab
from rdex.scoring.competition.names import result_format
from rdex.scoring.competition.released import read_released, write_released
from rdex.scoring.competition.text2026 import read_2026, write_2026
from rdex.scoring.trials import Trials

__all__ = [
    "export_results",
    "import_results",
    "read_2026",
    "read_matlab",
    "read_released",
    "write_2026",
    "write_matlab",
    "write_released",
]

READERS: dict[str, Callable[..., Trials]] = {
    "2026": read_2026,
    "released": read_released,
    "matlab": read_matlab,
}
WRITERS: dict[str, Callable[..., list[str]]] = {
    "2026": write_2026,
    "released": write_released,
    "matlab": write_matlab,
}


def import_results(
    path: str | os.PathLike[str], algorithm: str, format: str | None = None, **options: Any
) -> Trials:
    """Read a competition file, or a folder of them, as trials of one algorithm.

    Parameters
    ----------
    path : path
        One file, or a folder with one file per problem.
    algorithm : str
        What to call the algorithm.
    format : {"2026", "released", "matlab"}, optional
        Taken from the file names by default: `…_F{J}.txt`, `NAME_F{J}_D{D}.txt`, `….mat`.
    **options
        Of the reader: see `read_2026`, `read_released`, `read_matlab`. All take `n_constraints`, a
        mapping of problem names to numbers of constraints, to turn sums into means later.
    """
    chosen = result_format(path) if format is None else format
    if chosen not in READERS:
        raise ValueError(f"format must be one of {', '.join(READERS)}, got {chosen!r}")
    return READERS[chosen](path, algorithm, **options)


def export_results(
    trials: Trials, folder: str | os.PathLike[str], algorithm: str, format: str, **options: Any
) -> list[str]:
    """Write the runs of one algorithm as competition files; the names written, in order.

    `options` are those of the writer: see `write_2026`, `write_released`, `write_matlab`.
    """
    if format not in WRITERS:
        raise ValueError(f"format must be one of {', '.join(WRITERS)}, got {format!r}")
    return WRITERS[format](trials, folder, algorithm, **options)
