"""`Sensitivity`: what limits a design: the price of every active constraint and bound.

At the best point the gradients of f and of the constraints are estimated by finite differences,
and the forces of constraints and bounds that balance the gradient of f are found by least squares:
Lagrange multipliers. A multiplier is the price of its constraint: relaxed by a little, f falls by
the price times that little. Everything happens in the unit cube of the variables.

"A little" is 1 % of the limit. A limit of 0 has no percent: there it is what a step of 1 % of the
box, straight across the limit, changes the constraint by. It depends on the point and the bounds of
the variables alone. A bound that is stated as a constraint has the same price either way.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.common.errors import EvaluationError
from rdex.common.text import printable
from rdex.problem.constraints import OBJECTIVE, unit_of
from rdex.problem.problem import Floats, Problem
from rdex.problem.space import Space
from rdex.run.constraint_state import ConstraintState, as_json, percent_text, with_unit

if TYPE_CHECKING:
    from rdex.run.result import Result

#: Steps of the differences, in widths of the box. Two of them give the error of the gradients.
STEP = 1e-4

#: Constraints and bounds nearer than this, in widths of the box, may hold the point back.
REACH = 0.05

#: At this distance a constraint must explain as much as it would on the point to get a price.
DOUBT = 0.01

#: A point touches what is nearer than this, in widths of the box.
TIGHT = 1e-6

#: Shares of the gradient of f: what balance leaves, and what a force must have to be a price.
ROUGH = 0.05
NEGLIGIBLE = 1e-6

#: A minimum that is nearer than this, in widths of the box, is reached.
NEXT_TO = 1e-4

#: What a limit is relaxed by, and of what.
PERCENT = 0.01
OF_LIMIT, OF_RANGE, OF_BOX = "limit", "range of the variable", "box"
OF_TEXTS = {OF_LIMIT: "", OF_RANGE: " of its range", OF_BOX: " of the box"}

#: Texts name no smaller error than this share of a price: differences do not see all there is.
LEAST_ERROR = 0.001


#: Names that a text lists.
MOST_NAMES = 10


class Price(NamedTuple):
    """What relaxing one limit saves.

    name: the constraint, or the variable whose bound it is. kind: "constraint", "lower bound" or
    "upper bound". amount: what it is relaxed by, in its `units`. saves: how much f falls then.
    uncertainty: of `saves`. percent: `saves` in percent of |f|; NaN for f = 0. f_units: of `saves`.
    of: what `amount` is 1 % of: "limit"; "range of the variable" for bounds; "box" for constraints
    with limit 0: a step of 1 % of the box, straight across the limit, changes them by `amount`.
    how: "relaxing"; for equalities "raising" or "lowering", whichever way f falls.
    """

    name: str
    kind: str
    amount: float
    units: str
    saves: float
    uncertainty: float
    percent: float
    f_units: str = ""
    of: str = OF_LIMIT
    how: str = "relaxing"

    @property
    def per_unit(self) -> float:
        """Fall of f per unit of the constraint: the Lagrange multiplier."""
        return self.saves / self.amount

    def __str__(self) -> str:
        what = (
            f"`{self.name}`" if self.kind == "constraint" else f"the {self.kind} of `{self.name}`"
        )
        by = f"1 %{OF_TEXTS[self.of]} ({with_unit(f'{self.amount:.3g}', self.units)})"
        saves = with_unit(f"{self.saves:.3g}", self.f_units)
        error = max(self.uncertainty, LEAST_ERROR * abs(self.saves))
        if math.isnan(self.percent):
            return f"{self.how} {what} by {by} saves {saves} ± {error:.1g}"
        share = error / self.saves * self.percent if self.saves else 0.0
        return (
            f"{self.how} {what} by {by} saves "
            f"{percent_text(self.percent).removesuffix(' %')} ± {share:.1g} % ({saves})"
        )


@dataclass(frozen=True)
class Sensitivity:
    """What limits the design of a result.

    Attributes
    ----------
    prices : list of Price
        Constraints that hold f up, dearest first.
    bounds : list of Price
        Variables held at a bound, dearest first.
    free : list of str
        Constraints without a price: moving them a little changes nothing.
    residual : float
        Share of the gradient of f that no limit explains: 0 at a smooth local optimum.
    nfev : int
        Evaluations spent, beside those of the result.
    notes : list of str
        What to know before the numbers are used.
    """

    prices: list[Price]
    bounds: list[Price]
    free: list[str]
    residual: float
    nfev: int
    notes: list[str]

    def __str__(self) -> str:
        lines = [f"What limits the design ({self.nfev} evaluations)"]
        lines += [f"  {price}" for price in (*self.prices, *self.bounds)]
        has_prices = bool(self.prices or self.bounds)
        if not has_prices:
            inside = "no constraint and no bound: f has its least value inside"
            lines.append("  " + (inside if self.residual <= ROUGH else "nothing known yet"))
        if self.free and (has_prices or self.residual <= ROUGH):
            lines.append(f"  without influence: {listed(self.free)}")
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(map(printable, lines))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def facts(self) -> dict[str, Any]:
        """Everything as JSON has it."""
        limits = {
            name: [as_json({**each._asdict(), "per_unit": each.per_unit}) for each in prices]
            for name, prices in (("prices", self.prices), ("bounds", self.bounds))
        }
        names = ("free", "residual", "nfev", "notes")
        return {**limits, **{name: getattr(self, name) for name in names}}


def sensitivity_of(
    result: Result, problem: Problem, log_variables: NDArray[np.bool_] | None
) -> Sensitivity:
    """The prices at the best point of a feasible result."""
    if not result.feasible:
        raise ValueError("nothing feasible was found, so nothing has a price; see conflict()")
    local = LocalModel(problem, Space(problem, log_variables), result)
    forces = balanced(local, result)
    notes = []
    if forces.residual > ROUGH:
        notes.append(
            f"limits explain all but {100 * forces.residual:.0f} % of the gradient of f: the point "
            "is no local optimum yet, or f is not smooth there; more evaluations help"
        )
    if forces.n_tight > local.free.size:
        notes.append(
            f"{forces.n_tight} limits meet at a point with {local.free.size} variables that can "
            "move: prices are those of one balance among several"
        )
    if local.n_held:
        held, ends = held_fixed(local, problem)
        at_bounds = f"; at a bound: {listed(ends)}" if ends else ""
        notes.append(f"without small steps, so held fixed: {listed(held)}{at_bounds}")
    if local.n_failed:
        notes.append(
            f"{local.n_failed} evaluations failed; {local.n_unknown} variables along which they "
            "did were held fixed"
        )
    prices, free = constraint_prices(result, problem, local, forces)
    return Sensitivity(
        prices, bound_prices(result, problem, local, forces), free, forces.residual, local.nfev,
        notes,
    )  # fmt: skip


def listed(names: list[str]) -> str:
    """Names in a text, the first of many."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def held_fixed(local: LocalModel, problem: Problem) -> tuple[list[str], list[str]]:
    """Names of variables without small steps; of these, numbers at their least or largest value."""
    space, names = local.space, problem.variable_names
    is_held = ~space.continuous & ~space.fixed
    is_end = is_held & ~space.unordered & ((local.z <= 0.0) | (local.z >= 1.0))
    held, ends = ([names[j] for j in np.flatnonzero(each)] for each in (is_held, is_end))
    return held, ends


