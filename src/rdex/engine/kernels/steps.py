"""What the loops of `drivers` call beside `variation.ask_row`: may a row be drawn, take its result.
And the kernels that Python calls, each a loop made of these steps.

Kernels stand on explicit signatures: they are compiled once and found in the cache by every later
process. `run_compiled` takes the problem as a first-class function, so that all problems share one
compiled loop. What is called for every point or batch finds state and results in a table, see
`rdex.jit.binding`.
"""

import math

from numba import types

from rdex.engine.kernels.drivers import (
    advance,
    batch_of_size,
    draw_rows,
    inject_point,
    keep_initial,
    record,
    take_values,
    tell_rows,
    tell_then_ask,
    write_trace,
)
from rdex.engine.kernels.generation import (
    NO_EPS,
    begin_generation,
    end_generation,
    finish_initialisation,
    has_stalled,
    restart,
)
from rdex.engine.kernels.layout import BIASED, INITIAL, LATE, Steps, Values
from rdex.engine.kernels.order import precedes, reposition
from rdex.engine.kernels.state_types import STATE_TYPE, TASK_TYPE, batch_type, point_type
from rdex.engine.kernels.variation import ask_row
from rdex.jit.binding import table_type, tuple_at
from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import MATRIX, OBJECTIVE, VECTOR

POINT, BATCH = point_type(STATE_TYPE), batch_type(STATE_TYPE)
point_at, batch_at, state_at = tuple_at(POINT), tuple_at(BATCH), tuple_at(STATE_TYPE)


