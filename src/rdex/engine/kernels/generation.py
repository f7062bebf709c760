"""What happens before the first and after the last trial of a generation."""

import math

from rdex.engine.kernels.layout import (
    BEST_AT,
    BEST_F,
    BEST_PHI,
    DONE,
    EB_CREDIT_OBJECTIVE,
    EB_RATE,
    EPS,
    EPS_BY_RANK,
    EPS_FLOOR_POWER,
    EPS_FLOOR_UNTIL,
    EPS_SHARE,
    EPS_START,
    EPS_UNTIL,
    EQ_EXCESS,
    F_CENTRE,
    F_EXPONENT,
    GAIN_EB,
    GAIN_STD,
    GENERATION,
    INSIDE,
    LATEST_BIASED,
    LATEST_F,
    MADE,
    MCR,
    MEMORY,
    MEMORY_WEIGHT,
    MF,
    N0,
    N_MIN,
    NEARLY,
    RACE_FEASIBLE_PHI,
    READY,
    RESTARTS,
    RHO,
    RING,
    SCALE_AUTO,
    SR,
    STAGED,
    START_F,
    SUCCESSES,
    SUM_W,
    SUM_WA,
    SUM_WAA,
    SUM_WF,
    SUM_WFF,
    TOLD,
    WEIGHT,
    N,
)  # fmt: skip
from rdex.engine.kernels.order import is_nearer, merge_ranked, order_statistic, rank_members
from rdex.engine.kernels.sampling import progress
from rdex.evaluation.kernels import violation
from rdex.jit.compiling import part

#: Before a population has an ε: unlike any, so that everything is ordered by the first.
NO_EPS = -1.0


@part(inline=False)
def epsilon(param, t, start, phi, n, levels):
    """ε, Eqs. (csop_eps_idx) and (csop_epsilon): an order statistic of φ over the front, and at
    least start (1 − t/T)^c before time T, where there is such a floor.

    Position ⌊share · N (1 − t)²⌋ counts from zero, as in the released program, or from one, as in
    the paper. Failed members (φ = +inf) are left out.
    """
    if t > param[EPS_UNTIL]:
        return 0.0
    floor = 0.0
    if t < param[EPS_FLOOR_UNTIL]:
        floor = start * (1.0 - t / param[EPS_FLOOR_UNTIL]) ** param[EPS_FLOOR_POWER]
    finite = 0
    for i in range(n):
        if phi[i] < math.inf:
            levels[finite] = phi[i]
            finite += 1
    if finite == 0:
        return 0.0
    k = int(param[EPS_SHARE] * n * (1.0 - t) * (1.0 - t))
    if param[EPS_BY_RANK] != 0.0:
        k = max(k, 1) - 1
    return max(order_statistic(levels, finite, min(k, finite - 1)), floor)


@part(inline=False)
def begin_generation(param, count, value, f, phi, front, pool, slot, scratch, levels):
    """A new ε, and front and P ordered by it."""
    n = count[N]
    t = progress(count[TOLD], param, value)
    eps = epsilon(param, t, value[EPS_START], phi, n, levels)
    if eps != value[EPS]:
        value[EPS] = eps
        rank_members(f, phi, front, 0, n, eps, scratch)
        rank_members(f, phi, pool, 0, n, eps, scratch)
    nearly = 0
    inside = 0
    for i in range(n):
        inside += phi[i] <= eps
        nearly += phi[i] < param[RACE_FEASIBLE_PHI]
        slot[i, START_F] = f[i]
        slot[i, LATEST_F] = math.inf
    count[NEARLY] = nearly
    count[INSIDE] = inside
    count[STAGED] = 0
    count[SUCCESSES] = 0
    count[DONE] = 0
    for k in range(GAIN_EB, SUM_WAA + 1):
        value[k] = 0.0


@part(inline=False)
def update_rate(param, n, value, slot):
    """ρ, Eq. (csop_rho): the biased branch's share of the gains, if both branches gained."""
    gain_eb = value[GAIN_EB]
    gain_std = value[GAIN_STD]
    if param[EB_CREDIT_OBJECTIVE] != 0.0:
        gain_eb = 0.0
        gain_std = 0.0
        for i in range(n):
            gain = slot[i, START_F] - slot[i, LATEST_F]
            if gain > 0.0 and math.isfinite(gain):
                if slot[i, LATEST_BIASED] != 0.0:
                    gain_eb += gain
                else:
                    gain_std += gain
    total = gain_eb + gain_std
    both = gain_eb > 0.0 and gain_std > 0.0 and math.isfinite(total)
    value[RHO] = gain_eb / total if both else param[EB_RATE]


