"""`ConstraintState`: one constraint at a point, in the form in which it was stated."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rdex.problem.constraints import SIGNS, Stated, unit_of
from rdex.problem.problem import Floats, Problem

#: An inequality is active within this share of its scale.
NEAR_ACTIVE = 1e-4


#: Margins below this share of the scale are shown as 0.
NOTHING = 1e-9


class ConstraintState(NamedTuple):
    """One constraint at the returned point.

    kind: "<=", ">=" or "=", as it was stated; value and bound: its two sides, in the units of the
    user. It holds if the value is at most `tolerance` on the wrong side of the bound.
    violation: 0 where it holds, else the whole distance to the bound. Both value and violation are
    NaN where a cheap constraint made the simulator needless, or every evaluation failed.
    scale: what the search divided its violation by.
    """

    name: str
    kind: str
    value: float
    tolerance: float
    satisfied: bool
    violation: float
    bound: float = 0.0
    units: str = ""
    scale: float = 1.0

    @property
    def excess(self) -> float:
        """How far the value is on the wrong side of the bound; negative: on the right one."""
        if self.violation > 0:
            return self.violation
        entry = Stated(self.kind, self.bound).entry(self.value)
        return abs(entry) if self.kind == "=" else entry

    @property
    def margin(self) -> float:
        """How much the value may still change before the constraint is violated, tolerance apart
        for inequalities; negative where it is violated."""
        excess = self.excess
        return self.tolerance - excess if self.kind == "=" else 0.0 - excess

    @property
    def margin_percent(self) -> float:
        """The margin in percent of the bound; NaN for a bound of 0 and for equalities."""
        if self.kind == "=" or self.bound == 0:
            return math.nan
        return 100.0 * self.margin / abs(self.bound)

    @property
    def tolerance_used(self) -> float:
        """Share of the tolerance that is used up; 0 where none is needed."""
        excess = self.excess
        return excess / self.tolerance if self.tolerance > 0 and excess > 0 else 0.0

    @property
    def usual_size(self) -> float:
        """The scale, or 1 where there is none to speak of."""
        return self.scale if math.isfinite(self.scale) and self.scale > 0 else 1.0

    @property
    def state(self) -> str:
        """violated, active, slack, or unknown where the point was never simulated."""
        if math.isnan(self.violation):
            return "unknown"
        if not self.satisfied:
            return "violated"
        is_near = self.kind == "=" or self.excess >= -NEAR_ACTIVE * self.usual_size
        return "active" if is_near else "slack"

    @property
    def label(self) -> str:
        """The left-hand side: an equality with 0 is a residual."""
        return f"|{self.name}|" if self.is_residual else self.name

    @property
    def is_residual(self) -> bool:
        """Whether it says that something is 0."""
        return self.kind == "=" and self.bound == 0

    @property
    def is_on_limit(self) -> bool:
        """Whether the margin of an inequality is 0 but for rounding."""
        return self.kind != "=" and 0.0 <= self.margin < NOTHING * self.usual_size

    @property
    def margin_texts(self) -> tuple[str, str]:
        """The margin with its unit and in percent; – for what is not known."""
        if math.isnan(self.margin):
            return "–", "–"
        margin = 0.0 if self.is_on_limit else self.margin
        percent = 0.0 if self.is_on_limit else self.margin_percent
        is_known = not math.isnan(self.margin_percent)
        return with_unit(f"{margin:.4g}", self.units), percent_text(percent) if is_known else "–"

    @property
    def value_text(self) -> str:
        """The value with its unit."""
        if math.isnan(self.value):
            return "unknown"
        value = abs(self.value) if self.is_residual else self.value
        if self.is_on_limit and abs(value) < NOTHING * self.usual_size:
            value = 0.0
        return with_unit(f"{value + 0.0:.8g}", self.units)

    @property
    def relation(self) -> str:
        """The right-hand side."""
        if self.is_residual:
            return f"≤ {self.tolerance:.3g}"
        bound = f"{SIGNS[self.kind]} {self.bound:.8g}"
        return f"{bound} ± {self.tolerance:.3g}" if self.kind == "=" else bound

    @property
    def verdict(self) -> str:
        """How it stands, with the margin in the user's units and in percent."""
        if self.state == "unknown":
            return "unknown"
        share = self.margin_percent
        percent = "" if math.isnan(share) else f" ({percent_text(abs(share))})"
        if not self.satisfied:
            return f"VIOLATED by {with_unit(f'{self.violation:.4g}', self.units)}{percent}"
        used = self.tolerance_used
        if used > 0:
            word = "ok" if self.kind == "=" else "active"
            limit = "" if self.kind == "=" else f" {self.tolerance:.3g}"
            return f"{word}, uses {percent_text(100 * used)} of the tolerance{limit}"
        if self.state == "active":
            return "active"
        return f"ok, margin {with_unit(f'{self.margin:.4g}', self.units)}{percent}"

    def facts(self) -> dict[str, Any]:
        """Everything as JSON has it: null for what is not finite."""
        names = ("margin", "margin_percent", "tolerance_used", "state")
        return as_json({**self._asdict(), **{name: getattr(self, name) for name in names}})


def as_json(facts: dict[str, Any]) -> dict[str, Any]:
    """Facts as JSON has them: null for what is not finite."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in facts.items()
    }


def with_unit(number: str, units: str) -> str:
    """A number and its unit.

    Examples
    --------
    >>> with_unit("2.5", "MPa"), with_unit("2.5", "")
    ('2.5 MPa', '2.5')
    """
    return f"{number} {units}" if units else number


def percent_text(percent: float) -> str:
    """Percent with three digits, or more where they stand before the point.

    Examples
    --------
    >>> percent_text(2.3456), percent_text(2345.6)
    ('2.35 %', '2346 %')
    """
    return f"{percent:.3g} %" if abs(percent) < 1000 else f"{percent:.0f} %"


def constraint_states(
    problem: Problem, g: Floats, h: Floats, tolerances: Floats, scales: Any = None
) -> list[ConstraintState]:
    """The state of every constraint at a point."""
    states = []
    for k, (name, stated) in enumerate(zip(problem.constraint_names, problem.stated, strict=True)):
        is_equality = k >= problem.n_ineq
        entry = float(h[k - problem.n_ineq] if is_equality else g[k])
        tolerance = float(tolerances[k])
        size = abs(entry) if is_equality else entry
        holds = size <= tolerance
        states.append(
            ConstraintState(
                name,
                stated.sense,
                stated.value(entry),
                tolerance,
                holds,
                0.0 if holds else size,
                stated.bound,
                unit_of(problem.units, name),
                1.0 if scales is None else float(scales[k]),
            )
        )
    return states


def worst_first(states: list[ConstraintState]) -> list[ConstraintState]:
    """The constraints that do not hold, by violation in units of their scales."""
    violated = [state for state in states if state.violation > 0]
    return sorted(violated, key=lambda state: -state.violation / state.usual_size)


def blocking(states: list[ConstraintState], most: int = 5) -> str:
    """The constraints that do not hold, worst first, each with its violation."""
    worst = worst_first(states)
    named = ", ".join(
        f"{s.name} by {with_unit(f'{s.violation:.4g}', s.units)}" for s in worst[:most]
    )
    unknown = sum(math.isnan(s.violation) for s in states)
    more = f" and {len(worst) - most} more" if len(worst) > most else ""
    return named + more + (f" ({unknown} unknown: not simulated there)" if unknown else "")
