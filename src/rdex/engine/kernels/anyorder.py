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

from rdex.engine.kernels.drivers import decode, hand_out, row_of, swap_rows
from rdex.engine.kernels.generation import NO_EPS, begin_generation, progress, size_at
from rdex.engine.kernels.layout import INITIAL, NOBODY, OWED, Steps
from rdex.engine.kernels.order import rank_members
from rdex.engine.kernels.random import uniform_row
from rdex.engine.kernels.state_types import STATE_TYPE
from rdex.engine.kernels.steps import admit, can_ask, tell_row
from rdex.engine.kernels.variation import ask_row
from rdex.jit.binding import table_type, tuple_at
from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import INTEGERS, VECTOR

state_at = tuple_at(STATE_TYPE)


@part(inline=False)
def draw_further(state, k):
    """A uniform point as pending row k, while initial points are awaited."""
    row = 3 * state.settings[0].n0 + k
    uniform_row(state.random, state.box, state.members.x, row, state.best.x.size)
    state.pending[k].kind = INITIAL
    state.pending[k].partner = -1
    state.pending[k].is_in = 0
    state.run[0].asked += 1


@kernel(types.int64(table_type(STATE_TYPE), INTEGERS, VECTOR))
def ask_one(table, numbers, point):
    """Draw one more row, however many are out, and write the user's point; its number, or -1 where
    the budget is handed out or the ring is full. numbers: (capacity,) of the pending rows."""
    state = state_at(table)
    settings, run = state.settings[0], state.run[0]
    capacity = state.pending.size
    number = run.asked
    if number >= settings.maxfev or number - run.told >= capacity - 1:
        return -1
    k = number % capacity
    if run.ready == 0 and number - run.since >= settings.n0:
        draw_further(state, k)
        decode(state.members.x, 3 * settings.n0 + k, state.box, run.mapped, point)
    else:
        hand_out(state, point, Steps(can_ask, ask_row, tell_row))
    numbers[k] = number
    return number


@kernel(types.int64(table_type(STATE_TYPE), INTEGERS, types.int64))
def partner_of(table, numbers, number):
    """Number of the row whose result a race awaits; NOBODY, or OWED if it is still to be drawn."""
    state = state_at(table)
    k = row_of(state, numbers, number)
    if k < 0:
        return NOBODY
    if state.run[0].race_owed == k:
        return OWED
    partner = state.pending[k].partner
    waits = partner >= 0 and state.pending[partner].is_in == 0
    return numbers[partner] if waits else NOBODY


@part()
def exchanged(row, a, b):
    """The row's number after rows a and b have changed places."""
    if row == a:
        return b
    return a if row == b else row


@part(inline=False)
def swap_racers(state, numbers, a, b):
    """Pending rows a and b change places, and everybody who refers to them follows."""
    run, pending = state.run[0], state.pending
    swap_rows(state, numbers, a, b)
    run.race_owed = exchanged(run.race_owed, a, b)
    partner_a = exchanged(pending[a].partner, a, b)
    partner_b = exchanged(pending[b].partner, a, b)
    if partner_a >= 0:
        pending[a].partner = partner_a
        pending[partner_a].partner = a
    if partner_b >= 0:
        pending[b].partner = partner_b
        pending[partner_b].partner = b


@kernel(types.int64(table_type(STATE_TYPE), INTEGERS, types.int64, types.float64, VECTOR, VECTOR))
def take(table, numbers, number, f, g, h):
    """Take the result of the row with this number; 0 if it is not out, else 1.

    A row that races must be followed by its partner, with nothing drawn in between.
    """
    state = state_at(table)
    run, x = state.run[0], state.members.x
    found = row_of(state, numbers, number)
    if found < 0:
        return 0
    k = run.told % state.pending.size
    if found != k:
        swap_racers(state, numbers, k, found)
    row = 3 * state.settings[0].n0 + k
    if state.pending[k].kind != INITIAL:
        tell_row(state, k, f, g, h)
    elif run.ready == 1:
        admit(state, k, x[row], f, g, h)
    else:
        # Initial points are handed out as copies, no fewer than arrive: the place is free.
        slot = run.arrived
        state.pending[k].target = slot
        for j in range(x.shape[1]):
            x[slot, j] = x[row, j]
        tell_row(state, k, f, g, h)
    return 1


@kernel(types.void(table_type(STATE_TYPE)))
def regrow(table):
    """Front and P of the size that belongs to the progress, at the start of a generation; nothing
    may be out.

    The rows that shrinking left behind still hold the members that were there when the front had
    that size, and P is filled with the best that it ever dropped: nothing is evaluated again.
    """
    state = state_at(table)
    settings, run, members, ranks = state.settings[0], state.run[0], state.members, state.ranks
    size = size_at(settings, progress(run.told, settings, run))
    n = min(max(size, run.n), settings.n0)
    for i in range(run.n, n):
        ranks.front[i] = i
    run.n = n
    run.made = 0
    run.race_owed = -1
    run.eps = NO_EPS
    rows, pool = state.scratch.rows, ranks.pool
    rank_members(members.f, members.phi, pool, 0, pool.size, 0.0, rows)
    begin_generation(settings, run, members, ranks, state.slots, state.scratch)
