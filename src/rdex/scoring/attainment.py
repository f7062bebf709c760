"""Several targets: expected running time, and shares of targets reached over the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rdex.scoring.arrays import Floats, Ints, problem_traces
from rdex.scoring.target import HitSearch
from rdex.scoring.trials import Trials

#: Distances above the best known value, from loose to tight.
PRECISIONS = tuple(10.0**e for e in range(3, -9, -1))


@dataclass(frozen=True, eq=False)
class Attainment:
    """When trials reach targets, feasibility asked for.

    Attributes
    ----------
    targets : (problem, target) array
        Values of f to be reached; NaN targets cannot be reached and do not count.
    hits : (algorithm, problem, run, target) int array
        First checkpoint (from 1); K + 1 if never, 0 for padding.
    ert : (algorithm, problem, target) array
        Expected running time: evaluations of all runs (to the target, or to the end) for every
        run that reached it; inf where none did, NaN without runs.
    success : (algorithm, problem, target) array
        Share of runs that reached the target.
    budget : (checkpoint,) array
        Shares of the budget, 1/K to 1.
    ecdf : (algorithm, checkpoint) array
        Share of all (problem, run, target) triples reached by then, problems weighing the same.
    """

    targets: Floats
    hits: Ints
    ert: Floats
    success: Floats
    budget: Floats
    ecdf: Floats


def attainment(trials: Trials, targets: ArrayLike | None = None) -> Attainment:
    """Hitting times of several targets a problem, with ERT and ECDF.

    Parameters
    ----------
    trials : Trials
        The field.
    targets : (problem, target) array, optional
        By default `spread_targets` of the field.
    """
    goals = spread_targets(trials) if targets is None else np.asarray(targets, dtype=np.float64)
    m, p, n, k = trials.f.shape
    if goals.ndim != 2 or goals.shape[0] != p or goals.shape[1] == 0:
        raise ValueError(f"targets must have shape ({p}, number of targets), got {goals.shape}")
    deciding_v = trials.deciding_v
    hits = np.zeros((m, p, n, goals.shape[1]), dtype=np.int64)
    for j in range(p):
        traces = problem_traces(trials.f, deciding_v, j)
        hits[traces.algorithm, j, traces.run] = HitSearch(traces)(goals[j])
    return Attainment(
        targets=goals,
        hits=hits,
        ert=_expected_running_time(hits, trials.evaluations),
        success=_success(hits, k),
        budget=np.arange(1, k + 1) / k,
        ecdf=_shares_reached(hits, goals, k),
    )


def reached_by_cost(
    result: Attainment, cost: Floats, grid: Floats, problems: Sequence[int] | None = None
) -> Floats:
    """(algorithm, grid) share of runs and targets reached at each cost, problems weighing the same.

    Parameters
    ----------
    result : Attainment
    cost : (problem, checkpoint) array
        What a checkpoint costs, such as evaluations per variable.
    grid : (n,) array
        Costs in rising order.
    problems : sequence of int, optional
        Which problems; all by default.
    """
    k = result.budget.size
    chosen = range(len(result.targets)) if problems is None else problems
    total = np.zeros((result.hits.shape[0], grid.size))
    counts = np.zeros((result.hits.shape[0], 1))
    for a in range(total.shape[0]):
        for j in chosen:
            hits = result.hits[a, j][:, ~np.isnan(result.targets[j])]
            hits = hits[hits > 0]
            if hits.size:
                paid = np.sort(cost[j][hits[hits <= k] - 1])
                total[a] += np.searchsorted(paid, grid, side="right") / hits.size
                counts[a] += 1
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


def spread_targets(trials: Trials, precisions: ArrayLike = PRECISIONS) -> Floats:
    """(problem, target) best feasible final f of the field plus each precision.

    NaN on problems where no trial ends feasible.
    """
    final = np.where(trials.deciding_v[..., -1] == 0, trials.f[..., -1], np.inf)
    best = final.min(axis=(0, 2))
    best = np.where(np.isposinf(best), np.nan, best)
    return best[:, None] + np.asarray(precisions, dtype=np.float64)


def _expected_running_time(hits: Ints, evaluations: Ints) -> Floats:
    """(algorithm, problem, target) evaluations spent for every success."""
    k = evaluations.shape[1]
    present = hits > 0
    spent = np.zeros(hits.shape)
    for j in range(hits.shape[1]):
        at = np.clip(hits[:, j], 1, k) - 1
        spent[:, j] = np.where(present[:, j], evaluations[j][at], 0)
    successes = (present & (hits <= k)).sum(axis=2)
    total = spent.sum(axis=2)
    expected = np.where(successes > 0, total / np.maximum(successes, 1), np.inf)
    return np.where(present.any(axis=2), expected, np.nan)


def _success(hits: Ints, k: int) -> Floats:
    """(algorithm, problem, target) share of runs that reached the target."""
    runs = (hits > 0).sum(axis=2)
    reached = ((hits > 0) & (hits <= k)).sum(axis=2)
    return np.where(runs > 0, reached / np.maximum(runs, 1), np.nan)


def _shares_reached(hits: Ints, targets: Floats, k: int) -> Floats:
    """(algorithm, checkpoint) mean over the problems of the share of runs and targets reached."""
    m, p = hits.shape[:2]
    total, problems = np.zeros((m, k)), np.zeros((m, 1))
    for a, j in np.ndindex(m, p):
        counted = hits[a, j][:, ~np.isnan(targets[j])]
        counted = counted[counted > 0]
        if counted.size:
            steps = np.bincount(counted, minlength=k + 2)[1 : k + 1]
            total[a] += np.cumsum(steps) / counted.size
            problems[a] += 1
    return np.where(problems > 0, total / np.maximum(problems, 1), np.nan)
