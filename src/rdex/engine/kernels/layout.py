"""Everything a run holds, one definition per name. Shapes: n0 = initial size, d = dimension,
m = constraints.

The state crosses from Python to compiled code as one NamedTuple of arrays, grouped by what they
are. Single numbers stand in records: constants in `settings`, what changes in `run`. Kernels take
the first record of each, `state.run[0]`, and read fields by name; a record is one pointer.

Everybody lives in the matrix members.x (with f and phi beside it), and a member is a row number:
    0 .. n0-1               the front, row = slot of the ring
    n0 .. 3 n0-1            P, the successes set aside for it, and free rows
    3 n0 .. 3 n0+capacity-1 rows handed out and not yet decided ("pending")
    the last row            spare: the parent of a perturbed trial
Rows of x and box are filled up with zeros to a whole number of vectors, `engine.state.padded`: the
loops over them need no remainder, which took as long as the rest.
Kernels pass row numbers, not row views: without `rdex.jit.references` a view costs two atomic
reference counts.
"""

from typing import NamedTuple

import numpy as np

#: Bits of a filled-up column: above every limit, so that it is never taken from the mutant.
NEVER = np.int64(2**63 - 1)


# --- the random generator: four words, a cursor, and the words made ahead -------------------------
#: Words made in one go.
AHEAD = 128

#: Places in its state.
CURSOR = 4
FIRST = 5
END = FIRST + AHEAD

#: The largest default batch.
LARGEST_BATCH = 32


