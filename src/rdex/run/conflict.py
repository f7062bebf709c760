"""`Conflict`: which constraints cannot be satisfied together, as far as evaluations show.

Every point that was evaluated says which constraints can hold together. What no point has shown is
searched for: first each constraint alone, then pairs, then a deletion filter, which leaves out one
constraint after the other for as long as the rest stays impossible. The outcome is evidence, not a
proof: a search that finds nothing may have missed something.
"""

from __future__ import annotations

import html
import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.common.text import printable
from rdex.problem.problem import Floats, Problem
from rdex.problem.variables import is_number
from rdex.run.arguments import RunOptions, SearchArguments, make_spec
from rdex.run.constraint_state import ConstraintState, as_json, percent_text, with_unit
from rdex.run.text import columns, shortened, value_text

if TYPE_CHECKING:
    from rdex.run.result import Result

#: Evaluations of one short search, per variable.
PER_VARIABLE = 150

#: Pairs that are searched for themselves before the deletion filter.
MOST_PAIRS = 3

#: Known points a search starts from.
MOST_STARTS = 8

#: What searches for feasible points: its local searches find small regions.
ALGORITHM = "rdex-csop+local"


class GiveWay(NamedTuple):
    """How far one constraint would have to give way if the others of the conflict are kept.

    by: distance to its limit, in its units. to: the limit it would have to have.
    """

    name: str
    by: float
    to: float
    units: str
    percent: float

    def __str__(self) -> str:
        if not math.isfinite(self.by):
            return f"{self.name}: no point was found that satisfies the others"
        share = "" if math.isnan(self.percent) else f" ({percent_text(self.percent)})"
        by, to = (with_unit(f"{value:.4g}", self.units) for value in (self.by, self.to))
        return f"{self.name} by {by}{share}, to {to}"


