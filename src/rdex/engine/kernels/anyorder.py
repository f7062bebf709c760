"""Results in the order in which they come: for workers that are never to wait.

Pending rows are a ring, TOLD .. ASKED modulo its capacity. The result of a later row is taken by
swapping that row with the earliest one, so the ring stays whole and a run can be saved and read
back at any point. Two things differ from taking results in the order of asking:

- An initial point gets the next free place of the population, whichever point it was. While the
  last of them are awaited, further uniform points are drawn, D numbers each; what comes after
  the population is complete enters it if it is better than the worst member.
- Trials are drawn while the generation before is not yet decided.
"""

from numba import types

from rdex.engine.kernels.generation import NO_EPS, begin_generation, size_at
from rdex.engine.kernels.layout import (
    ARRIVED,
    ASKED,
    EPS,
    INITIAL,
    IS_IN,
    KIND,
    MADE,
    MAPPED,
    MAXFEV,
    N0,
    PARTNER,
    RACE_OWED,
    READY,
    SINCE,
    STATE_TYPE,
    TARGET,
    TOLD,
    N,
)  # fmt: skip
from rdex.engine.kernels.order import rank_members
from rdex.engine.kernels.sampling import progress, uniform_row
from rdex.engine.kernels.steps import admit, decode, tell_row
from rdex.engine.kernels.variation import ask_row
from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import INTEGERS, VECTOR

NOBODY, OWED = -1, -2  # answers of `partner_of` beside numbers


@part(inline=False)
def draw_further(state, k):
    """A uniform point as pending row k, while initial points are awaited."""
    row = 3 * int(state.param[N0]) + k
    uniform_row(state.random, state.box, state.x, row, state.best_x.size)
    state.info[k, KIND] = INITIAL
    state.info[k, PARTNER] = -1
    state.info[k, IS_IN] = 0
    state.count[ASKED] += 1


@kernel(types.int64(STATE_TYPE, INTEGERS, VECTOR))
def ask_one(state, numbers, point):
    """Draw one more row, however many are out, and write the user's point; its number, or -1 where
    the budget is handed out or the ring is full. numbers: (capacity,) of the pending rows."""
    count = state.count
    capacity = state.info.shape[0]
    number = count[ASKED]
    if number >= state.param[MAXFEV] or number - count[TOLD] >= capacity - 1:
        return -1
    k = number % capacity
    if count[READY] == 0 and number - state.value[SINCE] >= state.param[N0]:
        draw_further(state, k)
    else:
        ask_row(state, k)
    numbers[k] = number
    decode(state.x, 3 * int(state.param[N0]) + k, state.box, count[MAPPED], point)
    return number


@part(inline=False)
def row_of(state, numbers, number):
    """Pending row with this number, or -1."""
    capacity = state.info.shape[0]
    for i in range(state.count[TOLD], state.count[ASKED]):
        if numbers[i % capacity] == number:
            return i % capacity
    return -1


@kernel(types.int64(STATE_TYPE, INTEGERS, types.int64))
def partner_of(state, numbers, number):
    """Number of the row whose result a race awaits; NOBODY, or OWED if it is still to be drawn."""
    k = row_of(state, numbers, number)
    if k < 0:
        return NOBODY
    if state.count[RACE_OWED] == k:
        return OWED
    partner = state.info[k, PARTNER]
    waits = partner >= 0 and state.info[partner, IS_IN] == 0
    return numbers[partner] if waits else NOBODY


@part()
def exchanged(row, a, b):
    """The row's number after rows a and b have changed places."""
    if row == a:
        return b
    return a if row == b else row


@part(inline=False)
def swap_rows(state, numbers, a, b):
    """Pending rows a and b change places, and everybody who refers to them follows."""
    info, draw, x, count = state.info, state.draw, state.x, state.count
    first = 3 * int(state.param[N0])
    for j in range(x.shape[1]):
        x[first + a, j], x[first + b, j] = x[first + b, j], x[first + a, j]
    for c in range(info.shape[1]):
        info[a, c], info[b, c] = info[b, c], info[a, c]
    for c in range(draw.shape[1]):
        draw[a, c], draw[b, c] = draw[b, c], draw[a, c]
    numbers[a], numbers[b] = numbers[b], numbers[a]
    count[RACE_OWED] = exchanged(count[RACE_OWED], a, b)
    partner_a = exchanged(info[a, PARTNER], a, b)
    partner_b = exchanged(info[b, PARTNER], a, b)
    if partner_a >= 0:
        info[a, PARTNER] = partner_a
        info[partner_a, PARTNER] = a
    if partner_b >= 0:
        info[b, PARTNER] = partner_b
        info[partner_b, PARTNER] = b


@kernel(types.int64(STATE_TYPE, INTEGERS, types.int64, types.float64, VECTOR, VECTOR))
def take(state, numbers, number, f, g, h):
    """Take the result of the row with this number; 0 if it is not out, else 1.

    A row that races must be followed by its partner, with nothing drawn in between.
    """
    count = state.count
    found = row_of(state, numbers, number)
    if found < 0:
        return 0
    k = count[TOLD] % state.info.shape[0]
    if found != k:
        swap_rows(state, numbers, k, found)
    row = 3 * int(state.param[N0]) + k
    if state.info[k, KIND] != INITIAL:
        tell_row(state, k, f, g, h)
    elif count[READY] == 1:
        admit(state, k, state.x[row], f, g, h)
    else:
        # Initial points are handed out as copies, no fewer than arrive: the place is free.
        slot = count[ARRIVED]
        state.info[k, TARGET] = slot
        for j in range(state.x.shape[1]):
            state.x[slot, j] = state.x[row, j]
        tell_row(state, k, f, g, h)
    return 1


@kernel(types.void(STATE_TYPE))
def regrow(state):
    """Front and P of the size that belongs to the progress, at the start of a generation; nothing
    may be out.

    The rows that shrinking left behind still hold the members that were there when the front had
    that size, and P is filled with the best that it ever dropped: nothing is evaluated again.
    """
    count, value = state.count, state.value
    size = size_at(state.param, progress(count[TOLD], state.param, value))
    n = min(max(size, count[N]), int(state.param[N0]))
    for i in range(count[N], n):
        state.front[i] = i
    count[N] = n
    count[MADE] = 0
    count[RACE_OWED] = -1
    value[EPS] = NO_EPS
    rank_members(state.f, state.phi, state.pool, 0, state.pool.size, 0.0, state.scratch)
    begin_generation(
        state.param, count, value, state.f, state.phi, state.front, state.pool, state.slot,
        state.scratch, state.levels,
    )  # fmt: skip
