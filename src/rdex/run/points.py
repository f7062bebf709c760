"""`Points`: the evaluations that a run remembers, for plots and reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rdex.problem.problem import Floats, Problem
from rdex.recorder.ledger import Ledger
from rdex.strategies.archive import Sample


@dataclass(frozen=True, eq=False, repr=False)
class Points:
    """Evaluated points in the order in which their results came.

    A differential evolution that runs by itself keeps none; `evaluations=` keeps all.

    Attributes
    ----------
    number : (n,) int array
        How many evaluations there were by then, the point itself included.
    x : (n, d) array
        Variables, as in `Result.x`.
    f, cv : (n,) array
        Objective, NaN where it is not known, and mean violation; infinite for failed points.
    violations : (n, m) array
        Violation of each constraint, 0 where it holds.
    """

    number: Any
    x: Floats
    f: Floats
    cv: Floats
    violations: Floats

    def __len__(self) -> int:
        return len(self.f)

    def __repr__(self) -> str:
        return f"Points({len(self)} evaluations, {int((self.cv == 0).sum())} of them feasible)"


def violated(sizes: Floats, tolerance: Floats) -> Floats:
    """Violations (n, m) of sizes g and |h|; infinite where they are not finite."""
    known = np.where(np.isfinite(sizes), sizes, np.inf)
    return np.where(known > tolerance, known, 0.0)


def points_of(problem: Problem, standing: Any, log: Any = None) -> Points:
    """The points of the log, if there is one, or those that the books of the run kept."""
    numbers, samples = [], []
    if log is not None:
        samples = [Sample(e.x, e.outcome.f, e.outcome.g, e.outcome.h) for e in log.entries]
        numbers = list(range(1, len(samples) + 1))
    elif isinstance(standing, Ledger):
        numbers = [number for number, _ in standing.kept]
        samples = [sample for _, sample in standing.kept]
    n, m = len(samples), problem.n_constraints
    x = np.array([sample.x for sample in samples]).reshape(n, problem.dim)
    f = np.array([sample.f for sample in samples], dtype=np.float64)
    g = np.array([sample.g for sample in samples]).reshape(n, problem.n_ineq)
    h = np.array([sample.h for sample in samples]).reshape(n, problem.n_eq)
    violations = violated(np.hstack([g, np.abs(h)]), np.asarray(standing.tolerance))
    cv = violations.sum(axis=1) / max(m, 1)
    cv[~np.isfinite(f) & (cv == 0)] = np.inf
    decoded = problem.decoded(x) if n else x
    return Points(np.array(numbers, dtype=np.int64), decoded, f, cv, violations)
