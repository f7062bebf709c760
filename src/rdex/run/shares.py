"""Which share of the space satisfies each constraint, from the random points a run begins with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rdex.evaluation.judging import Judge

if TYPE_CHECKING:
    from rdex.evaluation.evaluator import Evaluator
    from rdex.run.spec import RunSpec

#: What the last entry is called.
ALL = "all together"


class FeasibleShare(NamedTuple):
    """Of n random points of the box, so many satisfy a constraint.

    low, high: 95 % limits of the share (Wilson).
    """

    name: str
    satisfied: int
    n: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Satisfied points per point; NaN without points."""
        return self.satisfied / self.n if self.n else math.nan

    def __str__(self) -> str:
        limits = f"{100 * self.low:.2g} to {100 * self.high:.2g} %"
        return f"{100 * self.share:.3g} % ({self.satisfied} of {self.n}; {limits})"


def feasible_shares(spec: RunSpec, evaluator: Evaluator | None) -> list[FeasibleShare]:
    """One entry per constraint, and one for all of them together."""
    if evaluator is None or evaluator.log is None or not spec.problem.n_constraints:
        return []
    given = 0 if spec.start.points is None else len(spec.start.points)
    outcomes = [
        entry.outcome
        for entry in evaluator.log.entries
        if given <= entry.number < spec.n_drawn and entry.outcome.error is None
    ]
    judge = Judge(spec.problem, spec.limits.eq_tol, spec.limits.ineq_tol)
    g = np.array([outcome.g for outcome in outcomes]).reshape(len(outcomes), spec.problem.n_ineq)
    h = np.array([outcome.h for outcome in outcomes]).reshape(len(outcomes), spec.problem.n_eq)
    holds = judge.violations(g, h) == 0.0
    columns = [*holds.T, holds.all(axis=1)]
    names = [*spec.problem.constraint_names, ALL]
    return [
        FeasibleShare(name, int(column.sum()), len(outcomes), *wilson(int(column.sum()), len(g)))
        for name, column in zip(names, columns, strict=True)
    ]


def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Limits of a share of which k of n were seen.

    Examples
    --------
    >>> [round(limit, 3) for limit in wilson(0, 50)]
    [0.0, 0.071]
    """
    if n == 0:
        return 0.0, 1.0
    share, square = k / n, z * z / n
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / n + square / (4 * n)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)