@part()
def can_ask(settings, run, ahead):
    """Whether a further row may be drawn now.

    A batch never crosses the end of a generation, of the initial points or of the budget, and
    never holds more than half a generation: drawn from one state, a whole generation of trials
    has to beat only what the front was before, while the ring overwrites what it has become, and
    the front stops contracting (C08 stands still at a spread of 1e-6; with halves it goes to
    1e-15). With `ahead` trials of the next generation may be drawn before this one is decided.
    """
    if run.asked >= settings.maxfev:
        return False
    if run.ready == 0:
        return run.asked - run.since < settings.n0
    if ahead or run.race_owed >= 0:
        return True
    return run.made < run.n and run.asked - run.told < max(1, run.n // 2)


@part()
def improvement(f_u, phi_u, f_x, phi_x, eps):
    """Whether trial u succeeds against target x, Eq. (csop_select), and its improvement Δ.

    A failed trial never succeeds; a success over a failed target, or over one whose f is unknown,
    counts with Δ = 0, so that nothing but finite numbers reaches the memories.
    """
    if phi_u == math.inf:
        return False, 0.0
    relaxed_u = 0.0 if phi_u <= eps else phi_u
    relaxed_x = 0.0 if phi_x <= eps else phi_x
    if (phi_u <= eps or relaxed_u == relaxed_x) and f_u <= f_x:
        gain = f_x - f_u
    elif relaxed_u < relaxed_x:
        gain = relaxed_x - relaxed_u
    else:
        return False, 0.0
    return True, gain if math.isfinite(gain) else 0.0


@part()
def learn(run, F, A, gain, biased):
    """Add a success to the sums behind ρ and the weighted Lehmer means."""
    if biased:
        run.gain_eb += gain
    else:
        run.gain_std += gain
    run.sum_w += gain
    run.sum_wF += gain * F
    run.sum_wFF += gain * F * F
    run.sum_wA += gain * A
    run.sum_wAA += gain * A * A


@part()
def enter(settings, run, members, ranks, row, i):
    """Write a success into slot i of the front, or at the ring cursor if i is no slot, and set it
    aside for P."""
    x, f, phi, pool = members.x, members.f, members.phi, ranks.pool
    n = run.n
    near = settings.race_feasible_phi
    if i < 0 or i >= n:
        i = run.ring
        run.ring = i + 1 if i + 1 < n else 0
    run.nearly += int(phi[row] < near) - int(phi[i] < near)
    # Full only where newcomers came on top of N successes: then the latest one makes room.
    last = min(n + run.staged, pool.size - 1)
    aside = pool[last]
    run.staged = last + 1 - n
    run.successes += 1
    run.inside = reposition(f, phi, ranks.front, run.inside, n, i, row, run.eps)
    f[aside] = f[row]
    phi[aside] = phi[row]
    for j in range(x.shape[1]):
        x[i, j] = x[row, j]
        x[aside, j] = x[row, j]


@part()
def decide(settings, run, members, ranks, pending, slots, k):
    """Settle pending trial k (the better of a race) against its target."""
    f, phi = members.f, members.phi
    eps = run.eps
    first = 3 * settings.n0
    partner = pending[k].partner
    if partner >= 0 and precedes(
        f[first + partner], phi[first + partner], 0, f[first + k], phi[first + k], 0, eps
    ):
        k = partner
    row = first + k
    trial = pending[k]
    biased = trial.kind == BIASED
    if settings.eb_credit_objective:
        slots[trial.target].latest_f = f[row]
        slots[trial.target].latest_biased = biased
    success, gain = improvement(f[row], phi[row], trial.target_f, trial.target_phi, eps)
    if success:
        learn(run, trial.F, trial.A, gain, biased)
        enter(settings, run, members, ranks, row, trial.target if settings.replace_target else -1)
    run.done += 1


@part(inline=False)
def take_initial(state, k, row, values):
    """Take the result of an initial point; True if it was the last of them."""
    settings, run, members, best = state.settings[0], state.run[0], state.members, state.best
    limit, initial = state.limit, state.initial
    keep_initial(run, members, initial, state.pending[k].target, row, values)
    complete = run.arrived == settings.n0
    if complete:
        finish_initialisation(settings, run, limit, members, best, initial, state.scratch.levels)
    if run.restarts == 0 and (complete or run.told == settings.maxfev):
        write_trace(0, settings, run, limit, members.phi, state.memory, best, state.trace)
    if complete:
        run.eps = NO_EPS
    return complete


@part(inline=False)
def finish_generation(state):
    """Learn from the generation, and begin again if the population has settled."""
    settings, run, members = state.settings[0], state.run[0], state.members
    end_generation(settings, run, members, state.ranks, state.memory, state.slots, state.scratch)
    if has_stalled(settings, run, members, state.box, state.best.x.size):
        restart(state)


@part(inline=False)
def admit(state, k, x, f_raw, g, h):
    """A newcomer counts as an evaluation and replaces a member of the front if it is better than
    the worst one. Nothing is learnt from it: it was not drawn."""
    settings, run, members, ranks = state.settings[0], state.run[0], state.members, state.ranks
    limit, best = state.limit, state.best
    row = 3 * settings.n0 + k
    for j in range(x.size):
        members.x[row, j] = x[j]
    take_values(settings, run, limit, members, best, row, Values(f_raw, g, h))
    f, phi = members.f, members.phi
    worst = ranks.front[run.n - 1]
    is_better = precedes(f[row], phi[row], 0, f[worst], phi[worst], 0, run.eps)
    if is_better and run.n + run.staged < ranks.pool.size:
        enter(settings, run, members, ranks, row, -1)
        run.successes -= 1
    record(settings, run, limit, phi, state.memory, best, state.trace)


@part()
def is_waiting(run, pending, k):
    """Whether a trial that has come must wait for its race partner."""
    partner = pending[k].partner
    return run.race_owed == k or (partner >= 0 and pending[partner].is_in == 0)


@part()
def tell_row(state, k, f_raw, g, h):
    """Take the result of pending row k; True if that ended a generation."""
    settings, run, members, ranks = state.settings[0], state.run[0], state.members, state.ranks
    limit, best, pending, slots = state.limit, state.best, state.pending, state.slots
    row = 3 * settings.n0 + k
    values = Values(f_raw, g, h)
    take_values(settings, run, limit, members, best, row, values)
    ended = False
    kind = pending[k].kind
    if kind == INITIAL:
        ended = take_initial(state, k, row, values)
    elif kind != LATE:
        pending[k].is_in = 1
        if not is_waiting(run, pending, k):
            decide(settings, run, members, ranks, pending, slots, k)
            if run.done == run.n:
                ended = True
                finish_generation(state)
    if ended and run.ready == 1:
        begin_generation(settings, run, members, ranks, slots, state.scratch)
    if run.told >= run.next_at:  # asked here, so that the call is not paid every time
        record(settings, run, limit, members.phi, state.memory, best, state.trace)
    return ended


@part(inline=False)
def admit_new(state, x, f_raw, g, h):
    """`admit` for a point that was not handed out."""
    run = state.run[0]
    k = run.asked % state.pending.size
    run.asked += 1
    admit(state, k, x, f_raw, g, h)


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
    """`drivers.advance`."""
    steps = Steps(can_ask, ask_row, tell_row)
    return advance(objective, task, state, stop_at, stop_at_generation, batch, steps)


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
    rows (0: `default_batch`) into `points`. Returns how many there are, negative if a generation
    ended; 0 at the end of the run."""
    state, f, g, h, points = batch_at(table)
    steps = Steps(can_ask, ask_row, tell_row)
    ended = tell_rows(state, told, f, g, h, steps)
    most = batch if batch > 0 else batch_of_size(state.run[0].n)
    drawn = draw_rows(state, min(most, points.shape[0]), False, points, steps)
    return -drawn if ended else drawn