class LocalModel:
    """Gradients of f and of all constraints in the unit cube, with their errors.

    gradient, error: (1 + m, k) arrays, f first, over the variables that can move.
    """

    def __init__(self, problem: Problem, space: Space, result: Result) -> None:
        self.space = space
        self.z = space.to_unit(np.asarray(problem.encoded(result.x), dtype=np.float64))
        self.free = np.flatnonzero(space.continuous)
        self.n_held = int((~space.continuous & ~space.fixed).sum())
        self.nfev = 0
        self.n_failed = 0
        self._bend = np.zeros(space.dim)  # second derivatives of f
        self._problem = problem
        self.value = self._values(self.z[None, :])[0]
        if not np.isfinite(self.value).all():
            raise EvaluationError("the function gives no usable values at the best point any more")
        coarse, fine = self._gradients(2 * STEP), self._gradients(STEP)
        gradient = (4.0 * fine - coarse) / 3.0  # Richardson: of fourth order
        known = np.isfinite(gradient).all(axis=0)
        if self.free.size and not known.any():
            raise EvaluationError("all evaluations beside the best point failed: no slope is known")
        self.n_unknown = int((~known).sum())
        self.free, self.gradient = self.free[known], gradient[:, known]
        self.error = np.abs(self.gradient - fine[:, known])

    @property
    def is_at_bottom(self) -> bool:
        """Whether f has a minimum next to the point, by its slope and bend along each variable."""
        bend = self._bend[self.free]
        return bool((np.abs(self.gradient[0]) <= NEXT_TO * bend).all())

    @property
    def m1(self) -> int:
        """f and all constraints."""
        return 1 + self._problem.n_constraints

    def _values(self, z: Floats) -> Floats:
        """f, G and H at rows of the unit cube."""
        self.nfev += len(z)
        f, g, h = self._problem.evaluate(self.space.from_unit(z))
        values = np.concatenate([f[:, None], g, h], axis=1)
        self.n_failed += int((~np.isfinite(values).all(axis=1)).sum())
        return values

    def _gradients(self, step: float) -> Floats:
        """Slopes (1 + m, k) along all variables that can move."""
        slopes = [self._slope(j, step) for j in self.free.tolist()]
        return np.array(slopes).reshape(-1, self.m1).T

    def _slope(self, j: int, step: float) -> Floats:
        """Derivatives along one variable, of second order, inside the box."""
        up, down = self.z[j] + 2 * step <= 1.0, self.z[j] - 2 * step >= 0.0
        if up and down:
            ahead, behind = self._values(self._moved(j, (step, -step)))
            self._bend[j] = float(ahead[0] + behind[0] - 2.0 * self.value[0]) / step**2
            return (ahead - behind) / (2 * step)
        sign = 1.0 if up else -1.0
        one, two = self._values(self._moved(j, (sign * step, 2 * sign * step)))
        return sign * (-3.0 * self.value + 4.0 * one - two) / (2 * step)

    def _moved(self, j: int, steps: tuple[float, float]) -> Floats:
        """The point, moved along one variable."""
        rows = np.repeat(self.z[None, :], len(steps), axis=0)
        rows[:, j] += steps
        return rows


