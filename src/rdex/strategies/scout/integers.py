"""Integer variables in the problem on the models: rounded in several ways, then solved again."""

from __future__ import annotations

import itertools

import numpy as np

from rdex.problem.problem import Floats
from rdex.strategies.scout.knowledge import Knowledge
from rdex.strategies.scout.subproblem import Solution, Subproblem

#: Integer variables whose values are combined; of the others the nearest values are taken.
COMBINED = 6

#: Roundings whose continuous variables are optimised again.
SOLVED = 5


def mixed_solutions(
    knowledge: Knowledge, problem: Subproblem, relaxed: Solution, bounds: tuple[Floats, Floats],
    rho: float,
) -> list[Solution]:  # fmt: skip
    """Solutions with whole values, best first; where all values are whole the best one that is
    not known, if there is one."""
    points = roundings(knowledge, relaxed.z)
    order = np.argsort(problem.merits(points, rho), kind="stable")
    if knowledge.whole.all():
        new = (k for k in order if not knowledge.has(points[k]))
        return [problem.at(points[next(new, order[0])])]
    lower, upper = bounds
    found = []
    for k in order[:SOLVED]:
        z = points[k]
        low, high = np.where(knowledge.whole, z, lower), np.where(knowledge.whole, z, upper)
        found.append(problem.solve(np.clip(z, low, high), low, high, rho))
    return sorted(found, key=lambda solution: solution.merit(rho))


def roundings(knowledge: Knowledge, z: Floats) -> Floats:
    """Points about z with whole values: floors and ceilings combined, and one step further."""
    whole, spacing = np.flatnonzero(knowledge.whole), knowledge.spacing
    counts = z[whole] / spacing[whole]
    nearest = np.floor(counts + 0.5)
    unclear = np.argsort(-np.abs(counts - nearest), kind="stable")[:COMBINED]
    base = nearest.copy()
    choices = [(np.floor(counts[k]), np.floor(counts[k]) + 1.0) for k in unclear]
    rows = []
    for values in itertools.product(*choices):
        row = base.copy()
        row[unclear] = values
        rows.append(row)
    for k in range(whole.size):
        for step in (-1.0, 1.0):
            row = base.copy()
            row[k] += step
            rows.append(row)
    wholes = np.unique(np.array([base, *rows]), axis=0) * spacing[whole]
    points = np.repeat(z[None], len(wholes), axis=0)
    points[:, whole] = wholes
    return np.unique(knowledge.rounded(np.clip(points, 0.0, 1.0)), axis=0)
