"""The state of a run of UDE: made here, advanced by the kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.engine.kernels.layout import PENDING
from rdex.engine.state import Request, Rows, begin, crossover_bits, make_box, record
from rdex.engine.ude.kernels import layout
from rdex.engine.ude.kernels.layout import UdeState
from rdex.engine.ude.settings import UdeSettings
from rdex.problem.problem import Problem


def make_state(problem: Problem, settings: UdeSettings, request: Request) -> UdeState:
    """A run that has not begun.

    There is room for a whole generation of pending rows, whatever `request.capacity` says.
    """
    d, n, H = problem.dim, settings.n0, settings.memory_size
    capacity = max(request.capacity, n, settings.trials) + 1
    rows = Rows(n, 3 * n + capacity, 3 * n + capacity, 3)
    box = make_box(problem, request.log_variables)
    begun = begin(problem, request, box, layout.UDE_RUN, rows)
    cells = np.full((6, H), settings.memory_CR)
    cells[layout.CELL_F : layout.CELL_F + 3] = settings.memory_F
    cells[layout.CELL_CR + 1] = 1.0
    return UdeState(
        settings=settings_record(settings, request.maxfev, request.checkpoints, request.goal),
        run=begun.run,
        random=begun.random,
        box=begun.box,
        limit=begun.limit,
        members=begun.members,
        ranks=layout.UdeRanks(
            np.arange(n, dtype=np.int64),
            np.arange(n, 3 * n, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
        ),
        pending=np.zeros(capacity, PENDING),
        learnt=layout.Learnt(
            cells,
            np.zeros(3, dtype=np.int64),
            np.zeros((6, settings.learning_period), dtype=np.int64),
            np.zeros((3, 4)),
        ),
        memory=np.ascontiguousarray(cells[:, 0].reshape(2, 3)),
        best=begun.best,
        trace=begun.trace,
        initial=begun.initial,
        scratch=layout.UdeScratch(
            np.zeros(3 * n, dtype=np.int64),
            np.zeros(n),
            crossover_bits(d, begun.box.shape[1]),
            np.zeros(d),
        ),
    )


def settings_record(
    settings: UdeSettings, maxfev: int, checkpoints: int, goal: float = -math.inf
) -> NDArray[Any]:
    """The constants of a run as kernels read them."""
    return record(
        layout.UDE_SETTINGS,
        settings,
        maxfev=maxfev,
        goal=goal,
        checkpoints=checkpoints,
        ranked_a="a" in settings.ranked,
        ranked_b="b" in settings.ranked,
        ranked_c="c" in settings.ranked,
        ranked_pbest_b="b" in settings.ranked_pbest,
        ranked_pbest_c="c" in settings.ranked_pbest,
    )
