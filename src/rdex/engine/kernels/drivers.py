"""What all methods share: the loops, and what every result changes (best so far, trace).

`Steps` says how a row is drawn and its result taken. Pending rows are a ring: evaluation number i
is row i modulo capacity. The parts are inlined into kernels of `steps` and `anyorder`, one set per
method.
"""

import math

from numba import types

from rdex.engine.kernels.layout import (
    HIGH_OUT,
    LOGARITHMIC,
    LOW_OUT,
    MAPPING,
    MCR,
    MF,
    UNWEIGHTED,
    WEIGHT,
    WHOLE,
    default_batch,
)
from rdex.engine.kernels.order import is_nearer, settle, violation
from rdex.engine.kernels.random import uniform_row
from rdex.jit.compiling import kernel, part
from rdex.jit.signatures import MATRIX, WORDS

batch_of_size = part()(default_batch)


@part()
def row_after(k, capacity):
    """The pending row after row k of the ring, without a division."""
    return k + 1 if k + 1 < capacity else 0


@part()
def decode(x, row, box, mapped, point):
    """The user's point for row `row` of the engine: integers rounded, logarithms undone."""
    if not mapped:
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
def is_goal_reached(settings, run):
    """Whether a feasible point with f at or below the goal is known."""
    return run.best_phi == 0.0 and run.best_f <= settings.goal


@part(cached=False)
def advance(objective, task, state, stop_at, stop_at_generation, batch, steps):
    """Ask, evaluate, tell until `stop_at` evaluations are done, the goal is reached, or a
    generation has ended if `stop_at_generation`. Returns whether one had.

    `batch` rows are drawn from one state before the first is evaluated; 0 stands for
    `default_batch` of the present size.
    """
    settings, run, x = state.settings[0], state.run[0], state.members.x
    capacity = state.pending.size
    first = 3 * settings.n0
    k = run.told % capacity
    while run.told < stop_at and not is_goal_reached(settings, run):
        if run.asked == run.told:
            row = k
            for _ in range(batch if batch > 0 else batch_of_size(run.n)):
                if not steps.can_ask(settings, run, False):
                    break
                steps.ask_row(state, row)
                row = row_after(row, capacity)
        decode(x, first + k, state.box, run.mapped, task.point)
        f = objective(task.point, task.data, task.work, task.g, task.h)
        if steps.tell_row(state, k, f, task.g, task.h) and stop_at_generation:
            return True
        k = row_after(k, capacity)
    return False


@part(cached=False)
def hand_out(state, point, steps):
    """Draw the next row and write the user's point; its pending row."""
    run = state.run[0]
    k = run.asked % state.pending.size
    steps.ask_row(state, k)
    decode(state.members.x, 3 * state.settings[0].n0 + k, state.box, run.mapped, point)
    return k


@part(cached=False)
def draw_rows(state, most, ahead, points, steps):
    """Draw up to `most` rows and write the user's points; returns how many there are."""
    settings, run, x, box = state.settings[0], state.run[0], state.members.x, state.box
    capacity = state.pending.size
    drawn = 0
    while drawn < most and steps.can_ask(settings, run, ahead):
        k = run.asked % capacity
        steps.ask_row(state, k)
        decode(x, 3 * settings.n0 + k, box, run.mapped, points[drawn])
        drawn += 1
    return drawn


@part(cached=False)
def tell_rows(state, n, f, g, h, steps):
    """Take the results of the n earliest rows; True if a generation ended."""
    run, capacity = state.run[0], state.pending.size
    ended = False
    for i in range(n):
        k = run.told % capacity
        if steps.tell_row(state, k, f[i], g[i], h[i]):
            ended = True
    return ended


@part(cached=False)
def tell_then_ask(state, f, g, h, point, steps):
    """Take the result of the last row, draw the next. Returns 0 at the end of the run, 2 if a
    generation ended, else 1."""
    settings, run, capacity = state.settings[0], state.run[0], state.pending.size
    ended = steps.tell_row(state, (run.asked - 1) % capacity, f, g, h)
    if not steps.can_ask(settings, run, False):
        return 0
    k = run.asked % capacity
    steps.ask_row(state, k)
    decode(state.members.x, 3 * settings.n0 + k, state.box, run.mapped, point)
    return 2 if ended else 1


@part(cached=False)
def inject_point(state, x, f, g, h, steps, admit_new):
    """Take a point nobody asked for as one evaluation: the next initial point, or a newcomer."""
    run = state.run[0]
    if run.ready == 0:
        k = run.asked % state.pending.size
        for j in range(x.size):
            state.members.x[run.asked - run.since, j] = x[j]
        steps.ask_row(state, k)
        steps.tell_row(state, k, f, g, h)
    else:
        admit_new(state, x, f, g, h)


