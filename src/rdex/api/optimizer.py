"""`Optimizer`: ask and tell, for people who evaluate in their own way."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rdex.api.start import shaped
from rdex.api.status import Status
from rdex.api.task import checked_count, make_task
from rdex.engine.engine import default_batch
from rdex.engine.files import RunFileError, load_state, save_state
from rdex.engine.kernels import layout
from rdex.engine.settings import Settings
from rdex.problem.problem import Floats, Problem, checked_integrality, read_bounds

if TYPE_CHECKING:
    from rdex.api.result import Result

Values = tuple[float, Floats, Floats]


def never_called(x: Floats) -> Any:
    """In the place of a function that the optimiser is never to call."""
    raise TypeError("an Optimizer does not evaluate: tell it your values")


class Optimizer:
    """A run that the caller advances: `ask` for points, evaluate them, `tell` their values.

    Points are matched by their bytes, so results may come out of order and in parts; the search
    takes them in the order of asking, each waiting until all earlier ones are told or forgotten.
    Equal rows that were asked several times are told several times. A told point that is not
    pending is an injection: it waits until nothing is pending, takes the place of one evaluation
    and enters the population if it is better than the worst member.

    Parameters
    ----------
    bounds : scipy.optimize.Bounds or sequence of (low, high)
        Finite.
    n_ineq, n_eq : int
        Numbers of constraints G <= 0 and H = 0.
    maxfev : int
        Budget, default 20000 a variable; part of the algorithm.
    algorithm, rng, eq_tol, ineq_tol, constraint_scale, x0, init : as in `rdex.minimize`
    integrality, log_scale, target, checkpoints, settings : as in `rdex.minimize`
    variable_names, constraint_names : as in `rdex.minimize`

    Examples
    --------
    >>> import rdex
    >>> optimizer = rdex.Optimizer([(-5, 5)] * 2, n_ineq=1, maxfev=2000, rng=3)
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
        algorithm: str | Settings = "rdex-csop",
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
        lower, upper = read_bounds(bounds)
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
        )
        task = make_task(
            self.problem,
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
        # A generation, each of its trials with a race partner, can be pending at once.
        self._engine = task.engine(
            capacity=2 * task.settings.initial_size(self.problem.dim, task.maxfev) + 2
        )
        self._asked: dict[int, bytes] = {}  # number of the row -> its bytes, in order
        self._known: dict[int, Values] = {}  # results that wait for earlier ones
        self._injected: list[tuple[Floats, Values]] = []

    # --- asking and telling ---------------------------------------------------------------------
    def ask(self, n: int | None = None) -> Floats:
        """At most `n` points to evaluate, (k, d); by default as many as `minimize` takes at once.

        Fewer, or none, where the search must first have results: a batch never crosses the end of
        a generation, of the initial points or of the budget.
        """
        size = default_batch(self._engine.n) if n is None else checked_count("n", n)
        if self.stop is not None:
            return np.empty((0, self.problem.dim))
        number = self._engine.n_asked
        points = self._engine.ask(size)
        for k, point in enumerate(points):
            self._asked[number + k] = point.tobytes()
        return points

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
        pending = self._pending()
        known, injected = {}, []
        for i in range(k):
            values = (float(f[i]), g[i].copy(), h[i].copy())
            numbers = pending.get(points[i].tobytes())
            if numbers:
                known[numbers.pop(0)] = values
            else:
                injected.append((self._inside(points[i]), values))
        self._known |= known
        self._injected += injected
        self._take()

    def forget(self, X: ArrayLike) -> None:
        """Pending points that will never be told; each counts as a failed evaluation."""
        points = self._rows(X)
        pending = self._pending()
        nothing = (
            np.nan,
            np.full(self.problem.n_ineq, np.nan),
            np.full(self.problem.n_eq, np.nan),
        )
        known = {}
        for i, row in enumerate(points):
            numbers = pending.get(row.tobytes())
            if not numbers:
                raise ValueError(f"X[{i}] is not a pending point, got {row}")
            known[numbers.pop(0)] = nothing
        self._known |= known
        self._take()

    def _rows(self, X: ArrayLike) -> Floats:
        """Points as (k, d)."""
        points = np.array(X, dtype=np.float64, ndmin=2)
        if points.ndim != 2 or points.shape[1] != self.problem.dim:
            raise ValueError(f"X must have shape (k, {self.problem.dim}), got {np.shape(X)}")
        return points

    def _pending(self) -> dict[bytes, list[int]]:
        """Numbers of the rows without results, earliest first, by their bytes."""
        numbers: dict[bytes, list[int]] = {}
        for number, key in self._asked.items():
            if number not in self._known:
                numbers.setdefault(key, []).append(number)
        return numbers

    def _inside(self, x: Floats) -> Floats:
        """A point that may be injected."""
        outside = ~((x >= self.problem.lower) & (x <= self.problem.upper))
        if outside.any():
            j = int(np.flatnonzero(outside)[0])
            raise ValueError(
                f"a point that was not asked for must be inside the bounds, got "
                f"{self.problem.variable_names[j]} = {x[j]}"
            )
        return x.copy()

    def _take(self) -> None:
        """Give the search all results whose turn has come."""
        ready: list[Values] = []
        for number in list(self._asked):
            if number not in self._known:
                break
            ready.append(self._known.pop(number))
            del self._asked[number]
        if ready:
            self._engine.tell(
                np.array([f for f, _, _ in ready]),
                np.array([g for _, g, _ in ready]),
                np.array([h for _, _, h in ready]),
            )
        if self._asked:
            return
        for x, (f, g, h) in self._injected:
            if not self._engine.is_finished:
                self._engine.inject(x, f, g, h)
        self._injected.clear()

    # --- where the run stands -------------------------------------------------------------------
    @property
    def pending(self) -> Floats:
        """Points asked and not yet told, (k, d)."""
        rows = [key for number, key in self._asked.items() if number not in self._known]
        return np.array([np.frombuffer(key) for key in rows]).reshape(-1, self.problem.dim)

    @property
    def nfev(self) -> int:
        """Evaluations the search has taken."""
        return self._engine.nfev

    @property
    def stop(self) -> str | None:
        """Why there is nothing more to ask, or None."""
        if self._engine.is_goal_reached:
            return "target"
        return "budget" if self._engine.is_finished else None

    def result(self) -> Result:
        """The result as it stands."""
        from rdex.api.result import make_result

        status = {"target": Status.TARGET, "budget": Status.BUDGET, None: Status.RUNNING}[self.stop]
        return make_result(self._engine, status, float("nan"))

    # --- keeping --------------------------------------------------------------------------------
    def state_dict(self) -> dict[str, Any]:
        """Everything about the run as plain arrays and JSON values."""
        return {
            **{name: array.copy() for name, array in self._engine.state._asdict().items()},
            "waiting": [
                [number, key.hex(), listed(self._known.get(number))]
                for number, key in self._asked.items()
            ],
            "injected": [[x.tolist(), listed(values)] for x, values in self._injected],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave; the optimiser must have been made alike."""
        here = self._engine.state
        fields = type(here)._fields
        missing = set(fields) - set(state)
        if missing:
            raise RunFileError(f"the state lacks {', '.join(sorted(missing))}")
        arrays = type(here)(**{name: np.array(state[name]) for name in fields})
        alike = all(
            getattr(here, name).shape == getattr(arrays, name).shape
            and getattr(here, name).dtype == getattr(arrays, name).dtype
            for name in fields
        )
        # Weights may have been learnt meanwhile.
        rows = layout.TOLERANCE if here.count[layout.SCALE_AUTO] else slice(None)
        if not (
            alike
            and np.array_equal(here.param, arrays.param)
            and np.array_equal(here.box, arrays.box)
            and np.array_equal(here.limit[rows], arrays.limit[rows])
        ):
            raise RunFileError("the state belongs to an optimiser with other arguments")
        self._engine.state = arrays
        waiting = state.get("waiting", [])
        self._asked = {int(number): bytes.fromhex(key) for number, key, _ in waiting}
        self._known = {
            int(number): unlisted(values) for number, _, values in waiting if values is not None
        }
        self._injected = [
            (np.array(x, dtype=np.float64), unlisted(values))
            for x, values in state.get("injected", [])
        ]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file (npz and JSON), whole or not at all."""
        state = self.state_dict()
        header = {"waiting": state["waiting"], "injected": state["injected"]}
        save_state(path, self._engine.state, header)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Continue from a file that `save` wrote."""
        state, header = load_state(path)
        self.load_state_dict({**state._asdict(), **header})


def listed(values: Values | None) -> Any:
    """Values as JSON."""
    return None if values is None else [values[0], values[1].tolist(), values[2].tolist()]


def unlisted(values: Any) -> Values:
    """Values from JSON."""
    return float(values[0]), np.array(values[1], float), np.array(values[2], float)