class Forces(NamedTuple):
    """Multipliers (f per unit) of constraints, and of lower and upper bounds in the unit cube."""

    constraints: Floats
    constraint_errors: Floats
    lower: Floats
    upper: Floats
    bound_errors: Floats
    residual: float
    n_tight: int  # constraints and bounds that the point touches


class Column(NamedTuple):
    """A limit that may hold the point back: its unit force, how far away it is, what it is."""

    force: Floats
    error: float  # of the force, relative
    distance: float  # in widths of the box
    scale: float  # multiplier = strength / scale
    kind: str
    place: int
    sign: float = 1.0


def columns_of(local: LocalModel, result: Result) -> list[Column]:
    """Every constraint and bound within reach."""
    found = []
    for k, state in enumerate(result.violations):
        slope, error = local.gradient[1 + k], local.error[1 + k]
        size = float(np.linalg.norm(slope))
        if size == 0.0:
            continue
        distance = 0.0 if state.kind == "=" else max(0.0, -state.excess / size)
        if distance > REACH:
            continue
        relative = float(np.linalg.norm(error)) / size
        signs = (1.0, -1.0) if state.kind == "=" else (1.0,)
        found += [
            Column(sign * slope / size, relative, distance, size, "constraint", k, sign)
            for sign in signs
        ]
    for place, j in enumerate(local.free):
        unit = np.zeros(local.free.size)
        for kind, distance, sign in (
            ("lower", local.z[j], -1.0), ("upper", 1.0 - local.z[j], 1.0)
        ):  # fmt: skip
            if distance <= REACH:
                unit[place] = sign
                found.append(Column(unit.copy(), 0.0, distance, 1.0, kind, place))
    return found


