"""`RunSpec`: everything that decides the results of a run, apart from the function itself."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.common.errors import RunFileError
from rdex.engine.constants import Constants
from rdex.engine.engine import Engine
from rdex.engine.settings import COMPETITION_BUDGET, Settings, preset
from rdex.engine.state import Limits
from rdex.evaluation.judging import Judge
from rdex.problem.checks import as_floats, checked_count, checked_number
from rdex.problem.problem import Floats, Problem
from rdex.problem.space import Space
from rdex.run.start import Start, make_start
from rdex.strategies.archive import Archive, Sample
from rdex.strategies.discrete import is_discrete
from rdex.strategies.one_hot import OneHot
from rdex.strategies.registry import AUTO, DISCRETE, EVOLUTION, POLISH, kind_of, label_of, suited
from rdex.strategies.strategy import Context

#: N0 for few variables, if the budget allows it: 10 D alone converges too early there. The
#: competition's own setting, its budget from 10 variables on, stays as it is.
LEAST_POPULATION = 200
COMPETITION_DIM = 10

#: Thirty years at a microsecond each; the engine counts in int64 and float64.
LARGEST_BUDGET = 10**15

#: What a checkpoint may differ in: it holds the state of the search, which goes on with another
#: time limit, and the name of a function says little about it.
FREE_IN_CHECKPOINTS = ("problem", "maxtime", "points out", "units")

#: Stands for the target of a run that wants any feasible point.
ANY_FEASIBLE = "any feasible point"

#: What a log may differ in: a call without a seed takes the stored one.
FREE_IN_LOGS = ("rng given", "units")


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
            engine = self._engine(settings, trials, self._child_seed(1 + number), points, 64,
                                  run_limits(number), coded)  # fmt: skip
            return engine

        context.make_coded_engine = make_coded_engine
        context.make_engine = make_engine
        return context

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
        engine = self._engine(self.settings, self.maxfev, self.seed, self.start.points, capacity)
        for x, f, g, h in self.start.known[: self.n_initial]:
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
            "entropy": str(self.seed.entropy),
            "spawn_key": list(self.seed.spawn_key),
            **self.start.given,
        }
        described: dict[str, Any] = json.loads(json.dumps(facts))
        return described


def goal_of(target: Any) -> float:
    """f that is good enough: any feasible one for infinity, none for None."""
    if target is None:
        return -math.inf
    return math.inf if target == math.inf else checked_number("target", target)


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


def stored_seed(description: dict[str, Any] | None) -> np.random.SeedSequence | None:
    """The seed of a run in a file, for a call without one of its own."""
    if description is None or "entropy" not in description:
        return None
    try:
        key = tuple(int(part) for part in description["spawn_key"])
        return np.random.SeedSequence(int(description["entropy"]), spawn_key=key)
    except (KeyError, TypeError, ValueError) as error:
        raise RunFileError(f"the stored run has no seed that can be used: {error}") from error


def make_spec(
    problem: Problem,
    *,
    algorithm: Any,
    settings: Any,
    maxfev: Any,
    x0: Any,
    init: Any,
    target: Any,
    eq_tol: Any,
    ineq_tol: Any,
    constraint_scale: Any,
    rng: Any,
    log_scale: Any,
    checkpoints: Any,
    batch: int | None = None,
    in_flight: int | None = None,
    maxtime: float | None = None,
    is_seeded: bool = True,
    is_measured: bool = False,
    polish: bool = False,
) -> RunSpec:
    """Check everything that decides a run, and put it together."""
    budget = checked_budget(maxfev, problem.dim)
    kind, base = kind_of(settings if settings is not None and algorithm == AUTO else algorithm)
    if kind in (AUTO, EVOLUTION) and is_discrete(problem):
        kind = DISCRETE
    elif polish and kind == EVOLUTION:  # the others end with a local search anyway
        kind = POLISH
    constants = make_settings(base, settings, problem.dim, budget)
    if settings is None:
        constants = suited(kind, constants)
    if isinstance(constraint_scale, str) and constraint_scale == "auto":
        constraint_scale = automatic_scale(constants)
    logarithmic = checked_log(log_scale, problem)
    seed, design = split_rng(rng)
    n0 = constants.initial_size(problem.dim, budget)
    return RunSpec(
        problem=problem,
        strategy=kind,
        settings=constants,
        limits=make_limits(problem, eq_tol, ineq_tol, constraint_scale),
        maxfev=budget,
        start=make_start(problem, x0, init, n0, design, logarithmic),
        log_variables=logarithmic,
        goal=goal_of(target),
        batch=batch,
        in_flight=in_flight,
        checkpoints=checked_count("checkpoints", checkpoints),
        maxtime=maxtime,
        seed=seed,
        is_seeded=is_seeded,
        is_measured=is_measured,
        is_preset=settings is None and isinstance(base, str),
    )


def make_settings(algorithm: Any, settings: Any, dim: int, budget: int) -> Constants:
    """The constants: as given, or a preset, of the RDEx family fitted to the box and budget."""
    for label, value in (("settings", settings), ("algorithm", algorithm)):
        if isinstance(value, Constants):
            return value
        if not (value is None if label == "settings" else isinstance(value, str)):
            kinds = "a Settings" if label == "settings" else "a name or a Settings"
            raise ValueError(f"{label} must be {kinds}, got {value!r}")
    return fitted(preset(algorithm), dim, budget)


def fitted(constants: Constants, dim: int, budget: int) -> Constants:
    """Constants of the RDEx family with perturbations in units of the box and N0 for the budget."""
    if not isinstance(constants, Settings):
        return constants
    is_competition = dim >= COMPETITION_DIM and budget >= COMPETITION_BUDGET * dim
    n0 = constants.initial_size(dim, budget, least=0 if is_competition else LEAST_POPULATION)
    return constants.replace(perturb_unit="range", n0=n0)


def automatic_scale(constants: Constants) -> str:
    """What "auto" means for an algorithm: UDE's rules depend on the units of the constraints (the
    exponent of ε holds a logarithm of the violation), so nothing is scaled for it."""
    return "auto" if isinstance(constants, Settings) else "none"


def make_limits(problem: Problem, eq_tol: Any, ineq_tol: Any, scale: Any) -> Limits:
    """Tolerances and scales, checked against the numbers of constraints."""
    tolerances = []
    for label, value, count in (
        ("eq_tol", eq_tol, problem.n_eq),
        ("ineq_tol", ineq_tol, problem.n_ineq),
    ):
        array = as_floats(label, value)
        if array.ndim and array.shape != (count,):
            raise ValueError(f"{label} must be one number or {count}, got shape {array.shape}")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise ValueError(f"{label} must be finite and >= 0, got {value!r}")
        tolerances.append(array)
    if scale is None:
        scale = "none"
    if isinstance(scale, str):
        if scale not in ("auto", "none"):
            raise ValueError(f'constraint_scale must be "auto", "none" or numbers, got {scale!r}')
        return Limits(tolerances[0], tolerances[1], scale)
    array = as_floats("constraint_scale", scale)
    if array.shape != (problem.n_constraints,) or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(
            f"constraint_scale must be {problem.n_constraints} positive numbers, "
            f"inequalities first, got {scale!r}"
        )
    return Limits(tolerances[0], tolerances[1], array)


def split_rng(rng: Any) -> tuple[np.random.SeedSequence, np.random.Generator]:
    """A seed for the engine and a generator for designed initial points, from one `rng`."""
    if isinstance(rng, np.random.Generator | np.random.BitGenerator | np.random.RandomState):
        words = np.random.default_rng(rng).integers(0, 2**32, size=8, dtype=np.uint32)
        rng = np.random.SeedSequence(words.tolist())
    elif not isinstance(rng, np.random.SeedSequence):
        try:
            rng = np.random.SeedSequence(rng)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"rng must be what numpy.random.default_rng accepts, got {rng!r}"
            ) from error
    # A key beside the children that `spawn` would give: the user's object stays as it is.
    design = np.random.SeedSequence(rng.entropy, spawn_key=(*rng.spawn_key, 2**31))
    return rng, np.random.default_rng(design)


def checked_log(log_scale: Any, problem: Problem) -> NDArray[np.bool_] | None:
    """Flags of the variables searched on a logarithmic scale; their bounds must be positive."""
    if log_scale is None:
        variables = problem.variables
        return (
            None
            if variables is None or not variables.logarithmic.any()
            else (variables.logarithmic)
        )
    given = np.asarray(log_scale)
    if given.shape not in ((), (problem.dim,)) or not np.isin(given, (0, 1)).all():
        raise ValueError(f"log_scale must be one flag or {problem.dim}, got {log_scale!r}")
    flags = np.broadcast_to(given.astype(bool), problem.dim).copy()
    bad = flags & (problem.lower <= 0)
    if bad.any():
        j = int(np.flatnonzero(bad)[0])
        raise ValueError(f"log_scale[{j}]: the lower bound must be > 0, got {problem.lower[j]}")
    if problem.integrality is not None and (flags & problem.integrality).any():
        raise ValueError("a variable cannot be both integer and on a logarithmic scale")
    return flags


def checked_budget(maxfev: Any, dim: int) -> int:
    """maxfev as a whole number; 20000 per variable where it is None."""
    if maxfev is None:
        return COMPETITION_BUDGET * dim
    if isinstance(maxfev, float) and maxfev.is_integer():  # 1e5
        maxfev = int(maxfev)
    budget = checked_count("maxfev", maxfev)
    if budget > LARGEST_BUDGET:
        raise ValueError(f"maxfev must be at most {LARGEST_BUDGET:g}, got {maxfev:g}")
    return budget
