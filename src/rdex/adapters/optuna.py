"""`RdexSampler`: the algorithms of rdex as a sampler of Optuna, with constraints and equalities."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rdex.adapters.arguments import given
from rdex.adapters.variables import Choice, Named, Number
from rdex.api.optimizer import Optimizer
from rdex.common.extras import require
from rdex.problem.problem import Floats

_optuna = require("optuna", "optuna")
_base = require("optuna.samplers._base", "optuna")
_state = _optuna.trial.TrialState

#: User attributes that keep the value behind an equality, and its tolerance.
EQUALITY = "rdex:equality:"


def set_equality(trial: Any, key: str, value: float, tol: float = 1e-4) -> None:
    """State that `value` should be 0, to within `tol`.

    Optuna knows constraints c <= 0 alone and is told |value| - tol; the sampler sees the value
    with its sign.
    """
    trial.set_constraint(key, abs(float(value)) - tol)
    trial.set_user_attr(EQUALITY + key, [float(value), float(tol)])


def kind_of(distribution: Any) -> Number | Choice:
    """A distribution of Optuna as a variable of ours."""
    if isinstance(distribution, _optuna.distributions.CategoricalDistribution):
        return Choice(distribution.choices)
    is_integer = isinstance(distribution, _optuna.distributions.IntDistribution)
    step = None if is_integer and distribution.step == 1 else distribution.step
    return Number(distribution.low, distribution.high, is_integer, distribution.log, step)


class Told(NamedTuple):
    """A finished trial: point, f (to be minimised), G, H; NaN where it failed."""

    x: Floats
    f: float
    g: Floats
    h: Floats

    @property
    def order(self) -> tuple[float, float]:
        """Smaller is better, as the fallback sees it."""
        violation = np.maximum(self.g, 0).sum() + np.abs(self.h).sum()
        values = (float(violation), self.f)
        return values if np.isfinite(values).all() else (np.inf, np.inf)


class Search:
    """One search of one space, fed with finished trials, whoever asked for them.

    Parameters
    ----------
    study, space, model : the study, its common parameters, a finished trial with all constraints
    n_trials : int
        The budget, trials that are there already included.
    rng : SeedSequence
    options : dict
        Further arguments of `Optimizer`.
    """

    def __init__(
        self, study: Any, space: dict[str, Any], model: Any, n_trials: int, rng: Any, options: Any
    ) -> None:
        self.space = dict(space)
        self.sign = -1.0 if study.direction == _optuna.study.StudyDirection.MAXIMIZE else 1.0
        self.named = Named({name: kind_of(each) for name, each in space.items()})
        equalities = {key: model.user_attrs[EQUALITY + key] for key in model.constraints
                      if EQUALITY + key in model.user_attrs}  # fmt: skip
        self.eq = list(equalities)
        self.ineq = [key for key in model.constraints if key not in equalities]
        self.optimizer = Optimizer(
            self.named.variables,
            len(self.ineq),
            len(self.eq),
            maxfev=max(n_trials, 1),
            rng=rng,
            eq_tol=[tolerance for _, tolerance in equalities.values()] or 1e-4,
            constraint_names=[*self.ineq, *self.eq],
            **options,
        )
        self._asked: dict[int, tuple[int, Floats]] = {}  # number of a trial -> id and point
        self._told: dict[int, Told] = {}
        self._rng = np.random.default_rng(rng)

    def fits(self, space: dict[str, Any], model: Any) -> bool:
        """Whether this search is still of the study's space and constraints."""
        return self.space == space and set(self.ineq + self.eq) == set(model.constraints)

    def take(self, finished: Sequence[Any]) -> None:
        """Tell the search what has finished since the last time."""
        for trial in finished:
            if trial.number in self._told:
                continue
            id, x = self._asked.pop(trial.number, (None, None))
            if x is None:
                if not self.space.keys() <= trial.params.keys():
                    continue  # ended before it had all parameters
                x = self.named.point(trial.params)
            told = self._read(trial, x)
            self._told[trial.number] = told
            if self.optimizer.stop is not None:
                continue
            if id is None:
                self.optimizer.tell(told.x, told.f, told.g, told.h)
            else:
                self.optimizer.tell_trial(id, told.f, told.g, told.h)

    def _read(self, trial: Any, x: Floats) -> Told:
        """The values of a trial; NaN where it failed or was pruned."""
        if trial.state != _state.COMPLETE:
            return Told(x, np.nan, np.full(len(self.ineq), np.nan), np.full(len(self.eq), np.nan))
        constraints, attributes = trial.constraints, trial.user_attrs
        g = [constraints.get(key, np.nan) for key in self.ineq]
        h = [attributes.get(EQUALITY + key, (np.nan,))[0] for key in self.eq]
        return Told(x, self.sign * trial.value, np.array(g, float), np.array(h, float))

    def ask(self, number: int) -> dict[str, Any]:
        """Parameters for the trial of that number."""
        asked = self.optimizer.ask_trials(1)
        if not asked:
            return self.named.values(self._spare())
        self._asked[number] = asked[0].id, asked[0].x
        return self.named.values(asked[0].x)

    def _spare(self) -> Floats:
        """A point near the best where the search has none to give: it waits for results of other
        workers, or its budget is spent."""
        lower, upper = self.named.lower, self.named.upper
        known = sorted(self._told.values(), key=lambda told: told.order)[: max(20, 2 * lower.size)]
        if len(known) < 4:
            return self.named.legal(self._rng.uniform(lower, upper))
        a, b = self._rng.choice(len(known), 2, replace=False)
        moves = self._rng.uniform(size=lower.size) < 0.7
        moves[self._rng.integers(lower.size)] = True
        step = self._rng.uniform(0.3, 0.8) * (known[a].x - known[b].x)
        x = known[0].x + np.where(moves, step, 0.0)
        swapped = moves & self.named.variables.unordered
        return self.named.legal(np.clip(np.where(swapped, known[a].x, x), lower, upper))