@part(inline=False)
def row_of(state, numbers, number):
    """Pending row with this number, or -1. numbers: (capacity,) of the pending rows."""
    run, capacity = state.run[0], state.pending.size
    for i in range(run.told, run.asked):
        if numbers[i % capacity] == number:
            return i % capacity
    return -1


@part(inline=False)
def swap_rows(state, numbers, a, b):
    """Pending rows a and b change places."""
    x = state.members.x
    first = 3 * state.settings[0].n0
    for j in range(x.shape[1]):
        x[first + a, j], x[first + b, j] = x[first + b, j], x[first + a, j]
    one, other = state.pending[a], state.pending[b]
    one.target, other.target = other.target, one.target
    one.kind, other.kind = other.kind, one.kind
    one.partner, other.partner = other.partner, one.partner
    one.place, other.place = other.place, one.place
    one.is_in, other.is_in = other.is_in, one.is_in
    one.F, other.F = other.F, one.F
    one.CR, other.CR = other.CR, one.CR
    one.A, other.A = other.A, one.A
    one.target_f, other.target_f = other.target_f, one.target_f
    one.target_phi, other.target_phi = other.target_phi, one.target_phi
    numbers[a], numbers[b] = numbers[b], numbers[a]


# --- what every result changes --------------------------------------------------------------------
@part()
def update_best(run, best, members, row, g, h):
    """Keep a row and its constraints if it is better, feasibility first: lower φ, then lower f."""
    f, phi = members.f[row], members.phi[row]
    if phi == 0.0 and run.feasible_at == 0:
        run.feasible_at = run.told
    if run.best_at == 0 or is_nearer(f, phi, run.best_f, run.best_phi):
        run.best_f = f
        run.best_phi = phi
        run.best_at = run.told
        for j in range(best.x.size):
            best.x[j] = members.x[row, j]
        for k in range(best.g.size):
            best.g[k] = g[k]
        for k in range(best.h.size):
            best.h[k] = h[k]


@part(inline=False)
def write_trace(k, settings, run, limit, phi, memory, best, trace):
    """Row k of the trace holds the present."""
    trace.f[k] = run.best_f
    trace.phi[k] = violation(best.g, best.h, limit, UNWEIGHTED, settings.eq_excess)
    if run.best_phi == math.inf:  # nothing but failures so far, whatever their constraints say
        trace.phi[k] = math.inf
    n = run.n
    feasible = 0
    for i in range(n):
        feasible += phi[i] == 0.0
    row = trace.diagnostic
    row[k, 0] = run.eps
    row[k, 1] = n
    row[k, 2] = run.sr
    row[k, 3] = run.rho
    row[k, 4] = feasible / n
    row[k, 5] = run.generation
    H = memory.shape[1]
    for m in range(H):
        row[k, 6 + m] = memory[MF, m]
        row[k, 6 + H + m] = memory[MCR, m]


@part(inline=False)
def record(settings, run, limit, phi, memory, best, trace):
    """Write every checkpoint that is due: the k-th at ⌈k · MaxFE / K⌉ evaluations."""
    while run.told >= run.next_at:
        write_trace(run.next, settings, run, limit, phi, memory, best, trace)
        run.next += 1
        if run.next > settings.checkpoints:
            run.next_at = 2**62
        else:
            # As floats: the product of two large whole numbers may not fit.
            run.next_at = math.ceil(float(run.next) * settings.maxfev / settings.checkpoints)


@part()
def take_values(settings, run, limit, members, best, row, values):
    """f and φ of a row: settled, counted, and compared with the best so far."""
    g, h = values.g, values.h
    phi_raw = violation(g, h, limit, WEIGHT, settings.eq_excess)
    f, phi = settle(values.f, phi_raw)
    members.f[row] = f
    members.phi[row] = phi
    run.told += 1
    run.failed += phi == math.inf
    update_best(run, best, members, row, g, h)


@part(inline=False)
def keep_initial(run, members, initial, i, row, values):
    """The result of an initial point, in `row`, at its place i in the population."""
    g, h = values.g, values.h
    members.f[i] = members.f[row]
    members.phi[i] = members.phi[row]
    if run.scale_auto == 1:
        for c in range(g.size):
            initial[i, c] = g[c]
        for c in range(h.size):
            initial[i, g.size + c] = h[c]
    run.arrived += 1


# --- points in and out of the engine's box --------------------------------------------------------
@kernel(types.void(WORDS, MATRIX, MATRIX))
def uniform_points(random, box, points):
    """Fill `points` (n, d) with uniform points of the engine's box, row by row."""
    for i in range(points.shape[0]):
        uniform_row(random, box, points, i, points.shape[1])


@kernel(types.void(MATRIX, MATRIX, MATRIX))
def decode_points(x, box, points):
    """The user's points for all rows of x."""
    for i in range(x.shape[0]):
        decode(x, i, box, 1, points[i])
