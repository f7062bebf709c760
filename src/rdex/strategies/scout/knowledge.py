"""`Knowledge`: the points of a run as models need them, and what counts as better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rdex.models.inputs import Outputs, log_ratios
from rdex.problem.problem import Floats
from rdex.strategies.archive import Archive
from rdex.strategies.strategy import Context

Indices = NDArray[np.int64]

#: Larger values are as useless for a model as none.
LARGEST = 1e50


@dataclass
class Sides:
    """One-sided constraints: sign·(y[column] − limit) <= 0; an equality has two.

    columns, sign, limit: (r,) arrays; function 0 is f.
    """

    columns: Indices
    sign: Floats
    limit: Floats

    def seen(self, outputs: Outputs) -> Floats:
        """The limits as models see values."""
        return outputs.of(self.columns, self.limit)

    def where(self, is_kept: NDArray[np.bool_]) -> Sides:
        """Some of them."""
        return Sides(self.columns[is_kept], self.sign[is_kept], self.limit[is_kept])

    def excess(self, values: Floats, limits: Floats) -> Floats:
        """sign·(value − limit) of values (…, q) as models see them, with limits (r,) as well."""
        excess: Floats = self.sign * (values[..., self.columns] - limits)
        return excess


class Knowledge:
    """What is known, without the variables that are fixed.

    Attributes
    ----------
    z : (n, d) array
        Points in the unit cube.
    y : (n, q) array
        f and all constraints.
    is_usable : (n,) bool array
        Rows whose values are all finite; others failed.
    """

    def __init__(self, context: Context) -> None:
        self.archive: Archive = context.archive
        self.space, self.judge = context.space, context.judge
        self.free = ~self.space.fixed
        self.d = int(self.free.sum())
        self.whole = self.space.whole[self.free]
        width = (self.space.upper - self.space.lower)[self.free]
        self.spacing = np.where(self.whole, 1.0 / np.where(self.whole, width, 1.0), 0.0)
        self.log_ratio = log_ratios(self.space)[self.free]
        n_ineq, n_eq = self.judge.n_ineq, self.judge.n_eq
        self.n_functions = 1 + n_ineq + n_eq
        of = np.arange(1, self.n_functions)
        self._side_columns = np.concatenate([of, of[n_ineq:]])
        self._side_signs = np.repeat([1.0, -1.0], [n_ineq + n_eq, n_eq])
        self.refresh()

    def refresh(self) -> None:
        """Take in what is new in the archive."""
        archive = self.archive
        self.n = archive.n
        self.z = archive.z[:, self.free]
        self.y = np.column_stack([archive.f, archive.g, archive.h])
        self.is_usable: NDArray[np.bool_] = np.asarray((np.abs(self.y) < LARGEST).all(axis=1))

    def x(self, z: Floats) -> Floats:
        """Points (k, d) as the user sees them."""
        whole = np.zeros((len(z), self.space.dim))
        whole[:, self.free] = z
        return self.space.from_unit(whole)

    def rounded(self, z: Floats) -> Floats:
        """Points (k, d) of the cube where the user's function can be evaluated."""
        if not self.whole.any():
            return np.clip(z, 0.0, 1.0)
        return self.space.to_unit(self.x(z))[:, self.free]

    def sides(self, tightness: float = 0.0) -> Sides:
        """The constraints; equalities with tolerances smaller by a share `tightness`."""
        n_ineq, tolerance = self.judge.n_ineq, self.judge.tolerance
        eq_limit = tolerance[n_ineq:] * (1.0 - tightness)
        limit = np.concatenate([tolerance[:n_ineq], eq_limit, -eq_limit])
        return Sides(self._side_columns, self._side_signs, limit)

    def yes_or_no(self) -> Indices:
        """Columns of inequalities that have shown two values only, one on each side of the limit:
        they say whether a point is allowed, and not by how much."""
        rows = self.usable()
        y = self.y[rows, 1 : 1 + self.judge.n_ineq]
        if not len(y):
            return np.empty(0, dtype=np.int64)
        low, high = y.min(axis=0), y.max(axis=0)
        limit = self.judge.tolerance[: self.judge.n_ineq]
        is_two = ((y == low) | (y == high)).all(axis=0) & (low <= limit) & (limit < high)
        return 1 + np.flatnonzero(is_two)

    def is_forbidden(self, column: int) -> NDArray[np.bool_]:
        """Flags (n,) of rows that violate an inequality."""
        violated: NDArray[np.bool_] = self.y[:, column] > self.judge.tolerance[column - 1]
        return violated

    def usable(self) -> Indices:
        """Rows that worked."""
        return np.flatnonzero(self.is_usable)

    def failed(self) -> Indices:
        """Rows that failed."""
        return np.flatnonzero(~self.is_usable)

    def ranked(self) -> Indices:
        """Rows that worked, best first."""
        rows = self.usable()
        return rows[np.lexsort((self.y[rows, 0], self.archive.phi[rows]))]

    def best(self) -> int:
        """The best row that worked; -1 if there is none."""
        ranked = self.ranked()
        return int(ranked[0]) if ranked.size else -1

    def row_of(self, x: Floats) -> int:
        """The latest row at a point of the user's space; -1 if there is none."""
        return self.archive.find(x)

    def has(self, z: Floats) -> bool:
        """Whether a point of the cube was evaluated already."""
        return self.row_of(self.x(z[None])[0]) >= 0
