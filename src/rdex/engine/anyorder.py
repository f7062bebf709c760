"""Points out and results back in any order, and runs that go on with a larger budget."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rdex.common.loading import load_kernels
from rdex.engine.engine import Engine
from rdex.engine.kernels import layout
from rdex.problem.problem import Floats

Values = tuple[float, Floats, Floats]


class AnyOrder:
    """An engine whose points are asked for one at a time and told in any order.

    A run is a pure function of the problem, the settings, the seed and the sequence of calls. Every
    point has a number, counted from 0 in the order of asking. Two points that race against each
    other enter the search together: the first result waits for the second.

    Parameters
    ----------
    engine : Engine
        Its capacity limits the points that are out at a time.
    numbers : sequence of int, optional
        Numbers of the points that are out, as `numbers_out` gave them, for a run from a file.

    Examples
    --------
    >>> from rdex import Problem, preset
    >>> box = Problem([-5, -5], [5, 5], rows=lambda X: ((X**2).sum(1), None, None))
    >>> flight = AnyOrder(Engine(box, preset("rdex-csop"), 200, rng=1))
    >>> first, second = flight.ask(), flight.ask()
    >>> flight.tell(second[0], float(second[1] @ second[1]))
    >>> flight.engine.nfev, flight.n_out
    (1, 1)
    """

    def __init__(self, engine: Engine, numbers: Sequence[int] | None = None) -> None:
        self.engine = engine
        self._capacity = engine.state.info.shape[0]
        self._numbers: NDArray[np.int64] = np.full(self._capacity, -1, dtype=np.int64)
        out = range(engine.nfev, engine.n_asked)
        given = list(out) if numbers is None else [int(number) for number in numbers]
        if len(given) != len(out):
            raise ValueError(f"expected the numbers of {len(out)} points, got {len(given)}")
        for ring, number in zip(out, given, strict=True):
            self._numbers[ring % self._capacity] = number
        self._held: dict[int, Values] = {}
        is_rdex = isinstance(engine.state, layout.State)
        self._races = is_rdex and bool(engine.state.param[layout.RACE])

    @property
    def n_out(self) -> int:
        """Points that are out: asked, and no result told."""
        return self.engine.n_asked - self.engine.nfev - len(self._held)

    @property
    def numbers_out(self) -> list[int]:
        """Numbers of the points whose results the search has not taken, in the engine's order."""
        rows = range(self.engine.nfev, self.engine.n_asked)
        return [int(self._numbers[k % self._capacity]) for k in rows]

    def outstanding(self) -> list[tuple[int, Floats]]:
        """The points whose results the search has not taken, by number."""
        pairs = zip(self.numbers_out, self.engine.outstanding(), strict=True)
        return sorted(pairs, key=lambda pair: pair[0])

    def ask(self) -> tuple[int, Floats] | None:
        """The number of one more point, and the point; None where there is none for now."""
        point = np.empty(self.engine.problem.dim)
        kernels = load_kernels(self.engine.method.anyorder)
        number = int(kernels.ask_one(self.engine.state, self._numbers, point))
        return None if number < 0 else (number, point)

    def tell(self, number: int, f: float, g: Floats | None = None, h: Floats | None = None) -> None:
        """The result of a point that is out."""
        nothing = np.empty(0)
        values = (float(f), nothing if g is None else g, nothing if h is None else h)
        kernels = load_kernels(self.engine.method.anyorder)
        partner = kernels.NOBODY
        if self._races:
            partner = int(kernels.partner_of(self.engine.state, self._numbers, number))
        if partner == kernels.OWED or (partner >= 0 and partner not in self._held):
            self._held[number] = values
            return
        self._take(number, values)
        if partner >= 0:
            self._take(partner, self._held.pop(partner))

    def _take(self, number: int, values: Values) -> None:
        f, g, h = values
        vectors = [np.ascontiguousarray(v, dtype=np.float64) for v in (g, h)]
        kernels = load_kernels(self.engine.method.anyorder)
        taken = kernels.take(self.engine.state, self._numbers, number, f, *vectors)
        if not taken:
            raise ValueError(f"point {number} is not out")


def extend(engine: Engine, maxfev: int) -> None:
    """Go on with a larger budget: a new schedule from the front and the population as they are.

    t falls back to nfev / maxfev; front and P grow again to the size that belongs to it, with the
    latest members that shrinking had dropped. Points that are out are forgotten. The history keeps
    its number of records: those before now are the latest known at their times.

    The population of UDE has one size: the generation under way goes on with the points that are
    out, and the next one takes its ε from the new schedule.
    """
    state = engine.state
    if maxfev < engine.maxfev:
        raise ValueError(f"expected at least {engine.maxfev} evaluations, got {maxfev}")
    spread_trace(engine, maxfev)
    state.param[layout.MAXFEV] = maxfev
    engine.maxfev = int(maxfev)
    is_rdex = isinstance(state, layout.State)
    if not is_rdex or not state.count[layout.READY]:  # points that are out stay out
        return
    state.count[layout.ASKED] = state.count[layout.TOLD]
    load_kernels(engine.method.anyorder).regrow(state)


def spread_trace(engine: Engine, maxfev: int) -> None:
    """Records of a smaller budget at the places of the same records of a larger one."""
    state = engine.state
    K = int(state.param[layout.CHECKPOINTS])
    written = int(state.count[layout.NEXT]) - 1  # records 1 .. written of the old budget
    old_at = np.ceil(np.arange(K + 1) * engine.maxfev / K)
    new_at = np.ceil(np.arange(K + 1) * maxfev / K)
    due = int(np.searchsorted(new_at, engine.nfev, side="right")) - 1
    source = np.clip(np.searchsorted(old_at, new_at[: due + 1], side="right") - 1, 0, written)
    for name in ("trace_f", "trace_phi", "diagnostic"):
        rows = getattr(state, name)
        kept = rows[source].copy()
        rows[1:] = np.nan if name == "diagnostic" else np.inf
        rows[1 : due + 1] = kept[1:]
    state.count[layout.NEXT] = due + 1
    state.count[layout.NEXT_AT] = math.ceil((due + 1) * maxfev / K) if due < K else 2**62
