"""What `minimize` returns: SciPy's result, with the state of every constraint."""

from __future__ import annotations

import logging
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult

from rdex.common.extras import require
from rdex.engine.engine import Engine, Point
from rdex.evaluation.judging import Judge
from rdex.evaluation.skipping import Skipping
from rdex.problem.problem import Floats, Problem
from rdex.recorder.history import History
from rdex.recorder.ledger import Ledger
from rdex.run.constraint_state import ConstraintState, blocking, constraint_states
from rdex.run.notes import notes_of
from rdex.run.status import MESSAGES, Status
from rdex.strategies.archive import Sample
from rdex.strategies.registry import POLISH

if TYPE_CHECKING:
    from rdex.evaluation.evaluator import Evaluator
    from rdex.run.conflict import Conflict
    from rdex.run.driver import Driver
    from rdex.run.searching import Searching
    from rdex.run.sensitivity import Sensitivity
    from rdex.run.spec import RunSpec

log = logging.getLogger("rdex")

#: Workers busy for less than this share of the time get a hint.
HINT_BELOW = 0.5

#: Seconds: evaluations that take less are done sooner by one process.
SHORT = 0.02

#: Seconds a run must have lasted for the hint: short ones are mostly the start of processes.
HINT_AFTER = 10.0


class Result(OptimizeResult):  # type: ignore[misc]
    """The outcome of a run; fields as in `scipy.optimize.OptimizeResult`, and more.

    Attributes
    ----------
    x, fun : array, float
        The best point, feasibility first, and its objective value: NaN if it is not known, inf if
        every evaluation failed. A variable from a list of anything but numbers is its place there.
    design : dict
        The best point by names, as the function sees it; empty if every evaluation failed.
    success, feasible : bool
        Whether all constraints hold at x.
    status, message : Status, str
        Why the run stopped, and which constraints block.
    notes : list of str
        What to know before you use the answer, and what to try. Examples: the point is one of the
        initial ones, the search had not finished, an equality uses all of its tolerance.
    nfev, nit : int
        Evaluations and generations.
    G, H : array
        Values of the constraints G <= 0 and H = 0 at x; NaN where they are not known.
    cv, maxcv : float
        Mean and largest violation, in the units of the constraints. Where x was not simulated, the
        mean is the one that the search counted with, the largest is that of the known ones.
    constr, constr_violation : list of arrays, float
        Violation of each constraint, and the largest, as SciPy has them.
    violations : list of ConstraintState
        The state of every constraint, in the form in which it was stated.
    first_feasible : int or None
        Evaluations when the first feasible point was found.
    n_failed : int
        Evaluations that gave no usable values.
    n_restarts : int
        Number of restarts.
    algorithm : str
        What searched, in words.
    phases : list of Phase
        What each part of the search spent and gained.
    model : LearntModel
        Predicts f and the constraints; only of searches by models.
    history : History
        How the run went; see `rdex.recorder.history.History`.
    points : Points
        The evaluations that the run remembers; see `rdex.run.result.Points`.
    population, population_energies : array
        The final population P, best first, and its f.
    constraint_scale : array
        What each violation was divided by in the search.
    feasible_shares : list of FeasibleShare
        With `feasibility_only`: which share of random points satisfies each constraint.
    updating : str
        How results were used: "immediate", "deferred" (after a batch) or "async" (as they came).
    workers, workers_busy : int, float
        Number of workers, and the share of their time spent in the function.
    problem_name, seed : str
        Name of the function or Problem, and the entropy of the seed.
    settings, maxfev, seconds, variable_names, units, lower, upper : various
        How the run was made.
    """

    def __str__(self) -> str:
        from rdex.run.text import result_text

        return result_text(self) if "message" in self else super().__repr__()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from rdex.run.text import result_html

        return result_html(self)

    @property
    def evaluations(self) -> Any:
        """Every evaluation of the run, one row each in the order in which they came back."""
        if "evaluation_log" not in self:
            raise AttributeError("evaluations are kept in async runs and with evaluations=path")
        return self["evaluation_log"].table()

    def sensitivity(self, problem: Problem | None = None) -> Sensitivity:
        """What limits the design: the price of every active constraint and bound.

        Takes about 4 evaluations per variable, in this process; they are not counted in `nfev`.
        `problem` is needed for results that were read from a file.
        """
        from rdex.run.sensitivity import sensitivity_of

        found = sensitivity_of(self, *self._solved(problem))
        self.__dict__["explained"] = found
        return found

    def conflict(self, problem: Problem | None = None, maxfev: int | None = None) -> Conflict:
        """Why nothing is feasible: a smallest set of constraints that cannot hold together.

        Short searches of `maxfev` evaluations each (default 150 per variable, 0 for none) look for
        points that satisfy some of the constraints, in this process. What the run remembers
        (`points`) is evidence too; `evaluations=` in `minimize` keeps all of it.
        """
        from rdex.run.conflict import conflict_of

        found = conflict_of(self, *self._solved(problem), maxfev)
        self.__dict__["explained"] = found
        return found

    @property
    def explanation(self) -> Sensitivity | Conflict | None:
        """What `sensitivity` or `conflict` found last; the report shows it."""
        found: Sensitivity | Conflict | None = self.__dict__.get("explained")
        return found

    @property
    def categories(self) -> dict[str, tuple[Any, ...]]:
        """Lists of values that are no numbers, by the name of their variable.

        Empty for results that were read from a file.
        """
        known = self.__dict__.get("solved")
        variables = None if known is None else known[0].variables
        listed = {} if variables is None else dict(variables)
        return {n: v.values for n, v in listed.items() if v.values and v.numbers is None}

    @property
    def logarithmic(self) -> NDArray[np.bool_]:
        """Which variables were searched on a logarithmic scale, (d,).

        None of them for results that were read from a file.
        """
        known = self.__dict__.get("solved")
        flags = None if known is None else known[1]
        return np.zeros(len(self.x), dtype=bool) if flags is None else np.asarray(flags)

    def _solved(self, problem: Problem | None) -> tuple[Problem, Any]:
        """The problem behind the result and its logarithmic variables."""
        known = self.__dict__.get("solved")
        if problem is not None:
            return problem, None if known is None else known[1]
        if known is None:
            raise ValueError("the result does not know its problem any more: give problem=")
        return known[0], known[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)  # without the problem, which may not be picklable

    def plot(self, axes: Any = None) -> Any:
        """Draw objective and violation over evaluations; returns the matplotlib figure."""
        from rdex.run.plot import plot_history

        return plot_history(self, axes)

    def report(self, path: str | os.PathLike[str], title: str = "Optimisation run") -> Path:
        """Write an HTML page on the run, a file or a folder with index.html; returns its path."""
        # By name: the room `report` stands to the right of this one.
        page: Path = require("rdex.report", "bench").run_report(self, path, title)
        return page


