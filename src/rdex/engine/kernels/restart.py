"""A population that has settled makes room for another, with what is left of the budget.

Few variables or easy ground let the members meet long before the budget ends, and nothing they do
after that finds another valley. The next population is a run of its own: uniform points, the
constants of the start, and t from 0 to 1 over what is left. The best point, the trace and the
scales of the constraints are the run's and stay. Draws: N0 · D uniform numbers, row by row, as at
the start.
"""

import math

from rdex.engine.kernels.layout import INITIAL, LATE, LOWER, MAPPING, MCR, MF, UPPER, WHOLE
from rdex.engine.kernels.order import is_nearer
from rdex.engine.kernels.sampling import uniform_row
from rdex.jit.compiling import part

#: Members no further apart than this share of the box, in every variable, have settled.
SETTLED = 1e-9


@part(inline=False)
def is_settled(x, n, d, box):
    """Whether the front is one point: all members near the first, integers equal."""
    for i in range(1, n):
        for j in range(d):
            a = x[0, j]
            b = x[i, j]
            if box[MAPPING, j] == WHOLE:
                a = math.floor(a + 0.5)
                b = math.floor(b + 0.5)
            if abs(a - b) > SETTLED * (box[UPPER, j] - box[LOWER, j]):
                return False
    return True


@part(inline=False)
def has_stalled(settings, run, members, box, d):
    """Whether the front has settled and its best member, feasibility first, has stayed as it was
    until q times the evaluations that this took, and enough is left for initial points and a
    generation. Asked at the end of a generation."""
    if settings.restart_after <= 0.0:
        return False
    f, phi = members.f, members.phi
    if not is_settled(members.x, run.n, d, box):
        run.settled_at = 0
        return False
    used = run.told - run.since
    least = 0
    for i in range(1, run.n):
        if is_nearer(f[i], phi[i], f[least], phi[least]):
            least = i
    better = is_nearer(f[least], phi[least], run.least_f, run.least_phi)
    if better or run.settled_at == 0:
        run.least_f = f[least]
        run.least_phi = phi[least]
        run.settled_at = max(used, 1)
    enough = settings.maxfev - run.asked >= 2.0 * settings.n0 and run.clock < 1.0
    return enough and run.race_owed < 0 and used >= settings.restart_after * run.settled_at


@part(inline=False)
def restart(state):
    """Begin again with uniform points, which are yet to be evaluated; what is out comes too late
    to count for more than a best point."""
    settings, run, members = state.settings[0], state.run[0], state.members
    n0 = settings.n0
    for number in range(run.told, run.asked):
        trial = state.pending[number % state.pending.size]
        if trial.kind != INITIAL:
            trial.kind = LATE
    for i in range(n0):
        uniform_row(state.random, state.box, members.x, i, state.best.x.size)
        members.f[i] = math.inf
        members.phi[i] = math.inf
        state.ranks.front[i] = i
    for i in range(2 * n0):
        state.ranks.pool[i] = n0 + i
    for k in range(state.memory.shape[1]):
        state.memory[MF, k] = settings.memory_F
        state.memory[MCR, k] = settings.memory_CR
    run.since = run.asked
    run.clock_since = run.clock
    run.eps_start = 0.0
    run.sr = settings.start_SR
    run.F_centre = settings.start_SR**settings.F_exponent
    run.rho = settings.eb_rate
    run.n = n0
    run.restarts += 1
    run.made = 0
    run.staged = 0
    run.ring = 0
    run.cursor = 0
    run.ready = 0
    run.arrived = 0
    run.settled_at = 0
