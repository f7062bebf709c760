"""`RunSpec`: everything that decides the results of a run, apart from the function itself."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.engine.engine import Engine
from rdex.engine.presets import fitted
from rdex.engine.settings import Constants, Settings
from rdex.engine.state import Limits
from rdex.evaluation.judging import Judge
from rdex.problem.problem import Floats, Problem
from rdex.problem.space import Space
from rdex.run.start import Start
from rdex.strategies.archive import Archive, Sample
from rdex.strategies.one_hot import OneHot
from rdex.strategies.registry import AUTO, AUTO_LISTS, OVER_CATEGORIES, SCOUT, label_of
from rdex.strategies.strategy import Context

#: What a checkpoint may differ in: it holds the state of the search, which goes on with another
#: time limit, and the name of a function says little about it.
FREE_IN_CHECKPOINTS = ("problem", "maxtime", "points out", "units")

#: Stands for the target of a run that wants any feasible point.
ANY_FEASIBLE = "any feasible point"

#: What a log may differ in: a call without a seed takes the stored one.
FREE_IN_LOGS = ("rng given", "units")


#: Number of the first seed of searches in parts of the box.
SMALLER = 1_000_000


@dataclass(frozen=True)
class RunSpec:
    """A problem and everything that decides how it is searched.

    strategy: kind of the search. settings: constants of its differential evolution. limits:
    tolerances and scales. start: given points and values. goal: stop at a feasible f at or below.
    batch: points per batch, None for the strategy's own choice. in_flight: points out at a time in
    runs whose results are used as they come, else None. checkpoints: records of the history.
    is_measured: whether such a run begins in batches, until its evaluations prove to be slow.
    is_preset: whether the settings are ours, fitted to the budget, not the user's own.
    """

    problem: Problem
    strategy: str
    settings: Constants
    limits: Limits
    maxfev: int
    start: Start
    log_variables: NDArray[np.bool_] | None
    goal: float
    batch: int | None
    in_flight: int | None
    checkpoints: int
    maxtime: float | None
    seed: np.random.SeedSequence
    is_seeded: bool
    is_measured: bool = False
    is_preset: bool = True

    @property
    def n_initial(self) -> int:
        """Evaluations of the initialisation."""
        return min(self.settings.initial_size(self.problem.dim, self.maxfev), self.maxfev)

    @property
    def n_drawn(self) -> int:
        """Points that are given or drawn before anything that is known chooses one."""
        size = self.n_initial
        if self.strategy.removeprefix(OVER_CATEGORIES) in (AUTO, AUTO_LISTS, SCOUT):
            from rdex.strategies.scout.design import design_size  # brings parts of SciPy

            free = int(np.count_nonzero(self.problem.upper > self.problem.lower))
            size = design_size(free, self.maxfev)
        given = 0 if self.start.points is None else len(self.start.points)
        return min(max(size, given), self.maxfev)

    @property
    def wants_any_feasible(self) -> bool:
        """Whether the first feasible point ends the run."""
        return self.goal == math.inf

    @property
    def space(self) -> Space:
        """The box as searches see it."""
        return Space(self.problem, self.log_variables)

    @property
    def known_samples(self) -> list[Sample]:
        """Points with values that the user gave."""
        return [Sample(*values) for values in self.start.known[: self.maxfev]]

    def context(self, maxfev: int) -> Context:
        """What a strategy may know of the run, at its beginning, for that budget."""
        scale, space = self.limits.scale, self.space
        given = None if isinstance(scale, str) else scale
        judge = Judge(self.problem, self.limits.eq_tol, self.limits.ineq_tol, given)
        context = Context(space, judge, Archive(space, judge), maxfev)
        context.width = self.in_flight or self.batch or 1
        context.rng = np.random.default_rng(self._child_seed(0))
        context.is_async = self.in_flight is not None
        context.label = label_of(self.strategy, self.settings.label)
        context.scales_itself = isinstance(scale, str) and scale == "auto"
        for sample in self.known_samples:
            context.archive.add(sample)
        n_known = len(self.start.known)
        if self.start.points is not None and len(self.start.points) > n_known:
            context.start = self.start.points[n_known:]

        def run_limits(number: int) -> Limits:
            if number and context.scales_itself:  # the scales of the run stay
                return dataclasses.replace(self.limits, scale=judge.scale.copy())
            return self.limits

        def make_engine(budget: int, number: int, points: Floats | None) -> Engine:
            constants = self.settings
            room = max(64, 2 * context.width + 4)
            if self.is_preset:  # N0 suits the budget
                if isinstance(constants, Settings):
                    constants = constants.replace(n0=None)
                constants = fitted(constants, space.dim, budget)
            seed = self._child_seed(1 + number)
            return self._engine(constants, budget, seed, points, room, run_limits(number))

        def make_coded_engine(coded: OneHot, trials: int, number: int, points: Any) -> Engine:
            constants = self.settings
            if isinstance(constants, Settings):
                constants = constants.replace(n0=None)
            settings = fitted(constants, coded.problem.dim, max(context.left, 1))
            room = max(64, 2 * context.width + 4)
            return self._engine(settings, trials, self._child_seed(1 + number), points, room,
                                run_limits(number), coded)  # fmt: skip

        context.make_coded_engine = make_coded_engine
        context.make_smaller = self._smaller_context
        context.make_engine = make_engine
        return context

    def _smaller_context(self, lower: Floats, upper: Floats, maxfev: int, number: int) -> Context:
        """The context of a search in a part of the box, with what is known and given there."""
        seed = self._child_seed(SMALLER + number)
        part = dataclasses.replace(
            self,
            problem=dataclasses.replace(self.problem, lower=lower, upper=upper),
            start=self.start.inside(lower, upper),
            maxfev=maxfev,
            seed=np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key),
        )
        return part.context(maxfev)

    def _child_seed(self, number: int) -> np.random.SeedSequence:
        """Seeds beside the children that `spawn` would give."""
        return np.random.SeedSequence(
            self.seed.entropy, spawn_key=(*self.seed.spawn_key, 2**31 + 1 + number)
        )

    def _engine(
        self, settings: Constants, maxfev: int, seed: Any, points: Floats | None, capacity: int,
        limits: Limits | None = None, coded: OneHot | None = None,
    ) -> Engine:  # fmt: skip
        """A differential evolution at its beginning, of the problem or of one that codes it."""
        return Engine(
            self.problem if coded is None else coded.problem,
            settings,
            maxfev,
            seed,
            checkpoints=self.checkpoints,
            limits=limits or self.limits,
            initial=points,
            log_variables=self.log_variables if coded is None else coded.logarithmic,
            capacity=capacity,
            goal=self.goal,
        )

    def engine(self, capacity: int) -> Engine:
        """The differential evolution of the run, what is known already told."""
        known = self.start.known[: self.n_initial]
        engine = self._engine(self.settings, self.maxfev, self.seed, self.start.points, capacity)
        for x, f, g, h in known:
            engine.inject(x, f, g, h)
        return engine

    @property
    def _updating(self) -> str:
        """How results are used, for files of runs."""
        if self.in_flight is None:
            return "ordered"
        return "measured" if self.is_measured else "async"

    def description(self) -> dict[str, Any]:
        """The run as JSON values: what files of runs hold and compare."""
        problem, limits, scale = self.problem, self.limits, self.limits.scale
        integrality, logarithmic = problem.integrality, self.log_variables
        facts = {
            "problem": problem.name,
            "bounds": [problem.lower.tolist(), problem.upper.tolist()],
            "number of constraints": [problem.n_ineq, problem.n_eq],
            "names": [problem.variable_names, problem.constraint_names],
            "stated": problem.stated,
            "units": problem.units,
            "variables": None if problem.variables is None else problem.variables.description(),
            "eq_tol": np.asarray(limits.eq_tol).tolist(),
            "ineq_tol": np.asarray(limits.ineq_tol).tolist(),
            "constraint_scale": scale if isinstance(scale, str) else np.asarray(scale).tolist(),
            "strategy": self.strategy,
            "settings": self.settings.as_dict(),
            "maxfev": self.maxfev,
            "maxtime": self.maxtime,
            "batch": self.batch,
            "updating": self._updating,
            "points out": self.in_flight,
            "target": ANY_FEASIBLE
            if self.goal == math.inf
            else (None if math.isinf(self.goal) else self.goal),
            "integrality": None if integrality is None else integrality.tolist(),
            "log_scale": None if logarithmic is None else logarithmic.tolist(),
            "checkpoints": self.checkpoints,
            "rng given": self.is_seeded,
            "rng": self.seed.generate_state(4, np.uint64).tolist(),
            "entropy": json.dumps(
                np.asarray(self.seed.entropy, dtype=object).tolist(), default=int
            ),
            "spawn_key": list(self.seed.spawn_key),
            **self.start.given,
        }
        described: dict[str, Any] = json.loads(json.dumps(facts))
        return described


def differences(
    stored: dict[str, Any], present: dict[str, Any], free: tuple[str, ...] = ()
) -> list[str]:
    """Names of what two descriptions of runs do not agree on, but for what is free to differ."""
    names = sorted((set(stored) | set(present)) - set(free))
    return [name for name in names if stored.get(name) != present.get(name)]


def is_extension(stored: dict[str, Any], present: dict[str, Any]) -> bool:
    """Whether only the budget differs and is larger now; the initial size follows from it."""
    free = {"maxfev": 0, **dict.fromkeys(FREE_IN_CHECKPOINTS)}
    without_n0 = [
        {**run, **free, "settings": {**run.get("settings", {}), "n0": None}}
        for run in (stored, present)
    ]
    return without_n0[0] == without_n0[1] and stored["maxfev"] < present["maxfev"]
