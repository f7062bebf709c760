"""Published figures, to be put beside one's own.

Every result table of the paper on RDEx-CSOP, and the totals of the 2026 competition. The figures
are as printed: the notes say what a reader must know before comparing.
"""

from __future__ import annotations

import csv
from importlib import resources

from rdex.scoring.table import Cell, Table

_SIGNED = (
    "The violations of RDEx-CSOP, RDEx and CL-SRDE are signed sums of raw constraints, UDEIII's "
    "are clipped at zero: a value <= 0 is not feasibility.",
)
_ROUNDED = ("Made from traces of six significant digits; see the option digits=6.",)

#: Name -> title and notes.
_TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "uscore": (
        "U-score, median target, 28 problems, 25 runs",
        (
            "The totals add up to 162186, above the 141400 that ranks of 100 trials on 28 "
            "problems can add up to (105000 once corrected): the organisers' definition cannot "
            "give them.",
            "The parts are uncorrected sums by stratum, which reward being in a stratum: UDEIII, "
            "infeasible on C11, C18 and C27, has the best average Constraint rank.",
        ),
    ),
    "uscore_ranks": ("Average ranks by U-score and its parts", ()),
    "pairwise": ("Rank-sum wins / ties / losses of RDEx-CSOP, Holm, median A12", ()),
    "friedman": ("Friedman tests on per-problem medians: average ranks", ()),
    "final_quality": (
        "Q: final f if feasible, else B + violation",
        ("The violation is a sum on C17, C19, C26 and C28, and feasibility is a signed sum <= 0.",),
    ),
    "time_to_target": (
        "Checkpoints to the median target, 2001 if never",
        (*_ROUNDED, "Feasibility is not asked for."),
    ),
    "final_objective": ("Final f", ("Of infeasible runs too.",)),
    "final_violation": ("Final violation", _SIGNED),
    "auc": ("Mean of log10(1 + max(f - target, 0)) over 2000 checkpoints", _ROUNDED),
    "competition_2026": ("Totals of the 2026 competition, pairwise accuracy + speed", ()),
}

PAPER_TABLES = tuple(_TABLES)


def paper_table(name: str) -> Table:
    """A published table by name; see `PAPER_TABLES`.

    Examples
    --------
    >>> paper_table("uscore").column("algorithm")
    ['RDEx-CSOP', 'RDEx', 'UDEIII', 'CL-SRDE']
    >>> paper_table("time_to_target").column("RDEx_mean")[7]
    769.6
    """
    if name not in _TABLES:
        raise ValueError(f"no published table {name!r}; there are {', '.join(_TABLES)}")
    title, notes = _TABLES[name]
    text = resources.files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    header, *lines = csv.reader(text.splitlines())
    rows = tuple(tuple(_cell(word) for word in line) for line in lines)
    return Table(title, tuple(header), rows, notes)


def _cell(word: str) -> Cell:
    """A number where the text is one."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
