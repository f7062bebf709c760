"""What strategies made of parts have in common: ids, the archive, and the books of each part."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.strategy import Context, Phase, Strategy, Trial


@dataclass
class PartBook:
    """What a part has spent and gained so far."""

    name: str
    nfev: int = 0
    seconds: float = 0.0
    improved: int = 0  # times that the best point of the run came from it
    made_feasible: bool = False
    runs: int = 0
    reason: str = ""

    def phase(self) -> Phase:
        """As results show it."""
        times = {0: "no gain", 1: "improved the best once"}
        gain = times.get(self.improved, f"improved the best {self.improved} times")
        if self.made_feasible:
            gain += ", found the first feasible point"
        return Phase(self.name, self.nfev, gain, self.seconds, self.reason)


class _Owned(NamedTuple):
    part: str
    id: int
    x: Floats


class Composite(Strategy):
    """A strategy made of parts, each with ids of its own.

    A subclass hands out points of its parts by `hand_out`, takes what comes back by `take`, and
    never has more out than the budget allows (`room`).
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.archive = context.archive
        self.judge = context.judge
        self.label = context.label
        self.n_restarts = 0
        self.phase = ""
        self.books: dict[str, PartBook] = {}
        self._owned: dict[int, _Owned | None] = {}
        self._next_id = 0
        self._clock = 0.0

    @property
    def n_rounds(self) -> int:
        """Rounds that a callback sees: one per evaluation where the search has none of its own."""
        return self.context.used

    # --- what a run needs -------------------------------------------------------------------------
    @property
    def room(self) -> int:
        """How many more points may be handed out."""
        return self.context.left - len(self.context.out_before) - len(self._owned)

    @property
    def phases(self) -> list[Phase]:
        """What each part spent and gained."""
        return [book.phase() for book in self.books.values()]

    def book(self, part: str) -> PartBook:
        """The books of a part."""
        if part not in self.books:
            self.books[part] = PartBook(part)
        return self.books[part]

    def hand_out(self, part: str, trials: list[Trial]) -> list[Trial]:
        """Points of a part with ids of the run."""
        handed = []
        for trial in trials:
            self._owned[self._next_id] = _Owned(part, trial.id, trial.x)
            handed.append(Trial(self._next_id, trial.x))
            self._next_id += 1
        return handed

    def tell(self, id: int, sample: Sample) -> None:
        """What came of a point: into the books, then to its part."""
        owner = self._owned.pop(id)
        if owner is None:
            self.archive.add(sample)
            return
        book = self.book(owner.part)
        book.nfev += 1
        book.seconds += sample.seconds
        self.take(owner.part, owner.id, sample)

    def keep(self, part: str, sample: Sample) -> bool:
        """Into the archive; whether it is the best now."""
        before = self.archive.best
        was_feasible = before >= 0 and self.archive.phi[before] == 0.0
        row = self.archive.add(sample)
        if self.archive.best != row:
            return False
        book = self.book(part)
        book.improved += 1
        if self.archive.phi[row] == 0.0 and not was_feasible and self.judge.tolerance.size:
            book.made_feasible = True
        return True

    def take(self, part: str, id: int, sample: Sample) -> None:
        """To the part."""
        raise NotImplementedError

    def forget(self, part: str) -> None:
        """Points of a part that are out count as evaluations and data, and no more."""
        for id, owner in self._owned.items():
            if owner is not None and owner.part == part:
                self._owned[id] = None

    def inject(self, sample: Sample) -> None:
        """A point nobody asked for."""
        self.archive.add(sample)

    def learn(self, sample: Sample) -> None:
        """A point of `Context.out_before` is known now, and in the archive."""

    def set_clock(self, share: float) -> None:
        """Used share of a time limit."""
        self._clock = share

    def extend(self, maxfev: int) -> None:
        """A larger budget."""
        self.context.maxfev = maxfev

    def population(self) -> tuple[Floats, Floats, Floats]:
        """The best points known, best first."""
        rows = best_rows(self.archive, 100)
        return self.archive.x[rows], self.archive.f[rows], self.archive.phi[rows]


def best_rows(archive: Any, most: int) -> Any:
    """Rows of the best points of an archive, best first; failed ones left out."""
    f = np.where(np.isnan(archive.f), math.inf, archive.f)
    order = np.lexsort((f, archive.phi))[:most]
    return order[np.isfinite(archive.phi[order])]


def spread_rows(archive: Any, most: int, least: float) -> list[int]:
    """Rows of good points, best first, each at least so far from those before it.

    Distances are shares of the box in the variable that differs most. Searches that converge leave
    many points about one place; a population needs one of them.
    """
    kept: list[int] = []
    for row in best_rows(archive, archive.n):
        if len(kept) >= most:
            break
        away = np.abs(archive.z[kept] - archive.z[row]).max(axis=1, initial=0.0)
        if (away >= least).all():
            kept.append(int(row))
    return kept


def first_points(
    context: Context, n0: int, share: float, least: float
) -> tuple[Floats | None, list[int]]:
    """What a population of n0 starts from, and the rows of the archive among it.

    Good points already known, at most a share of the population and at least so far from each
    other, then what the user wants evaluated.
    """
    archive = context.archive
    given = np.empty((0, context.space.dim)) if context.start is None else context.start
    most = min(max(1, int(share * n0)), max(0, n0 - len(given)))
    seeds = spread_rows(archive, most, least)
    points = np.concatenate([archive.x[seeds], given])[:n0]
    return (points if len(points) else None), seeds