@part(inline=False)
def lehmer(total, first, second):
    """Weighted Lehmer mean from Σw, Σw·a, Σw·a²; 1 where the weights or the values vanish."""
    if not total > 0.0 or not math.isfinite(total) or first / total < 1e-8:
        return 1.0
    return min(second / first, 1.0)


@part(inline=False)
def update_memory(param, count, value, memory):
    """One slot of each memory moves towards the mean of this generation's successes;
    Eq. (csop_memory)."""
    if count[SUCCESSES] == 0:
        return
    k = count[MEMORY]
    w = param[MEMORY_WEIGHT]
    mean_F = lehmer(value[SUM_W], value[SUM_WF], value[SUM_WFF])
    mean_A = lehmer(value[SUM_W], value[SUM_WA], value[SUM_WAA])
    memory[MF, k] = (1.0 - w) * memory[MF, k] + w * mean_F
    memory[MCR, k] = (1.0 - w) * memory[MCR, k] + w * mean_A
    count[MEMORY] = (k + 1) % memory.shape[1]


@part(inline=False)
def reduce_front(count, x, f, phi, front, n_new, scratch):
    """Drop the worst members; the other slots close up in ring order."""
    n = count[N]
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
                copy_member(x, f, phi, kept, i)
            scratch[i] = kept
            kept += 1
    for k in range(n_new):
        front[k] = scratch[front[k]]
    count[RING] %= n_new


@part()
def copy_member(x, f, phi, target, source):
    """Row `target` holds what row `source` holds."""
    f[target] = f[source]
    phi[target] = phi[source]
    for j in range(x.shape[1]):
        x[target, j] = x[source, j]


@part()
def size_at(param, t):
    """N at progress t, Eq. (csop_lpsr)."""
    return max(int(param[N0] + (param[N_MIN] - param[N0]) * t), int(param[N_MIN]))


@part(inline=False)
def end_generation(param, count, value, x, f, phi, front, pool, memory, slot, scratch):
    """Learn from the generation and shrink."""
    n = count[N]
    eps = value[EPS]
    update_rate(param, n, value, slot)
    update_memory(param, count, value, memory)
    value[SR] = count[SUCCESSES] / n
    value[F_CENTRE] = value[SR] ** param[F_EXPONENT]
    t = progress(count[TOLD], param, value)
    n_new = min(size_at(param, t), n)
    # P and the successes set aside become one sequence; what is beyond n_new is free again.
    stop = n + count[STAGED]
    rank_members(f, phi, pool, n, stop, eps, scratch)
    merge_ranked(f, phi, pool, n, stop, eps, scratch)
    reduce_front(count, x, f, phi, front, n_new, scratch)
    count[N] = n_new
    count[GENERATION] += 1
    count[MADE] -= n


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
def scale_constraints(param, count, value, limit, x, f, phi, best_x, best_g, best_h, initial,
                      levels):  # fmt: skip
    """Weights 1 / median |c| over the initial points, whose φ and best follow."""
    n = count[N]
    n_ineq = best_g.size
    for k in range(limit.shape[1]):
        limit[WEIGHT, k] = 1.0 / median_size(initial, n, k, levels)
    chosen = -1
    for i in range(n):
        if phi[i] < math.inf:
            phi[i] = violation(
                initial[i, :n_ineq], initial[i, n_ineq:], limit, WEIGHT, param[EQ_EXCESS]
            )
            if chosen < 0 or is_nearer(f[i], phi[i], f[chosen], phi[chosen]):
                chosen = i
    if chosen < 0:
        return
    value[BEST_F] = f[chosen]
    value[BEST_PHI] = phi[chosen]
    count[BEST_AT] = chosen + 1
    for j in range(best_x.size):
        best_x[j] = x[chosen, j]
    for k in range(n_ineq):
        best_g[k] = initial[chosen, k]
    for k in range(best_h.size):
        best_h[k] = initial[chosen, n_ineq + k]


@part(inline=False)
def finish_initialisation(param, count, value, limit, x, f, phi, best_x, best_g, best_h, initial,
                          levels):  # fmt: skip
    """All initial points are in: front and P hold them."""
    if count[SCALE_AUTO] == 1 and count[RESTARTS] == 0:
        scale_constraints(
            param, count, value, limit, x, f, phi, best_x, best_g, best_h, initial, levels
        )
    n = count[N]
    for i in range(n):
        copy_member(x, f, phi, n + i, i)
        if phi[i] < math.inf:
            value[EPS_START] = max(value[EPS_START], phi[i])
    count[READY] = 1
    count[MADE] = 0
