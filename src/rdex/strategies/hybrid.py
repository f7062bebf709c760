"""`Hybrid`: a differential evolution and local searches that share one budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rdex.engine.engine import Engine, default_batch
from rdex.problem.problem import Floats
from rdex.strategies.archive import Sample
from rdex.strategies.composite import Composite, best_rows
from rdex.strategies.evolution import Evolution
from rdex.strategies.local import NOISY, LocalOutcome, LocalSettings, local_search
from rdex.strategies.starts import Starts
from rdex.strategies.strategy import Context, Stepping, Trial

EVOLUTION, LOCAL = "differential evolution", "local search"


@dataclass(frozen=True)
class HybridSettings:
    """Constants of the sharing.

    share, most, least: share of the evaluations that local searches may have used, at the start, at
        most, at least.
    grows, falls: factors of the share after a search that improved the best, and after others.
    improves: relative gain in f that counts.
    looks: decisions per run, at most.
    top: share of the population that starts are taken from.
    from_end, from_start: how far a start must be from earlier ends and starts, see `Starts`.
    reserve: share of the budget kept for a last search from the best point, at most
    reserve_steps: times n + 1 evaluations.
    settled: spread of the population, as a share of the box, below which it has converged.
    restart_after: times the evaluations that this took, until a new population begins,
    restart_least: with at least so many evaluations left.
    seeds: share of the initial population that may come from points already known.
    """

    share: float = 0.5
    most: float = 0.6
    least: float = 0.08
    grows: float = 1.5
    falls: float = 0.7
    improves: float = 1e-6
    looks: int = 200
    top: float = 0.3
    from_end: float = 0.02
    from_start: float = 0.01
    reserve: float = 0.1
    reserve_steps: int = 15
    settled: float = 1e-3
    restart_after: float = 1.1
    restart_least: int = 200
    seeds: float = 0.5
    local: LocalSettings = field(default_factory=LocalSettings)


class Hybrid(Composite):
    """Differential evolution with local searches from its members.

    After a generation, a local search may begin. In a run with several points out at a time the
    points of the local search go out first and the evolution fills the rest.
    """

    def __init__(self, context: Context, settings: HybridSettings | None = None) -> None:
        super().__init__(context)
        self.settings = settings or HybridSettings()
        self._starts = Starts(context.space, self.settings.from_end, self.settings.from_start)
        self._share = self.settings.share
        self._local: Stepping | None = None
        self._best_before = (math.inf, math.inf)
        self._turn = self._rounds_before = 0
        self._is_noisy = self._has_checked = self._did_last = False
        self._can_descend = bool(context.space.continuous.any())
        self._initial: list[int] = []  # rows of the archive: the better half of the first points
        self._ends: set[bytes] = set()
        self.book(EVOLUTION)
        self._begin_evolution()

    @property
    def n_rounds(self) -> int:
        """Generations of all populations."""
        return self._rounds_before + self._engine.generation

    # --- the evolution ----------------------------------------------------------------------------
    def _begin_evolution(self) -> None:
        """A new population for the evaluations that are left."""
        assert self.context.make_engine is not None
        number = self.n_restarts
        points, seeds = self._first_points() if number == 0 else (None, [])
        budget = max(1, self.room) + len(seeds)
        self._engine: Engine = self.context.make_engine(budget, number, points)
        for row in seeds:
            sample = self.archive.sample(row)
            self._engine.inject(sample.x, sample.f, sample.g, sample.h)
        self._evolution = Evolution(
            self._engine, any_order=True, in_batches=not self.context.is_async
        )
        self._begun_at = self.archive.n
        self._begun_clock = self._clock
        self._looked_at = 0
        self._generation = -1
        self._settled_at = 0
        self._has_scales = False

    def _first_points(self) -> tuple[Floats | None, list[int]]:
        """Points that the first population starts from, and the rows of the archive among them."""
        context = self.context
        assert context.make_engine is not None
        n0 = context.make_engine(max(1, self.room), 0, None).n0
        most = n0 if context.start is None else max(0, n0 - len(context.start))
        known = best_rows(self.archive, min(most, max(1, int(self.settings.seeds * n0))))
        seeds = [int(row) for row in known]
        given = np.empty((0, context.space.dim)) if context.start is None else context.start
        points = np.concatenate([self.archive.x[seeds], given])[:n0]
        return (points if len(points) else None), seeds

    def _follow_budget(self) -> None:
        """The schedules of the evolution follow what all parts have used."""
        used, begun = self.archive.n, self._begun_at
        share = (used - begun) / max(1, self.context.maxfev - begun)
        if self._clock > self._begun_clock:
            time = (self._clock - self._begun_clock) / max(1e-12, 1.0 - self._begun_clock)
            share = max(share, time)
        self._engine.set_clock(share)

    def _is_ready(self) -> bool:
        """Whether the initial points are evaluated; their scales are then the run's."""
        engine = self._engine
        if engine.nfev < engine.n0:
            return False
        if not self._has_scales:
            self._has_scales = True
            if self.context.scales_itself and self.n_restarts == 0:
                self.archive.rescale(engine.constraint_scale)
            if not self._initial:
                rows = best_rows(self.archive, self.archive.n)
                self._initial = [int(row) for row in rows[: max(1, len(rows) // 2)]]
        return True

    # --- asked and told ---------------------------------------------------------------------------
    def ask(self, n: int = 0) -> list[Trial]:
        """Points of a local search first, then of the evolution; 0 stands for a batch."""
        self._decide()
        most = min(n or max(default_batch(self._engine.n), self.context.width), self.room)
        if most <= 0:
            return []
        handed: list[Trial] = []
        if self._local is not None:
            batch = self._local.ask(most if n else self.room)
            handed = self.hand_out(LOCAL, batch)
        if len(handed) < most:
            self._follow_budget()
            handed += self.hand_out(EVOLUTION, self._evolution.ask(most - len(handed)))
        self.phase = LOCAL if self._local is not None else EVOLUTION
        return handed

    def take(self, part: str, id: int, sample: Sample) -> None:
        """To the part; a local search may end."""
        if part == EVOLUTION:
            self._evolution.tell(id, sample)
            return
        assert self._local is not None
        self._local.tell(id, sample)
        if self._local.is_finished:
            self._end_local(self._local.value)

    # --- decisions --------------------------------------------------------------------------------
    def _decide(self) -> None:
        """Whether a local search begins, or a new population."""
        if self._local is not None or not self._is_ready():
            return
        settings, used, room = self.settings, self.archive.n, self.room
        if self._wants_last(room):
            self._did_last = True
            if self._start_from(self.archive.best):
                return
        every = self.context.maxfev / settings.looks
        if self._engine.generation == self._generation or used - self._looked_at < every:
            return
        self._generation, self._looked_at = self._engine.generation, used
        if self._can_search() and self.book(LOCAL).nfev <= self._share * used:
            row = self._next_start()
            if row >= 0:
                self._start_from(row)
        if self._local is None and self._wants_restart(room):
            self._rounds_before = self.n_rounds
            self.forget(EVOLUTION)
            self.n_restarts += 1
            self._begin_evolution()

    def _can_search(self) -> bool:
        """Whether local search makes sense at all."""
        return self._can_descend and not self._is_noisy

    def _wants_last(self, room: int) -> bool:
        """Whether the rest of the budget belongs to a search from the best point."""
        n = int(self.context.space.continuous.sum())
        settings = self.settings
        reserve = min(settings.reserve * self.context.maxfev, settings.reserve_steps * (n + 1))
        if self._did_last or room > reserve or not self._can_search() or self.archive.best < 0:
            return False
        return not self._is_polished()

    def _is_polished(self) -> bool:
        """Whether the best point is the end of a local search."""
        return self.archive.x[self.archive.best].tobytes() in self._ends

    def _next_start(self) -> int:
        """Row of the archive where the next local search starts; -1: nothing is new.

        In turn: the best new member of the population's top, the new one farthest from everything
        tried, one of the better initial points.
        """
        members = self._engine.population()
        rows = np.array([self.archive.find(x) for x in members.x])
        top = max(1, math.ceil(self.settings.top * len(rows)))
        for k in range(3):
            turn = (self._turn + k) % 3
            candidates = rows[:top] if turn == 0 else rows
            if turn == 2:
                candidates = self.context.rng.permutation(self._initial)
            candidates = candidates[candidates >= 0]
            candidates = candidates[np.isfinite(self.archive.f[candidates])]
            archive = self.archive
            if not len(candidates):
                continue
            z = archive.z[candidates]
            flags = self._starts.new(z, archive.f[candidates], archive.phi[candidates])
            if flags.any():
                self._turn = turn + 1
                chosen = self._starts.farthest(z, flags) if turn == 1 else int(np.argmax(flags))
                return int(candidates[chosen])
        return -1

    def _wants_restart(self, room: int) -> bool:
        """Whether the population has converged and enough is left for another."""
        if room < self.settings.restart_least:
            return False
        space = self.context.space
        z = space.to_unit(self._engine.population().x)
        spread = float(np.ptp(z, axis=0).max(initial=0.0))
        took = self.archive.n - self._begun_at
        if spread > self.settings.settled:
            self._settled_at = 0
            return False
        self._settled_at = self._settled_at or took
        return took >= self.settings.restart_after * self._settled_at and (
            not self._can_search() or self._is_polished()
        )

    # --- local searches ---------------------------------------------------------------------------
    def _start_from(self, row: int) -> bool:
        """Begin a local search; whether there is one."""
        best = self.archive.best
        self._best_before = (float(self.archive.phi[best]), float(self.archive.f[best]))
        checks = not self._has_checked
        self._has_checked = True
        search = local_search(
            self.context, self.archive.sample(row), self.room, self.settings.local, checks
        )
        self._local = Stepping(search)
        if self._local.is_finished:
            self._end_local(self._local.value)
        return self._local is not None

    def _end_local(self, outcome: LocalOutcome) -> None:
        """Credit, and a note of where it went."""
        self._local = None
        book = self.book(LOCAL)
        book.reason = outcome.reason
        self._is_noisy = self._is_noisy or outcome.reason == NOISY
        best = outcome.best
        f, phi = self.judge.settled(best.f, self.judge.phi_of(best.g, best.h))
        self._starts.note(outcome.start, outcome.end, (phi, f))
        self._ends.add(best.x.tobytes())
        before_phi, before_f = self._best_before
        least = self.settings.improves * max(abs(before_f), 1e-300)
        improved = phi < before_phi or (phi == before_phi and f < before_f - least)
        if improved:
            self._share = min(self.settings.most, self._share * self.settings.grows)
        else:
            self._share = max(self.settings.least, self._share * self.settings.falls)

    # --- the rest of a strategy -------------------------------------------------------------------
    def inject(self, sample: Sample) -> None:
        """A point nobody asked for is data, and a member if it is good enough."""
        super().inject(sample)
        if self._engine.n_asked == self._engine.nfev and not self._engine.is_finished:
            self._engine.inject(sample.x, sample.f, sample.g, sample.h)

    def extend(self, maxfev: int) -> None:
        """A larger budget: a new schedule for the population as it is."""
        more = maxfev - self.context.maxfev
        super().extend(maxfev)
        self._did_last = False
        self._engine.extend(self._engine.maxfev + more)
        if self._engine.n_asked == self._engine.nfev:
            self.forget(EVOLUTION)
            self._evolution = Evolution(
                self._engine, any_order=True, in_batches=not self.context.is_async
            )

    def population(self) -> tuple[Floats, Floats, Floats]:
        """Members of the evolution."""
        members = self._engine.population()
        return members.x, members.f, members.phi
