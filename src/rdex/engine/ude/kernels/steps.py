"""The two halves of every loop: draw a row, take its result.

A generation is drawn from one state and decided when all of it is in. So rows may be asked in
batches of any size up to a generation, and told in any order: the run is the same. At the end stand
the kernels that Python calls, as in `rdex.engine.kernels.steps`.
"""

from numba import types

from rdex.engine.kernels.drivers import (
    advance,
    draw_rows,
    inject_point,
    keep_initial,
    record,
    take_values,
    tell_rows,
    tell_then_ask,
    write_trace,
)
from rdex.engine.kernels.generation import copy_member
from rdex.engine.kernels.layout import INITIAL, Steps, Values
from rdex.engine.kernels.state_types import TASK_TYPE, batch_type, point_type
from rdex.engine.ude.kernels.generation import (
    begin_generation,
    end_generation,
    finish_initialisation,
)
from rdex.engine.ude.kernels.order import is_better, sort
from rdex.engine.ude.kernels.state_types import STATE_TYPE
from rdex.engine.ude.kernels.variation import ask_row
from rdex.jit.binding import table_type, tuple_at
from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import MATRIX, OBJECTIVE, VECTOR

POINT, BATCH = point_type(STATE_TYPE), batch_type(STATE_TYPE)
point_at, batch_at, state_at = tuple_at(POINT), tuple_at(BATCH), tuple_at(STATE_TYPE)


@part()
def can_ask(settings, run, ahead):
    """Whether a further row may be drawn now: not beyond the initial points, the generation or
    the budget. There is no asking ahead: the next generation needs all of this one."""
    if run.asked >= settings.maxfev:
        return False
    if run.ready == 0:
        return run.asked < settings.n0
    return run.made < settings.trials


@part(inline=False)
def take_initial(state, k, row, values):
    """An initial point's result enters the population; True if it was the last."""
    settings, run, members, best = state.settings[0], state.run[0], state.members, state.best
    limit, initial, scratch = state.limit, state.initial, state.scratch
    keep_initial(run, members, initial, state.pending[k].target, row, values)
    complete = run.arrived == settings.n0
    if complete:
        finish_initialisation(settings, run, limit, members, best, initial, scratch.levels)
        sort(members.f, members.phi, state.ranks.pool, 0, run.n, scratch.rows)
    if complete or run.told == settings.maxfev:
        write_trace(0, settings, run, limit, members.phi, state.memory, best, state.trace)
    return complete


@part()
def tell_row(state, k, f_raw, g, h):
    """Take the result of pending row k; True if that ended a generation."""
    settings, run, members, best = state.settings[0], state.run[0], state.members, state.best
    limit, pending = state.limit, state.pending
    row = 3 * settings.n0 + k
    values = Values(f_raw, g, h)
    take_values(settings, run, limit, members, best, row, values)
    ended = False
    if pending[k].kind == INITIAL:
        ended = take_initial(state, k, row, values)
    else:
        pending[k].is_in = 1
        run.done += 1
        if run.done == settings.trials:
            ended = True
            end_generation(state)
    if ended:
        begin_generation(settings, run, state.learnt.tally)
    if run.told >= run.next_at:  # asked here, so that the call is not paid every time
        record(settings, run, limit, members.phi, state.memory, best, state.trace)
    return ended


@part()
def copy_pending(pending, target, source):
    """Pending row `target` is what pending row `source` is."""
    to, at = pending[target], pending[source]
    to.target = at.target
    to.kind = at.kind
    to.place = at.place
    to.is_in = at.is_in
    to.F = at.F
    to.CR = at.CR


@part(inline=False)
def admit_new(state, x, f_raw, g, h):
    """A newcomer counts as an evaluation and takes the worst member's place if it is better.

    It stands last until the generation ends; nothing is learnt from it. The trials of this
    generation move on by one number: they are the last `made`.
    """
    settings, run, members, best = state.settings[0], state.run[0], state.members, state.best
    limit, pending, pool = state.limit, state.pending, state.ranks.pool
    first = 3 * settings.n0
    capacity = pending.size
    for back in range(1, run.made + 1):
        source = (run.asked - back) % capacity
        target = (run.asked - back + 1) % capacity
        copy_member(members, first + target, first + source)
        copy_pending(pending, target, source)
    row = first + (run.asked - run.made) % capacity
    run.asked += 1
    for j in range(x.size):
        members.x[row, j] = x[j]
    take_values(settings, run, limit, members, best, row, Values(f_raw, g, h))
    worst = pool[run.n - 1]
    if is_better(members.f, members.phi, row, worst):
        copy_member(members, worst, row)
        state.ranks.idle[worst] = 0
    record(settings, run, limit, members.phi, state.memory, best, state.trace)


# --- what Python calls ---------------------------------------------------------------------------
@kernel(
    types.boolean(
        types.FunctionType(OBJECTIVE),
        TASK_TYPE,
        STATE_TYPE,
        types.int64,
        types.boolean,
        types.int64,
    )
)
def run_compiled(objective, task, state, stop_at, stop_at_generation, batch):
    """`drivers.advance`, one row at a time: the run is the same for every `batch`."""
    steps = Steps(can_ask, ask_row, tell_row)
    return advance(objective, task, state, stop_at, stop_at_generation, 1, steps)


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
