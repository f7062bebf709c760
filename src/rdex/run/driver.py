"""`Driver`: one loop for every strategy, and three fast ones for a plain differential evolution.

The loop asks, submits, collects and tells. Results are told in the order of asking, a batch at a
time, or as they come back. The fast paths do the same with less Python per evaluation; what they
buy is measured by `benchmarks/minimize.py`:

- compiled problems run without returning to Python, some 100 times as fast,
- a Python function of one point costs 1.5 µs per evaluation beside the function, instead of 40,
- a function of rows costs a few µs per batch.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rdex.common.errors import LogError
from rdex.engine.engine import LARGEST_BATCH, Engine, method_of, next_slice
from rdex.evaluation.evaluator import Evaluator, FailurePolicy
from rdex.evaluation.log import EvaluationLog, stored_run
from rdex.evaluation.pace import Pace
from rdex.evaluation.skipping import Skipping
from rdex.jit.loading import prepare
from rdex.problem.cheap_first import CheapFirst
from rdex.problem.functions import OneFunction, SeparateFunctions, VectorisedFunctions
from rdex.problem.problem import Floats, Problem
from rdex.run.arguments import RunOptions
from rdex.run.checkpoint import Checkpoint, known_best, same_values
from rdex.run.searching import EngineSearching, make_searching
from rdex.run.spec import FREE_IN_LOGS, RunSpec, differences
from rdex.run.status import Status
from rdex.run.watch import PAUSE, Watch, raise_again, signals_end_the_run
from rdex.strategies.archive import Sample
from rdex.workers.in_process import InProcessPool
from rdex.workers.point_task import OK, Outcome, task_of
from rdex.workers.retrying_pool import with_retries

log = logging.getLogger("rdex")


class Driver:
    """A run from its beginning, or from a file, to its end.

    Parameters
    ----------
    spec : RunSpec
        What decides the results.
    options : RunOptions
        How it is carried out.
    """

    def __init__(self, spec: RunSpec, options: RunOptions) -> None:
        self.spec = spec
        self.options = options
        self._next_id = spec.maxfev  # of points beside the search
        self.notes: list[str] = []  # what the result says of the files that were read
        self.searching = make_searching(spec)
        has_begun = self.searching.standing.nfev > 0
        self.policy = FailurePolicy(options.on_error, has_begun=has_begun)
        self.direct = Direct(spec.problem, self.policy)  # for the fast paths
        self.keeper: Checkpoint | None = None
        self.evaluator: Evaluator | None = None
        try:
            self.watch = self._prepared()
        except BaseException:
            self.close()
            raise
        self.watch.facts = self._facts
        if self.evaluator is not None:
            evaluator = self.evaluator
            self.watch.is_replaying = lambda: evaluator.is_replaying

    def _prepared(self) -> Watch:
        """Files read and opened, workers there: nothing is left but to run."""
        options = self.options
        if options.checkpoint is not None:
            self.keeper = Checkpoint(options.checkpoint, self.spec)
            self.keeper.begin(self.searching)
            if self.keeper.has_restored:
                nfev = self.searching.standing.nfev
                self.policy.has_begun = nfev > 0
                self.notes.append(f"went on from {self.keeper.path} at {nfev} evaluations")
                log.warning("%s", self.notes[-1])
        stored = {} if self.keeper is None else self.keeper.stored
        self.evaluator = self._make_evaluator(stored)
        elapsed = float(stored.get("elapsed", 0.0))
        if self.evaluator is not None:
            elapsed = self.evaluator.elapsed
        self._check_function()
        self._prepare_kernels()
        return Watch(
            self.searching,
            options,
            self.policy,
            self.keeper,
            elapsed,
            follows_clock=self.evaluator is None,
        )

    # --- how points are evaluated ---------------------------------------------------------------
    def _make_evaluator(self, stored: dict[str, Any]) -> Evaluator | None:
        """The evaluator; None where a fast path does without."""
        skipping = self._make_skipping(stored)
        is_fast = isinstance(self.searching, EngineSearching) and not self._keeps_points
        if is_fast and self.options.is_plain and skipping is None:
            return None
        pace = Pace(self.spec.in_flight, self.spec.is_measured)
        pace.restore(stored)
        options, problem = self.options, self.spec.problem
        evaluation_log = self._open_log()
        elapsed = float(stored.get("elapsed", 0.0))
        if evaluation_log is not None and evaluation_log.entries:
            elapsed = max(elapsed, evaluation_log.entries[-1].at)
        try:
            is_here = isinstance(options.workers, int) and options.workers == 1
            if is_here and options.eval_timeout is None:
                pool: Any = with_retries(InProcessPool(problem), int(options.retries))
            else:
                from rdex.workers.pool import make_pool  # most runs have no workers

                pool = make_pool(
                    task_of(problem), options.workers, options.eval_timeout, int(options.retries)
                )
        except BaseException:
            if evaluation_log is not None:
                evaluation_log.close()
            raise
        n_told = self.searching.standing.nfev
        return Evaluator(pool, self.policy, evaluation_log, skipping, elapsed, n_told, pace)

    def _make_skipping(self, stored: dict[str, Any]) -> Skipping | None:
        """The cheap constraints, as far as they have learnt."""
        problem = self.spec.problem
        first = problem.point or getattr(problem.rows, "__self__", None)
        if not isinstance(first, CheapFirst):
            return None
        first.judge_by(self.spec.limits.ineq_tol, self.spec.limits.eq_tol)
        skipping = Skipping(first)
        skipping.restore(stored)
        return skipping

    @property
    def _keeps_points(self) -> bool:
        """Whether every evaluation is kept in memory where there is no file."""
        return self.spec.in_flight is not None or self.spec.wants_any_feasible

    def _open_log(self) -> EvaluationLog | None:
        """The evaluations of the run, in a file where there is a path."""
        path, problem = self.options.evaluations, self.spec.problem
        if path is None:
            return EvaluationLog(problem) if self._keeps_points else None
        description = self.spec.description()
        stored = stored_run(path, last=True) or description
        free: tuple[str, ...] = FREE_IN_LOGS
        if self.keeper is not None and self.keeper.continued:
            free = (*free, "maxfev", "maxtime", "settings")
        goes_on = not differences(stored, description, free)
        opened = EvaluationLog(problem, path, stored if goes_on else description)
        if goes_on and differences(stored, description, FREE_IN_LOGS):
            opened.describe(description)
        if opened.entries:
            self.notes.append(f"{len(opened.entries)} evaluations read from {opened.path}")
            log.warning("%s", self.notes[-1])
        return opened

    def _check_function(self) -> None:
        """The function must give the stored values at a stored point."""
        if self.keeper is not None and self.keeper.has_restored:
            best = known_best(self.searching)
            if best is not None:
                self.keeper.check_function(self.searching, self._again(best.x))
        if self.evaluator is not None and self.evaluator.log is not None:
            self._check_log(self.evaluator.log)

    def _check_log(self, evaluation_log: EvaluationLog) -> None:
        """One stored evaluation must give the same values now."""
        if self.keeper is not None and self.keeper.has_restored:
            return  # checked by the checkpoint
        ok = [entry for entry in evaluation_log.entries if entry.outcome.status == OK]
        if not ok or self.options.evaluations is None:
            return
        last = ok[-1]
        outcome = self._again(last.x)
        if outcome.error is not None:
            log.warning(
                "a stored point of %s could not be evaluated again, so nothing tells whether the "
                "function is the same: %s",
                self.options.evaluations,
                outcome.error.strip().splitlines()[-1],
            )
        elif not same_values(outcome, last.outcome.f, last.outcome.g, last.outcome.h):
            raise LogError(
                f"{self.options.evaluations} is the log of another function, or of one that does "
                f"not repeat itself: at x = {last.x} f was {last.outcome.f!r} and is now "
                f"{outcome.f!r}. Remove the file or give another name to start anew."
            )

    def _again(self, x: Floats) -> Outcome:
        """One point beside the run."""
        if self.evaluator is None:
            return task_of(self.spec.problem)(x)
        return self.evaluator.again(x)

    # --- running --------------------------------------------------------------------------------
    def run(self) -> Status:
        """Advance the run until it stops; the reason."""
        watch = self.watch
        try:
            with signals_end_the_run():
                try:
                    self._advance()
                except KeyboardInterrupt as error:
                    watch.status = Status.INTERRUPTED
                    watch.close()
                    self.say_how_to_go_on()
                    raise_again(error, self.options.on_interrupt)
                    return watch.status
        except BaseException:
            if watch.status != Status.INTERRUPTED:
                watch.close()
            raise
        watch.close()
        return watch.status

    def _advance(self) -> None:
        """The loop that fits."""
        if self.evaluator is not None:
            self._drive(self.evaluator)
            return
        engine = self.searching.standing
        assert isinstance(engine, Engine)
        while not self.watch.stops():
            self._run_engine(engine, engine.maxfev)

    def _prepare_kernels(self) -> None:
        """Have the code loaded from the start that a later part of the strategy will need."""
        if self.evaluator is None:
            return
        if self.evaluator.pool.n:
            self.searching.get_ready()  # workers would be idle if it were loaded later
        if self._has_stretches(self.evaluator):
            left = self.spec.maxfev - self.searching.standing.nfev
            loop = f"{method_of(self.spec.settings).kernels}.{KERNELS[self._fast_path()]}"
            own = self.spec.problem.place
            prepare(left, loop, *([] if own is None else [own]))

    def _fast_path(self) -> Any:
        """The loop that advances a differential evolution alone."""
        if self.spec.problem.is_compiled:
            return run_fused
        is_immediate = self.spec.batch == 1 and self.spec.problem.point is not None
        return run_immediately if is_immediate else run_rows

    def _run_engine(self, engine: Engine, until: int) -> None:
        """Advance a differential evolution alone to `until` of its evaluations, the fast way."""
        self._fast_path()(engine, self.direct, self.spec.batch, self.watch, until)

    def _has_stretches(self, evaluator: Evaluator) -> bool:
        """Whether parts of the search may run the fast way: where nothing is kept or sent away."""
        is_plain = self.options.is_plain and self.keeper is None and self.spec.in_flight is None
        return is_plain and evaluator.skipping is None and self.searching.has_stretches

    def _ran_stretch(self) -> bool:
        """Run the differential evolution of a strategy by itself, if it is its turn."""
        has_run = self.searching.ran_stretch(self._run_engine)
        if has_run:
            self.watch.set_clock(self.watch.seconds)
        return has_run

    def _drive(self, evaluator: Evaluator) -> None:
        """Ask, submit, collect, tell."""
        searching, watch = self.searching, self.watch
        in_flight = self.spec.in_flight
        for trial in searching.pending():
            evaluator.submit(trial.id, trial.x)
        has_stretches = self._has_stretches(evaluator)
        while not watch.stops():
            if has_stretches and not evaluator.n_out and self._ran_stretch():
                continue
            room = (in_flight or 1) - evaluator.n_out
            if room > 0:
                for trial in searching.ask(self.spec.batch or 0 if in_flight is None else room):
                    evaluator.submit(trial.id, trial.x)
            if not evaluator.n_out:
                watch.status = Status.FINISHED  # the strategy has nothing more to ask
                continue
            entries = evaluator.collect(watch.deadline)
            if entries is None:
                continue  # the time is up
            watch.set_clock(max(entry.at for entry in entries))
            watch.note_evaluation(max(entry.outcome.seconds for entry in entries))
            for entry in sorted(entries, key=lambda entry: entry.number):
                f, g, h, *_ = outcome = evaluator.counted(entry.outcome)
                searching.tell(entry.number, Sample(entry.x, f, g, h, outcome.seconds))

    def say_how_to_go_on(self) -> None:
        """After an interruption."""
        files = [str(f) for f in (self.options.checkpoint, self.options.evaluations) if f]
        if files:
            log.warning(
                "interrupted at %d of %d evaluations; the same call goes on from %s",
                self.searching.standing.nfev, self.spec.maxfev, " and ".join(files),
            )  # fmt: skip
        else:
            log.warning(
                "interrupted at %d of %d evaluations; with checkpoint= or evaluations= a run can "
                "go on", self.searching.standing.nfev, self.spec.maxfev,
            )  # fmt: skip

    def evaluate(self, x: Floats) -> Outcome:
        """One more point beside the search, counted and logged like all others."""
        if self.evaluator is None:
            outcome = task_of(self.spec.problem)(x)
            self.policy.judge(outcome, False)
            return outcome
        self.evaluator.submit(self._next_id, x)
        self._next_id += 1
        entry = self.evaluator.next()
        assert entry is not None
        return self.evaluator.counted(entry.outcome)

    def _facts(self) -> dict[str, Any]:
        """What a checkpoint holds beside the search."""
        facts = self.searching.facts()
        return facts if self.evaluator is None else facts | self.evaluator.facts()

    def close(self) -> None:
        """Let go of workers and files."""
        try:
            if self.evaluator is not None:
                self.evaluator.close()
        finally:
            if self.keeper is not None:
                self.keeper.close()


# --- fast paths -----------------------------------------------------------------------------------
class Direct:
    """The problem, called here for the fast paths; values are NaN where the function raised.

    Parameters
    ----------
    problem : Problem
    policy : FailurePolicy
    """

    def __init__(self, problem: Problem, policy: FailurePolicy) -> None:
        self.problem = problem
        self.policy = policy
        self.g = np.empty(problem.n_ineq)
        self.h = np.empty(problem.n_eq)
        self.point = np.empty(problem.dim)  # room for the next point of a loop
        self.takes_points = problem.point is not None and not problem.is_compiled
        self._point = problem.point
        if isinstance(problem.point, SeparateFunctions | OneFunction):
            self._point = problem.point.__call__  # found once, not at every call
        # Our own wrapper checks shapes itself.
        own = isinstance(problem.rows, VectorisedFunctions)
        self._fill_rows: Callable[[Floats, Floats, Floats, Floats], None] = (
            problem.rows.fill if own else self._fill_checked  # type: ignore[union-attr]
        )

    def one(self, x: Floats) -> float:
        """f at x, the constraints in `self.g` and `self.h`."""
        try:
            f = float(self._point(x, self.g, self.h))  # type: ignore[misc]
        except Exception as error:
            self.policy.note(error, not self.policy.has_begun)
            self.g.fill(np.nan)
            self.h.fill(np.nan)
            f = np.nan
        self.policy.has_begun = True
        return f

    def fill(self, x: Floats, f: Floats, g: Floats, h: Floats) -> None:
        """Write F, G, H at the rows of x; if a function of rows raises, all of them failed."""
        if self.takes_points:
            for i in range(len(x)):
                f[i] = self.one(x[i].copy())
                g[i], h[i] = self.g, self.h
            return
        try:
            self._fill_rows(x, f, g, h)
        except Exception as error:
            self.policy.note(error, not self.policy.has_begun)
            for values in (f, g, h):
                values.fill(np.nan)
        self.policy.has_begun = True

    def _fill_checked(self, x: Floats, f: Floats, g: Floats, h: Floats) -> None:
        """Rows of somebody else's function."""
        f[:], g[:], h[:] = self.problem.evaluate(x)


