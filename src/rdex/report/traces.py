"""Traces made small: some checkpoints, and of all runs the quartiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rdex.scoring import Trials
from rdex.scoring.arrays import Floats, Ints

#: Checkpoints kept of a trace.
MOST_CHECKPOINTS = 150

QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, eq=False)
class Bands:
    """How the runs of all algorithms went on one problem, at the checkpoints kept.

    Attributes
    ----------
    nfev : (checkpoint,) array
        Evaluations.
    best : float
        Best feasible final f of the field; NaN where no run ends feasible.
    f, v : (algorithm, quartile, checkpoint) array
        Lower quartile, median, upper quartile of objective and violation. A run that is not
        feasible has f = inf: it is worse than any feasible one, so that the median is finite
        once half of the runs are feasible.
    feasible : (algorithm, checkpoint) array
        Share of feasible runs; NaN without runs.
    """

    nfev: Ints
    best: float
    f: Floats
    v: Floats
    feasible: Floats


def kept_checkpoints(k: int, most: int = MOST_CHECKPOINTS) -> Ints:
    """Indices of at most `most` of `k` checkpoints, first and last among them.

    Half of them evenly spaced, half denser towards the start, where traces move most.
    """
    if k <= most:
        return np.arange(k)
    even = np.linspace(0, k - 1, most - most // 2)
    early = np.geomspace(1, k, most // 2) - 1
    return np.unique(np.round(np.r_[even, early]).astype(np.int64))


def bands(trials: Trials, problem: int) -> Bands:
    """The quartiles of every algorithm on one problem."""
    at = kept_checkpoints(trials.n_checkpoints)
    v = trials.deciding_v[:, problem][..., at]
    present = ~np.isnan(v)
    feasible = v == 0
    f = np.where(feasible, trials.f[:, problem][..., at], np.where(present, np.inf, np.nan))
    ends = f[..., -1]
    best = np.min(ends, where=~np.isnan(ends), initial=np.inf)
    counts = present[..., -1].sum(axis=1)[:, None]
    share = np.where(counts > 0, feasible.sum(axis=1) / np.maximum(counts, 1), np.nan)
    return Bands(
        trials.evaluations[problem][at],
        float(best) if best < np.inf else float("nan"),
        quartiles(f),
        quartiles(v),
        share,
    )


def quartiles(values: Floats) -> Floats:
    """(algorithm, quartile, checkpoint) of values (algorithm, run, checkpoint); NaN is padding.

    Between two runs values are interpolated, as `numpy.quantile` does; beside an infinite one
    the result is infinite.
    """
    ordered = np.sort(values, axis=1)  # NaN last
    last = (~np.isnan(ordered)).sum(axis=1, keepdims=True) - 1
    parts = []
    for q in QUARTILES:
        place = q * np.maximum(last, 0)
        low = np.floor(place).astype(np.int64)
        weight = place - low
        below = np.take_along_axis(ordered, low, axis=1)
        above = np.take_along_axis(ordered, np.ceil(place).astype(np.int64), axis=1)
        with np.errstate(invalid="ignore", over="ignore"):
            between = below + (above - below) * weight
        parts.append(np.where((weight == 0) | (above == below), below, between)[:, 0])
    return np.where(last[:, 0][:, None] < 0, np.nan, np.stack(parts, axis=1))
