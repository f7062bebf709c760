"""One trial: donors, mutation, crossover, repair.

Order of draws, part of the contract: target (unless they are swept); branch (only where EB is
open); donors pbest, r1, r2, each redrawn until the inequalities hold; memory slot; F and CR;
perturbed or not (only where the probability is positive); j_rand; then, unless CR = 1, one word for
every two coordinates, the even one taking the lower 32 bits, and after them a Cauchy number for
every component that a perturbed trial does not take from the mutant. A race partner draws a, c, b,
then j_rand and its words.

Inequalities between donors compare plain integers, a position in P with a slot of the front: so
does the released program, and it is kept.

Rank weights are drawn by inverting their distribution, so no table has to follow the shrinking
population: exp(−κ rank/N) is a truncated geometric distribution, N − rank a triangular one.
"""

import math

import numpy as np

from rdex.engine.kernels.generation import progress
from rdex.engine.kernels.layout import (
    BIASED,
    INITIAL,
    LOWER,
    MCR,
    MF,
    NEVER,
    STANDARD,
    UNIT,
    UPPER,
    Trial,
)
from rdex.engine.kernels.order import precedes
from rdex.engine.kernels.random import below, cauchy, half_words, normal, uniform
from rdex.jit.compiling import part

_ALL = np.int64(2**62)


@part()
def clip(value, low, high):
    """`value` inside [low, high]."""
    return min(max(value, low), high)


@part()
def rank_exponential(random, n, pressure, mass):
    """A rank 0 .. n-1 with weight exp(−pressure · rank / n); mass = 1 − exp(−pressure); one word.
    Pressure 0 is the uniform distribution."""
    u = uniform(random)
    if pressure <= 0.0:
        return min(int(u * n), n - 1)
    rank = int(-n / pressure * math.log(1.0 - u * mass))
    return min(rank, n - 1)


@part()
def rank_linear(random, n, ranks):
    """A rank 0 .. ranks-1 with weight n − rank; one word."""
    drawn = uniform(random) * ranks * (2 * n - ranks + 1)  # twice the weight before this rank
    weight = math.ceil(0.5 * (math.sqrt(1.0 + 4.0 * (n * (n + 1) - drawn)) - 1.0))
    return min(max(n - int(weight), 0), ranks - 1)


@part()
def standard_parameters(random, centre, F_sigma, M_CR, CR_sigma):
    """F and CR of the standard branch, Eq. (csop_Fstd): a normal for F, redrawn while F is outside
    [0, 1], and one for CR."""
    F = centre + F_sigma * normal(random)
    while not 0.0 <= F <= 1.0:
        F = centre + F_sigma * normal(random)
    return F, clip(M_CR + CR_sigma * normal(random), 0.0, 1.0)


@part(inline=False)
def memory_parameters(random, M_F, F_scale, M_CR, CR_sigma):
    """F and CR of L-SHADE: a Cauchy number, redrawn while F <= 0 and cut at 1, and a normal."""
    F = M_F + F_scale * cauchy(random)
    while F <= 0.0:
        F = M_F + F_scale * cauchy(random)
    return min(F, 1.0), clip(M_CR + CR_sigma * normal(random), 0.0, 1.0)


@part()
def biased_parameters(random, M_F, F_scale, M_CR, CR_sigma, CR_floor):
    """F and CR of the exploitation-biased branch: a Cauchy number, redrawn while outside [0, 1],
    and a normal."""
    F = M_F + F_scale * cauchy(random)
    while not 0.0 <= F <= 1.0:
        F = M_F + F_scale * cauchy(random)
    return F, max(clip(M_CR + CR_sigma * normal(random), 0.0, 1.0), CR_floor)


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
def combine(x, u, trial, kept, bits, limit, box, share):
    """Row u of x: mutation, crossover and repair in a loop that runs on vectors.

    Binomial crossover with row `kept`: the mutant's component where bits < limit. A component
    outside its bounds, a perturbed one too, is put between x_ij and the bound it broke (share of
    the bound 0.5: the midpoint). Returns the number of components taken from the mutant.
    """
    i, towards, plus, minus = trial.target, trial.towards, trial.plus, trial.minus
    F_pull, F_push = trial.F_pull, trial.F_push
    taken = 0
    for j in range(x.shape[1]):
        parent = x[i, j]
        # Eqs. (csop_std_mut) and (csop_eb_mut)
        mutant = parent + F_pull * (x[towards, j] - parent) + F_push * (x[plus, j] - x[minus, j])
        is_taken = bits[j] < limit
        taken += is_taken
        value = mutant if is_taken else x[kept, j]  # Eq. (csop_xover)
        low = box[LOWER, j]
        high = box[UPPER, j]
        bound = low if value < low else high
        mixed = parent + share * (bound - parent)  # Eq. (csop_repair)
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
def cr_floor(settings, t):
    """Smallest CR of the exploitation-biased branch at progress t."""
    if t < settings.eb_CR_until_1:
        return settings.eb_CR_floor_1
    if t < settings.eb_CR_until_2:
        return settings.eb_CR_floor_2
    return 0.0


