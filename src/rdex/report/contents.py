"""Everything a report on a campaign shows, computed once: the page, tables and figures draw it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rdex.common.extras import require
from rdex.engine.settings import LABELS
from rdex.report.cost import Cost, cost_of
from rdex.report.traces import Bands, bands
from rdex.scoring import (
    Attainment,
    Summary,
    Table,
    Trials,
    attainment,
    compare,
    leaderboard,
    summary,
    trials_from_stores,
)
from rdex.scoring.arrays import Floats
from rdex.scoring.summary import score_trials
from rdex.store import Dataset, load

#: Metric -> its name in the paper's tables.
METRICS = {
    "final_quality": "Final Q",
    "time_to_target": "TTT",
    "final_objective": "Final Obj.",
    "final_violation": "Final CV",
    "auc": "AUC",
}


@dataclass(frozen=True)
class Options:
    """How trials are scored; the same words, with the same defaults, as of `rdex bench score`.

    Attributes
    ----------
    reference : str or None
        The algorithm the others are compared with; the leader by default.
    cutoff : float
        |f| below it counts as zero; 0 for none.
    digits : int or None
        Significant digits traces are rounded to.
    as_published : bool
        Let signed sums of violations decide feasibility.
    resamples : int
        Bootstrap resamples for limits in the leaderboards.
    """

    reference: str | None = None
    cutoff: float = 1e-8
    digits: int | None = None
    as_published: bool = False
    resamples: int = 0

    def sentence(self) -> str:
        """The options in words."""
        parts = [f"|f| < {self.cutoff:g} counts as 0" if self.cutoff else "no cut-off of f"]
        if self.digits is not None:
            parts.append(f"traces rounded to {self.digits} significant digits")
        if self.as_published:
            parts.append("signed sums of constraints decide feasibility, as published")
        return "; ".join(parts)


@dataclass(frozen=True, eq=False)
class Matrix:
    """Every algorithm (row) against every other (column) by one metric.

    Attributes
    ----------
    wins, ties, losses : (algorithm, algorithm) int array
        Problems on which the rank-sum test favours the row, neither, the column.
    a12 : (algorithm, algorithm) array
        Median over the problems of the chance that the row is better; 0.5 on the diagonal.
    """

    wins: Floats
    ties: Floats
    losses: Floats
    a12: Floats


@dataclass(frozen=True, eq=False)
class Contents:
    """What is shown.

    Attributes
    ----------
    datasets : tuple of Dataset
        The stores, for settings, seeds and versions.
    raw, trials : Trials
        The field as stored, and as prepared for scoring.
    options : Options
        How it was prepared and scored.
    target : Summary
        Scored by targets, with all tables of `rdex bench score`.
    pairwise : Table
        The leaderboard of the 2026 rules.
    ranks : mapping of str to (algorithm, problem) array
        Per-problem ranks by "target" and "pairwise" score.
    attainment : Attainment
        When targets were reached.
    matrices : mapping of str to Matrix
        By metric.
    bands : tuple of Bands
        By problem.
    cost : Cost
        Targets reached over evaluations per variable.
    """

    datasets: tuple[Dataset, ...]
    raw: Trials
    trials: Trials
    options: Options
    target: Summary
    pairwise: Table
    ranks: Mapping[str, Floats]
    attainment: Attainment
    matrices: Mapping[str, Matrix]
    bands: tuple[Bands, ...]
    cost: Cost

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Their names in the order of the arrays."""
        return self.trials.algorithms

    @property
    def problems(self) -> tuple[str, ...]:
        """Their names in the order of the arrays."""
        return self.trials.problems


def collect(folders: Sequence[str | os.PathLike[str]], options: Options) -> Contents:
    """Read stores, score and test them.

    Raises
    ------
    ValueError
        Where the stores do not go together, or no algorithm has the name of the reference.
    """
    datasets = tuple(load(folder) for folder in folders)
    raw = trials_from_stores(datasets)
    return contents_of(raw, options, datasets)


def contents_of(raw: Trials, options: Options, datasets: Sequence[Dataset] = ()) -> Contents:
    """Score and test a field."""
    trials = raw.prepared(
        cutoff=options.cutoff or None, digits=options.digits, as_published=options.as_published
    )
    target = summary(trials, options.reference, "target", n_resamples=options.resamples)
    reached = attainment(trials)
    pairs = score_trials(trials, "pairwise")
    return Contents(
        datasets=tuple(datasets),
        raw=raw,
        trials=trials,
        options=options,
        target=target,
        pairwise=leaderboard(trials, "pairwise", n_resamples=options.resamples, score=pairs),
        ranks={"target": target.score.ranks, "pairwise": pairs.ranks},
        attainment=reached,
        matrices={name: matrix(x) for name, x in target.indicators.metrics.items()},
        bands=tuple(bands(trials, j) for j in range(len(trials.problems))),
        cost=cost_of(trials, reached, datasets),
    )


def matrix(values: Floats) -> Matrix:
    """All pairs by one metric (algorithm, problem, run); each pair is tested once."""
    m = values.shape[0]
    wins, ties, losses = (np.zeros((m, m)) for _ in range(3))
    effect = np.full((m, m), 0.5)
    for a in range(m - 1):
        result = compare(values[a:], 0)
        later = slice(a + 1, m)
        won, tied, lost = result.win_tie_loss.T
        wins[a, later], ties[a, later], losses[a, later] = won, tied, lost
        wins[later, a], ties[later, a], losses[later, a] = lost, tied, won
        effect[a, later] = result.median_a12
        effect[later, a] = 1 - result.median_a12
    return Matrix(wins, ties, losses, effect)


def run_rows(datasets: Sequence[Dataset]) -> list[dict[str, Any]]:
    """One dict per run: what names it, its seed, settings, versions and outcome."""
    names = ("algorithm", "problem_id", "suite", "problem", "dim", "edition", "instance", "run",
             "maxfev", "checkpoints", "rng", "seed_key", "form", "nfev", "final_f", "final_v",
             "first_feasible", "n_failed", "settings", "versions", "cpu", "origin", "started",
             "wall_time")  # fmt: skip
    rows: list[dict[str, Any]] = []
    pyarrow = require("pyarrow", "bench")
    for data in datasets:
        table = data.arrow.select(names)
        # Times without a zone, which is UTC: Arrow imports pandas for one.
        times = table["started"].combine_chunks().view(pyarrow.timestamp("us"))
        table = table.set_column(names.index("started"), "started", times)
        rows += table.to_pylist()
    for row in rows:
        row["algorithm"] = LABELS.get(row["algorithm"], row["algorithm"])
    return rows
