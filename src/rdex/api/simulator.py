"""What `minimize` does for simulators: time limits, repetition, a file of evaluations, skipping."""

from __future__ import annotations

import json
import logging
import math
import os
from typing import Any, NamedTuple

import numpy as np

from rdex.api.checkpoint import Checkpoint, describe_run
from rdex.api.task import Task, checked_number
from rdex.engine.anyorder import AnyOrder
from rdex.engine.engine import Engine, Point
from rdex.evaluation.cheap import CheapFirst, Skipping
from rdex.evaluation.gate import Gate
from rdex.evaluation.log import EvaluationLog, LogError, stored_run
from rdex.evaluation.pool import workers_of

log = logging.getLogger("rdex")

#: Workers busy for less than this share of the time get a hint.
HINT_BELOW = 0.5

#: Seconds a run must have lasted for the hint: short ones are mostly the start of processes.
HINT_AFTER = 10.0


class Precautions(NamedTuple):
    """The arguments of `minimize` that simulators need."""

    workers: Any
    on_error: str
    eval_timeout: float | None
    retries: int
    evaluations: str | os.PathLike[str] | None
    is_async: bool
    maxtime: float | None


def check_precautions(eval_timeout: Any, retries: Any, evaluations: Any) -> None:
    """Arguments that need nothing else to be judged."""
    if eval_timeout is not None and not checked_number("eval_timeout", eval_timeout) > 0:
        raise ValueError(f"eval_timeout must be > 0, got {eval_timeout!r}")
    is_whole = isinstance(retries, int | np.integer) and not isinstance(retries, bool)
    if not is_whole or retries < 0:
        raise ValueError(f"retries must be a whole number >= 0, got {retries!r}")
    if evaluations is not None and not isinstance(evaluations, str | os.PathLike):
        raise ValueError(f"evaluations must be a path, got {evaluations!r}")


def points_in_flight(workers: Any, batch: int | None) -> int:
    """How many points are out at a time in asynchronous runs."""
    if not (isinstance(workers, int) or hasattr(workers, "submit")):
        raise ValueError(
            'updating="async" needs workers that take points one by one: a number, an executor or '
            f"a Dask client, got {workers!r}"
        )
    if batch is not None:
        return batch
    n = workers if isinstance(workers, int) else workers_of(workers)
    if n is None:
        raise ValueError('updating="async": give batch=, the number of points that are out at once')
    n = n if n > 0 else (os.cpu_count() or 1)
    # Some more than there are workers: one that is done finds its next point waiting.
    return 1 if n == 1 else n + 1 + n // 8


def stored_seed(path: str | os.PathLike[str] | None) -> np.random.SeedSequence | None:
    """The seed of the run in a file of evaluations, for runs without one of their own."""
    run = None if path is None else stored_run(path)
    if run is None or "entropy" not in run:
        return None
    return np.random.SeedSequence(int(run["entropy"]), spawn_key=tuple(run["spawn_key"]))


def describe_evaluations(task: Task, maxtime: float | None) -> dict[str, Any]:
    """What decides which points a run asks for."""
    facts = {
        **describe_run(task),
        "problem": task.problem.name,
        "rng": task.seed.generate_state(4, np.uint64).tolist(),
        "maxtime": maxtime,
        "entropy": str(task.seed.entropy),
        "spawn_key": list(task.seed.spawn_key),
    }
    described: dict[str, Any] = json.loads(json.dumps(facts))
    return described


