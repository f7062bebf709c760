"""A population that has settled makes room for another, with what is left of the budget.

Few variables or easy ground let the members meet long before the budget ends, and nothing they do
after that finds another valley. The next population is a run of its own: uniform points, the
constants of the start, and t from 0 to 1 over what is left. The best point, the trace and the
scales of the constraints are the run's and stay. Draws: N0 · D uniform numbers, row by row, as at
the start.
"""

import math

from rdex.engine.kernels.layout import (
    ARRIVED,
    ASKED,
    CLOCK,
    CLOCK_SINCE,
    EB_RATE,
    EPS_START,
    F_CENTRE,
    F_EXPONENT,
    INITIAL,
    KIND,
    LATE,
    LEAST_F,
    LEAST_PHI,
    LOWER,
    MADE,
    MAPPING,
    MAXFEV,
    MCR,
    MEMORY,
    MEMORY_CR,
    MEMORY_F,
    MF,
    N0,
    RACE_OWED,
    READY,
    RESTART_AFTER,
    RESTARTS,
    RHO,
    RING,
    SETTLED_AT,
    SINCE,
    SR,
    STAGED,
    START_SR,
    TOLD,
    UPPER,
    WHOLE,
    N,
)  # fmt: skip
from rdex.engine.kernels.order import is_nearer
from rdex.engine.kernels.sampling import uniform_row
from rdex.jit.compiling import part

#: Members no further apart than this share of the box, in every variable, have settled.
SETTLED = 1e-9


@part(inline=False)
def is_settled(x, n, d, box):
    """Whether the front is one point: all members near the first, integers equal."""
    for i in range(1, n):
        for j in range(d):
            a = x[0, j]
            b = x[i, j]
            if box[MAPPING, j] == WHOLE:
                a = math.floor(a + 0.5)
                b = math.floor(b + 0.5)
            if abs(a - b) > SETTLED * (box[UPPER, j] - box[LOWER, j]):
                return False
    return True


@part(inline=False)
def has_stalled(param, count, value, x, f, phi, box, d):
    """Whether the front has settled and its best member, feasibility first, has stayed as it was
    until q times the evaluations that this took, and enough is left for initial points and a
    generation. Asked at the end of a generation."""
    if param[RESTART_AFTER] <= 0.0:
        return False
    if not is_settled(x, count[N], d, box):
        count[SETTLED_AT] = 0
        return False
    used = count[TOLD] - int(value[SINCE])
    least = 0
    for i in range(1, count[N]):
        if is_nearer(f[i], phi[i], f[least], phi[least]):
            least = i
    better = is_nearer(f[least], phi[least], value[LEAST_F], value[LEAST_PHI])
    if better or count[SETTLED_AT] == 0:
        value[LEAST_F] = f[least]
        value[LEAST_PHI] = phi[least]
        count[SETTLED_AT] = max(used, 1)
    enough = param[MAXFEV] - count[ASKED] >= 2.0 * param[N0] and value[CLOCK] < 1.0
    return enough and count[RACE_OWED] < 0 and used >= param[RESTART_AFTER] * count[SETTLED_AT]


@part(inline=False)
def restart(state):
    """Begin again with uniform points, which are yet to be evaluated; what is out comes too late
    to count for more than a best point."""
    param, count, value = state.param, state.count, state.value
    n0 = int(param[N0])
    for number in range(count[TOLD], count[ASKED]):
        k = number % state.info.shape[0]
        if state.info[k, KIND] != INITIAL:
            state.info[k, KIND] = LATE
    for i in range(n0):
        uniform_row(state.random, state.box, state.x, i, state.best_x.size)
        state.f[i] = math.inf
        state.phi[i] = math.inf
        state.front[i] = i
    for i in range(2 * n0):
        state.pool[i] = n0 + i
    for k in range(state.memory.shape[1]):
        state.memory[MF, k] = param[MEMORY_F]
        state.memory[MCR, k] = param[MEMORY_CR]
    value[SINCE] = count[ASKED]
    value[CLOCK_SINCE] = value[CLOCK]
    value[EPS_START] = 0.0
    value[SR] = param[START_SR]
    value[F_CENTRE] = param[START_SR] ** param[F_EXPONENT]
    value[RHO] = param[EB_RATE]
    count[N] = n0
    count[RESTARTS] += 1
    for k in (MADE, STAGED, RING, MEMORY, READY, ARRIVED, SETTLED_AT):
        count[k] = 0
