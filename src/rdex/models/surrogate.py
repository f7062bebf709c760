"""`Surrogate`: models of f and of every constraint, each with what suits it best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rdex.models.inputs import Inputs, Outputs
from rdex.models.rbf import Fit, Polynomials, largest_tail

Floats = NDArray[np.float64]

#: Leave-one-out errors of the less natural choices are divided by these before they are compared.
SQUASHED_HANDICAP = 0.8
LOG_HANDICAP = 0.9


class Part:
    """The functions that are modelled on the same inputs.

    columns: which functions. c: (n, k) weights.
    """

    def __init__(
        self, columns: NDArray[np.int64], inputs: Inputs, u: Floats, c: Floats, tail: Polynomials
    ) -> None:
        self.columns = columns
        self.inputs = inputs
        self._u, self._c, self._tail = u, c, tail
        k, d = tail.slope.shape
        self._shape = (k, d)
        curvature = tail.curvature
        self._curvature = None if curvature is None else curvature.reshape(k * d, d)

    def values(self, z: Floats) -> Floats:
        """(k,) at a point (d,); `slopes` then gives the slopes there."""
        u = self.inputs(z)
        self._z = z
        self._away = u - self._u
        self._r = np.sqrt(np.einsum("ij,ij->i", self._away, self._away))
        slope = self._tail.slope
        self._bend: Floats | None = None
        if self._curvature is not None:
            self._bend = (self._curvature @ u).reshape(self._shape)
            slope = slope + 0.5 * self._bend
        cubes = self._r * self._r * self._r
        values: Floats = cubes @ self._c + slope @ u + self._tail.const
        return values

    def slopes(self) -> Floats:
        """(k, d) at the point of the last `values`."""
        slopes = (self._c * (3.0 * self._r)[:, None]).T @ self._away + self._tail.slope
        if self._bend is not None:
            slopes += self._bend
        scaled: Floats = slopes * self.inputs.slopes(self._z)
        return scaled

    def rows(self, z: Floats) -> Floats:
        """(m, k) at points (m, d)."""
        u = self.inputs(z)
        squares = (u * u).sum(1)[:, None] + (self._u * self._u).sum(1) - 2.0 * (u @ self._u.T)
        values = np.maximum(squares, 0.0) ** 1.5 @ self._c
        values += u @ self._tail.slope.T + self._tail.const
        if self._curvature is not None:
            bends = (u @ self._curvature.T).reshape(len(u), *self._shape)
            values += 0.5 * np.einsum("mkd,md->mk", bends, u)
        return np.asarray(values)


@dataclass
class Choice:
    """What suits each function best, and how large its errors are.

    tail, is_log, is_squashed: (q,). error: (n, q) leave-one-out errors as the models see values.
    skill: (q,) 1 − size of the errors / spread of the values: 1 perfect, 0 no better than a mean.
    """

    tail: NDArray[np.int64]
    is_log: NDArray[np.bool_]
    error: Floats
    skill: Floats


class Surrogate:
    """Models of q functions known at n points.

    Parameters
    ----------
    z : (n, d) array
        Points of the unit cube.
    y : (n, q) array
        Values.
    outputs : Outputs
        The functions that may be squashed; each of them is if that pays.
    views : list of Inputs
        Linear inputs, and logarithmic ones where they are worth a try.
    weights : (n,) array
        How much the error at each point counts when models are compared.
    nugget : float
        0 interpolates; more smooths.

    Attributes
    ----------
    outputs : Outputs
        As chosen.
    choice : Choice
    """

    def __init__(
        self, z: Floats, y: Floats, outputs: Outputs, views: list[Inputs], weights: Floats,
        nugget: float = 0.0,
    ) -> None:  # fmt: skip
        n, d = z.shape
        self.n_functions = y.shape[1]
        points = [view(z) for view in views]
        fits = [Fit(u, largest_tail(n, d), nugget) for u in points]
        choice, is_squashed = choose(fits, y, outputs, weights)
        self.choice = choice
        self.outputs = Outputs(outputs.centre, outputs.scale, is_squashed)
        seen = self.outputs(y)
        self.parts = []
        for row, (fit, view) in enumerate(zip(fits, views, strict=True)):
            columns = np.flatnonzero(choice.is_log == (row == 1))
            if columns.size:
                self.parts.append(make_part(fit, view, columns, seen, choice.tail))

    def values(self, z: Floats) -> Floats:
        """(q,) at a point, as the models see values."""
        if len(self.parts) == 1:
            return self.parts[0].values(z)
        values = np.empty(self.n_functions)
        for part in self.parts:
            values[part.columns] = part.values(z)
        return values

    def slopes(self) -> Floats:
        """(q, d) at the point of the last `values`."""
        if len(self.parts) == 1:
            return self.parts[0].slopes()
        return np.vstack([part.slopes() for part in self.parts])[self._order]

    @property
    def _order(self) -> NDArray[np.int64]:
        """Where each function stands in the stack of the parts."""
        return np.argsort(np.concatenate([part.columns for part in self.parts]))

    def rows(self, z: Floats) -> Floats:
        """(m, q) at points (m, d), as the models see values."""
        values = np.empty((len(z), self.n_functions))
        for part in self.parts:
            values[:, part.columns] = part.rows(z)
        return values


def make_part(
    fit: Fit, view: Inputs, columns: NDArray[np.int64], seen: Floats, tails: NDArray[np.int64]
) -> Part:
    """The models of some functions on one kind of inputs."""
    y, tail = seen[:, columns], tails[columns]
    c = np.empty(y.shape)
    for t in fit.tails:
        of = np.flatnonzero(tail == t)
        if of.size:
            c[:, of] = fit.weights(y[:, of], t)
    return Part(columns, view, fit.u, c, fit.polynomials(y, c, tail))


def choose(
    fits: list[Fit], y: Floats, outputs: Outputs, weights: Floats
) -> tuple[Choice, NDArray[np.bool_]]:
    """The tail, inputs and output of each function by weighted leave-one-out error."""
    n, q = y.shape
    may = np.flatnonzero(outputs.is_squashed)
    seen = outputs(y)
    both = np.hstack([y, seen[:, may]])
    share = weights / weights.sum()
    best = np.full(q, np.inf)
    tail, is_log = np.zeros(q, dtype=np.int64), np.zeros(q, dtype=bool)
    is_squashed, error = np.zeros(q, dtype=bool), np.zeros((n, q))
    for row, fit in enumerate(fits):
        all_errors = fit.leave_one_out(both)
        for t, errors in zip(fit.tails, all_errors, strict=True):
            plain = errors[:, :q]
            # Both kinds are compared as squashed values: errors far from the centre count less.
            compared = outputs(y + plain) - seen
            handicap = LOG_HANDICAP if row else 1.0
            size = np.sqrt(share @ (compared * compared)) / handicap
            better = size < best
            best[better], tail[better], is_log[better] = size[better], t, bool(row)
            is_squashed[better], error[:, better] = False, plain[:, better]
            if may.size:
                squashed = errors[:, q:]
                size = np.sqrt(share @ (squashed * squashed)) / (handicap * SQUASHED_HANDICAP)
                better = size < best[may]
                of = may[better]
                best[of], tail[of], is_log[of] = size[better], t, bool(row)
                is_squashed[of], error[:, of] = True, squashed[:, better]
    chosen = np.where(is_squashed, seen, y)
    spread = np.sqrt(share @ (chosen - share @ chosen) ** 2)
    size = np.sqrt(share @ (error * error))
    skill = np.where(spread > 0.0, 1.0 - size / np.where(spread > 0.0, spread, 1.0), 1.0)
    return Choice(tail, is_log, error, skill), is_squashed
