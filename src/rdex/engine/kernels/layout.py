"""Names of everything a run holds. Shapes: n0 = initial size, d = dimension, m = constraints.

The state crosses from Python to compiled code as one NamedTuple of arrays. Numbers that change
live in the vectors `count` (int64) and `value` (float64), constants of the run in `param`
(float64), each with the named positions below: a bare number in the tuple would make numba
compile again.

Everybody lives in one matrix x (with f and phi beside it), and a member is a row number:
    0 .. n0-1               the front, row = slot of the ring
    n0 .. 3 n0-1            P, the successes set aside for it, and free rows
    3 n0 .. 3 n0+capacity-1 rows handed out and not yet decided ("pending")
    the last row            spare: the parent of a perturbed trial
Rows of x and box are filled up with zeros to a whole number of vectors, `padded(d)` columns: the
loops over them need no remainder, which took as long as the rest.
Kernels pass row numbers, not row views: a view costs two atomic reference counts, which took half
of the run time.
"""

from typing import NamedTuple

import numpy as np
from numba import types

from rdex.jit.signatures import INTEGERS, MATRIX, VECTOR

#: Columns of a row are a multiple of this.
LANES = 8

#: Bits of a filled-up column: above every limit, so that it is never taken from the mutant.
NEVER = np.int64(2**63 - 1)