def run_fused(engine: Engine, direct: Direct, batch: int | None, watch: Watch, until: int) -> None:
    """Compiled problem: the fused loop, in slices of about `PAUSE` seconds."""
    policy = direct.policy
    n = 10
    while not watch.stops() and engine.nfev < until:
        first, start = engine.nfev, time.perf_counter()
        try:
            engine.run(min(engine.nfev + n, until), watch.each_generation, batch or 0)
        except Exception as error:
            policy.note(error, is_mistake=not policy.has_begun and engine.nfev == first)
            engine.tell(np.nan, np.full(direct.g.size, np.nan), np.full(direct.h.size, np.nan))
        policy.has_begun = True
        n = next_slice(n, time.perf_counter() - start, PAUSE)


def tell_outstanding(engine: Engine, direct: Direct, watch: Watch) -> bool:
    """Evaluate what a run from a file had asked and not yet told; whether the run goes on."""
    if watch.stops():
        return False
    points = engine.outstanding()
    if len(points):
        n = len(points)
        f, g, h = np.empty(n), np.empty((n, direct.g.size)), np.empty((n, direct.h.size))
        direct.fill(points, f, g, h)
        engine.tell(f, g, h)
    return not watch.stops()


def run_immediately(
    engine: Engine, direct: Direct, _batch: int | None, watch: Watch, until: int
) -> None:
    """One point at a time, each result used at once: the paper's update."""
    if not tell_outstanding(engine, direct, watch) or engine.nfev >= until:
        return
    left = until - engine.nfev
    point = direct.point
    point[:] = engine.ask(1)[0]
    tell_ask = engine.bound_tell_ask(direct.g, direct.h, point)
    evaluate, clock, goal = direct.one, time.monotonic, engine.goal
    has_goal = goal > -math.inf
    look_at = 0.0
    while True:
        f = evaluate(point.copy())  # a copy: the user may keep it
        left -= 1
        if not left:  # nothing is out afterwards
            engine.tell(f, direct.g, direct.h)
            return
        answer = tell_ask(f)
        now = clock()
        if answer != 1 or now >= look_at or (has_goal and engine.best_f <= goal):
            if watch.stops():
                return
            if now >= look_at:
                tell_ask = engine.bound_tell_ask(direct.g, direct.h, point)
                look_at = min(now + PAUSE, watch.deadline)


