"""The state of a run of UDE: made here, advanced by the kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rdex.engine.kernels import layout as shared
from rdex.engine.kernels.random import seed_words
from rdex.engine.settings import Settings
from rdex.engine.state import Limits, encoded_points, initial_points, make_box, make_limit
from rdex.engine.ude.kernels import layout
from rdex.engine.ude.kernels.layout import UdeState
from rdex.engine.ude.settings import UdeSettings
from rdex.problem.problem import Floats, Problem


def make_state(
    problem: Problem,
    settings: UdeSettings,
    maxfev: int,
    rng: Any = None,
    *,
    checkpoints: int = 2000,
    limits: Limits | None = None,
    initial: ArrayLike | None = None,
    log_variables: NDArray[np.bool_] | None = None,
    capacity: int = 2,
    goal: float = -math.inf,
) -> UdeState:
    """A run that has not begun; arguments and draws as in `rdex.engine.state.make_state`.

    There is room for a whole generation of pending rows, whatever `capacity` says.
    """
    d, m = problem.dim, problem.n_constraints
    n, H = settings.n0, settings.memory_size
    random = seed_words(rng)
    box = make_box(problem, Settings(perturb_scale=0.0), log_variables)
    limit, scale_auto = make_limit(problem, limits or Limits())
    capacity = max(capacity, n, settings.trials) + 1
    rows = 3 * n + capacity
    x = np.zeros((rows, box.shape[1]))
    x[:n, :d] = initial_points(random, box, n, d)
    if initial is not None:
        given = encoded_points(initial, problem, box)[:n]
        x[: len(given), :d] = given
    count = np.zeros(len(layout.COUNT_NAMES), dtype=np.int64)
    count[shared.N] = n
    count[shared.NEXT] = 1
    count[shared.NEXT_AT] = math.ceil(maxfev / checkpoints)
    count[shared.SCALE_AUTO] = scale_auto
    count[shared.MAPPED] = bool(box[shared.MAPPING].any())
    value = np.zeros(len(layout.VALUE_NAMES))
    value[shared.BEST_F] = value[shared.BEST_PHI] = np.inf
    cells = np.full((6, H), settings.memory_CR)
    cells[layout.CELL_F : layout.CELL_F + 3] = settings.memory_F
    cells[layout.CELL_CR + 1] = 1.0
    width = len(shared.DIAGNOSTIC_NAMES) + 6
    return UdeState(
        param=parameter_vector(settings, maxfev, checkpoints, goal),
        count=count,
        value=value,
        random=random,
        box=box,
        limit=limit,
        x=x,
        f=np.full(rows, np.inf),
        phi=np.full(rows, np.inf),
        pool=np.arange(n, dtype=np.int64),
        store=np.arange(n, 3 * n, dtype=np.int64),
        info=np.zeros((capacity, 4), dtype=np.int64),
        draw=np.zeros((capacity, 2)),
        cells=cells,
        memory=np.ascontiguousarray(cells[:, 0].reshape(2, 3)),
        tally=np.zeros((6, settings.learning_period), dtype=np.int64),
        idle=np.zeros(n, dtype=np.int64),
        best_x=np.zeros(d),
        best_g=np.full(problem.n_ineq, np.nan),
        best_h=np.full(problem.n_eq, np.nan),
        trace_f=np.full(checkpoints + 1, np.inf),
        trace_phi=np.full(checkpoints + 1, np.inf),
        diagnostic=np.full((checkpoints + 1, width), np.nan),
        initial=np.zeros((n if scale_auto else 0, m)),
        scratch=np.zeros(3 * n, dtype=np.int64),
        levels=np.zeros(n),
        centre=np.zeros(d),
        bits=np.repeat([0, shared.NEVER], [d, box.shape[1] + 1 - d]),
        sums=np.zeros((3, 4)),
    )


def parameter_vector(
    settings: UdeSettings, maxfev: int, checkpoints: int, goal: float = -math.inf
) -> Floats:
    """The constants of a run in the order of `layout.PARAM_NAMES`; 0 for what UDE has not."""
    values: dict[str, float] = {
        name.upper(): value
        for name, value in settings.as_dict().items()
        if isinstance(value, int | float)
    }
    values |= {
        "MAXFEV": maxfev,
        "GOAL": goal,
        "CHECKPOINTS": checkpoints,
        "TOP": settings.top,
        "TRIALS": settings.trials,
        "RANKED_A": "a" in settings.ranked,
        "RANKED_B": "b" in settings.ranked,
        "RANKED_C": "c" in settings.ranked,
        "RANKED_PBEST_B": "b" in settings.ranked_pbest,
        "RANKED_PBEST_C": "c" in settings.ranked_pbest,
    }
    return np.array([float(values.get(name, 0.0)) for name in layout.PARAM_NAMES])
