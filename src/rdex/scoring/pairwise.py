"""The score of the 2026 competition: every pair of trials shares an accuracy and a speed point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.jit.loading import find_kernel
from rdex.scoring.arrays import (
    Floats,
    ProblemTraces,
    checked_traces,
    count_notes,
    problem_traces,
)
from rdex.scoring.field import FieldScore


@dataclass(frozen=True, eq=False)
class PairwiseScore(FieldScore):
    """Pairwise scores of a field of algorithms. Larger is better; ranks: 1 is best.

    Attributes
    ----------
    per_problem : (algorithm, problem) array
        Accuracy plus speed points; NaN where the algorithm has no runs.
    accuracy, speed : (algorithm, problem) array
        Points of either kind.
    accuracy_points, speed_points : (algorithm, problem, run) array
        The same for single trials; NaN for padding.
    counts : (algorithm, problem) int array
        Numbers of runs.
    notes : tuple of str
        What a reader must know: missing runs, different numbers of runs.
    """

    accuracy: Floats
    speed: Floats
    accuracy_points: Floats
    speed_points: Floats


def pairwise_score(f: ArrayLike, v: ArrayLike, cutoff: float | None = None) -> PairwiseScore:
    """Score trials by the rules of the 2026 competition.

    Every two trials on a problem, also of the same algorithm, share one accuracy point and one
    speed point. Accuracy: the better end, feasibility first. Speed: the trial that reached the
    worse of the two ends at the earlier checkpoint. Equal: one half each.

    Parameters
    ----------
    f, v : (algorithm, problem, run, checkpoint) array
        Best-so-far objective and violation, feasibility first. Runs that are NaN throughout pad
        unequal numbers of runs.
    cutoff : float, optional
        |f| below it counts as zero; the rules say 1e-8.

    Raises
    ------
    ValueError
        For other shapes, negative violations, and NaN that is not padding.

    Examples
    --------
    >>> f = [[[[3, 2, 1], [3, 1, 1]]], [[[4, 3, 2], [5, 4, 3]]]]
    >>> score = pairwise_score(f, np.zeros((2, 1, 2, 3)))
    >>> score.accuracy.ravel().tolist(), score.speed.ravel().tolist(), score.total.tolist()
    ([5.0, 1.0], [5.0, 1.0], [10.0, 2.0])
    """
    objective, violation = checked_traces(f, v)
    m, p, n, _ = objective.shape
    points = np.full((2, m, p, n), np.nan)
    sums = np.full((2, m, p), np.nan)
    counts = np.zeros((m, p), dtype=np.int64)
    for j in range(p):
        trials = problem_traces(objective, violation, j, cutoff)
        counts[:, j] = trials.counts
        for kind, halves in enumerate(pair_half_points(trials)):
            # The trial's half point against itself is not a pair.
            earned = (halves.sum(axis=1, dtype=np.int64) - 1) / 2
            points[kind, trials.algorithm, j, trials.run] = earned
            sums[kind, :, j] = trials.sum_by_algorithm(earned)
    sums[:, counts == 0] = np.nan
    return PairwiseScore(
        per_problem=sums[0] + sums[1],
        accuracy=sums[0],
        speed=sums[1],
        accuracy_points=points[0],
        speed_points=points[1],
        counts=counts,
        notes=count_notes(counts),
    )


def pair_half_points(trials: ProblemTraces) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Accuracy and speed half points (trial, trial) of rows against columns; 1 on the diagonal."""
    n = trials.f.shape[0]
    objective = np.where(trials.feasible, trials.final_f, 0.0)
    order = np.lexsort((-objective, -trials.final_v))
    accuracy, speed = np.empty((n, n), dtype=np.int8), np.empty((n, n), dtype=np.int8)
    f, v = (np.require(values, np.float64, ["C", "W"]) for values in (trials.f, trials.v))
    half_points = find_kernel("rdex.scoring.kernels:half_points", weight=(f.size + n * n) // 1000)
    half_points(f, v, order, np.empty(n, dtype=np.int64), accuracy, speed)
    return accuracy, speed
