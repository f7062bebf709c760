"""One trial: donors, mutation, crossover, repair.

Order of draws, part of the contract: target (unless they are swept); branch (only where EB is
open); donors pbest, r1, r2, each redrawn until the inequalities hold; memory slot; F and CR;
perturbed or not (only where the probability is positive); j_rand; then, unless CR = 1, one word for
every two coordinates, the even one taking the lower 32 bits, and after them a Cauchy number for
every component that a perturbed trial does not take from the mutant. A race partner draws a, c, b,
then j_rand and its words.

Inequalities between donors compare plain integers, a position in P with a slot of the front: so
does the released program, and it is kept.
"""

import numpy as np

from rdex.engine.kernels.layout import (
    ASKED,
    BIASED,
    CR_SIGMA,
    DRAW_CR,
    DRAW_F,
    EB_BY_OBJECTIVE,
    EB_CR,
    EB_CR_FLOOR_1,
    EB_CR_FLOOR_2,
    EB_CR_UNTIL_1,
    EB_CR_UNTIL_2,
    EB_F,
    EB_FROM,
    EB_PBEST_DECAY,
    EB_PBEST_SHARE,
    EPS,
    F_BY_MEMORY,
    F_CAUCHY,
    F_CENTRE,
    F_SIGMA,
    INITIAL,
    IS_IN,
    KIND,
    LOWER,
    MADE,
    MAXFEV,
    MCR,
    MF,
    N0,
    NEARLY,
    NEVER,
    PARTNER,
    PBEST_SHARE,
    PERTURB_PROBABILITY,
    RACE,
    RACE_CR_HIGH,
    RACE_CR_LOW,
    RACE_DONOR_SHARE,
    RACE_FEASIBLE_SHARE,
    RACE_OWED,
    RACE_PULL,
    RACE_PUSH,
    RACE_TARGET_SHARE,
    RACE_UNTIL,
    RANK_MASS,
    RANK_PRESSURE,
    READY,
    REPAIR_SHARE,
    RHO,
    SHARE,
    SINCE,
    STANDARD,
    SWEEP,
    TARGET,
    TARGET_F,
    TARGET_PHI,
    UNIT,
    UPPER,
    N,
)  # fmt: skip
from rdex.engine.kernels.order import precedes
from rdex.engine.kernels.random import below, cauchy, half_words, uniform
from rdex.engine.kernels.sampling import (
    biased_parameters,
    clip,
    memory_parameters,
    progress,
    rank_exponential,
    rank_linear,
    standard_parameters,
)
from rdex.jit.compiling import part

_ALL = np.int64(2**62)


@part()
def draw_bits(random, bits, d, CR):
    """Random bits for each component, and the limit below which they take the mutant's: every
    component with probability CR, j_rand for certain."""
    j_rand = below(random, d)
    if CR >= 1.0:
        return _ALL
    half_words(random, bits, d)
    bits[j_rand] = -1
    bits[d] = NEVER  # where d is odd, half a word was left over
    return np.int64(CR * 4294967296.0)


@part(inline=False)
def perturb_parent(random, x, i, d, bits, limit, box):
    """Fill the spare row: where the mutant's component is not taken, Cauchy(x_ij, unit_j)."""
    spare = x.shape[0] - 1
    for j in range(d):
        if bits[j] >= limit:
            x[spare, j] = x[i, j] + box[UNIT, j] * cauchy(random)
    return spare


@part()
def combine(x, u, i, F_pull, towards, F_push, plus, minus, kept, bits, limit, box, share):
    """Mutation, crossover and repair of one trial in a loop that runs on vectors. All but the F's
    are rows of x.

    Mutant: x_i + F_pull (x_towards − x_i) + F_push (x_plus − x_minus), Eqs. (csop_std_mut) and
    (csop_eb_mut). Binomial crossover, Eq. (csop_xover), with row `kept`. A component outside its
    bounds, a perturbed one too, is put between x_ij and the bound it broke (share of the bound
    0.5: the midpoint), Eq. (csop_repair). Returns the number of components taken from the mutant.
    """
    taken = 0
    for j in range(x.shape[1]):
        parent = x[i, j]
        mutant = parent + F_pull * (x[towards, j] - parent) + F_push * (x[plus, j] - x[minus, j])
        is_taken = bits[j] < limit
        taken += is_taken
        value = mutant if is_taken else x[kept, j]
        low = box[LOWER, j]
        high = box[UPPER, j]
        bound = low if value < low else high
        mixed = parent + share * (bound - parent)
        mixed = low if mixed < low else mixed  # rounding may not leave the box either
        mixed = high if mixed > high else mixed
        x[u, j] = mixed if (value < low) | (value > high) else value
    return taken


