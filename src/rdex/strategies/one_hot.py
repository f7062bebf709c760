"""`OneHot`: categories as coordinates of their own, for searches that add and subtract points.

A category of k values becomes k real coordinates in [0, 1]; the largest one decides. No two values
are neighbours, and none lies between others. Everything else stays as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rdex.problem.problem import Floats, Problem
from rdex.problem.space import Space


def never_called(x: Floats) -> tuple[Floats, Floats, Floats]:
    """In the place of a function: the search only asks and is told."""
    raise TypeError("a coded problem is never evaluated")


class OneHot:
    """Points of a problem, and the same with categories spread over coordinates.

    Parameters
    ----------
    space : Space
    n_ineq, n_eq : int
        Numbers of constraints.

    Attributes
    ----------
    problem : Problem
        The box that a search sees.
    logarithmic : (D,) bool array or None
        Its logarithmic variables.

    Examples
    --------
    >>> from rdex.problem import Variables
    >>> v = Variables({"a": (0.0, 2.0), "c": {"categories": ["red", "green", "blue"]}})
    >>> coded = OneHot(Space(Problem.from_function(len, v)), n_ineq=0, n_eq=0)
    >>> coded.problem.dim, coded.decoded(np.array([[1.5, 0.2, 0.1, 0.9]])).tolist()
    (4, [[1.5, 2.0]])
    """

    def __init__(self, space: Space, n_ineq: int, n_eq: int) -> None:
        counts = np.where(space.unordered & ~space.fixed, space.n_values, 0)
        widths = np.maximum(counts, 1)
        self._starts = np.concatenate([[0], np.cumsum(widths)[:-1]])
        self._counts = counts
        self._dim = space.dim
        spread = np.repeat(counts > 0, widths)
        lower, upper = np.repeat(space.lower, widths), np.repeat(space.upper, widths)
        lower[spread], upper[spread] = 0.0, 1.0
        whole = np.repeat(space.whole, widths) & ~spread
        self.problem = Problem(
            lower,
            upper,
            n_ineq,
            n_eq,
            rows=never_called,
            integrality=whole if whole.any() else None,
        )
        has_log = space.logarithmic.any()
        self.logarithmic: NDArray[np.bool_] | None = (
            np.repeat(space.logarithmic, widths) if has_log else None
        )

    def decoded(self, rows: Floats) -> Floats:
        """Points (n, d) of the problem behind rows (n, D)."""
        points = np.empty((len(rows), self._dim))
        for j, (start, count) in enumerate(zip(self._starts, self._counts, strict=True)):
            if count:
                points[:, j] = rows[:, start : start + count].argmax(axis=1)
            else:
                points[:, j] = rows[:, start]
        return points

    def encoded(self, points: Floats) -> Floats:
        """Rows (n, D) that stand for points (n, d)."""
        rows = np.zeros((len(points), self.problem.dim))
        for j, (start, count) in enumerate(zip(self._starts, self._counts, strict=True)):
            if count:
                rows[np.arange(len(points)), start + np.rint(points[:, j]).astype(int)] = 1.0
            else:
                rows[:, start] = points[:, j]
        return rows
