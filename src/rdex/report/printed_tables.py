"""`PrintedTable`: a table laid out for print; and every result table of the paper as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rdex.engine.settings import LABELS
from rdex.report.contents import METRICS, Contents
from rdex.report.numbers import shown
from rdex.scoring import Table
from rdex.scoring.comparison import RANK_SUM

PRIMARY = ("final_quality", "time_to_target")
COMPLEMENTARY = ("final_objective", "final_violation", "auc")

#: How the numbers of a metric are printed; as in the paper.
FORMATS = {
    "final_quality": ".2E",
    "time_to_target": ".1f",
    "final_objective": ".2E",
    "final_violation": ".2E",
    "auc": ".2f",
}

#: Means this near to the best one are bold, too.
SAME = 1e-8

BOLD_MEANS = (
    f"Bold: the smallest mean of the row, and means within {SAME:g} of it, with their deviations."
)
DEVIATION = "SD divides by n, not by n - 1."


@dataclass(frozen=True)
class Cell:
    """One cell: the value, how a number is printed, and whether it is among the best."""

    value: Any
    form: str = ""
    is_best: bool = False

    @property
    def text(self) -> str:
        """What is printed."""
        return shown(self.value, self.form)


@dataclass(frozen=True)
class PrintedTable:
    """A table for print.

    Attributes
    ----------
    name : str
        Name of its files.
    title : str
        The caption.
    columns : tuple of str
        Headings.
    rows : tuple of tuples of Cell
        One tuple per row.
    groups : tuple of (str, int)
        Headings above several columns, from the left, with how many they span; "" for none.
    notes : tuple of str
        Sentences beneath it.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    groups: tuple[tuple[str, int], ...] = field(default=())
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        spans = sum(span for _, span in self.groups)
        widths = {len(row) for row in self.rows} | ({spans} if self.groups else set())
        if not widths <= {len(self.columns)}:
            raise ValueError(f"{self.name}: expected {len(self.columns)} columns, got {widths}")

    @property
    def full_columns(self) -> tuple[str, ...]:
        """Headings with those above them, for formats that have one line of headings."""
        above = [name for name, span in self.groups for _ in range(span)] or [""] * len(
            self.columns
        )
        pairs = zip(above, self.columns, strict=True)
        return tuple(f"{group} {name}".strip() for group, name in pairs)


def printed_tables(contents: Contents) -> list[PrintedTable]:
    """All printed tables of a campaign: the paper's tables first, then what else was computed."""
    target = contents.target
    tables = target.tables
    several = len(contents.algorithms) > 1
    found = [
        score_table("uscore", tables["leaderboard"], ("speed", "accuracy", "constraint")),
        score_table("pairwise_score", contents.pairwise, ("accuracy", "speed")),
        rank_table(tables["score_ranks"]),
    ]
    if several:
        found += [
            pairwise_table("pairwise", "Primary", PRIMARY, tables["pairwise"]),
            pairwise_table("pairwise_more", "Complementary", COMPLEMENTARY, tables["pairwise"]),
            friedman_table("friedman", "Primary", PRIMARY, tables["friedman"]),
            friedman_table("friedman_more", "Complementary", COMPLEMENTARY, tables["friedman"]),
        ]
        found += [effect_table(contents, metric) for metric in PRIMARY]
    found.append(gap_table(contents))
    if contents.datasets:
        found.append(time_table(contents))
    found += [metric_table(name, contents) for name in METRICS]
    found += [
        by_problem_table("score_by_problem", tables["scores"], largest_is_best=True),
        by_problem_table("feasibility", tables["feasibility"], largest_is_best=True),
    ]
    if several:
        found.append(plain_table("nemenyi", tables["nemenyi"], {"p": ".3g"}))
    return found


