"""`Engine`: one run, advanced by a compiled problem or by ask and tell."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.engine import state as rdex_state
from rdex.engine.checking import checked_state
from rdex.engine.constants import Constants
from rdex.engine.kernels.layout import LARGEST_BATCH, Task, default_batch
from rdex.engine.state import Request, encoded_points, flattened
from rdex.engine.ude import state as ude_state
from rdex.engine.ude.settings import UdeSettings
from rdex.engine.view import Point, Population, RunView
from rdex.jit.loading import expect, find_kernel, is_compiled
from rdex.jit.records import readable
from rdex.problem.checks import checked_count
from rdex.problem.problem import Floats, Problem

__all__ = ["LARGEST_BATCH", "Engine", "Point", "Population", "default_batch"]


class Method(NamedTuple):
    """What drives runs: the maker of states, and where the kernels of its loops are."""

    make_state: Callable[..., Any]
    kernels: str
    has_fixed_size: bool = False  # whether the population keeps its size


RDEX = Method(rdex_state.make_state, "rdex.engine.kernels")
UDE = Method(ude_state.make_state, "rdex.engine.ude.kernels", has_fixed_size=True)


def method_of(settings: Constants) -> Method:
    """The method that settings are constants of."""
    return UDE if isinstance(settings, UdeSettings) else RDEX


class Engine(RunView):
    """One run of the search: its constants, its state and the ways to advance it.

    Results are a pure function of (problem, settings, maxfev, rng, batch). The arrays of `state`
    are the run; `arrays` and `restore` save and restore them at any point.

    Parameters
    ----------
    problem : Problem
    settings : Settings or UdeSettings
        Their type chooses the method.
    maxfev, rng, **options
        Fields of `rdex.engine.state.Request`, which explains them.
    """

    def __init__(
        self, problem: Problem, settings: Constants, maxfev: int, rng: Any = None, **options: Any
    ) -> None:
        for label, value in (("maxfev", maxfev), ("checkpoints", options.get("checkpoints", 1))):
            checked_count(label, value)
        request = Request(int(maxfev), rng, **options)
        self.problem = problem
        self.settings = settings
        self.limits = request.limits
        self.maxfev = request.maxfev
        self.method = method_of(settings)
        expect(self.maxfev)
        self.state = self.method.make_state(problem, settings, request)
        self._point = np.empty(problem.dim)
        self._bound: Any = None  # the latest bound kernel
        self._table: tuple[Any, Any] = (None, None)  # a state and its table
        self._readable: tuple[Any, Any] = (None, None)  # a state, and as interpreted kernels see it

    # --- saved and restored -----------------------------------------------------------------------
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Everything that a run is, by name; `restore` goes on from it, bit for bit."""
        return {name: np.array(array) for name, array in flattened(self.state, "engine.").items()}

    def restore(self, arrays: dict[str, Any], may_grow: bool = False) -> None:
        """Go on from what `arrays` gave; further entries are ignored.

        With `may_grow` the arrays may be those of a smaller budget, with the initial size that
        belongs to it: `extend` goes on from there. Raises RunFileError, and changes nothing, where
        the arrays are not those of such a run.
        """
        mine = {name.removeprefix("engine."): array for name, array in arrays.items()}
        self.state = checked_state(self.state, mine, may_grow)
        self.maxfev = int(self.state.settings[0]["maxfev"])
        if may_grow:
            self.settings = self.settings.replace(n0=self.n0)

    def extend(self, maxfev: int) -> None:
        """Go on with a larger budget: a new schedule from the front and the population as they are.

        t falls back to nfev / maxfev; front and P grow again to the size that belongs to it, with
        the latest members that shrinking had dropped. Points that are out are forgotten. The
        history keeps its number of records: those before now are the latest known at their times.

        The population of UDE has one size: the generation under way goes on with the points that
        are out, and the next one takes its ε from the new schedule.
        """
        state = self.state
        if maxfev < self.maxfev:
            raise ValueError(f"expected at least {self.maxfev} evaluations, got {maxfev}")
        spread_trace(state, self.nfev, self.maxfev, maxfev)
        state.settings["maxfev"] = maxfev
        self.maxfev = int(maxfev)
        if self.method.has_fixed_size or not state.run[0]["ready"]:
            return  # points that are out stay out
        state.run["asked"] = state.run["told"]
        self.advance("anyorder:regrow")

    # --- kernels --------------------------------------------------------------------------------
    def advance(self, kernel: str, *arguments: Any) -> Any:
        """Call a kernel of the method, ``module:name``, with the state and these arguments."""
        place = f"{self.method.kernels}.{kernel}"
        found = find_kernel(place)
        if not is_compiled(found):
            return found(self._state_for(found), *arguments)
        if self._table[0] is not self.state:  # making a table takes milliseconds
            self._table = (self.state, table_for(found, place, "STATE_TYPE", self.state))
        return found(self._table[1], *arguments)

    def _state_for(self, kernel: Any) -> Any:
        """The state as a kernel takes it: interpreted ones read fields as attributes."""
        if is_compiled(kernel):
            return self.state
        if self._readable[0] is not self.state:
            self._readable = (self.state, readable(self.state))
        return self._readable[1]

    # --- compiled problems ----------------------------------------------------------------------
    def run(
        self, stop_at: int | None = None, stop_at_generation: bool = False, batch: int = 1
    ) -> bool:
        """Advance in compiled code until `stop_at` evaluations, or the end of a generation.

        `batch` rows are drawn from one state; 0 stands for `default_batch`. Points asked before and
        not told are evaluated first. Returns whether a generation ended last.
        """
        if batch >= self.capacity:
            raise ValueError(f"batch must be below the capacity of {self.capacity} rows")
        compiled = self.problem.compiled
        task = Task(
            compiled.data,
            np.empty(compiled.n_work),
            self._point,
            np.empty(self.problem.n_ineq),
            np.empty(self.problem.n_eq),
        )
        stop = self.maxfev if stop_at is None else min(int(stop_at), self.maxfev)
        run = find_kernel(f"{self.method.kernels}.fused:run_compiled", is_loop=True, is_fused=True)
        state = self._state_for(run)
        return bool(run(compiled.function, task, state, stop, stop_at_generation, batch))

    # --- everything else ------------------------------------------------------------------------
    def ask(self, n: int = 1, ahead: bool = False) -> Floats:
        """Up to `n` points to evaluate, (k, d); none while earlier results are needed first.

        A batch never crosses the end of a generation, of the initial points or of the budget.
        """
        outstanding = self.n_asked - self.nfev
        room = self.capacity - outstanding - 1  # a race partner may wait in one row
        most = max(0, min(n, room))
        points = np.empty((most, self.problem.dim))
        return points[: self.advance("asktell:ask", most, ahead, points)]

    def tell(self, f: ArrayLike, g: ArrayLike | None = None, h: ArrayLike | None = None) -> None:
        """Results of the earliest points asked and not yet told, in the order of asking."""
        values = _writable(f).reshape(-1)
        n, nfev = values.size, self.nfev
        g_rows = _rows(g, n, self.problem.n_ineq)
        h_rows = _rows(h, n, self.problem.n_eq)
        if n > self.n_asked - nfev:
            raise ValueError(f"{n} results, but {self.n_asked - nfev} points are outstanding")
        self.advance("asktell:tell", n, values, g_rows, h_rows)

    def __getstate__(self) -> dict[str, Any]:
        """Copies have arrays of their own: tables and views are of these."""
        nothing = (None, None)
        return {**self.__dict__, "_bound": None, "_table": nothing, "_readable": nothing}

    def inject(self, x: Floats, f: float, g: Floats, h: Floats) -> None:
        """Take a point that was not asked for; nothing may be outstanding.

        It counts as one evaluation. Among the initial points it replaces the next one; later it
        enters front and P if it is better than the worst member of the front.
        """
        if self.n_asked != self.nfev:
            raise ValueError("inject needs no outstanding points")
        row = np.ascontiguousarray(encoded_points(x[None, :], self.problem, self.state.box)[0])
        self.advance("asktell:inject", row, f, np.ascontiguousarray(g), np.ascontiguousarray(h))

    def bound_tell_ask(self, g: Floats, h: Floats, point: Floats) -> Callable[[float], int]:
        """Batch 1 in one call, for loops: arrays and state are bound once, not at every call.

        The function takes f of the last point asked, its constraints from `g` and `h`, and writes
        the next point into `point`. It returns 0 at the end of the run, 2 if a generation ended,
        else 1. It goes on with the present `state`: not for use after another one is put there.
        Loops ask for it now and then: it may have been compiled meanwhile.
        """
        return self._bind("asktell:tell_ask", "POINT", (g, h, point))

    def bound_tell_ask_rows(
        self, f: Floats, g: Floats, h: Floats, points: Floats
    ) -> Callable[[int, int], int]:
        """A batch in one call, bound like `bound_tell_ask`.

        The function `(told, batch)` takes the results of the `told` earliest points asked from the
        first rows of f, g and h, then writes up to `batch` points (0: the default) into the first
        rows of `points`. It returns their number, negative if a generation ended; 0 at the end.
        """
        return self._bind("asktell:tell_ask_rows", "BATCH", (f, g, h, points))

    def _bind(self, name: str, kind: str, others: tuple[Floats, ...]) -> Callable[..., int]:
        """A kernel with the table of the state and these arrays, of the type named `kind`."""
        place = f"{self.method.kernels}.{name}"
        kernel = find_kernel(place, is_loop=True)
        arrays = (self._state_for(kernel), *others)
        bound: Any = self._bound  # making a table takes milliseconds
        is_same = bound is not None and bound.func is kernel
        if not is_same or not all(map(operator.is_, bound.arrays, arrays)):
            bound = self._bound = partial(kernel, table_for(kernel, place, kind, arrays))
            bound.arrays = arrays  # the table holds but their addresses
        call: Callable[..., int] = bound
        return call


