"""`Skipping`: points that violate a cheap constraint need no simulator.

A point that violates one is infeasible whatever the simulator would say: its f is unknown (NaN) and
it is ordered by its violation. The constraints of the simulator are unknown there too. They count
with the largest violation seen so far, not with none: with none, a point a hair outside a cheap
constraint would beat every simulated point that violates another one, and the search would settle
on the wrong side of the border.
"""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np

from rdex.common.errors import RunFileError
from rdex.problem.cheap_first import CheapFirst
from rdex.problem.checks import as_floats
from rdex.problem.problem import Floats
from rdex.workers.point_task import OK, RAISED, SKIPPED, Outcome, failed


class Skipping:
    """Decides for a run which points need no simulator, and how those count."""

    def __init__(self, first: CheapFirst) -> None:
        self.first = first
        self.n_skipped = 0
        #: Largest violation seen of each constraint of the simulator; 1 while none is known.
        self.largest = np.full(first.problem.n_constraints, np.nan)

    def outcome(self, x: Floats) -> Outcome | None:
        """The outcome of a point that needs no simulator, unknown values NaN; else None."""
        first, more = self.first, self.first.problem
        try:
            g, h = first.values(x)
        except Exception:  # the constraint failed at this point, as a simulator may
            sizes = first.n_ineq + more.n_ineq, first.n_eq + more.n_eq
            return failed(*sizes, traceback.format_exc(), RAISED)
        if not first.is_violated(g, h):
            return None
        return Outcome(
            np.nan,
            np.concatenate([g, np.full(more.n_ineq, np.nan)]),
            np.concatenate([h, np.full(more.n_eq, np.nan)]),
            status=SKIPPED,
        )

    def counted(self, outcome: Outcome) -> Outcome:
        """The outcome as the search sees it; called once for each, in the order of taking."""
        first = self.first
        m = first.problem.n_ineq
        if outcome.status == SKIPPED:
            self.n_skipped += 1
            known = np.where(np.isnan(self.largest), 1.0, self.largest)
            g = np.concatenate([outcome.g[: first.n_ineq], known[:m]])
            h = np.concatenate([outcome.h[: first.n_eq], known[m:]])
            return outcome._replace(g=g, h=h)
        if outcome.status == OK:
            seen = np.concatenate(
                [np.maximum(outcome.g[first.n_ineq :], 0.0), np.abs(outcome.h[first.n_eq :])]
            )
            self.largest = np.fmax(self.largest, np.where(np.isfinite(seen), seen, np.nan))
        return outcome

    def facts(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {"largest": self.largest.tolist(), "n_skipped": self.n_skipped}

    def restore(self, facts: dict[str, Any]) -> None:
        """Go on as it was."""
        if "largest" in facts:
            largest = as_floats("the largest violations in the checkpoint", facts["largest"])
            if largest.shape != self.largest.shape:
                raise RunFileError("the checkpoint has other numbers of constraints")
            self.largest = largest
            self.n_skipped = int(facts["n_skipped"] or 0)
