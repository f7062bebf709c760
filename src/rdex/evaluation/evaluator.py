"""`Evaluator`: the way from a search to the user's function, whoever asks and wherever it runs.

Points go in by `submit` and come back by `collect`. Stages with the same two methods add one thing
each: `Judging` notes failures, `Sieve` leaves out points that cheap constraints rule out,
`Remembering` writes and reads the log. The innermost one is a pool: this process, worker processes,
an executor or a cluster.
"""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Protocol

from rdex.common.errors import EvaluationError, LogError
from rdex.evaluation.log import Entry, EvaluationLog
from rdex.evaluation.pace import Pace
from rdex.evaluation.skipping import Skipping
from rdex.problem.problem import Floats
from rdex.workers.point_task import RAISED, REPEATED, Outcome
from rdex.workers.pool_protocol import Pool


class Stage(Protocol):
    """Points in, outcomes out in the order in which they come."""

    def submit(self, id: int, x: Floats) -> None:
        """Have a point evaluated; ids never repeat."""

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """The next outcome; None if the clock reaches `until` before."""


@dataclass
class FailurePolicy:
    """A failure is data: its values are NaN, which every search orders last.

    Two things end a run: an exception in the very first evaluation (a mistake, not bad luck), and
    any failure where the user asked for that. The first failure is kept for the case that nothing
    works at all.
    """

    on_error: str = "penalize"  # or "raise"
    first_error: Exception | None = None
    has_begun: bool = False  # whether an evaluation has come back, in an earlier session too

    def note(self, error: Exception, is_mistake: bool) -> None:
        """Remember a failure, or end the run with it."""
        if self.on_error == "raise" or is_mistake:
            raise error
        self.first_error = self.first_error or error

    def judge(self, outcome: Outcome, is_first: bool) -> None:
        """Note what came of an evaluation; only an exception can be a mistake."""
        if outcome.error is not None:
            raised = outcome.status == RAISED
            what = "the function raised" if raised else "the evaluation failed"
            error = outcome.exception or EvaluationError(f"{what}:\n{outcome.error}")
            self.note(error, is_first and raised)
        self.has_begun = True


class Judging:
    """Notes failures, and how busy the workers are.

    busy: seconds spent in the function. n_back: evaluations that are done.
    """

    def __init__(self, pool: Pool, policy: FailurePolicy) -> None:
        self.pool = pool
        self.policy = policy
        self.busy = 0.0
        self.n_back = 0
        self._first: int | None = None
        self._first_sent: float | None = None
        self._last_back = 0.0

    def submit(self, id: int, x: Floats) -> None:
        """To the pool."""
        if self._first_sent is None:
            self._first_sent = time.monotonic()
            self._first = None if self.policy.has_begun else id
        self.pool.submit(id, x)

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """From the pool; what the policy raises ends the run."""
        answer = self.pool.next(until)
        if answer is None:
            return None
        id, outcome = answer
        self.busy += outcome.seconds
        self.n_back += 1
        self._last_back = time.monotonic()
        self.policy.judge(outcome, id == self._first)
        return id, outcome

    @property
    def share_busy(self) -> float | None:
        """Share of the workers' time spent in the function, from the first point to the last."""
        span = self._last_back - (self._first_sent or 0.0)
        if self._first_sent is None or not self.pool.n or span <= 0.0:
            return None
        return min(1.0, self.busy / (self.pool.n * span))


class Sieve:
    """Leaves out points that a cheap constraint rules out."""

    def __init__(self, inner: Stage, skipping: Skipping, policy: FailurePolicy) -> None:
        self.inner = inner
        self.skipping = skipping
        self.policy = policy
        self._ready: deque[tuple[int, Outcome]] = deque()

    def submit(self, id: int, x: Floats) -> None:
        """On, unless a cheap constraint is violated."""
        outcome = self.skipping.outcome(x)
        if outcome is None:
            self.inner.submit(id, x)
            return
        self.policy.judge(outcome, not self.policy.has_begun)
        self._ready.append((id, outcome))

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """What was left out comes first."""
        return self._ready.popleft() if self._ready else self.inner.next(until)


