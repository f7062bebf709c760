"""One trial: strategy, parameters, donors, mutation, crossover, bounds.

Order of draws, part of the contract: the strategy (bottom targets only); for strategy 3 of bottom
targets, where it has a share, rand-to-pbest or not; the memory cell; F, a Cauchy number redrawn
while it is not positive; CR, a normal number (not for strategy 2); the size of the
p-best set and a member of it; the donors a, b, c that the strategy has, each redrawn until it is
distinct and, where it is ranked, accepted by one more number; then, unless CR = 1, one word for
every two coordinates, the even one taking the lower 32 bits. Donors are ranks in the population.
"""

import numpy as np

from rdex.engine.kernels.layout import (
    ASKED,
    CR_SIGMA,
    DRAW_CR,
    DRAW_F,
    F_CAUCHY,
    INITIAL,
    IS_IN,
    KIND,
    LOWER,
    MADE,
    N0,
    NEVER,
    READY,
    TARGET,
    UPPER,
    N,
)  # fmt: skip
from rdex.engine.kernels.random import below, cauchy, half_words, normal, uniform
from rdex.engine.ude.kernels.layout import (
    CELL_CR,
    CELL_F,
    CURRENT_TO_PBEST_1,
    CURRENT_TO_RAND_1,
    PBEST_HIGH,
    PBEST_LOW,
    PLACE,
    RAND_1,
    RAND_TO_PBEST,
    RANKED_A,
    RANKED_B,
    RANKED_C,
    RANKED_PBEST_B,
    RANKED_PBEST_C,
    TOP,
    UP_TO_1,
    UP_TO_2,
)
from rdex.jit.compiling import part

_ALL = np.int64(2**62)


@part()
def choose_strategy(random, value):
    """A strategy by roulette."""
    drawn = uniform(random)
    if drawn < value[UP_TO_1]:
        return RAND_1
    return CURRENT_TO_RAND_1 if drawn < value[UP_TO_2] else CURRENT_TO_PBEST_1


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
            if ranked == 0.0 or uniform(random) * n < n - r:
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
def combine(x, u, i, base, towards, plus, minus, F, bits, limit, box):
    """Row u = base + F (towards − base) + F (plus − minus), rows of x, clipped to the bounds, and
    crossed with row i."""
    for j in range(x.shape[1]):
        b = x[base, j]
        v = b + F * (x[towards, j] - b) + F * (x[plus, j] - x[minus, j])
        v = box[LOWER, j] if v < box[LOWER, j] else v
        v = box[UPPER, j] if v > box[UPPER, j] else v
        x[u, j] = v if bits[j] < limit else x[i, j]


@part()
def draw_pbest(random, param, n, i):
    """Rank of a member of the p-best set, whose size is drawn anew."""
    low = param[PBEST_LOW]
    size = min(int(low + (param[PBEST_HIGH] - low) * uniform(random) + 0.5), n)
    p = below(random, size)
    while p == i:
        p = below(random, size)
    return p


@part()
def draw_trial(param, count, value, random, box, x, bits, d, pool, cells, info, draw, k):
    """Make the next trial of the generation as pending row k: three for every top target, one for
    every bottom target."""
    n = count[N]
    top = int(param[TOP])
    made = count[MADE]
    from_rand = False
    if made < 3 * top:
        i = made // 3
        strategy = RAND_1 + made % 3
    else:
        i = made - 2 * top
        strategy = choose_strategy(random, value)
        if strategy == CURRENT_TO_PBEST_1 and param[RAND_TO_PBEST] > 0.0:
            from_rand = uniform(random) < param[RAND_TO_PBEST]
    F, CR = draw_parameters(random, cells, strategy, param[F_CAUCHY], param[CR_SIGMA])
    target = pool[i]
    base = target
    if strategy == CURRENT_TO_PBEST_1:
        p = draw_pbest(random, param, n, i)
        towards = pool[p]
        a = -1
        if from_rand:
            a = donor(random, n, param[RANKED_A], i, p, -1, -1)
            base = pool[a]
        b = donor(random, n, param[RANKED_PBEST_B], i, p, a, -1)
        c = donor(random, n, param[RANKED_PBEST_C], i, p, a, b)
    else:
        a = donor(random, n, param[RANKED_A], i, -1, -1, -1)
        b = donor(random, n, param[RANKED_B], i, a, -1, -1)
        c = donor(random, n, param[RANKED_C], i, a, b, -1)
        towards = pool[a]
        if strategy == RAND_1:
            base = towards
    u = 3 * int(param[N0]) + k
    limit = draw_bits(random, bits, d, CR)
    combine(x, u, target, base, towards, pool[b], pool[c], F, bits, limit, box)
    info[k, TARGET] = target
    info[k, KIND] = strategy
    draw[k, DRAW_F] = F
    draw[k, DRAW_CR] = CR
    count[MADE] = made + 1


@part()
def draw_row(param, count, value, random, box, x, bits, d, pool, cells, info, draw, k):
    """Write the next point to evaluate into pending row k."""
    info[k, PLACE] = count[MADE]
    info[k, IS_IN] = 0
    if count[READY] == 0:
        i = count[ASKED]
        info[k, TARGET] = i
        info[k, KIND] = INITIAL
        for j in range(x.shape[1]):
            x[3 * int(param[N0]) + k, j] = x[i, j]
    else:
        draw_trial(param, count, value, random, box, x, bits, d, pool, cells, info, draw, k)
    count[ASKED] += 1