def make_gate(task: Task, taken: Precautions, engine: Engine, keeper: Checkpoint | None) -> Gate:
    """The gate of a run, with everything that was asked for."""
    stored = {} if keeper is None else keeper.stored
    problem = task.problem
    first = problem.point or getattr(problem.rows, "__self__", None)
    skipping = None
    if isinstance(first, CheapFirst):
        first.judge_by(task.limits.ineq_tol, task.limits.eq_tol)
        skipping = Skipping(first)
        if "largest" in stored:
            skipping.largest = np.array(stored["largest"], dtype=np.float64)
            skipping.n_skipped = int(stored["n_skipped"])
    evaluation_log = open_log(task, taken, keeper)
    elapsed = float(stored.get("elapsed", 0.0))
    if evaluation_log is not None and evaluation_log.entries:
        elapsed = max(elapsed, evaluation_log.entries[-1].at)
    try:
        gate = Gate(
            problem,
            taken.workers,
            taken.on_error,
            timeout=taken.eval_timeout,
            retries=int(taken.retries),
            log=evaluation_log,
            skipping=skipping,
            elapsed=elapsed,
        )
    except BaseException:
        if evaluation_log is not None:
            evaluation_log.close()
        raise
    if keeper is not None:
        try:
            keeper.check_function(engine, gate.again)
        except BaseException:
            gate.close()
            raise
    return gate


def open_log(task: Task, taken: Precautions, keeper: Checkpoint | None) -> EvaluationLog | None:
    """The evaluations of the run, in a file where there is a path."""
    if taken.evaluations is None:
        return EvaluationLog(task.problem) if taken.is_async else None
    description = describe_evaluations(task, taken.maxtime)
    try:
        return EvaluationLog(task.problem, taken.evaluations, description)
    except LogError:
        before = extended_from(taken.evaluations, description, keeper)
        if before is None:
            raise
    opened = EvaluationLog(task.problem, taken.evaluations, before)
    opened.describe(description)
    return opened


def extended_from(
    path: str | os.PathLike[str], description: dict[str, Any], keeper: Checkpoint | None
) -> dict[str, Any] | None:
    """The description in the file, if its run is the one that the checkpoint continues."""
    if keeper is None or not keeper.continued:
        return None
    stored = stored_run(path, last=True)
    if stored is None:
        return None
    freed = {"maxfev": None, "maxtime": None, "settings": None}
    return stored if {**stored, **freed} == {**description, **freed} else None


def make_flight(engine: Engine, keeper: Checkpoint | None) -> AnyOrder:
    """The points that are out, those of a run from a file included."""
    numbers = None if keeper is None else keeper.stored.get("numbers")
    return AnyOrder(engine, numbers)


def facts_of(gate: Gate, flight: AnyOrder | None, elapsed: float) -> dict[str, Any]:
    """What a checkpoint holds beside the state of the engine."""
    facts: dict[str, Any] = {"elapsed": elapsed}
    if flight is not None:
        facts["numbers"] = flight.numbers_out
    skipping = None if gate.exchange is None else gate.exchange.skipping
    if skipping is not None:
        facts["largest"] = skipping.largest.tolist()
        facts["n_skipped"] = skipping.n_skipped
    return facts


def known_best(gate: Gate, best: Point) -> Point:
    """The best point as it is known: NaN, not what the search counted with, for the constraints of
    a simulator that was skipped there."""
    skipping = None if gate.exchange is None else gate.exchange.skipping
    if skipping is None or not math.isfinite(best.phi):
        return best
    outcome = skipping.outcome(best.x)
    return best if outcome is None else best._replace(g=outcome.g, h=outcome.h)


def result_fields(gate: Gate, keeper: Checkpoint | None, seconds: float) -> dict[str, Any]:
    """What a result says about its evaluations."""
    fields: dict[str, Any] = {}
    exchange = gate.exchange
    if exchange is not None:
        fields["workers_busy"] = busy = exchange.workers_busy
        if exchange.skipping is not None:
            fields["n_skipped"] = exchange.skipping.n_skipped
        if exchange.log is not None:
            fields["evaluation_log"] = exchange.log
        n = exchange.pool.n or 1
        if busy is not None and n > 1 and busy < HINT_BELOW and seconds > HINT_AFTER:
            log.warning(
                "the %d workers were busy %.0f %% of the time: a larger batch=, or "
                'updating="async", keeps more of them busy; evaluations of a few milliseconds '
                "need no workers",
                n,
                100 * busy,
            )
    if keeper is not None and keeper.continued:
        fields["continued"] = keeper.continued
    return fields