@dataclass(frozen=True)
class Conflict:
    """A smallest set of constraints that no known design satisfies together.

    Attributes
    ----------
    constraints : list of str
        As they were stated; empty where a feasible design was found.
    names : list of str
        Their names.
    gives_way : list of GiveWay
        How far each would have to give way, the others kept.
    x : array or None
        A feasible design, where the searches found one.
    design : dict
        The same by name; empty where there is none.
    nfev : int
        Evaluations spent here.
    n_points : int
        Evaluations that the finding rests on, those of the run included as far as they were kept.
    """

    names: list[str]
    constraints: list[str]
    gives_way: list[GiveWay]
    x: Floats | None
    nfev: int
    n_points: int
    design: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        basis = f"{self.n_points} evaluations, {self.nfev} of them now"
        if self.x is not None:
            rows = shortened([(name, value_text(value)) for name, value in self.design.items()])
            head = f"No conflict: a feasible design was found ({basis})"
            return "\n".join([head, *columns(rows)])
        if len(self.names) == 1:
            head = "This constraint cannot be satisfied within the bounds"
            tail = "It would have to give way:"
        else:
            head = "These constraints cannot be satisfied together"
            tail = "One of them would have to give way, the others kept:"
        lines = [f"{head}, as far as {basis}, show (evidence, no proof):"]
        lines += [f"  {text}" for text in self.constraints]
        lines += [tail, *(f"  {each}" for each in self.gives_way)]
        return "\n".join(map(printable, lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def facts(self) -> dict[str, Any]:
        """Everything as JSON has it."""
        names = ("names", "constraints", "nfev", "n_points")
        return {
            **{name: getattr(self, name) for name in names},
            "gives_way": [as_json(each._asdict()) for each in self.gives_way],
            "x": {
                name: value if is_number(value) else str(value)
                for name, value in self.design.items()
            },
        }


def conflict_of(
    result: Result, problem: Problem, log_variables: NDArray[np.bool_] | None, maxfev: int | None
) -> Conflict:
    """The conflict behind an infeasible result."""
    if result.feasible:
        raise ValueError("the result is feasible: there is no conflict")
    if not result.violations:
        raise ValueError("there are no constraints that could be in conflict")
    budget = PER_VARIABLE * problem.dim if maxfev is None else int(maxfev)
    evidence = Evidence(problem, result, log_variables, budget)
    if budget <= 0 and len(evidence.points) < 2:
        raise ValueError(
            "the run kept only its best point, which shows no conflict: give maxfev more than 0, "
            "or run minimize with evaluations=FILE"
        )
    found = smallest_conflict(evidence)
    states: list[ConstraintState] = result.violations
    x = evidence.feasible_point()
    gives_way = [] if x is not None else [way_out(evidence, k, found) for k in found]
    return Conflict(
        [] if x is not None else [states[k].name for k in found],
        [] if x is not None else [stated_text(states[k]) for k in found],
        gives_way,
        None if x is None else problem.decoded(x),
        evidence.nfev,
        len(evidence.excess),
        {} if x is None else problem.design(x),
    )


def stated_text(state: ConstraintState) -> str:
    """A constraint as it was stated."""
    return with_unit(f"{state.label} {state.relation}", state.units)


class Evidence:
    """All points that are known, and short searches for more.

    excess: for each point how far every constraint is beyond its limit, tolerance included: it
    holds where this is <= 0.
    """

    def __init__(
        self, problem: Problem, result: Result, log_variables: NDArray[np.bool_] | None, budget: int
    ) -> None:
        self.problem = problem
        self.log_variables = log_variables
        self.states: list[ConstraintState] = result.violations
        self.tolerance = np.array([state.tolerance for state in self.states])
        self.scale = np.array([state.usual_size for state in self.states])
        self.budget = budget
        self.nfev = 0
        self.points: list[Floats] = []
        self.excess: list[Floats] = []
        self._tried: dict[frozenset[int], bool] = {}
        for x, violations in known_points(result, problem):  # 0: it holds, no matter how well
            self._note(x, np.where(violations > 0.0, violations - self.tolerance, 0.0))

    def _note(self, x: Floats, excess: Floats) -> None:
        """One more point; failed ones are left out."""
        if np.isfinite(excess).all():
            self.points.append(np.array(x))
            self.excess.append(excess)

    @property
    def holds(self) -> NDArray[np.bool_]:
        """(points, constraints): which constraints hold where."""
        return np.array(self.excess).reshape(len(self.excess), len(self.states)) <= 0.0

    def is_possible(self, chosen: tuple[int, ...]) -> bool:
        """Whether some point satisfies all these constraints; searched for if none is known."""
        if not chosen or self.holds[:, chosen].all(axis=1).any():
            return True
        key = frozenset(chosen)
        if key not in self._tried:
            self.search(chosen, None)
            self._tried[key] = True
        return bool(self.holds[:, chosen].all(axis=1).any())

    def feasible_point(self) -> Floats | None:
        """A point of the search that satisfies everything."""
        rows = np.flatnonzero(self.holds.all(axis=1))
        return self.points[rows[0]] if rows.size else None

    def search(self, chosen: tuple[int, ...], least: int | None) -> None:
        """A short search for points that satisfy the chosen constraints.

        With `least` it minimises what that constraint is violated by; else it stops at the first.
        """
        if self.budget < 1:
            return
        from rdex.run.driver import Driver

        n_ineq = self.problem.n_ineq
        ineq = [k for k in chosen if k < n_ineq]
        eq = [k for k in chosen if k >= n_ineq]
        sub = Problem(
            self.problem.lower,
            self.problem.upper,
            len(ineq),
            len(eq),
            rows=lambda x: self._rows(x, ineq, eq, least),
            integrality=self.problem.integrality,
            variables=self.problem.variables,
        )
        search = SearchArguments(
            algorithm=ALGORITHM,
            maxfev=self.budget,
            x0=self._starts(chosen),
            target=math.inf if least is None else 0.0,
            eq_tol=self.tolerance[eq],
            ineq_tol=self.tolerance[ineq],
            rng=len(self._tried),
            log_scale=self.log_variables,
            checkpoints=10,
        )
        driver = Driver(make_spec(sub, search), RunOptions())
        try:
            driver.run()
        finally:
            driver.close()

    def _starts(self, chosen: tuple[int, ...]) -> Floats | None:
        """Known points that violate the chosen constraints least."""
        if not self.points:
            return None
        excess = np.maximum(np.array(self.excess)[:, chosen], 0.0) / self.scale[list(chosen)]
        best = np.argsort(excess.sum(axis=1), kind="stable")[:MOST_STARTS]
        return self.problem.decoded(np.array([self.points[k] for k in best]))

    def _rows(
        self, x: Floats, ineq: list[int], eq: list[int], least: int | None
    ) -> tuple[Floats, Floats, Floats]:
        """Values of a sub-problem; all constraints are noted."""
        _, g, h = self.problem.evaluate(x)
        self.nfev += len(x)
        for row, row_g, row_h in zip(x, g, h, strict=True):
            self._note(row, np.concatenate([row_g, np.abs(row_h)]) - self.tolerance)
        f = np.zeros(len(x))
        n_ineq = self.problem.n_ineq
        if least is not None:
            values = np.abs(h[:, least - n_ineq]) if least >= n_ineq else g[:, least]
            f = values - self.tolerance[least]
        return f, g[:, ineq], h[:, [k - n_ineq for k in eq]]


def known_points(result: Result, problem: Problem) -> list[tuple[Floats, Floats]]:
    """Points (d,) that the run remembers, and the best one, with their violations (m,)."""
    x, violations = result.points.x, result.points.violations
    if not (x == result.x).all(axis=1).any():
        x = np.vstack([x, result.x])
        violations = np.vstack([violations, np.array(result.constr).reshape(1, -1)])
    coded: Any = problem.encoded(x)
    return list(zip(np.asarray(coded, dtype=np.float64), violations, strict=True))


def smallest_conflict(evidence: Evidence) -> tuple[int, ...]:
    """A smallest set that stays impossible: alone, in pairs, or by leaving out one by one."""
    everything = tuple(range(len(evidence.states)))
    for k in everything:
        if not evidence.is_possible((k,)):
            return (k,)
    pairs = [pair for pair in itertools.combinations(everything, 2)
             if not evidence.holds[:, pair].all(axis=1).any()]  # fmt: skip
    for pair in pairs[:MOST_PAIRS]:
        if not evidence.is_possible(pair):
            return pair
    # Constraints that hold most often are the least suspect: they are left out first.
    order = sorted(everything, key=lambda k: -evidence.holds[:, k].mean())
    kept = everything
    for k in order:
        rest = tuple(each for each in kept if each != k)
        if not evidence.is_possible(rest):
            kept = rest
    return kept


def way_out(evidence: Evidence, k: int, conflict: tuple[int, ...]) -> GiveWay:
    """The least that constraint k must give way, as far as points show."""
    others = tuple(each for each in conflict if each != k)
    state = evidence.states[k]
    evidence.search(others, k)
    allowed = evidence.holds[:, others].all(axis=1) if others else slice(None)
    excess = np.array(evidence.excess)[allowed][:, k]
    if not excess.size:
        return GiveWay(state.name, math.inf, math.nan, state.units, math.nan)
    by = float(excess.min()) + state.tolerance
    to = state.bound - by if state.kind == ">=" else state.bound + by
    percent = 100.0 * by / abs(state.bound) if state.bound else math.nan
    return GiveWay(state.name, by, to, state.units, percent)
