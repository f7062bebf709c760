"""One trial: strategy, parameters, donors, mutation, crossover, bounds.

Order of draws, part of the contract: the strategy (bottom targets only); for strategy 3 of bottom
targets, where it has a share, rand-to-pbest or not; the memory cell; F, a Cauchy number redrawn
while it is not positive; CR, a normal number (not for strategy 2); the size of the
p-best set and a member of it; the donors a, b, c that the strategy has, each redrawn until it is
distinct and, where it is ranked, accepted by one more number; then, unless CR = 1, one word for
every two coordinates, the even one taking the lower 32 bits. Donors are ranks in the population.
"""

import numpy as np

from rdex.engine.kernels.layout import LOWER, NEVER, UPPER, Trial
from rdex.engine.kernels.random import below, cauchy, half_words, normal, uniform
from rdex.engine.kernels.variation import hand_out_initial
from rdex.engine.ude.kernels.layout import (
    CELL_CR,
    CELL_F,
    CURRENT_TO_PBEST_1,
    CURRENT_TO_RAND_1,
    RAND_1,
)
from rdex.jit.compiling import part

_ALL = np.int64(2**62)


@part()
def choose_strategy(random, run):
    """A strategy by roulette."""
    drawn = uniform(random)
    if drawn < run.up_to_1:
        return RAND_1
    return CURRENT_TO_RAND_1 if drawn < run.up_to_2 else CURRENT_TO_PBEST_1


@part()
def draw_parameters(random, cells, strategy, F_scale, CR_sigma):
    """F and CR around one random memory cell of the strategy; CR = 1 where nothing is crossed."""
    h = below(random, cells.shape[1])
    centre = cells[CELL_F + strategy - 1, h]
    F = centre + F_scale * cauchy(random)
    while F <= 0.0:
        F = centre + F_scale * cauchy(random)
    CR = 1.0
    if strategy != CURRENT_TO_RAND_1:
        CR = min(max(cells[CELL_CR + strategy - 1, h] + CR_sigma * normal(random), 0.0), 1.0)
    return min(F, 1.0), CR


@part()
def donor(random, n, ranked, i, p, a, b):
    """A rank other than the four given; by acceptance with probability (n − rank) / n if ranked
    (rank 0 is the best), else uniform."""
    while True:
        r = below(random, n)
        if r != i and r != p and r != a and r != b:
            if not ranked or uniform(random) * n < n - r:
                return r


@part()
def draw_bits(random, bits, d, CR):
    """Random bits for each component, and the limit below which they take the mutant's: every
    component with probability CR, none for certain."""
    if CR >= 1.0:
        return _ALL
    half_words(random, bits, d)
    bits[d] = NEVER  # where d is odd, half a word was left over
    return np.int64(CR * 4294967296.0)


@part()
def combine(x, u, trial, base, bits, limit, box):
    """Row u = base + F (towards − base) + F (plus − minus), rows of x, clipped to the bounds, and
    crossed with the target's row."""
    i, towards, plus, minus, F = trial.target, trial.towards, trial.plus, trial.minus, trial.F_pull
    for j in range(x.shape[1]):
        b = x[base, j]
        v = b + F * (x[towards, j] - b) + F * (x[plus, j] - x[minus, j])
        v = box[LOWER, j] if v < box[LOWER, j] else v
        v = box[UPPER, j] if v > box[UPPER, j] else v
        x[u, j] = v if bits[j] < limit else x[i, j]


@part()
def draw_pbest(random, settings, n, i):
    """Rank of a member of the p-best set, whose size is drawn anew."""
    low = settings.pbest_low
    size = min(int(low + (settings.pbest_high - low) * uniform(random) + 0.5), n)
    p = below(random, size)
    while p == i:
        p = below(random, size)
    return p


@part()
def choose_target(settings, run, random):
    """Whose turn it is (a rank), the strategy, and whether strategy 3 starts at a random member:
    three trials for every top target, one for every bottom target."""
    made = run.made
    if made < 3 * settings.top:
        return made // 3, RAND_1 + made % 3, False
    strategy = choose_strategy(random, run)
    from_rand = False
    if strategy == CURRENT_TO_PBEST_1 and settings.rand_to_pbest > 0.0:
        from_rand = uniform(random) < settings.rand_to_pbest
    return made - 2 * settings.top, strategy, from_rand


@part()
def choose_donors(settings, random, n, i, strategy, from_rand):
    """Ranks of base, towards, plus and minus."""
    if strategy == CURRENT_TO_PBEST_1:
        p = draw_pbest(random, settings, n, i)
        a = -1
        if from_rand:
            a = donor(random, n, settings.ranked_a, i, p, -1, -1)
        b = donor(random, n, settings.ranked_pbest_b, i, p, a, -1)
        c = donor(random, n, settings.ranked_pbest_c, i, p, a, b)
        return a if from_rand else i, p, b, c
    a = donor(random, n, settings.ranked_a, i, -1, -1, -1)
    b = donor(random, n, settings.ranked_b, i, a, -1, -1)
    c = donor(random, n, settings.ranked_c, i, a, b, -1)
    return a if strategy == RAND_1 else i, a, b, c


@part()
def draw_trial(state, k):
    """Make the next trial of the generation as pending row k."""
    settings, run, random = state.settings[0], state.run[0], state.random
    pool, bits = state.ranks.pool, state.scratch.bits
    i, strategy, from_rand = choose_target(settings, run, random)
    F, CR = draw_parameters(
        random, state.learnt.cells, strategy, settings.F_cauchy, settings.CR_sigma
    )
    base, towards, plus, minus = choose_donors(settings, random, run.n, i, strategy, from_rand)
    limit = draw_bits(random, bits, state.best.x.size, CR)
    trial = Trial(pool[i], pool[towards], pool[plus], pool[minus], F, F)
    u = 3 * settings.n0 + k
    combine(state.members.x, u, trial, pool[base], bits, limit, state.box)
    drawn = state.pending[k]
    drawn.target = pool[i]
    drawn.kind = strategy
    drawn.F = F
    drawn.CR = CR
    run.made += 1


@part()
def ask_row(state, k):
    """Write the next point to evaluate into pending row k."""
    run, pending = state.run[0], state.pending
    pending[k].place = run.made
    pending[k].is_in = 0
    if run.ready == 0:
        hand_out_initial(state.settings[0], run, state.members.x, pending, k)
    else:
        draw_trial(state, k)
    run.asked += 1