def balanced(local: LocalModel, result: Result) -> Forces:
    """Strengths >= 0 that balance the gradient of f; far limits are held to be weak."""
    from scipy.optimize import nnls

    k, m = local.free.size, len(result.violations)
    target = -local.gradient[0]
    size = float(np.linalg.norm(target))
    columns = columns_of(local, result)
    strengths = np.zeros(len(columns))
    errors = np.zeros(len(columns))
    if columns and size > 0.0:
        forces = np.array([column.force for column in columns]).T
        doubt = np.diag([column.distance / DOUBT for column in columns])
        strengths, _ = nnls(np.vstack([forces, doubt]), np.r_[target, np.zeros(len(columns))])
        strengths[strengths < NEGLIGIBLE * size] = 0.0
        errors = strength_errors(local, columns, forces, strengths, target)
    constraints, constraint_errors = np.zeros(m), np.zeros(m)
    bounds, bound_errors = {"lower": np.zeros(k), "upper": np.zeros(k)}, np.zeros(k)
    balance = target.copy()
    for column, strength, error in zip(columns, strengths, errors, strict=True):
        balance -= strength * column.force
        if column.kind == "constraint":
            constraints[column.place] += column.sign * strength / column.scale
            constraint_errors[column.place] += error / column.scale
        else:
            bounds[column.kind][column.place] = strength
            bound_errors[column.place] = error
    residual = float(np.linalg.norm(balance)) / size if size > 0.0 else 0.0
    if not strengths.any() and local.is_at_bottom:
        residual = 0.0  # slopes are rounding
    n_tight = sum(column.distance < TIGHT and column.sign > 0 for column in columns)
    return Forces(
        constraints, constraint_errors, bounds["lower"], bounds["upper"], bound_errors, residual,
        n_tight,
    )  # fmt: skip


def strength_errors(
    local: LocalModel, columns: list[Column], forces: Floats, strengths: Floats, target: Floats
) -> Floats:
    """Errors of strengths: what balance leaves and what the differences leave open."""
    errors = np.zeros(len(columns))
    acting = np.flatnonzero(strengths > 0.0)
    if not acting.size:
        return errors
    inverse = np.linalg.pinv(forces[:, acting])
    left = target - forces[:, acting] @ strengths[acting]
    slope_error = local.error[0] + sum(
        strengths[i] * columns[i].error * np.abs(columns[i].force) for i in acting
    )
    spread = float(np.linalg.norm(left)) / math.sqrt(max(1, left.size))
    errors[acting] = np.abs(inverse) @ (slope_error + spread)
    return errors


def constraint_prices(
    result: Result, problem: Problem, local: LocalModel, forces: Forces
) -> tuple[list[Price], list[str]]:
    """Prices of constraints, dearest first, and the names of those without one."""
    prices, free = [], []
    states: list[ConstraintState] = result.violations
    for state, slope, multiplier, error in zip(
        states, local.gradient[1:], forces.constraints, forces.constraint_errors, strict=True
    ):
        if abs(multiplier) <= error:
            free.append(state.name)
            continue
        amount = PERCENT * (abs(state.bound) or float(np.linalg.norm(slope)))
        is_equality = state.kind == "="
        how = "relaxing" if not is_equality else "raising" if multiplier > 0 else "lowering"
        saves = abs(multiplier) * amount
        prices.append(
            Price(state.name, "constraint", amount, state.units, saves, error * amount,
                  percent_of(saves, result.fun), unit_of(problem.units, OBJECTIVE),
                  OF_LIMIT if state.bound else OF_BOX, how)
        )  # fmt: skip
    return sorted(prices, key=lambda price: -price.saves), free


def bound_prices(
    result: Result, problem: Problem, local: LocalModel, forces: Forces
) -> list[Price]:
    """Prices of bounds, dearest first: one percent of the range of the variable."""
    prices = []
    for place, j in enumerate(local.free):
        for kind, strengths in (("lower bound", forces.lower), ("upper bound", forces.upper)):
            saves = PERCENT * float(strengths[place])
            if saves == 0.0:
                continue
            name = problem.variable_names[j]
            amount = PERCENT * float(problem.upper[j] - problem.lower[j])
            if local.space.logarithmic[j]:  # the same small step, seen from the bound
                at = problem.upper[j] if kind == "upper bound" else problem.lower[j]
                ratio = problem.upper[j] / problem.lower[j]
                amount = PERCENT * float(at * math.log(ratio))
            prices.append(
                Price(name, kind, amount, unit_of(problem.units, name), saves,
                      PERCENT * float(forces.bound_errors[place]), percent_of(saves, result.fun),
                      unit_of(problem.units, OBJECTIVE), OF_RANGE)
            )  # fmt: skip
    return sorted(prices, key=lambda price: -price.saves)


def percent_of(saves: float, f: float) -> float:
    """In percent of |f|."""
    return 100.0 * saves / abs(f) if f else math.nan
