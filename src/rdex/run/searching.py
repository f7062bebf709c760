"""A strategy at work: how far it is, and how it is saved and put back.

A plain differential evolution keeps its own books in compiled code. Every other strategy is kept as
a journal of its calls, with a `Ledger` for the books. Both have the same attributes and methods.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rdex.common.errors import RunFileError
from rdex.engine.engine import Engine
from rdex.engine.settings import Constants
from rdex.problem.problem import Problem
from rdex.recorder.ledger import Ledger
from rdex.run.spec import RunSpec
from rdex.strategies.archive import Sample
from rdex.strategies.evolution import Evolution
from rdex.strategies.journal import CLOCK, QUIET, Journal
from rdex.strategies.strategy import Phase, Strategy, Trial

if TYPE_CHECKING:
    from rdex.models.learnt import LearntModel

Arrays = dict[str, NDArray[Any]]


class EngineSearching:
    """A differential evolution alone.

    Parameters
    ----------
    spec : RunSpec
    is_asked : bool
        Whether somebody else evaluates: batches as in a run of `minimize`, told in any order.
    """

    has_stretches = is_polished = False

    def __init__(self, spec: RunSpec, is_asked: bool = False) -> None:
        self.spec = spec
        self._is_asked = is_asked
        room = spec.in_flight or spec.batch or 1
        if is_asked:  # a generation, each of its trials with a race partner, can be pending
            room = spec.settings.initial_size(spec.problem.dim, spec.maxfev)
        self.standing: Engine = spec.engine(capacity=max(64, 2 * room + 4))

    @property
    def label(self) -> str:
        """Name of the settings."""
        return self.settings.label

    @property
    def phases(self) -> list[Phase]:
        """One part alone."""
        return []

    def model(self) -> None:
        """No models."""

    def get_ready(self) -> None:
        """Kernels are found when they are called."""

    def ran_stretch(self, run: Callable[[Engine, int], None]) -> bool:
        """Not a part of the search: the driver runs all of it."""
        return False

    @property
    def settings(self) -> Constants:
        """As the engine has them."""
        return self.standing.settings

    @cached_property
    def _strategy(self) -> Evolution:
        """For the general loop; the fast ones advance the engine itself."""
        return self._made(None)

    def _made(self, numbers: Any) -> Evolution:
        any_order = self._is_asked or self.spec.in_flight is not None
        return Evolution(self.standing, any_order, numbers, self._is_asked)

    def pending(self) -> list[Trial]:
        """Points that were out when the run was saved."""
        return self._strategy.pending()

    def ask(self, n: int) -> list[Trial]:
        """Points of the engine."""
        return self._strategy.ask(n)

    def tell(self, id: int, sample: Sample) -> None:
        """To the engine."""
        self._strategy.tell(id, sample)

    def inject(self, sample: Sample) -> None:
        """A point nobody asked for; nothing may be pending."""
        self.standing.inject(sample.x, sample.f, sample.g, sample.h)

    def set_clock(self, share: float) -> None:
        """The schedules follow it."""
        self.standing.set_clock(share)

    def arrays(self) -> Arrays:
        """The state of the engine."""
        return self.standing.arrays()

    def facts(self) -> dict[str, Any]:
        """Numbers of the points that are out."""
        return self._strategy.saved()

    def restore(self, arrays: Arrays, facts: dict[str, Any]) -> None:
        """Go on from a state."""
        self.standing.restore(arrays, may_grow=not self._is_asked)
        self._strategy = self._made(facts.get("numbers"))
        self._strategy.restore(facts)

    def extend(self, maxfev: int) -> None:
        """A new schedule; points that were out are forgotten."""
        numbers = self._strategy.saved().get("numbers")
        self.standing.extend(maxfev)
        is_empty = self.standing.n_asked == self.standing.nfev
        self._strategy = self._made(None if is_empty else numbers)


class JournalSearching:
    """Any other strategy.

    Parameters
    ----------
    spec : RunSpec
    make : callable
        ``make(maxfev)`` gives the strategy at its beginning, for that budget.
    """

    def __init__(self, spec: RunSpec, make: Callable[[int], Strategy]) -> None:
        self.spec = spec
        self._make = make
        self._begin(spec.maxfev)

    def _begin(self, maxfev: int) -> None:
        self._journal = Journal(self._make(maxfev))
        self.standing = Ledger(self.spec.problem, self.spec.limits, maxfev, self.spec.goal,
                               self.spec.checkpoints, self._journal.strategy)  # fmt: skip
        for sample in self.spec.known_samples:
            self.standing.take(sample)
        self._began_with = maxfev
        self._extended: list[tuple[int, int]] = []  # calls made, and the new budget

    @property
    def label(self) -> str:
        """As the strategy says."""
        return self.strategy.label

    @property
    def phases(self) -> list[Phase]:
        """As the strategy says."""
        return self.strategy.phases

    def model(self) -> LearntModel | None:
        """What the strategy learnt of the functions; None if it makes no models."""
        return self.strategy.model()

    def get_ready(self) -> None:
        """Load now what would be loaded later."""
        self.strategy.get_ready()

    @property
    def settings(self) -> Constants:
        """Of the differential evolution in it."""
        return self.spec.settings

    @property
    def strategy(self) -> Strategy:
        """The strategy itself."""
        return self._journal.strategy

    @property
    def is_polished(self) -> bool:
        """As the strategy says."""
        return self.strategy.is_polished

    @property
    def has_stretches(self) -> bool:
        """As the strategy says."""
        return self.strategy.has_stretches

    def pending(self) -> list[Trial]:
        """Points that were out when the run was saved."""
        return self._journal.pending()

    def ask(self, n: int) -> list[Trial]:
        """Points of the strategy; what is asked for beyond the budget is not kept."""
        return self._journal.ask(min(n, self.standing.maxfev))

    def __deepcopy__(self, memo: Any) -> JournalSearching:
        """A search at the same point: generators cannot be copied, so the calls are made again."""
        copy = JournalSearching(self.spec, self._make)
        copy.restore(self.arrays(), self.facts())
        return copy

    def ran_stretch(self, run: Callable[[Engine, int], None]) -> bool:
        """Let a differential evolution of the strategy run by itself, if it is its turn.

        Nothing of it is kept in the journal: only for runs that are never saved.
        """
        stretch = QUIET(self.strategy.stretch)()
        if stretch is None:
            return False
        engine, until = stretch
        with self.standing.following(engine):
            run(engine, until)
        self.strategy.after_stretch()
        return True

    def tell(self, id: int, sample: Sample) -> None:
        """To the strategy and into the books."""
        self._journal.tell(id, sample)
        self.standing.take(sample)

    def inject(self, sample: Sample) -> None:
        """A point nobody asked for is one more evaluation, and data for the search."""
        self._journal.inject(sample)
        self.standing.take(sample)

    def set_clock(self, share: float) -> None:
        """Passed on."""
        self._journal.set_clock(share)

    def arrays(self) -> Arrays:
        """The journal."""
        budgets = [(0, self._began_with), *self._extended]
        return {**self._journal.arrays(), "budgets": np.array(budgets, dtype=np.int64)}

    def facts(self) -> dict[str, Any]:
        """Nothing more."""
        return {}

    def restore(self, arrays: Arrays, facts: dict[str, Any]) -> None:
        """Make all calls again, with the budgets of their times."""
        budgets = checked_budgets(arrays, self.spec.maxfev)
        check_inputs(arrays, self.spec.problem)
        self._begin(int(budgets[0, 1]))
        sizes = self.spec.problem.n_ineq, self.spec.problem.n_eq
        ends = [*budgets[1:].tolist(), [None, None]]
        for calls, maxfev in ends:
            for sample in self._journal.replay(arrays, *sizes, until=calls):
                self.standing.take(sample)
            if maxfev is not None:
                self.extend(maxfev)

    def extend(self, maxfev: int) -> None:
        """A larger budget, from now on."""
        self._extended.append((self._journal.n_calls, maxfev))
        self.strategy.extend(maxfev)
        self.standing.extend(maxfev)


#: What the driver knows of a strategy at work.
Searching = EngineSearching | JournalSearching


def checked_budgets(arrays: Arrays, maxfev: int) -> NDArray[np.int64]:
    """Budgets, at most `maxfev`, and the numbers of calls at which they began; or a RunFileError.

    Nothing that was ever asked for at once is more than the budget either.
    """
    budgets = arrays.get("budgets")
    is_table = budgets is not None and budgets.ndim == 2 and budgets.shape[1] == 2
    if budgets is None or not is_table or budgets.dtype != np.int64 or (budgets[:, 1] < 1).any():
        raise RunFileError("the saved run has no list of budgets")
    begins, sizes, calls = budgets[:, 0], budgets[:, 1], arrays.get("calls", np.empty(0))
    asked = calls[calls < CLOCK]  # what is above stands for clocks and injections
    rises = len(budgets) and begins[0] == 0 and (np.diff(begins) >= 0).all()
    if not rises or (np.diff(sizes) < 0).any() or max(sizes.max(), *asked.flat, 0) > maxfev:
        raise RunFileError("the budgets of the saved run make no sense")
    return budgets


def check_inputs(arrays: Arrays, problem: Problem) -> None:
    """Points of the user's own are inside the box, shares of the time are shares; or a
    RunFileError."""
    x, clock = arrays.get("injections", np.empty(0)), arrays.get("clock", np.empty(0))
    is_table = x.size == 0 or (x.dtype == np.float64 and x.shape[1:] == (problem.dim,))
    rows = x.reshape(-1, problem.dim) if is_table else x
    if not is_table or not ((rows >= problem.lower) & (rows <= problem.upper)).all():
        raise RunFileError("the saved run holds points outside the bounds")
    if clock.dtype != np.float64 or clock.ndim != 1 or not ((clock >= 0) & (clock <= 1)).all():
        raise RunFileError("the saved run holds times that make no sense")


def make_searching(spec: RunSpec, is_asked: bool = False) -> Searching:
    """The strategy that a run asks for, at its beginning; `is_asked` if somebody else evaluates."""
    from rdex.strategies.registry import EVOLUTION, make_strategy

    if spec.strategy == EVOLUTION:
        return EngineSearching(spec, is_asked)
    return JournalSearching(spec, lambda maxfev: make_strategy(spec.strategy, spec.context(maxfev)))
