"""The leaderboard and the paper's tables for a field of algorithms, each from one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rdex.engine.settings import LABELS
from rdex.scoring.arrays import Floats, count_notes, rank_algorithms
from rdex.scoring.attainment import attainment
from rdex.scoring.comparison import RANK_SUM, Comparison, compare
from rdex.scoring.friedman import Friedman, friedman
from rdex.scoring.indicators import Indicators, indicators
from rdex.scoring.pairwise import PairwiseScore, pairwise_score
from rdex.scoring.resampling import SCORE_FORMS, bootstrap, leave_one_out
from rdex.scoring.table import Table
from rdex.scoring.target import TargetScore, target_score
from rdex.scoring.trials import Trials

Score = TargetScore | PairwiseScore

_TITLES = {
    "target": "U-score, target form (2024 and 2025)",
    "pairwise": "Pairwise accuracy + speed (2026)",
}


@dataclass(frozen=True, eq=False)
class Summary:
    """A field scored and tested: the records, and the tables made of them.

    Attributes
    ----------
    reference : str
        The algorithm the others are compared with.
    score : TargetScore or PairwiseScore
        The score in the form asked for.
    indicators : Indicators
        Numbers of every trial.
    comparisons : mapping of str to Comparison
        By metric: the reference against each other algorithm.
    friedman : mapping of str to Friedman
        By metric.
    tables : mapping of str to Table
        "leaderboard", "score_ranks", "pairwise", "friedman", "nemenyi", "scores", "feasibility",
        and one table a metric: "final_quality", "time_to_target", "final_objective",
        "final_violation", "auc".
    """

    reference: str
    score: Score
    indicators: Indicators
    comparisons: Mapping[str, Comparison]
    friedman: Mapping[str, Friedman]
    tables: Mapping[str, Table]

    def to_dict(self) -> dict[str, Any]:
        """All tables for JSON."""
        tables = {name: table.to_dict() for name, table in self.tables.items()}
        return {"reference": self.reference, "tables": tables}


def score_trials(trials: Trials, form: str = "target") -> Score:
    """The score in one of two forms; its notes name the algorithms and problems."""
    if form not in SCORE_FORMS:
        raise ValueError(f"form of score must be one of {', '.join(SCORE_FORMS)}, got {form!r}")
    notes = count_notes(trials.counts, trials.algorithms, trials.problems)
    if form == "pairwise":
        return replace(pairwise_score(trials.f, trials.deciding_v), notes=notes)
    score = target_score(trials.f, trials.deciding_v)
    nowhere = [trials.problems[j] for j in np.flatnonzero(score.no_feasible)]
    if nowhere:
        notes += (f"no trial is feasible on {', '.join(nowhere)}",)
    return replace(score, notes=notes)


def leaderboard(
    trials: Trials,
    form: str = "target",
    *,
    n_resamples: int = 0,
    rng: Any = 0,
    score: Score | None = None,
) -> Table:
    """Algorithms by total score, best first.

    With `n_resamples` > 0 also 95 % bootstrap intervals of total and rank. `score` is that of
    `score_trials`, where it is known already.
    """
    known = score_trials(trials, form) if score is None else score
    return _leaderboard(trials, known, form, n_resamples, rng)


def summary(
    trials: Trials,
    reference: str | None = None,
    form: str = "target",
    *,
    alpha: float = 0.05,
    feasible_only: bool = True,
    n_resamples: int = 0,
    rng: Any = 0,
) -> Summary:
    """Score and test a field of algorithms.

    Parameters
    ----------
    trials : Trials
        For a cut-off, rounded traces or signed sums see `Trials.prepared`.
    reference : str, optional
        The algorithm the others are compared with; the leader by default.
    form : {"target", "pairwise"}
        Which score makes the leaderboard.
    alpha : float
        Level of all tests.
    feasible_only : bool
        Whether the time to target asks for feasibility; the paper's does not.
    n_resamples : int
        Bootstrap resamples for intervals in the leaderboard; none by default.
    rng : seed or numpy.random.Generator
        For the bootstrap.
    """
    score = score_trials(trials, form)
    board = _leaderboard(trials, score, form, n_resamples, rng)
    chosen = str(board.rows[0][1]) if reference is None else reference
    if chosen not in trials.algorithms:
        chosen = LABELS.get(chosen, chosen)
    if chosen not in trials.algorithms:
        raise ValueError(f"no algorithm named {chosen!r}; there are {', '.join(trials.algorithms)}")
    first = trials.algorithms.index(chosen)
    numbers = indicators(trials, feasible_only=feasible_only)
    comparisons = {name: compare(x, first, alpha) for name, x in numbers.metrics.items()}
    friedmans = {name: friedman(x, alpha) for name, x in numbers.metrics.items()}
    tables = {
        "leaderboard": board,
        "score_ranks": _score_ranks(trials, score),
        "pairwise": _pairwise_table(trials, comparisons, chosen),
        "friedman": _friedman_table(trials, friedmans),
        "nemenyi": _nemenyi_table(trials, friedmans),
        "scores": _by_problem(trials, "Score by problem", score.per_problem, score.notes),
        "feasibility": _by_problem(
            trials, "Share of runs that end feasible", numbers.feasibility_rate
        ),
    }
    for name, values in numbers.metrics.items():
        tables[name] = metric_table(trials, name, values, comparisons[name])
    return Summary(chosen, score, numbers, comparisons, friedmans, tables)


def metric_table(trials: Trials, name: str, values: Floats, comparison: Comparison) -> Table:
    """Mean and standard deviation by problem, with the outcome of every test, as in the paper.

    `_w` is + where the reference is better at the level of the test, - where it is worse. The
    deviation is that of the sample itself (divided by n, as the paper's are).
    """
    order = [comparison.reference, *comparison.competitors.tolist()]
    mean, deviation = mean_and_deviation(values)
    columns = ["problem"]
    for i, a in enumerate(order):
        label = trials.algorithms[a]
        columns += [f"{label}_mean", f"{label}_sd"] + ([f"{label}_w"] if i else [])
    signs = {1: "+", 0: "=", -1: "-"}
    rows = []
    for j, problem in enumerate(trials.problems):
        row: list[Any] = [problem, mean[order[0], j], deviation[order[0], j]]
        for i, a in enumerate(order[1:]):
            known = not np.isnan(comparison.p[i, j])
            outcome = signs[int(comparison.outcome[i, j])] if known else ""
            row += [mean[a, j], deviation[a, j], outcome]
        rows.append(row)
    return Table.of(name.replace("_", " "), columns, rows, (RANK_SUM,))


def attainment_table(trials: Trials, targets: Any = None) -> Table:
    """Share of (problem, run, target) reached at parts of the budget, feasibility asked for."""
    result = attainment(trials, targets)
    parts = (0.01, 0.03, 0.1, 0.3, 1.0)
    at = [max(round(part * result.budget.size), 1) - 1 for part in parts]
    columns = ["algorithm", *(f"{100 * part:g} %" for part in parts)]
    rows = [(name, *result.ecdf[a, at]) for a, name in enumerate(trials.algorithms)]
    return Table.of("Targets reached by share of the budget", columns, rows)


def stability_table(trials: Trials, form: str = "target") -> Table:
    """How the ranking changes when one algorithm leaves the field."""
    result = leave_one_out(trials, form)
    rows = []
    for left, name in enumerate(trials.algorithms):
        stays = [int(a) for a in np.argsort(result.ranks[left], kind="stable") if a != left]
        order = ", ".join(trials.algorithms[a] for a in stays)
        rows.append((name, bool(result.changes[left]), order))
    return Table.of("Ranking without one algorithm", ("left_out", "changes", "ranking"), rows)


def mean_and_deviation(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation (divided by n) along the last axis; NaN is padding.

    An infinite value makes the mean infinite and the deviation NaN.
    """
    known = ~np.isnan(values)
    count = np.maximum(known.sum(axis=-1), 1)
    with np.errstate(invalid="ignore"):
        mean = np.where(known, values, 0.0).sum(axis=-1) / count
        square = np.where(known, values - mean[..., None], 0.0) ** 2
        deviation = np.sqrt(square.sum(axis=-1) / count)
    absent = ~known.any(axis=-1)
    return np.where(absent, np.nan, mean), np.where(absent, np.nan, deviation)


def _leaderboard(trials: Trials, score: Score, form: str, n_resamples: int, rng: Any) -> Table:
    """Algorithms by total score."""
    parts: dict[str, Floats]
    if isinstance(score, TargetScore):
        parts = {"uncorrected": score.uncorrected_total, **score.strata_total}
    else:
        kinds = {"accuracy": score.accuracy, "speed": score.speed}
        parts = {name: np.nansum(part, axis=1) for name, part in kinds.items()}
    columns: dict[str, Any] = {
        "rank": rank_algorithms(score.total),
        "algorithm": trials.algorithms,
        "total": score.total,
        "per_problem": score.total / np.maximum((score.counts > 0).sum(axis=1), 1),
        **parts,
        "rank_sum": score.rank_sum,
        "rank_mean": score.rank_mean,
    }
    notes = score.notes
    if isinstance(score, TargetScore):
        notes += ("speed, accuracy and constraint are parts of the uncorrected sum",)
    if n_resamples:
        spread = bootstrap(trials, form, n_resamples=n_resamples, rng=rng)
        columns |= {
            "total_low": spread.total_low,
            "total_high": spread.total_high,
            "rank_low": spread.rank_low,
            "rank_high": spread.rank_high,
        }
        notes += (f"limits: 95 % bootstrap intervals, {n_resamples} resamples of the runs",)
    order = np.argsort(-score.total, kind="stable")
    rows = [[values[a] for values in columns.values()] for a in order]
    return Table.of(_TITLES[form], columns, rows, notes)


def _score_ranks(trials: Trials, score: Score) -> Table:
    """Sum and mean of the ranks by score, and mean ranks by its parts, best first."""
    columns: dict[str, Any] = {
        "algorithm": trials.algorithms,
        "total_rank": score.rank_sum,
        "per_problem": score.rank_mean,
    }
    if isinstance(score, TargetScore):
        columns |= score.strata_rank_mean
    order = np.argsort(score.rank_mean, kind="stable")
    rows = [[values[a] for values in columns.values()] for a in order]
    return Table.of("Ranks by score (1 = best)", columns, rows, score.notes)


def _pairwise_table(trials: Trials, comparisons: Mapping[str, Comparison], reference: str) -> Table:
    """W/T/L, Holm's W/T/L and median A12 by metric and competitor."""
    columns = ("metric", "competitor", "win", "tie", "loss", "holm_win", "holm_tie", "holm_loss",
               "median_a12")  # fmt: skip
    rows = []
    for metric, result in comparisons.items():
        plain, corrected, effect = (
            result.win_tie_loss, result.win_tie_loss_holm, result.median_a12
        )  # fmt: skip
        for i, other in enumerate(result.competitors):
            rows.append((metric, trials.algorithms[other], *plain[i], *corrected[i], effect[i]))
    title = f"{reference} against each other algorithm: wins, ties and losses over the problems"
    notes = (RANK_SUM, "Holm's correction across the problems", "A12 above 0.5 favours the first")
    return Table.of(title, columns, rows, notes)


def _friedman_table(trials: Trials, results: Mapping[str, Friedman]) -> Table:
    """Friedman's test by metric, with average ranks."""
    columns = ("metric", "chi2", "df", "p", "critical_difference", *trials.algorithms)
    rows = [
        (metric, r.chi2, r.df, r.p, r.critical_difference, *r.average_ranks)
        for metric, r in results.items()
    ]
    notes = tuple(dict.fromkeys(note for r in results.values() for note in r.notes))
    return Table.of("Friedman tests on per-problem medians: average ranks", columns, rows, notes)


def _nemenyi_table(trials: Trials, results: Mapping[str, Friedman]) -> Table:
    """Nemenyi's p-value of every pair by metric."""
    names = trials.algorithms
    rows = [
        (metric, names[a], names[b], r.nemenyi[a, b])
        for metric, r in results.items()
        for a in range(len(names))
        for b in range(a)
    ]
    return Table.of("Nemenyi's test of every pair", ("metric", "first", "second", "p"), rows)


def _by_problem(trials: Trials, title: str, values: Floats, notes: tuple[str, ...] = ()) -> Table:
    """One row per problem, one column per algorithm."""
    rows = [(problem, *values[:, j]) for j, problem in enumerate(trials.problems)]
    return Table.of(title, ("problem", *trials.algorithms), rows, notes)
