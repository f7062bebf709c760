"""The loop around the engine: three ways to evaluate, one way to watch and stop."""

from __future__ import annotations

import contextlib
import logging
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rdex.api import checkpoint as checkpoints
from rdex.api.checkpoint import Checkpoint
from rdex.api.loops import run_async, run_batches
from rdex.api.progress import Progress
from rdex.api.status import Status
from rdex.engine.anyorder import AnyOrder
from rdex.engine.engine import LARGEST_BATCH, Engine
from rdex.engine.kernels import layout
from rdex.evaluation.gate import Gate

log = logging.getLogger("rdex")

#: Seconds between two looks at progress, checkpoint and clock.
PAUSE = 0.05

#: A batch of more seconds than this is followed by a checkpoint.
SLOW = 1.0

#: Runs with the default budget that will take longer than this many seconds are announced.
LONG_RUN = 3600.0


class Watch:
    """Decides when a run stops, and keeps callback, progress and checkpoint going."""

    def __init__(
        self,
        engine: Engine,
        gate: Gate,
        *,
        n_initial: int,
        callback: Callable[[Any], Any] | None = None,
        tol: float | None = None,
        maxtime: float | None = None,
        progress: Progress | None = None,
        checkpoint: Checkpoint | None = None,
        estimate: bool = False,
        elapsed: float = 0.0,
    ) -> None:
        self.gate = gate
        self.callback = callback
        self.tol = tol
        self.progress = progress
        self.checkpoint = checkpoint
        self.start = time.monotonic() - elapsed
        self.maxtime = maxtime
        self.deadline = math.inf if maxtime is None else self.start + maxtime
        self.status = Status.RUNNING
        self.each_generation = callback is not None or tol is not None
        self._generation = engine.generation
        self._n_initial = n_initial
        self._has_begun = engine.nfev >= n_initial
        self._estimate = Estimate(engine) if estimate else None
        self._last_look = time.monotonic()
        self._next_chores = self._last_look + PAUSE
        self._is_slow = False
        if gate.exchange is None:  # else the times of the results count
            self.set_clock(engine, elapsed)

    @property
    def seconds(self) -> float:
        """Time since the start, that of earlier sessions of the run included."""
        return time.monotonic() - self.start

    def set_clock(self, engine: Engine, at: float) -> None:
        """The search follows the clock too: `at` seconds of the time limit are used."""
        used = 0.0 if self.maxtime is None else at / max(self.maxtime, 1e-9)
        engine.state.value[layout.CLOCK] = min(used, 1.0)

    def note_evaluation(self, seconds: float) -> None:
        """A result that took over a second is worth a checkpoint."""
        self._is_slow = self._is_slow or seconds > SLOW

    def stops(self, engine: Engine) -> bool:
        """Look at the run between two evaluations; True if it is to end."""
        if self.status != Status.RUNNING:
            return True
        nfev = engine.nfev
        if not self._has_begun and nfev >= self._n_initial:
            self._has_begun = True
            if engine.n_failed == nfev and self.gate.first_error is not None:
                raise self.gate.first_error
        if self.each_generation and engine.generation != self._generation:
            self._generation = engine.generation
            self._ask_user(engine)
        now = time.monotonic()
        self.note_evaluation(now - self._last_look)
        self._last_look = now
        if self.maxtime is not None and self.gate.exchange is None:
            self.set_clock(engine, now - self.start)
        if engine.is_goal_reached:
            self.status = Status.TARGET
        elif nfev >= engine.maxfev:
            self.status = Status.BUDGET
        elif now >= self.deadline and self.status == Status.RUNNING and not self._is_replaying:
            self.status = Status.TIME
        if now >= self._next_chores:
            self._next_chores = now + PAUSE
            self._do_chores(engine, now)
        return self.status != Status.RUNNING

    @property
    def _is_replaying(self) -> bool:
        """Whether results of an earlier session are taken: they cost no time now."""
        return self.gate.exchange is not None and self.gate.exchange.is_replaying

    def _ask_user(self, engine: Engine) -> None:
        """A generation has ended: is that enough?"""
        if self.callback is not None and wants_stop(self.callback, engine):
            self.status = Status.CALLBACK
        elif self.tol is not None and spread(engine) <= self.tol:
            self.status = Status.STAGNATION

    def _do_chores(self, engine: Engine, now: float) -> None:
        """What need not happen at every evaluation."""
        if self.progress is not None:
            self.progress.update(engine)
        if self.checkpoint is not None:
            self.checkpoint.save_if_due(engine, SLOW if self._is_slow else checkpoints.EVERY)
            self._is_slow = False
        if self._estimate is not None and self._estimate.is_made(engine, now):
            self._estimate = None


class Estimate:
    """Says once how long the default budget will take, if that is long.

    The first evaluation is left out where others follow soon: it may load or compile things.
    """

    def __init__(self, engine: Engine) -> None:
        self._from = (time.monotonic(), engine.nfev)
        self._is_first = True

    def is_made(self, engine: Engine, now: float) -> bool:
        """Whether enough was seen to judge; then it was said, if there is reason to."""
        start, nfev = self._from
        seconds, n = now - start, engine.nfev - nfev
        if n == 0:
            return False
        if self._is_first and seconds < 60.0:
            self._from, self._is_first = (now, engine.nfev), False
            return False
        if n < 5 and seconds < 60.0:
            return False
        total = seconds / n * engine.maxfev
        if total > LONG_RUN:
            log.warning(
                "the default budget of %d evaluations will take about %.3g hours at %.3g s each; "
                "maxfev= sets a smaller one, which suits the search better than maxtime=",
                engine.maxfev,
                total / 3600,
                seconds / n,
            )
        return True


