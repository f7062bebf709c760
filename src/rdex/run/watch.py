"""`Watch`: the one check whether a run stops, with everything that happens now and then."""

from __future__ import annotations

import contextlib
import logging
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from rdex.evaluation.evaluator import FailurePolicy
from rdex.jit.interpreting import raise_between_kernels
from rdex.jit.loading import seconds_loading
from rdex.run import checkpoint as checkpoints
from rdex.run.arguments import RunOptions
from rdex.run.checkpoint import Checkpoint, seen_facts
from rdex.run.progress import Progress
from rdex.run.searching import Searching
from rdex.run.status import Status

log = logging.getLogger("rdex")

#: Seconds between two looks at progress, checkpoint and clock.
PAUSE = 0.05

#: A batch of more seconds than this is followed by a checkpoint.
SLOW = 1.0

#: Runs with the default budget that will take longer than this many seconds are announced.
LONG_RUN = 3600.0

#: Seconds within which a second Ctrl-C ends the program.
TWICE_WITHIN = 5.0

_last_interrupt = -TWICE_WITHIN


class Watch:
    """Decides when a run stops, and keeps callback, progress and checkpoint going.

    Parameters
    ----------
    searching : Searching
    options : RunOptions
    policy : FailurePolicy
    keeper : Checkpoint, optional
    elapsed : float
        Seconds that earlier sessions took.
    follows_clock : bool
        Whether schedules follow the clock here; else the times of the results count.
    """

    def __init__(
        self,
        searching: Searching,
        options: RunOptions,
        policy: FailurePolicy,
        keeper: Checkpoint | None = None,
        elapsed: float = 0.0,
        follows_clock: bool = True,
    ) -> None:
        self.searching = searching
        self.options = options
        self.policy = policy
        self.keeper = keeper
        self.start = time.monotonic() - elapsed
        self._loading_before = seconds_loading()
        self.maxtime = searching.spec.maxtime
        self.deadline = math.inf if self.maxtime is None else self.start + self.maxtime
        self.status = Status.RUNNING
        self.each_generation = options.callback is not None or options.tol is not None
        self.is_replaying: Callable[[], bool] = lambda: False
        self.facts: Callable[[], dict[str, Any]] = dict
        standing = searching.standing
        self._follows_clock = follows_clock and self.maxtime is not None
        self._generation = standing.generation
        self._n_initial = searching.spec.n_initial
        self._has_begun = standing.nfev >= self._n_initial
        self._estimate = Estimate(standing) if options.is_default_budget else None
        self._progress = Progress(standing) if options.progress else None
        self._last_look = time.monotonic()
        self._next_chores = self._last_look + PAUSE
        self._is_slow = False
        # The user ended the run in an earlier session: ask before a further generation.
        stopped = {} if keeper is None else keeper.stored
        self._asks_first = stopped.get("status") in (Status.CALLBACK, Status.STAGNATION)
        if follows_clock:
            self.set_clock(elapsed)

    @property
    def seconds(self) -> float:
        """Time since the start, that of earlier sessions of the run included."""
        return time.monotonic() - self.start

    @property
    def run_seconds(self) -> float:
        """`seconds` without what was spent on loading and compiling kernels."""
        return self.seconds - (seconds_loading() - self._loading_before)

    def set_clock(self, at: float) -> None:
        """The search follows the clock too: `at` seconds of the time limit are used."""
        if self.maxtime is not None:
            self.searching.set_clock(min(at / max(self.maxtime, 1e-9), 1.0))

    def note_evaluation(self, seconds: float) -> None:
        """A result that took over a second is worth a checkpoint."""
        self._is_slow = self._is_slow or seconds > SLOW

    def stops(self) -> bool:
        """Look at the run between two evaluations; True if it is to end."""
        if self.status != Status.RUNNING:
            return True
        standing = self.searching.standing
        nfev = standing.nfev
        if not self._has_begun and nfev >= self._n_initial:
            self._has_begun = True
            if standing.n_failed == nfev:
                self._nothing_works()
        if self.each_generation and (self._asks_first or standing.generation != self._generation):
            self._generation, self._asks_first = standing.generation, False
            self._ask_user()
        now = time.monotonic()
        self.note_evaluation(now - self._last_look)
        self._last_look = now
        if self._follows_clock:
            self.set_clock(now - self.start)
        if standing.is_goal_reached:
            self.status = Status.TARGET
        elif nfev >= standing.maxfev and self.status == Status.RUNNING:
            self.status = Status.BUDGET
        elif now >= self.deadline and self.status == Status.RUNNING and not self.is_replaying():
            self.status = Status.TIME
        if now >= self._next_chores:
            self._next_chores = now + PAUSE
            self._do_chores(now)
        return self.status != Status.RUNNING

    def _nothing_works(self) -> None:
        """All initial points have failed: a mistake, most likely."""
        if self.policy.first_error is not None:
            raise self.policy.first_error
        self.status = Status.FAILED

    def _ask_user(self) -> None:
        """A generation has ended: is that enough?"""
        tol, callback = self.options.tol, self.options.callback
        if callback is not None and wants_stop(callback, self.searching):
            self.status = Status.CALLBACK
        elif tol is not None and self.searching.standing.spread() <= tol:
            self.status = Status.STAGNATION

    def _do_chores(self, now: float) -> None:
        """What need not happen at every evaluation."""
        if self._progress is not None:
            self._progress.update()
        if self.keeper is not None and self.keeper.is_due(
            SLOW if self._is_slow else checkpoints.EVERY
        ):
            self.save()
            self._is_slow = False
        if self._estimate is not None and self._estimate.is_made(now):
            self._estimate = None

    def save(self) -> None:
        """Write the checkpoint, if there is one."""
        if self.keeper is not None:
            standing = self.searching.standing
            facts = {
                "nfev": standing.nfev,
                "elapsed": self.seconds,
                "status": int(self.status),
                "seen": seen_facts(standing),
            }
            self.keeper.save(self.searching, {**facts, **self.facts()})

    def close(self) -> None:
        """The end: draw once more, write once more."""
        if self._progress is not None:
            self._progress.close()
        self.save()


