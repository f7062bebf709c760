"""Points out and results back in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.engine.engine import Engine
from rdex.engine.kernels.layout import NOBODY, OWED
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
    in_order : bool
        Results are taken as `Engine.tell` takes them, races too, until the first one that comes
        before an earlier one: from then on places in the population go by arrival.

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

    def __init__(
        self, engine: Engine, numbers: Sequence[int] | None = None, in_order: bool = False
    ) -> None:
        self.engine = engine
        self.in_order = in_order
        self._capacity = engine.capacity
        self._numbers: NDArray[np.int64] = np.full(self._capacity, -1, dtype=np.int64)
        out = range(engine.nfev, engine.n_asked)
        given = list(out) if numbers is None else [int(number) for number in numbers]
        if len(given) != len(out):
            raise ValueError(f"expected the numbers of {len(out)} points, got {len(given)}")
        if len(set(given)) != len(given) or not all(0 <= n < engine.n_asked for n in given):
            raise ValueError(f"expected different numbers below {engine.n_asked}, got {given}")
        for ring, number in zip(out, given, strict=True):
            self._numbers[ring % self._capacity] = number
        self._held: dict[int, Values] = {}
        self._is_mixed = False  # whether a result has come before an earlier one
        self._races = bool(getattr(engine.settings, "race", False))

    @property
    def n_out(self) -> int:
        """Points that are out: asked, and no result told."""
        return self.engine.n_asked - self.engine.nfev - len(self._held)

    @property
    def numbers_out(self) -> list[int]:
        """Numbers of the points whose results the search has not taken, in the engine's order."""
        rows = range(self.engine.nfev, self.engine.n_asked)
        return [int(self._numbers[k % self._capacity]) for k in rows]

    @property
    def held(self) -> list[list[Any]]:
        """Results that wait for their race partners, as JSON values."""
        rows = self._held.items()
        return [[number, f, g.tolist(), h.tolist()] for number, (f, g, h) in rows]

    @property
    def is_mixed(self) -> bool:
        """Whether a result has come before an earlier one."""
        return self._is_mixed

    def hold(self, held: Sequence[Any], is_mixed: bool) -> None:
        """Take `held` and `is_mixed` of a run from a file."""
        problem, out = self.engine.problem, set(self.numbers_out)
        for number, f, g, h in held:
            if int(number) not in out or len(g) != problem.n_ineq or len(h) != problem.n_eq:
                raise ValueError(f"expected results of points that are out, got {number}, {g}, {h}")
            self._held[int(number)] = (float(f), np.array(g, float), np.array(h, float))
        self._is_mixed = is_mixed or self.numbers_out != sorted(self.numbers_out)

    def outstanding(self) -> list[tuple[int, Floats]]:
        """The points whose results the search has not taken, by number."""
        pairs = zip(self.numbers_out, self.engine.outstanding(), strict=True)
        return sorted(pairs, key=lambda pair: pair[0])

    def ask_batch(self, n: int) -> list[tuple[int, Floats]]:
        """Up to `n` points by the rule of batches: none beyond the end of a generation.

        Where that gives none although later results than the earliest have come, one point of the
        next generation is drawn ahead: nothing waits for the earliest.
        """
        first = self.engine.n_asked
        points = self.engine.ask(self._free_rows(n))
        for k in range(len(points)):
            self._numbers[(first + k) % self._capacity] = first + k
        if len(points) or not self._is_mixed:
            return [(first + k, point) for k, point in enumerate(points)]
        asked = self.ask()
        return [] if asked is None else [asked]

    def ask(self) -> tuple[int, Floats] | None:
        """The number of one more point, and the point; None where there is none for now."""
        if not self._free_rows(1):
            return None
        point = np.empty(self.engine.problem.dim)
        number = int(self.engine.advance("anyorder:ask_one", self._numbers, point))
        return None if number < 0 else (number, point)

    def _free_rows(self, n: int) -> int:
        """How many of the next `n` rows hold no result that a race still needs: one that was taken
        in order waits in its row until its partner comes."""
        if not (self._races and self.in_order and self._is_mixed):
            return n
        engine, pending = self.engine, self.engine.state.pending
        out = np.arange(engine.nfev, engine.n_asked) % self._capacity
        partners = pending["partner"][out]
        needed = partners[(partners >= 0) & (pending["is_in"][partners] == 1)]
        return int(min(((needed - engine.n_asked) % self._capacity).min(initial=n), n))

    def tell(self, number: int, f: float, g: Floats | None = None, h: Floats | None = None) -> None:
        """The result of a point that is out."""
        nothing = np.empty(0)
        values = (float(f), nothing if g is None else g, nothing if h is None else h)
        is_earliest = number == self._numbers[self.engine.nfev % self._capacity]
        self._is_mixed = self._is_mixed or not is_earliest
        if self.in_order and not self._is_mixed:
            self.engine.tell(f, values[1][None, :], values[2][None, :])
            return
        partner = NOBODY
        if self._races:
            partner = int(self.engine.advance("anyorder:partner_of", self._numbers, number))
        if partner == OWED or (partner >= 0 and partner not in self._held):
            self._held[number] = values
            return
        self._take(number, values)
        if partner >= 0:
            self._take(partner, self._held.pop(partner))

    def _take(self, number: int, values: Values) -> None:
        f, g, h = values
        vectors = [np.ascontiguousarray(v, dtype=np.float64) for v in (g, h)]
        taken = self.engine.advance("anyorder:take", self._numbers, number, f, *vectors)
        if not taken:
            raise ValueError(f"point {number} is not out")
