"""Failed evaluations are repeated here, for every kind of pool, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

from rdex.problem.problem import Floats
from rdex.workers.point_task import DIED, Outcome
from rdex.workers.pool_protocol import Pool


@dataclass
class Attempts:
    """A point that is out: how often and how long it was tried without success."""

    x: Floats
    n: int = 0
    seconds: float = 0.0


class RetryingPool:
    """A pool whose failed evaluations go back to it.

    Parameters
    ----------
    pool : Pool
    retries : int
        How often an evaluation that raised or took too long is repeated.
    after_death : int
        The same for one whose process died.
    """

    def __init__(self, pool: Pool, retries: int, after_death: int) -> None:
        self.pool = pool
        self.n = pool.n
        self._retries = retries
        self._after_death = after_death
        self._out: dict[int, Attempts] = {}
        self._is_closed = False

    def submit(self, number: int, x: Floats) -> None:
        """Have a point evaluated."""
        self._out[number] = Attempts(x)
        self.pool.submit(number, x)

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """The next outcome that counts; its seconds are those of all attempts."""
        while True:
            answer = self.pool.next(until)
            if answer is None:
                return None
            number, outcome = answer
            tried = self._out[number]
            tried.seconds += outcome.seconds
            allowed = self._after_death if outcome.status == DIED else self._retries
            if outcome.error is None or tried.n >= allowed or self._is_closed:
                del self._out[number]
                return number, outcome._replace(seconds=tried.seconds)
            tried.n += 1
            self.pool.submit(number, tried.x)

    def close(self) -> None:
        """Let go of what was started here."""
        self._is_closed = True
        self.pool.close()


def with_retries(pool: Pool, retries: int, after_death: int | None = None) -> Pool:
    """The pool itself where nothing is to be repeated."""
    deaths = retries if after_death is None else after_death
    return RetryingPool(pool, retries, deaths) if retries or deaths else pool