class RdexSampler(_base.BaseSampler):  # type: ignore[misc, name-defined]
    """Samples a study of one objective, with constraints, by an algorithm of rdex.

    The parameters that all trials have in common are searched together; the first trial, and
    parameters of some trials only, are random. Several processes may share a storage: each has a
    sampler of its own, which learns from the trials of all.

    Parameters
    ----------
    n_trials : int
        Trials of the whole study, those of other processes included. It is part of the algorithm.
    algorithm : str or Settings, optional
        As in `rdex.minimize`.
    seed : int, optional
        The same seed gives the same trials, where one process and one thread run them.
    constraints_func : callable, optional
        ``constraints_func(trial) -> sequence of numbers <= 0``, called with a finished trial.
        Optuna advises `trial.set_constraint` instead, which needs no argument here.
    independent_sampler : optuna.samplers.BaseSampler, optional
        For parameters that not all trials have in common; by default they are random.
    **options
        Further arguments of `rdex.Optimizer`: constraint_scale, target, init, …

    Examples
    --------
    >>> import optuna
    >>> from rdex.adapters.optuna import RdexSampler, set_equality
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> def objective(trial):
    ...     x, y = trial.suggest_float("x", -5, 5), trial.suggest_float("y", -5, 5)
    ...     set_equality(trial, "line", x + y - 1, tol=1e-2)
    ...     return x**2 + y**2
    >>> study = optuna.create_study(sampler=RdexSampler(100, seed=1))
    >>> study.optimize(objective, n_trials=100)
    >>> round(study.best_value, 1)
    0.5
    """

    def __init__(
        self,
        n_trials: int,
        *,
        algorithm: Any = None,
        seed: int | None = None,
        constraints_func: Callable[[Any], Sequence[float]] | None = None,
        independent_sampler: Any = None,
        **options: Any,
    ) -> None:
        self.n_trials = n_trials
        self._options = {**given(algorithm=algorithm), **options}
        self._seed = np.random.SeedSequence(seed).entropy
        self._constraints_func = constraints_func
        self._independent = independent_sampler
        self._begin()

    def _begin(self) -> None:
        self._space = _optuna.search_space.IntersectionSearchSpace(include_pruned=True)
        self._search: Search | None = None
        self._model: Any = None  # the finished trial with the most constraints
        self._seen: set[int] = set()
        self._lock = threading.RLock()  # threads of n_jobs share the sampler

    def __getstate__(self) -> dict[str, Any]:
        """Without the search, which the trials of the study make again."""
        left_out = ("_space", "_search", "_model", "_seen", "_lock")
        return {name: each for name, each in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    @property
    def optimizer(self) -> Optimizer | None:
        """The search at work, once there is one."""
        return None if self._search is None else self._search.optimizer

    def reseed_rng(self) -> None:
        """Called where threads run in parallel."""
        if self._independent is not None:
            self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, Any]:
        """Parameters that all trials have in common."""
        self._raise_error_if_multi_objective(study)
        with self._lock:
            space = self._space.calculate(study)
        return {name: each for name, each in space.items() if not each.single()}

    def sample_relative(self, study: Any, trial: Any, search_space: dict[str, Any]) -> Any:
        """The next point of the search, by name."""
        if not search_space or "fixed_params" in trial.system_attrs:
            return {}
        states = (_state.COMPLETE, _state.PRUNED, _state.FAIL)
        finished = study.get_trials(deepcopy=False, states=states)
        with self._lock:
            new = [each for each in finished if each.number not in self._seen]
            self._seen |= {each.number for each in new}
            complete = [each for each in new if each.state == _state.COMPLETE]
            known = [*complete, self._model] if self._model else complete
            if not known:
                return {}
            self._model = max(known, key=lambda each: len(each.constraints))
            if self._search is None or not self._search.fits(search_space, self._model):
                # The number is a trial's alone, in every process that shares the storage.
                rng = np.random.SeedSequence(self._seed, spawn_key=(trial.number,))
                self._search = Search(
                    study, search_space, self._model, self.n_trials, rng, self._options
                )
                new = finished
            self._search.take(new)
            return self._search.ask(trial.number)

    def sample_independent(self, study: Any, trial: Any, name: str, distribution: Any) -> Any:
        """A parameter that is not searched."""
        sampler = self._independent
        if sampler is None:  # seeded by the trial: no two processes draw the same
            key = (trial.number, zlib.crc32(name.encode()))
            words = np.random.SeedSequence(self._seed, spawn_key=key).generate_state(1)
            sampler = _optuna.samplers.RandomSampler(seed=int(words[0]))
        return sampler.sample_independent(study, trial, name, distribution)

    def before_trial(self, study: Any, trial: Any) -> None:
        """Passed on."""
        if self._independent is not None:
            self._independent.before_trial(study, trial)

    def after_trial(self, study: Any, trial: Any, state: Any, values: Any) -> None:
        """Keep the constraints of a finished trial where a function gives them."""
        if self._constraints_func is not None:
            _base._process_constraints_after_trial(self._constraints_func, study, trial, state)
        if self._independent is not None:
            self._independent.after_trial(study, trial, state, values)
