"""`Engine`: one run, advanced by a compiled problem or by ask and tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.common.loading import load_kernels
from rdex.engine.constants import Constants
from rdex.engine.kernels import layout
from rdex.engine.kernels.layout import State
from rdex.engine.kernels.steps import LARGEST_BATCH, default_batch
from rdex.engine.methods import method_of
from rdex.engine.state import Limits, encoded_points
from rdex.engine.ude.kernels.layout import UdeState
from rdex.problem.problem import Floats, Problem

__all__ = ["LARGEST_BATCH", "Engine", "Point", "default_batch"]


class Point(NamedTuple):
    """A point with its values; `phi` is the mean violation, never scaled."""

    x: Floats
    f: float
    phi: float
    g: Floats
    h: Floats


class Engine:
    """One run of the search: its constants, its state and the ways to advance it.

    Results are a pure function of (problem, settings, maxfev, rng, batch). The arrays of `state`
    are the run; `rdex.engine.files` saves and restores them at any point.

    Parameters
    ----------
    problem : Problem
    settings : Settings or UdeSettings
        Their type chooses the method.
    maxfev : int
        Budget; never exceeded, and part of the algorithm: ε and N follow NFE / maxfev.
    rng : anything `numpy.random.default_rng` accepts
    checkpoints : int
        Number K of records of the best so far.
    limits : Limits
        Tolerances and scales of the constraints.
    initial : (k, d) array, optional
        Points, in the user's space, that replace the first k random initial ones.
    log_variables : (d,) bool array, optional
        Variables searched on a logarithmic scale.
    capacity : int
        The most rows that can be asked and not told at a time; even, at least 2.
    goal : float
        `run` stops at a feasible point with f at or below it.
    """

    def __init__(
        self,
        problem: Problem,
        settings: Constants,
        maxfev: int,
        rng: Any = None,
        *,
        checkpoints: int = 2000,
        limits: Limits | None = None,
        initial: ArrayLike | None = None,
        log_variables: NDArray[np.bool_] | None = None,
        capacity: int = 2 * LARGEST_BATCH,
        goal: float = -math.inf,
    ) -> None:
        check_budget(maxfev, checkpoints)
        self.problem = problem
        self.settings = settings
        self.limits = limits or Limits()
        self.maxfev = int(maxfev)
        self.method = method_of(settings)
        self.state: State | UdeState = self.method.make_state(
            problem,
            settings,
            self.maxfev,
            rng,
            checkpoints=int(checkpoints),
            limits=self.limits,
            initial=initial,
            log_variables=log_variables,
            capacity=capacity,
            goal=goal,
        )
        self._point = np.empty(problem.dim)

    # --- where the run stands -------------------------------------------------------------------
    @property
    def nfev(self) -> int:
        """Evaluations whose results are in."""
        return int(self.state.count[layout.TOLD])

    @property
    def n_asked(self) -> int:
        """Evaluations handed out."""
        return int(self.state.count[layout.ASKED])

    @property
    def generation(self) -> int:
        """Finished generations."""
        return int(self.state.count[layout.GENERATION])

    @property
    def n(self) -> int:
        """Present size of the population."""
        return int(self.state.count[layout.N])

    @property
    def n_failed(self) -> int:
        """Evaluations that failed."""
        return int(self.state.count[layout.FAILED])

    @property
    def n_restarts(self) -> int:
        """Populations that had settled and made room for another."""
        return int(self.state.count[layout.RESTARTS])

    @property
    def eps(self) -> float:
        """ε of the present generation."""
        return float(self.state.value[layout.EPS])

    @property
    def first_feasible(self) -> int | None:
        """Evaluations when the first feasible point was found."""
        return int(self.state.count[layout.FEASIBLE_AT]) or None

    @property
    def is_finished(self) -> bool:
        """Whether the budget is used up."""
        return self.nfev >= self.maxfev

    @property
    def is_goal_reached(self) -> bool:
        """Whether a feasible point with f at or below the goal is known."""
        value = self.state.value
        reached = value[layout.BEST_F] <= self.state.param[layout.GOAL]
        return bool(reached and value[layout.BEST_PHI] == 0.0)

    @property
    def best(self) -> Point:
        """Best so far, feasibility first, in the user's space."""
        from rdex.evaluation.kernels import violation_of

        state = self.state
        return Point(
            self.decoded(state.best_x),
            float(state.value[layout.BEST_F]),
            float(
                violation_of(
                    state.best_g,
                    state.best_h,
                    state.limit,
                    layout.UNWEIGHTED,
                    state.param[layout.EQ_EXCESS],
                )
            )
            if state.value[layout.BEST_PHI] < math.inf
            else math.inf,
            state.best_g.copy(),
            state.best_h.copy(),
        )

    def decoded(self, x: Floats) -> Floats:
        """Points of the user's space for a row, or rows, of the engine's."""
        from rdex.engine.kernels.points import decode_points

        rows = np.array(x, dtype=np.float64, ndmin=2)
        points = np.empty((len(rows), self.problem.dim))
        decode_points(rows, self.state.box, points)
        return points[0] if np.ndim(x) == 1 else points

    # --- compiled problems ----------------------------------------------------------------------
    def run(
        self, stop_at: int | None = None, stop_at_generation: bool = False, batch: int = 1
    ) -> bool:
        """Advance in compiled code until `stop_at` evaluations, or the end of a generation.

        `batch` rows are drawn from one state; 0 stands for `default_batch`. Points asked before and
        not told are evaluated first. Returns whether a generation ended last.
        """
        if batch >= self.state.info.shape[0]:
            raise ValueError(f"batch must be below the capacity of {self.state.info.shape[0]} rows")
        compiled = self.problem.compiled
        stop = self.maxfev if stop_at is None else min(int(stop_at), self.maxfev)
        return bool(
            load_kernels(self.method.fused).run_compiled(
                compiled.function,
                compiled.data,
                np.empty(compiled.n_work),
                self._point,
                np.empty(self.problem.n_ineq),
                np.empty(self.problem.n_eq),
                self.state,
                stop,
                stop_at_generation,
                batch,
            )
        )

    def run_in_slices(
        self,
        on_pause: Callable[[Engine], bool | None],
        seconds: float = 0.05,
        each_generation: bool = False,
        batch: int = 1,
    ) -> None:
        """Run to the end, calling `on_pause` about every `seconds`, or after each generation.

        A true answer stops the run; it can be continued later, in the middle of a generation too.
        """
        slice_size = 1000
        while not self.is_finished:
            start = perf_counter()
            self.run(self.nfev + slice_size, each_generation, batch)
            elapsed = perf_counter() - start
            slice_size = int(min(max(slice_size * seconds / max(elapsed, 1e-6), 100), 10**7))
            if on_pause(self) or self.is_goal_reached:
                return

    # --- everything else ------------------------------------------------------------------------
    def ask(self, n: int = 1, ahead: bool = False) -> Floats:
        """Up to `n` points to evaluate, (k, d); none while earlier results are needed first.

        A batch never crosses the end of a generation, of the initial points or of the budget.
        """
        outstanding = self.n_asked - self.nfev
        room = self.state.info.shape[0] - outstanding - 1  # a race partner may wait in one row
        most = max(0, min(n, room))
        points = np.empty((most, self.problem.dim))
        return points[: load_kernels(self.method.asktell).ask(self.state, most, ahead, points)]

    def tell(self, f: ArrayLike, g: ArrayLike | None = None, h: ArrayLike | None = None) -> None:
        """Results of the earliest points asked and not yet told, in the order of asking."""
        values = _writable(f).reshape(-1)
        n, nfev = values.size, self.nfev
        g_rows = _rows(g, n, self.problem.n_ineq)
        h_rows = _rows(h, n, self.problem.n_eq)
        if n > self.n_asked - nfev:
            raise ValueError(f"{n} results, but {self.n_asked - nfev} points are outstanding")
        load_kernels(self.method.asktell).tell(self.state, nfev, n, values, g_rows, h_rows)

    def inject(self, x: Floats, f: float, g: Floats, h: Floats) -> None:
        """Take a point that was not asked for; nothing may be outstanding.

        It counts as one evaluation. Among the initial points it replaces the next one; later it
        enters front and P if it is better than the worst member of the front.
        """
        if self.n_asked != self.nfev:
            raise ValueError("inject needs no outstanding points")
        row = np.ascontiguousarray(encoded_points(x[None, :], self.problem, self.state.box)[0])
        load_kernels(self.method.asktell).inject(
            self.state, row, f, np.ascontiguousarray(g), np.ascontiguousarray(h)
        )

    def outstanding(self) -> Floats:
        """The points asked and not yet told, in the order of asking; for a run read from a file."""
        state = self.state
        capacity = state.info.shape[0]
        first = 3 * int(state.param[layout.N0])
        rows = [first + k % capacity for k in range(self.nfev, self.n_asked)]
        return self.decoded(state.x[rows])

    def bound_tell_ask(self, g: Floats, h: Floats, point: Floats) -> Callable[[float], int]:
        """Batch 1 in one call, for loops: arrays and state are bound once, not at every call.

        The function takes f of the last point asked, its constraints from `g` and `h`, and writes
        the next point into `point`. It returns 0 at the end of the run, 2 if a generation ended,
        else 1. It goes on with the present `state`: not for use after another one is put there.
        """
        kernels = load_kernels(self.method.asktell)
        return bound_kernel(kernels.tell_ask, kernels.POINT, (self.state, g, h, point))

    def bound_tell_ask_rows(
        self, f: Floats, g: Floats, h: Floats, points: Floats
    ) -> Callable[[int, int], int]:
        """A batch in one call, bound like `bound_tell_ask`.

        The function `(told, batch)` takes the results of the `told` earliest points asked from the
        first rows of f, g and h, then writes up to `batch` points (0: the default) into the first
        rows of `points`. It returns their number, negative if a generation ended; 0 at the end.
        """
        kernels = load_kernels(self.method.asktell)
        return bound_kernel(kernels.tell_ask_rows, kernels.BATCH, (self.state, f, g, h, points))


def bound_kernel(kernel: Any, kind: Any, arrays: tuple[Any, ...]) -> Callable[..., int]:
    """A kernel that takes a table, with the table of these arrays."""
    from rdex.engine.kernels.binding import table_of

    call = partial(kernel, table_of(kind, arrays))
    call.arrays = arrays  # type: ignore[attr-defined]  # the table holds but their addresses
    return call


def check_budget(maxfev: Any, checkpoints: Any) -> None:
    """Whole numbers of at least 1, or a ValueError."""
    for name, value in (("maxfev", maxfev), ("checkpoints", checkpoints)):
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_whole or value < 1:
            raise ValueError(f"{name} must be a whole number >= 1, got {value!r}")


def _rows(values: ArrayLike | None, n: int, m: int) -> Floats:
    """Constraint values as (n, m); None stands for no constraints."""
    array = np.empty((n, 0)) if values is None else _writable(values)
    if array.size == n * m:
        return array.reshape(n, m)
    raise ValueError(f"expected constraint values of shape ({n}, {m}), got {array.shape}")


def _writable(values: ArrayLike) -> Floats:
    """Values as kernels take them; `np.require` does the same in five times the time."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    return array if array.flags.writeable else array.copy()
