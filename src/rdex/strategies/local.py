"""Local search with constraints: SLSQP over evaluations that go out in batches.

The search works in the unit cube on the variables that can change by small amounts; integers stay
as they are at the start. One joint finite difference gives the slopes of the objective and of all
constraints: n points that go out together. Equalities are bands of two inequalities, as wide as
the tolerance allows. Where the solver ends outside the constraints, Gauss-Newton steps on a model
of them lead back.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.models.threads import one_thread
from rdex.problem.problem import Floats
from rdex.solvers.sqp import Slopes, Values, solve, sqp_steps
from rdex.strategies.archive import Sample
from rdex.strategies.edges import Cut, Edges, may_have_edge
from rdex.strategies.jumps import JumpWatch
from rdex.strategies.local_settings import (
    BUDGET,
    CONVERGED,
    FAILED,
    FLAT,
    JUMP,
    NOISY,
    PATIENCE,
    STALLED,
    LocalOutcome,
    LocalSettings,
)
from rdex.strategies.patience import Patience
from rdex.strategies.strategy import Context, Search


def local_search(
    context: Context,
    start: Sample,
    limit: int,
    settings: LocalSettings | None = None,
    checks_start: bool = False,
    soft_limit: int | None = None,
    jump_limit: int | None = None,
) -> Search:
    """Search from a point; yields batches of points, returns a `LocalOutcome`.

    Parameters
    ----------
    context : Context
    start : Sample
        A point of the user's space with its values. Integer variables keep the start's values.
    limit : int
        The most evaluations.
    soft_limit : int, optional
        Evaluations after which the search must gain more, in fewer steps, to go on.
    jump_limit : int, optional
        The most evaluations where the function jumps.
    checks_start : bool
        Evaluate the start first: where its constraints are not known, and to see whether f is what
        it was. If not, the function is noisy and the search ends.
    """
    run = _LocalSearch(context, start, limit, settings or LocalSettings())
    run.soft_limit = limit if soft_limit is None else soft_limit
    run.jump_limit = limit if jump_limit is None else jump_limit
    if run.n == 0:
        return run.outcome(FLAT)
    if checks_start:
        known_f = start.f
        if not (yield from run.evaluate_start()):
            return run.outcome(BUDGET)
        if run.is_noise(known_f, spread_of(context.archive.f)):
            return run.outcome(NOISY)
    if not run.is_usable(run.start):
        return run.outcome(FAILED)
    for _ in range(run.settings.legs):
        reason = yield from run.descend()
        if reason == JUMP and run.used <= run.soft_limit and (yield from run.stay_on_side()):
            continue
        yield from run.return_to_constraints()
        if reason in (BUDGET, FLAT, JUMP) or run.used > run.soft_limit:
            break
        is_there = reason == CONVERGED and run.is_feasible
        settings = run.settings
        if (is_there or not run.has_gained(settings.clear_gain)) and run.can_be_exact:
            run.is_central = True
        elif is_there or not run.has_gained(settings.gains):
            break
        run.begin_leg()
    if reason in (PATIENCE, STALLED) and run.is_at_edge:
        reason = yield from run.follow_edges()
        yield from run.return_to_constraints()
    return run.outcome(reason)


def spread_of(f: Floats) -> float:
    """Half of the known values lie within it."""
    known = f[np.isfinite(f)]
    low, high = np.quantile(known, [0.25, 0.75]) if known.size else (0.0, 0.0)
    return float(high - low)


class _Raw(NamedTuple):
    """Slopes of f (n,), and of all constraints (m, n), inequalities first; not scaled."""

    f: Floats
    c: Floats


class _LocalSearch:
    """One search: the problem as the solver sees it, and what is known so far."""

    def __init__(
        self, context: Context, start: Sample, limit: int, settings: LocalSettings
    ) -> None:
        self.space, self.judge, self.settings = context.space, context.judge, settings
        self.limit = limit
        self.soft_limit = self.jump_limit = limit
        self.used = 0
        self.start = self.best = start
        self._settled: tuple[Sample | None, tuple[float, float]] = None, (math.inf, math.inf)
        self._whole_z = self.space.to_unit(start.x)
        self._free = np.flatnonzero(self.space.continuous)
        self.n = self._free.size
        self.z = self._whole_z[self._free]
        self._latest = (self.z, start)  # where values were asked last
        self._line_start = self._side = self._latest  # where slopes were, and this side of a jump
        self._slopes: _Raw | None = None
        self._seen: list[tuple[Floats, Sample, _Raw]] = []  # points with slopes
        self._f_scale = 1.0
        self._scales: Floats = np.ones(self.judge.tolerance.size)
        self._is_paired = np.zeros(self.judge.n_ineq, dtype=bool)
        self._has_converged = False
        self._leg_start = start
        self._margin = settings.margin
        self._jumps = JumpWatch(settings.signs, settings.jump)
        self.has_jump = False
        self.is_central = False  # differences on both sides
        self._archive = context.archive
        self._lower, self._upper = np.zeros(self.n), np.ones(self.n)

    # --- points and values ------------------------------------------------------------------------
    def points(self, z: Floats) -> Floats:
        """Points (k, d) of the user's space; what is not free is as at the start."""
        whole = np.tile(self._whole_z, (len(z), 1))
        whole[:, self._free] = z
        x = np.tile(self.start.x, (len(z), 1))
        x[:, self._free] = self.space.from_unit(whole)[:, self._free]
        return x

    def is_usable(self, sample: Sample) -> bool:
        """Whether everything about a point is known; unknown f: cheap constraints ruled it out."""
        known = np.isfinite(sample.g).all() and np.isfinite(sample.h).all()
        return math.isfinite(sample.f) and bool(known)

    def take(self, sample: Sample) -> None:
        """Keep it if it is the best."""
        judge = self.judge
        here = judge.settled(sample.f, judge.phi_of(sample.g, sample.h))
        if judge.is_better(*here, *self._settled_best()):
            self.best, self._settled = sample, (sample, here)

    def _settled_best(self) -> tuple[float, float]:
        """(f, φ) of the best point as points are compared."""
        best, value = self._settled
        if best is not self.best:
            best = self.best
            value = self.judge.settled(best.f, self.judge.phi_of(best.g, best.h))
            self._settled = best, value
        return value

    @property
    def is_feasible(self) -> bool:
        """Whether the best point is."""
        return self.judge.phi_of(self.best.g, self.best.h) == 0.0

    def evaluate(self, z: Floats) -> Generator[Floats, list[Sample], list[Sample] | None]:
        """Samples at rows; None if they do not fit into the limit."""
        return (yield from self.evaluate_at(self.points(z)))

    def evaluate_at(self, x: Floats) -> Generator[Floats, list[Sample], list[Sample] | None]:
        """Samples at points (k, d) of the user's space; None if they do not fit into the limit."""
        if self.used + len(x) > self.limit:
            return None
        samples = yield x
        self.used += len(x)
        for sample in samples:
            self.take(sample)
        return samples

    def evaluate_start(self) -> Generator[Floats, list[Sample], bool]:
        """Values of the start, but for the last bit of a variable; False: none are left.

        Exactly the same point could be answered from a log, noise or not.
        """
        if self.limit < 1:
            return False
        x, j = self.start.x.copy(), self._free[0]
        x[j] = np.nextafter(x[j], 0.5 * (self.space.lower[j] + self.space.upper[j]))
        (sample,) = yield x[None, :]
        self.used += 1
        self.start = self.best = sample
        self._latest, self._leg_start = (self.z, sample), sample
        return True

    def is_noise(self, known_f: float, spread: float) -> bool:
        """Whether f of the start is not what it was; `spread`: of f over the known points."""
        if not math.isfinite(known_f) or not self.is_usable(self.start):
            return False
        change = abs(self.start.f - known_f)
        return change > self.settings.same * max(abs(known_f), spread)

    # --- slopes -----------------------------------------------------------------------------------
    def slopes(self, z: Floats, at: Sample) -> Generator[Floats, list[Sample], _Raw | None]:
        """Joint finite differences at z; None if they do not fit into the limit.

        Forward, backward at the upper bound. Failed ones are tried in the other direction; what
        fails there too counts as flat. `is_central`: on both sides, where there are two.
        """
        step = self.settings.central_step if self.is_central else self.settings.step
        steps = np.where(z + step > self._upper, -step, step)
        samples = yield from self.evaluate(z + np.diag(steps))
        if samples is None:
            return None
        failed = [j for j in range(self.n) if not self.is_usable(samples[j])]
        backward = [j for j in failed if self._lower[j] <= z[j] - steps[j] <= self._upper[j]]
        if backward:
            again = yield from self.evaluate(z + np.diag(-steps)[backward])
            if again is None:
                return None
            for j, sample in zip(backward, again, strict=True):
                samples[j], steps[j] = sample, -steps[j]
        others = yield from self._mirrored(z, at, steps)
        if others is None:
            return None
        f_slopes, c_slopes = np.zeros(self.n), np.zeros((self._scales.size, self.n))
        for j, (sample, (other, width)) in enumerate(zip(samples, others, strict=True)):
            if self.is_usable(sample):
                f_slopes[j] = (sample.f - other.f) / width
                there = np.concatenate([other.g, other.h])
                c_slopes[:, j] = (np.concatenate([sample.g, sample.h]) - there) / width
        self._slopes = _Raw(f_slopes, c_slopes)
        self._seen = [*self._seen[-2 * self.n :], (z, at, self._slopes)]
        return self._slopes

    def _mirrored(
        self, z: Floats, at: Sample, steps: Floats
    ) -> Generator[Floats, list[Sample], list[tuple[Sample, float]] | None]:
        """The other point of each difference, and how far it is; z itself but for central ones."""
        others = [(at, float(step)) for step in steps]
        there = z - steps
        rows = np.flatnonzero((self._lower <= there) & (there <= self._upper))
        if not self.is_central or not rows.size:
            return others
        samples = yield from self.evaluate(z - np.diag(steps)[rows])
        if samples is None:
            return None
        for j, sample in zip(rows, samples, strict=True):
            if self.is_usable(sample):
                others[j] = sample, 2.0 * float(steps[j])
        return others

    # --- the scaled problem -----------------------------------------------------------------------
    def scale(self, raw: _Raw) -> None:
        """Scale f and each constraint by its largest slope here."""
        steepest = float(np.abs(raw.f).max(initial=0.0))
        self._f_scale = steepest / self.settings.slope_of_f if steepest > 0.0 else 1.0
        slopes = np.abs(raw.c).max(axis=1, initial=0.0)
        self._scales = np.where(slopes > 0.0, slopes, 1.0)
        tolerance = self.judge.tolerance
        widest = np.where(tolerance > 0.0, tolerance / self.settings.narrowest, np.inf)
        self._scales = np.minimum(self._scales, widest)
        self._is_paired = self._pairs(raw)

    def _pairs(self, raw: _Raw) -> NDArray[np.bool_]:
        """Which inequalities leave no room together with another one, such as g <= 0 and -g <= 0:
        opposite slopes, and the same limit."""
        m = self.judge.n_ineq
        scale = self._scales[:m]
        slopes, sample = raw.c[:m] / scale[:, None], self._latest[1]
        room = (self.judge.tolerance[:m] - sample.g) / scale
        lengths = np.maximum(np.linalg.norm(slopes, axis=1), 1e-300)
        is_opposite = slopes @ slopes.T <= (1e-9 - 1.0) * np.outer(lengths, lengths)
        has_no_room = np.abs(room[:, None] + room) <= self.settings.rounding
        return np.asarray((is_opposite & has_no_room).any(axis=1))

    def values(self, sample: Sample) -> Values:
        """f, and the constraints as c >= 0: g <= tolerance, and both sides of the bands."""
        m, judge, settings = self.judge.n_ineq, self.judge, self.settings
        tolerance, scale = judge.tolerance, self._scales
        band = (settings.exact_band if self.is_central else settings.band) * tolerance[m:]
        inside = (tolerance[:m] - sample.g) / scale[:m]
        c = np.concatenate([inside, (band - sample.h) / scale[m:], (band + sample.h) / scale[m:]])
        c -= self._margin
        # The solver needs some room.
        c[:m][self._is_paired] += self._margin * (1.0 + self.settings.room)
        return Values(sample.f / self._f_scale, c)

    def scaled(self, raw: _Raw) -> Slopes:
        """The slopes of `values`."""
        c = raw.c / self._scales[:, None]
        m = self.judge.n_ineq
        return Slopes(raw.f / self._f_scale, np.concatenate([-c, c[m:]]))

    def merit(self, values: Values) -> tuple[float, float]:
        """The measure of progress, and the violation in it."""
        violation = float(np.maximum(-values.c - self._margin, 0.0).sum())
        return values.f + self.settings.penalty * violation, violation

    # --- the search -------------------------------------------------------------------------------
    def descend(self) -> Generator[Floats, list[Sample], str]:
        """The solver's steps; the reason of the end."""
        raw = yield from self.slopes(*self._latest)
        if raw is None:
            return BUDGET
        if not raw.f.any() and (self.is_feasible or not raw.c.any()):
            return FLAT
        self.scale(raw)
        first = self.values(self._latest[1]), self._begin_line(raw)
        steps = sqp_steps(
            self.z, self._lower, self._upper, first,
            self.settings.accuracy, self.settings.iterations,
        )  # fmt: skip
        watch = Patience(self.settings.patience, *self.merit(first[0]))
        answer: Any = None
        while True:
            try:
                with one_thread():  # what the solver rounds depends on the threads
                    request = steps.send(answer)
            except StopIteration as end:
                self._has_converged = end.value.has_converged
                return CONVERGED if self._has_converged else STALLED
            if request.needs_slopes:
                if self.used > self.soft_limit and self.is_feasible:
                    # Steps are judged by the points inside that they lead to.
                    yield from self.return_to_constraints((self.n + 1) // 4)
                if watch.is_over(self.best) or self._is_slow(watch):
                    steps.close()
                    return PATIENCE
                raw = yield from self.slopes(*self._latest)
                answer = None if raw is None else self._begin_line(raw)
            elif self._is_too_short(request.z):
                steps.close()
                return STALLED
            else:
                answer = yield from self._values_at(request.z, watch)
                if answer is not None and self._jumps.sees(request.z, answer):
                    if (yield from self._is_jump()):
                        steps.close()
                        self.has_jump = True
                        self.limit = min(self.limit, self.jump_limit)
                        return JUMP
            if answer is None:
                steps.close()
                return BUDGET

    def _begin_line(self, raw: _Raw) -> Slopes:
        """Slopes where values were asked last, for the solver and the watch for jumps."""
        slopes = self.scaled(raw)
        self._line_start = self._latest
        self._jumps.begin(self._latest[0], self.values(self._latest[1]), slopes)
        return slopes

    def _is_too_short(self, z: Floats) -> bool:
        """Whether a step is so short that nothing can come of it."""
        return 0.0 < float(np.abs(z - self._line_start[0]).max()) < self.settings.shortest

    def _is_slow(self, watch: Patience) -> bool:
        """Whether the search is beyond its soft limit and gains little."""
        if self.used <= self.soft_limit:
            return False
        return watch.is_slow(self._settled_best(), self.settings)

    def _values_at(
        self, z: Floats, watch: Patience
    ) -> Generator[Floats, list[Sample], Values | None]:
        """Values at z; where the evaluation fails, such that the solver takes a shorter step."""
        if np.array_equal(z, self._latest[0]):
            return self.values(self._latest[1])
        samples = yield from self.evaluate(z[None, :])
        if samples is None:
            return None
        if not self.is_usable(samples[0]):
            before = self.values(self._latest[1])
            return Values(before.f + 100.0 * (1.0 + abs(before.f)), before.c)
        self._latest = (z, samples[0])
        values = self.values(samples[0])
        watch.look(*self.merit(values))
        return values

    def begin_leg(self) -> None:
        """Go on from the best point."""
        self.z = self.space.to_unit(self.best.x)[self._free]
        self._latest, self._leg_start = (self.z, self.best), self.best

    def has_gained(self, share: float) -> bool:
        """Whether this leg has gained at least a share of f or of the violation."""
        before, now = self._leg_start, self.best
        phi = self.judge.phi_of(before.g, before.h)
        if phi > 0.0:
            return self.judge.phi_of(now.g, now.h) < (1.0 - share) * phi
        return now.f < before.f - share * abs(before.f)

    @property
    def can_be_exact(self) -> bool:
        """Whether differences on both sides are still to come, at the best point of the run."""
        if not self.settings.is_exact or self.is_central or not self.is_feasible:
            return False
        best = self._archive.best
        return best >= 0 and bool((self._archive.x[best] == self.best.x).all())

    # --- along edges ------------------------------------------------------------------------------
    @property
    def is_at_edge(self) -> bool:
        """Whether a search that has not converged may be at an edge of the objective, inside the
        constraints, with enough evaluations to go on."""
        least = self.settings.edge_steps * (self.n + 1)
        is_possible = self.n > 1 and self.is_feasible and self.limit - self.used >= least
        return is_possible and may_have_edge(self._known_cuts())

    def _known_cuts(self) -> list[Cut]:
        """Points with slopes, in the scales of now."""
        return [
            Cut(z, self.values(sample), self.scaled(raw))
            for z, sample, raw in self._seen if self.is_usable(sample)
        ]  # fmt: skip

    def follow_edges(self) -> Generator[Floats, list[Sample], str]:
        """Steps down along the edges of the objective; the reason of the end."""
        at = self.space.to_unit(self.best.x)[self._free]
        self._latest = (at, self.best)
        raw = yield from self.slopes(*self._latest)
        if raw is None:
            return BUDGET
        self.scale(raw)
        edges = Edges(self._known_cuts(), self._lower, self._upper)
        waited, before = 0, self._settled_best()
        soft_limit = self.used + self.settings.edge_soft * (self.n + 1)
        while waited < self.settings.edge_steps:
            with one_thread():
                z = edges.propose()
            if z is None:
                self._has_converged = True
                return CONVERGED
            samples = yield from self.evaluate(z[None, :])
            if samples is None:
                return BUDGET
            waited += 1
            if not self.is_usable(samples[0]):
                edges.fail()
                continue
            self._latest = (z, samples[0])
            raw = yield from self.slopes(*self._latest)
            if raw is None:
                return BUDGET
            edges.learn(Cut(z, self.values(samples[0]), self.scaled(raw)))
            if edges.has_jump:
                self.has_jump = True
                return JUMP
            now, is_late = self._settled_best(), self.used > soft_limit
            share = self.settings.edge_gain if is_late else self.settings.gains
            if now[1] < before[1] or now[0] < before[0] - share * abs(before[0]):
                waited, before = 0, now
        return PATIENCE

    # --- at a jump --------------------------------------------------------------------------------
    def _is_jump(self) -> Generator[Floats, list[Sample], bool]:
        """Whether there is a jump where there may be one; if so, come near to it."""
        jumps, here = self._jumps, self._latest
        self._side = here if np.array_equal(jumps.here, here[0]) else self._line_start
        for _ in range(self.settings.halvings):
            if not jumps.is_possible or not (yield from self._come_nearer()):
                break
        z = jumps.further
        if not jumps.has_width and ((self._lower <= z) & (z <= self._upper)).all():
            samples = yield from self.evaluate(z[None, :])
            jumps.has_width = samples is not None and self._is_beyond(z, samples[0])
        jumps.is_wrong = not jumps.is_sure
        while jumps.is_sure and jumps.distance > self.settings.nearest:
            if not (yield from self._come_nearer()):
                break
        return jumps.is_sure

    def _come_nearer(self) -> Generator[Floats, list[Sample], bool]:
        """Halve the distance to the jump; False if that cannot be evaluated."""
        z = self._jumps.middle
        samples = yield from self.evaluate(z[None, :])
        if samples is None or not self.is_usable(samples[0]):
            return False
        if self._jumps.narrow(self.values(samples[0])):
            self._side = (z, samples[0])
        return True

    def _is_beyond(self, z: Floats, sample: Sample) -> bool:
        """Whether a point is on the other side of the jump."""
        return self.is_usable(sample) and self._jumps.is_beyond(z, self.values(sample))

    def stay_on_side(self) -> Generator[Floats, list[Sample], bool]:
        """Where single variables make the jump, narrow the box; whether some do.

        The next leg begins on this side of the jump.
        """
        jumps, (here, _) = self._jumps, self._side
        moved = np.flatnonzero(here != jumps.beyond)
        points = np.tile(here, (moved.size, 1))
        points[np.arange(moved.size), moved] = jumps.beyond[moved]
        samples = yield from self.evaluate(points)
        if samples is None:
            return False
        is_beyond = [self._is_beyond(*pair) for pair in zip(points, samples, strict=True)]
        for j in moved[is_beyond]:
            bound = self._upper if jumps.beyond[j] > here[j] else self._lower
            bound[j] = here[j]
        self.z, self._latest, self._leg_start = here, self._side, self._side[1]
        return any(is_beyond)

    # --- back to the constraints ------------------------------------------------------------------
    def return_to_constraints(self, most: int = 2**31) -> Generator[Floats, list[Sample], None]:
        """To a point inside the constraints next to the last one, if that is outside and may be
        clearly better than the best; in at most so many steps.

        The solver follows curved constraints from outside: its points may all be a little outside.
        """
        latest = self._latest[1]
        if self._slopes is None or self.judge.phi_of(latest.g, latest.h) == 0.0:
            return
        least = self.settings.clear_gain * abs(self.best.f)
        if not self.is_feasible or latest.f < self.best.f - least:
            yield from self._rescue(most, self.settings.margin)
            if not self.is_feasible:  # no point may keep the distance, and one on the limit will do
                yield from self._rescue(most, 0.0)
                yield from self._round()
            self._margin = self.settings.margin

    def _round(self) -> Generator[Floats, list[Sample], None]:
        """Where constraints leave no room, rounding may be all that is missing."""
        worst = float(np.max(-self.values(self.best).c, initial=0.0))
        if self.is_feasible or worst > self.settings.rounding:
            return
        x = self.best.x
        for bits in self.settings.bits:
            point = x.copy()
            point[self._free] = self.space.few_digits(x, bits)[self._free]
            samples = yield from self.evaluate_at(point[None, :])
            if samples is None or self.is_feasible:
                return

    def _rescue(self, most: int, margin: float) -> Generator[Floats, list[Sample], None]:
        """Steps to the nearest point where a model of the constraints holds; one evaluation each.

        `margin`: distance kept from constraints.

        The model is the last slopes, corrected after every step by what the step showed (Broyden).
        """
        assert self._slopes is not None
        self._margin = margin
        z, here = self._latest
        slopes = self._slopes.c.copy()
        for _ in range(min(most, self.settings.rescue_steps)):
            target = self._nearest(z, here, slopes)
            if np.array_equal(target, z):
                return
            samples = yield from self.evaluate(target[None, :])
            if samples is None or not self.is_usable(samples[0]):
                return
            if self.judge.phi_of(samples[0].g, samples[0].h) == 0.0:
                return
            step, there = target - z, samples[0]
            change = np.concatenate([there.g - here.g, there.h - here.h])
            slopes += np.outer(change - slopes @ step, step) / float(step @ step)
            z, here = target, there

    def _nearest(self, z: Floats, here: Sample, slopes: Floats) -> Floats:
        """The point nearest to z where the linear model of the constraints holds."""
        at, constant = self.values(here).c, self.scaled(_Raw(np.zeros(self.n), slopes)).c

        def values(y: Floats) -> Values:
            return Values(0.5 * float((y - z) @ (y - z)), at + constant @ (y - z))

        def gradient(y: Floats) -> Slopes:
            return Slopes(y - z, constant)

        first = values(z), gradient(z)
        steps = sqp_steps(z, self._lower, self._upper, first, iterations=20)
        with one_thread():
            target: Floats = solve(steps, values, gradient).z
        return target if np.isfinite(target).all() else z

    def outcome(self, reason: str) -> LocalOutcome:
        """What was found."""
        return LocalOutcome(
            start=self._whole_z,
            end=self.space.to_unit(self.best.x),
            best=self.best,
            has_converged=self._has_converged,
            n=self.used,
            reason=reason,
            has_jump=self.has_jump,
        )