def table_for(kernel: Any, place: str, kind: str, arrays: tuple[Any, ...]) -> Any:
    """What a bound kernel takes for its arrays; `kind` is a name in its module."""
    if not is_compiled(kernel):
        return arrays
    from rdex.jit.binding import table_of

    return table_of(getattr(sys.modules[place.partition(":")[0]], kind), arrays)


def next_slice(n: int, elapsed: float, seconds: float) -> int:
    """Evaluations of compiled code that take about `seconds`, where n of them took `elapsed`."""
    return int(min(max(n * seconds / max(elapsed, 1e-6), 1), 100 * n, 10**7))


def spread_trace(state: Any, nfev: int, before: int, maxfev: int) -> None:
    """Records of a smaller budget at the places of the same records of a larger one."""
    K = int(state.settings[0]["checkpoints"])
    written = int(state.run[0]["next"]) - 1  # records 1 .. written of the old budget
    old_at = np.ceil(np.arange(K + 1) * before / K)
    new_at = np.ceil(np.arange(K + 1) * maxfev / K)
    due = int(np.searchsorted(new_at, nfev, side="right")) - 1
    source = np.clip(np.searchsorted(old_at, new_at[: due + 1], side="right") - 1, 0, written)
    for rows, unknown in zip(state.trace, (np.inf, np.inf, np.nan), strict=True):
        kept = rows[source].copy()
        rows[1:] = unknown
        rows[1 : due + 1] = kept[1:]
    state.run["next"] = due + 1
    state.run["next_at"] = math.ceil((due + 1) * maxfev / K) if due < K else 2**62


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
