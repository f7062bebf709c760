"""How sure a ranking is: bootstrap intervals, and the field with one algorithm left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rdex.scoring.arrays import (
    Bools,
    Floats,
    Ints,
    ProblemTraces,
    median,
    problem_traces,
    rank_algorithms,
)
from rdex.scoring.pairwise import pair_half_points
from rdex.scoring.target import HitSearch, end_positions, order_codes, rank_trials
from rdex.scoring.trials import Trials

SCORE_FORMS = ("target", "pairwise")


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Totals and their ranks over resampled runs; arrays are (algorithm,) unless said otherwise.

    Attributes
    ----------
    total, total_low, total_high : array
        Score of the field as it is, and the limits of the percentile interval.
    rank, rank_low, rank_high : array
        The same for the rank by total, 1 = best.
    first : array
        Share of resamples in which the algorithm is alone in first place.
    totals : (resample, algorithm) array
        All resampled totals.
    confidence : float
        Coverage of the intervals.
    """

    total: Floats
    total_low: Floats
    total_high: Floats
    rank: Floats
    rank_low: Floats
    rank_high: Floats
    first: Floats
    totals: Floats
    confidence: float


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The ranking without each algorithm in turn; row i is the field without algorithm i.

    Attributes
    ----------
    rank : (algorithm,) array
        Ranks in the whole field.
    totals, ranks : (left out, algorithm) array
        Scores and ranks of those that stay; NaN for the one left out.
    changes : (left out,) bool array
        Whether those that stay are in another order than in the whole field.
    """

    rank: Floats
    totals: Floats
    ranks: Floats
    changes: Bools


class _Scorer(Protocol):
    """One problem made ready for scoring many selections of its trials."""

    def scores(self, rows: Ints) -> Floats:
        """(selection, algorithm) scores of the trials rows (selection, trial)."""


def bootstrap(
    trials: Trials,
    form: str = "target",
    *,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: Any = 0,
) -> Bootstrap:
    """Percentile intervals of totals and ranks when runs are drawn again with replacement.

    Runs are drawn within every algorithm and problem; in the target form each resample has its own
    targets. The problems stay as they are: the intervals speak of other runs, not of other suites.

    Parameters
    ----------
    form : {"target", "pairwise"}
        Which score.
    rng : seed or numpy.random.Generator
        Anything `numpy.random.default_rng` takes; the default gives the same answer every time.
    """
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1, got {n_resamples}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    generator = np.random.default_rng(rng)
    m, p = trials.f.shape[:2]
    deciding_v = trials.deciding_v
    total, totals = np.zeros(m), np.zeros((n_resamples, m))
    for j in range(p):
        traces = problem_traces(trials.f, deciding_v, j)
        scorer = _scorer(form, traces)
        total += scorer.scores(np.arange(traces.f.shape[0])[None])[0]
        totals += scorer.scores(_resampled(traces, n_resamples, generator))
    ranks = rank_algorithms(totals.T).T
    tail = (1 - confidence) / 2
    return Bootstrap(
        total=total,
        total_low=np.quantile(totals, tail, axis=0),
        total_high=np.quantile(totals, 1 - tail, axis=0),
        rank=rank_algorithms(total),
        rank_low=np.quantile(ranks, tail, axis=0, method="inverted_cdf"),
        rank_high=np.quantile(ranks, 1 - tail, axis=0, method="inverted_cdf"),
        first=(ranks == 1).mean(axis=0),
        totals=totals,
        confidence=confidence,
    )


def leave_one_out(trials: Trials, form: str = "target") -> LeaveOneOut:
    """Score the field again without each algorithm in turn.

    Targets move and trials meet others, so an algorithm that leaves can reorder the rest.
    """
    m, p = trials.f.shape[:2]
    if m < 2:
        raise ValueError("leaving one out needs at least two algorithms")
    deciding_v = trials.deciding_v
    total, totals = np.zeros(m), np.zeros((m, m))
    for j in range(p):
        traces = problem_traces(trials.f, deciding_v, j)
        scorer = _scorer(form, traces)
        everyone = np.arange(traces.f.shape[0])
        total += scorer.scores(everyone[None])[0]
        for left in range(m):
            totals[left] += scorer.scores(everyone[None, traces.algorithm != left])[0]
    np.fill_diagonal(totals, np.nan)
    ranks = rank_algorithms(totals.T).T
    changes = np.zeros(m, dtype=bool)
    for left in range(m):
        stays = np.arange(m) != left
        changes[left] = (rank_algorithms(total[stays]) != ranks[left, stays]).any()
    return LeaveOneOut(rank_algorithms(total), totals, ranks, changes)


def _scorer(form: str, traces: ProblemTraces) -> _Scorer:
    """The problem made ready for one of the two scores."""
    if form not in SCORE_FORMS:
        raise ValueError(f"form of score must be one of {', '.join(SCORE_FORMS)}, got {form!r}")
    return _TargetScorer(traces) if form == "target" else _PairwiseScorer(traces)


class _TargetScorer:
    """Target form: every selection has its own target, so hits are searched in the traces."""

    def __init__(self, traces: ProblemTraces) -> None:
        self.traces = traces
        self.by_f, self.by_v = end_positions(traces.final_f), end_positions(traces.final_v)
        self.hits = HitSearch(traces)
        self.members = _members(traces)

    def scores(self, rows: Ints) -> Floats:
        feasible = self.traces.feasible[rows]
        final = self.traces.final_f[rows]
        targets = median(np.where(feasible, final, np.nan))
        stratum = np.where(feasible, np.where(final <= targets[:, None], 2, 1), 0)
        hits = np.take_along_axis(self.hits(targets).T, rows, axis=1)
        codes = order_codes(self.by_f[rows], self.by_v[rows], stratum, hits)
        ranks = rank_trials(codes)
        # A selection keeps each algorithm's trials at the same columns.
        members = self.members[rows[0]]
        counts = members.sum(axis=0)
        return ranks @ members - counts * (counts + 1) / 2


class _PairwiseScorer:
    """Pairwise form: points do not depend on the selection, only how often they count."""

    def __init__(self, traces: ProblemTraces) -> None:
        accuracy, speed = pair_half_points(traces)
        self.points = (accuracy.astype(np.float64) + speed) / 2
        self.members = _members(traces)

    def scores(self, rows: Ints) -> Floats:
        n = self.points.shape[0]
        shift = n * np.arange(rows.shape[0])[:, None]
        times = np.bincount((rows + shift).ravel(), minlength=n * rows.shape[0])
        times = times.reshape(rows.shape[0], n).astype(np.float64)
        # A trial shares both points with itself; that is no pair and is taken off again.
        earned = times * (times @ self.points.T - 1.0)
        return earned @ self.members


def _members(traces: ProblemTraces) -> Floats:
    """(trial, algorithm) 1 where the trial is the algorithm's, else 0."""
    return (traces.algorithm[:, None] == np.arange(traces.n_algorithms)).astype(np.float64)


def _resampled(traces: ProblemTraces, n_resamples: int, generator: np.random.Generator) -> Ints:
    """(resample, trial) rows drawn with replacement within every algorithm."""
    counts = traces.counts[traces.algorithm]
    first = np.searchsorted(traces.algorithm, traces.algorithm)
    drawn = generator.random((n_resamples, counts.size)) * counts
    return first + drawn.astype(np.int64)
