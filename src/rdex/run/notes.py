"""What a result says about how far to trust it, and what to try next."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rdex.run.constraint_state import NOTHING
from rdex.run.status import Status
from rdex.strategies.registry import EVOLUTION, LOCAL

if TYPE_CHECKING:
    from rdex.run.result import Result
    from rdex.run.spec import RunSpec

#: An equality that uses more than this share of its tolerance leans on it.
LEANS = 0.99

#: The last part of the evaluations, and the relative gain in it that counts as progress.
LAST_SHARE = 0.1
STILL_GAINING = 1e-3

#: Share of the whole descent below which f is all but 0.
NEGLIGIBLE = 1e-6

#: Share of failed evaluations from which on a search can hardly work.
FAILING = 0.5

#: A population this wide, as a share of the range of a variable, has not converged.
WIDE = 0.01


def notes_of(result: Result, spec: RunSpec) -> list[str]:
    """Sentences on a finished run; none where nothing is worth saying."""
    if not math.isfinite(result.cv) or not result.nfev:
        return []
    notes = [] if result.get("polished") else [*of_progress(result, spec)]
    notes += of_tolerances(result) if result.feasible else of_rounding(result)
    return notes + of_failures(result)


def of_progress(result: Result, spec: RunSpec) -> list[str]:
    """Whether the search got anywhere, and whether it had finished."""
    if result.status == Status.TARGET:
        return []
    if spec.strategy != LOCAL and is_initial(result, spec):
        n = min(spec.n_drawn, result.nfev)
        which = "initial points" if spec.start.points is not None else "random initial points"
        after = "nothing better was found after them" if result.nfev > n else "the run ended there"
        return [
            f"x is one of the {n} {which}: {after}. Try more evaluations (maxfev), a good starting "
            "point (x0) or another algorithm."
        ]
    if not result.feasible:
        return []
    before = value_before(result)
    if is_gain(result, before):
        return [
            f"x is probably not a local optimum: f still fell from {before:.4g} to "
            f"{result.fun:.4g} in the last tenth of the evaluations. Try more evaluations (maxfev)."
        ]
    if spec.strategy == EVOLUTION and not result.n_restarts and is_wide(result):
        return [
            "x is probably not a local optimum: the population has not converged. Try more "
            "evaluations (maxfev) or another algorithm."
        ]
    return []


def is_initial(result: Result, spec: RunSpec) -> bool:
    """Whether the best point is as good as the best initial one: then it is one of them."""
    history = result.history
    row = int(np.searchsorted(history.nfev, spec.n_drawn, side="right")) - 1
    if row < 0:
        return False
    return bool(history.f[row] == history.f[-1] and history.cv[row] == history.cv[-1])


def value_before(result: Result) -> float:
    """f of the best feasible point before the last part of the evaluations; NaN: none was known."""
    history = result.history
    row = int(np.searchsorted(history.nfev, (1.0 - LAST_SHARE) * result.nfev, side="right")) - 1
    return float(history.f[row]) if row >= 0 and history.cv[row] == 0 else math.nan


@np.errstate(over="ignore")
def is_gain(result: Result, before: float) -> bool:
    """Whether f has fallen noticeably since, relative to its size.

    Where f is all but 0, a millionth of the whole descent takes the place of its size.
    """
    feasible = result.history.f[result.history.cv == 0]
    if math.isnan(before) or not len(feasible):
        return False
    size = max(abs(result.fun), NEGLIGIBLE * float(feasible[0] - result.fun))
    return before - result.fun > STILL_GAINING * size


def is_wide(result: Result) -> bool:
    """Whether the population is spread over a noticeable part of the box."""
    width = np.asarray(result.upper, dtype=float) - np.asarray(result.lower, dtype=float)
    members = np.asarray(result.population, dtype=float)
    if len(members) < 2:
        return False
    return bool((members.std(axis=0) > WIDE * width).any())


def of_tolerances(result: Result) -> list[str]:
    """Equalities that hold only thanks to their tolerance."""
    leaning = [
        state
        for state in result.violations
        if state.kind == "=" and state.tolerance > 0 and state.tolerance_used > LEANS
    ]
    if not leaning:
        return []
    names = ", ".join(state.name for state in leaning[:5])
    more = f" and {len(leaning) - 5} more" if len(leaning) > 5 else ""
    word = "uses" if len(leaning) == 1 else "use"
    return [
        f"{names}{more} {word} all of the tolerance eq_tol, which makes f look better than it is "
        "where the equality holds exactly. Try a smaller eq_tol."
    ]


def of_rounding(result: Result) -> list[str]:
    """Whether the point violates inequalities only, and by no more than rounding."""
    violated = [state for state in result.violations if not state.satisfied]
    if any(state.kind == "=" for state in violated):
        return []
    largest = max((state.violation for state in violated), default=math.inf)
    if not largest <= NOTHING * min((state.usual_size for state in violated), default=1.0):
        return []
    return [
        f"The largest violation is {largest:.2g}, which is rounding. If constraints leave no room "
        f"between them, allow it: ineq_tol={10.0 ** math.ceil(math.log10(largest)):.0e}."
    ]


def of_failures(result: Result) -> list[str]:
    """Whether most evaluations told the search nothing."""
    if result.n_failed < FAILING * result.nfev:
        return []
    return [
        f"{result.n_failed} of {result.nfev} evaluations failed (an exception, a value that is not "
        "finite or a wrong number of values). Try evaluations='e.csv', which keeps every message."
    ]
