"""`Surrogate`: models of f and of every constraint, each with what suits it best."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rdex.models.inputs import Inputs, Outputs
from rdex.models.rbf import Fit, Polynomials, largest_tail, squared_distances

Floats = NDArray[np.float64]

#: Leave-one-out errors of the less natural choices are divided by these before they are compared.
SQUASHED_HANDICAP = 0.8
LOG_HANDICAP = 0.9


class Part:
    """The functions that are modelled on the same inputs.

    columns: which functions. c: (k, n) weights.

    Products of small arrays are by `dot`: it takes half the time of `@`.
    """

    def __init__(
        self, columns: NDArray[np.int64], inputs: Inputs, u: Floats, c: Floats, tail: Polynomials
    ) -> None:
        self.columns = columns
        self.inputs = inputs
        self._u, self._c, self._tail = u, c, tail
        self._sizes = np.vecdot(u, u)
        k, d = tail.slope.shape
        self._shape = (k, d)
        curvature = tail.curvature
        self._curvature = None if curvature is None else curvature.reshape(k * d, d)

    def scaled(
        self, columns: NDArray[np.int64], of: NDArray[np.int64], factor: Floats, offset: Floats
    ) -> Part:
        """The functions `columns` of another set: factor·y + offset, y the functions `of` here."""
        tail = self._tail
        return Part(columns, self.inputs, self._u, self._c[of] * factor[:, None], Polynomials(
            tail.const[of] * factor + offset, tail.slope[of] * factor[:, None],
            None if tail.curvature is None else tail.curvature[of] * factor[:, None, None],
        ))  # fmt: skip

    def values(self, z: Floats) -> Floats:
        """(k,) at a point (d,); `slopes` then gives the slopes there."""
        self._z = z
        self._at = u = self.inputs(z)
        squares = np.maximum(self._sizes + u.dot(u) + self._u.dot(-2.0 * u), 0.0)
        self._r = np.sqrt(squares)
        slope = self._tail.slope
        self._bend: Floats | None = None
        if self._curvature is not None:
            self._bend = self._curvature.dot(u).reshape(self._shape)
            slope = slope + 0.5 * self._bend
        values: Floats = self._c.dot(squares * self._r) + slope.dot(u) + self._tail.const
        return values

    def slopes(self) -> Floats:
        """(k, d) at the point of the last `values`."""
        # Σ 3 c r (u − u_i), as two sums
        pull = 3.0 * self._r
        slopes = self._c.dot(pull)[:, None] * self._at - (self._c * pull).dot(self._u)
        slopes += self._tail.slope
        if self._bend is not None:
            slopes += self._bend
        scaled: Floats = slopes * self.inputs.slopes(self._z)
        return scaled

    def rows(self, z: Floats) -> Floats:
        """(m, k) at points (m, d)."""
        u = self.inputs(z)
        squares = squared_distances(u, self._u)
        cubes = np.sqrt(squares)
        cubes *= squares
        values = cubes @ self._c.T
        values += u @ self._tail.slope.T + self._tail.const
        if self._curvature is not None:
            bends = (u @ self._curvature.T).reshape(len(u), *self._shape)
            values += 0.5 * np.einsum("mkd,md->mk", bends, u)
        return np.asarray(values)


class Models:
    """Models of functions, in parts with different inputs."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts
        self.n_functions = sum(part.columns.size for part in parts)

    def values(self, z: Floats) -> Floats:
        """(q,) at a point; `slopes` then gives the slopes there."""
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
        of_parts = [part.slopes() for part in self.parts]
        slopes = np.empty((self.n_functions, of_parts[0].shape[1]))
        for part, of_part in zip(self.parts, of_parts, strict=True):
            slopes[part.columns] = of_part
        return slopes

    def rows(self, z: Floats) -> Floats:
        """(m, q) at points (m, d)."""
        values = np.empty((len(z), self.n_functions))
        for part in self.parts:
            values[:, part.columns] = part.rows(z)
        return values

    def scaled(self, columns: NDArray[np.int64], factor: Floats, offset: Floats) -> Models:
        """Models of factor·y[columns] + offset (r,): as cheap to evaluate as y itself."""
        parts = []
        for part in self.parts:
            to, of = np.nonzero(columns[:, None] == part.columns)
            if to.size:
                parts.append(part.scaled(to, of, factor[to], offset[to]))
        return Models(parts)


