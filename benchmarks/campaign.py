"""What a campaign costs beside its runs: scheduling, recording, storing, starting.

Runs RDEx-CSOP on problems of CEC 2017 at D = 30 with the competition's budget, a few runs each,
on the processes of this machine, and compares the time of the workers with the time inside the
runs. For the 28 x 25 runs of the competition, the share outside must stay below 5 %. Once for every
number of workers: how much faster more of them are.

    python benchmarks/campaign.py [--problems 1-28] [--runs 8] [--workers 1 2]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rdex.campaign
import rdex.store
from rdex.campaign.plan import Plan
from rdex.campaign.running import RunTask, execute, warm
from rdex.store import Store
from rdex.store.schema import encode_run, read_row

LIMIT = 0.05
COMPETITION = 28 * 25


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", default="1,4,7,10,13,16,19,22,25,28")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--maxfev", default="20000D")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, os.cpu_count() or 1])
    options = parser.parse_args()
    plan = Plan.of(problems=options.problems, runs=options.runs, maxfev=options.maxfev)
    tasks = [RunTask(key, plan.algorithm(key.algorithm)) for key in plan.keys()]
    began = time.perf_counter()
    warm(tasks)
    print(f"kernels ready in {time.perf_counter() - began:.1f} s")
    steps(tasks[0])
    seconds = {}
    for workers in options.workers:
        with tempfile.TemporaryDirectory() as folder:
            seconds[workers] = whole_campaign(plan, Path(folder), workers)
        faster = seconds[options.workers[0]] / seconds[workers]
        print(f"{workers} workers are {faster:.2f} times as fast as {options.workers[0]}\n")


def steps(task: RunTask) -> None:
    """Time of the steps around one run."""
    result = execute(task)
    assert result.content is not None
    with tempfile.TemporaryDirectory() as name:
        store = Store(name)
        path = store.path(task.key)
        writing = clocked(lambda: store.write(task.key, result.content or b""))
        reading = clocked(lambda: read_row(path))
        run = stored_again(task)
        encoding = clocked(lambda: encode_run(run))
    print(
        f"one run: {result.wall_time * 1e3:.0f} ms; its file of {len(result.content)} bytes: "
        f"encode {encoding * 1e3:.1f} ms, write {writing * 1e3:.1f} ms, "
        f"check {reading * 1e3:.1f} ms"
    )


def stored_again(task: RunTask) -> rdex.store.StoredRun:
    """A run as the encoder sees it."""
    from rdex.campaign.running import find_problem

    key = task.key
    problem = find_problem(key.problem_id, None)
    record = task.algorithm.run(problem, 30000, key.seed(), key.checkpoints)
    return rdex.store.StoredRun(
        key, record, problem.n_constraints, settings=task.algorithm.settings
    )


def clocked(action: Callable[[], Any], times: int = 20) -> float:
    """Mean seconds of an action."""
    began = time.perf_counter()
    for _ in range(times):
        action()
    return (time.perf_counter() - began) / times


def whole_campaign(plan: Plan, folder: Path, workers: int) -> float:
    """Time of a campaign against the time inside its runs; seconds of the competition's runs."""
    began = time.time()
    outcome = rdex.campaign.run(folder, plan, workers=workers)
    ended = time.time()
    table = rdex.store.load(folder).table
    starts = np.sort([moment.timestamp() for moment in table.started])
    inside = table.wall_time.to_numpy()
    # All workers are up at `first`; the last run is given out at `last`.
    first, last = starts[workers - 1], starts[-1]
    begins = np.array([moment.timestamp() for moment in table.started])
    within = np.clip(begins + inside, first, last) - np.clip(begins, first, last)
    share = 1.0 - within.sum() / (workers * (last - first))
    mean = inside.mean()
    print(
        f"{outcome.computed} runs on {workers} workers in {ended - began:.1f} s: all workers up "
        f"after {first - began:.1f} s, last run given out {ended - last:.1f} s before the end; "
        f"a run takes {mean:.3f} s"
    )
    print(f"between runs (scheduling, recording, storing): {100 * share:.2f} %")
    full = COMPETITION * mean / workers / (1.0 - share) + (first - began) + mean
    outside = 1.0 - COMPETITION * mean / workers / full
    print(
        f"so {COMPETITION} runs take {full:.0f} s, {100 * outside:.2f} % of it outside of runs, "
        f"start and end included (limit {100 * LIMIT:.0f} %)"
    )
    clock = time.perf_counter()
    rdex.store.load(folder)
    print(f"load: {(time.perf_counter() - clock) * 1e3:.0f} ms for {len(table)} runs")
    if outside > LIMIT:
        raise SystemExit(f"{100 * outside:.1f} % is above the limit")
    return full


if __name__ == "__main__":
    main()
