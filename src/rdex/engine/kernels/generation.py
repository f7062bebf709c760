"""What happens before the first and after the last trial of a generation, restarts included.

A population that has converged makes room for another, with what is left of the budget. Few
variables or easy ground let the members meet long before the budget ends, and nothing they do after
that finds another valley. The next population is a run of its own: uniform points, the constants of
the start, and t from 0 to 1 over what is left. The best point, the trace and the scales of the
constraints are the run's and stay. Draws: N0 · D uniform numbers, row by row, as at the start.
"""

import math

from rdex.engine.kernels.layout import (
    INITIAL,
    LATE,
    LOWER,
    MAPPING,
    MCR,
    MF,
    UPPER,
    WEIGHT,
    WHOLE,
)
from rdex.engine.kernels.order import (
    is_nearer,
    merge_ranked,
    order_statistic,
    rank_members,
    violation,
)
from rdex.engine.kernels.random import uniform_row
from rdex.jit.compiling import part

#: Before a population has an ε: unlike any, so that everything is ordered by the first.
NO_EPS = -1.0

#: Violations coincide if the quantile η of them is below this many times the smallest.
LOCKED = 10.0

#: Members no further apart than this share of the box, in every variable, have converged.
SETTLED = 1e-9


@part()
def progress(evaluations, settings, run):
    """t: the used share of the budget or, if that is larger, of the time; after a restart, of what
    was left then."""
    t = (evaluations - run.since) / (settings.maxfev - run.since)
    clock = run.clock
    if run.clock_since > 0.0:
        clock = (clock - run.clock_since) / (1.0 - run.clock_since)
    return max(t, clock)


@part(inline=False)
def is_locked(levels, n, share):
    """Whether violations (n,) coincide: ε is a quantile of them, and would fall no more."""
    smallest = order_statistic(levels, n, 0)
    return 0.0 < smallest and order_statistic(levels, n, int(share * (n - 1))) < LOCKED * smallest


@part(inline=False)
def epsilon(settings, t, start, phi, n, levels):
    """ε, Eqs. (csop_eps_idx) and (csop_epsilon): an order statistic of φ over the front, and at
    least start (1 − t/T)^c before time T, where there is such a floor.

    Position ⌊share · N (1 − t)²⌋ counts from zero, as in the released program, or from one, as in
    the paper. While violations coincide the share may be a lower one. Failed members (φ = +inf)
    are left out.
    """
    if t > settings.eps_until:
        return 0.0
    floor = 0.0
    if t < settings.eps_floor_until:
        floor = start * (1.0 - t / settings.eps_floor_until) ** settings.eps_floor_power
    finite = 0
    for i in range(n):
        if phi[i] < math.inf:
            levels[finite] = phi[i]
            finite += 1
    if finite == 0:
        return 0.0
    share = settings.eps_share
    if settings.eps_locked_share < share and is_locked(levels, finite, share):
        share = settings.eps_locked_share
    k = int(share * n * (1.0 - t) * (1.0 - t))
    if settings.eps_by_rank:
        k = max(k, 1) - 1
    return max(order_statistic(levels, finite, min(k, finite - 1)), floor)


@part(inline=False)
def begin_generation(settings, run, members, ranks, slots, scratch):
    """A new ε, and front and P ordered by it."""
    f, phi = members.f, members.phi
    n = run.n
    t = progress(run.told, settings, run)
    eps = epsilon(settings, t, run.eps_start, phi, n, scratch.levels)
    if eps != run.eps:
        run.eps = eps
        rank_members(f, phi, ranks.front, 0, n, eps, scratch.rows)
        rank_members(f, phi, ranks.pool, 0, n, eps, scratch.rows)
    nearly = 0
    inside = 0
    for i in range(n):
        inside += phi[i] <= eps
        nearly += phi[i] < settings.race_feasible_phi
        slots[i].start_f = f[i]
        slots[i].latest_f = math.inf
    run.nearly = nearly
    run.inside = inside
    run.staged = 0
    run.successes = 0
    run.done = 0
    run.gain_eb = 0.0
    run.gain_std = 0.0
    run.sum_w = 0.0
    run.sum_wF = 0.0
    run.sum_wFF = 0.0
    run.sum_wA = 0.0
    run.sum_wAA = 0.0


@part(inline=False)
def update_rate(settings, run, slots):
    """ρ: the biased branch's share of the gains, if both branches gained."""
    gain_eb = run.gain_eb
    gain_std = run.gain_std
    if settings.eb_credit_objective:
        gain_eb = 0.0
        gain_std = 0.0
        for i in range(run.n):
            gain = slots[i].start_f - slots[i].latest_f
            if gain > 0.0 and math.isfinite(gain):
                if slots[i].latest_biased:
                    gain_eb += gain
                else:
                    gain_std += gain
    total = gain_eb + gain_std
    both = gain_eb > 0.0 and gain_std > 0.0 and math.isfinite(total)
    run.rho = gain_eb / total if both else settings.eb_rate  # Eq. (csop_rho)


