"""`Optimizer`: ask and tell, for people who evaluate in their own way."""

from __future__ import annotations

import dataclasses
import logging
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rdex.common.errors import RunFileError
from rdex.engine.files import load_state, save_state
from rdex.engine.settings import Settings
from rdex.problem.arguments import say_what_is_fixed
from rdex.problem.checks import as_floats, checked_count, checked_integrality, read_bounds
from rdex.problem.problem import Floats, Problem
from rdex.problem.space import Space
from rdex.run.arguments import SearchArguments, make_spec, stored_seed
from rdex.run.checkpoint import checked_facts, describe, described
from rdex.run.searching import make_searching
from rdex.run.spec import FREE_IN_CHECKPOINTS, RunSpec, differences
from rdex.run.start import shaped
from rdex.run.status import Status
from rdex.strategies.archive import Sample
from rdex.strategies.strategy import Trial

if TYPE_CHECKING:
    from rdex.run.result import Result


log = logging.getLogger("rdex")

#: What `stop` says, as the status of a result.
STATUS = {
    "target": Status.TARGET,
    "budget": Status.BUDGET,
    "finished": Status.FINISHED,
    None: Status.RUNNING,
}


def never_called(x: Floats) -> Any:
    """In the place of a function that the optimiser is never to call."""
    raise TypeError("an Optimizer does not evaluate: tell it your values")