@dataclass(frozen=True, eq=False, repr=False)
class Points:
    """Evaluated points in the order in which their results came.

    A differential evolution that runs by itself keeps none; `evaluations=` keeps all.

    Attributes
    ----------
    number : (n,) int array
        How many evaluations there were by then, the point itself included.
    x : (n, d) array
        Variables, as in `Result.x`.
    f, cv : (n,) array
        Objective, NaN where it is not known, and mean violation; infinite for failed points.
    violations : (n, m) array
        Violation of each constraint, 0 where it holds.
    """

    number: Any
    x: Floats
    f: Floats
    cv: Floats
    violations: Floats

    def __len__(self) -> int:
        return len(self.f)

    def __repr__(self) -> str:
        return f"Points({len(self)} evaluations, {int((self.cv == 0).sum())} of them feasible)"


@np.errstate(over="ignore")  # violations of 1e308 add up to infinity
def points_of(spec: RunSpec, standing: Engine | Ledger, log: Any = None) -> Points:
    """The points of the log, if there is one, or those that the books of the run kept."""
    problem, limits = spec.problem, spec.limits
    if log is not None:
        samples = [Sample(e.x, e.outcome.f, e.outcome.g, e.outcome.h) for e in log.entries]
        numbers = list(range(1, len(samples) + 1))
    elif isinstance(standing, Ledger):
        numbers = [number for number, _ in standing.kept]
        samples = [sample for _, sample in standing.kept]
    else:
        x, violations = np.empty((0, problem.dim)), np.empty((0, problem.n_constraints))
        return Points(np.empty(0, np.int64), x, np.empty(0), np.empty(0), violations)
    n = len(samples)
    x = np.array([sample.x for sample in samples]).reshape(n, problem.dim)
    f = np.array([sample.f for sample in samples], dtype=np.float64)
    g = np.array([sample.g for sample in samples]).reshape(n, problem.n_ineq)
    h = np.array([sample.h for sample in samples]).reshape(n, problem.n_eq)
    violations = Judge(problem, limits.eq_tol, limits.ineq_tol).violations(g, h)
    cv = violations.sum(axis=1) / max(problem.n_constraints, 1)
    cv[~np.isfinite(f) & (cv == 0)] = np.inf
    decoded = problem.decoded(x) if n else x
    return Points(np.array(numbers, dtype=np.int64), decoded, f, cv, violations)


