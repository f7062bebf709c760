"""Published figures beside one's own, computed the way the paper computed its own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rdex.report.contents import METRICS, Contents
from rdex.report.printed_tables import FORMATS, Cell, PrintedTable
from rdex.scoring import Summary, Table, Trials, compare, paper_table, summary
from rdex.scoring.comparison import Comparison
from rdex.scoring.summary import metric_table

PAPER_REFERENCE = "RDEx-CSOP"

CAVEATS = (
    "The paper's figures are for CEC 2017 (official data) at D = 30, 600000 evaluations, 25 runs.",
    "Ours in these tables are computed as the paper's: only the algorithms that the paper has, no "
    "cut-off, traces rounded to six significant digits, the time to target without asking for "
    "feasibility, SD dividing by n, violations as sums where constraint values are stored.",
    "The published U-score totals add up to more than the definition allows (162186 against "
    "141400 before and 105000 after the correction), so ours cannot equal them.",
    "Published final violations of RDEx-CSOP, RDEx and CL-SRDE are signed sums of raw "
    "constraints, where slack pays for violation: a value <= 0 is not feasibility.",
    "The paper's strata sums reward being in a stratum: UDEIII, infeasible on C11, C18 and C27, "
    "has the best average Constraint rank.",
    "Ratio: ours / paper, empty where the paper has 0 or the signs differ. Difference: ours - "
    "paper.",
)


def paper_tables(contents: Contents) -> list[PrintedTable]:
    """The paper's tables with ours beside them; empty where no algorithm is one of the paper's."""
    matched = matches(contents.algorithms, paper_table("uscore").column("algorithm"))
    found: list[PrintedTable] = []
    if matched:
        field = as_paper(contents.raw.select(list(matched)), contents.options.as_published)
        found = _tables_of(field, matched)
    totals = paper_table("competition_2026")
    competitors = matches(contents.algorithms, totals.column("algorithm"))
    if competitors:
        ours = by_key(contents.pairwise, "algorithm")
        found.append(
            scores_table("paper_competition_2026", totals, ours, competitors, {"total": "Total"})
        )
    return found


def _tables_of(field: Trials, matched: Mapping[str, str]) -> list[PrintedTable]:
    """Ours beside the paper's for a field that has only its algorithms."""
    ours_of = {theirs: ours for ours, theirs in matched.items()}
    reference = ours_of.get(PAPER_REFERENCE)
    result = summary(field, reference or field.algorithms[0], feasible_only=False)
    is_whole = len(matched) == len(paper_table("uscore").rows)
    note = () if is_whole else (
        f"Only {len(matched)} of the paper's algorithms are here: targets, scores and ranks "
        "depend on the field and do not compare.",
    )  # fmt: skip
    parts = {"total": "Total", "per_problem": "Per problem", "speed": "Speed",
             "accuracy": "Accuracy", "constraint": "Constraint"}  # fmt: skip
    ranks = {"total_rank": "Total rank", **parts}
    del ranks["total"]
    found = [
        scores_table("paper_uscore", paper_table("uscore"),
                     by_key(result.tables["leaderboard"], "algorithm"), matched, parts, note),
        scores_table("paper_score_ranks", paper_table("uscore_ranks"),
                     by_key(result.tables["score_ranks"], "algorithm"), matched, ranks, note),
        friedman_beside(result, matched, note),
    ]  # fmt: skip
    tables = {name: result.tables[name] for name in METRICS}
    comparisons = dict(result.comparisons)
    signed = signed_violation(field, field.algorithms.index(result.reference))
    if signed is not None:
        tables["final_violation"], comparisons["final_violation"] = signed
    if reference is not None and len(matched) > 1:
        found.append(pairwise_beside(field, comparisons, matched))
    return found + [metric_beside(name, table, matched) for name, table in tables.items()]


def as_paper(trials: Trials, as_published: bool = False) -> Trials:
    """Trials rounded and in the form of violation the paper used, where that is known."""
    rounded = trials.prepared(digits=6, as_published=as_published)
    if rounded.form == "mean" and rounded.n_constraints is not None:
        return rounded.in_form("sum")
    return rounded


def signed_violation(trials: Trials, reference: int) -> tuple[Table, Comparison] | None:
    """The table of final violations as signed sums; None without constraint values."""
    if trials.final_G is None or trials.final_H is None:
        return None
    values = trials.final_violation("signed")
    result = compare(values, reference)
    return metric_table(trials, "final_violation", values, result), result


def matches(ours: Sequence[str], theirs: Sequence[Any]) -> dict[str, str]:
    """Our name -> the paper's, where they differ at most in case, punctuation and a remark."""
    known = {_plain(str(name)): str(name) for name in theirs}
    found: dict[str, str] = {}
    for name in ours:
        other = known.get(_plain(name))
        if other is not None and other not in found.values():
            found[name] = other
    return found


def _plain(name: str) -> str:
    return re.sub(r"\(.*\)|[^a-z0-9]", "", name.lower())