def score_table(name: str, board: Table, parts: Sequence[str]) -> PrintedTable:
    """The overall score: rank, algorithm, total, per problem, and its parts."""
    limits = [column for column in ("total_low", "total_high") if column in board.columns]
    taken = ["rank", "algorithm", "total", *limits, "per_problem", *parts]
    forms = {"total": ".1f", "per_problem": ".2f", "total_low": ".1f", "total_high": ".1f"}
    headings = {"rank": "Rank", "algorithm": "Algorithm", "total": "Total Score",
                "total_low": "low", "total_high": "high",
                "per_problem": "Avg Score/Prob."}  # fmt: skip
    columns = [board.column(each) for each in taken]
    best = {each: best_of(board.column(each), largest=True) for each in taken[2:]}
    rows = tuple(
        tuple(
            Cell(value, forms.get(key, ".1f" if i > 1 else ""), key in best and value == best[key])
            for i, (key, value) in enumerate(zip(taken, row, strict=True))
        )
        for row in zip(*columns, strict=True)
    )
    named = tuple(headings.get(each, each.capitalize()) for each in taken)
    return PrintedTable(name, board.title, named, rows, notes=("Bold: the largest of the column.",
                                                        *sentences(board.notes)))  # fmt: skip


def rank_table(table: Table) -> PrintedTable:
    """Ranks by score and by its parts."""
    headings = {"total_rank": "Total Rank", "per_problem": "Avg Rank/Prob."}
    taken = table.columns[1:]
    best = {key: best_of(table.column(key)) for key in taken}
    rows = []
    for place, (algorithm, *values) in enumerate(table.rows, start=1):
        cells = [
            Cell(value, ".1f" if key == "total_rank" else ".2f", value == best[key])
            for key, value in zip(taken, values, strict=True)
        ]
        rows.append((Cell(place), Cell(algorithm), *cells))
    named = tuple(headings.get(key, f"Avg {key.capitalize()}") for key in taken)
    return PrintedTable("score_ranks", table.title, ("Rank", "Algorithm", *named), tuple(rows),
                 notes=("Lower is better. Bold: the smallest of the column.",
                        *sentences(table.notes)))  # fmt: skip


def pairwise_table(name: str, kind: str, metrics: Sequence[str], table: Table) -> PrintedTable:
    """Wins / ties / losses of the reference, the same by Holm, and the median A12."""
    cells: dict[str, dict[str, tuple[Cell, ...]]] = {}
    for metric, competitor, w, t, loss, hw, ht, hl, effect in table.rows:
        cells.setdefault(str(competitor), {})[str(metric)] = (
            Cell(f"{w}/{t}/{loss}"), Cell(f"{hw}/{ht}/{hl}"), Cell(effect, ".2f")
        )  # fmt: skip
    rows = tuple(
        (Cell(competitor), *(cell for metric in metrics for cell in found[metric]))
        for competitor, found in cells.items()
    )
    groups = (("", 1), *((METRICS[metric], 3) for metric in metrics))
    columns = ("Competitor", *(("W/T/L", "Holm", "A12") * len(metrics)))
    title = f"{kind} pairwise summary: {table.title}"
    notes = (
        "W/T/L: problems on which the first algorithm is better, not different, worse at the "
        "level 0.05; Holm: the same after Holm's correction across the problems; A12: median "
        "chance that the first is better, above 0.5 in its favour.",
        f"Test: {RANK_SUM}.",
    )
    return PrintedTable(name, title, columns, rows, groups, notes)


def effect_table(contents: Contents, metric: str) -> PrintedTable:
    """A12 of the reference against every other algorithm, with its interval, by problem."""
    compared = contents.target.comparisons[metric]
    reference = contents.target.reference
    others = [contents.algorithms[k] for k in compared.competitors]
    rows = []
    for j, problem in enumerate(contents.problems):
        cells = [Cell(problem)]
        for i in range(len(others)):
            low, high = compared.a12_low[i, j], compared.a12_high[i, j]
            is_sure = bool(low > 0.5 or high < 0.5)
            limits = "" if math.isnan(low) else f"{low:.2f} to {high:.2f}"
            cells += [Cell(float(compared.a12[i, j]), ".2f", is_sure), Cell(limits),
                      Cell(float(compared.p_holm[i, j]), ".2g")]  # fmt: skip
        rows.append(tuple(cells))
    return PrintedTable(
        f"effects_{metric}",
        f"Effect sizes, {METRICS[metric]}: {reference} against the others",
        ("Problem", *(("A12", "95 %", "p Holm") * len(others))),
        tuple(rows),
        (("", 1), *((name, 3) for name in others)),
        (
            f"A12: chance that a run of {reference} is better than one of the other algorithm, "
            "above 0.5 in its favour. 95 %: Newcombe's score interval. Bold: the interval leaves "
            "out 0.5. p Holm: rank-sum test, corrected over the problems.",
        ),
    )