@part(inline=False)
def lehmer(total, first, second):
    """Weighted Lehmer mean from Σw, Σw·a, Σw·a²; 1 where the weights or the values vanish."""
    if not total > 0.0 or not math.isfinite(total) or first / total < 1e-8:
        return 1.0
    return min(second / first, 1.0)


@part(inline=False)
def update_memory(settings, run, memory):
    """One slot of each memory moves towards the mean of this generation's successes."""
    if run.successes == 0:
        return
    k = run.cursor
    w = settings.memory_weight
    mean_F = lehmer(run.sum_w, run.sum_wF, run.sum_wFF)
    mean_A = lehmer(run.sum_w, run.sum_wA, run.sum_wAA)
    memory[MF, k] = (1.0 - w) * memory[MF, k] + w * mean_F  # Eq. (csop_memory)
    memory[MCR, k] = (1.0 - w) * memory[MCR, k] + w * mean_A
    run.cursor = (k + 1) % memory.shape[1]


@part(inline=False)
def reduce_front(run, members, front, n_new, scratch):
    """Drop the worst members; the other slots close up in ring order."""
    n = run.n
    if n_new >= n:
        return
    for i in range(n):
        scratch[i] = 0
    for k in range(n_new, n):
        scratch[front[k]] = 1
    kept = 0
    for i in range(n):
        if scratch[i] == 0:
            if kept < i:
                copy_member(members, kept, i)
            scratch[i] = kept
            kept += 1
    for k in range(n_new):
        front[k] = scratch[front[k]]
    run.ring %= n_new


@part()
def copy_member(members, target, source):
    """Row `target` holds what row `source` holds."""
    members.f[target] = members.f[source]
    members.phi[target] = members.phi[source]
    for j in range(members.x.shape[1]):
        members.x[target, j] = members.x[source, j]


@part()
def size_at(settings, t):
    """N at progress t, Eq. (csop_lpsr)."""
    n0, n_min = settings.n0, settings.n_min
    return max(int(n0 + (n_min - n0) * t), n_min)


@part(inline=False)
def end_generation(settings, run, members, ranks, memory, slots, scratch):
    """Learn from the generation and shrink."""
    f, phi, pool = members.f, members.phi, ranks.pool
    n = run.n
    eps = run.eps
    update_rate(settings, run, slots)
    update_memory(settings, run, memory)
    run.sr = run.successes / n
    run.F_centre = run.sr**settings.F_exponent  # Eq. (csop_Fstd)
    t = progress(run.told, settings, run)
    n_new = min(size_at(settings, t), n)
    # P and the successes set aside become one sequence; what is beyond n_new is free again.
    stop = n + run.staged
    rank_members(f, phi, pool, n, stop, eps, scratch.rows)
    merge_ranked(f, phi, pool, n, stop, eps, scratch.rows)
    reduce_front(run, members, ranks.front, n_new, scratch.rows)
    run.n = n_new
    run.generation += 1
    run.made -= n


@part(inline=False)
def median_size(values, n, column, levels):
    """Median of |values[:n, column]| over its finite entries; 1 where there is none, or where it is
    so small or large (0 too) that violations divided by it could not be finite and positive."""
    finite = 0
    for i in range(n):
        size = abs(values[i, column])
        if math.isfinite(size):
            levels[finite] = size
            finite += 1
    if finite == 0:
        return 1.0
    upper = order_statistic(levels, finite, finite // 2)
    lower = order_statistic(levels, finite, (finite - 1) // 2)
    middle = 0.5 * (lower + upper)
    return middle if 1e-300 < middle < 1e300 else 1.0


@part(inline=False)
def scale_constraints(settings, run, limit, members, best, initial, levels):
    """Weights 1 / median |c| over the initial points, whose φ and best follow."""
    f, phi = members.f, members.phi
    n = run.n
    n_ineq = best.g.size
    for k in range(limit.shape[1]):
        limit[WEIGHT, k] = 1.0 / median_size(initial, n, k, levels)
    chosen = -1
    for i in range(n):
        if phi[i] < math.inf:
            phi[i] = violation(
                initial[i, :n_ineq], initial[i, n_ineq:], limit, WEIGHT, settings.eq_excess
            )
            if chosen < 0 or is_nearer(f[i], phi[i], f[chosen], phi[chosen]):
                chosen = i
    if chosen < 0:
        return
    run.best_f = f[chosen]
    run.best_phi = phi[chosen]
    run.best_at = chosen + 1
    for j in range(best.x.size):
        best.x[j] = members.x[chosen, j]
    for k in range(n_ineq):
        best.g[k] = initial[chosen, k]
    for k in range(best.h.size):
        best.h[k] = initial[chosen, n_ineq + k]


@part(inline=False)
def finish_initialisation(settings, run, limit, members, best, initial, levels):
    """All initial points are in: front and P hold them."""
    if run.scale_auto == 1 and run.restarts == 0:
        scale_constraints(settings, run, limit, members, best, initial, levels)
    n = run.n
    for i in range(n):
        copy_member(members, n + i, i)
        if members.phi[i] < math.inf:
            run.eps_start = max(run.eps_start, members.phi[i])
    run.ready = 1
    run.made = 0


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