def point_fields(
    problem: Problem, point: Point, tolerances: Floats, scales: Floats
) -> dict[str, Any]:
    """The fields that describe the returned point."""
    x, f, phi, g, h = point
    has_failed = not math.isfinite(phi)
    feasible = phi == 0.0 and math.isfinite(f)
    states = constraint_states(problem, g, h, tolerances, scales)
    values, design = problem.decoded(x), {} if has_failed else problem.design(x)
    known = [state.violation for state in states if not math.isnan(state.violation)]
    largest = max(known, default=0.0)
    return {
        "x": values,
        "design": design,
        "fun": f if math.isfinite(f) or has_failed else math.nan,
        "success": feasible,
        "feasible": feasible,
        "G": g,
        "H": h,
        "cv": phi,
        "maxcv": math.inf if has_failed else largest,
        "constr": [np.array([state.violation]) for state in states],
        "constr_violation": math.inf if has_failed else largest,
        "violations": states,
    }


def present_result(standing: Engine | Ledger) -> Result:
    """What a callback sees of a run."""
    best, members = standing.best, standing.population()
    return Result(
        x=standing.problem.decoded(best.x),
        fun=best.f if math.isfinite(best.f) or math.isinf(best.phi) else math.nan,
        success=best.phi == 0.0,
        feasible=best.phi == 0.0,
        cv=best.phi,
        G=best.g,
        H=best.h,
        nfev=standing.nfev,
        nit=standing.generation,
        maxfev=standing.maxfev,
        eps=standing.eps,
        population=standing.problem.decoded(members.x),
        population_energies=members.f,
    )


def make_result(
    searching: Searching, status: Status, seconds: float, best: Point | None = None, log: Any = None
) -> Result:
    """The result of a run as it stands; `best` where more is known of its best point, `log` where
    its evaluations are kept."""
    standing, problem = searching.standing, searching.spec.problem
    searched: dict[str, Any] = {
        "algorithm": searching.label,
        "nfev": standing.nfev,
        "nit": standing.generation,
        "first_feasible": standing.first_feasible,
        "n_failed": standing.n_failed,
        "n_restarts": standing.n_restarts,
        "constraint_scale": standing.constraint_scale,
        "history": History(*standing.history_rows()),
    }
    best, tolerance, members = best or standing.best, standing.tolerance, standing.population()
    scales = np.broadcast_to(searched["constraint_scale"], problem.n_constraints)
    fields = point_fields(problem, best, tolerance, scales)
    result = Result(
        **fields,
        **searched,
        points=points_of(searching.spec, standing, log),
        population=problem.decoded(members.x),
        population_energies=members.f,
        status=int(status),
        message=message_of(status, fields["violations"], fields["cv"]),
        problem_name=problem.name,
        seed=str(searching.spec.seed.entropy),
        variable_names=problem.variable_names,
        units=problem.units,
        lower=problem.decoded(problem.lower),
        upper=problem.decoded(problem.upper),
        phases=searching.phases,
        settings=searching.settings,
        maxfev=standing.maxfev,
        seconds=seconds,
    )
    # Beside the fields: it is no part of what a result holds.
    object.__setattr__(result, "solved", (problem, searching.spec.log_variables))
    result.notes = notes_of(result, searching.spec)
    model = searching.model()
    if model is not None:
        result.model = model
    return result


