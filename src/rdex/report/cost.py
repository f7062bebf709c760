"""Targets reached over evaluations per variable, for all problems and for groups of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rdex.scoring import Attainment, Trials, reached_by_cost
from rdex.scoring.arrays import Floats, Ints
from rdex.scoring.from_store import problem_labels
from rdex.store import Dataset

ALL = "all problems"

#: Places on the axis of costs.
PLACES = 121


@dataclass(frozen=True, eq=False)
class Cost:
    """What targets cost.

    Attributes
    ----------
    per_variable : bool
        Whether costs are evaluations per variable; else, where nobody knows the number of
        variables, plain evaluations.
    grid : (place,) array
        log10 of costs.
    groups : mapping of str to sequence of int
        Problems by group, all of them first.
    reached : mapping of str to (algorithm, place) array
        Share of runs and targets reached, by group.
    by_problem : tuple of (algorithm, place) arrays
        The same for every problem alone.
    expected : (algorithm, problem, target) array
        log10 of the expected running time; NaN where no run reached the target.
    """

    per_variable: bool
    grid: Floats
    groups: Mapping[str, Sequence[int]]
    reached: Mapping[str, Floats]
    by_problem: tuple[Floats, ...]
    expected: Floats

    @property
    def label(self) -> str:
        """Name of the axis."""
        return "log10(evaluations / D)" if self.per_variable else "log10(evaluations)"


def cost_of(trials: Trials, result: Attainment, datasets: Sequence[Dataset]) -> Cost:
    """When targets are reached, in evaluations per variable."""
    dims = numbers_of(trials, datasets, "dim")
    divisor = np.ones(len(trials.problems)) if dims is None else dims.astype(np.float64)
    cost = trials.evaluations / divisor[:, None]
    grid = np.linspace(np.log10(cost.min()), np.log10(cost.max()), PLACES)
    groups = problem_groups(trials, datasets)
    limits = 10.0**grid * (1 + 1e-9)  # a power of a logarithm is not exact
    with np.errstate(divide="ignore"):
        expected = np.log10(result.ert / divisor[:, None])
    return Cost(
        dims is not None,
        grid,
        groups,
        {name: reached_by_cost(result, cost, limits, each) for name, each in groups.items()},
        tuple(reached_by_cost(result, cost, limits, [j]) for j in range(len(cost))),
        np.where(np.isfinite(expected), expected, np.nan),
    )


def problem_groups(trials: Trials, datasets: Sequence[Dataset]) -> dict[str, list[int]]:
    """Problems that belong together: by suite, number of variables, kind of constraints, and by
    how hard it is to be feasible. A group that is all of the problems is none."""
    found: dict[str, list[int]] = {}
    for column, word in (("suite", "{}"), ("dim", "D = {}")):
        values = values_of(trials, datasets, column)
        for value in dict.fromkeys(values):
            found[word.format(value)] = [j for j, each in enumerate(values) if each == value]
    equalities = numbers_of(trials, datasets, "n_eq")
    if equalities is not None:
        found["with equality constraints"] = np.flatnonzero(equalities > 0).tolist()
        found["inequality constraints only"] = np.flatnonzero(equalities == 0).tolist()
    v = trials.deciding_v[..., -1]
    share = np.nanmean(np.where(np.isnan(v), np.nan, v == 0), axis=(0, 2))
    found["every run ends feasible"] = np.flatnonzero(share == 1).tolist()
    found["some runs end infeasible"] = np.flatnonzero(share < 1).tolist()
    p = len(trials.problems)
    kept = {name: rows for name, rows in found.items() if 0 < len(rows) < p}
    return {ALL: list(range(p)), **kept}


def values_of(trials: Trials, datasets: Sequence[Dataset], column: str) -> list[str]:
    """A column of the stores for every problem, as text; empty where it is not known."""
    by_label = column_by_label(datasets, column)
    if any(by_label.get(name) is None for name in trials.problems):
        return []
    return [str(by_label[name]) for name in trials.problems]


def numbers_of(trials: Trials, datasets: Sequence[Dataset], column: str) -> Ints | None:
    """The same as whole numbers; None where they are not known."""
    values = values_of(trials, datasets, column)
    return np.array([int(value) for value in values]) if values else None


def column_by_label(datasets: Sequence[Dataset], column: str) -> dict[str, object]:
    """Label of a problem -> value; `n_eq` is counted in the constraint values of final points."""
    labels = problem_labels({id: None for data in datasets for id in data.problems})
    found: dict[str, object] = {}
    for data in datasets:
        ids = data.arrow.column("problem_id").to_pylist()
        if column == "n_eq":
            counts = data.arrow.column("n_constraints").to_pylist()
            known = zip(data.points("G"), data.points("H"), counts, strict=True)
            values = [h.size if g.size + h.size == n else None for g, h, n in known]
        else:
            values = data.arrow.column(column).to_pylist()
        for id, value in zip(ids, values, strict=True):
            if value is not None:
                found[labels[id]] = value
    return found
