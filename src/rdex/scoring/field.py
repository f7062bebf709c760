"""What every score of a field of algorithms offers, whatever the points are given for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rdex.scoring.arrays import Floats, Ints, rank_algorithms


@dataclass(frozen=True, eq=False)
class FieldScore:
    """Points of algorithms on problems, and what follows from them. Larger is better.

    Attributes
    ----------
    per_problem : (algorithm, problem) array
        The score; NaN where the algorithm has no runs.
    counts : (algorithm, problem) int array
        Numbers of runs.
    notes : tuple of str
        What a reader must know: missing runs, different numbers of runs.
    """

    per_problem: Floats
    counts: Ints
    notes: tuple[str, ...]

    @property
    def total(self) -> Floats:
        """(algorithm,) score summed over the problems."""
        return np.nansum(self.per_problem, axis=1)

    @property
    def ranks(self) -> Floats:
        """(algorithm, problem) ranks of the algorithms by `per_problem`; 1 is best."""
        return rank_algorithms(self.per_problem)

    @property
    def rank_sum(self) -> Floats:
        """(algorithm,) ranks added over the problems."""
        return np.nansum(self.ranks, axis=1)

    @property
    def rank_mean(self) -> Floats:
        """(algorithm,) mean rank over the problems on which the algorithm has runs."""
        return mean_over_problems(self.ranks)


def mean_over_problems(values: Floats) -> Floats:
    """Mean along the second axis over the problems present; NaN where there are none."""
    present = ~np.isnan(values)
    count = present.sum(axis=1)
    total = np.where(present, values, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