def default_batch(n):
    """Rows to ask for at once with a population of `n`: a function of nothing else."""
    return max(1, min(LARGEST_BATCH, n // 8))


# --- settings: constants of a run, written by `engine.state.settings_record` ----------------------
#: What every method has.
SHARED_SETTINGS = [
    ("n0", "i8"),  # initial size
    ("maxfev", "i8"),  # budget
    ("checkpoints", "i8"),  # K, number of records
    ("goal", "f8"),  # a feasible f at or below it ends the run
    ("eq_excess", "f8"),  # 1: an equality counts with what is above its tolerance, 0: whole
]
#: Names as in `engine.settings.Settings`; flags are 0 or 1.
SETTINGS = np.dtype([
    *SHARED_SETTINGS,
    ("n_min", "i8"),
    ("memory_F", "f8"),
    ("memory_CR", "f8"),
    ("memory_weight", "f8"),
    ("F_by_memory", "i8"),  # F_rule is "memory"
    ("F_exponent", "f8"),
    ("F_sigma", "f8"),
    ("F_cauchy", "f8"),
    ("CR_sigma", "f8"),
    ("start_SR", "f8"),
    ("pbest_share", "f8"),
    ("rank_pressure", "f8"),
    ("rank_mass", "f8"),  # 1 − exp(−rank_pressure)
    ("eps_share", "f8"),
    ("eps_locked_share", "f8"),
    ("eps_until", "f8"),
    ("eps_by_rank", "i8"),  # eps_position is "paper"
    ("eps_floor_until", "f8"),
    ("eps_floor_power", "f8"),
    ("sweep", "i8"),  # targets is "sweep"
    ("replace_target", "i8"),  # replacement is "target"
    ("perturb_probability", "f8"),
    ("repair_share", "f8"),
    ("eb_from", "f8"),
    ("eb_rate", "f8"),
    ("eb_pbest_share", "f8"),
    ("eb_pbest_decay", "f8"),
    ("eb_F", "f8"),
    ("eb_CR", "f8"),
    ("eb_CR_floor_1", "f8"),
    ("eb_CR_until_1", "f8"),
    ("eb_CR_floor_2", "f8"),
    ("eb_CR_until_2", "f8"),
    ("eb_by_objective", "i8"),  # eb_order is "objective"
    ("eb_credit_objective", "i8"),  # eb_credit is "objective"
    ("race", "i8"),
    ("race_until", "f8"),
    ("race_feasible_share", "f8"),
    ("race_feasible_phi", "f8"),
    ("race_target_share", "f8"),
    ("race_donor_share", "f8"),
    ("race_pull", "f8"),
    ("race_push", "f8"),
    ("race_CR_low", "f8"),
    ("race_CR_high", "f8"),
    ("restart_after", "f8"),
], align=True)  # fmt: skip

# --- run: what changes ----------------------------------------------------------------------------
#: What every method has.
SHARED_RUN = [
    ("n", "i8"),  # present size of the population
    ("generation", "i8"),  # finished generations
    ("asked", "i8"),  # evaluations handed out
    ("told", "i8"),  # evaluations whose results are in: NFE
    ("made", "i8"),  # trials drawn in this generation
    ("done", "i8"),  # trials decided in this generation
    ("staged", "i8"),  # successes set aside for P; in UDE, losers set aside for the archive
    ("successes", "i8"),  # successes of this generation
    ("ready", "i8"),  # 1 once the initial points of this population are all in
    ("arrived", "i8"),  # how many of them are
    ("restarts", "i8"),  # populations before this one
    ("since", "i8"),  # evaluations handed out when this population began
    ("next", "i8"),  # next checkpoint, 1 .. K
    ("next_at", "i8"),  # evaluations at which it is due
    ("best_at", "i8"),  # evaluations when the best was found
    ("feasible_at", "i8"),  # evaluations when the first feasible point was found, 0 if never
    ("failed", "i8"),  # failed evaluations
    ("scale_auto", "i8"),  # 1 if constraint weights come from the initial points
    ("mapped", "i8"),  # 1 if some variable is integer or logarithmic
    ("eps", "f8"),  # ε of this generation
    ("sr", "f8"),  # success rate of the last generation
    ("rho", "f8"),  # share of exploitation-biased trials
    ("clock", "f8"),  # used share of the time, 0 without a time limit
    ("best_f", "f8"),
    ("best_phi", "f8"),
]
RUN = np.dtype([
    *SHARED_RUN,
    ("ring", "i8"),  # slot of the front that the next success overwrites
    ("cursor", "i8"),  # slot of the memories that the next update writes
    ("race_owed", "i8"),  # pending row whose race partner must be drawn next, or -1
    ("settled_at", "i8"),  # evaluations of this population when, settled, it last improved; else 0
    ("inside", "i8"),  # members of the front with φ <= ε
    ("nearly", "i8"),  # members of the front with φ < race_feasible_phi
    ("F_centre", "f8"),  # SR ** F_exponent
    ("eps_start", "f8"),  # largest φ of the initial points of this population
    ("clock_since", "f8"),  # the clock when this population began
    ("least_f", "f8"),  # best member of a settled front
    ("least_phi", "f8"),
    ("gain_eb", "f8"),  # ΣΔ of the exploitation-biased branch
    ("gain_std", "f8"),  # ΣΔ of the standard branch
    ("sum_w", "f8"),  # sums for the weighted Lehmer means: Σw
    ("sum_wF", "f8"),
    ("sum_wFF", "f8"),
    ("sum_wA", "f8"),
    ("sum_wAA", "f8"),
], align=True)  # fmt: skip

# --- pending: a row that is handed out, and how it was drawn --------------------------------------
INITIAL, STANDARD, BIASED, LATE = range(4)  # values of kind; LATE: of a population before
PENDING = np.dtype([
    ("target", "i8"),  # slot of the front; of an initial point, its place
    ("kind", "i8"),
    ("partner", "i8"),  # pending row it races against, or -1
    ("place", "i8"),  # in UDE: which trial of its generation it is
    ("is_in", "i8"),  # 1 once its result has come
    ("F", "f8"),
    ("CR", "f8"),
    ("A", "f8"),  # share of components taken from the mutant
    ("target_f", "f8"),  # the target when the trial was drawn
    ("target_phi", "f8"),
], align=True)  # fmt: skip

#: Answers of `anyorder.partner_of` beside numbers: nobody races, the partner is yet to be drawn.
NOBODY, OWED = -1, -2

# --- slots: per slot of the front -----------------------------------------------------------------
SLOT = np.dtype([
    ("start_f", "f8"),  # f at the start of the generation
    ("latest_f", "f8"),  # f of the latest trial against it
    ("latest_biased", "i8"),  # 1 if that was of the exploitation-biased branch
], align=True)  # fmt: skip

# --- rows of box: per variable --------------------------------------------------------------------
LOWER, UPPER, UNIT, LOW_OUT, HIGH_OUT, MAPPING = range(6)
PLAIN, WHOLE, LOGARITHMIC = range(3)  # values in row MAPPING

# --- rows of limit: per constraint, inequalities first --------------------------------------------
TOLERANCE, WEIGHT, UNWEIGHTED = range(3)

# --- rows of memory -------------------------------------------------------------------------------
MF, MCR = range(2)

# --- columns of the diagnostics, followed by the memories M_F and M_CR ----------------------------
DIAGNOSTIC_NAMES = ("eps", "n", "sr", "rho", "feasible_share", "generation")


class Members(NamedTuple):
    """Everybody, one row each."""

    x: np.ndarray  # (3 n0 + capacity + 1, padded d)
    f: np.ndarray  # (3 n0 + capacity,)
    phi: np.ndarray  # (3 n0 + capacity,)


class Ranks(NamedTuple):
    """Who stands where."""

    front: np.ndarray  # (n0,) the first n: slots of the front, best first by ε-score
    pool: np.ndarray  # (2 n0,) a permutation of the rows n0 .. 3 n0-1: P, best first by ε-score,
    #                   then the staged successes of this generation, then the free rows


class Best(NamedTuple):
    """Best so far, feasibility first."""

    x: np.ndarray  # (d,)
    g: np.ndarray  # (m_g,)
    h: np.ndarray  # (m_h,)


class Trace(NamedTuple):
    """The best after initialisation (row 0) and at checkpoints 1 .. K."""

    f: np.ndarray  # (K + 1,)
    phi: np.ndarray  # (K + 1,) mean violation, never scaled
    diagnostic: np.ndarray  # (K + 1, 6 + 2 H) DIAGNOSTIC_NAMES, M_F, M_CR


class Scratch(NamedTuple):
    """Room to work in; holds nothing between calls."""

    rows: np.ndarray  # (2 n0,) for sorting
    levels: np.ndarray  # (n0,) for the order statistic
    bits: np.ndarray  # (padded d + 1,) for the crossover


class State(NamedTuple):
    """All that a run is: restoring it continues the run bit for bit."""

    settings: np.ndarray  # (1,) SETTINGS
    run: np.ndarray  # (1,) RUN
    random: np.ndarray  # (133,) xoshiro256++ with words made ahead
    box: np.ndarray  # (6, padded d) LOWER .. MAPPING
    limit: np.ndarray  # (3, m) TOLERANCE, WEIGHT, UNWEIGHTED
    members: Members
    ranks: Ranks
    pending: np.ndarray  # (capacity,) PENDING
    slots: np.ndarray  # (n0,) SLOT
    memory: np.ndarray  # (2, H) M_F and M_CR
    best: Best
    trace: Trace
    initial: np.ndarray  # (n0, m) constraints of the initial points, if weights are automatic
    scratch: Scratch


class Trial(NamedTuple):
    """Rows of members.x and parameters that one trial is made of."""

    target: int
    towards: int
    plus: int
    minus: int
    F_pull: float  # factor of x_towards − x_target
    F_push: float  # factor of x_plus − x_minus


class Values(NamedTuple):
    """What an evaluation gave."""

    f: float
    g: np.ndarray  # (m_g,)
    h: np.ndarray  # (m_h,)


class Task(NamedTuple):
    """What a compiled objective is called with beside its point."""

    data: np.ndarray
    work: np.ndarray
    point: np.ndarray  # (d,)
    g: np.ndarray  # (m_g,)
    h: np.ndarray  # (m_h,)


class Steps(NamedTuple):
    """The steps of a method, which the loops of `drivers` call."""

    can_ask: object  # (settings, run, ahead) -> whether a further row may be drawn now
    ask_row: object  # (state, k): write the next point into pending row k
    tell_row: object  # (state, k, f, g, h) -> whether that ended a generation
