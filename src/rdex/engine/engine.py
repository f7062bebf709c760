"""`Engine`: one run, advanced by a compiled problem or by ask and tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.engine import state as rdex_state
from rdex.engine.checking import checked_state
from rdex.engine.kernels import layout
from rdex.engine.kernels.layout import LARGEST_BATCH, State, Task, default_batch
from rdex.engine.settings import Constants
from rdex.engine.state import Request, encoded_points, flattened
from rdex.engine.ude import state as ude_state
from rdex.engine.ude.kernels.layout import UdeState
from rdex.engine.ude.settings import UdeSettings
from rdex.jit.loading import RunKernels, find_kernel, is_compiled
from rdex.problem.checks import checked_count
from rdex.problem.problem import Floats, Problem

__all__ = ["LARGEST_BATCH", "Engine", "Point", "Population", "default_batch"]


class Method(NamedTuple):
    """What drives runs: the maker of states, and where the kernels of its loops are."""

    make_state: Callable[..., Any]
    kernels: str
    has_fixed_size: bool = False  # whether the population keeps its size


UNIFORM_POINTS = "rdex.engine.kernels.drivers:uniform_points"
RDEX = Method(rdex_state.make_state, "rdex.engine.kernels")
UDE = Method(ude_state.make_state, "rdex.engine.ude.kernels", has_fixed_size=True)


def method_of(settings: Constants) -> Method:
    """The method that settings are constants of."""
    return UDE if isinstance(settings, UdeSettings) else RDEX


class Point(NamedTuple):
    """A point with its values; `phi` is the mean violation, never scaled."""

    x: Floats
    f: float
    phi: float
    g: Floats
    h: Floats


class Population(NamedTuple):
    """Members x (n, d) in the user's space, with f (n,) and φ (n,) as the search compares them."""

    x: Floats
    f: Floats
    phi: Floats


