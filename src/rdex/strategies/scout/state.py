"""What the phases of the search share."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rdex.models.threads import one_thread
from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.scout.knowledge import Knowledge
from rdex.strategies.strategy import LOCAL, Context, Search

#: Weight of the last step in the skill.
SKILL_MEMORY = 0.05

#: The search ends if so small a share of the gains that models expect comes true: 0.1 on a gear
#: train of whole numbers, 0.15 on G02; 0.3 to 0.8 where models help.
LEAST_SKILL = 0.2

#: Batches in a row without a new point after which a search of whole numbers ends.
ENOUGH_REPEATS = 10


@dataclass
class Report:
    """How a search stands; bookkeeping, on which no decision depends but for `skill`.

    phase: which part is at work. skill: share of the gains expected by the models that came true,
    over the last steps: 1 perfect, 0 none. n_rounds: batches. n_restarts: restarts. n_searches:
    local searches. n_evaluations, seconds: spent on models. is_noisy: two evaluations of one point
    differed. reason: why the search ended by itself, empty while it has not.
    """

    phase: str = "design"
    skill: float = 0.5
    n_rounds: int = 0
    n_restarts: int = 0
    n_searches: int = 0
    n_evaluations: int = 0
    seconds: float = 0.0
    is_noisy: bool = False
    reason: str = ""


@dataclass
class Optimum:
    """Where a trust region ended or waits: a point and its row."""

    z: Floats
    row: int
    region: Any
    has_ended: bool


#: Rows of the archive where the points asked for are now.
Rows = Generator[Floats, list[Sample], list[int]]


class State:
    """A search in progress.

    Parameters
    ----------
    context : Context
    report : Report
        Kept up to date.

    Attributes
    ----------
    noise : Noise
        Of f and each constraint.
    turn : int
        How long the next turns of models are, see `rdex.strategies.scout.descent`.
    is_rough : bool
        Local searches make no sense: the functions jump, or are noisy.
    descended : set of bytes
        Points of the cube from which local searches began, and where they ended.
    """

    def __init__(self, context: Context, report: Report) -> None:
        self.context = context
        self.report = report
        self.rng = context.rng
        self.knowledge = Knowledge(context)
        self.optima: list[Optimum] = []
        self.noise = context.noise
        self.turn = 1
        self.is_rough = False
        self.descended: set[bytes] = set()
        self._nearer_at = self._n_repeats = 0
        self._has_models = False
        self._begin_work()

    @property
    def width(self) -> int:
        """Points worth evaluating together."""
        return max(1, min(self.context.width, self.context.left))

    @property
    def is_feasible(self) -> bool:
        """Whether the best point is."""
        return bool(self.knowledge.archive.phi[self.knowledge.best()] == 0.0)

    @property
    def since_best(self) -> int:
        """Evaluations since the best point was found."""
        return self.knowledge.n - 1 - self.knowledge.best()

    @property
    def is_blind(self) -> bool:
        """Whether the models predict next to nothing, and nothing has come of them for a while:
        no better point, and no way towards the constraints."""
        idle = min(self.since_best, self.knowledge.n - self._nearer_at)
        return self.report.skill < LEAST_SKILL and idle >= 2 * self.knowledge.d + 20

    def value_of(self, row: int) -> tuple[float, float]:
        """(φ, f) of a row as points are compared."""
        f, phi = self.knowledge.archive.settled(row)
        return phi, f

    def note_nearer(self) -> None:
        """A region has come nearer to the constraints."""
        self._nearer_at = self.knowledge.n

    def note_gain(self, ratio: float) -> None:
        """How a step of the trust region came out, as a share of the gain expected."""
        came_true = min(max(ratio, 0.0), 1.0)
        self.report.skill += SKILL_MEMORY * (came_true - self.report.skill)

    def evaluate(self, z: Floats) -> Rows:
        """Have points (k, d) evaluated; the rows of their results."""
        x = self.knowledge.x(np.atleast_2d(z))[: max(1, self.context.left)]
        new = self._not_known(x)
        if len(new):
            self.end_work()
            yield new
            self._begin_work()
            self.report.n_rounds += 1
            self.report.n_evaluations += len(new)
            self.knowledge.refresh()
        return [self.knowledge.row_of(point) for point in x]

    def follow(self, search: Search) -> Generator[Floats, list[Sample], Any]:
        """Have the points of another search evaluated until it ends; what it returns."""
        phase, self.report.phase = self.report.phase, LOCAL
        self.report.n_searches += 1
        samples: list[Sample] | None = None
        try:
            while True:
                points = next(search) if samples is None else search.send(samples)
                self.end_work()
                samples = yield points
                self._begin_work()
                self.report.n_rounds += 1
                self.report.n_evaluations += len(points)
        except StopIteration as end:
            self.knowledge.refresh()
            self.report.phase = phase
            return end.value

    def _not_known(self, x: Floats) -> Floats:
        """Where all variables are whole: points (k, d) that were not evaluated yet. All points
        elsewhere, and after `ENOUGH_REPEATS` batches without a new one, so that no search loops."""
        if not self.knowledge.whole.all() or self.knows_enough:
            return x
        keys = {point.tobytes(): k for k, point in enumerate(x) if self.knowledge.row_of(point) < 0}
        self._n_repeats = 0 if keys else self._n_repeats + 1
        return x[list(keys.values())]

    @property
    def knows_enough(self) -> bool:
        """Whether the points that the search wants have all been known for a while."""
        return self._n_repeats >= ENOUGH_REPEATS

    def begin_models(self) -> None:
        """From here on there is linear algebra; finding its libraries takes some milliseconds,
        which the first points need not wait for."""
        self.end_work()
        self._has_models = True
        self._begin_work()

    def _begin_work(self) -> None:
        """From here on it is our time and our linear algebra."""
        self._since = time.perf_counter()
        self._threads = one_thread() if self._has_models else contextlib.nullcontext()
        self._threads.__enter__()
        # Models of values like 1e40 overflow far away from their points.
        self._errors = np.errstate(over="ignore", invalid="ignore", divide="ignore")
        self._errors.__enter__()
        self._is_working = True

    def end_work(self) -> None:
        """The user's function may use all threads again."""
        if self._is_working:
            self._is_working = False
            self._errors.__exit__(None, None, None)
            self._threads.__exit__(None, None, None)
            self.report.seconds += time.perf_counter() - self._since
