"""Points out, outcomes back in the order in which they come; what is known is not evaluated."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

from rdex.evaluation.cheap import Skipping
from rdex.evaluation.log import Entry, EvaluationLog, LogError
from rdex.evaluation.outcome import REPEATED, Outcome
from rdex.evaluation.pool import Pool
from rdex.problem.problem import Floats


class Exchange:
    """The evaluations of a run through a pool.

    A point goes to the pool unless the log of an earlier session has its result, the same point
    was evaluated before, or a cheap constraint makes that needless. Results of an earlier session
    come back first and in the order in which they once came: points that are sent meanwhile
    wait, and go to the pool when the log is used up.

    Parameters
    ----------
    pool : Pool
    judge : callable
        Called with each new outcome, and whether it is of the first point sent, before anything is
        written down; what it raises ends the run.
    log : EvaluationLog, optional
        Where outcomes are written; read first.
    skipping : Skipping, optional
        The cheap constraints.
    elapsed : float
        Seconds that earlier sessions took.
    """

    def __init__(
        self,
        pool: Pool,
        judge: Callable[[Outcome, bool], None] = lambda outcome, is_first: None,
        log: EvaluationLog | None = None,
        skipping: Skipping | None = None,
        elapsed: float = 0.0,
    ) -> None:
        self.pool = pool
        self.judge = judge
        self.log = log
        self.skipping = skipping
        self.busy = 0.0
        self.n_evaluated = 0
        self._start = time.monotonic() - elapsed
        self._first_sent: float | None = None
        self._last_back = 0.0
        self._out: dict[int, Floats] = {}  # sent, no outcome yet
        self._parked: list[int] = []  # of these, what has not gone to the pool
        self._ready: deque[tuple[int, Outcome]] = deque()
        self._first: int | None = None
        self._line = 0 if log is None else log.n_earlier  # the next to be read

    @property
    def elapsed(self) -> float:
        """Seconds since the run began, over all sessions."""
        return time.monotonic() - self._start

    @property
    def workers_busy(self) -> float | None:
        """Share of the workers' time spent in the function, from the first point to the last."""
        span = self._last_back - (self._first_sent or 0.0)
        if self._first_sent is None or not self.pool.n or span <= 0.0:
            return None
        return min(1.0, self.busy / (self.pool.n * span))

    def send(self, number: int, x: Floats) -> None:
        """Have a point evaluated; numbers never repeat."""
        if self._first is None:
            self._first = number
        self._out[number] = x
        self._parked.append(number)
        if not self.is_replaying:
            self._release()

    def receive(self, until: float = math.inf) -> Entry | None:
        """The next result; None if the clock reaches `until` before. Something must be out."""
        entry = self._from_log()
        if entry is not None:
            return entry
        self._release()
        if self._ready:
            number, outcome = self._ready.popleft()
        else:
            answer = self.pool.next(until)
            if answer is None:
                return None
            number, outcome = answer
            self.busy += outcome.seconds
            self.n_evaluated += 1
            self._last_back = time.monotonic()
            self.judge(outcome, number == self._first)
        entry = Entry(number, self._out.pop(number), outcome, self.elapsed)
        if self.log is not None:
            self.log.append(entry)
            self._line = len(self.log.entries)
        return entry

    def again(self, x: Floats) -> Outcome:
        """One point beside the run, with nothing out: from the log, or evaluated."""
        known = None if self.log is None else self.log.known(x)
        if known is not None:
            return known
        self.pool.submit(-1, x)
        _, outcome = self.pool.next(math.inf)  # type: ignore[misc]
        return outcome

    def counted(self, outcome: Outcome) -> Outcome:
        """What the search sees of an outcome; asked once for each, in the order of telling."""
        return outcome if self.skipping is None else self.skipping.counted(outcome)

    @property
    def is_replaying(self) -> bool:
        """Whether results of an earlier session are still to come."""
        return self.log is not None and self._line < self.log.n_before

    def _from_log(self) -> Entry | None:
        """The next result of an earlier session for a point that is out."""
        while self.is_replaying:
            entry = self.log.entries[self._line]  # type: ignore[union-attr]
            if entry.number not in self._out:
                first = min(self._out)
                if entry.number > max(self._out):
                    raise LogError(
                        f"evaluations: line {self._line} is of point {entry.number}, which this "
                        f"run has not asked for; it waits for point {first}"
                    )
                self._line += 1  # taken before the checkpoint was written
                continue
            x = self._out[entry.number]
            if x.tobytes() != entry.x.tobytes():
                raise LogError(
                    f"evaluations: point {entry.number} was {entry.x} and is now {x}: the file is "
                    "of another run, or of another version of rdex"
                )
            self._line += 1
            self.judge(entry.outcome, False)
            del self._out[entry.number]
            self._parked.remove(entry.number)
            return entry
        return None

    def _release(self) -> None:
        """Parked points go where they are evaluated."""
        for number in self._parked:
            x = self._out[number]
            outcome = self._without_evaluation(x)
            if outcome is not None:
                self._ready.append((number, outcome))
                continue
            if self._first_sent is None:
                self._first_sent = time.monotonic()
            self.pool.submit(number, x)
        self._parked.clear()

    def _without_evaluation(self, x: Floats) -> Outcome | None:
        """The outcome of a point that is known, or that needs no simulator."""
        if self.log is not None:
            known = self.log.known(x)
            if known is not None:
                return known._replace(status=REPEATED, seconds=0.0)
        return None if self.skipping is None else self.skipping.outcome(x)

    def close(self) -> None:
        """Let go of the workers and the file."""
        self.pool.close()
        if self.log is not None:
            self.log.close()
