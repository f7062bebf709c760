"""COCO: its problems as ours, and data sets of our algorithms made with its observers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rdex.adapters.arguments import given
from rdex.api.minimize import minimize
from rdex.common.extras import require
from rdex.problem.problem import Floats, Problem


class CocoFunction:
    """(f, G) from a problem of cocoex; constraints first, as in COCO's own experiments."""

    def __init__(self, theirs: Any) -> None:
        self.theirs = theirs

    def __call__(self, x: Floats) -> tuple[float, Any]:
        """All values of one point."""
        g = self.theirs.constraint(x) if self.theirs.number_of_constraints else ()
        return float(self.theirs(x)), g


def problem_from(theirs: Any, **facts: Any) -> Problem:
    """A problem of cocoex as a `Problem`; see `Problem.from_cocoex`."""
    if theirs.number_of_objectives != 1:
        raise ValueError(f"{theirs.id}: expected one objective, got {theirs.number_of_objectives}")
    whole = np.zeros(theirs.dimension, dtype=bool)
    whole[: theirs.number_of_integer_variables] = True  # integer variables stand first
    facts.setdefault("name", theirs.id)
    if whole.any():
        facts.setdefault("integrality", whole)
    return Problem.from_function(
        CocoFunction(theirs),
        list(zip(theirs.lower_bounds, theirs.upper_bounds, strict=True)),
        n_ineq=theirs.number_of_constraints,
        **facts,
    )


def run_suite(
    folder: str | os.PathLike[str],
    algorithm: Any = None,
    *,
    suite: str = "bbob-constrained",
    instances: str = "",
    choice: str = "",
    budget: int = 1000,
    part: tuple[int, int] = (0, 1),
    seed: int = 1,
    name: str | None = None,
    **options: Any,
) -> Path:
    """Solve the problems of a suite under COCO's observer: a data set for its post-processing.

    A run ends where COCO's last target is hit. The same arguments give the same data.

    Parameters
    ----------
    folder : path
        Where the data set goes. COCO adds a number where it exists.
    algorithm : str or Settings, optional
        As in `rdex.minimize`.
    suite, instances, choice : str
        As in ``cocoex.Suite(suite, instances, choice)``: ``instances="instances: 1-5"``,
        ``choice="dimensions: 2,3,5 function_indices: 1-54"``.
    budget : int
        Evaluations per variable.
    part : (int, int)
        ``(k, n)`` solves every n-th problem from number k on, for n processes with a folder each.
    seed : int
    name : str, optional
        Of the algorithm in COCO's pages; default that of `algorithm`.
    **options
        Further arguments of `rdex.minimize`.

    Returns
    -------
    Path
        The folder of the data set.
    """
    problems = Observed(
        folder, name or str(algorithm or "rdex"), suite=suite, instances=instances, choice=choice,
        part=part,
    )  # fmt: skip
    settings = {**given(algorithm=algorithm), **options}
    for index, theirs in problems:
        solve(theirs, budget * theirs.dimension, (seed, index), settings)
    return problems.folder


class Observed:
    """Problems of a suite one after the other, with COCO's observer: pairs (index, problem).

    Solve each within the loop; it is gone with the next. The arguments are those of `run_suite`;
    `label` names the algorithm in COCO's pages. `folder` is where the data set goes.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        label: str,
        *,
        suite: str = "bbob-constrained",
        instances: str = "",
        choice: str = "",
        part: tuple[int, int] = (0, 1),
    ) -> None:
        cocoex = require("cocoex", "coco")
        place = Path(folder)
        self._problems = cocoex.Suite(suite, instances, choice)
        self._observer = cocoex.Observer(
            suite,
            f"outer_folder: {place.parent} result_folder: {place.name} algorithm_name: {label}",
        )
        self._part = part
        self.folder = Path(self._observer.result_folder)

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        first, step = self._part
        for index in range(first, len(self._problems), step):
            theirs = self._problems.get_problem(index)
            theirs.observe_with(self._observer)
            try:
                yield index, theirs
            finally:
                theirs.free()


def solve(theirs: Any, maxfev: int, seed: tuple[int, int], options: dict[str, Any]) -> Any:
    """One run, to the budget or to COCO's last target."""
    rng = np.random.SeedSequence(seed)
    return minimize(
        problem_from(theirs),
        maxfev=maxfev,
        rng=rng,
        callback=lambda _: bool(theirs.final_target_hit),
        **options,
    )
