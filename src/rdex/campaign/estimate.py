"""How long a plan will take: from runs that are stored, or from short trials of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from rdex.campaign.algorithms import CountedRun
from rdex.campaign.plan import Plan
from rdex.campaign.running import RunTask
from rdex.store import RunKey, Store, StoreError, load

#: Evaluations of a trial.
TRIAL = 3000


@dataclass(frozen=True)
class PlanEstimate:
    """Seconds of one core for the runs that are left; `unknown` algorithms are not in it."""

    core_seconds: float
    unknown: tuple[str, ...]


def estimate(plan: Plan, left: list[RunKey], store: Store, data: str | None = None) -> PlanEstimate:
    """Time for the runs `left`, without making any of them.

    The engine's algorithms are timed on each problem for a few thousand evaluations; for others,
    whose code a mere estimate should not start, stored runs of theirs must say it.
    """
    known = stored_times(store)
    total = 0.0
    unknown = set()
    for key in left:
        kind = (key.algorithm, key.problem_id)
        if kind not in known:
            algorithm = plan.algorithm(key.algorithm)
            if isinstance(algorithm.run, CountedRun):
                unknown.add(key.algorithm)
                continue
            known[kind] = trial_time(RunTask(key, algorithm, data))
        total += known[kind]
    return PlanEstimate(total, tuple(sorted(unknown)))


def stored_times(store: Store) -> dict[tuple[str, str], float]:
    """Median seconds of the stored runs by algorithm and problem."""
    try:
        table = load(store.folder).table
    except (StoreError, ValueError):
        return {}
    medians = table.groupby(["algorithm", "problem_id"]).wall_time.median()
    return {kind: float(value) for kind, value in medians.items()}


def trial_time(task: RunTask) -> float:
    """Seconds of a run, from a short one."""
    key = task.key
    problem = task.problem()
    short = min(TRIAL, key.maxfev)
    task.algorithm.run.prepare(problem)
    clock = perf_counter()
    task.algorithm.run(problem, short, key.seed(), 1)
    return (perf_counter() - clock) * key.maxfev / short
