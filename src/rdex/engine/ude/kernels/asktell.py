"""The loop for objectives outside compiled code, as `rdex.engine.kernels.asktell`."""

from numba import types

from rdex.engine.kernels.drivers import draw_rows, inject_point, tell_rows, tell_then_ask
from rdex.engine.kernels.layout import Steps
from rdex.engine.kernels.state_types import batch_type, point_type
from rdex.engine.ude.kernels.state_types import STATE_TYPE
from rdex.engine.ude.kernels.steps import admit_new, can_ask, tell_row
from rdex.engine.ude.kernels.variation import ask_row
from rdex.jit.binding import table_type, tuple_at
from rdex.jit.compiling import kernel
from rdex.jit.signatures import MATRIX, VECTOR

POINT, BATCH = point_type(STATE_TYPE), batch_type(STATE_TYPE)
point_at, batch_at, state_at = tuple_at(POINT), tuple_at(BATCH), tuple_at(STATE_TYPE)


@kernel(types.int64(table_type(STATE_TYPE), types.int64, types.boolean, MATRIX))
def ask(table, most, ahead, points):
    """Draw up to `most` rows and write the user's points; returns how many there are."""
    steps = Steps(can_ask, ask_row, tell_row)
    return draw_rows(state_at(table), most, ahead, points, steps)


@kernel(types.void(table_type(STATE_TYPE), types.int64, VECTOR, MATRIX, MATRIX))
def tell(table, n, f, g, h):
    """Take the results of the n earliest rows, in the order they were asked."""
    tell_rows(state_at(table), n, f, g, h, Steps(can_ask, ask_row, tell_row))


@kernel(types.void(table_type(STATE_TYPE), VECTOR, types.float64, VECTOR, VECTOR))
def inject(table, x, f, g, h):
    """Take a point nobody asked for as one evaluation: the next initial point, or a newcomer."""
    steps = Steps(can_ask, ask_row, tell_row)
    inject_point(state_at(table), x, f, g, h, steps, admit_new)


@kernel(types.int64(table_type(POINT), types.float64))
def tell_ask(table, f):
    """Batch 1 in one call: take the result of the last point, draw the next. Returns 0 at the end
    of the run, 2 if a generation ended, else 1."""
    state, g, h, point = point_at(table)
    return tell_then_ask(state, f, g, h, point, Steps(can_ask, ask_row, tell_row))


@kernel(types.int64(table_type(BATCH), types.int64, types.int64))
def tell_ask_rows(table, told, batch):
    """A batch in one call: take the results of the `told` earliest rows, then draw up to `batch`
    rows (0: as many as there is room for) into `points`. Returns how many there are, negative if a
    generation ended; 0 at the end of the run."""
    state, f, g, h, points = batch_at(table)
    steps = Steps(can_ask, ask_row, tell_row)
    ended = tell_rows(state, told, f, g, h, steps)
    most = min(batch, points.shape[0]) if batch > 0 else points.shape[0]
    drawn = draw_rows(state, most, False, points, steps)
    return -drawn if ended else drawn