class Optimizer:
    """A run that the caller advances: `ask` for points, evaluate them, `tell` their values.

    Results may come in any order and in parts, and are used as they come. `ask` gives arrays, whose
    rows are matched by their bytes; `ask_trials` gives objects with an id. A told point that is not
    pending is an injection: it waits until nothing is pending, takes the place of one evaluation
    and enters the search if it is good enough.

    Parameters
    ----------
    bounds : scipy.optimize.Bounds, sequence of (low, high), mapping or Variables
        Finite; as in `rdex.minimize`. Points hold the numbers of a list of choices, and places in
        other lists; `design` gives their values by name.
    n_ineq, n_eq : int
        Numbers of constraints G <= 0 and H = 0.
    maxfev : int
        Budget, default 20000 per variable; part of the algorithm.
    algorithm, rng, eq_tol, ineq_tol, constraint_scale, x0, init : as in `rdex.minimize`
    integrality, log_scale, target, checkpoints, settings : as in `rdex.minimize`
    variable_names, constraint_names : as in `rdex.minimize`

    Examples
    --------
    >>> import rdex
    >>> optimizer = rdex.Optimizer([(-5, 5)] * 2, n_ineq=1, maxfev=100, rng=3)
    >>> while not optimizer.stop:
    ...     X = optimizer.ask(8)
    ...     optimizer.tell(X, (X**2).sum(1), G=1 - X.sum(1, keepdims=True))
    >>> round(optimizer.result().fun, 4)
    0.5
    """

    def __init__(
        self,
        bounds: Any,
        n_ineq: int = 0,
        n_eq: int = 0,
        *,
        maxfev: int | None = None,
        algorithm: str | Settings = "auto",
        rng: Any = None,
        eq_tol: Any = 1e-4,
        ineq_tol: Any = 0.0,
        constraint_scale: Any = "auto",
        x0: Any = None,
        init: Any = "uniform",
        integrality: Any = None,
        log_scale: Any = None,
        target: float | None = None,
        checkpoints: int = 2000,
        variable_names: Sequence[str] | None = None,
        constraint_names: Sequence[str] | None = None,
        settings: Settings | None = None,
    ) -> None:
        lower, upper, variables = read_bounds(bounds)
        whole = None if integrality is None else checked_integrality(integrality, lower, upper)
        self.problem = Problem(
            lower,
            upper,
            n_ineq,
            n_eq,
            rows=never_called,
            integrality=whole,
            variable_names=tuple(variable_names or ()),
            constraint_names=tuple(constraint_names or ()),
            variables=variables,
        )
        say_what_is_fixed(self.problem)
        self._search = SearchArguments(
            algorithm=algorithm,
            settings=settings,
            maxfev=maxfev,
            x0=x0,
            init=init,
            target=target,
            eq_tol=eq_tol,
            ineq_tol=ineq_tol,
            constraint_scale=constraint_scale,
            rng=rng,
            log_scale=log_scale,
            checkpoints=checkpoints,
        )
        self._searching = make_searching(make_spec(self.problem, self._search), is_asked=True)
        self._space = Space(self.problem)
        self._pending: dict[int, Floats] = {}  # id -> point, in the order of asking
        self._injected: list[Sample] = []
        self._is_exhausted = False

    # --- asking and telling ---------------------------------------------------------------------
    def ask(self, n: int | None = None) -> Floats:
        """At most `n` points to evaluate, (k, d); by default as many as `minimize` takes at once.

        Fewer, or none, where the search must first have results: a batch never crosses the end of
        a generation, of the initial points or of the budget.
        """
        points = [trial.x for trial in self.ask_trials(n)]
        return np.array(points).reshape(-1, self.problem.dim)

    def ask_trials(self, n: int | None = None) -> list[Trial]:
        """The same as `ask`, as objects with `id` and `x`; `tell_trial` takes the id."""
        size = 0 if n is None else checked_count("n", n)
        if self.stop is not None:
            return []
        trials = self._searching.ask(size)
        self._pending |= {trial.id: trial.x for trial in trials}
        self._is_exhausted = not self._pending
        return [Trial(trial.id, np.array(self.problem.decoded(trial.x))) for trial in trials]

    def design(self, x: ArrayLike) -> dict[str, Any]:
        """Values by name of one point (d,) that `ask` gave."""
        point = np.asarray(x, dtype=np.float64).reshape(self.problem.dim)
        return self.problem.design(np.asarray(self.problem.encoded(point)))

    def tell(
        self, X: ArrayLike, F: ArrayLike, G: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> None:
        """Values of points: F (k,), G (k, n_ineq), H (k, n_eq); NaN where an evaluation failed.

        For a single point (d,) numbers and (m,) will do.
        """
        points = self._rows(X)
        k = points.shape[0]
        f = shaped("F", F, (k,))
        g = shaped("G", G, (k, self.problem.n_ineq))
        h = shaped("H", H, (k, self.problem.n_eq))
        ids = self._ids_by_bytes()
        told: list[tuple[int, Sample]] = []
        injected: list[Sample] = []
        for i in range(k):
            sample = Sample(points[i], float(f[i]), g[i].copy(), h[i].copy())
            pending = ids.get(points[i].tobytes())
            if pending:
                told.append((pending.pop(0), sample))
            else:
                injected.append(sample._replace(x=self._legal(points[i])))
        self._injected += injected
        for id, sample in told:
            self._take(id, sample)
        self._take_injected()

    def tell_trial(
        self, id: int, f: float, G: ArrayLike | None = None, H: ArrayLike | None = None
    ) -> None:
        """Values of one trial by its id; NaN where the evaluation failed."""
        if id not in self._pending:
            raise ValueError(f"there is no pending trial {id!r}")
        g = shaped("G", G, (1, self.problem.n_ineq))[0]
        h = shaped("H", H, (1, self.problem.n_eq))[0]
        value = float(shaped("f", f, (1,))[0])
        self._take(id, Sample(self._pending[id], value, g.copy(), h.copy()))
        self._take_injected()

    def forget(self, X: ArrayLike) -> None:
        """Pending points that will never be told; each counts as a failed evaluation."""
        points = self._rows(X)
        ids = self._ids_by_bytes()
        found = []
        for i, row in enumerate(points):
            pending = ids.get(row.tobytes())
            if not pending:
                raise ValueError(f"X[{i}] is not a pending point, got {row}")
            found.append(pending.pop(0))
        for id in found:
            g, h = np.full(self.problem.n_ineq, np.nan), np.full(self.problem.n_eq, np.nan)
            self._take(id, Sample(self._pending[id], np.nan, g, h))
        self._take_injected()

    def _rows(self, X: ArrayLike) -> Floats:
        """Points as (k, d)."""
        points = np.array(as_floats("X", X), ndmin=2)
        if points.ndim != 2 or points.shape[1] != self.problem.dim:
            raise ValueError(f"X must have shape (k, {self.problem.dim}), got {np.shape(X)}")
        return np.asarray(self.problem.encoded(points))

    def _ids_by_bytes(self) -> dict[bytes, list[int]]:
        """Ids of the pending points, earliest first."""
        ids: dict[bytes, list[int]] = {}
        for id, x in self._pending.items():
            ids.setdefault(x.tobytes(), []).append(id)
        return ids

    def _legal(self, x: Floats) -> Floats:
        """A point that may be injected."""
        outside = ~((x >= self.problem.lower) & (x <= self.problem.upper))
        if outside.any():
            j = int(np.flatnonzero(outside)[0])
            raise ValueError(
                f"a point that was not asked for must be inside the bounds, got "
                f"{self.problem.variable_names[j]} = {x[j]}"
            )
        self._space.check_whole("X", x, self.problem.variable_names)
        return x.copy()

    def _take(self, id: int, sample: Sample) -> None:
        """To the search."""
        del self._pending[id]
        self._searching.tell(id, sample)

    def _take_injected(self) -> None:
        """Points of the user's own, once nothing is pending."""
        if self._pending:
            return
        for k, sample in enumerate(self._injected):
            if self._searching.standing.is_finished:
                n = len(self._injected) - k
                log.warning("%d points told beyond the budget are left out: raise maxfev", n)
                break
            self._searching.inject(sample)
            self._is_exhausted = False
        self._injected.clear()

    # --- where the run stands -------------------------------------------------------------------
    @property
    def pending(self) -> Floats:
        """Points asked and not yet told, (k, d)."""
        points = np.array(list(self._pending.values())).reshape(-1, self.problem.dim)
        return self.problem.decoded(points)

    @property
    def nfev(self) -> int:
        """Evaluations the search has taken."""
        return self._searching.standing.nfev

    @property
    def stop(self) -> str | None:
        """Why there is nothing more to ask, or None.

        "target", "budget", or "finished": every point is known, as can be where all variables are
        lists or whole numbers.
        """
        if self._searching.standing.is_goal_reached:
            return "target"
        if self._searching.standing.is_finished:
            return "budget"
        return "finished" if self._is_exhausted else None

    def result(self) -> Result:
        """The result as it stands."""
        from rdex.run.result import make_result

        return make_result(self._searching, STATUS[self.stop], float("nan"))

    # --- keeping --------------------------------------------------------------------------------
    def state_dict(self) -> dict[str, Any]:
        """Everything about the run as plain arrays and JSON values."""
        return {**self._searching.arrays(), **self._facts()}

    def _facts(self) -> dict[str, Any]:
        """What is not an array, as JSON values."""
        return {
            "run": self._searching.spec.description(),
            "facts": self._searching.facts(),
            "pending": [[id, x.tolist()] for id, x in self._pending.items()],
            "injected": [[s.x.tolist(), s.f, s.g.tolist(), s.h.tolist()] for s in self._injected],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave; the optimiser must have been made alike, but for
        its seed: that of the state counts."""
        spec = self._spec_of(described(state, "the state"))
        d, m_g, m_h = self.problem.dim, self.problem.n_ineq, self.problem.n_eq
        try:
            pending = {int(id): np.array(x, float).reshape(d) for id, x in state["pending"]}
            injected = [
                Sample(
                    self._legal(np.array(x, float).reshape(d)), float(f),
                    np.array(g, float).reshape(m_g), np.array(h, float).reshape(m_h),
                )
                for x, f, g, h in state["injected"]
            ]  # fmt: skip
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise RunFileError(f"the state has no list of pending points: {error}") from error
        arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
        searching = make_searching(spec, is_asked=True)  # what is refused changes nothing here
        try:
            searching.restore(arrays, checked_facts(state.get("facts", {}), "the state"))
            out = {trial.id: trial.x for trial in searching.pending()}
        except RunFileError:
            raise
        except Exception as error:  # whatever a damaged state makes of a search
            raise RunFileError(f"the state is damaged: {describe(error)}") from error
        if {id: x.tobytes() for id, x in out.items()} != {
            id: x.tobytes() for id, x in pending.items()
        }:
            raise RunFileError("the state is damaged: its pending points are not those of its run")
        self._searching, self._is_exhausted = searching, False
        self._pending, self._injected = pending, injected

    def _spec_of(self, stored: dict[str, Any]) -> RunSpec:
        """The run of a state, if it is this one but for its seed."""
        spec = make_spec(self.problem, dataclasses.replace(self._search, rng=stored_seed(stored)))
        different = differences(stored, spec.description(), FREE_IN_CHECKPOINTS)
        if different:
            names = ", ".join(different)
            raise RunFileError(
                f"the state belongs to a run with other arguments: different {names}"
            )
        return spec

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file (npz and JSON), whole or not at all."""
        save_state(path, self._searching.arrays(), self._facts())

    def load(self, path: str | os.PathLike[str]) -> None:
        """Continue from a file that `save` wrote."""
        arrays, header = load_state(path)
        self.load_state_dict({**arrays, **header})
