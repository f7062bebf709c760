"""Results in the order in which they come. A generation waits for the last of its trials; until
then the order does not matter, so the run is that of `steps`.

Pending rows are a ring, TOLD .. ASKED modulo its capacity. The result of a later row is taken by
swapping that row with the earliest one: rows know their place in the generation.
"""

from numba import types

from rdex.engine.kernels.drivers import hand_out, row_of, swap_rows
from rdex.engine.kernels.layout import NOBODY, Steps
from rdex.engine.ude.kernels.state_types import STATE_TYPE
from rdex.engine.ude.kernels.steps import can_ask, tell_row
from rdex.engine.ude.kernels.variation import ask_row
from rdex.jit.binding import table_type, tuple_at
from rdex.jit.compiling import kernel
from rdex.jit.signatures import INTEGERS, VECTOR

state_at = tuple_at(STATE_TYPE)


@kernel(types.int64(table_type(STATE_TYPE), INTEGERS, VECTOR))
def ask_one(table, numbers, point):
    """Draw one more row and write the user's point; its number, or -1 where the generation or the
    budget is handed out. numbers: (capacity,) of the pending rows."""
    state = state_at(table)
    if not can_ask(state.settings[0], state.run[0], False):
        return -1
    number = state.run[0].asked
    k = hand_out(state, point, Steps(can_ask, ask_row, tell_row))
    numbers[k] = number
    return number


@kernel(types.int64(table_type(STATE_TYPE), INTEGERS, types.int64))
def partner_of(table, numbers, number):
    """Nobody races."""
    return NOBODY


@kernel(types.int64(table_type(STATE_TYPE), INTEGERS, types.int64, types.float64, VECTOR, VECTOR))
def take(table, numbers, number, f, g, h):
    """Take the result of the row with this number; 0 if it is not out, else 1."""
    state = state_at(table)
    found = row_of(state, numbers, number)
    if found < 0:
        return 0
    k = state.run[0].told % state.pending.size
    if found != k:
        swap_rows(state, numbers, k, found)
    tell_row(state, k, f, g, h)
    return 1
