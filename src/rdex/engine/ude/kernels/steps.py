"""The two halves of every loop: draw a row, take its result.

A generation is drawn from one state and decided when all of it is in. So rows may be asked in
batches of any size up to a generation, and told in any order: the run is the same.
"""

import math

from rdex.engine.kernels.generation import copy_member
from rdex.engine.kernels.layout import (
    ASKED,
    DONE,
    EQ_EXCESS,
    FAILED,
    INITIAL,
    IS_IN,
    KIND,
    MADE,
    MAXFEV,
    N0,
    NEXT_AT,
    READY,
    SCALE_AUTO,
    TARGET,
    TOLD,
    WEIGHT,
    N,
)  # fmt: skip
from rdex.engine.kernels.recording import record, update_best, write_trace
from rdex.engine.ude.kernels.generation import (
    begin_generation,
    end_generation,
    finish_initialisation,
)
from rdex.engine.ude.kernels.layout import TRIALS
from rdex.engine.ude.kernels.order import is_better
from rdex.engine.ude.kernels.variation import draw_row
from rdex.evaluation.kernels import settle, violation
from rdex.jit.compiling import part


@part()
def can_ask(param, count):
    """Whether a further row may be drawn now: not beyond the initial points, the generation or
    the budget."""
    if count[ASKED] >= param[MAXFEV]:
        return False
    if count[READY] == 0:
        return count[ASKED] < param[N0]
    return count[MADE] < param[TRIALS]


@part()
def ask_row(state, k):
    """Draw the next point as pending row k."""
    draw_row(
        state.param, state.count, state.value, state.random, state.box, state.x,
        state.bits, state.best_x.size, state.pool, state.cells, state.info, state.draw, k,
    )  # fmt: skip


@part(inline=False)
def take_initial(state, k, row, g, h):
    """An initial point's result enters the population; True if it was the last."""
    param, count = state.param, state.count
    i = state.info[k, TARGET]
    state.f[i] = state.f[row]
    state.phi[i] = state.phi[row]
    if count[SCALE_AUTO] == 1:
        for c in range(g.size):
            state.initial[i, c] = g[c]
        for c in range(h.size):
            state.initial[i, g.size + c] = h[c]
    complete = count[TOLD] == param[N0]
    if complete:
        finish_initialisation(
            param, count, state.value, state.limit, state.x, state.f, state.phi, state.pool,
            state.best_x, state.best_g, state.best_h, state.initial, state.scratch, state.levels,
        )  # fmt: skip
    if complete or count[TOLD] == param[MAXFEV]:
        write_trace(
            0, param, count, state.value, state.limit, state.phi, state.memory, state.best_g,
            state.best_h, state.trace_f, state.trace_phi, state.diagnostic,
        )  # fmt: skip
    return complete


@part()
def take_result(state, row, f_raw, g, h):
    """Values of a row: settled, counted, and compared with the best so far."""
    count = state.count
    f, phi = settle(f_raw, violation(g, h, state.limit, WEIGHT, state.param[EQ_EXCESS]))
    state.f[row] = f
    state.phi[row] = phi
    count[TOLD] += 1
    count[FAILED] += phi == math.inf
    update_best(
        count, state.value, state.best_x, state.best_g, state.best_h, state.x, row, f, phi, g, h
    )


@part()
def record_if_due(state):
    """Write the checkpoints that are due; asked here, so that the call is not paid every time."""
    if state.count[TOLD] >= state.count[NEXT_AT]:
        record(
            state.param, state.count, state.value, state.limit, state.phi, state.memory,
            state.best_g, state.best_h, state.trace_f, state.trace_phi, state.diagnostic,
        )  # fmt: skip


@part()
def tell_row(state, k, f_raw, g, h):
    """Take the result of pending row k; True if that ended a generation."""
    param, count, info = state.param, state.count, state.info
    row = 3 * int(param[N0]) + k
    take_result(state, row, f_raw, g, h)
    ended = False
    if info[k, KIND] == INITIAL:
        ended = take_initial(state, k, row, g, h)
    else:
        info[k, IS_IN] = 1
        count[DONE] += 1
        if count[DONE] == param[TRIALS]:
            ended = True
            end_generation(
                param, count, state.value, state.random, state.x, state.f, state.phi, state.pool,
                state.store, info, state.draw, state.cells, state.memory, state.tally, state.idle,
                state.scratch, state.centre, state.sums,
            )  # fmt: skip
    if ended:
        begin_generation(param, count, state.value, state.tally)
    record_if_due(state)
    return ended


@part(inline=False)
def admit(state, x, f_raw, g, h):
    """A newcomer counts as an evaluation and takes the worst member's place if it is better.

    It stands last until the generation ends; nothing is learnt from it. The trials of this
    generation move on by one number: they are the last MADE.
    """
    count, info = state.count, state.info
    first = 3 * int(state.param[N0])
    capacity = info.shape[0]
    for back in range(1, count[MADE] + 1):
        source = (count[ASKED] - back) % capacity
        target = (count[ASKED] - back + 1) % capacity
        copy_member(state.x, state.f, state.phi, first + target, first + source)
        for column in range(info.shape[1]):
            info[target, column] = info[source, column]
        for column in range(state.draw.shape[1]):
            state.draw[target, column] = state.draw[source, column]
    row = first + (count[ASKED] - count[MADE]) % capacity
    count[ASKED] += 1
    for j in range(x.size):
        state.x[row, j] = x[j]
    take_result(state, row, f_raw, g, h)
    worst = state.pool[count[N] - 1]
    if is_better(state.f, state.phi, row, worst):
        copy_member(state.x, state.f, state.phi, worst, row)
        state.idle[worst] = 0
    record_if_due(state)
