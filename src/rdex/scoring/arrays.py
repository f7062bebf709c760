"""What every score does first: check the two trace arrays and take one problem out of them.

Arrays are (algorithm, problem, run, checkpoint). A run whose f and v are NaN throughout is padding:
algorithms may have different numbers of runs, or none on a problem. f may be NaN where v > 0
(nothing feasible yet, nothing recorded); elsewhere NaN is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ProblemTraces:
    """All trials on one problem, padding left out: one row a trial.

    Attributes
    ----------
    f, v : (trial, checkpoint) array
        Best-so-far objective and violation.
    algorithm, run : (trial,) array
        Where each trial stood in the full arrays.
    n_algorithms : int
        Number of algorithms in the field, present on this problem or not.
    """

    f: Floats
    v: Floats
    algorithm: Ints
    run: Ints
    n_algorithms: int

    @property
    def final_f(self) -> Floats:
        """Objective at the last checkpoint, as recorded."""
        return self.f[:, -1]

    @property
    def final_v(self) -> Floats:
        """Violation at the last checkpoint."""
        return self.v[:, -1]

    @property
    def feasible(self) -> Bools:
        """Whether each trial ends with a violation of exactly zero."""
        return self.v[:, -1] == 0

    def sum_by_algorithm(self, values: ArrayLike) -> Floats:
        """Sum over each algorithm's trials; 0 where it has none."""
        weights = np.asarray(values, dtype=np.float64)
        total = np.zeros(self.n_algorithms)
        np.add.at(total, self.algorithm, weights)
        return total

    @property
    def counts(self) -> Ints:
        """Number of trials of each algorithm."""
        return np.bincount(self.algorithm, minlength=self.n_algorithms)