def run_rows(engine: Engine, direct: Direct, batch: int | None, watch: Watch, until: int) -> None:
    """A batch at a time; its size is given or a function of N alone."""
    if not tell_outstanding(engine, direct, watch) or engine.nfev >= until:
        return
    left = until - engine.nfev
    most = batch or LARGEST_BATCH
    points, f = np.empty((most, engine.problem.dim)), np.empty(most)
    g, h = np.empty((most, direct.g.size)), np.empty((most, direct.h.size))
    whole = (f, g, h, points)
    tell_ask_rows = engine.bound_tell_ask_rows(*whole)
    # The arrays of each size of a batch, made once: this loop is the overhead of functions of rows.
    first = [(points[:n], f[:n], g[:n], h[:n]) for n in range(most + 1)]
    evaluate, size, clock, goal = direct.fill, batch or 0, time.monotonic, engine.goal
    has_goal = goal > -math.inf
    look_at = 0.0
    n = tell_ask_rows(0, size)
    while True:
        asked, f, g, h = first[n]
        evaluate(asked.copy(), f, g, h)  # a copy: the user may keep it
        left -= n
        if left <= 0:  # nothing is out afterwards
            engine.tell(f, g, h)
            return
        answer = tell_ask_rows(n, size)
        n = abs(answer)
        now = clock()
        if answer <= 0 or now >= look_at or (has_goal and engine.best_f <= goal):
            if watch.stops():
                return
            if now >= look_at:
                tell_ask_rows = engine.bound_tell_ask_rows(*whole)
                look_at = min(now + PAUSE, watch.deadline)


#: The kernels that do the work of the fast paths.
KERNELS = {
    run_fused: "steps:run_compiled",
    run_immediately: "steps:tell_ask",
    run_rows: "steps:tell_ask_rows",
}
