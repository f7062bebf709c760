"""Progress, and draws of one trial: scale factor, crossover rate, donors by rank.

Rank weights are drawn by inverting their distribution, so no table has to follow the shrinking
population: exp(−κ rank/N) is a truncated geometric distribution, N − rank a triangular one.
"""

import math

from rdex.engine.kernels.layout import LOWER, UPPER
from rdex.engine.kernels.random import cauchy, normal, uniform
from rdex.jit.compiling import part


@part()
def progress(evaluations, settings, run):
    """t: the used share of the budget or, if that is larger, of the time; after a restart, of what
    was left then."""
    t = (evaluations - run.since) / (settings.maxfev - run.since)
    clock = run.clock
    if run.clock_since > 0.0:
        clock = (clock - run.clock_since) / (1.0 - run.clock_since)
    return max(t, clock)


@part()
def uniform_row(random, box, x, row, d):
    """Write a uniform point of the engine's box into a row of x."""
    for j in range(d):
        low = box[LOWER, j]
        high = box[UPPER, j]
        x[row, j] = min(low + uniform(random) * (high - low), high)


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