@part()
def standard_donors(random, i, n, pbest_share, pressure, mass, front):
    """Position of pbest in P, slot of r1 in the front, position of r2 in P."""
    best = max(2, int(pbest_share * n))
    pbest = below(random, best)
    while pbest == i:
        pbest = below(random, best)
    r1 = front[rank_exponential(random, n, pressure, mass)]
    while r1 == pbest:
        r1 = front[rank_exponential(random, n, pressure, mass)]
    r2 = below(random, n)
    while r2 == pbest or r2 == r1:
        r2 = below(random, n)
    return pbest, r1, r2


@part(inline=False)
def biased_donors(random, i, n, pbest_share, front):
    """The same three, all drawn by rank with linear weight."""
    best = max(2, int(pbest_share * n))
    pbest = rank_linear(random, n, best)
    while pbest == i:
        pbest = rank_linear(random, n, best)
    r1 = front[rank_linear(random, n, n)]
    while r1 == pbest:
        r1 = front[rank_linear(random, n, n)]
    r2 = rank_linear(random, n, n)
    while r2 == pbest or r2 == r1:
        r2 = rank_linear(random, n, n)
    return pbest, r1, r2


@part()
def is_better(f, phi, a, b, eps, by_objective):
    """Whether donor row a stands strictly before donor row b, by ε-score or by f alone."""
    if by_objective:
        return f[a] < f[b]
    return precedes(f[a], phi[a], 0, f[b], phi[b], 0, eps)


@part(inline=False)
def sort_donors(f, phi, best, mid, worst, eps, by_objective):
    """The three rows, best first; equals keep their places."""
    if is_better(f, phi, mid, best, eps, by_objective):
        best, mid = mid, best
    if is_better(f, phi, worst, mid, eps, by_objective):
        mid, worst = worst, mid
        if is_better(f, phi, mid, best, eps, by_objective):
            best, mid = mid, best
    return best, mid, worst


@part()
def cr_floor(param, t):
    """Smallest CR of the exploitation-biased branch at progress t."""
    if t < param[EB_CR_UNTIL_1]:
        return param[EB_CR_FLOOR_1]
    if t < param[EB_CR_UNTIL_2]:
        return param[EB_CR_FLOOR_2]
    return 0.0


@part()
def choose_trial(param, count, value, random, f, phi, front, pool, info, draw, memory, k):
    """Target, donors and parameters of a trial: i, F, CR and the rows towards, plus, minus."""
    n = count[N]
    H = memory.shape[1]
    t = progress(count[ASKED], param, value)
    i = count[MADE] % n if param[SWEEP] != 0.0 else below(random, n)
    biased = t >= param[EB_FROM] and uniform(random) < value[RHO]
    if biased:
        share = param[EB_PBEST_SHARE] * (1.0 - param[EB_PBEST_DECAY] * t)
        pbest, r1, r2 = biased_donors(random, i, n, share, front)
        h = below(random, H + 1)
        M_F = memory[MF, h] if h < H else param[EB_F]
        M_CR = memory[MCR, h] if h < H else param[EB_CR]
        F, CR = biased_parameters(
            random, M_F, param[F_CAUCHY], M_CR, param[CR_SIGMA], cr_floor(param, t)
        )
        towards, plus, minus = sort_donors(
            f, phi, pool[pbest], r1, pool[r2], value[EPS], param[EB_BY_OBJECTIVE] != 0.0
        )
    else:
        pbest, r1, r2 = standard_donors(
            random, i, n, param[PBEST_SHARE], param[RANK_PRESSURE], param[RANK_MASS], front
        )
        h = below(random, H)
        if param[F_BY_MEMORY] == 0.0:
            F, CR = standard_parameters(
                random, value[F_CENTRE], param[F_SIGMA], memory[MCR, h], param[CR_SIGMA]
            )
        else:
            F, CR = memory_parameters(
                random, memory[MF, h], param[F_CAUCHY], memory[MCR, h], param[CR_SIGMA]
            )
        towards, plus, minus = pool[pbest], r1, pool[r2]
    info[k, TARGET] = i
    info[k, KIND] = BIASED if biased else STANDARD
    draw[k, DRAW_F] = F
    draw[k, DRAW_CR] = CR
    draw[k, TARGET_F] = f[i]
    draw[k, TARGET_PHI] = phi[i]
    count[MADE] += 1
    if param[RACE] != 0.0 and is_racing(param, count, value, f, phi, front, i, t):
        count[RACE_OWED] = k
    return i, F, CR, towards, plus, minus