def finished_result(driver: Driver, status: Status, polish: Any = False) -> Result:
    """The result of a run that has stopped, refined where the user gave a function for that."""
    seconds = driver.watch.run_seconds
    evaluator = driver.evaluator
    skipping = None if evaluator is None else evaluator.skipping
    best = None
    if skipping is not None:
        best = best_as_known(skipping, driver.searching.standing.best)
    kept = None if evaluator is None else evaluator.log
    result = make_result(driver.searching, status, seconds, best, kept)
    in_batches = "deferred" if evaluator is None else evaluator.pace.updating
    result.updating = "immediate" if driver.spec.batch == 1 else in_batches
    if evaluator is not None:
        result.update(evaluator_fields(evaluator, seconds, result.updating))
    if driver.spec.wants_any_feasible:
        from rdex.run.shares import feasible_shares

        result.feasible_shares = feasible_shares(driver.spec, evaluator)
        if status == Status.TARGET:
            result.message = "A feasible point was found."
    if driver.keeper is not None and driver.keeper.continued:
        result.continued = driver.keeper.continued
    if driver.spec.strategy == POLISH:
        result.polished = driver.searching.is_polished
    if callable(polish) and status != Status.INTERRUPTED:
        from rdex.run.polish import polished

        result = polished(result, driver, polish)
    if "polished" in result:
        result.notes = notes_of(result, driver.spec)
    result.notes = [*driver.notes, *result.notes]
    return result


def best_as_known(skipping: Skipping, best: Point) -> Point:
    """The best point as it is known: NaN, not what the search counted with, for the constraints of
    a simulator that was skipped there."""
    if not math.isfinite(best.phi):
        return best
    outcome = skipping.outcome(best.x)
    return best if outcome is None else best._replace(g=outcome.g, h=outcome.h)


def evaluator_fields(evaluator: Evaluator, seconds: float, updating: str) -> dict[str, Any]:
    """What a result says about its evaluations."""
    busy, n = evaluator.judging.share_busy, evaluator.pool.n or 1
    fields: dict[str, Any] = {"workers": n, "workers_busy": busy}
    if evaluator.skipping is not None:
        fields["n_skipped"] = evaluator.skipping.n_skipped
    if evaluator.log is not None:
        fields["evaluation_log"] = evaluator.log
    if busy is not None and n > 1 and busy < HINT_BELOW and seconds > HINT_AFTER:
        judging = evaluator.judging
        advice = idle_advice(judging.busy / max(judging.n_back, 1), updating)
        log.warning("the %d workers were busy %.0f %% of the time: %s", n, 100 * busy, advice)
    return fields


def idle_advice(evaluation: float, updating: str) -> str:
    """Why workers wait, and what helps, where an evaluation takes so many seconds."""
    if evaluation < SHORT:
        return f"evaluations of {1000 * evaluation:.2g} ms need no workers"
    if updating != "async":
        return 'updating="async" keeps more of them busy'
    return "the search takes its time between evaluations, or has fewer points to offer"


def message_of(status: Status, states: list[ConstraintState], cv: float) -> str:
    """The reason of the stop, and what stands in the way where there is no feasible answer."""
    text = MESSAGES[status]
    if not math.isfinite(cv):
        return f"{text} No evaluation gave usable values."
    if cv > 0:
        return f"{text} No feasible point was found: x violates least, {blocking(states)}."
    return text
