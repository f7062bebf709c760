"""Constraints that need no simulator: asked first, and where one is violated nothing else is."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from rdex.problem.constraints import Source, names_of, stated_of
from rdex.problem.problem import Problem
from rdex.problem.variables import Floats


class CheapFirst:
    """A problem with further constraints that are evaluated before it.

    As a function of one point it gives NaN for everything the simulator was not asked for.
    """

    def __init__(self, problem: Problem, sources: list[Source]) -> None:
        self.problem = problem
        self.sources = sources
        self.n_ineq = sum(source.ineq[1].size for source in sources)
        self.n_eq = sum(source.eq[1].size for source in sources)
        self.ineq_tol: Floats = np.zeros(self.n_ineq)
        self.eq_tol: Floats = np.zeros(self.n_eq)

    def judge_by(self, ineq_tol: Any, eq_tol: Any) -> None:
        """Tolerances of all constraints, or one number for all; the cheap ones come first."""
        for label, given, n in (("ineq_tol", ineq_tol, self.n_ineq), ("eq_tol", eq_tol, self.n_eq)):
            array = np.asarray(given, dtype=np.float64)
            setattr(self, label, np.full(n, array) if array.ndim == 0 else array[:n].copy())

    def values(self, x: Floats) -> tuple[Floats, Floats]:
        """The cheap constraints at a point."""
        g: list[Floats] = []
        h: list[Floats] = []
        for source in self.sources:
            raw = source.values(x)
            for target, (rows, signs, shifts) in ((g, source.ineq), (h, source.eq)):
                target.append(signs * (raw[rows] - shifts))
        return np.concatenate([np.empty(0), *g]), np.concatenate([np.empty(0), *h])

    def is_violated(self, g: Floats, h: Floats) -> bool:
        """Whether the simulator is not needed; values that are not finite do not hold."""
        return not ((g <= self.ineq_tol).all() and (np.abs(h) <= self.eq_tol).all())

    def __call__(self, x: Floats, g: Floats, h: Floats) -> float:
        """f at one point, the constraints written into g and h."""
        cheap_g, cheap_h = self.values(x)
        g[: self.n_ineq], h[: self.n_eq] = cheap_g, cheap_h
        if self.is_violated(cheap_g, cheap_h):
            g[self.n_ineq :], h[self.n_eq :] = np.nan, np.nan
            return np.nan
        if self.problem.point is not None:
            return self.problem.point(x, g[self.n_ineq :], h[self.n_eq :])
        f, more_g, more_h = self.problem.evaluate(x[None, :])
        g[self.n_ineq :], h[self.n_eq :] = more_g[0], more_h[0]
        return float(f[0])

    def rows(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The same for rows, the simulator asked once for all that need it."""
        n = x.shape[0]
        f = np.full(n, np.nan)
        g = np.full((n, self.n_ineq + self.problem.n_ineq), np.nan)
        h = np.full((n, self.n_eq + self.problem.n_eq), np.nan)
        needed = []
        for i in range(n):
            g[i, : self.n_ineq], h[i, : self.n_eq] = self.values(x[i])
            if not self.is_violated(g[i, : self.n_ineq], h[i, : self.n_eq]):
                needed.append(i)
        if needed:
            f[needed], g[needed, self.n_ineq :], h[needed, self.n_eq :] = self.problem.evaluate(
                x[needed]
            )
        return f, g, h


def with_cheap(problem: Problem, sources: list[Source]) -> Problem:
    """The problem with its cheap constraints in front, inequalities and equalities each."""
    first = CheapFirst(problem, sources)
    g_names, h_names = names_of(sources)
    g_stated, h_stated = stated_of(sources)
    own = problem.constraint_names
    taken = set(own)
    g_names = [f"cheap {name}" if name in taken else name for name in g_names]
    h_names = [f"cheap {name}" if name in taken else name for name in h_names]
    return dataclasses.replace(
        problem,
        n_ineq=first.n_ineq + problem.n_ineq,
        n_eq=first.n_eq + problem.n_eq,
        rows=first.rows if problem.rows is not None else None,
        point=None if problem.rows is not None else first,
        compile=None,
        optimum_x=problem.optimum_x,
        constraint_names=(*g_names, *own[: problem.n_ineq], *h_names, *own[problem.n_ineq :]),
        stated=(
            *g_stated,
            *problem.stated[: problem.n_ineq],
            *h_stated,
            *problem.stated[problem.n_ineq :],
        ),
    )
