"""Results in the order in which they come. A generation waits for the last of its trials; until
then the order does not matter, so the run is that of `asktell`.

Pending rows are a ring, TOLD .. ASKED modulo its capacity. The result of a later row is taken by
swapping that row with the earliest one: rows know their place in the generation.
"""

from numba import types

from rdex.engine.kernels.layout import ASKED, MAPPED, N0, TOLD
from rdex.engine.kernels.steps import decode
from rdex.engine.ude.kernels.layout import STATE_TYPE
from rdex.engine.ude.kernels.steps import ask_row, can_ask, tell_row
from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import INTEGERS, VECTOR

NOBODY, OWED = -1, -2  # answers of the engine's `partner_of`: there are no races here


@kernel(types.int64(STATE_TYPE, INTEGERS, VECTOR))
def ask_one(state, numbers, point):
    """Draw one more row and write the user's point; its number, or -1 where the generation or the
    budget is handed out. numbers: (capacity,) of the pending rows."""
    count = state.count
    if not can_ask(state.param, count):
        return -1
    number = count[ASKED]
    k = number % state.info.shape[0]
    ask_row(state, k)
    numbers[k] = number
    decode(state.x, 3 * int(state.param[N0]) + k, state.box, count[MAPPED], point)
    return number


@kernel(types.int64(STATE_TYPE, INTEGERS, types.int64))
def partner_of(state, numbers, number):
    """Nobody races."""
    return NOBODY


@part(inline=False)
def swap_rows(state, numbers, a, b):
    """Pending rows a and b change places."""
    info, draw, x = state.info, state.draw, state.x
    first = 3 * int(state.param[N0])
    for j in range(x.shape[1]):
        x[first + a, j], x[first + b, j] = x[first + b, j], x[first + a, j]
    for c in range(info.shape[1]):
        info[a, c], info[b, c] = info[b, c], info[a, c]
    for c in range(draw.shape[1]):
        draw[a, c], draw[b, c] = draw[b, c], draw[a, c]
    numbers[a], numbers[b] = numbers[b], numbers[a]


@kernel(types.int64(STATE_TYPE, INTEGERS, types.int64, types.float64, VECTOR, VECTOR))
def take(state, numbers, number, f, g, h):
    """Take the result of the row with this number; 0 if it is not out, else 1."""
    count = state.count
    capacity = state.info.shape[0]
    k = count[TOLD] % capacity
    for i in range(count[TOLD], count[ASKED]):
        found = i % capacity
        if numbers[found] == number:
            if found != k:
                swap_rows(state, numbers, k, found)
            tell_row(state, k, f, g, h)
            return 1
    return 0
