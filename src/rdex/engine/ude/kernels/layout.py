"""Everything a run of UDE holds. Shapes: n = NP, d = dimension, m = constraints.

Settings and run begin with the fields that every method has, and the groups are the engine's where
they hold the same: loops, recording, the shell and files treat both kinds of runs alike.

Everybody lives in the matrix members.x (with f and phi beside it), and a member is a row number:
    0 .. n-1               the population
    n .. 3 n-1             archive, trials that lost in this generation, and free rows
    3 n .. 3 n+capacity-1  trials ("pending"): the last `made` numbers of evaluations, number modulo
                           capacity, belong to this generation and stay until it ends
φ is the engine's mean violation. UDE's own is the sum, m times as much: it differs in the exponent
of the ε-schedule and nowhere else.
"""

from typing import NamedTuple

import numpy as np

from rdex.engine.kernels.layout import SHARED_RUN, SHARED_SETTINGS, Best, Members, Trace

#: Names as in `engine.ude.settings.UdeSettings`; flags are 0 or 1.
UDE_SETTINGS = np.dtype([
    *SHARED_SETTINGS,
    ("top", "i8"),  # T: members that try every strategy
    ("trials", "i8"),  # evaluations of a generation
    ("F_cauchy", "f8"),
    ("CR_sigma", "f8"),
    ("pbest_low", "f8"),
    ("pbest_high", "f8"),
    ("rand_to_pbest", "f8"),
    ("ranked_a", "i8"),  # which donors are drawn by rank, in strategies 1 and 2
    ("ranked_b", "i8"),
    ("ranked_c", "i8"),
    ("ranked_pbest_b", "i8"),  # and in strategy 3
    ("ranked_pbest_c", "i8"),
    ("share_floor", "f8"),
    ("eps_until", "f8"),
    ("eps_offset", "f8"),
    ("eps_power", "f8"),
    ("stagnation", "i8"),
    ("stagnated_share", "f8"),
    ("spread", "f8"),
], align=True)  # fmt: skip

UDE_RUN = np.dtype([
    *SHARED_RUN,
    ("archived", "i8"),  # members of the archive
    ("revived", "i8"),  # stagnated members replaced from the archive so far
    ("eps_0", "f8"),  # ε at the start
    ("eps_cp", "f8"),  # its exponent
    ("up_to_1", "f8"),  # roulette: a number below chooses strategy 1;
    ("up_to_2", "f8"),  # else, below this one, strategy 2; else 3
], align=True)  # fmt: skip

# --- strategies, as kind of a pending row (0 is an initial point) ---------------------------------
RAND_1, CURRENT_TO_RAND_1, CURRENT_TO_PBEST_1 = range(1, 4)

# --- rows of cells and tally: three strategies each -----------------------------------------------
CELL_F, CELL_CR = 0, 3
WON, LOST = 0, 3

# --- columns of sums, by strategy -----------------------------------------------------------------
SUM_W, SUM_WF, SUM_WFF, SUM_WCR = range(4)


class UdeRanks(NamedTuple):
    """Who stands where."""

    pool: np.ndarray  # (n,) rows of the population, best first
    store: np.ndarray  # (2 n,) a permutation of the rows n .. 3 n-1: the archive, best first, then
    #                    the staged losers of this generation, then the free rows
    idle: np.ndarray  # (n,) generations since row i was last replaced


class Learnt(NamedTuple):
    """What the strategies have learnt."""

    cells: np.ndarray  # (6, H) memories: M_F of the three strategies, M_CR of the three
    cursor: np.ndarray  # (3,) cells that the next update of each strategy writes
    tally: np.ndarray  # (6, Lp) wins of the three strategies and losses, by generation modulo Lp
    sums: np.ndarray  # (3, 4) SUM_W .. SUM_WCR of this generation


class UdeScratch(NamedTuple):
    """Room to work in; holds nothing between calls."""

    rows: np.ndarray  # (3 n,) for sorting
    levels: np.ndarray  # (n,) for medians
    bits: np.ndarray  # (columns + 1,) for the crossover
    centre: np.ndarray  # (d,) the centroid


class UdeState(NamedTuple):
    """All that a run is: restoring it continues the run bit for bit."""

    settings: np.ndarray  # (1,) UDE_SETTINGS
    run: np.ndarray  # (1,) UDE_RUN
    random: np.ndarray  # xoshiro256++ with words made ahead
    box: np.ndarray  # (6, columns) as in the engine
    limit: np.ndarray  # (3, m) as in the engine
    members: Members  # (3 n + capacity) rows
    ranks: UdeRanks
    pending: np.ndarray  # (capacity,) PENDING
    learnt: Learnt
    memory: np.ndarray  # (2, 3) means of the cells, for the record; M_CR of strategy 2 stays 1
    best: Best
    trace: Trace  # diagnostic: (K + 1, 6 + 2 · 3)
    initial: np.ndarray  # (n, m) constraints of the initial points, if weights are automatic
    scratch: UdeScratch
