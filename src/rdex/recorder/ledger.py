"""`Ledger`: the books of a run whose strategy is not the compiled engine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.engine.engine import Engine, Point, Population
from rdex.engine.state import Limits
from rdex.evaluation.judging import Judge
from rdex.problem.problem import Floats, Problem

if TYPE_CHECKING:
    from rdex.strategies.archive import Sample
    from rdex.strategies.strategy import Strategy


#: Points that plots and reports of a run can show.
MOST_KEPT = 20_000


class Ledger:
    """Counts evaluations and keeps the best so far, now and at checkpoints.

    It has the attributes of an `Engine` that say where a run stands. What is of the search alone
    (population, generations, restarts) it asks of the strategy; it has no ε.

    Parameters
    ----------
    problem : Problem
    limits : Limits
        Tolerances; "auto" scales are the median size of each constraint over the first points.
    maxfev : int
    goal : float
        Value of f that is good enough.
    checkpoints : int
        Number K of records of the best so far.
    strategy : Strategy
    """

    eps = math.nan

    def __init__(
        self, problem: Problem, limits: Limits, maxfev: int, goal: float, checkpoints: int,
        strategy: Strategy,
    ) -> None:  # fmt: skip
        self.problem = problem
        self.limits = limits
        self.maxfev = maxfev
        self.goal = goal
        self.checkpoints = checkpoints
        self.strategy = strategy
        self.judge = strategy.judge  # its scales may change while the search learns
        self._unscaled = Judge(problem, limits.eq_tol, limits.ineq_tol)
        self.first_feasible: int | None = None
        self._n_taken, self._n_taken_failed = 0, 0
        self._best_f, self._best_phi = math.inf, math.inf  # φ in the units of the constraints
        self._engine: Engine | None = None  # at work by itself
        self._since = 0, 0  # its evaluations and failures when it began
        self._best: tuple[Floats, Floats, Floats] | None = None  # x, g, h
        self._trace: list[tuple[int, float, float]] = []
        self.kept: list[tuple[int, Sample]] = []  # with the number of evaluations by then

    def take(self, sample: Sample) -> None:
        """One more evaluation."""
        self._n_taken += 1
        if len(self.kept) < MOST_KEPT:
            self.kept.append((self._n_taken, sample))
        f, phi = self.judge.settled(sample.f, self.judge.phi_of(sample.g, sample.h))
        if phi == math.inf:
            self._n_taken_failed += 1
        elif phi == 0.0 and self.first_feasible is None:
            self.first_feasible = self._n_taken
        self._compare(sample.x, f, phi, sample.g, sample.h)

    @contextmanager
    def following(self, engine: Engine) -> Iterator[None]:
        """Count what a differential evolution does by itself in the meantime, and what it finds."""
        self._engine, self._since = engine, (engine.nfev, engine.n_failed)
        try:
            yield
        finally:
            self._look_at_engine()
            if self.first_feasible is None and engine.first_feasible is not None:
                self.first_feasible = self._n_taken + engine.first_feasible - self._since[0]
            self._n_taken, self._n_taken_failed = self.nfev, self.n_failed
            self._engine = None

    def _look_at_engine(self) -> None:
        """The best point of the engine at work, if there is one, is ours too."""
        if self._engine is not None and self._engine.nfev > self._since[0]:
            x, f, phi, g, h = self._engine.best
            if phi < math.inf:
                phi = self.judge.phi_of(g, h)
            self._compare(x, f, phi, g, h)

    @property
    def nfev(self) -> int:
        """Evaluations."""
        extra = 0 if self._engine is None else self._engine.nfev - self._since[0]
        return self._n_taken + extra

    @property
    def n_failed(self) -> int:
        """Evaluations that failed."""
        extra = 0 if self._engine is None else self._engine.n_failed - self._since[1]
        return self._n_taken_failed + extra

    @property
    def best_f(self) -> float:
        """f of the best point so far."""
        self._look_at_engine()
        return self._best_f

    def _compare(self, x: Floats, f: float, phi: float, g: Floats, h: Floats) -> None:
        """Keep a point if it is the best so far."""
        if self._is_best(f, phi):
            failed = math.isinf(phi)
            self._best_f, self._best = f, (x, g, h)
            self._best_phi = math.inf if failed else self._unscaled.phi_of(g, h)
            self._trace.append((self.nfev, f, self._best_phi))

    def _is_best(self, f: float, phi: float) -> bool:
        """Whether a point is better than the best so far, by the present scales."""
        best = self._best
        if best is None:
            return True
        if self._best_phi == 0.0:
            return phi == 0.0 and f < self._best_f
        than = self.judge.phi_of(*best[1:]) if self._best_phi < math.inf else math.inf
        return self.judge.is_better(f, phi, self._best_f, than)

    def extend(self, maxfev: int) -> None:
        """A larger budget."""
        self.maxfev = maxfev

    @property
    def best(self) -> Point:
        """Best so far, feasibility first."""
        self._look_at_engine()
        if self._best is None:
            nothing = np.full(self.problem.n_ineq, np.nan), np.full(self.problem.n_eq, np.nan)
            return Point(
                np.clip(0.0, self.problem.lower, self.problem.upper), math.inf, math.inf, *nothing
            )
        x, g, h = self._best
        return Point(x.copy(), self._best_f, self._best_phi, g.copy(), h.copy())

    @property
    def is_goal_reached(self) -> bool:
        """Whether a feasible point with f at or below the goal is known."""
        is_known = self._best_phi == 0.0 and self._best_f <= self.goal
        return is_known or (self._engine is not None and self._engine.is_goal_reached)

    @property
    def is_finished(self) -> bool:
        """Whether the budget is used up."""
        return self.nfev >= self.maxfev

    @property
    def generation(self) -> int:
        """Rounds of the strategy."""
        return self.strategy.n_rounds

    @property
    def n_restarts(self) -> int:
        """Number of restarts."""
        return self.strategy.n_restarts

    @property
    def tolerance(self) -> Floats:
        """Tolerance of every constraint."""
        return self.judge.tolerance

    @property
    def constraint_scale(self) -> Floats:
        """What the search divides violations by."""
        return self.judge.scale.copy()

    def population(self) -> Population:
        """What the strategy calls its population."""
        return Population(*self.strategy.population())

    def search_facts(self) -> dict[str, str]:
        """What progress shows of the search: which part of it is at work."""
        return {"phase": self.strategy.phase}

    def spread(self) -> float:
        """Relative spread of f over the population; infinite while a member is infeasible."""
        _, f, phi = self.population()
        if not f.size or (phi > 0).any():
            return math.inf
        return float((f.max() - f.min()) / max(1.0, abs(f.min())))

    def history_rows(self) -> tuple[Any, ...]:
        """The fields of `History`, at the checkpoints and now; NaN for a differential evolution."""
        every = self.maxfev / self.checkpoints
        due = np.unique(np.ceil(np.arange(1, self.checkpoints + 1) * every).astype(np.int64))
        counts = np.append(due[due < self.nfev], self.nfev) if self.nfev else due[:0]
        at = np.array([row[0] for row in self._trace], dtype=np.int64)
        rows = np.searchsorted(at, counts, side="right") - 1
        f = np.array([row[1] for row in self._trace])
        phi = np.array([row[2] for row in self._trace])
        unknown, empty = np.full(len(counts), np.nan), np.empty((len(counts), 0))
        return counts, f[rows], phi[rows], *[unknown] * 6, *[empty] * 2
