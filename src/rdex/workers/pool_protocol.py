"""What every pool is."""

from __future__ import annotations

from typing import Protocol

from rdex.problem.problem import Floats
from rdex.workers.point_task import Outcome


class Pool(Protocol):
    """Evaluates points: they go in with a number, their outcomes come out with it, in any order.

    n : how many points it evaluates at a time; None where that is not known.
    """

    n: int | None

    def submit(self, number: int, x: Floats) -> None:
        """Have a point evaluated."""

    def next(self, until: float) -> tuple[int, Outcome] | None:
        """The next outcome that comes back; None if the clock reaches `until` before."""

    def close(self) -> None:
        """Let go of what was started here."""
