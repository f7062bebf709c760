"""`Combinations`: a search over categories around a search that knows numbers only.

Models and local searches need distances and slopes, and categories have none. So each combination
of categories is a problem of its own, with a search of its own that never sees the others. Turns go
to the combination whose best point is best, and to combinations that differ from it in one
category, as long as there are new ones. No point is evaluated twice. Lists without categories are
one combination.

Where several points are evaluated at a time, other combinations have turns while a search waits for
results: workers stay busy.

`OverCategories` is a strategy made of it alone; `auto` goes on with an evolution.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rdex.models.learnt import LearntModel
from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.composite import Composite
from rdex.strategies.scout.design import design_size, latin_hypercube
from rdex.strategies.scout.modelling import learnt_model
from rdex.strategies.strategy import Context, Trial

PART = "search over categories"

#: Share of the budget for the first turns of all combinations, and evaluations of a turn per free
#: variable, at least and at most.
FIRST_TURNS = 0.5
LEAST_TURN, MOST_TURN = 2, 10

#: A search that asks for so many known points in a row has nothing new to say.
MOST_KNOWN = 10

#: Draws of a combination that may be new, once those near the best are used up.
DRAWS = 100

#: Every so many turns a combination other than the best goes on.
OTHERS = 4

Codes = tuple[float, ...]


@dataclass
class Arm:
    """One combination of categories: its search, its best row, and what it may still ask for."""

    codes: Codes
    search: Any
    best: int = -1
    n_out: int = 0
    n_known: int = 0  # points in a row that were known
    allowance: int = 0
    has_ended: bool = False


class Asked(NamedTuple):
    """A point that is out: of which combination, by which ids of its search, and its bytes.

    Points of the design belong to none yet.
    """

    arm: Arm | None
    ids: list[int]
    key: bytes


class Combinations:
    """Searches of combinations of categories, one turn at a time.

    Results must be in the archive of the context before they are told.

    Parameters
    ----------
    context : Context
    make : callable
        ``make(lower, upper, budget, number)`` gives the search number 0, 1, … in a smaller box.
    """

    def __init__(self, context: Context, make: Callable[[Floats, Floats, int, int], Any]) -> None:
        self.context, self.archive = context, context.archive
        space = context.space
        self._make = make
        self._where = np.flatnonzero(space.unordered & ~space.fixed)
        self._counts = space.n_values[self._where]
        self._first = space.lower[self._where]
        self._n_free = int((~space.fixed).sum()) - self._where.size + 1
        self._arms: dict[Codes, Arm] = {}
        self._out: dict[int, Asked] = {}
        self._id_of: dict[bytes, int] = {}  # of points that are out
        self._n_handed, self._turns = 0, 0
        self._maxfev = context.maxfev
        self._is_scaled = not context.scales_itself
        self._given = [] if context.start is None else list(context.start)
        self.is_finished = False
        self._design = [] if self._given or self.archive.n else list(self._drawn_points())
        self._at_work: list[Arm] = []  # whose turn it is

    # --- combinations -----------------------------------------------------------------------------
    @property
    def _n_all(self) -> float:
        """How many combinations there are."""
        return float(np.prod(self._counts.astype(float)))

    @property
    def _size(self) -> int:
        """Evaluations of a turn."""
        near = min(self._n_all, 1.0 + float((self._counts - 1).sum()))
        share = int(FIRST_TURNS * self.context.maxfev / near)
        return min(max(share, LEAST_TURN * self._n_free), MOST_TURN * self._n_free)

    def _new_arm(self, codes: Codes) -> Arm:
        """Begin the search of a combination."""
        space = self.context.space
        lower, upper = space.lower.copy(), space.upper.copy()
        lower[self._where] = upper[self._where] = codes
        maxfev = self.context.maxfev
        budget = maxfev if self._n_all == 1.0 else max(maxfev // 2, self._size)
        arm = Arm(codes, self._make(lower, upper, budget, len(self._arms)))
        self._arms[codes] = arm
        for row in np.flatnonzero((self.archive.x[:, self._where] == codes).all(axis=1)).tolist():
            arm.search.inject(self.archive.sample(row))
            if arm.best < 0 or self.archive.is_better(row, arm.best):
                arm.best = row
        return arm

    def _drawn_points(self) -> Floats:
        """Points (n, d) all over the box, every category as often as every other."""
        space, rng = self.context.space, self.context.rng
        n = design_size(self._n_free - 1 + self._where.size, self.context.maxfev)
        points = space.from_unit(latin_hypercube(n, space.dim, rng))
        for j, first, count in zip(self._where, self._first, self._counts, strict=True):
            points[:, j] = first + rng.permutation(np.arange(n) % count)
        _, first_of = np.unique(points, axis=0, return_index=True)
        return points[np.sort(first_of)]

    def _codes_of(self, x: Floats) -> Codes:
        return tuple(x[self._where].tolist())

    def _untried(self) -> Codes | None:
        """A combination that is new: of a given point, or the best with one category changed."""
        while self._given:
            codes = self._codes_of(self._given.pop(0))
            if codes not in self._arms:
                return codes
        if self.archive.best < 0:
            return self._drawn()
        here = self._codes_of(self.archive.x[self.archive.best])
        if here not in self._arms:
            return here
        new = []
        for k, count in enumerate(self._counts):
            for code in self._first[k] + np.arange(count):
                codes = (*here[:k], float(code), *here[k + 1 :])
                if codes not in self._arms:
                    new.append(codes)
        return None if not new else new[int(self.context.rng.integers(len(new)))]

    def _drawn(self) -> Codes | None:
        """A random combination that is new; None where none was drawn."""
        for _ in range(DRAWS):
            codes = tuple((self._first + self.context.rng.integers(self._counts)).tolist())
            if codes not in self._arms:
                return codes
        return None

    def _begin_turn(self) -> bool:
        """Of a new combination, the best one, or now and then another good one; whether there is
        any that is not at work."""
        resting = [arm for arm in self._arms.values() if arm not in self._at_work]
        going = [arm for arm in resting if not arm.has_ended]
        codes = self._untried()
        if codes is None and not going:
            codes = self._drawn()
        if codes is None and not resting:
            return False
        self._turns += 1
        if codes is not None:
            arm = self._new_arm(codes)
        else:
            ranked = sorted(going or resting, key=self._value)
            arm = ranked[0]
            if self._turns % OTHERS == 0 and len(ranked) > 1:
                arm = ranked[1 + int(self.context.rng.integers(min(len(ranked) - 1, 3)))]
        arm.allowance += self._size
        self._at_work.append(arm)
        return True

    def _value(self, arm: Arm) -> tuple[float, float]:
        """(φ, f) of its best point."""
        if arm.best < 0:
            return math.inf, math.inf
        f, phi = self.archive.settled(arm.best)
        return phi, f

    # --- asking and telling -----------------------------------------------------------------------
    def ask(self, n: int) -> list[Trial]:
        """Up to `n` points of the combinations whose turn it is, then of the next."""
        self._take_budget()
        if self._design:
            return self._ask_design(n)
        if not self._arms and self._out:
            return []  # the design first
        most = n + len(self._out)
        handed: list[Trial] = []
        waiting: list[Arm] = []
        idle = 0
        while len(handed) < n and idle <= len(self._arms):
            arm = next((arm for arm in self._at_work if arm not in waiting), None)
            if arm is None:
                if len(self._at_work) >= most or not self._begin_turn():
                    break
                continue
            room = min(n - len(handed), arm.allowance)
            asked = [] if arm.has_ended or room <= 0 else arm.search.ask(room)
            new = self._without_known(arm, asked)
            if new:
                arm.n_out += len(new)
                arm.allowance -= len(new)
                handed += new
                idle = 0
                continue
            if asked and arm.n_known < MOST_KNOWN:
                continue
            arm.has_ended = arm.has_ended or bool(asked)
            if arm.n_out and not arm.has_ended and arm.allowance > 0:
                waiting.append(arm)  # for results
                continue
            arm.has_ended = arm.has_ended or (room > 0 and not arm.n_out)
            arm.allowance = 0
            idle += 1
            self._at_work.remove(arm)
        self.is_finished = n > 0 and not handed and not self._out
        return handed

    def _ask_design(self, n: int) -> list[Trial]:
        """Points of the design."""
        asked, self._design = self._design[:n], self._design[n:]
        return [self._new_trial(None, [], x) for x in asked]

    def _new_trial(self, arm: Arm | None, ids: list[int], x: Floats) -> Trial:
        """A point with an id of its own."""
        id, key = self._n_handed, x.tobytes()
        self._out[id], self._id_of[key] = Asked(arm, ids, key), id
        self._n_handed += 1
        return Trial(id, x)

    def _without_known(self, arm: Arm, asked: list[Trial]) -> list[Trial]:
        """Points that are new, with ids of their own; its search is told at once what is known, at
        no cost, and what is out once it is known."""
        new = []
        for trial in asked:
            row, key = self.archive.find(trial.x), trial.x.tobytes()
            if row >= 0:
                arm.search.tell(trial.id, self.archive.sample(row))
            elif key in self._id_of:
                self._out[self._id_of[key]].ids.append(trial.id)
            else:
                new.append(self._new_trial(arm, [trial.id], trial.x))
        arm.n_known = 0 if new else arm.n_known + len(asked)
        return new

    def tell(self, id: int, sample: Sample) -> None:
        """To the search of its combination."""
        arm, own, key = self._out.pop(id)
        del self._id_of[key]
        if arm is not None:
            arm.n_out -= 1
            row = self.archive.find(sample.x)
            if arm.best < 0 or self.archive.is_better(row, arm.best):
                arm.best = row
            for number in own:
                arm.search.tell(number, sample)
        if not self._is_scaled and self.archive.n >= 2 * self._n_free + 10:
            self._is_scaled = True
            sizes = np.abs(np.hstack([self.archive.g, self.archive.h]))
            typical = np.nanmedian(np.where(np.isfinite(sizes), sizes, np.nan), axis=0)
            self.archive.rescale(np.where(typical > 0.0, typical, 1.0))

    def set_clock(self, share: float) -> None:
        """Used share of a time limit."""
        for arm in self._arms.values():
            arm.search.set_clock(share)

    def _take_budget(self) -> None:
        """A larger budget is one for all."""
        maxfev = self.context.maxfev
        if maxfev == self._maxfev:
            return
        self._maxfev = maxfev
        for arm in self._arms.values():
            budget = maxfev if self._n_all == 1.0 else maxfev // 2
            arm.search.extend(max(budget, arm.search.context.maxfev))
            arm.has_ended = False


class OverCategories(Composite):
    """The strategy of a search over categories alone.

    Parameters
    ----------
    context : Context
    make : callable
        As for `Combinations`.
    has_models : bool
        Whether its searches are searches by models.
    """

    def __init__(
        self,
        context: Context,
        make: Callable[[Floats, Floats, int, int], Any],
        has_models: bool = False,
    ) -> None:
        super().__init__(context)
        self._has_models = has_models
        self._combinations = Combinations(context, make)
        self.phase = PART
        self.book(PART)

    def ask(self, n: int = 0) -> list[Trial]:
        """Points of the combinations whose turn it is; 0 stands for a batch."""
        most = min(n or self.context.width, self.room)
        return self.hand_out(PART, self._combinations.ask(most))

    def take(self, part: str, id: int, sample: Sample) -> None:
        """Data for all, then to its combination."""
        self.keep(part, sample)
        self._combinations.tell(id, sample)

    def model(self) -> LearntModel | None:
        """What was learnt of the best combination; None while there is too little."""
        return learnt_model(self.context) if self._has_models else None

    def set_clock(self, share: float) -> None:
        """Used share of a time limit."""
        super().set_clock(share)
        self._combinations.set_clock(share)