def gap_table(contents: Contents) -> PrintedTable:
    """Distance of the final f of feasible runs to the best of the field, by problem."""
    trials = contents.trials
    final = np.where(trials.deciding_v[..., -1] == 0, trials.f[..., -1], np.nan)
    rows = []
    for j, problem in enumerate(contents.problems):
        best = contents.bands[j].best
        cells = [Cell(problem), Cell(best, ".8g")]
        smallest, middle = [], []
        for row in final[:, j]:
            gaps = row[~np.isnan(row)] - best
            smallest.append(float(gaps.min()) if gaps.size else math.nan)
            middle.append(float(np.median(gaps)) if gaps.size else math.nan)
        for low, mid in zip(smallest, middle, strict=True):
            cells += [Cell(low, ".2E", is_same(low, best_of(smallest))),
                      Cell(mid, ".2E", is_same(mid, best_of(middle)))]  # fmt: skip
        rows.append(tuple(cells))
    return PrintedTable(
        "gaps",
        "f − best: distance of the final f of feasible runs to the best feasible f of the field",
        ("Problem", "best f", *(("best run", "median") * len(contents.algorithms))),
        tuple(rows),
        (("", 2), *((name, 2) for name in contents.algorithms)),
        ("Bold: the smallest of the row in its kind. Infeasible runs are left out.",),
    )


def time_table(contents: Contents) -> PrintedTable:
    """How long runs took, by algorithm."""
    spent: dict[str, list[tuple[float, int]]] = {}
    for data in contents.datasets:
        columns = (data.arrow.column(name).to_pylist()
                   for name in ("algorithm", "wall_time", "nfev"))  # fmt: skip
        for name, seconds, nfev in zip(*columns, strict=True):
            if seconds is not None and seconds == seconds:
                spent.setdefault(LABELS.get(name, name), []).append((seconds, nfev))
    rows = []
    for name in contents.algorithms:
        runs = np.array(spent.get(name, []), dtype=np.float64).reshape(-1, 2)
        if not len(runs):
            rows.append((Cell(name), *(Cell(math.nan),) * 5))
            continue
        seconds, nfev = runs.T
        each = 1e6 * seconds / np.maximum(nfev, 1)
        rows.append((Cell(name), Cell(len(runs)), Cell(float(np.median(seconds)), ".3g"),
                     Cell(float(seconds.max()), ".3g"), Cell(float(seconds.sum()), ".4g"),
                     Cell(float(np.median(each)), ".3g")))  # fmt: skip
    return PrintedTable(
        "run_times",
        "Run times",
        ("Algorithm", "Runs", "Median s", "Longest s", "Sum s", "µs per evaluation"),
        tuple(rows),
        notes=(
            "Wall-clock time of a run, evaluations included; µs per evaluation: the median over "
            "the runs. Runs that shared a busy machine took longer.",
        ),
    )


def friedman_table(name: str, kind: str, metrics: Sequence[str], table: Table) -> PrintedTable:
    """Average ranks by metric; the tests stand in the caption."""
    rows_of = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    algorithms = table.columns[5:]
    best = {metric: min(table.rows[i][5:]) for i, metric in enumerate(table.column("metric"))}
    rows = tuple(
        (
            Cell(algorithm),
            *(
                Cell(table.rows[at][5 + k], ".2f", table.rows[at][5 + k] == best[metric])
                for metric in metrics
                for at in [table.column("metric").index(metric)]
            ),
        )
        for k, algorithm in enumerate(algorithms)
    )
    tests = "; ".join(
        f"{METRICS[metric]}: χ² = {shown(rows_of[metric]['chi2'], '.2f')}, "
        f"df = {rows_of[metric]['df']}, p = {shown(rows_of[metric]['p'], '.3g')}"
        for metric in metrics
    )
    distance = shown(rows_of[metrics[0]]["critical_difference"], ".3f")
    notes = (
        "Lower is better. Bold: the smallest of the column.",
        f"Nemenyi's critical difference at α = 0.05: {distance}.",
        *sentences(table.notes),
    )
    return PrintedTable(
        name,
        f"{kind} Friedman tests on per-problem medians: average ranks. {tests}",
        ("Algorithm", *(METRICS[metric] for metric in metrics)),
        rows,
        notes=notes,
    )