@part(inline=False)
def is_racing(param, count, value, f, phi, front, i, t):
    """Whether target i is raced: early enough, most of the front nearly feasible, i among the
    first ranks, and budget left for the second evaluation."""
    n = count[N]
    if t >= param[RACE_UNTIL] or count[NEARLY] <= param[RACE_FEASIBLE_SHARE] * n:
        return False
    if count[ASKED] + 2 > param[MAXFEV]:
        return False
    last = front[max(1, int(param[RACE_TARGET_SHARE] * n + 0.5)) - 1]
    return i == last or precedes(f[i], phi[i], i, f[last], phi[last], last, value[EPS])


@part(inline=False)
def choose_racer(param, count, random, front, pool, info, draw, k):
    """The same for the second trial of a race, which takes its target and F from the first."""
    partner = count[RACE_OWED]
    count[RACE_OWED] = -1
    n = count[N]
    i = info[partner, TARGET]
    CR = clip(draw[partner, DRAW_CR], param[RACE_CR_LOW], param[RACE_CR_HIGH])
    a = below(random, n)
    while a == i:
        a = below(random, n)
    c = below(random, n)
    while c == i or c == a:
        c = below(random, n)
    ranks = max(1, int(param[RACE_DONOR_SHARE] * n + 0.5))
    b = i
    for _attempt in range(7):
        b = front[below(random, ranks)]
        if b != i:
            break
    if b == i:
        b = below(random, n)
    info[k, TARGET] = i
    info[k, KIND] = info[partner, KIND]
    info[k, PARTNER] = partner
    info[partner, PARTNER] = k
    for column in range(draw.shape[1]):
        draw[k, column] = draw[partner, column]
    return i, draw[partner, DRAW_F], CR, b, pool[a], pool[c]


@part()
def ask_row(state, k):
    """Write the next point to evaluate into pending row k."""
    param, count, value, random = state.param, state.count, state.value, state.random
    box, x, info, draw, bits = state.box, state.x, state.info, state.draw, state.bits
    u = 3 * int(param[N0]) + k
    info[k, PARTNER] = -1
    info[k, IS_IN] = 0
    if count[READY] == 0:
        i = count[ASKED] - int(value[SINCE])
        info[k, TARGET] = i
        info[k, KIND] = INITIAL
        for j in range(x.shape[1]):
            x[u, j] = x[i, j]
        count[ASKED] += 1
        return
    pull = 1.0
    push = 1.0
    perturb = False
    if count[RACE_OWED] >= 0:
        i, F, CR, towards, plus, minus = choose_racer(
            param, count, random, state.front, state.pool, info, draw, k
        )
        pull = param[RACE_PULL]
        push = param[RACE_PUSH]
    else:
        i, F, CR, towards, plus, minus = choose_trial(
            param, count, value, random, state.f, state.phi, state.front, state.pool, info, draw,
            state.memory, k,
        )  # fmt: skip
        chance = param[PERTURB_PROBABILITY]
        perturb = chance > 0.0 and uniform(random) < chance
    d = state.best_x.size
    limit = draw_bits(random, bits, d, CR)
    kept = perturb_parent(random, x, i, d, bits, limit, box) if perturb and CR < 1.0 else i
    taken = combine(
        x, u, i, pull * F, towards, push * F, plus, minus, kept, bits, limit, box,
        param[REPAIR_SHARE],
    )  # fmt: skip
    draw[k, SHARE] = taken / d  # A
    count[ASKED] += 1
