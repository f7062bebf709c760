"""`Hybrid`: a differential evolution and local searches that share one budget."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rdex.engine.engine import LARGEST_BATCH, Engine, default_batch
from rdex.problem.problem import Floats
from rdex.solvers.sqp import core
from rdex.strategies.archive import Sample
from rdex.strategies.composite import Composite, best_rows, first_points
from rdex.strategies.credit import Credit, forecast, gain_of
from rdex.strategies.evolution import Evolution
from rdex.strategies.integers import neighbours
from rdex.strategies.local import local_search
from rdex.strategies.local_settings import FLAT, NOISY, LocalOutcome, LocalSettings
from rdex.strategies.starts import Candidates, Starts
from rdex.strategies.strategy import LOCAL, Context, Phase, Stepping, Trial

EVOLUTION = "differential evolution"


@dataclass(frozen=True)
class HybridSettings:
    """Constants of the sharing, chosen on G2006, engineering and generated CEC 2017 instances.

    share, most, least: share of the evaluations that local searches may have used: at the start, at
        most, at least.
    idle: share of the budget in which the evolution must improve the best point of the run. While
        it does not, searches that end far ahead of where the evolution is expected to end (a gain
        of `ahead`, see `gain_of`) have a share of at least `least_idle` and are not vain. That is
        where gains as of late lead from its own best point, or from the member in its middle if it
        began with points of others; the share is `least_seeded` then.
    grows, falls, waits: factors of the share after a search that gained more per evaluation than
        the evolution, after others, and after others while the evolution is idle.
    vain: share of the budget that searches may use that gain less per evaluation than the
        evolution; more, up to `vain_most`, where that is less than `vain_steps` times n + 1. All
        searches of a run that has seen a jump count, the last one included.
    least_steps: times n + 1 evaluations that every search may make before it must gain. It may make
        more while others have not lost what is allowed, and `vain_steps` times n + 1 at most.
    half_life: share of the budget after which a gain counts half.
    looks: decisions per run, at most.
    top: share of the population that starts are taken from.
    from_end, from_start: how far a start must be from earlier ends and starts, see `Starts`, and
        points already known from each other (from_end) that a population begins with.
    reserve: share of the budget kept for a last search from the best point, at most
    reserve_steps: times n + 1 evaluations.
    settled: spread of the population, as a share of the box, below which it has converged. It has
        nothing left to find if a local search has converged at the best point of the run, if that
        point is elsewhere, or if its own best has not become better for as long as it waits:
    restart_after: times the evaluations that this took, until a new population begins,
    restart_least: with at least so many evaluations left. A population whose best point moved by
        more than `settled` in the last of these evaluations, or whose violation fell to a share
        `nearer`, is narrow, but still on its way.
    ends_before_reserve: whether the evolution's schedule ends where the last search begins.
    seeds: share of the initial population that may come from points already known.
    population: evaluations per variable that a population needs to be of use; with fewer, local
        searches go on from the points known as long as there are new ones.
    exact_steps: times n + 1 evaluations that the last digits of the best point may take. They are
        searched where this is at most
    exact: so large a share of the budget.
    local: constants of the local searches.
    """

    share: float = 0.5
    most: float = 0.6
    least: float = 0.08
    idle: float = 0.2
    ahead: float = 0.1
    least_idle: float = 0.2
    least_seeded: float = 0.4
    grows: float = 1.5
    falls: float = 0.7
    waits: float = 0.8
    vain: float = 0.1
    vain_most: float = 0.5
    vain_steps: int = 60
    least_steps: int = 10
    half_life: float = 0.05
    looks: int = 200
    top: float = 0.3
    from_end: float = 0.02
    from_start: float = 0.01
    reserve: float = 0.1
    reserve_steps: int = 15
    settled: float = 1e-3
    restart_after: float = 1.1
    restart_least: int = 200
    nearer: float = 0.9
    ends_before_reserve: bool = False
    seeds: float = 0.5
    population: int = 50
    exact_steps: int = 40
    exact: float = 0.025
    local: LocalSettings = field(default_factory=LocalSettings)


#: A differential evolution with one search from its best point at the end: `polish=True`.
POLISHING = HybridSettings(
    share=-1.0, most=-1.0, least=-1.0, restart_least=2**62, ends_before_reserve=True
)


class Hybrid(Composite):
    """Differential evolution with local searches from its members.

    The evolution is looked at when it has made a certain number of evaluations: only then may a
    local search or a new population begin. In runs with several points out at a time the points of
    the local search go out first and the evolution fills the rest.
    """

    has_stretches = True

    def __init__(self, context: Context, settings: HybridSettings | None = None) -> None:
        super().__init__(context)
        self.settings = settings or HybridSettings()
        self._starts = Starts(context.space, self.settings.from_end, self.settings.from_start)
        self._share = self.settings.share
        self._credit = Credit(self.settings.half_life * context.maxfev)
        self._local: Stepping | None = None
        self._best_before = (math.inf, math.inf)
        self._turn = self._kind = self._rounds_before = self._n_vain = 0
        self._is_noisy = self._has_jumps = self._did_last = False
        self._can_descend = bool(context.space.continuous.any())
        is_exact = self.settings.exact_steps * self._n_steps <= self.settings.exact * context.maxfev
        self._local_settings = dataclasses.replace(self.settings.local, is_exact=is_exact)
        self._initial: Candidates | None = None  # the better half of the first population
        self._ends: set[bytes] = set()
        self._floors: set[bytes] = set()  # ends where nothing is left to gain
        self._tried: set[bytes] = set()  # integer parts that local searches had
        self._whole = np.flatnonzero(context.space.whole & ~context.space.fixed)
        self._spread = 0.0
        self.book(EVOLUTION)
        self._begin_evolution()

    def get_ready(self) -> None:
        """Load what the first local search needs: SciPy's solver takes half a second."""
        if self._can_descend:
            core()

    @property
    def n_rounds(self) -> int:
        """Generations of all populations."""
        return self._rounds_before + self._engine.generation

    @property
    def best(self) -> tuple[float, float]:
        """(φ, f) of the best point, as of the last look."""
        row = self.archive.best
        if row < 0:
            return math.inf, math.inf
        f, phi = self.archive.settled(row)
        return phi, f

    @property
    def is_polished(self) -> bool:
        """Whether a local search improved the best point."""
        return LOCAL in self.books and self.books[LOCAL].improved > 0

    # --- the evolution ----------------------------------------------------------------------------
    def _begin_evolution(self) -> None:
        """A new population for the evaluations that are left."""
        assert self.context.make_engine is not None
        number = self.n_restarts
        points: Floats | None = None
        seeds: list[int] = []
        if number == 0:
            settings, n0 = self.settings, self.context.make_engine(max(1, self.room), 0, None).n0
            points, seeds = first_points(self.context, n0, settings.seeds, settings.from_end)
        budget = max(1, self.room) + len(seeds)
        self._engine: Engine = self.context.make_engine(budget, number, points)
        for row in seeds:
            sample = self.archive.sample(row)
            self._engine.inject(sample.x, sample.f, sample.g, sample.h)
        self._join_evolution()
        self._begun_at, self._begun_clock = self.context.used, self._clock
        self._look_at = self._engine.n0
        self._looked_nfev = self._engine.nfev
        self._own_best = (math.inf, math.inf)
        self._nearest, self._place = math.inf, np.full(self.context.space.dim, math.inf)
        self._moved_at = self._gained_at = self.context.used
        self._is_seeded, self._was_searched = bool(seeds), False
        self._settled_at = 0
        self._evolved_at = self.context.used

    def _join_evolution(self) -> None:
        """Ask and tell the engine; nothing of it is out."""
        self._evolution = Evolution(
            self._engine, any_order=True, in_batches=not self.context.is_async
        )

    def stretch(self) -> tuple[Engine, int] | None:
        """The engine, and how many evaluations it may make by itself until it is looked at; None
        where points must be asked and told one by one."""
        self._decide()
        if self._local is not None or self._owned:
            return None
        # A batch may go beyond: the last evaluations are asked for.
        room = min(self.room - LARGEST_BATCH, self.room - self._reserve)
        until = min(self._look_at, self._engine.nfev + room)
        if until <= self._engine.nfev:
            return None
        self._before_stretch = self._engine.nfev
        self.phase = EVOLUTION
        return self._engine, until

    def after_stretch(self) -> None:
        """The engine has advanced."""
        n = self._engine.nfev - self._before_stretch
        self.context.n_elsewhere += n
        self.book(EVOLUTION).nfev += n

    # --- asked and told ---------------------------------------------------------------------------
    def ask(self, n: int = 0) -> list[Trial]:
        """Points of a local search first, then of the evolution; 0 stands for a batch."""
        self._decide()
        room = self.room
        if room <= 0:
            return []
        handed: list[Trial] = []
        most = n or max(default_batch(self._engine.n), self.context.width)
        if self._local is not None:
            handed = self.hand_out(LOCAL, self._local.ask(min(n or room, room)))
            most = n or self.context.width
        most = min(most, room)
        if len(handed) < most:
            handed += self.hand_out(EVOLUTION, self._evolution.ask(most - len(handed)))
        self.phase = EVOLUTION if self._local is None else LOCAL
        return handed

    def take(self, part: str, id: int, sample: Sample) -> None:
        """To the part; a local search may end."""
        if part == EVOLUTION:
            self.context.n_elsewhere += 1
            self._evolution.tell(id, sample)
            return
        assert self._local is not None
        self.keep(part, sample)
        self._local.tell(id, sample)
        if self._local.is_finished:
            self._end_local(self._local.value)

    # --- looks ------------------------------------------------------------------------------------
    def _decide(self) -> None:
        """At a look, begin a local search or a new population where it is time."""
        engine = self._engine
        if self._local is not None:
            return
        if engine.nfev < engine.n0:
            self._search_what_is_known()
            return
        if self.room <= self._reserve:
            self._did_last = True
            self._follow()
            if not self._best_is_an_end():
                self._start_from(self.archive.sample(self.archive.best))
                return
        if engine.nfev < self._look_at:
            return
        self._follow()
        step = max(engine.n, math.ceil(self.context.maxfev / self.settings.looks))
        self._look_at = engine.nfev + step
        if self._may_search():
            start = self._next_start()
            if start is not None:
                self._start_from(start)
        if self._local is not None or not self._wants_restart():
            return
        if self._may_search() and not self._was_searched and not self._best_is_an_end():
            self._was_searched = True
            self._start_from(self.archive.sample(self.archive.best))
        elif self._is_spent():
            self._rounds_before = self.n_rounds
            self.forget(EVOLUTION)
            self.n_restarts += 1
            self._begin_evolution()

    def _search_what_is_known(self) -> None:
        """Before there is a population, begin a local search from the points of earlier searches.

        One from the best of them; more where too little is left for a population.
        """
        is_scarce = self.room < self.settings.population * self.context.space.dim
        is_wanted = is_scarce or not self._turn
        if not self._can_search() or not is_wanted or self.room <= self._n_steps:
            return
        archive = self.archive
        rows = best_rows(archive, archive.n)
        self._members = Candidates(archive.z, archive.x, archive.f, archive.phi).rows(rows)
        start = self._next_start() if rows.size else None
        if start is not None:
            self._start_from(start)

    def _follow(self) -> None:
        """What the evolution has found since the last look; its schedules follow the budget."""
        engine, context = self._engine, self.context
        self._members = self._read_members()
        if self._initial is None:
            # Scales that models learnt stay: the seeds of a population are too near to the limits.
            if context.scales_itself and not self.judge.has_scales:
                self.archive.rescale(engine.constraint_scale)
            self._initial = self._members.first(max(1, len(self._members.f) // 2))
        self._note_progress()
        used, begun = context.used, self._begun_at
        until = context.maxfev - (self._reserve if self.settings.ends_before_reserve else 0)
        share = min(1.0, (used - begun) / max(1, until - begun))
        if self._clock > self._begun_clock:
            share = max(share, (self._clock - self._begun_clock) / (1.0 - self._begun_clock))
        engine.set_clock(share)

    def _note_progress(self) -> None:
        """Credit for the evolution, by its own best point; the run's best may be another's."""
        x, f, phi, g, h = self._engine.best
        if not math.isfinite(phi):
            return
        value = (self.judge.phi_of(g, h), f)
        n, gain = self._engine.nfev - self._looked_nfev, 0.0
        self._spread = self._spread_of_members()
        if value < self._own_best:
            self._gained_at = self.context.used
        if self._own_best[0] < math.inf:
            gain = gain_of(self._own_best, value, self._spread)
            self._credit.note(EVOLUTION, n, gain)
        self._looked_nfev, self._own_best = self._engine.nfev, value
        z = self.context.space.to_unit(x[None])[0]
        has_moved = float(np.abs(z - self._place).max()) > self.settings.settled
        if has_moved or value[0] < self.settings.nearer * self._nearest:
            self._nearest, self._place, self._moved_at = value[0], z, self.context.used
        if value < self.best:
            self.keep(EVOLUTION, Sample(x, f, g, h))
            self._evolved_at = self.context.used
            self.context.n_elsewhere -= 1  # it is in the archive now

    def _typical(self) -> tuple[float, float]:
        """(φ, f) of the member in the middle of the population."""
        middle = len(self._members.f) // 2
        return float(self._members.phi[middle]), float(self._members.f[middle])

    def _expected_end(self) -> tuple[float, float]:
        """(φ, f) that the evolution reaches if it goes on to gain as it does."""
        now = self._typical() if self._is_seeded else self._own_best
        return forecast(now, self._credit.rate(EVOLUTION) * self.context.left, self._spread)

    def _read_members(self) -> Candidates:
        """The population now, best first."""
        members = self._engine.population()
        f = np.where(np.isfinite(members.f), members.f, math.inf)
        return Candidates(self.context.space.to_unit(members.x), members.x, f, members.phi)

    def _spread_of_members(self) -> float:
        """From the best to the median f, among feasible members if there are some."""
        f = self._members.f[self._members.phi == 0.0]
        f = f if f.size else self._members.f
        f = f[f < math.inf]
        return float(np.median(f) - f.min()) if f.size else 0.0

    def _may_search(self) -> bool:
        """Whether local search has earned another start."""
        is_paid = self.book(LOCAL).nfev <= self._share * self.context.used
        kept = self._reserve + self._n_steps if self._has_jumps else 0
        return self._can_search() and is_paid and self._n_lost + kept < self._vain_allowed

    @property
    def _n_steps(self) -> int:
        """Evaluations of one step of a local search."""
        return int(self.context.space.continuous.sum()) + 1

    @property
    def _vain_allowed(self) -> float:
        """Evaluations that searches may use in vain."""
        settings, maxfev = self.settings, self.context.maxfev
        most = min(settings.vain_most * maxfev, settings.vain_steps * self._n_steps)
        return max(settings.vain * maxfev, most)

    @property
    def _n_lost(self) -> int:
        """Evaluations of searches that count as lost: all where functions jump."""
        return self.book(LOCAL).nfev if self._has_jumps else self._n_vain

    def _can_search(self) -> bool:
        """Whether local search makes sense at all."""
        return self._can_descend and not self._is_noisy

    @property
    def _reserve(self) -> int:
        """Evaluations kept for a last search from the best point."""
        if self._did_last or not self._can_search():
            return 0
        most = self.settings.reserve_steps * self._n_steps
        if self._has_jumps:
            most = min(most, max(0, int(self._vain_allowed) - self._n_lost))
        return int(min(self.settings.reserve * self.context.maxfev, most))

    def _best_is_an_end(self) -> bool:
        """Whether the best point is the end of a local search, or there is none."""
        best = self.archive.best
        return best < 0 or self.archive.x[best].tobytes() in self._ends

    def _next_start(self) -> Sample | None:
        """Where the next local search starts; None: nothing is new.

        With integers, first the best point with one integer changed by 1, as long as there are such
        points not tried. Then in turn: the best new member of the population's top, the new one
        farthest from everything tried, one of the better initial points.
        """
        if self._turn and self._whole.size:
            neighbour = self._next_neighbour()
            if neighbour is not None:
                self._turn += 1
                return neighbour
        members = self._members
        for k in range(3):
            turn = (self._kind + k) % 3
            candidates = members
            if turn == 0:
                candidates = members.first(math.ceil(self.settings.top * len(members.f)))
            elif turn == 2:
                first = members if self._initial is None else self._initial
                candidates = first.rows(self.context.rng.permutation(len(first.f)))
            flags = self._starts.new(candidates) & np.isfinite(candidates.f)
            if flags.any():
                self._turn += 1
                self._kind = turn + 1
                far = turn == 1
                row = self._starts.farthest(candidates, flags) if far else int(np.argmax(flags))
                return self._unjudged(candidates.x[row], float(candidates.f[row]))
        return None

    def _next_neighbour(self) -> Sample | None:
        """The best point with one integer changed by 1, such as no search had; None: all tried."""
        points = neighbours(self.context.space, self.archive.x[self.archive.best])
        for row in self.context.rng.permutation(len(points)):
            if points[row][self._whole].tobytes() not in self._tried:
                return self._unjudged(points[row], math.nan)
        return None

    def _unjudged(self, x: Floats, f: float) -> Sample:
        """A point whose constraints are not known here."""
        judge = self.judge
        return Sample(x, f, np.full(judge.n_ineq, np.nan), np.full(judge.n_eq, np.nan))

    def _wants_restart(self) -> bool:
        """Whether the population has converged and enough is left for another."""
        if self.room < self.settings.restart_least:
            return False
        used = self.context.used
        took = used - self._begun_at
        if float(np.ptp(self._members.z, axis=0).max(initial=0.0)) > self.settings.settled:
            self._settled_at = 0
            return False
        self._settled_at = self._settled_at or took
        wait = self._wait
        return used - self._moved_at >= wait and took >= self._settled_at + wait

    @property
    def _wait(self) -> float:
        """Evaluations that a converged population waits for something to change."""
        return (self.settings.restart_after - 1.0) * self._settled_at

    def _is_spent(self) -> bool:
        """Whether a converged population has nothing left to find, not even digits."""
        archive, settings = self.archive, self.settings
        has_stopped = self.context.used - self._gained_at >= self._wait
        if archive.best < 0 or not self._can_search() or has_stopped:
            return True
        away = np.abs(archive.z[archive.best] - self._members.z[0]).max()
        return away > settings.from_end or archive.x[archive.best].tobytes() in self._floors

    # --- local searches ---------------------------------------------------------------------------
    def _start_from(self, start: Sample) -> None:
        """Begin a local search."""
        settings = self.settings
        self._best_before = self.best
        self._ends.add(start.x.tobytes())  # a search that gains nothing ends where it began
        self.book(LOCAL).runs += 1
        self._tried.add(start.x[self._whole].tobytes())
        allowed, used = int(self._vain_allowed), self.book(LOCAL).nfev
        soft = min(allowed - self._n_lost, settings.vain_steps * self._n_steps)
        soft = max(soft, settings.least_steps * self._n_steps)
        at_jumps = allowed - used - self._reserve
        limit = min(self.room, max(0, at_jumps)) if self._has_jumps else self.room
        search = local_search(
            self.context, start, limit, self._local_settings, checks_start=True, soft_limit=soft,
            jump_limit=at_jumps,
        )  # fmt: skip
        self._local = Stepping(search)
        if self._local.is_finished:
            self._end_local(self._local.value)

    def _end_local(self, outcome: LocalOutcome) -> None:
        """Credit, and a note of where it went."""
        self._local = None
        settings, credit = self.settings, self._credit
        self.book(LOCAL).reason = outcome.reason
        self._is_noisy = self._is_noisy or outcome.reason == NOISY
        self._has_jumps = self._has_jumps or outcome.has_jump
        best = outcome.best
        f, phi = self.judge.settled(best.f, self.judge.phi_of(best.g, best.h))
        self._starts.note(outcome.start, outcome.end, (phi, f))
        self._ends.add(best.x.tobytes())
        if outcome.has_converged or outcome.reason == FLAT:
            self._floors.add(best.x.tobytes())
        gain = gain_of(self._best_before, (phi, f), self._spread)
        rate = gain / max(1, outcome.n)
        # A part that uses a share of the budget should gain at least as large a share of 1.
        least = max(credit.rate(EVOLUTION), 1.0 / self.context.maxfev)
        if gain > 0.0 and rate >= least:
            self._share = min(settings.most, self._share * settings.grows)
        else:
            since = self.context.used - self._evolved_at
            ahead = gain_of(self._expected_end(), (phi, f), self._spread)
            is_idle = since > settings.idle * self.context.maxfev and ahead > settings.ahead
            self._n_vain += 0 if is_idle else outcome.n
            factor, least_share = settings.falls, settings.least
            if is_idle:
                factor = settings.waits
                least_share = settings.least_seeded if self._is_seeded else settings.least_idle
            self._share = max(min(self._share, least_share), self._share * factor)
        credit.note(LOCAL, outcome.n, gain)

    @property
    def phases(self) -> list[Phase]:
        """What each part spent and gained, and why local search got what it got."""
        book = self.books.get(LOCAL)
        if book is not None and not self._is_noisy:
            plural = "search" if book.runs == 1 else "searches"
            every = f"{book.runs} {plural}, the last: {book.reason or 'under way'}"
            book = dataclasses.replace(book, reason=every)
        books = [self.books[EVOLUTION], *([] if book is None else [book])]
        return [each.phase() for each in books if each.nfev or each is books[-1]]

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
            self._join_evolution()

    def population(self) -> tuple[Any, Any, Any]:
        """Members of the evolution."""
        return tuple(self._engine.population())  # type: ignore[return-value]
