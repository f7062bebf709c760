"""`Pace`: whether a run waits for a whole batch, or uses results as they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rdex.common.errors import RunFileError
from rdex.evaluation.log import Entry
from rdex.workers.point_task import OK

#: Seconds per evaluation from which on waiting for the slowest of a batch costs more than it gives.
SLOW = 1e-3

#: Evaluations per point out whose times decide.
MEASURED = 2


class Pace:
    """How results are used: in batches ("deferred") or as they come ("async").

    Parameters
    ----------
    in_flight : int or None
        Points out at a time where results are used as they come; None: always in batches.
    is_measured : bool
        Begin in batches; leave them if the first evaluations turn out to be slow. Their times are
        those of the results, which files keep, so a run that goes on decides the same.
    """

    def __init__(self, in_flight: int | None = None, is_measured: bool = False) -> None:
        self._wanted = MEASURED * in_flight if in_flight is not None and is_measured else 0
        self._seconds: list[float] = []
        self.waits = in_flight is None or is_measured

    @property
    def updating(self) -> str:
        """The word for `updating` in `minimize`."""
        return "deferred" if self.waits else "async"

    def note(self, entries: Sequence[Entry]) -> None:
        """Results that came back; the first ones decide."""
        if len(self._seconds) >= self._wanted:
            return
        self._seconds += [each.outcome.seconds for each in entries if each.outcome.status == OK]
        if len(self._seconds) >= self._wanted:
            import statistics  # 2 ms, for runs with workers only

            self.waits = statistics.median(self._seconds) < SLOW

    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"first seconds": self._seconds, "waits": self.waits} if self._wanted else {}

    def restore(self, facts: dict[str, Any]) -> None:
        """Go on as it was."""
        if not self._wanted or "waits" not in facts:
            return
        seconds, waits = facts.get("first seconds"), facts["waits"]
        is_known = isinstance(seconds, list) and all(isinstance(each, float) for each in seconds)
        if seconds is None or not is_known or not isinstance(waits, bool):
            raise RunFileError("the saved run has no times of its first evaluations")
        self._seconds, self.waits = seconds, waits
