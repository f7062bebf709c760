"""`LearntModel`: what a search learnt of f and the constraints, for the user."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.models.inputs import Inputs, log_ratios, squashing
from rdex.models.surrogate import Surrogate
from rdex.models.threads import one_thread
from rdex.problem.space import Space

Floats = NDArray[np.float64]

#: Known points whose leave-one-out errors make up the error of a prediction.
NEIGHBOURS = 10


class Predicted(NamedTuple):
    """Predicted f (k,), G (k, n_ineq) and H (k, n_eq), each with a typical size of its error."""

    f: Floats
    G: Floats
    H: Floats
    f_error: Floats
    G_error: Floats
    H_error: Floats


class LearntModel:
    """Models of f and of every constraint, made of points that were evaluated.

    Models know no distance between categories: they cover one combination of them, that of the
    best point (`where`).

    Parameters
    ----------
    space : Space
        The box.
    x : (n, d) array
        Points of the box, best first, with the same categories in all of them.
    y : (n, 1 + n_ineq + n_eq) array
        f and the constraints there.
    n_ineq : int

    Examples
    --------
    >>> from rdex import minimize
    >>> result = minimize(lambda x: (x[0] - 1) ** 2 + x[1], [(0, 3), (1, 2)], algorithm="scout",
    ...                   maxfev=30, rng=0)
    >>> predicted = result.model.predict([2.0, 1.5])
    >>> round(float(predicted.f[0]), 3)
    2.5
    """

    def __init__(self, space: Space, x: Floats, y: Floats, n_ineq: int) -> None:
        self.space = space
        self._free = ~(space.fixed | space.unordered)
        self._codes = x[0, space.unordered]
        self._z = space.to_unit(x)[:, self._free]
        self._y = y
        self._n_ineq = n_ineq

    def __repr__(self) -> str:
        plural = "" if self._y.shape[1] == 2 else "s"
        return (
            f"LearntModel(f and {self._y.shape[1] - 1} constraint{plural} from {self.n_points} "
            f"evaluations{self.where_text and ' with '}{self.where_text})"
        )

    @property
    def where(self) -> dict[str, Any]:
        """The categories that the models cover, by name; empty where the problem has none."""
        if self.space.variables is None:
            return {}
        listed = [v for v in self.space.variables.items() if v[1].kind == "categories"]
        return {name: v.decoded(code) for (name, v), code in zip(listed, self._codes, strict=True)}

    @property
    def where_text(self) -> str:
        """The same in words."""
        return ", ".join(f"{name} = {value}" for name, value in self.where.items())

    @property
    def n_points(self) -> int:
        """Evaluations that the models are made of."""
        return len(self._y)

    @cached_property
    def _surrogate(self) -> Surrogate:
        """The models; made when they are first asked for."""
        n, d = self._z.shape
        middle = np.full(d, 0.5)
        views = [Inputs(np.ones(d), middle, 1.0)]
        ratio = log_ratios(self.space)[self._free]
        if (ratio > 1.0).any():
            views.append(Inputs(ratio, middle, 1.0))
        centre = np.zeros(self._y.shape[1])
        centre[0] = self._y[:, 0].min()
        outputs = squashing(self._y, centre, np.quantile(np.abs(self._y - centre), 0.3, axis=0))
        with one_thread():
            return Surrogate(self._z, self._y, outputs, views, np.ones(n))

    @cached_property
    def _errors(self) -> Floats:
        """Leave-one-out errors (n, q) in the units of the functions."""
        model = self._surrogate
        seen = model.outputs(self._y) + model.choice.error
        return np.abs(model.outputs.original(seen) - self._y)

    @property
    def skill(self) -> Floats:
        """For f and each constraint: 1 a perfect model, 0 or less no better than the mean."""
        return self._surrogate.choice.skill.copy()

    def predict(self, x: Any) -> Predicted:
        """Values at points (k, d) or (d,), with errors as large as those at the known points near
        by when each of these was left out.

        Points are as `Result.x` has them; or one dict as `Result.design` has it, or a list of them.
        Other categories than those of `where` raise a ValueError.
        """
        points = self._coded(x)
        z = self.space.to_unit(points)[:, self._free]
        model = self._surrogate
        y = model.outputs.original(model.rows(z))
        away = np.linalg.norm(z[:, None, :] - self._z, axis=2)
        near = np.argsort(away, axis=1, kind="stable")[:, :NEIGHBOURS]
        errors = np.sqrt((self._errors[near] ** 2).mean(axis=1))
        cut = 1 + self._n_ineq
        return Predicted(y[:, 0], y[:, 1:cut], y[:, cut:],
                         errors[:, 0], errors[:, 1:cut], errors[:, cut:])  # fmt: skip

    def _coded(self, x: Any) -> Floats:
        """Points (k, d) as the search has them."""
        variables = self.space.variables
        rows = [x] if isinstance(x, Mapping) else x
        if len(rows) and isinstance(rows[0], Mapping):
            if variables is None:
                raise ValueError("x: the variables of this problem have no names, give numbers")
            points = np.array([variables.point(design) for design in rows])
        else:
            points = np.atleast_2d(np.asarray(x, dtype=np.float64))
            if variables is not None and variables.has_lists:
                points = variables.encoded(points)
        if (points[:, self.space.unordered] != self._codes).any():
            raise ValueError(f"x: the models cover {self.where_text} only")
        return points

    def importance(self) -> Floats:
        """How much f and each constraint (q, d) depends on each variable: shares of 1, NaN for
        categories, of which the models know one each."""
        model = self._surrogate
        squares = np.zeros((self._y.shape[1], self._z.shape[1]))
        for z in self._z:
            model.values(z)
            squares += model.slopes() ** 2
        shares = np.zeros((len(squares), self.space.dim))
        total = squares.sum(axis=1, keepdims=True)
        shares[:, self._free] = squares / np.where(total > 0.0, total, 1.0)
        shares[:, self.space.unordered] = np.nan
        return shares