class Remembering:
    """Writes every outcome to a log, and takes from it what is known.

    Results of an earlier session come back first and in the order in which they once came: points
    that are submitted meanwhile wait, and go on when the log is used up. A point that was evaluated
    before is not evaluated again.
    """

    def __init__(
        self, inner: Stage, log: EvaluationLog, policy: FailurePolicy, n_told: int
    ) -> None:
        self.inner = inner
        self.log = log
        self.policy = policy
        self._n_asked = n_told  # points so far, those told before a checkpoint included
        self.replayed: Entry | None = None  # the entry behind the latest outcome, if it was read
        self._out: dict[int, Floats] = {}  # submitted, no outcome yet
        self._parked: list[int] = []  # of these, what has not gone on
        self._ready: deque[tuple[int, Outcome]] = deque()
        self._line = log.n_earlier  # the next to be read

    @property
    def is_replaying(self) -> bool:
        """Whether results of an earlier session are still to come."""
        return self._line < self.log.n_before

    def submit(self, id: int, x: Floats) -> None:
        """Wait for the log, or go on."""
        self._n_asked += 1
        self._out[id] = x
        self._parked.append(id)
        if not self.is_replaying:
            self._release()

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """From the log, known, or evaluated."""
        self.replayed = self._read()
        if self.replayed is not None:
            return self.replayed.number, self.replayed.outcome
        self._release()
        answer = self._ready.popleft() if self._ready else self.inner.next(until)
        if answer is not None:
            del self._out[answer[0]]
        return answer

    def write(self, entry: Entry) -> None:
        """One more line."""
        self.log.append(entry)
        self._line = len(self.log.entries)

    def _read(self) -> Entry | None:
        """The next result of an earlier session for a point that is out."""
        while self.is_replaying:
            entry = self.log.entries[self._line]
            if entry.number not in self._out:
                if entry.number >= self._n_asked:
                    raise LogError(
                        f"evaluations: line {self._line} is of point {entry.number}, which this "
                        f"run has not asked for; it waits for point {min(self._out)}"
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
            self.policy.judge(entry.outcome, False)
            del self._out[entry.number]
            self._parked.remove(entry.number)
            return entry
        return None

    def _release(self) -> None:
        """Parked points go on, unless they are known."""
        for id in self._parked:
            known = self.log.known(self._out[id])
            if known is None:
                self.inner.submit(id, self._out[id])
            else:
                self._ready.append((id, known._replace(status=REPEATED, seconds=0.0)))
        self._parked.clear()


class Evaluator:
    """The evaluations of a run.

    Parameters
    ----------
    pool : Pool
        Where evaluations happen.
    policy : FailurePolicy
    log : EvaluationLog, optional
        Where outcomes are written; read first.
    skipping : Skipping, optional
        The cheap constraints.
    elapsed : float
        Seconds that earlier sessions took.
    n_told : int
        Results that the search has from a checkpoint.
    pace : Pace
        Whether results are used in batches; by default they are.
    """

    def __init__(
        self,
        pool: Pool,
        policy: FailurePolicy,
        log: EvaluationLog | None = None,
        skipping: Skipping | None = None,
        elapsed: float = 0.0,
        n_told: int = 0,
        pace: Pace | None = None,
    ) -> None:
        self.pool = pool
        self.policy = policy
        self.log = log
        self.skipping = skipping
        self.pace = pace or Pace()
        self.judging = Judging(pool, policy)
        self._stage: Stage = self.judging
        if skipping is not None:
            self._stage = Sieve(self.judging, skipping, policy)
        self._memory: Remembering | None = None
        if log is not None:
            self._stage = self._memory = Remembering(self._stage, log, policy, n_told)
        self._start = time.monotonic() - elapsed
        self._out: dict[int, Floats] = {}

    @property
    def n_out(self) -> int:
        """Points submitted whose outcomes have not come back."""
        return len(self._out)

    @property
    def elapsed(self) -> float:
        """Seconds since the run began, over all sessions."""
        return time.monotonic() - self._start

    @property
    def is_replaying(self) -> bool:
        """Whether results of an earlier session are still to come: they cost no time now."""
        return self._memory is not None and self._memory.is_replaying

    def submit(self, id: int, x: Floats) -> None:
        """Have a point evaluated; ids never repeat."""
        self._out[id] = x
        self._stage.submit(id, x)

    def collect(self, until: float = math.inf) -> list[Entry] | None:
        """The results of all points that are out, or the next one where they are used as they come;
        None if the clock reaches `until` before."""
        entries: list[Entry] = []
        for _ in range(self.n_out if self.pace.waits else 1):
            entry = self.next(until)
            if entry is None:
                return None
            entries.append(entry)
        self.pace.note(entries)
        return entries

    def next(self, until: float = math.inf) -> Entry | None:
        """The next result; None if the clock reaches `until` before. Something must be out."""
        answer = self._stage.next(until)
        if answer is None:
            return None
        id, outcome = answer
        x = self._out.pop(id)
        if self._memory is not None and self._memory.replayed is not None:
            return self._memory.replayed
        entry = Entry(id, x, outcome, self.elapsed)
        if self._memory is not None:
            self._memory.write(entry)
        return entry

    def counted(self, outcome: Outcome) -> Outcome:
        """What the search sees of an outcome; asked once for each, in the order of telling."""
        return outcome if self.skipping is None else self.skipping.counted(outcome)

    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        learnt = {} if self.skipping is None else self.skipping.facts()
        return self.pace.facts() | learnt

    def again(self, x: Floats) -> Outcome:
        """One point beside the run, with nothing out; nothing is counted or written down."""
        self.pool.submit(-1, x)
        _, outcome = self.pool.next(math.inf)  # type: ignore[misc]
        return outcome

    def close(self) -> None:
        """Let go of the workers and the file."""
        self.pool.close()
        if self.log is not None:
            self.log.close()
