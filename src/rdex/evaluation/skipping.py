"""Constraints that need no simulator: asked first, and where one is violated nothing else is.

A point that violates one is infeasible whatever the simulator would say: its f is unknown (NaN) and
it is ordered by its violation. The constraints of the simulator are unknown there too. They count
with the largest violation seen so far, not with none: with none, a point a hair outside a cheap
constraint would beat every simulated point that violates another one, and the search would settle
on the wrong side of the border.
"""

from __future__ import annotations

import dataclasses
import traceback
from typing import Any

import numpy as np

from rdex.problem.constraints import Source, names_of, stated_of
from rdex.problem.problem import Floats, Problem
from rdex.workers.point_task import OK, RAISED, SKIPPED, Outcome, failed


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


class Skipping:
    """Decides for a run which points need no simulator, and how those count."""

    def __init__(self, first: CheapFirst) -> None:
        self.first = first
        self.n_skipped = 0
        #: Largest violation seen of each constraint of the simulator; 1 while none is known.
        self.largest = np.full(first.problem.n_constraints, np.nan)

    def outcome(self, x: Floats) -> Outcome | None:
        """The outcome of a point that needs no simulator, unknown values NaN; else None."""
        first, more = self.first, self.first.problem
        try:
            g, h = first.values(x)
        except Exception:  # the constraint failed at this point, as a simulator may
            sizes = first.n_ineq + more.n_ineq, first.n_eq + more.n_eq
            return failed(*sizes, traceback.format_exc(), RAISED)
        if not first.is_violated(g, h):
            return None
        return Outcome(
            np.nan,
            np.concatenate([g, np.full(more.n_ineq, np.nan)]),
            np.concatenate([h, np.full(more.n_eq, np.nan)]),
            status=SKIPPED,
        )

    def counted(self, outcome: Outcome) -> Outcome:
        """The outcome as the search sees it; called once for each, in the order of taking."""
        first = self.first
        m = first.problem.n_ineq
        if outcome.status == SKIPPED:
            self.n_skipped += 1
            known = np.where(np.isnan(self.largest), 1.0, self.largest)
            g = np.concatenate([outcome.g[: first.n_ineq], known[:m]])
            h = np.concatenate([outcome.h[: first.n_eq], known[m:]])
            return outcome._replace(g=g, h=h)
        if outcome.status == OK:
            seen = np.concatenate(
                [np.maximum(outcome.g[first.n_ineq :], 0.0), np.abs(outcome.h[first.n_eq :])]
            )
            self.largest = np.fmax(self.largest, np.where(np.isfinite(seen), seen, np.nan))
        return outcome


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
