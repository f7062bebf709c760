"""U-score, target form: the ranking of the 2024 and 2025 competitions.

Price, Kumar, Suganthan: "Trial-based dominance for comparing both the speed and accuracy of
stochastic optimizers with standard non-parametric tests", 2023. On every problem all trials are
put in one order: infeasible ones by violation, above them feasible ones that miss the target by
objective, above them those that reach it by the checkpoint at which they do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.scoring.arrays import (
    Bools,
    Floats,
    Ints,
    ProblemTraces,
    checked_traces,
    count_notes,
    mean_ranks,
    median,
    problem_traces,
    rank_algorithms,
)
from rdex.scoring.field import FieldScore, mean_over_problems

#: Strata from worst to best, as numbered in `TargetScore.stratum`.
STRATA = ("constraint", "accuracy", "speed")


@dataclass(frozen=True, eq=False)
class TargetScore(FieldScore):
    """U-scores of a field of algorithms. Larger is better; ranks: 1 is best.

    Attributes
    ----------
    per_problem : (algorithm, problem) array
        Sum of trial ranks minus n(n + 1)/2; NaN where the algorithm has no runs.
    uncorrected : (algorithm, problem) array
        Sum of trial ranks.
    speed, accuracy, constraint : (algorithm, problem) array
        The part of `uncorrected` earned in each stratum.
    targets : (problem,) array
        Median final f of the feasible trials; of all trials where none is feasible.
    no_feasible : (problem,) bool array
        Where no trial is feasible, so that the target serves indicators only.
    trial_ranks : (algorithm, problem, run) array
        Rank of every trial, largest is best; NaN for padding.
    stratum : (algorithm, problem, run) int array
        Index into `STRATA`; -1 for padding.
    hit : (algorithm, problem, run) int array
        First checkpoint (from 1) feasible at or below the target; K + 1 if never, 0 for padding.
    counts : (algorithm, problem) int array
        Numbers of runs.
    notes : tuple of str
        What a reader must know: missing runs, different numbers of runs, no feasible trial.
    """

    uncorrected: Floats
    speed: Floats
    accuracy: Floats
    constraint: Floats
    targets: Floats
    no_feasible: Bools
    trial_ranks: Floats
    stratum: Ints
    hit: Ints

    @property
    def uncorrected_total(self) -> Floats:
        """(algorithm,) sum of all trial ranks."""
        return np.nansum(self.uncorrected, axis=1)

    @property
    def strata(self) -> Mapping[str, Floats]:
        """Stratum name -> (algorithm, problem) uncorrected sums."""
        return {"speed": self.speed, "accuracy": self.accuracy, "constraint": self.constraint}

    @property
    def strata_total(self) -> Mapping[str, Floats]:
        """Stratum name -> (algorithm,) uncorrected sums over the problems."""
        return {name: np.nansum(part, axis=1) for name, part in self.strata.items()}

    @property
    def strata_rank_mean(self) -> Mapping[str, Floats]:
        """Stratum name -> (algorithm,) mean over the problems of the ranks by that sum."""
        return {n: mean_over_problems(rank_algorithms(part)) for n, part in self.strata.items()}


def target_score(f: ArrayLike, v: ArrayLike, *, cutoff: float | None = None) -> TargetScore:
    """Score trials by the target form of the U-score.

    Parameters
    ----------
    f, v : (algorithm, problem, run, checkpoint) array
        Best-so-far objective and violation, feasibility first. Runs that are NaN throughout pad
        unequal numbers of runs.
    cutoff : float, optional
        |f| below it counts as zero.

    Raises
    ------
    ValueError
        For other shapes, negative violations, and NaN that is not padding.

    Examples
    --------
    Two algorithms, one problem, two runs, three checkpoints; all points feasible:

    >>> f = [[[[3, 2, 1], [3, 1, 1]]], [[[4, 3, 2], [5, 4, 3]]]]
    >>> score = target_score(f, np.zeros((2, 1, 2, 3)))
    >>> score.targets.tolist(), score.trial_ranks[:, 0].tolist(), score.total.tolist()
    ([1.5], [[3.0, 4.0], [2.0, 1.0]], [4.0, 0.0])
    """
    objective, violation = checked_traces(f, v)
    m, p, n, _ = objective.shape
    ranks = np.full((m, p, n), np.nan)
    stratum = np.full((m, p, n), -1, dtype=np.int64)
    hit = np.zeros((m, p, n), dtype=np.int64)
    parts = np.full((3, m, p), np.nan)
    counts = np.zeros((m, p), dtype=np.int64)
    targets = np.full(p, np.nan)
    no_feasible = np.zeros(p, dtype=bool)
    for j in range(p):
        trials = problem_traces(objective, violation, j, cutoff)
        counts[:, j] = trials.counts
        targets[j] = target_value(trials)
        no_feasible[j] = not trials.feasible.any()
        hits = first_hits(trials, targets[j])
        strata = strata_of(trials, targets[j])
        by_f, by_v = end_positions(trials.final_f), end_positions(trials.final_v)
        values = rank_trials(order_codes(by_f, by_v, strata, hits))
        at = trials.algorithm, j, trials.run
        ranks[at], stratum[at], hit[at] = values, strata, hits
        for s in range(3):
            parts[s, :, j] = trials.sum_by_algorithm(np.where(strata == s, values, 0.0))
    parts[:, counts == 0] = np.nan
    uncorrected = parts.sum(axis=0)
    notes = count_notes(counts)
    if no_feasible.any():
        notes += (f"no trial is feasible on {int(no_feasible.sum())} of {p} problems",)
    return TargetScore(
        per_problem=uncorrected - counts * (counts + 1) / 2,
        uncorrected=uncorrected,
        constraint=parts[0],
        accuracy=parts[1],
        speed=parts[2],
        targets=targets,
        no_feasible=no_feasible,
        trial_ranks=ranks,
        stratum=stratum,
        hit=hit,
        counts=counts,
        notes=notes,
    )


def target_value(trials: ProblemTraces) -> float:
    """Median final f of the feasible trials; of all that have an f where none is feasible."""
    final = trials.final_f
    return float(median(final[trials.feasible] if trials.feasible.any() else final))


def first_hits(trials: ProblemTraces, target: float, feasible_only: bool = True) -> Ints:
    """First checkpoint (from 1) with f <= target, and v = 0 if asked; K + 1 if there is none."""
    reached = trials.f <= target
    if feasible_only:
        reached &= trials.v == 0
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, reached.shape[1] + 1)


class HitSearch:
    """First feasible checkpoints at or below many targets, each trace prepared once."""

    def __init__(self, trials: ProblemTraces) -> None:
        feasible = trials.v == 0
        # Sorted upwards: minus the best feasible f so far.
        self.climb = -np.minimum.accumulate(np.where(feasible, trials.f, np.inf), axis=1)
        last = trials.f.shape[1]
        self.start = np.where(feasible.any(axis=1), feasible.argmax(axis=1), last)

    def __call__(self, targets: Floats) -> Ints:
        """(trial, target) checkpoints from 1; K + 1 if never. A NaN target is never reached."""
        found = [np.searchsorted(row, -targets) for row in self.climb]
        places = np.array(found, dtype=np.int64).reshape(len(found), targets.size)
        # Not yet feasible counts as f = inf above, which a target of +inf must not accept.
        return 1 + np.maximum(places, self.start[:, None])


def strata_of(trials: ProblemTraces, target: float) -> Ints:
    """Index into `STRATA` for every trial."""
    return np.where(trials.feasible, np.where(trials.final_f <= target, 2, 1), 0)


def end_positions(values: Floats) -> Ints:
    """Place of every value among the distinct ones, 0 = smallest; equal values share a place."""
    return np.unique(values, return_inverse=True)[1].reshape(values.shape)


def order_codes(by_f: Ints, by_v: Ints, stratum: Ints, hit: Ints) -> Ints:
    """Whole numbers that order trials as the score does: larger is better, equal is a tie.

    by_f, by_v are the `end_positions` of final f and v. Axes before the last are resamples.
    """
    within = np.choose(stratum, (by_v, by_f, hit))
    return stratum * (1 + within.max(initial=0)) - within


def rank_trials(codes: NDArray[np.int64]) -> Floats:
    """Ranks along the last axis, 1 = smallest code, ties sharing the mean rank."""
    return mean_ranks(codes)