def checked_traces(f: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
    """Both arrays as float64 of one 4-D shape without empty axes, or a ValueError."""
    objective = np.asarray(f, dtype=np.float64)
    violation = np.asarray(v, dtype=np.float64)
    if objective.ndim != 4 or 0 in objective.shape:
        raise ValueError(
            "f must have the non-empty shape (algorithm, problem, run, checkpoint), "
            f"got {objective.shape}"
        )
    if violation.shape != objective.shape:
        raise ValueError(f"v must have the shape of f, {objective.shape}, got {violation.shape}")
    return objective, violation


def problem_traces(
    f: Floats, v: Floats, problem: int, cutoff: float | None = None
) -> ProblemTraces:
    """The trials on one problem, checked, with |f| < cutoff set to zero."""
    m, _, n, k = f.shape
    rows_f = np.ascontiguousarray(f[:, problem]).reshape(m * n, k)
    rows_v = np.ascontiguousarray(v[:, problem]).reshape(m * n, k)
    no_v = np.isnan(rows_v)
    # Testing the last checkpoint first spares looking for NaN in f where no run is padded.
    absent = no_v[:, -1].copy()
    if absent.any():
        absent[absent] = no_v[absent].all(axis=1) & np.isnan(rows_f[absent]).all(axis=1)
    position = np.flatnonzero(~absent)
    if absent.any():
        rows_f, rows_v, no_v = rows_f[position], rows_v[position], no_v[position]
    _refuse_nan_and_negative(rows_f, rows_v, no_v, position, problem, n)
    return ProblemTraces(cut_off(rows_f, cutoff), rows_v, position // n, position % n, m)


def _refuse_nan_and_negative(
    f: Floats, v: Floats, no_v: Bools, position: Ints, problem: int, n: int
) -> None:
    """Raise for values that have no meaning, naming the first trial that holds one."""
    tests = (
        (no_v, "the violation is NaN at some checkpoints only"),
        (
            v < 0,
            "the violation is negative: signed sums decide feasibility only where that is asked "
            "for (Trials.prepared(as_published=True))",
        ),
        (np.isnan(f) & (v == 0), "f is NaN at a feasible checkpoint"),
    )
    for wrong, message in tests:
        bad = wrong.any(axis=1)
        if bad.any():
            where = int(position[np.argmax(bad)])
            raise ValueError(
                f"algorithm {where // n}, problem {problem}, run {where % n}: {message}"
            )


def cut_off(f: Floats, cutoff: float | None) -> Floats:
    """`f` with |f| < cutoff set to zero; the same array where there is no cut-off."""
    if cutoff is None:
        return f
    if not cutoff >= 0:
        raise ValueError(f"cutoff must be None or a number >= 0, got {cutoff!r}")
    return np.where(np.abs(f) < cutoff, 0.0, f)


def median(values: ArrayLike) -> Floats:
    """`numpy.nanmedian` along the last axis, defined for infinite values and without overflow.

    NaN is padding; the median of nothing is NaN. Where just one of the two middle values is
    infinite, or they are -inf and +inf, the answer is the lower one.

    Examples
    --------
    >>> median([[3.0, 1.0, np.nan], [np.inf, 1.0, 2.0]]).tolist()
    [2.0, 2.0]
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64), axis=-1)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=-1, keepdims=True)
    if ordered.shape[-1] == 0:
        return np.full(ordered.shape[:-1], np.nan)
    low = np.take_along_axis(ordered, np.maximum(count - 1, 0) // 2, axis=-1)[..., 0]
    high = np.take_along_axis(ordered, np.minimum(count // 2, ordered.shape[-1] - 1), axis=-1)
    high = high[..., 0]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (low + high) / 2
        middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
    return np.where((low == high) | ~np.isfinite(middle), low, middle)


def rank_algorithms(scores: ArrayLike, largest_first: bool = True) -> Floats:
    """Ranks along the first axis, 1 = best, ties sharing the mean rank, NaN left NaN.

    Examples
    --------
    >>> rank_algorithms([24.0, 19.0, 5.0, 19.0]).tolist()
    [1.0, 2.5, 4.0, 2.5]
    """
    values = np.asarray(scores, dtype=np.float64).T
    return mean_ranks(-values if largest_first else values).T


def mean_ranks(values: NDArray[Any]) -> Floats:
    """Ranks along the last axis, 1 = smallest, ties sharing the mean rank, NaN left NaN."""
    order = np.argsort(values, axis=-1, kind="stable")  # NaN last
    ordered = np.take_along_axis(values, order, axis=-1)
    places = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    differs = ordered[..., 1:] != ordered[..., :-1]
    edge = np.ones((*values.shape[:-1], 1), dtype=bool)
    first = np.maximum.accumulate(
        np.where(np.concatenate([edge, differs], axis=-1), places, 0), axis=-1
    )
    ends = np.where(np.concatenate([differs, edge], axis=-1), places, values.shape[-1])
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2.0 + 1.0, axis=-1)
    return np.where(np.isnan(values), np.nan, ranks)


def count_notes(
    counts: Ints, names: Sequence[str] | None = None, problems: Sequence[str] | None = None
) -> tuple[str, ...]:
    """Sentences on runs that are missing; counts is (algorithm, problem)."""
    called = names or [f"algorithm {a}" for a in range(counts.shape[0])]
    notes = []
    for a in np.flatnonzero((counts == 0).any(axis=1)).tolist():
        missing = np.flatnonzero(counts[a] == 0).tolist()
        which = f" ({', '.join(problems[p] for p in missing)})" if problems else ""
        notes.append(
            f"{called[a]} has no runs on {len(missing)} of {counts.shape[1]} problems{which}: its "
            "totals and mean ranks cover the others only"
        )
    present = counts[counts > 0]
    if present.size and present.min() != present.max():
        notes.append(
            f"numbers of runs differ ({present.min()} to {present.max()}): "
            "more runs earn more points, so totals do not compare"
        )
    empty = int((counts == 0).all(axis=0).sum())
    if empty:
        notes.append(f"{empty} problems have no runs at all")
    return tuple(notes)