class Estimate:
    """Says once how long the default budget will take, if that is long.

    The first evaluation is left out where others follow soon: it may load things.
    """

    def __init__(self, standing: Any) -> None:
        self._standing = standing
        self._from = (time.monotonic(), standing.nfev)
        self._is_first = True

    def is_made(self, now: float) -> bool:
        """Whether enough was seen to judge; then it was said, if there is reason to."""
        start, nfev = self._from
        seconds, n = now - start, self._standing.nfev - nfev
        if n == 0:
            return False
        if self._is_first and seconds < 60.0:
            self._from, self._is_first = (now, self._standing.nfev), False
            return False
        if n < 5 and seconds < 60.0:
            return False
        total = seconds / n * self._standing.maxfev
        if total > LONG_RUN:
            log.warning(
                "the default budget of %d evaluations will take about %.3g hours at %.3g s each; "
                "maxfev= sets a smaller one, which suits the search better than maxtime=",
                self._standing.maxfev,
                total / 3600,
                seconds / n,
            )
        return True


def wants_stop(callback: Callable[[Any], Any], searching: Searching) -> bool:
    """Call the user's callback with the present state of the run."""
    from rdex.run.result import present_result

    try:
        return bool(callback(present_result(searching.standing)))
    except StopIteration:
        return True


# --- Ctrl-C and SIGTERM: what a run has is saved first, then the program ends or goes on ----------
class Signalled(KeyboardInterrupt):
    """Ctrl-C, or SIGTERM, came. ends_program: SIGTERM, or a second Ctrl-C.

    Ctrl-C ends the run, which returns the best so far, or raises KeyboardInterrupt again where the
    user chose that. A second Ctrl-C within a few seconds always does, for loops of runs. SIGTERM
    ends the program: it comes from a queue or a system that is about to kill it.
    """

    def __init__(self, number: int, ends_program: bool) -> None:
        super().__init__()
        self.number = number
        self.ends_program = ends_program


def on_signal(number: int, _frame: Any) -> None:
    """Raise what ends the run."""
    global _last_interrupt
    now = time.monotonic()
    is_second = now - _last_interrupt < TWICE_WITHIN
    _last_interrupt = now
    raise_between_kernels(Signalled(number, number == signal.SIGTERM or is_second))


@contextlib.contextmanager
def signals_end_the_run() -> Iterator[None]:
    """Ctrl-C and SIGTERM raise `Signalled` meanwhile, unless somebody else has plans for them."""
    usual: dict[Any, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    is_main = threading.current_thread() is threading.main_thread()
    taken = [s for s, handler in usual.items() if is_main and signal.getsignal(s) is handler]
    for number in taken:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, usual[number])


def raise_again(error: KeyboardInterrupt, on_interrupt: str) -> None:
    """Called when everything is saved: end the program, or come back to return the best so far."""
    if isinstance(error, Signalled) and error.number == signal.SIGTERM:
        raise SystemExit(128 + signal.SIGTERM)
    if on_interrupt == "raise" or (isinstance(error, Signalled) and error.ends_program):
        raise error