@dataclass
class Choice:
    """What suits each function best, and how large its errors are.

    tail: (q,). fit: (q,) which factorisation. error: (n, q) leave-one-out errors as the models see
    values, of the points that all factorisations have.
    skill: (q,) 1 − size of the errors / spread of the values: 1 perfect, 0 no better than a mean.
    """

    tail: NDArray[np.int64]
    fit: NDArray[np.int64]
    error: Floats
    skill: Floats


class Surrogate(Models):
    """Models of q functions known at n points; their values are as the models see values.

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
    nuggets : sequence of float
        Smoothing to choose from: 0 interpolates, more smooths.
    sizes : sequence of int
        The models may be made of so many of the first points; default all.

    Attributes
    ----------
    outputs : Outputs
        As chosen.
    choice : Choice
    """

    def __init__(
        self, z: Floats, y: Floats, outputs: Outputs, views: list[Inputs], weights: Floats,
        nuggets: Sequence[float] = (0.0,), sizes: Sequence[int] = (),
    ) -> None:  # fmt: skip
        n, d = z.shape
        points = [view(z) for view in views]
        fits, handicaps, origins = [], [], []
        for size, nugget in itertools.product(sizes or (n,), nuggets):
            for k, (view, u) in enumerate(zip(views, points, strict=True)):
                fits.append(Fit(u[:size], largest_tail(size, d), nugget))
                handicaps.append(LOG_HANDICAP if k else 1.0)
                origins.append(view)
        choice, is_squashed = choose(fits, handicaps, y, outputs, weights)
        self.choice = choice
        self.outputs = Outputs(outputs.centre, outputs.scale, is_squashed)
        seen = self.outputs(y)
        parts = []
        for row, (fit, view) in enumerate(zip(fits, origins, strict=True)):
            columns = np.flatnonzero(choice.fit == row)
            if columns.size:
                known = seen[: len(fit.u)]
                parts.append(make_part(fit, view, columns, known, choice.tail))
        super().__init__(parts)


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
    return Part(columns, view, fit.u, np.ascontiguousarray(c.T), fit.polynomials(y, c, tail))


def choose(
    fits: list[Fit], handicaps: list[float], y: Floats, outputs: Outputs, weights: Floats
) -> tuple[Choice, NDArray[np.bool_]]:
    """The factorisation, tail and output of each function by weighted leave-one-out error."""
    q, n = y.shape[1], min(len(fit.u) for fit in fits)
    may = np.flatnonzero(outputs.is_squashed)
    all_seen = outputs(y)
    both = np.hstack([y, all_seen[:, may]])
    y, seen, share = y[:n], all_seen[:n], weights[:n] / weights[:n].sum()
    best = np.full(q, np.inf)
    tail, chosen_fit = np.zeros(q, dtype=np.int64), np.zeros(q, dtype=np.int64)
    is_squashed, error = np.zeros(q, dtype=bool), np.zeros((n, q))
    for row, (fit, handicap) in enumerate(zip(fits, handicaps, strict=True)):
        all_errors = fit.leave_one_out(both[: len(fit.u)])[:, :n]
        # Both kinds are compared as squashed values: errors far from the centre count less.
        compared = outputs(y + all_errors[..., :q]) - seen
        sizes = np.sqrt(share @ (compared * compared)) / handicap
        squashed_sizes = np.sqrt(share @ all_errors[..., q:] ** 2) / (handicap * SQUASHED_HANDICAP)
        for k, t in enumerate(fit.tails):
            plain, squashed = all_errors[k, :, :q], all_errors[k, :, q:]
            size = sizes[k]
            better = size < best
            best[better], tail[better], chosen_fit[better] = size[better], t, row
            is_squashed[better], error[:, better] = False, plain[:, better]
            if may.size:
                size = squashed_sizes[k]
                better = size < best[may]
                of = may[better]
                best[of], tail[of], chosen_fit[of] = size[better], t, row
                is_squashed[of], error[:, of] = True, squashed[:, better]
    values = np.where(is_squashed, seen, y)
    spread = np.sqrt(share @ (values - share @ values) ** 2)
    size = np.sqrt(share @ (error * error))
    skill = np.where(spread > 0.0, 1.0 - size / np.where(spread > 0.0, spread, 1.0), 1.0)
    return Choice(tail, chosen_fit, error, skill), is_squashed
