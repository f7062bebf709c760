"""`run`: carry out a plan into a store, or what is left of it."""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from rdex.campaign.plan import Plan, only_of, shard_of
from rdex.campaign.pools import DaskPool, LocalPool, Lost, PoolError, RunPool
from rdex.campaign.running import FinishedRun, RunTask, versions, warm
from rdex.common.errors import RdexError
from rdex.store import RunKey, Store

#: How often a run is begun again whose worker died, before it counts as failed.
MOST_LOSSES = 3

#: Seconds between two looks at a pool in which nothing ends.
TICK = 0.25


class CampaignError(RdexError, RuntimeError):
    """A campaign cannot go on; finished runs are stored."""


@dataclass
class CampaignProgress:
    """Where a campaign stands.

    `total` runs are asked for; `stored` of them were there before, `computed` are new, `failed`
    ended with an exception now, `skipped` did so earlier; `running` are being made.
    """

    total: int
    stored: int = 0
    computed: int = 0
    failed: int = 0
    skipped: int = 0
    running: int = 0
    run_seconds: float = 0.0
    dashboard: str | None = None
    begun: float = field(default_factory=monotonic)

    @property
    def seconds(self) -> float:
        """Since the first run was given out."""
        return monotonic() - self.begun

    @property
    def ended(self) -> int:
        """Runs of this session that are over."""
        return self.computed + self.failed

    @property
    def left(self) -> int:
        """Runs that are not over."""
        return self.total - self.stored - self.skipped - self.ended

    @property
    def per_minute(self) -> float:
        """Runs a minute."""
        return 60.0 * self.ended / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """An estimate from the runs that have ended: they are a random sample of all."""
        return self.left * self.seconds / self.ended if self.ended else None


@dataclass(frozen=True)
class CampaignOutcome:
    """What a session did.

    `total` runs were asked for; `stored` were there, `computed` are new, `failed` ended with an
    exception now, `skipped` in an earlier session. `run_seconds` is the time inside the runs.
    """

    total: int
    stored: int
    computed: int
    failed: int
    skipped: int
    seconds: float
    run_seconds: float


#: Called with the progress, and with the run that has ended and its error ("" for none), if one
#: has.
OnProgress = Callable[[CampaignProgress, RunKey | None, str], None]


def run(
    out: str | os.PathLike[str],
    plan: Plan | None = None,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    cluster: str | None = None,
    shard: str | None = None,
    only: Sequence[str] = (),
    retry_failed: bool = False,
    extend: bool = False,
    replace: Sequence[str] = (),
    data: str | os.PathLike[str] | None = None,
    on_progress: OnProgress | None = None,
    **words: Any,
) -> CampaignOutcome:
    """Make all runs of a plan that the folder `out` does not hold yet.

    Results do not depend on the number of workers, on Dask, nor on how often it was interrupted.

    Parameters
    ----------
    out : path
        Folder of the store.
    plan : Plan, optional
        Otherwise the further keywords, which are those of `Plan.of`, make one.
    workers : int
        Processes of this machine; -1: one per core.
    scheduler : str, optional
        Address of a Dask scheduler, whose workers are used instead.
    cluster : str, optional
        ``"local:N"``: a Dask cluster of N workers on this machine.
    shard : str, optional
        ``"I/N"``: only part I of N.
    only : sequence of str
        Only the runs ``ALGORITHM:PROBLEM:RUN``.
    retry_failed : bool
        Make runs again that ended with an exception earlier.
    extend : bool
        Let a plan with more algorithms, problems or runs take the place of the folder's.
    replace : sequence of str
        Algorithms whose stored runs are set aside and made again. An algorithm that has changed
        and has no stored run needs no such word.
    data : path, optional
        Folder or zip of the official data of cec2017.
    on_progress : callable, optional
        Called when a run has ended, and a few times a second.

    Raises
    ------
    rdex.store.PlanDifference
        Where the folder holds another campaign.
    rdex.store.StoreError
        Where it cannot be written: a full disk, no permission.
    CampaignError
        Where the cluster is gone.

    Examples
    --------
    >>> import rdex.campaign
    >>> rdex.campaign.run("results", algorithms=["rdex-csop", "cl-srde"], suite="g2006",
    ...                   runs=5, maxfev=20000, workers=2)                    # doctest: +SKIP
    """
    if plan is None:
        plan = Plan.of(**words)
    elif words:
        raise ValueError(f"give a plan or its words, not both: {sorted(words)[0]!r}")
    keys = only_of(shard_of(plan.keys(), shard), only)
    store = Store(out)
    store.open(plan.facts(), versions(), extend, replace)
    store.keep_sources(each.source for each in plan.algorithms if each.source)
    place = None if data is None else os.fspath(data)
    done = store.check(plan.keys())
    left = [key for key in keys if key not in done]
    failed = [key for key in left if store.has_failed(key)] if not retry_failed else []
    progress = CampaignProgress(len(keys), stored=len(keys) - len(left), skipped=len(failed))
    tasks = [
        RunTask(key, plan.algorithm(key.algorithm), place, plan.files.get(key.problem_id))
        for key in left
        if key not in failed
    ]
    if tasks:
        pool = make_pool(workers, scheduler, cluster, tasks)
        try:
            carry_out(tasks, store, pool, progress, on_progress or _ignore)
        except PoolError as error:
            raise CampaignError(
                f"{error}. All finished runs are stored; the same command goes on"
            ) from error
        finally:
            pool.close()
    return CampaignOutcome(
        progress.total, progress.stored, progress.computed, progress.failed, progress.skipped,
        progress.seconds, progress.run_seconds,
    )  # fmt: skip