@part()
def choose_trial(settings, run, random, members, ranks, pending, memory, k):
    """Target, donors and parameters of a trial: its rows, and CR."""
    f, phi, front, pool = members.f, members.phi, ranks.front, ranks.pool
    n = run.n
    H = memory.shape[1]
    t = progress(run.asked, settings, run)
    i = run.made % n if settings.sweep else below(random, n)
    biased = t >= settings.eb_from and uniform(random) < run.rho
    if biased:
        share = settings.eb_pbest_share * (1.0 - settings.eb_pbest_decay * t)
        pbest, r1, r2 = biased_donors(random, i, n, share, front)
        h = below(random, H + 1)
        M_F = memory[MF, h] if h < H else settings.eb_F
        M_CR = memory[MCR, h] if h < H else settings.eb_CR
        floor = cr_floor(settings, t)
        F, CR = biased_parameters(random, M_F, settings.F_cauchy, M_CR, settings.CR_sigma, floor)
        towards, plus, minus = sort_donors(
            f, phi, pool[pbest], r1, pool[r2], run.eps, settings.eb_by_objective
        )
    else:
        pbest, r1, r2 = standard_donors(
            random, i, n, settings.pbest_share, settings.rank_pressure, settings.rank_mass, front
        )
        h = below(random, H)
        M_CR = memory[MCR, h]
        if settings.F_by_memory:
            F, CR = memory_parameters(
                random, memory[MF, h], settings.F_cauchy, M_CR, settings.CR_sigma
            )
        else:
            F, CR = standard_parameters(
                random, run.F_centre, settings.F_sigma, M_CR, settings.CR_sigma
            )
        towards, plus, minus = pool[pbest], r1, pool[r2]
    trial = pending[k]
    trial.target = i
    trial.kind = BIASED if biased else STANDARD
    trial.F = F
    trial.CR = CR
    trial.target_f = f[i]
    trial.target_phi = phi[i]
    run.made += 1
    if settings.race and is_racing(settings, run, f, phi, front, i, t):
        run.race_owed = k
    return Trial(i, towards, plus, minus, F, F), CR


@part(inline=False)
def is_racing(settings, run, f, phi, front, i, t):
    """Whether target i is raced: early enough, most of the front nearly feasible, i among the
    first ranks, and budget left for the second evaluation."""
    n = run.n
    if t >= settings.race_until or run.nearly <= settings.race_feasible_share * n:
        return False
    if run.asked + 2 > settings.maxfev:
        return False
    last = front[max(1, int(settings.race_target_share * n + 0.5)) - 1]
    return i == last or precedes(f[i], phi[i], i, f[last], phi[last], last, run.eps)


@part(inline=False)
def choose_racer(settings, run, random, ranks, pending, k):
    """The same for the second trial of a race, which takes its target and F from the first."""
    first, second = pending[run.race_owed], pending[k]
    first.partner = k
    second.partner = run.race_owed
    run.race_owed = -1
    n = run.n
    i = first.target
    CR = clip(first.CR, settings.race_CR_low, settings.race_CR_high)
    a = below(random, n)
    while a == i:
        a = below(random, n)
    c = below(random, n)
    while c == i or c == a:
        c = below(random, n)
    best = max(1, int(settings.race_donor_share * n + 0.5))
    b = i
    for _attempt in range(7):
        b = ranks.front[below(random, best)]
        if b != i:
            break
    if b == i:
        b = below(random, n)
    second.target = i
    second.kind = first.kind
    second.F = first.F
    second.CR = first.CR
    second.target_f = first.target_f
    second.target_phi = first.target_phi
    F_pull = settings.race_pull * first.F
    F_push = settings.race_push * first.F
    return Trial(i, b, ranks.pool[a], ranks.pool[c], F_pull, F_push), CR


@part()
def hand_out_initial(settings, run, x, pending, k):
    """The next initial point as pending row k."""
    i = run.asked - run.since
    pending[k].target = i
    pending[k].kind = INITIAL
    row = 3 * settings.n0 + k
    for j in range(x.shape[1]):
        x[row, j] = x[i, j]


@part()
def ask_row(state, k):
    """Write the next point to evaluate into pending row k."""
    settings, run, random = state.settings[0], state.run[0], state.random
    x, pending, box, bits = state.members.x, state.pending, state.box, state.scratch.bits
    pending[k].partner = -1
    pending[k].is_in = 0
    if run.ready == 0:
        hand_out_initial(settings, run, x, pending, k)
        run.asked += 1
        return
    perturb = False
    if run.race_owed >= 0:
        trial, CR = choose_racer(settings, run, random, state.ranks, pending, k)
    else:
        trial, CR = choose_trial(
            settings, run, random, state.members, state.ranks, pending, state.memory, k
        )
        chance = settings.perturb_probability
        perturb = chance > 0.0 and uniform(random) < chance
    d = state.best.x.size
    limit = draw_bits(random, bits, d, CR)
    kept = trial.target
    if perturb and CR < 1.0:
        kept = perturb_parent(random, x, trial.target, d, bits, limit, box)
    u = 3 * settings.n0 + k
    taken = combine(x, u, trial, kept, bits, limit, box, settings.repair_share)
    pending[k].A = taken / d
    run.asked += 1