def spread(engine: Engine) -> float:
    """Relative spread of f over P; infinite while a member is infeasible."""
    state = engine.state
    members = state.pool[: engine.n]
    if (state.phi[members] > 0).any():
        return math.inf
    f = state.f[members]
    return float((f.max() - f.min()) / max(1.0, abs(f.min())))


def wants_stop(callback: Callable[[Any], Any], engine: Engine) -> bool:
    """Call the user's callback with the present state of the run."""
    from rdex.api.result import present_result

    try:
        return bool(callback(present_result(engine)))
    except StopIteration:
        return True


@contextlib.contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """SIGTERM saves and returns like Ctrl-C, unless somebody else has plans for it."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def interrupt(_signal: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def run(
    engine: Engine, gate: Gate, batch: int | None, watch: Watch, flight: AnyOrder | None = None
) -> Status:
    """Advance the run until it stops; the reason. With a `flight` no worker ever waits."""
    try:
        with sigterm_as_interrupt():
            if flight is not None:
                run_async(flight, gate.exchange, batch or 1, watch)  # type: ignore[arg-type]
            elif gate.exchange is not None:
                run_batches(engine, gate.exchange, batch, watch)
            elif gate.is_compiled:
                run_fused(engine, gate, batch, watch)
            elif batch == 1 and gate.is_plain:
                run_immediately(engine, gate, watch)
            else:
                run_deferred(engine, gate, batch, watch)
    except KeyboardInterrupt:
        watch.status = Status.INTERRUPTED
    finally:
        if watch.progress is not None:
            watch.progress.close(engine)
        if watch.checkpoint is not None:
            watch.checkpoint.save(engine)
    return watch.status


def run_fused(engine: Engine, gate: Gate, batch: int | None, watch: Watch) -> None:
    """Compiled problem: the fused loop, in slices of about `PAUSE` seconds."""
    first = engine.nfev
    n = 10
    while not watch.stops(engine):
        start = time.perf_counter()
        try:
            engine.run(engine.nfev + n, watch.each_generation, batch or 0)
        except Exception as error:
            gate.note(error, is_first=engine.nfev == first)
            engine.tell(np.nan, np.full(gate.g.size, np.nan), np.full(gate.h.size, np.nan))
        elapsed = max(time.perf_counter() - start, 1e-6)
        n = int(min(max(n * PAUSE / elapsed, 1), 100 * n, 10**7))


def tell_outstanding(engine: Engine, gate: Gate) -> None:
    """Evaluate what a run read from a file had asked and not yet told."""
    points = engine.outstanding()
    if len(points):
        engine.tell(*gate.many(points))


def run_immediately(engine: Engine, gate: Gate, watch: Watch) -> None:
    """One point at a time, each result used at once: the paper's update."""
    if watch.stops(engine):
        return
    tell_outstanding(engine, gate)
    if watch.stops(engine):
        return
    point = engine.ask(1)[0]
    tell_ask = engine.bound_tell_ask(gate.g, gate.h, point)
    evaluate, clock = gate.one, time.monotonic
    value, goal = engine.state.value, float(engine.state.param[layout.GOAL])
    has_goal = goal > -math.inf
    look_at = 0.0
    while True:
        answer = tell_ask(evaluate(point.copy()))  # a copy: the user may keep it
        now = clock()
        if answer != 1 or now >= look_at or (has_goal and value[layout.BEST_F] <= goal):
            if watch.stops(engine):
                return
            look_at = min(now + PAUSE, watch.deadline)


def run_deferred(engine: Engine, gate: Gate, batch: int | None, watch: Watch) -> None:
    """A batch at a time; its size is given or a function of N alone."""
    if watch.stops(engine):
        return
    tell_outstanding(engine, gate)
    if watch.stops(engine):
        return
    most = batch or LARGEST_BATCH
    points, f = np.empty((most, engine.problem.dim)), np.empty(most)
    g, h = np.empty((most, gate.g.size)), np.empty((most, gate.h.size))
    tell_ask_rows = engine.bound_tell_ask_rows(f, g, h, points)
    # The arrays of each size of a batch, made once: this loop is the overhead of functions of rows.
    first = [(points[:n], f[:n], g[:n], h[:n]) for n in range(most + 1)]
    evaluate, size, clock = gate.fill, batch or 0, time.monotonic
    value, goal = engine.state.value, float(engine.state.param[layout.GOAL])
    has_goal = goal > -math.inf
    look_at = 0.0
    n = tell_ask_rows(0, size)
    while True:
        asked, f, g, h = first[n]
        evaluate(asked.copy(), f, g, h)  # a copy: the user may keep it
        answer = tell_ask_rows(n, size)
        n = abs(answer)
        now = clock()
        if answer <= 0 or now >= look_at or (has_goal and value[layout.BEST_F] <= goal):
            if watch.stops(engine):
                return
            look_at = min(now + PAUSE, watch.deadline)
