"""What every strategy is: it is asked for points and told what came of them.

Searches that are easiest to write as one piece of code, from start to end, are generators:

    points = yield     # (k, d) array out: points of the user's space, worth evaluating together
    samples            # list of k `Sample` in, in the same order

`Stepping` turns such a generator into a strategy. What a generator does must follow from its
arguments and the samples alone: a run is saved as the samples it has taken, and resumed by giving
it the same samples again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from rdex.engine.engine import Engine
from rdex.evaluation.judging import Judge
from rdex.problem.problem import Floats
from rdex.problem.space import Space
from rdex.strategies.archive import Archive, Sample

if TYPE_CHECKING:
    from rdex.models.learnt import LearntModel

#: What results call local searches by finite differences.
LOCAL = "local search"

#: Yields points (k, d), is sent their k samples in the same order.
Search = Generator[Floats, list[Sample], Any]


class Trial(NamedTuple):
    """A point that a strategy wants evaluated; ids never repeat in a run."""

    id: int
    x: Floats


@dataclass(frozen=True)
class Phase:
    """What one part of a search spent and gained.

    name: the part. nfev: its evaluations. gain: what it improved, in words. seconds: time in the
    user's function. reason: why it got so many evaluations, or why it ended, in words.
    """

    name: str
    nfev: int
    gain: str
    seconds: float
    reason: str

    def __str__(self) -> str:
        plural = "" if self.nfev == 1 else "s"
        return f"{self.name}: {self.nfev} evaluation{plural}, {self.gain}"


class Strategy(Protocol):
    """Asked for points, told what came of them, in any order.

    judge: how it compares points. label: what results call it. phase: the part at work. n_restarts:
    restarts so far. has_stretches: whether it may have any (`stretch`).
    """

    judge: Judge
    label: str
    phase: str = ""
    n_restarts: int = 0
    has_stretches: bool = False

    def ask(self, n: int = 0) -> list[Trial]:
        """Up to `n` points to evaluate, 0 for a batch; none while results are needed first, or at
        the end."""
        ...

    def tell(self, id: int, sample: Sample) -> None:
        """What came of a point asked for."""
        ...

    def inject(self, sample: Sample) -> None:
        """What came of a point nobody asked for."""
        ...

    def set_clock(self, share: float) -> None:
        """Used share of a time limit."""
        ...

    def extend(self, maxfev: int) -> None:
        """A larger budget."""
        ...

    @property
    def n_rounds(self) -> int:
        """Rounds that a callback sees."""
        ...

    @property
    def phases(self) -> list[Phase]:
        """What each part spent and gained."""
        ...

    @property
    def is_polished(self) -> bool:
        """Whether a local search improved the best point."""
        return False

    def population(self) -> tuple[Floats, Floats, Floats]:
        """x, f and φ of its members, or of the best points known."""
        ...

    def get_ready(self) -> None:
        """Load now what would be loaded later, while workers would wait."""
        return

    def stretch(self) -> tuple[Engine, int] | None:
        """A differential evolution that may run by itself, and to which of its evaluations; None
        where points must be asked and told one by one."""
        return None

    def after_stretch(self) -> None:
        """The differential evolution has run by itself."""
        return

    def model(self) -> LearntModel | None:
        """What was learnt of the functions; None where there are no models, or too little data."""
        return None


@dataclass
class Noise:
    """Noise of the functions, as far as it was looked for.

    size: of f and each constraint (q,); None where none was seen. was_looked_for: a point was
    evaluated again. n_poor: steps by models that gained much less than predicted.
    """

    size: Floats | None = None
    was_looked_for: bool = False
    n_poor: int = 0


@dataclass
class Context:
    """What a search may know of its run.

    space, judge: the box; tolerances and scales of the constraints.
    archive: given points, and what searches other than differential evolution evaluate.
    maxfev: budget of the whole run.
    width: how many points are evaluated at a time; batches of about this size keep workers busy.
    rng: the only source of random numbers.
    start: points (k, d) that the user gave without values, to be evaluated first.
    scales_itself: whether the scales of the constraints are for the search to learn.
    make_engine: ``make_engine(maxfev, number, points)``: differential evolution number 0, 1, … of
        the run, for a budget of its own, whose first initial points are `points` (k, d).
    make_coded_engine: ``make_coded_engine(coded, trials, number, points)``: the same for a problem
        whose categories are coded (`OneHot`), sized for what is left of the budget of the run.
    make_smaller: ``make_smaller(lower, upper, maxfev, number)``: a context of its own for search
        number 0, 1, … in a part of the box.
    is_async: whether results come in any order and workers never wait.
    label: what results call the algorithm.
    n_elsewhere: evaluations whose points are not in the archive: those of a differential evolution.
    noise: what searches by models, here and in parts of the box, have seen of it.
    out_before: points that an earlier part of the search has out, as bytes: they are part of the
        budget, and need not be asked for again.
    """

    space: Space
    judge: Judge
    archive: Archive
    maxfev: int
    width: int = 1
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    start: Floats | None = None
    scales_itself: bool = True
    make_engine: Callable[[int, int, Floats | None], Engine] | None = None
    make_coded_engine: Callable[[Any, int, int, Floats | None], Engine] | None = None
    make_smaller: Callable[[Floats, Floats, int, int], Context] | None = None
    is_async: bool = False
    label: str = ""
    n_elsewhere: int = 0
    noise: Noise = field(default_factory=Noise)
    out_before: list[bytes] = field(default_factory=list)

    def smaller(self, lower: Floats, upper: Floats, maxfev: int, number: int) -> Context:
        """A context of its own in a part of the box; noise is the same everywhere."""
        assert self.make_smaller is not None
        made = self.make_smaller(lower, upper, maxfev, number)
        made.noise = self.noise
        return made

    @property
    def used(self) -> int:
        """Evaluations so far."""
        return self.archive.n + self.n_elsewhere

    @property
    def left(self) -> int:
        """Evaluations left."""
        return self.maxfev - self.used


class Stepping:
    """A generator as a strategy: one batch is out at a time.

    Parameters
    ----------
    search : Search
    is_lazy : bool
        The search goes on when it is asked again, not when the last result of a batch is in.
    """

    def __init__(self, search: Search, is_lazy: bool = False) -> None:
        self._search = search
        self._is_lazy = is_lazy
        self._due: list[Sample] | None = None  # what the search goes on with
        self._batch: list[Trial] = []  # points of the present batch not yet handed out
        self._waiting: dict[int, int] = {}  # id -> place in the batch
        self._samples: list[Sample | None] = []
        self._next_id = 0
        self.value: Any = None  # what the generator returned
        self.is_finished = False
        self.go_on(search)

    @property
    def n_out(self) -> int:
        """Points handed out and not told."""
        return len(self._waiting) - len(self._batch)

    def ask(self, n: int) -> list[Trial]:
        """Up to `n` points of the present batch."""
        if self._is_due:
            self._advance(self._due)
        asked, self._batch = self._batch[:n], self._batch[n:]
        return asked

    def tell(self, id: int, sample: Sample) -> None:
        """What came of a point; the search goes on when its batch is complete."""
        self._samples[self._waiting.pop(id)] = sample
        if not self._waiting:
            self._go_on_with([sample for sample in self._samples if sample is not None])

    def go_on(self, search: Search) -> None:
        """With another generator, after the end of the last; ids go on."""
        self._search, self.is_finished = search, False
        self._go_on_with(None)

    def _go_on_with(self, samples: list[Sample] | None) -> None:
        """Now, or when asked."""
        self._due, self._is_due = samples, True
        if not self._is_lazy:
            self._advance(samples)

    def _advance(self, samples: list[Sample] | None) -> None:
        """Run the generator to its next batch of at least one point."""
        self._is_due = False
        try:
            while True:
                points = next(self._search) if samples is None else self._search.send(samples)
                if len(points):
                    break
                samples = []
        except StopIteration as end:
            self.value, self.is_finished = end.value, True
            return
        ids = range(self._next_id, self._next_id + len(points))
        self._next_id += len(points)
        self._batch = [Trial(id, np.array(x)) for id, x in zip(ids, points, strict=True)]
        self._waiting = {id: place for place, id in enumerate(ids)}
        self._samples = [None] * len(points)
