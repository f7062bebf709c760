"""`Archive`: every point a run knows, whoever asked for it: data for all parts of a search."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rdex.evaluation.judging import Judge
from rdex.problem.problem import Floats
from rdex.problem.space import Space


class Sample(NamedTuple):
    """A point of the user's space with its values; NaN where an evaluation failed.

    seconds: what the evaluation took.
    """

    x: Floats
    f: float
    g: Floats
    h: Floats
    seconds: float = 0.0


class Archive:
    """Points and values in the order in which they came.

    Attributes
    ----------
    n : int
        How many there are.
    x, f, g, h : arrays (n, d), (n,), (n, n_ineq), (n, n_eq)
        Points of the user's space and their values as evaluated.
    z : (n, d) array
        The points in the unit cube.
    phi : (n,) array
        Mean scaled violation: 0 feasible, infinite failed.
    best : int
        Row of the best, feasibility first; -1 while there is none that worked.
    """

    def __init__(self, space: Space, judge: Judge, room: int = 256) -> None:
        self.space = space
        self.judge = judge
        self.n = 0
        self.best = -1
        d = space.dim
        self._x, self._z = np.empty((room, d)), np.empty((room, d))
        self._f, self._phi = np.empty(room), np.empty(room)
        self._g, self._h = np.empty((room, judge.n_ineq)), np.empty((room, judge.n_eq))
        self._row_of: dict[bytes, int] = {}

    @property
    def x(self) -> Floats:
        """Points (n, d)."""
        return self._x[: self.n]

    @property
    def z(self) -> Floats:
        """Points in the unit cube (n, d)."""
        return self._z[: self.n]

    @property
    def f(self) -> Floats:
        """Objective values (n,)."""
        return self._f[: self.n]

    @property
    def g(self) -> Floats:
        """Inequality constraints (n, n_ineq)."""
        return self._g[: self.n]

    @property
    def h(self) -> Floats:
        """Equality constraints (n, n_eq)."""
        return self._h[: self.n]

    @property
    def phi(self) -> Floats:
        """Mean scaled violations (n,)."""
        return self._phi[: self.n]

    def add(self, sample: Sample) -> int:
        """Take one more; its row."""
        if self.n == len(self._f):
            self._grow()
        k = self.n
        self._x[k], self._z[k] = sample.x, self.space.to_unit(sample.x)
        self._f[k], self._g[k], self._h[k] = sample.f, sample.g, sample.h
        self._row_of[sample.x.tobytes()] = k
        self.n += 1
        self._judge_row(k)
        return k

    def _judge_row(self, k: int) -> None:
        """φ of a row; whether it is the best."""
        f, phi = self.settled(k)
        self._phi[k] = phi
        best = self.best
        if phi < math.inf and (best < 0 or self.judge.is_better(f, phi, *self.settled(best))):
            self.best = k

    def settled(self, k: int) -> tuple[float, float]:
        """(f, φ) of a row as points are compared."""
        return self.judge.settled(float(self._f[k]), self.judge.phi(self._g[k], self._h[k]))

    def is_better(self, i: int, j: int) -> bool:
        """Whether row i is better than row j."""
        return self.judge.is_better(*self.settled(i), *self.settled(j))

    def find(self, x: Floats) -> int:
        """The latest row of exactly this point; -1 where there is none."""
        return self._row_of.get(x.tobytes(), -1)

    def sample(self, k: int) -> Sample:
        """A row as a sample."""
        return Sample(self._x[k].copy(), float(self._f[k]), self._g[k].copy(), self._h[k].copy())

    def rescale(self, scale: Floats) -> None:
        """Other scales of the constraints; φ and the best follow."""
        self.judge.scale[:] = scale
        self.best = -1
        for k in range(self.n):
            self._judge_row(k)

    def _grow(self) -> None:
        """Room for twice as many."""
        for name in ("_x", "_z", "_f", "_phi", "_g", "_h"):
            old = getattr(self, name)
            new = np.empty((2 * len(old), *old.shape[1:]))
            new[: self.n] = old[: self.n]
            setattr(self, name, new)