def padded(d):
    """Columns of a row of x for d variables."""
    return -(-d // LANES) * LANES


# --- param: constants of a run, written by `engine.state.parameter_vector` -----------------------
PARAM_NAMES = (
    "N0", "N_MIN", "MAXFEV", "CHECKPOINTS",
    "MEMORY_F", "MEMORY_CR", "MEMORY_WEIGHT",
    "F_BY_MEMORY", "F_EXPONENT", "F_SIGMA", "F_CAUCHY", "CR_SIGMA", "START_SR",
    "PBEST_SHARE", "RANK_PRESSURE", "RANK_MASS", "EPS_SHARE", "EPS_UNTIL",
    "EPS_BY_RANK", "EPS_FLOOR_UNTIL", "EPS_FLOOR_POWER", "SWEEP", "REPLACE_TARGET",
    "PERTURB_PROBABILITY", "PERTURB_SCALE", "REPAIR_SHARE",
    "EB_FROM", "EB_RATE", "EB_PBEST_SHARE", "EB_PBEST_DECAY", "EB_F", "EB_CR",
    "EB_CR_FLOOR_1", "EB_CR_UNTIL_1", "EB_CR_FLOOR_2", "EB_CR_UNTIL_2",
    "EB_BY_OBJECTIVE", "EB_CREDIT_OBJECTIVE", "EQ_EXCESS",
    "RACE", "RACE_UNTIL", "RACE_FEASIBLE_SHARE", "RACE_FEASIBLE_PHI", "RACE_TARGET_SHARE",
    "RACE_DONOR_SHARE", "RACE_PULL", "RACE_PUSH", "RACE_CR_LOW", "RACE_CR_HIGH",
    "RESTART_AFTER", "GOAL",
)  # fmt: skip
(
    N0, N_MIN, MAXFEV, CHECKPOINTS,
    MEMORY_F, MEMORY_CR, MEMORY_WEIGHT,
    F_BY_MEMORY, F_EXPONENT, F_SIGMA, F_CAUCHY, CR_SIGMA, START_SR,
    PBEST_SHARE, RANK_PRESSURE, RANK_MASS, EPS_SHARE, EPS_UNTIL,
    EPS_BY_RANK, EPS_FLOOR_UNTIL, EPS_FLOOR_POWER, SWEEP, REPLACE_TARGET,
    PERTURB_PROBABILITY, PERTURB_SCALE, REPAIR_SHARE,
    EB_FROM, EB_RATE, EB_PBEST_SHARE, EB_PBEST_DECAY, EB_F, EB_CR,
    EB_CR_FLOOR_1, EB_CR_UNTIL_1, EB_CR_FLOOR_2, EB_CR_UNTIL_2,
    EB_BY_OBJECTIVE, EB_CREDIT_OBJECTIVE, EQ_EXCESS,
    RACE, RACE_UNTIL, RACE_FEASIBLE_SHARE, RACE_FEASIBLE_PHI, RACE_TARGET_SHARE,
    RACE_DONOR_SHARE, RACE_PULL, RACE_PUSH, RACE_CR_LOW, RACE_CR_HIGH,
    RESTART_AFTER, GOAL,
) = range(len(PARAM_NAMES))  # fmt: skip

# --- count: whole numbers that change -----------------------------------------------------------
COUNT_NAMES = (
    "N",  # present size of front and P
    "GENERATION",  # finished generations
    "ASKED",  # evaluations handed out
    "TOLD",  # evaluations whose results are in: NFE
    "MADE",  # trials drawn in this generation
    "DONE",  # trials decided in this generation
    "STAGED",  # successes set aside for P
    "SUCCESSES",  # successes of this generation
    "RING",  # slot of the front that the next success overwrites
    "MEMORY",  # slot of the memories that the next update writes
    "RACE_OWED",  # pending row whose race partner must be drawn next, or -1
    "READY",  # 1 once the initial points of this population are all in
    "ARRIVED",  # how many of them are
    "SETTLED_AT",  # evaluations of this population when, settled, it last improved; else 0
    "RESTARTS",  # populations before this one
    "NEXT",  # next checkpoint, 1 .. K
    "NEXT_AT",  # evaluations at which it is due
    "BEST_AT",  # evaluations when the best was found
    "FEASIBLE_AT",  # evaluations when the first feasible point was found, 0 if never
    "FAILED",  # failed evaluations
    "SCALE_AUTO",  # 1 if constraint weights come from the initial points
    "MAPPED",  # 1 if some variable is integer or logarithmic
    "INSIDE",  # members of the front with φ <= ε
    "NEARLY",  # members of the front with φ < RACE_FEASIBLE_PHI
)
(
    N, GENERATION, ASKED, TOLD, MADE, DONE, STAGED, SUCCESSES, RING, MEMORY, RACE_OWED, READY,
    ARRIVED, SETTLED_AT, RESTARTS, NEXT, NEXT_AT, BEST_AT, FEASIBLE_AT, FAILED, SCALE_AUTO, MAPPED,
    INSIDE, NEARLY,
) = range(len(COUNT_NAMES))  # fmt: skip

# --- value: real numbers that change ------------------------------------------------------------
VALUE_NAMES = (
    "EPS",  # ε of this generation
    "SR",  # success rate of the last generation
    "F_CENTRE",  # SR ** F_EXPONENT
    "RHO",  # share of exploitation-biased trials
    "EPS_START",  # largest φ of the initial points of this population
    "CLOCK",  # used share of the time, 0 without a time limit
    "SINCE", "CLOCK_SINCE",  # evaluations handed out, and CLOCK, when this population began
    "LEAST_F", "LEAST_PHI",  # best member of a settled front
    "BEST_F", "BEST_PHI",
    "GAIN_EB", "GAIN_STD",  # ΣΔ by branch
    "SUM_W", "SUM_WF", "SUM_WFF", "SUM_WA", "SUM_WAA",  # sums for the weighted Lehmer means
)  # fmt: skip
(
    EPS, SR, F_CENTRE, RHO, EPS_START, CLOCK, SINCE, CLOCK_SINCE, LEAST_F, LEAST_PHI,
    BEST_F, BEST_PHI, GAIN_EB, GAIN_STD, SUM_W, SUM_WF, SUM_WFF, SUM_WA, SUM_WAA,
) = range(len(VALUE_NAMES))  # fmt: skip

# --- columns of info and draw: what a pending row is, and how it was drawn ----------------------
TARGET, KIND, PARTNER, IS_IN = range(4)
INITIAL, STANDARD, BIASED, LATE = range(4)  # values of KIND; LATE: of a population before
DRAW_F, DRAW_CR, SHARE, TARGET_F, TARGET_PHI = range(5)

# --- rows of box: per variable ------------------------------------------------------------------
LOWER, UPPER, UNIT, LOW_OUT, HIGH_OUT, MAPPING = range(6)
PLAIN, WHOLE, LOGARITHMIC = range(3)  # values in row MAPPING

# --- rows of limit: per constraint, inequalities first ------------------------------------------
TOLERANCE, WEIGHT, UNWEIGHTED = range(3)

# --- columns of slot: f at the start of the generation, f and branch of the latest trial --------
START_F, LATEST_F, LATEST_BIASED = range(3)

# --- columns of the diagnostics, followed by the memories M_F and M_CR --------------------------
DIAGNOSTIC_NAMES = ("eps", "n", "sr", "rho", "feasible_share", "generation")


class State(NamedTuple):
    """All that a run is: restoring it continues the run bit for bit."""

    param: np.ndarray  # constants
    count: np.ndarray  # whole numbers
    value: np.ndarray  # real numbers
    random: np.ndarray  # (133,) xoshiro256++ with words made ahead
    box: np.ndarray  # (6, padded d) LOWER .. MAPPING
    limit: np.ndarray  # (3, m) TOLERANCE, WEIGHT, UNWEIGHTED
    x: np.ndarray  # (3 n0 + capacity + 1, padded d)
    f: np.ndarray  # (3 n0 + capacity,)
    phi: np.ndarray  # (3 n0 + capacity,)
    front: np.ndarray  # (n0,) the first N: slots of the front, best first by ε-score
    pool: np.ndarray  # (2 n0,) a permutation of the rows n0 .. 3 n0-1: P, best first by ε-score,
    #                   then the STAGED successes of this generation, then the free rows
    info: np.ndarray  # (capacity, 4) TARGET .. IS_IN of the pending rows
    draw: np.ndarray  # (capacity, 5) DRAW_F .. TARGET_PHI of the pending rows
    memory: np.ndarray  # (2, H) M_F and M_CR
    best_x: np.ndarray  # (d,) best so far, feasibility first
    best_g: np.ndarray  # (m_g,)
    best_h: np.ndarray  # (m_h,)
    trace_f: np.ndarray  # (K + 1,) best f after initialisation and at checkpoints 1 .. K
    trace_phi: np.ndarray  # (K + 1,) its mean violation, never scaled
    diagnostic: np.ndarray  # (K + 1, 6 + 2 H) DIAGNOSTIC_NAMES, M_F, M_CR
    slot: np.ndarray  # (n0, 3) START_F .. LATEST_BIASED
    initial: np.ndarray  # (n0, m) constraints of the initial points, if weights are automatic
    scratch: np.ndarray  # (2 n0,) for sorting
    levels: np.ndarray  # (n0,) for the order statistic
    bits: np.ndarray  # (padded d + 1,) for the crossover


MF, MCR = range(2)  # rows of memory


def point_type(state_type):
    """What is bound for one point at a time: state, g, h and the next point."""
    return types.Tuple((state_type, VECTOR, VECTOR, VECTOR))


def batch_type(state_type):
    """What is bound for batches: state, f, g, h and the next points, with room for the largest."""
    return types.Tuple((state_type, VECTOR, MATRIX, MATRIX, MATRIX))


STATE_TYPE = types.NamedTuple(
    (
        VECTOR, INTEGERS, VECTOR, types.uint64[::1], MATRIX, MATRIX, MATRIX, VECTOR, VECTOR,
        INTEGERS, INTEGERS, types.int64[:, ::1], MATRIX, MATRIX, VECTOR, VECTOR, VECTOR,
        VECTOR, VECTOR, MATRIX, MATRIX, MATRIX, INTEGERS, VECTOR, INTEGERS,
    ),
    State,
)  # fmt: skip
