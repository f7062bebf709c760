"""The state of a run: made, saved, restored. No step of the method is here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.engine.kernels import layout
from rdex.engine.kernels.layout import LARGEST_BATCH, State
from rdex.engine.settings import Settings
from rdex.problem.checks import as_floats
from rdex.problem.problem import Floats, Problem

#: Absolute perturbations are tuned on boxes this wide; "range" scales by width / this.
REFERENCE_WIDTH = 200.0

#: Columns of a row of x are a multiple of this.
LANES = 8


class Rows(NamedTuple):
    """How large the arrays of a state are."""

    n0: int
    x: int  # rows of members.x
    f: int  # rows of members.f and members.phi
    memory: int  # H


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
                raise ValueError(f"{label} must be finite and >= 0, got {values.tolist()!r}")
        if isinstance(self.scale, str):
            if self.scale not in ("none", "auto"):
                raise ValueError(
                    f'constraint_scale must be "auto", "none" or numbers, got {self.scale!r}'
                )
            return
        values = np.asarray(self.scale, dtype=np.float64)
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise ValueError(positive_numbers(values.size, values.tolist()))

    @classmethod
    def of(cls, problem: Problem, eq_tol: Any, ineq_tol: Any, scale: Any) -> Limits:
        """The arguments of a user, checked against the numbers of constraints."""
        tolerances = []
        for label, value, count in (
            ("eq_tol", eq_tol, problem.n_eq),
            ("ineq_tol", ineq_tol, problem.n_ineq),
        ):
            array = as_floats(label, value)
            if array.ndim and array.shape != (count,):
                raise ValueError(f"{label} must be one number or {count}, got shape {array.shape}")
            tolerances.append(array)
        if scale is None:
            scale = "none"
        if not isinstance(scale, str):
            array = as_floats("constraint_scale", scale)
            if array.shape != (problem.n_constraints,):
                raise ValueError(positive_numbers(problem.n_constraints, scale))
            scale = array
        return cls(tolerances[0], tolerances[1], scale)


def positive_numbers(n: int, given: Any) -> str:
    """What to say about scales that are none."""
    return f"constraint_scale must be {n} positive numbers, inequalities first, got {given!r}"


class Request(NamedTuple):
    """What is asked of a run beside its problem and its settings.

    maxfev: budget; never exceeded, and part of the algorithm: ε and N follow NFE / maxfev.
    rng: anything `numpy.random.default_rng` accepts.
    checkpoints: number K of records of the best so far.
    limits: tolerances and scales of the constraints.
    initial: (k, d) points, in the user's space, that replace the first k random initial ones.
    log_variables: (d,) flags of the variables searched on a logarithmic scale.
    capacity: the most rows that can be asked and not told at a time; even, at least 2.
    goal: `Engine.run` stops at a feasible point with f at or below it.
    """

    maxfev: int
    rng: Any = None
    checkpoints: int = 2000
    limits: Limits = Limits()
    initial: ArrayLike | None = None
    log_variables: NDArray[np.bool_] | None = None
    capacity: int = 2 * LARGEST_BATCH
    goal: float = -math.inf


class Begun(NamedTuple):
    """What a new state has whatever the method; made by `begin`."""

    random: NDArray[np.uint64]
    box: Floats
    limit: Floats
    run: NDArray[Any]
    members: layout.Members
    best: layout.Best
    trace: layout.Trace
    initial: Floats


def begin(
    problem: Problem, request: Request, box: Floats, dtype: np.dtype[Any], rows: Rows
) -> Begun:
    """Everything that states share, allocated once, for the largest population.

    box: from `make_box`. dtype: of the record `run`. Draws: N0 · D uniform numbers, row by row,
    whether or not initial points are given.
    """
    d, n0 = problem.dim, rows.n0
    random = seed_words(request.rng)
    limit, scale_auto = make_limit(problem, request.limits)
    x = np.zeros((rows.x, padded(d)))
    K = request.checkpoints
    return Begun(
        random,
        box,
        limit,
        record(
            dtype,
            n=n0,
            next=1,
            next_at=math.ceil(request.maxfev / K),
            scale_auto=scale_auto,
            mapped=bool(box[layout.MAPPING].any()),
            best_f=np.inf,
            best_phi=np.inf,
        ),
        layout.Members(x, np.full(rows.f, np.inf), np.full(rows.f, np.inf)),
        layout.Best(np.zeros(d), np.full(problem.n_ineq, np.nan), np.full(problem.n_eq, np.nan)),
        layout.Trace(
            np.full(K + 1, np.inf),
            np.full(K + 1, np.inf),
            np.full((K + 1, len(layout.DIAGNOSTIC_NAMES) + 2 * rows.memory), np.nan),
        ),
        np.zeros((n0 if scale_auto else 0, problem.n_constraints)),
    )


def make_state(problem: Problem, settings: Settings, request: Request) -> State:
    """A run that has not begun."""
    n0 = settings.initial_size(problem.dim, request.maxfev)
    H, capacity = settings.memory_size, request.capacity
    n_rows = 3 * n0 + capacity
    rows = Rows(n0, n_rows + 1, n_rows, H)
    box = make_box(problem, request.log_variables)
    box[layout.UNIT, : problem.dim] = perturbation(box[:, : problem.dim], settings)
    begun = begin(problem, request, box, layout.RUN, rows)
    begun.run["race_owed"] = -1
    begun.run["sr"] = settings.start_SR
    begun.run["F_centre"] = settings.start_SR**settings.F_exponent
    begun.run["rho"] = settings.eb_rate
    return State(
        settings=settings_record(settings, n0, request.maxfev, request.checkpoints, request.goal),
        run=begun.run,
        random=begun.random,
        box=begun.box,
        limit=begun.limit,
        members=begun.members,
        ranks=layout.Ranks(np.arange(n0, dtype=np.int64), np.arange(n0, 3 * n0, dtype=np.int64)),
        pending=np.zeros(capacity, layout.PENDING),
        slots=np.zeros(n0, layout.SLOT),
        memory=np.array([[settings.memory_F] * H, [settings.memory_CR] * H]),
        best=begun.best,
        trace=begun.trace,
        initial=begun.initial,
        scratch=layout.Scratch(
            np.zeros(2 * n0, dtype=np.int64),
            np.zeros(n0),
            crossover_bits(problem.dim, box.shape[1]),
        ),
    )


def seed_words(rng: Any) -> NDArray[np.uint64]:
    """The state of a generator, from whatever `numpy.random.default_rng` accepts.

    Ints, sequences of ints, None and SeedSequence go through `SeedSequence.generate_state`. From a
    Generator, BitGenerator or RandomState four words are drawn, which advances it; nothing is
    spawned from it.
    """
    state = np.zeros(layout.END, np.uint64)
    state[: layout.CURSOR] = _four_words(rng)
    state[layout.CURSOR] = layout.END  # nothing is made yet
    return state


def _four_words(rng: Any) -> NDArray[Any]:
    if isinstance(rng, np.random.SeedSequence):
        return rng.generate_state(4, np.uint64)
    if isinstance(rng, np.random.Generator | np.random.BitGenerator | np.random.RandomState):
        generator = np.random.default_rng(rng)
        return generator.integers(0, 2**64, size=4, dtype=np.uint64)
    try:
        return np.random.SeedSequence(rng).generate_state(4, np.uint64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "rng must be what numpy.random.default_rng accepts (None, int, sequence of ints, "
            f"SeedSequence, BitGenerator, Generator), got {rng!r}"
        ) from error


def crossover_bits(d: int, columns: int) -> NDArray[np.int64]:
    """Room for the bits of d variables; those of filled-up columns are never taken."""
    return np.repeat([0, layout.NEVER], [d, columns + 1 - d])


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


def perturbation(box: Floats, settings: Settings) -> Floats | float:
    """Scale of the perturbation of every variable."""
    if settings.perturb_unit == "absolute":
        return settings.perturb_scale
    width: Floats = box[layout.UPPER] - box[layout.LOWER]
    return settings.perturb_scale * (width / REFERENCE_WIDTH)


def padded(d: int) -> int:
    """Columns of a row of x for d variables."""
    return -(-d // LANES) * LANES


def make_box(problem: Problem, log_variables: NDArray[np.bool_] | None) -> Floats:
    """Per variable: the engine's bounds, room for the perturbation scale, the user's bounds, the
    mapping. Columns are filled up with zeros.

    An integer variable is real in the engine, on an interval half a unit wider than its integers
    at each end, so that rounding gives every integer the same share.
    """
    columns = np.zeros((6, padded(problem.dim)))
    box = columns[:, : problem.dim]
    lower, upper = (ends.copy() for ends in problem.inner_bounds)
    box[layout.LOW_OUT], box[layout.HIGH_OUT] = lower, upper
    if problem.integrality is not None:
        whole = problem.integrality
        lower[whole] -= 0.5
        upper[whole] += 0.5
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
    return columns


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


def settings_record(
    settings: Settings, n0: int, maxfev: int, checkpoints: int, goal: float = -math.inf
) -> NDArray[Any]:
    """The constants of a run as kernels read them."""
    return record(
        layout.SETTINGS,
        settings,
        n0=n0,
        maxfev=maxfev,
        goal=goal,
        checkpoints=checkpoints,
        rank_mass=1.0 - math.exp(-settings.rank_pressure),
        eb_CR_floor_1=settings.eb_CR_floors[0],
        eb_CR_floor_2=settings.eb_CR_floors[1],
        eb_CR_until_1=settings.eb_CR_floors_until[0],
        eb_CR_until_2=settings.eb_CR_floors_until[1],
        F_by_memory=settings.F_rule == "memory",
        eps_by_rank=settings.eps_position == "paper",
        sweep=settings.targets == "sweep",
        replace_target=settings.replacement == "target",
        eb_by_objective=settings.eb_order == "objective",
        eb_credit_objective=settings.eb_credit == "objective",
        eq_excess=settings.equality == "excess",
        race_CR_low=settings.race_CR[0],
        race_CR_high=settings.race_CR[1],
    )


def record(dtype: np.dtype[Any], source: Any = None, **values: Any) -> NDArray[Any]:
    """One record: `values`, then attributes of `source` of the same name, then zeros."""
    array = np.zeros(1, dtype)
    array[0] = tuple(
        values[name] if name in values else getattr(source, name, 0) for name in dtype.names or ()
    )
    return array


def flattened(state: Any, prefix: str = "") -> dict[str, NDArray[Any]]:
    """All arrays of a state by name; those of groups as `group.name`."""
    arrays = {}
    for name, value in state._asdict().items():
        if isinstance(value, np.ndarray):
            arrays[prefix + name] = value
        else:
            arrays |= flattened(value, f"{prefix}{name}.")
    return arrays


def with_arrays(like: Any, arrays: dict[str, NDArray[Any]], prefix: str = "") -> Any:
    """A state like `like` that holds these arrays, named as by `flattened`."""
    values = {}
    for name, value in like._asdict().items():
        if isinstance(value, np.ndarray):
            values[name] = arrays[prefix + name]
        else:
            values[name] = with_arrays(value, arrays, f"{prefix}{name}.")
    return type(like)(**values)
