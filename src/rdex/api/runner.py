"""The loop around the engine: three ways to evaluate, one way to watch and stop."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rdex.api.checkpoint import Checkpoint
from rdex.api.progress import Progress
from rdex.api.status import Status
from rdex.engine.engine import Engine, default_batch
from rdex.engine.kernels import layout
from rdex.evaluation.gate import Gate

log = logging.getLogger("rdex")


class Watch:
    """Decides when a run stops, and keeps callback, progress and checkpoint going."""

    def __init__(
        self,
        engine: Engine,
        callback: Callable[[Any], Any] | None,
        tol: float | None,
        maxtime: float | None,
        progress: Progress | None,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.callback = callback
        self.tol = tol
        self.progress = progress
        self.checkpoint = checkpoint
        self.start = time.monotonic()
        self.deadline = None if maxtime is None else self.start + maxtime
        self.status = Status.RUNNING
        self.generation = engine.generation
        self.each_generation = callback is not None or tol is not None

    @property
    def seconds(self) -> float:
        """Time since the start."""
        return time.monotonic() - self.start

    def stops(self, engine: Engine) -> bool:
        """Look at the run between two evaluations; True if it is to end."""
        if engine.is_goal_reached:
            self.status = Status.TARGET
        elif engine.is_finished:
            self.status = Status.BUDGET
        elif self.deadline is not None and time.monotonic() >= self.deadline:
            self.status = Status.TIME
        elif self.each_generation and engine.generation != self.generation:
            self.generation = engine.generation
            if self.tol is not None and spread(engine) <= self.tol:
                self.status = Status.STAGNATION
            elif self.callback is not None and wants_stop(self.callback, engine):
                self.status = Status.CALLBACK
        if self.progress is not None:
            self.progress.update(engine)
        if self.checkpoint is not None:
            self.checkpoint.save_if_due(engine)
        return self.status != Status.RUNNING


def spread(engine: Engine) -> float:
    """Relative spread of f over P; infinite while a member is infeasible."""
    state = engine.state
    members = state.pool[: engine.n]
    if (state.phi[members] > 0).any():
        return np.inf
    f = state.f[members]
    return float((f.max() - f.min()) / max(1.0, abs(f.min())))


def wants_stop(callback: Callable[[Any], Any], engine: Engine) -> bool:
    """Call the user's callback with the present state of the run."""
    from rdex.api.result import Result

    best = engine.best
    present = Result(
        x=best.x,
        fun=best.f,
        cv=best.phi,
        feasible=best.phi == 0.0,
        nfev=engine.nfev,
        nit=engine.generation,
        G=best.g,
        H=best.h,
        eps=engine.eps,
        n=engine.n,
    )
    try:
        return bool(callback(present))
    except StopIteration:
        return True


@contextlib.contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """SIGTERM saves and returns like Ctrl-C, where this thread may say so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_signal: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run(engine: Engine, gate: Gate | None, batch: int | None, watch: Watch) -> Status:
    """Advance the run until it stops; the reason. No gate: the problem is compiled."""
    try:
        with sigterm_as_interrupt():
            if gate is None:
                run_fused(engine, watch)
            elif batch == 1:
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


def run_fused(engine: Engine, watch: Watch) -> None:
    """Compiled problem: the fused loop in slices."""
    if watch.stops(engine):
        return
    engine.run_in_slices(watch.stops, each_generation=watch.each_generation)


def run_immediately(engine: Engine, gate: Gate, watch: Watch) -> None:
    """One point at a time, each result used at once: the paper's update."""
    if watch.stops(engine):
        return
    waiting = engine.outstanding()
    point = waiting[0] if len(waiting) else engine.ask(1)[0]
    # What the watch needs only now and then is not asked for at every evaluation.
    look_often = watch.deadline is not None or engine.state.param[layout.GOAL] > -np.inf
    pause = time.monotonic() + 0.05
    while True:
        f = gate.one(point.copy())
        answer = engine.tell_ask(f, gate.g, gate.h, point)
        now = time.monotonic()
        if answer != 1 or look_often or now >= pause:
            pause = now + 0.05
            if watch.stops(engine):
                return


def run_deferred(engine: Engine, gate: Gate, batch: int | None, watch: Watch) -> None:
    """A batch at a time; its size is given or a function of N alone."""
    points = engine.outstanding()
    while not watch.stops(engine):
        if not len(points):
            points = engine.ask(batch or default_batch(engine.n))
        f, g, h = gate.many(points)
        engine.tell(f, g, h)
        points = points[:0]
