"""What every loop does beside drawing a row (`variation.ask_row`): may it, decode it, take its
result. The parts receive the state and are inlined into the loops of `fused` and `asktell`.
"""

import math

from rdex.engine.kernels.generation import (
    NO_EPS,
    begin_generation,
    end_generation,
    finish_initialisation,
)
from rdex.engine.kernels.layout import (
    ARRIVED,
    ASKED,
    BEST_F,
    BEST_PHI,
    DONE,
    EPS,
    EQ_EXCESS,
    FAILED,
    GOAL,
    HIGH_OUT,
    INITIAL,
    IS_IN,
    KIND,
    LATE,
    LOGARITHMIC,
    LOW_OUT,
    MADE,
    MAPPING,
    MAXFEV,
    N0,
    NEXT_AT,
    PARTNER,
    RACE_FEASIBLE_PHI,
    RACE_OWED,
    READY,
    RESTARTS,
    SCALE_AUTO,
    SINCE,
    STAGED,
    SUCCESSES,
    TARGET,
    TOLD,
    WEIGHT,
    WHOLE,
    N,
)  # fmt: skip
from rdex.engine.kernels.order import precedes
from rdex.engine.kernels.recording import record, update_best, write_trace
from rdex.engine.kernels.restart import has_stalled, restart
from rdex.engine.kernels.selection import decide, enter
from rdex.evaluation.kernels import settle, violation
from rdex.jit.compiling import part

#: The largest default batch.
LARGEST_BATCH = 32


