"""Names of everything a run of UDE holds. Shapes: n = NP, d = dimension, m = constraints.

The vectors `param`, `count` and `value` begin with the engine's positions, so that recording, the
shell and files read both kinds of runs alike, and go on with the names below. What UDE does not
have stays 0.

Everybody lives in one matrix x (with f and phi beside it), and a member is a row number:
    0 .. n-1               the population
    n .. 3 n-1             archive, trials that lost in this generation, and free rows
    3 n .. 3 n+capacity-1  trials ("pending"): the last MADE numbers of evaluations, number modulo
                           capacity, belong to this generation and stay until it ends
φ is the engine's mean violation. UDE's own is the sum, m times as much: it differs in the exponent
of the ε-schedule and nowhere else.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from rdex.engine.kernels.layout import COUNT_NAMES as ENGINE_COUNT_NAMES
from rdex.engine.kernels.layout import PARAM_NAMES as ENGINE_PARAM_NAMES
from rdex.engine.kernels.layout import VALUE_NAMES as ENGINE_VALUE_NAMES
from rdex.jit.signatures import INTEGERS, MATRIX, VECTOR

# --- param: constants of a run ------------------------------------------------------------------
PARAM_NAMES = (
    *ENGINE_PARAM_NAMES,
    "TOP", "TRIALS",
    "PBEST_LOW", "PBEST_HIGH", "RAND_TO_PBEST",
    "RANKED_A", "RANKED_B", "RANKED_C", "RANKED_PBEST_B", "RANKED_PBEST_C",
    "SHARE_FLOOR", "EPS_OFFSET", "EPS_POWER", "STAGNATION", "STAGNATED_SHARE", "SPREAD",
)  # fmt: skip
(
    TOP, TRIALS,
    PBEST_LOW, PBEST_HIGH, RAND_TO_PBEST,
    RANKED_A, RANKED_B, RANKED_C, RANKED_PBEST_B, RANKED_PBEST_C,
    SHARE_FLOOR, EPS_OFFSET, EPS_POWER, STAGNATION, STAGNATED_SHARE, SPREAD,
) = range(len(ENGINE_PARAM_NAMES), len(PARAM_NAMES))  # fmt: skip

# --- count: whole numbers that change -----------------------------------------------------------
COUNT_NAMES = (
    *ENGINE_COUNT_NAMES,
    "ARCHIVED",  # members of the archive
    "CURSOR_1", "CURSOR_2", "CURSOR_3",  # cells that the next update of each strategy writes
    "REVIVED",  # stagnated members replaced from the archive so far
)  # fmt: skip
ARCHIVED, CURSOR_1, CURSOR_2, CURSOR_3, REVIVED = range(len(ENGINE_COUNT_NAMES), len(COUNT_NAMES))

# --- value: real numbers that change ------------------------------------------------------------
VALUE_NAMES = (
    *ENGINE_VALUE_NAMES,
    "EPS0", "EPS_CP",  # ε at the start and its exponent cp
    "UP_TO_1", "UP_TO_2",  # roulette: a number below chooses strategy 1; else, below, 2; else 3
)  # fmt: skip
EPS0, EPS_CP, UP_TO_1, UP_TO_2 = range(len(ENGINE_VALUE_NAMES), len(VALUE_NAMES))

# --- column of info, where the engine has PARTNER: which trial of its generation the row is -------
PLACE = 2

# --- strategies, as KIND of a pending row (0 is an initial point) -------------------------------
RAND_1, CURRENT_TO_RAND_1, CURRENT_TO_PBEST_1 = range(1, 4)

# --- rows of cells and tally: three strategies each ---------------------------------------------
CELL_F, CELL_CR = 0, 3
WON, LOST = 0, 3


class UdeState(NamedTuple):
    """All that a run is: restoring it continues the run bit for bit."""

    param: np.ndarray  # constants
    count: np.ndarray  # whole numbers
    value: np.ndarray  # real numbers
    random: np.ndarray  # xoshiro256++ with words made ahead
    box: np.ndarray  # (6, columns) as in the engine
    limit: np.ndarray  # (3, m) as in the engine
    x: np.ndarray  # (3 n + capacity, columns) columns as in the engine
    f: np.ndarray  # (3 n + capacity,)
    phi: np.ndarray  # (3 n + capacity,)
    pool: np.ndarray  # (n,) rows of the population, best first
    store: np.ndarray  # (2 n,) a permutation of the rows n .. 3 n-1: the archive, best first, then
    #                    the STAGED losers of this generation, then the free rows
    info: np.ndarray  # (capacity, 4) TARGET, KIND, PLACE, IS_IN of the pending rows
    draw: np.ndarray  # (capacity, 2) DRAW_F, DRAW_CR of the pending rows
    cells: np.ndarray  # (6, H) memories: M_F of the three strategies, M_CR of the three
    memory: np.ndarray  # (2, 3) their means, for the record; M_CR of strategy 2 stays 1
    tally: np.ndarray  # (6, Lp) wins of the three strategies and losses, by generation modulo Lp
    idle: np.ndarray  # (n,) generations since row i was last replaced
    best_x: np.ndarray  # (d,) best so far, feasibility first
    best_g: np.ndarray  # (m_g,)
    best_h: np.ndarray  # (m_h,)
    trace_f: np.ndarray  # (K + 1,) best f after initialisation and at checkpoints 1 .. K
    trace_phi: np.ndarray  # (K + 1,) its mean violation, never scaled
    diagnostic: np.ndarray  # (K + 1, 6 + 2 · 3) as in the engine
    initial: np.ndarray  # (n, m) constraints of the initial points, if weights are automatic
    scratch: np.ndarray  # (3 n,) for sorting
    levels: np.ndarray  # (n,) for medians
    centre: np.ndarray  # (d,) the centroid
    bits: np.ndarray  # (columns + 1,) for the crossover
    sums: np.ndarray  # (3, 4) by strategy: Σw, Σw·F, Σw·F², Σw·CR


SUM_W, SUM_WF, SUM_WFF, SUM_WCR = range(4)

TABLE = types.int64[:, ::1]
STATE_TYPE = types.NamedTuple(
    (
        VECTOR, INTEGERS, VECTOR, types.uint64[::1], MATRIX, MATRIX, MATRIX, VECTOR, VECTOR,
        INTEGERS, INTEGERS, TABLE, MATRIX, MATRIX, MATRIX, TABLE, INTEGERS,
        VECTOR, VECTOR, VECTOR, VECTOR, VECTOR, MATRIX,
        MATRIX, INTEGERS, VECTOR, VECTOR, INTEGERS, MATRIX,
    ),
    UdeState,
)  # fmt: skip
