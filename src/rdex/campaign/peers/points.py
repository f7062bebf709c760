"""The problem as other packages ask for it: f, G and H of one point, each by itself.

One point is one evaluation, in whatever pieces and order a package asks for it.
"""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from rdex.problem.problem import Floats, Problem

#: |h| up to it is no violation, for every algorithm alike.
EQ_TOL = 1e-4

#: Local solvers end a little outside of inequalities, and here no violation is accepted: they are
#: asked for this much more. With 1e-8, SLSQP solved 9 of 23 G problems in 1000 evaluations, with
#: 1e-6 12; on the designs it makes no difference.
MARGIN = 1e-6

#: Stands for values that are not finite, which several packages cannot take.
BAD = 1e20

#: Points whose values are kept until they have been asked for in full. SciPy's differential
#: evolution asks for the constraints of a whole population before it asks for f.
KEPT = 4096

F, G, H = 0, 1, 2


class Points:
    """A problem with a budget, evaluated point by point or in rows.

    Points are put into the box and integer variables rounded before they are evaluated. Asking
    for f, G and H of the same point costs one evaluation; asking for one of them a second time is
    a new evaluation, so that a search that stands still comes to its end.

    Parameters
    ----------
    problem : Problem
        Its ``evaluate`` raises `BudgetSpent` once the budget is spent.
    budget : int
        Evaluations in all.
    """

    def __init__(self, problem: Problem, budget: int) -> None:
        self.lower, self.upper = problem.lower, problem.upper
        self.dim, self.n_ineq, self.n_eq = problem.dim, problem.n_ineq, problem.n_eq
        self.integrality = problem.integrality
        self.budget = budget
        self.nfev = 0
        self._problem = problem
        self._kept: OrderedDict[bytes, tuple[tuple[float, Floats, Floats], set[int]]]
        self._kept = OrderedDict()

    @property
    def remaining(self) -> int:
        """Evaluations left."""
        return self.budget - self.nfev

    def rows(self, x: Any) -> tuple[Floats, Floats, Floats]:
        """F (n,), G (n, n_ineq), H (n, n_eq) at the rows of `x`: n evaluations, finite values."""
        points = self.inside(np.atleast_2d(np.asarray(x, dtype=np.float64)))
        self.nfev += min(len(points), self.remaining)
        f, g, h = self._problem.evaluate(points)
        return finite(f), finite(g), finite(h)

    def at(self, x: Any) -> tuple[float, Floats, Floats]:
        """f, G and H of one point: one evaluation."""
        f, g, h = self.rows(x)
        return float(f[0]), g[0], h[0]

    def f(self, x: Any) -> float:
        """The objective of one point."""
        return float(self._part(x, F))

    def g(self, x: Any) -> Floats:
        """Its inequality constraints, <= 0."""
        return np.array(self._part(x, G))

    def h(self, x: Any) -> Floats:
        """Its equality constraints, = 0."""
        return np.array(self._part(x, H))

    def inside(self, x: Floats) -> Floats:
        """Points in the box, integer variables whole."""
        points = np.minimum(np.maximum(x, self.lower), self.upper)
        whole = self.integrality
        if whole is not None and whole.any():
            low, high = np.ceil(self.lower[whole]), np.floor(self.upper[whole])
            points[..., whole] = np.clip(np.round(points[..., whole]), low, high)
        return points

    def from_unit(self, z: Any) -> Floats:
        """The point of the box that `z` of the unit box stands for."""
        return self.lower + np.clip(np.asarray(z), 0.0, 1.0) * (self.upper - self.lower)

    def _part(self, x: Any, part: int) -> Any:
        """f, G or H of a point; evaluated unless the point is kept and this was not yet asked."""
        key = np.asarray(x, dtype=np.float64).tobytes()
        values, asked = self._kept.get(key, (None, set()))
        if values is None or part in asked:
            values, asked = self.at(x), set()
            self._kept[key] = (values, asked)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        asked.add(part)
        return values[part]


def finite(values: Floats) -> Floats:
    """The values with BAD in the place of NaN and infinities."""
    if np.isfinite(values).all():
        return values
    return np.where(np.isfinite(values), values, BAD)


def violations(g: Floats, h: Floats) -> Floats:
    """By how much constraints are violated, 0 where they are met."""
    return np.maximum(np.concatenate([g, np.abs(h) - EQ_TOL]), 0.0)


def seed_of(rng: np.random.Generator) -> int:
    """A seed for packages that take a number."""
    return int(rng.integers(1, 2**31 - 1))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No warnings and no printed words of packages."""
    with (
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def seeded(rng: np.random.Generator) -> Iterator[None]:
    """The global generators of NumPy and Python seeded from `rng`, and afterwards as they were.

    Some packages draw from them however they are seeded themselves.
    """
    before = np.random.get_state(), random.getstate()  # noqa: NPY002 - what packages draw from
    seed = seed_of(rng)
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])