def default_batch(n):
    """Rows to ask for at once with a population of `n`: a function of nothing else."""
    return max(1, min(LARGEST_BATCH, n // 8))


batch_of_size = part()(default_batch)


@part()
def row_after(k, capacity):
    """The pending row after row k of the ring, without a division."""
    return k + 1 if k + 1 < capacity else 0


@part()
def decode(x, row, box, mapped, point):
    """The user's point for row `row` of the engine: integers rounded, logarithms undone."""
    if mapped == 0:
        for j in range(point.size):
            point[j] = x[row, j]
        return
    for j in range(point.size):
        value = x[row, j]
        if box[MAPPING, j] == WHOLE:
            value = math.floor(value + 0.5)
        elif box[MAPPING, j] == LOGARITHMIC:
            value = 10.0**value
        point[j] = min(max(value, box[LOW_OUT, j]), box[HIGH_OUT, j])


@part()
def is_goal_reached(param, value):
    """Whether a feasible point with f at or below the goal is known."""
    return value[BEST_PHI] == 0.0 and value[BEST_F] <= param[GOAL]


@part()
def can_ask(param, count, value, ahead):
    """Whether a further row may be drawn now.

    A batch never crosses the end of a generation, of the initial points or of the budget, and
    never holds more than half a generation: drawn from one state, a whole generation of trials
    has to beat only what the front was before, while the ring overwrites what it has become, and
    the front stops contracting (C08 stands still at a spread of 1e-6; with halves it goes to
    1e-15). With `ahead` trials of the next generation may be drawn before this one is decided.
    """
    if count[ASKED] >= param[MAXFEV]:
        return False
    if count[READY] == 0:
        return count[ASKED] - value[SINCE] < param[N0]
    if ahead or count[RACE_OWED] >= 0:
        return True
    return count[MADE] < count[N] and count[ASKED] - count[TOLD] < max(1, count[N] // 2)


@part(inline=False)
def take_initial(state, k, row, g, h):
    """Take the result of an initial point; True if it was the last of them."""
    param, count = state.param, state.count
    i = state.info[k, TARGET]
    state.f[i] = state.f[row]
    state.phi[i] = state.phi[row]
    if count[SCALE_AUTO] == 1:
        for c in range(g.size):
            state.initial[i, c] = g[c]
        for c in range(h.size):
            state.initial[i, g.size + c] = h[c]
    count[ARRIVED] += 1
    complete = count[ARRIVED] == param[N0]
    if complete:
        finish_initialisation(
            param, count, state.value, state.limit, state.x, state.f, state.phi,
            state.best_x, state.best_g, state.best_h, state.initial, state.levels,
        )  # fmt: skip
    if count[RESTARTS] == 0 and (complete or count[TOLD] == param[MAXFEV]):
        write_trace(
            0, param, count, state.value, state.limit, state.phi, state.memory, state.best_g,
            state.best_h, state.trace_f, state.trace_phi, state.diagnostic,
        )  # fmt: skip
    if complete:
        state.value[EPS] = NO_EPS
    return complete


@part(inline=False)
def admit(state, k, x, f_raw, g, h):
    """A newcomer counts as an evaluation and replaces a member of the front if it is better than
    the worst one. Nothing is learnt from it: it was not drawn."""
    param, count, value = state.param, state.count, state.value
    f, phi = settle(f_raw, violation(g, h, state.limit, WEIGHT, param[EQ_EXCESS]))
    row = 3 * int(param[N0]) + k
    for j in range(x.size):
        state.x[row, j] = x[j]
    state.f[row] = f
    state.phi[row] = phi
    count[TOLD] += 1
    count[FAILED] += phi == math.inf
    update_best(count, value, state.best_x, state.best_g, state.best_h, state.x, row, f, phi, g, h)
    worst = state.front[count[N] - 1]
    is_better = precedes(f, phi, 0, state.f[worst], state.phi[worst], 0, value[EPS])
    if is_better and count[N] + count[STAGED] < state.pool.size:
        enter(
            count, value[EPS], param[RACE_FEASIBLE_PHI], state.x, state.f, state.phi, state.front,
            state.pool, row, -1,
        )  # fmt: skip
        count[SUCCESSES] -= 1
    record(
        param, count, value, state.limit, state.phi, state.memory, state.best_g, state.best_h,
        state.trace_f, state.trace_phi, state.diagnostic,
    )  # fmt: skip


@part()
def tell_row(state, k, f_raw, g, h):
    """Take the result of pending row k; True if that ended a generation."""
    param, count, value, info = state.param, state.count, state.value, state.info
    f, phi = settle(f_raw, violation(g, h, state.limit, WEIGHT, param[EQ_EXCESS]))
    row = 3 * int(param[N0]) + k
    state.f[row] = f
    state.phi[row] = phi
    count[TOLD] += 1
    count[FAILED] += phi == math.inf
    update_best(count, value, state.best_x, state.best_g, state.best_h, state.x, row, f, phi, g, h)
    ended = False
    if info[k, KIND] == INITIAL:
        ended = take_initial(state, k, row, g, h)
    elif info[k, KIND] != LATE:
        info[k, IS_IN] = 1
        partner = info[k, PARTNER]
        waits = count[RACE_OWED] == k or (partner >= 0 and info[partner, IS_IN] == 0)
        if not waits:
            decide(
                param, count, value, state.x, state.f, state.phi, state.front, state.pool,
                info, state.draw, state.slot, k,
            )  # fmt: skip
            if count[DONE] == count[N]:
                ended = True
                end_generation(
                    param, count, value, state.x, state.f, state.phi, state.front, state.pool,
                    state.memory, state.slot, state.scratch,
                )  # fmt: skip
                if has_stalled(
                    param, count, value, state.x, state.f, state.phi, state.box, state.best_x.size
                ):
                    restart(state)
    if ended and count[READY] == 1:
        begin_generation(
            param, count, value, state.f, state.phi, state.front, state.pool, state.slot,
            state.scratch, state.levels,
        )  # fmt: skip
    if count[TOLD] >= count[NEXT_AT]:  # asked here, so that the call is not paid every time
        record(
            param, count, value, state.limit, state.phi, state.memory, state.best_g, state.best_h,
            state.trace_f, state.trace_phi, state.diagnostic,
        )  # fmt: skip
    return ended