def by_key(table: Table, column: str) -> dict[Any, dict[str, Any]]:
    """Rows as dicts, by the cell of one column."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {row[column]: row for row in rows}


def pair(ours: Any, paper: Any, form: str) -> tuple[Cell, Cell, Cell, Cell]:
    """Ours, the paper's, ratio and difference."""
    mine = math.nan if ours is None else float(ours)
    theirs = math.nan if paper is None else float(paper)
    ratio = mine / theirs if mine * theirs > 0 else math.nan
    return (
        Cell(mine, form),
        Cell(theirs, form),
        Cell(ratio, ".3g"),
        Cell(mine - theirs if math.isfinite(mine) else math.nan, ".3g"),
    )


FOUR = ("Ours", "Paper", "Ratio", "Diff.")


def scores_table(
    name: str,
    published: Table,
    ours: Mapping[Any, Mapping[str, Any]],
    matched: Mapping[str, str],
    parts: Mapping[str, str],
    notes: tuple[str, ...] = (),
) -> PrintedTable:
    """One row per algorithm, four columns a part."""
    theirs = by_key(published, "algorithm")
    rows = tuple(
        (Cell(mine), *(cell for key in parts
                       for cell in pair(ours[mine].get(key), theirs[name_there].get(key), ".2f")))
        for mine, name_there in matched.items()
    )  # fmt: skip
    groups = (("", 1), *((heading, 4) for heading in parts.values()))
    columns = ("Algorithm", *(FOUR * len(parts)))
    title = f"Ours beside the paper's: {published.title}"
    return PrintedTable(name, title, columns, rows, groups, (*notes, *published.notes))


def friedman_beside(
    result: Summary, matched: Mapping[str, str], notes: tuple[str, ...]
) -> PrintedTable:
    """Average ranks by metric, and the statistic."""
    published = paper_table("friedman")
    ours, theirs = by_key(result.tables["friedman"], "metric"), by_key(published, "metric")
    rows = tuple(
        (Cell(METRICS[metric]), *pair(ours[metric]["chi2"], theirs[metric]["chi2"], ".2f"),
         *(cell for mine, there in matched.items()
           for cell in pair(ours[metric][mine], theirs[metric][there], ".2f")))
        for metric in METRICS
    )  # fmt: skip
    groups = (("", 1), ("χ²", 4), *((mine, 4) for mine in matched))
    columns = ("Metric", *(FOUR * (1 + len(matched))))
    title = f"Ours beside the paper's: {published.title}"
    return PrintedTable("paper_friedman", title, columns, rows, groups, (*notes, *published.notes))


def pairwise_beside(
    field: Trials, comparisons: Mapping[str, Comparison], matched: Mapping[str, str]
) -> PrintedTable:
    """Wins / ties / losses and A12 of the reference."""
    published = paper_table("pairwise")
    theirs = {(row[0], row[1]): row[2:] for row in published.rows}
    rows = []
    for metric, result in comparisons.items():
        for i, other in enumerate(result.competitors):
            name = field.algorithms[other]
            there = theirs[metric, matched[name]]
            rows.append((
                Cell(METRICS[metric]), Cell(name),
                Cell(_slashes(result.win_tie_loss[i])), Cell(_slashes(there[:3])),
                Cell(_slashes(result.win_tie_loss_holm[i])), Cell(_slashes(there[3:6])),
                *pair(result.median_a12[i], there[6], ".2f"),
            ))  # fmt: skip
    groups = (("", 2), ("W/T/L", 2), ("Holm", 2), ("A12", 4))
    columns = ("Metric", "Competitor", "Ours", "Paper", "Ours", "Paper", *FOUR)
    title = f"Ours beside the paper's: {published.title}"
    return PrintedTable("paper_pairwise", title, columns, tuple(rows), groups, published.notes)


def _slashes(counts: Sequence[Any]) -> str:
    return "/".join(str(int(count)) for count in counts)


def metric_beside(name: str, table: Table, matched: Mapping[str, str]) -> PrintedTable:
    """Means by problem."""
    published = paper_table(name)
    theirs = by_key(published, "problem")
    rows = []
    for row in table.rows:
        number = problem_number(str(row[0]))
        if number not in theirs:
            continue
        cells = [Cell(row[0])]
        for mine, there in matched.items():
            mean = row[table.columns.index(f"{mine}_mean")]
            cells += pair(mean, theirs[number][f"{there}_mean"], FORMATS[name])
        rows.append(tuple(cells))
    groups = (("", 1), *((mine, 4) for mine in matched))
    columns = ("Problem", *(FOUR * len(matched)))
    title = f"Means, ours beside the paper's: {published.title}"
    return PrintedTable(f"paper_{name}", title, columns, tuple(rows), groups, published.notes)


def problem_number(label: str) -> int | None:
    """7 for C07 and for cec2017/C07/…; None for others.

    Examples
    --------
    >>> problem_number("C07"), problem_number("cec2017/C28/d30/2017/1"), problem_number("G06")
    (7, 28, None)
    """
    found = re.fullmatch(r"(?:cec2017/)?C(\d\d)(?:/.*)?", label)
    return int(found[1]) if found else None