def metric_table(name: str, contents: Contents) -> PrintedTable:
    """Mean and SD by problem, with the outcome of every test against the reference."""
    table = contents.target.tables[name]
    order = [contents.target.reference]
    order += [each for each in contents.algorithms if each != contents.target.reference]
    starts = [1] + [3 + 3 * i for i in range(len(order) - 1)]
    form = FORMATS[name]
    rows = []
    for row in table.rows:
        means = [float(row[at]) for at in starts]
        smallest = best_of(means)
        cells = [Cell(row[0])]
        for i, at in enumerate(starts):
            is_best = is_same(means[i], smallest)
            cells += [Cell(row[at], form, is_best), Cell(row[at + 1], form, is_best)]
            cells += [Cell(row[at + 2])] if i else []
        rows.append(tuple(cells))
    groups = [("", 1), *((algorithm, 3 if i else 2) for i, algorithm in enumerate(order))]
    columns = ["Problem", "Mean", "SD", *(("Mean", "SD", "W") * (len(order) - 1))]
    title = metric_title(name, contents)
    notes = metric_notes(contents.target.reference, len(order) > 1)
    return PrintedTable(name, title, tuple(columns), tuple(rows), tuple(groups), notes)


def metric_title(name: str, contents: Contents) -> str:
    """The caption of a metric's table."""
    k = contents.trials.n_checkpoints
    return {
        "final_quality": "Q: final f of feasible runs, B + violation of others, B being the "
        "largest final f on the problem plus 1",
        "time_to_target": "TTT: first checkpoint at which a run is feasible and at or below the "
        f"median target; {k + 1} if never",
        "final_objective": "Final objective of all runs, feasible or not",
        "final_violation": f"Final violation, form: {contents.trials.form}",
        "auc": f"AUC: mean over {k} checkpoints of log10(1 + max(f - target, 0))",
    }[name]


def metric_notes(reference: str, has_others: bool) -> tuple[str, ...]:
    """What a reader of such a table must know."""
    if not has_others:
        return (DEVIATION, "Smaller is better.")
    return (
        BOLD_MEANS,
        DEVIATION,
        f"W: + where {reference} is better, - where it is worse, = where there is no difference "
        "at the level 0.05.",
        f"Test: {RANK_SUM}.",
    )


def by_problem_table(name: str, table: Table, largest_is_best: bool) -> PrintedTable:
    """One row per problem, one column per algorithm."""
    rows = []
    for row in table.rows:
        best = best_of(row[1:], largest_is_best)
        form = ".1f" if name == "score_by_problem" else ".2f"
        rows.append((Cell(row[0]), *(Cell(value, form, value == best) for value in row[1:])))
    heading = ("Problem", *table.columns[1:])
    word = "largest" if largest_is_best else "smallest"
    notes = (f"Bold: the {word} of the row.", *sentences(table.notes))
    return PrintedTable(name, table.title, heading, tuple(rows), notes=notes)


def plain_table(name: str, table: Table, forms: dict[str, str]) -> PrintedTable:
    """A table as it is."""
    rows = tuple(
        tuple(
            Cell(METRICS.get(str(value), value) if key == "metric" else value, forms.get(key, ""))
            for key, value in zip(table.columns, row, strict=True)
        )
        for row in table.rows
    )
    headings = tuple(key.replace("_", " ") for key in table.columns)
    return PrintedTable(name, table.title, headings, rows, notes=sentences(table.notes))


def best_of(values: Sequence[Any], largest: bool = False) -> float:
    """The best number; NaN where there is none."""
    known = [float(value) for value in values if not math.isnan(float(value))]
    if not known:
        return math.nan
    return max(known) if largest else min(known)


def is_same(value: float, best: float) -> bool:
    """Whether a mean is the best one, or near enough."""
    return value == best or abs(value - best) <= SAME


def sentences(notes: Sequence[str]) -> tuple[str, ...]:
    """Notes of tables with a capital and a full stop."""
    return tuple(f"{note[:1].upper()}{note[1:]}" + ("" if note.endswith(".") else ".")
                 for note in notes)  # fmt: skip
