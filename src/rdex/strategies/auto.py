"""`Auto`: a strategy made of strategies, for users who should not have to choose.

A search by models of f and of every constraint finds most in the fewest evaluations, but costs
milliseconds per evaluation and is lost on rugged functions. Differential evolution with local
search costs microseconds and needs thousands of evaluations. So models go first, as long as they
pay; what they have found is data for the rest of the run. Models are left when

- the search by models has ended by itself: its models have no skill, or nothing works,
- it has not improved the best point for long, and enough is left for a population,
- its time is used up: see `AutoSettings.allowance`.

Where variables are lists or categories, models search each combination of categories by itself, and
a discrete evolution has the rest: `LISTS`.

No clock is read. The time of an evaluation is taken from the results, in powers of ten, and the
time of the models from a formula, so that a run repeats itself.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rdex.engine.engine import Engine
from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.composite import Composite
from rdex.strategies.scout.search import scout_search
from rdex.strategies.scout.state import Report
from rdex.strategies.strategy import LOCAL, Context, Phase, Stepping, Trial

# Parts are imported when they begin: the first evaluation does not wait for them.
if TYPE_CHECKING:
    from rdex.models.learnt import LearntModel
    from rdex.strategies.categories import Combinations
    from rdex.strategies.discrete import DiscreteEvolution
    from rdex.strategies.hybrid import Hybrid

MODELS, REST = "models", "rest"

#: Time to choose the points of a round beside the first, as a share of an evaluation.
CHOOSING = 0.1


@dataclass(frozen=True)
class AutoSettings:
    """When models are worth their time and their evaluations.

    model_seconds: what models may take per evaluation where evaluations are precious, and up to
        which budget the user is taken to mean that they are: small_budget. Larger budgets have
        less time in all: half as much where they are four times as large.
    time_share: what models may take beside, as a share of the time of all evaluations.
    patience: evaluations without a better point after which models are left, as a share of the
        budget, and at least `least_patience` per variable,
    population: where at least so many evaluations per variable are left for a population. Where
        fewer are left, models may take `scarce` times as long: hardly anything else can use the
        rest. Where fewer than `least_rest` times d + 1 are left, nothing can, and they go on.
    evaluation_seconds: the time of an evaluation; None measures it.
    """

    model_seconds: float = 0.02
    small_budget: int = 1000
    time_share: float = 0.5
    patience: float = 0.2
    least_patience: int = 20
    population: int = 200
    scarce: float = 3.0
    least_rest: int = 3
    evaluation_seconds: float | None = None

    def allowance(self, maxfev: int, seconds: float, width: int) -> float:
        """Seconds that models may take in a run whose evaluations take `seconds`, `width` at a
        time."""
        precious = min(maxfev, self.small_budget * math.sqrt(self.small_budget / maxfev))
        return self.model_seconds * precious + self.time_share * maxfev * seconds / width


#: The strategy `scout`: models as long as they have something to say, whatever they cost.
WHILE_THEY_LAST = AutoSettings(model_seconds=math.inf, patience=math.inf)


class Parts(NamedTuple):
    """What `Auto` is made of.

    models: ``models(context, report)``, the search by models: asked, told, and finished at its end.
    rest: ``rest(context)``, what goes on with all data; None ends the search with its models.
    """

    models: Callable[[Context, Report], Stepping | Combinations]
    rest: Callable[[Context], Composite] | None


def models_of_numbers(context: Context, report: Report) -> Stepping:
    """Models of the whole box."""
    return Stepping(scout_search(context, report), is_lazy=True)


def models_of_combinations(context: Context, report: Report) -> Combinations:
    """Models of each combination of categories."""
    from rdex.strategies.categories import Combinations

    report.phase = MODELS

    def make(*box: Any) -> Auto:
        return Auto(context.smaller(*box), WHILE_THEY_LAST, Parts(models_of_numbers, None))

    return Combinations(context, make)


def evolution_of_numbers(context: Context) -> Hybrid | DiscreteEvolution:
    """Differential evolution with local search; discrete evolution where all numbers are whole."""
    if not context.space.continuous.any():
        return evolution_of_lists(context)
    from rdex.strategies.hybrid import Hybrid

    return Hybrid(context)


def evolution_of_lists(context: Context) -> DiscreteEvolution:
    """Discrete evolution."""
    from rdex.strategies.discrete import DiscreteEvolution

    return DiscreteEvolution(context)


NUMBERS = Parts(models_of_numbers, evolution_of_numbers)
LISTS = Parts(models_of_combinations, evolution_of_lists)


class Auto(Composite):
    """Search by models, then differential evolution with local search.

    Parameters
    ----------
    context : Context
    settings : AutoSettings, optional
    parts : Parts, optional
    """

    def __init__(
        self, context: Context, settings: AutoSettings | None = None, parts: Parts = NUMBERS
    ) -> None:
        super().__init__(context)
        self._parts = parts
        self.settings = settings or AutoSettings()
        self.report = Report()
        is_hybrid = parts.rest is evolution_of_numbers and bool(context.space.continuous.any())
        self.has_stretches = is_hybrid
        self._width = context.width
        self._models: Stepping | Combinations | None = parts.models(context, self.report)
        self._rest: Composite | None = None
        self._n_functions = 1 + self.judge.tolerance.size
        self._improved_at = self.archive.n
        self._seconds: list[float] = []
        self._model_seconds = 0.0
        self.book(MODELS)

    def get_ready(self) -> None:
        """Load what models need: SciPy takes half a second."""
        importlib.import_module("rdex.strategies.scout.phases")

    # --- asked and told ---------------------------------------------------------------------------
    def ask(self, n: int = 0) -> list[Trial]:
        """Points of the part at work; 0 stands for its own size of a batch."""
        if self._rest is None:
            asked = [] if self._reason_to_leave() else self._ask_models(n)
            reason = "" if asked else self._reason_to_leave()
            if not reason or self._parts.rest is None:
                return asked
            self._begin_rest(reason)
        assert self._rest is not None
        asked = self._rest.ask(n)
        self.phase = self._rest.phase
        self.n_restarts = self.report.n_restarts + self._rest.n_restarts
        return self.hand_out(REST, asked)

    def _ask_models(self, n: int) -> list[Trial]:
        """Points of the search by models; none if it has ended, or waits for results."""
        assert self._models is not None
        self.context.width = n or self._width
        if self.context.is_async:
            self.context.width = self._points_per_round()
        most = min(n or self.context.width, self.context.width, self.room)
        asked = self._models.ask(most) if most > 0 else []
        part = LOCAL if self.report.phase == LOCAL else MODELS
        if part == MODELS and self.report.phase != "design":
            self._model_seconds += len(asked) * self._seconds_per_point()
        if part == LOCAL:
            self.book(LOCAL).runs = self.report.n_searches
        self.phase, self.n_restarts = self.report.phase, self.report.n_restarts
        return self.hand_out(part, asked)

    def tell(self, id: int, sample: Sample) -> None:
        """What came of a point."""
        owner = self._owned[id]
        if owner is not None and owner.part == REST:
            assert self._rest is not None
            del self._owned[id]
            self._rest.tell(owner.id, sample)
            return
        self._seconds.append(sample.seconds)
        super().tell(id, sample)

    def take(self, part: str, id: int, sample: Sample) -> None:
        """Data for all; to the search by models, or to the rest if that has begun meanwhile."""
        if self.keep(part, sample):
            self._improved_at = self.archive.n
        if self._rest is None:
            assert self._models is not None
            self._models.tell(id, sample)
            return
        self.context.out_before.remove(sample.x.tobytes())
        self._rest.learn(sample)

    # --- the change -------------------------------------------------------------------------------
    def _reason_to_leave(self) -> str:
        """Why models are left now, in words; empty while they are not."""
        assert self._models is not None
        context, settings = self.context, self.settings
        if self._models.is_finished:
            return self.report.reason or "the search by models has ended"
        d, n = context.space.dim, self.archive.n
        if self.report.phase == "design":
            return ""
        is_enough = context.left >= settings.population * d
        allowed = settings.allowance(context.maxfev, self._evaluation_seconds(), self._width)
        allowed *= 1.0 if is_enough else settings.scarce
        has_use = context.left >= settings.least_rest * (d + 1)
        if self._model_seconds > allowed and has_use:
            return f"models may take {allowed:.2g} s in this run"
        idle = n - self._improved_at
        patience = max(settings.patience * context.maxfev, settings.least_patience * (d + 1))
        if idle > patience and is_enough:
            return f"models found nothing better in {idle} evaluations"
        return ""

    def _evaluation_seconds(self) -> float:
        """Time of an evaluation, as a power of ten: a run should not depend on small changes."""
        if self.settings.evaluation_seconds is not None:
            return self.settings.evaluation_seconds
        seconds = self._median_seconds()
        return 10.0 ** math.floor(math.log10(seconds)) if seconds >= 1e-4 else 0.0

    def _median_seconds(self) -> float:
        """Time of an evaluation as measured; 0 where it was not."""
        return float(np.median(self._seconds)) if self._seconds else 0.0

    def _points_per_round(self) -> int:
        """How many points are worth their time where workers wait for them.

        One more than there are workers would take another round. Points are chosen one after the
        other while the workers wait: that may take a share `CHOOSING` of an evaluation.
        """
        most = max(1, self._width - 1)
        seconds = self._median_seconds()
        if self.report.phase in ("design", LOCAL) or not seconds:
            return most
        return max(1, min(most, round(CHOOSING * seconds / self._seconds_per_point())))

    def _seconds_per_point(self) -> float:
        """What the models take per evaluation."""
        from rdex.strategies.scout.cost import expected_seconds

        return expected_seconds(self.archive.n, self.context.space.dim, self._n_functions)

    def _begin_rest(self, reason: str) -> None:
        """Differential evolution and local search for what is left.

        Points of the models may still be out: they are evaluated, counted and data for the rest.
        """
        self.book(MODELS).reason = reason
        out = [owner.x.tobytes() for owner in self._owned.values() if owner is not None]
        self.context.out_before = out
        self._models = None
        self.context.width = self._width
        assert self._parts.rest is not None
        self._rest = self._parts.rest(self.context)
        if LOCAL in self.books:
            self._rest.books[LOCAL] = self.books.pop(LOCAL)

    # --- the rest of a strategy -------------------------------------------------------------------
    def stretch(self) -> tuple[Engine, int] | None:
        """A stretch of the differential evolution, once models are left."""
        if self._rest is None or self._owned:
            return None
        return self._rest.stretch()

    def after_stretch(self) -> None:
        """The differential evolution has run by itself."""
        assert self._rest is not None
        self._rest.after_stretch()

    @property
    def phases(self) -> list[Phase]:
        """What each part spent and gained."""
        rest = [] if self._rest is None else self._rest.phases
        return [*super().phases, *rest]

    @property
    def n_rounds(self) -> int:
        """Batches of the models, and generations."""
        return self.report.n_rounds + (0 if self._rest is None else self._rest.n_rounds)

    def inject(self, sample: Sample) -> None:
        """A point nobody asked for is data for all."""
        if self._rest is not None:
            self._rest.inject(sample)
        else:
            super().inject(sample)

    def set_clock(self, share: float) -> None:
        """Used share of a time limit."""
        super().set_clock(share)
        if self._rest is not None:
            self._rest.set_clock(share)

    def extend(self, maxfev: int) -> None:
        """A larger budget for the part at work."""
        if self._rest is not None:
            self._rest.extend(maxfev)
        else:
            super().extend(maxfev)

    def population(self) -> tuple[Floats, Floats, Floats]:
        """Members of the evolution, or the best points known."""
        return super().population() if self._rest is None else self._rest.population()

    def model(self) -> LearntModel | None:
        """What was learnt; None while there is too little."""
        from rdex.strategies.scout.modelling import learnt_model

        return learnt_model(self.context)
