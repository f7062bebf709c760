"""What a failed evaluation means for a run."""

from __future__ import annotations

from dataclasses import dataclass

from rdex.common.errors import EvaluationError
from rdex.workers.point_task import RAISED, Outcome


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