def _ignore(_progress: CampaignProgress, _key: RunKey | None, _error: str) -> None:
    return None


def make_pool(
    workers: int, scheduler: str | None, cluster: str | None, tasks: list[RunTask]
) -> LocalPool | DaskPool:
    """The pool asked for; for workers of this machine all kernels are compiled first."""
    if scheduler is not None and cluster is not None:
        raise ValueError("give scheduler or cluster, not both")
    if scheduler is None:
        warm(tasks)
    if scheduler is not None or cluster is not None:
        try:
            return DaskPool(scheduler, cluster)
        except PoolError as error:
            raise CampaignError(str(error)) from error
    if workers == -1:
        workers = os.cpu_count() or 1
    if workers < 1:
        raise ValueError(f"workers must be >= 1, or -1 for one per core, got {workers}")
    return LocalPool(min(workers, len(tasks)))


def carry_out(
    tasks: list[RunTask],
    store: Store,
    pool: RunPool,
    progress: CampaignProgress,
    on_progress: OnProgress,
) -> None:
    """Give tasks to the pool and put what comes back into the store, until none is left.

    The order is random: what has ended is then a fair sample of all, from which the time left is
    estimated, and two processes on one folder seldom take the same run. It has no influence on
    results.
    """
    random.shuffle(tasks)
    waiting = deque(tasks)
    losses: dict[RunKey, int] = {}
    progress.begun = monotonic()
    progress.dashboard = getattr(pool, "dashboard", None)
    while waiting or pool.held:
        while waiting and pool.room(waiting[0].key in losses):
            task = waiting.popleft()
            if store.has(task.key):  # another process has made it meanwhile
                progress.stored += 1
            else:
                pool.submit(task, task.key in losses)
        progress.running = pool.running
        on_progress(progress, None, "")
        ended = pool.next(TICK) if pool.held else None
        if ended is None:
            continue
        task, result = ended
        if isinstance(result, Lost):
            losses[task.key] = losses.get(task.key, 0) + 1
            if losses[task.key] < MOST_LOSSES:
                waiting.append(task)
                continue
            result = FinishedRun(None, 0.0, f"the worker died {MOST_LOSSES} times: {result.reason}")
        progress.run_seconds += result.wall_time
        keep(store, task.key, result, progress)
        progress.running = pool.running
        on_progress(progress, task.key, result.error)


def keep(store: Store, key: RunKey, result: FinishedRun, progress: CampaignProgress) -> None:
    """Put a result into the store, a failure too."""
    if result.error or result.content is None:
        store.write_failure(key, result.error, result.traceback, result.content)
        progress.failed += 1
    else:
        store.write(key, result.content)
        progress.computed += 1
