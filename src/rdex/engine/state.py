"""The state of a run: made, saved, restored. No step of the method is here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.engine.kernels import layout
from rdex.engine.kernels.layout import State
from rdex.engine.kernels.random import seed_words
from rdex.engine.settings import Settings
from rdex.problem.problem import Floats, Problem

#: Absolute perturbations are tuned on boxes this wide; "range" scales by width / this.
REFERENCE_WIDTH = 200.0


@dataclass(frozen=True)
class Limits:
    """How constraints are judged.

    eq_tol, ineq_tol: |h| > eq_tol and g > ineq_tol are violations; one number or one each.
    scale: "none", "auto" (median |c| over the initial points) or one number per constraint,
    inequalities first; a violation is divided by its scale before φ averages them.
    """

    eq_tol: Any = 1e-4
    ineq_tol: Any = 0.0
    scale: Any = "none"

    def __post_init__(self) -> None:
        for label in ("eq_tol", "ineq_tol"):
            values = np.asarray(getattr(self, label), dtype=np.float64)
            if not (np.isfinite(values).all() and (values >= 0).all()):
                raise ValueError(f"{label} must be finite and >= 0, got {getattr(self, label)!r}")
        if isinstance(self.scale, str):
            if self.scale not in ("none", "auto"):
                raise ValueError(f'scale must be "none", "auto" or numbers, got {self.scale!r}')
        else:
            values = np.asarray(self.scale, dtype=np.float64)
            if not (np.isfinite(values).all() and (values > 0).all()):
                raise ValueError(f"scale must hold positive numbers, got {self.scale!r}")


def make_state(
    problem: Problem,
    settings: Settings,
    maxfev: int,
    rng: Any = None,
    *,
    checkpoints: int = 2000,
    limits: Limits | None = None,
    initial: ArrayLike | None = None,
    log_variables: NDArray[np.bool_] | None = None,
    capacity: int = 2,
    goal: float = -math.inf,
) -> State:
    """A run that has not begun: everything allocated once, for the largest population.

    `initial` (k, d): points of the user's space that replace the first k of the N0 random ones.
    Draws: N0 · D uniform numbers, row by row, whether or not `initial` is given.
    """
    d = problem.dim
    m_g, m_h = problem.n_ineq, problem.n_eq
    n0 = settings.initial_size(d, maxfev)
    H = settings.memory_size
    limits = limits or Limits()
    random = seed_words(rng)
    box = make_box(problem, settings, log_variables)
    limit, scale_auto = make_limit(problem, limits)
    rows = 3 * n0 + capacity
    x = np.zeros((rows + 1, layout.padded(d)))
    x[:n0, :d] = initial_points(random, box, n0, d)
    if initial is not None:
        given = encoded_points(initial, problem, box)[:n0]
        x[: len(given), :d] = given
    count = np.zeros(len(layout.COUNT_NAMES), dtype=np.int64)
    count[layout.N] = n0
    count[layout.RACE_OWED] = -1
    count[layout.NEXT] = 1
    count[layout.NEXT_AT] = math.ceil(maxfev / checkpoints)
    count[layout.SCALE_AUTO] = scale_auto
    count[layout.MAPPED] = bool(box[layout.MAPPING].any())
    value = np.zeros(len(layout.VALUE_NAMES))
    value[layout.SR] = settings.start_SR
    value[layout.F_CENTRE] = settings.start_SR**settings.F_exponent
    value[layout.RHO] = settings.eb_rate
    value[layout.BEST_F] = value[layout.BEST_PHI] = np.inf
    return State(
        param=parameter_vector(settings, n0, maxfev, checkpoints, goal),
        count=count,
        value=value,
        random=random,
        box=box,
        limit=limit,
        x=x,
        f=np.full(rows, np.inf),
        phi=np.full(rows, np.inf),
        front=np.arange(n0, dtype=np.int64),
        pool=np.arange(n0, 3 * n0, dtype=np.int64),
        info=np.zeros((capacity, 4), dtype=np.int64),
        draw=np.zeros((capacity, 5)),
        memory=np.array([[settings.memory_F] * H, [settings.memory_CR] * H]),
        best_x=np.zeros(d),
        best_g=np.full(m_g, np.nan),
        best_h=np.full(m_h, np.nan),
        trace_f=np.full(checkpoints + 1, np.inf),
        trace_phi=np.full(checkpoints + 1, np.inf),
        diagnostic=np.full((checkpoints + 1, len(layout.DIAGNOSTIC_NAMES) + 2 * H), np.nan),
        slot=np.zeros((n0, 3)),
        initial=np.zeros((n0 if scale_auto else 0, m_g + m_h)),
        scratch=np.zeros(2 * n0, dtype=np.int64),
        levels=np.zeros(n0),
        bits=np.repeat([0, layout.NEVER], [d, layout.padded(d) + 1 - d]),
    )


def initial_points(random: NDArray[np.uint64], box: Floats, n: int, d: int) -> Floats:
    """`n` uniform points (n, d) of the box."""
    from rdex.engine.kernels.points import uniform_points

    points = np.empty((n, d))
    uniform_points(random, box, points)
    return points


def encoded_points(initial: ArrayLike, problem: Problem, box: Floats) -> Floats:
    """Points (k, d) of the user's space in the engine's; a ValueError if they leave the bounds."""
    points = np.array(initial, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != problem.dim:
        raise ValueError(f"initial points must be (k, {problem.dim}), got shape {points.shape}")
    inside = (points >= problem.lower) & (points <= problem.upper)
    if not inside.all():
        i, j = np.argwhere(~inside)[0]
        raise ValueError(
            f"initial[{i}, {j}] must be in [{problem.lower[j]}, {problem.upper[j]}], "
            f"got {points[i, j]}"
        )
    box = box[:, : problem.dim]
    is_log = box[layout.MAPPING] == layout.LOGARITHMIC
    points[:, is_log] = np.log10(points[:, is_log])
    return np.clip(points, box[layout.LOWER], box[layout.UPPER])


def make_box(
    problem: Problem, settings: Settings, log_variables: NDArray[np.bool_] | None
) -> Floats:
    """Per variable: the engine's bounds, perturbation scale, the user's bounds, the mapping.

    An integer variable is real in the engine, on an interval half a unit wider than its integers
    at each end, so that rounding gives every integer the same share.
    """
    box = np.zeros((6, problem.dim))
    lower, upper = problem.lower.copy(), problem.upper.copy()
    box[layout.LOW_OUT], box[layout.HIGH_OUT] = lower, upper
    if problem.integrality is not None:
        whole = problem.integrality
        box[layout.LOW_OUT, whole] = np.ceil(lower[whole])
        box[layout.HIGH_OUT, whole] = np.floor(upper[whole])
        lower[whole] = box[layout.LOW_OUT, whole] - 0.5
        upper[whole] = box[layout.HIGH_OUT, whole] + 0.5
        box[layout.MAPPING, whole] = layout.WHOLE
    if log_variables is not None and log_variables.any():
        is_integer = (
            np.zeros(problem.dim, bool) if problem.integrality is None else problem.integrality
        )
        if (lower[log_variables] <= 0).any() or is_integer[log_variables].any():
            raise ValueError("a logarithmic variable needs a lower bound > 0 and no integrality")
        lower[log_variables] = np.log10(lower[log_variables])
        upper[log_variables] = np.log10(upper[log_variables])
        box[layout.MAPPING, log_variables] = layout.LOGARITHMIC
    box[layout.LOWER], box[layout.UPPER] = lower, upper
    in_range = settings.perturb_unit == "range"
    box[layout.UNIT] = settings.perturb_scale * (
        (upper - lower) / REFERENCE_WIDTH if in_range else 1.0
    )
    return np.pad(box, ((0, 0), (0, layout.padded(problem.dim) - problem.dim)))


def make_limit(problem: Problem, limits: Limits) -> tuple[Floats, bool]:
    """Per constraint: tolerance, weight, and ones; and whether weights come from the start."""
    m = problem.n_constraints
    limit = np.ones((3, m))
    limit[layout.TOLERANCE, : problem.n_ineq] = limits.ineq_tol
    limit[layout.TOLERANCE, problem.n_ineq :] = limits.eq_tol
    auto = isinstance(limits.scale, str) and limits.scale == "auto"
    if not isinstance(limits.scale, str):
        limit[layout.WEIGHT] = 1.0 / np.asarray(limits.scale, dtype=np.float64)
    return limit, auto and m > 0


def parameter_vector(
    settings: Settings, n0: int, maxfev: int, checkpoints: int, goal: float = -math.inf
) -> Floats:
    """The constants of a run in the order of `layout.PARAM_NAMES`."""
    special: dict[str, float] = {
        "N0": n0,
        "MAXFEV": maxfev,
        "GOAL": goal,
        "CHECKPOINTS": checkpoints,
        "RANK_MASS": 1.0 - math.exp(-settings.rank_pressure),
        "EB_CR_FLOOR_1": settings.eb_CR_floors[0],
        "EB_CR_FLOOR_2": settings.eb_CR_floors[1],
        "EB_CR_UNTIL_1": settings.eb_CR_floors_until[0],
        "EB_CR_UNTIL_2": settings.eb_CR_floors_until[1],
        "F_BY_MEMORY": settings.F_rule == "memory",
        "EPS_BY_RANK": settings.eps_position == "paper",
        "SWEEP": settings.targets == "sweep",
        "REPLACE_TARGET": settings.replacement == "target",
        "EB_BY_OBJECTIVE": settings.eb_order == "objective",
        "EB_CREDIT_OBJECTIVE": settings.eb_credit == "objective",
        "EQ_EXCESS": settings.equality == "excess",
        "RACE_CR_LOW": settings.race_CR[0],
        "RACE_CR_HIGH": settings.race_CR[1],
    }
    fields = {name.upper(): value for name, value in settings.as_dict().items()}
    return np.array([float((fields | special)[name]) for name in layout.PARAM_NAMES])