class Engine:
    """One run of the search: its constants, its state, the ways to advance it, and everything that
    others may read of it without knowing how it is held.

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
        self.state: State | UdeState = self.method.make_state(problem, settings, request)
        self._point = np.empty(problem.dim)
        points = np.empty((self.n0, problem.dim))
        self.kernels = RunKernels(self.maxfev)
        draw, seen = self.kernels.find(UNIFORM_POINTS, self.state, weight=points.size // 200)
        draw(seen.random, seen.box, points)
        if request.initial is not None:
            given = encoded_points(request.initial, problem, self.state.box)[: self.n0]
            points[: len(given)] = given
        self.state.members.x[: self.n0, : problem.dim] = points

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
        found, state = self.kernels.find(place, self.state, "STATE_TYPE")
        return found(state, *arguments)

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
        place = f"{self.method.kernels}.steps:run_compiled"
        beside = () if self.problem.place is None else (self.problem.place,)
        run, state = self.kernels.find(
            place, self.state, is_loop=True, is_fused=True, beside=beside
        )
        function = self.problem.compiled if is_compiled(run) else self.problem.interpreted
        task = Task(
            function.data,
            np.empty(function.n_work),
            self._point,
            np.empty(self.problem.n_ineq),
            np.empty(self.problem.n_eq),
        )
        stop = self.maxfev if stop_at is None else min(int(stop_at), self.maxfev)
        return bool(run(function.function, task, state, stop, stop_at_generation, batch))

    # --- everything else ------------------------------------------------------------------------
    def ask(self, n: int = 1, ahead: bool = False) -> Floats:
        """Up to `n` points to evaluate, (k, d); none while earlier results are needed first.

        A batch never crosses the end of a generation, of the initial points or of the budget.
        """
        outstanding = self.n_asked - self.nfev
        room = self.capacity - outstanding - 1  # a race partner may wait in one row
        most = max(0, min(n, room))
        points = np.empty((most, self.problem.dim))
        return points[: self.advance("steps:ask", most, ahead, points)]

    def tell(self, f: ArrayLike, g: ArrayLike | None = None, h: ArrayLike | None = None) -> None:
        """Results of the earliest points asked and not yet told, in the order of asking."""
        values = _writable(f).reshape(-1)
        n, nfev = values.size, self.nfev
        g_rows = _rows(g, n, self.problem.n_ineq)
        h_rows = _rows(h, n, self.problem.n_eq)
        if n > self.n_asked - nfev:
            raise ValueError(f"{n} results, but {self.n_asked - nfev} points are outstanding")
        self.advance("steps:tell", n, values, g_rows, h_rows)

    def inject(self, x: Floats, f: float, g: Floats, h: Floats) -> None:
        """Take a point that was not asked for; nothing may be outstanding.

        It counts as one evaluation. Among the initial points it replaces the next one; later it
        enters front and P if it is better than the worst member of the front.
        """
        if self.n_asked != self.nfev:
            raise ValueError("inject needs no outstanding points")
        row = np.ascontiguousarray(encoded_points(x[None, :], self.problem, self.state.box)[0])
        self.advance("steps:inject", row, f, np.ascontiguousarray(g), np.ascontiguousarray(h))

    def bound_tell_ask(self, g: Floats, h: Floats, point: Floats) -> Callable[[float], int]:
        """Batch 1 in one call, for loops: arrays and state are bound once, not at every call.

        The function takes f of the last point asked, its constraints from `g` and `h`, and writes
        the next point into `point`. It returns 0 at the end of the run, 2 if a generation ended,
        else 1. It goes on with the present `state`: not for use after another one is put there.
        Loops ask for it now and then: it may have been compiled meanwhile.
        """
        return self._bind("steps:tell_ask", "POINT", (g, h, point))

    def bound_tell_ask_rows(
        self, f: Floats, g: Floats, h: Floats, points: Floats
    ) -> Callable[[int, int], int]:
        """A batch in one call, bound like `bound_tell_ask`.

        The function `(told, batch)` takes the results of the `told` earliest points asked from the
        first rows of f, g and h, then writes up to `batch` points (0: the default) into the first
        rows of `points`. It returns their number, negative if a generation ended; 0 at the end.
        """
        return self._bind("steps:tell_ask_rows", "BATCH", (f, g, h, points))

    def _bind(self, name: str, kind: str, others: tuple[Floats, ...]) -> Callable[..., int]:
        """A kernel with the table of the state and these arrays, of the type named `kind`."""
        place = f"{self.method.kernels}.{name}"
        kernel, arrays = self.kernels.find(place, self.state, kind, others, is_loop=True)
        bound: Any = partial(kernel, arrays)
        bound.arrays = (self.state, *others)  # a table holds but their addresses
        call: Callable[..., int] = bound
        return call

    # --- counters -------------------------------------------------------------------------------
    @property
    def nfev(self) -> int:
        """Evaluations whose results are in."""
        return int(self.state.run["told"].item())

    @property
    def n_asked(self) -> int:
        """Evaluations handed out."""
        return int(self.state.run["asked"].item())

    @property
    def generation(self) -> int:
        """Finished generations."""
        return int(self.state.run["generation"].item())

    @property
    def n(self) -> int:
        """Present size of the population."""
        return int(self.state.run["n"].item())

    @property
    def n0(self) -> int:
        """Size of the population at the start."""
        return int(self.state.settings["n0"].item())

    @property
    def n_failed(self) -> int:
        """Evaluations that failed."""
        return int(self.state.run["failed"].item())

    @property
    def n_restarts(self) -> int:
        """Number of restarts."""
        return int(self.state.run["restarts"].item())

    @property
    def first_feasible(self) -> int | None:
        """Evaluations when the first feasible point was found."""
        return int(self.state.run["feasible_at"].item()) or None

    @property
    def checkpoints(self) -> int:
        """Number K of records of the best so far."""
        return int(self.state.settings["checkpoints"].item())

    @property
    def capacity(self) -> int:
        """Rows that can be asked and not told; one of them is kept for a race partner."""
        return int(self.state.pending.size)

    # --- values ---------------------------------------------------------------------------------
    @property
    def eps(self) -> float:
        """ε of the present generation."""
        return float(self.state.run["eps"].item())

    @property
    def clock(self) -> float:
        """Used share of the time limit; 0 without one."""
        return float(self.state.run["clock"].item())

    def set_clock(self, share: float) -> None:
        """The search follows the clock too: this share of the time limit is used."""
        self.state.run[0]["clock"] = min(max(share, 0.0), 1.0)

    @property
    def goal(self) -> float:
        """A feasible f at or below it ends the run; -inf without one."""
        return float(self.state.settings["goal"].item())

    @property
    def best_f(self) -> float:
        """f of the best point so far; cheaper than `best`."""
        return float(self.state.run["best_f"].item())

    @property
    def is_finished(self) -> bool:
        """Whether the budget is used up."""
        return self.nfev >= self.maxfev

    @property
    def is_goal_reached(self) -> bool:
        """Whether a feasible point with f at or below the goal is known."""
        return self.best_f <= self.goal and bool(self.state.run["best_phi"].item() == 0.0)

    @property
    def feasible_share(self) -> float:
        """Share of the present members that are feasible."""
        return float(np.mean(self.state.members.phi[: self.n] == 0.0))

    # --- constraints ----------------------------------------------------------------------------
    @property
    def tolerance(self) -> Floats:
        """Tolerance of every constraint (m,), inequalities first."""
        return self.state.limit[layout.TOLERANCE].copy()

    @property
    def constraint_scale(self) -> Floats:
        """What each violation is divided by (m,), inequalities first."""
        scale: Floats = 1.0 / self.state.limit[layout.WEIGHT]
        return scale

    def violation(self, g: Floats, h: Floats) -> float:
        """Mean violation of all constraints, not scaled; infinite where one is not finite."""
        vectors = [np.array(values, dtype=np.float64) for values in (g, h)]
        excess = self.state.settings[0]["eq_excess"]
        violation_of = find_kernel("rdex.engine.kernels.order:violation_of")
        return float(violation_of(*vectors, self.state.limit, layout.UNWEIGHTED, excess))

    # --- points ---------------------------------------------------------------------------------
    @property
    def best(self) -> Point:
        """Best so far, feasibility first, in the user's space."""
        state = self.state
        has_failed = state.run[0]["best_phi"] == math.inf
        phi = math.inf if has_failed else self.violation(state.best.g, state.best.h)
        x = self.decoded(state.best.x)
        return Point(x, self.best_f, phi, state.best.g.copy(), state.best.h.copy())

    def population(self) -> Population:
        """The members, best first; during the start, the initial points that have arrived."""
        state = self.state
        if state.run[0]["ready"]:
            members: NDArray[np.int64] = state.ranks.pool[: self.n]
        else:
            members = self._initial_members()
        return Population(
            self.decoded(state.members.x[members]),
            state.members.f[members],
            state.members.phi[members],
        )

    def _initial_members(self) -> NDArray[np.int64]:
        """Places of the initial points that have arrived."""
        state = self.state
        run, pending = state.run[0], state.pending
        if isinstance(state, UdeState):  # places belong to points: those that are out are empty
            out = pending["target"][np.arange(run["told"], run["asked"]) % pending.size]
            return np.setdiff1d(np.arange(run["asked"]), out)
        return np.arange(run["arrived"])

    def spread(self) -> float:
        """Relative spread of f over the population; infinite while a member is infeasible."""
        members = self.state.ranks.pool[: self.n]
        if (self.state.members.phi[members] > 0).any():
            return math.inf
        f = self.state.members.f[members]
        return float((f.max() - f.min()) / max(1.0, abs(f.min())))

    def outstanding(self) -> Floats:
        """The points asked and not yet told, in the order of asking; for a run read from a file."""
        first = 3 * self.n0
        rows = [first + k % self.capacity for k in range(self.nfev, self.n_asked)]
        return self.decoded(self.state.members.x[rows])

    def decoded(self, x: Floats) -> Floats:
        """Points of the user's space for a row, or rows, of the engine's."""
        rows = np.array(x, dtype=np.float64, ndmin=2)
        points = np.empty((len(rows), self.problem.dim))
        decode_points = find_kernel("rdex.engine.kernels.drivers:decode_points")
        decode_points(rows, self.state.box, points)
        return points[0] if np.ndim(x) == 1 else points

    def search_facts(self) -> dict[str, str]:
        """What progress shows of the search."""
        share = 100 * self.feasible_share
        return {"feasible": f"{share:.0f} %", "ε": f"{self.eps:.3g}", "N": str(self.n)}

    # --- records --------------------------------------------------------------------------------
    def trace(self) -> tuple[Floats, Floats]:
        """Best f and unscaled φ after initialisation (row 0) and at checkpoints 1 .. K, (K + 1,)
        each; infinite where they are not reached."""
        return self.state.trace.f.copy(), self.state.trace.phi.copy()

    def history_rows(self) -> tuple[Any, ...]:
        """The fields of `rdex.recorder.history.History`, at the checkpoints and now.

        Records at the same evaluation count once; a run that stopped between two checkpoints ends
        with a record of its end.
        """
        state, nfev, K = self.state, self.nfev, self.checkpoints
        n_initial = min(self.n0, self.maxfev)
        due = np.ceil(np.arange(K + 1) * self.maxfev / K).astype(np.int64)
        due[0] = n_initial
        rows = np.flatnonzero((due <= nfev) & (due >= n_initial))  # in the order of their times
        counts = due[rows]
        is_new = np.ones(rows.size, bool)
        is_new[1:] = counts[1:] > counts[:-1]
        rows, counts = rows[is_new], counts[is_new]
        f, phi, search = (column[rows] for column in state.trace)
        if nfev and (not counts.size or counts[-1] < nfev):
            best, run = self.best, state.run[0]
            now = [self.eps, self.n, run["sr"], run["rho"], self.feasible_share, self.generation]
            row = np.concatenate([now, state.memory[layout.MF], state.memory[layout.MCR]])
            counts = np.append(counts, nfev)
            f, phi = np.append(f, best.f), np.append(phi, best.phi)
            search = np.vstack([search, row])
        end = 6 + state.memory.shape[1]
        memories = search[:, 6:end].copy(), search[:, end:].copy()
        return counts, f, phi, *np.ascontiguousarray(search[:, :6].T), *memories


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
