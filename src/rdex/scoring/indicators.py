"""Numbers for single trials: final quality, time to target, area under the curve, and more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rdex.scoring.arrays import Bools, Floats, Ints, ProblemTraces, problem_traces
from rdex.scoring.target import first_hits, target_value
from rdex.scoring.trials import Trials

#: What to put into the area under the curve where a trial is not yet feasible.
AUC_RULES = ("recorded", "worst")


@dataclass(frozen=True, eq=False)
class Indicators:
    """Indicators of every trial; arrays are (algorithm, problem, run), NaN for padding.

    All but `feasibility_rate` are to be minimised.

    Attributes
    ----------
    quality : array
        Q: final f if feasible, else B + violation, B = largest finite final f on the problem + 1.
    time_to_target : array
        First checkpoint with f <= target (and feasible, if asked); K + 1 if never.
    auc : array
        Mean over the checkpoints of log10(1 + max(f - target, 0)).
    final_f, final_violation : array
        As recorded at the last checkpoint, the violation in the form of the trials.
    first_feasible : array
        Evaluations at the first feasible checkpoint; inf if never.
    feasibility_rate : (algorithm, problem) array
        Share of runs that end feasible; NaN without runs.
    targets : (problem,) array
        The targets used.
    target_from_infeasible : (problem,) bool array
        Where no trial is feasible and the target is the median final f of all trials.
    """

    quality: Floats
    time_to_target: Floats
    auc: Floats
    final_f: Floats
    final_violation: Floats
    first_feasible: Floats
    feasibility_rate: Floats
    targets: Floats
    target_from_infeasible: Bools

    @property
    def metrics(self) -> Mapping[str, Floats]:
        """The paper's five metrics under the names of its tables."""
        return {
            "final_quality": self.quality,
            "time_to_target": self.time_to_target,
            "final_objective": self.final_f,
            "final_violation": self.final_violation,
            "auc": self.auc,
        }


def indicators(
    trials: Trials,
    *,
    targets: ArrayLike | None = None,
    feasible_only: bool = True,
    auc_rule: str = "recorded",
) -> Indicators:
    """Compute the indicators of every trial.

    Parameters
    ----------
    trials : Trials
        For a cut-off, rounded traces or signed sums see `Trials.prepared`.
    targets : (problem,) array, optional
        Targets to use; the medians of the target form by default.
    feasible_only : bool
        Whether the time to target asks for feasibility too. The paper's table does not.
    auc_rule : {"recorded", "worst"}
        What a checkpoint without a feasible point adds to the area. "recorded", the paper's:
        its f as recorded. "worst": the largest finite term any trial has on the problem. Where
        no finite f is recorded both rules take the largest finite term.
    """
    if auc_rule not in AUC_RULES:
        raise ValueError(f"auc_rule must be one of {', '.join(AUC_RULES)}, got {auc_rule!r}")
    m, p, n, _ = trials.f.shape
    deciding_v = trials.deciding_v
    given = None if targets is None else np.asarray(targets, dtype=np.float64)
    if given is not None and given.shape != (p,):
        raise ValueError(f"targets must have shape ({p},), got {given.shape}")
    quality, ttt, auc, final_f, first = (np.full((m, p, n), np.nan) for _ in range(5))
    evaluations = trials.evaluations
    rate, used, flagged = np.full((m, p), np.nan), np.full(p, np.nan), np.zeros(p, dtype=bool)
    for j in range(p):
        traces = problem_traces(trials.f, deciding_v, j)
        at = traces.algorithm, j, traces.run
        used[j] = target_value(traces) if given is None else given[j]
        flagged[j] = given is None and not traces.feasible.any()
        quality[at] = final_quality(traces)
        ttt[at] = first_hits(traces, used[j], feasible_only)
        auc[at] = area_under_curve(traces, used[j], auc_rule)
        final_f[at] = traces.final_f
        first[at] = first_feasible(traces, evaluations[j])
        ends = traces.sum_by_algorithm(traces.feasible)
        rate[:, j] = np.where(traces.counts > 0, ends / np.maximum(traces.counts, 1), np.nan)
    final_v = trials.v[..., -1].copy()
    return Indicators(quality, ttt, auc, final_f, final_v, first, rate, used, flagged)


def final_quality(traces: ProblemTraces) -> Floats:
    """Q of every trial on a problem; B is 1 where no final f is finite."""
    final = traces.final_f
    beyond = np.max(final, where=np.isfinite(final), initial=-np.inf)
    base = 1.0 + (beyond if np.isfinite(beyond) else 0.0)
    return np.where(traces.feasible, final, base + traces.final_v)


def area_under_curve(traces: ProblemTraces, target: float, rule: str) -> Floats:
    """AUC of every trial on a problem."""
    above = traces.f > target
    terms = np.zeros_like(traces.f)
    # f - target can overflow to inf, which then counts as not recorded.
    with np.errstate(over="ignore"):
        terms[above] = np.log10(1.0 + (traces.f[above] - target))
    unknown = ~np.isfinite(terms) | ~np.isfinite(traces.f) & (traces.v > 0)
    if rule == "worst":
        unknown |= traces.v > 0
    if unknown.any():
        finite = np.isfinite(terms)
        terms[unknown] = np.max(terms, where=finite, initial=0.0) if finite.any() else np.inf
    return terms.mean(axis=1)


def first_feasible(traces: ProblemTraces, evaluations: Ints) -> Floats:
    """Evaluations at the first feasible checkpoint of every trial; inf if there is none."""
    feasible = traces.v == 0
    at = evaluations[feasible.argmax(axis=1)].astype(np.float64)
    return np.where(feasible.any(axis=1), at, np.inf)


@dataclass(frozen=True)
class Complexity:
    """The organisers' complexity: times in seconds, and what the algorithm adds, in T1.

    Attributes
    ----------
    T1, T2 : float
        Mean over the problems of the time of 10000 evaluations alone, and within the algorithm.
    """

    T1: float
    T2: float

    @property
    def overhead(self) -> float:
        """(T2 - T1) / T1."""
        return (self.T2 - self.T1) / self.T1


def complexity(evaluations_only: ArrayLike, with_algorithm: ArrayLike) -> Complexity:
    """Complexity from the two times of every problem, in seconds.

    Examples
    --------
    >>> complexity([1.0, 3.0], [2.0, 4.0]).overhead
    0.5
    """
    alone = np.asarray(evaluations_only, dtype=np.float64)
    within = np.asarray(with_algorithm, dtype=np.float64)
    if alone.ndim != 1 or alone.size == 0 or alone.shape != within.shape:
        raise ValueError(
            "expected two vectors of times, one entry per problem, "
            f"got shapes {alone.shape} and {within.shape}"
        )
    if not (np.all(alone > 0) and np.all(np.isfinite(alone)) and np.all(within >= 0)):
        raise ValueError("times must be positive and finite")
    return Complexity(float(alone.mean()), float(within.mean()))
