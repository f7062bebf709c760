"""Where a run stands: everything that others may read of it, without knowing how it is held."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.engine.kernels import layout
from rdex.engine.kernels.layout import State
from rdex.engine.ude.kernels.layout import UdeState
from rdex.jit.loading import find_kernel
from rdex.problem.problem import Floats, Problem


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


class Diagnostics(NamedTuple):
    """The search at moments of a run, one row each; `rdex.recorder.History` explains the names."""

    eps: Floats
    n: Floats
    success_rate: Floats
    rho: Floats
    feasible_share: Floats
    generation: Floats
    memory_F: Floats
    memory_CR: Floats


class Trace(NamedTuple):
    """Best f and unscaled φ after initialisation (row 0) and at checkpoints 1 .. K, (K + 1,)."""

    f: Floats
    phi: Floats


class RunView:
    """What can be asked of a run. `Engine` adds the ways to advance it."""

    problem: Problem
    maxfev: int
    state: State | UdeState

    # --- counters -------------------------------------------------------------------------------
    @property
    def nfev(self) -> int:
        """Evaluations whose results are in."""
        return int(self.state.run[0]["told"])

    @property
    def n_asked(self) -> int:
        """Evaluations handed out."""
        return int(self.state.run[0]["asked"])

    @property
    def generation(self) -> int:
        """Finished generations."""
        return int(self.state.run[0]["generation"])

    @property
    def n(self) -> int:
        """Present size of the population."""
        return int(self.state.run[0]["n"])

    @property
    def n0(self) -> int:
        """Size of the population at the start."""
        return int(self.state.settings[0]["n0"])

    @property
    def n_failed(self) -> int:
        """Evaluations that failed."""
        return int(self.state.run[0]["failed"])

    @property
    def n_restarts(self) -> int:
        """Number of restarts."""
        return int(self.state.run[0]["restarts"])

    @property
    def first_feasible(self) -> int | None:
        """Evaluations when the first feasible point was found."""
        return int(self.state.run[0]["feasible_at"]) or None

    @property
    def checkpoints(self) -> int:
        """Number K of records of the best so far."""
        return int(self.state.settings[0]["checkpoints"])

    @property
    def capacity(self) -> int:
        """Rows that can be asked and not told; one of them is kept for a race partner."""
        return int(self.state.pending.size)

    # --- values ---------------------------------------------------------------------------------
    @property
    def eps(self) -> float:
        """ε of the present generation."""
        return float(self.state.run[0]["eps"])

    @property
    def clock(self) -> float:
        """Used share of the time limit; 0 without one."""
        return float(self.state.run[0]["clock"])

    def set_clock(self, share: float) -> None:
        """The search follows the clock too: this share of the time limit is used."""
        self.state.run[0]["clock"] = min(max(share, 0.0), 1.0)

    @property
    def goal(self) -> float:
        """A feasible f at or below it ends the run; -inf without one."""
        return float(self.state.settings[0]["goal"])

    @property
    def best_f(self) -> float:
        """f of the best point so far; cheaper than `best`."""
        return float(self.state.run[0]["best_f"])

    @property
    def is_finished(self) -> bool:
        """Whether the budget is used up."""
        return self.nfev >= self.maxfev

    @property
    def is_goal_reached(self) -> bool:
        """Whether a feasible point with f at or below the goal is known."""
        return self.best_f <= self.goal and bool(self.state.run[0]["best_phi"] == 0.0)

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
        violation_of = find_kernel("rdex.evaluation.kernels:violation_of")
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
            arrived = self.nfev - int(state.run[0]["since"])
            members = np.arange(min(max(arrived, 0), self.n))
        return Population(
            self.decoded(state.members.x[members]),
            state.members.f[members],
            state.members.phi[members],
        )

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
        decode_points = find_kernel("rdex.engine.kernels.points:decode_points")
        decode_points(rows, self.state.box, points)
        return points[0] if np.ndim(x) == 1 else points

    def search_facts(self) -> dict[str, str]:
        """What progress shows of the search."""
        share = 100 * self.feasible_share
        return {"feasible": f"{share:.0f} %", "ε": f"{self.eps:.3g}", "N": str(self.n)}

    # --- records --------------------------------------------------------------------------------
    def trace(self) -> Trace:
        """Best so far at the checkpoints; infinite where they are not reached."""
        return Trace(self.state.trace.f.copy(), self.state.trace.phi.copy())

    def diagnostics(self) -> Diagnostics:
        """The search at the checkpoints, as `trace`, with one more row at the end: now."""
        state = self.state
        now = [self.eps, self.n, state.run[0]["sr"], state.run[0]["rho"]]
        now += [self.feasible_share, self.generation]
        row = np.concatenate([now, state.memory[layout.MF], state.memory[layout.MCR]])
        table = np.vstack([state.trace.diagnostic, row])
        columns = [column.copy() for column in table[:, :6].T]
        return Diagnostics(*columns, *(half.copy() for half in np.split(table[:, 6:], 2, axis=1)))
