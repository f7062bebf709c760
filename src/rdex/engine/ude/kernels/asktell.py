"""The loop for objectives outside compiled code: the shell asks, evaluates and tells."""

from numba import types

from rdex.engine.kernels.layout import ASKED, MAPPED, N0, READY, TOLD, batch_type, point_type
from rdex.engine.kernels.steps import decode
from rdex.engine.ude.kernels.layout import STATE_TYPE
from rdex.engine.ude.kernels.steps import admit, ask_row, can_ask, tell_row
from rdex.jit.binding import table_type, tuple_at
from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import MATRIX, VECTOR

POINT, BATCH = point_type(STATE_TYPE), batch_type(STATE_TYPE)
point_at, batch_at = tuple_at(POINT), tuple_at(BATCH)


@part(inline=False)
def draw_rows(state, most, points):
    """Draw up to `most` rows, the first as pending row ASKED mod capacity and so on; the user's
    points are written to `points`. Returns how many there are."""
    first = 3 * int(state.param[N0])
    capacity = state.info.shape[0]
    drawn = 0
    while drawn < most and can_ask(state.param, state.count):
        k = state.count[ASKED] % capacity
        ask_row(state, k)
        decode(state.x, first + k, state.box, state.count[MAPPED], points[drawn])
        drawn += 1
    return drawn


@kernel(types.int64(STATE_TYPE, types.int64, types.boolean, MATRIX))
def ask(state, most, ahead, points):
    """Draw up to `most` rows; there is no asking ahead: the next generation needs all of this."""
    return draw_rows(state, most, points)


@kernel(types.int64(table_type(BATCH), types.int64, types.int64))
def tell_ask_rows(table, told, batch):
    """A batch in one call: take the results of the `told` earliest rows, then draw up to `batch`
    rows (0: as many as there is room for) into `points`. Returns how many there are, negative if a
    generation ended; 0 at the end of the run."""
    state, f, g, h, points = batch_at(table)
    capacity = state.info.shape[0]
    ended = False
    for i in range(told):
        if tell_row(state, state.count[TOLD] % capacity, f[i], g[i], h[i]):
            ended = True
    most = min(batch, points.shape[0]) if batch > 0 else points.shape[0]
    drawn = draw_rows(state, most, points)
    return -drawn if ended else drawn


@kernel(types.void(STATE_TYPE, types.int64, types.int64, VECTOR, MATRIX, MATRIX))
def tell(state, first, n, f, g, h):
    """Take the results of n pending rows in the order they were asked, `first` being the number
    of the first one."""
    capacity = state.info.shape[0]
    for i in range(n):
        tell_row(state, (first + i) % capacity, f[i], g[i], h[i])


@kernel(types.void(STATE_TYPE, VECTOR, types.float64, VECTOR, VECTOR))
def inject(state, x, f, g, h):
    """Take a point nobody asked for as one evaluation: the next initial point, or a newcomer."""
    if state.count[READY] == 0:
        k = state.count[ASKED] % state.info.shape[0]
        for j in range(x.size):
            state.x[state.count[ASKED], j] = x[j]
        ask_row(state, k)
        tell_row(state, k, f, g, h)
    else:
        admit(state, x, f, g, h)


@kernel(types.int64(table_type(POINT), types.float64))
def tell_ask(table, f):
    """Batch 1 in one call: take the result of the last point, draw the next. Returns 0 at the end
    of the run, 2 if a generation ended, else 1."""
    state, g, h, point = point_at(table)
    capacity = state.info.shape[0]
    ended = tell_row(state, (state.count[ASKED] - 1) % capacity, f, g, h)
    if not can_ask(state.param, state.count):
        return 0
    k = state.count[ASKED] % capacity
    ask_row(state, k)
    decode(state.x, 3 * int(state.param[N0]) + k, state.box, state.count[MAPPED], point)
    return 2 if ended else 1
