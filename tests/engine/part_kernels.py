"""Parts of the kernels, callable from tests: one thin compiled function around each.

`part` compiles without the wrapper that Python would call, so these stand in between; they are
cached on disk like all kernels.
"""

from rdex.engine.kernels.generation import epsilon as epsilon_part
from rdex.engine.kernels.generation import is_settled as settled_part
from rdex.engine.kernels.generation import lehmer as lehmer_part
from rdex.engine.kernels.generation import median_size as median_part
from rdex.engine.kernels.generation import progress as progress_part
from rdex.engine.kernels.generation import reduce_front as reduce_part
from rdex.engine.kernels.layout import Members, Trial
from rdex.engine.kernels.order import merge_ranked as merge_part
from rdex.engine.kernels.order import order_statistic as statistic_part
from rdex.engine.kernels.order import precedes as precedes_part
from rdex.engine.kernels.order import rank_members as rank_part
from rdex.engine.kernels.order import reposition as reposition_part
from rdex.engine.kernels.order import settle, violation
from rdex.engine.kernels.order import sort_by as sort_part
from rdex.engine.kernels.random import below, cauchy, half_words, next_word, normal, uniform
from rdex.engine.kernels.steps import improvement as improvement_part
from rdex.engine.kernels.variation import (
    biased_parameters,
    combine,
    draw_bits,
    perturb_parent,
    rank_exponential,
    rank_linear,
    standard_parameters,
)
from rdex.engine.kernels.variation import sort_donors as donors_part
from rdex.jit.compiling import kernel


@kernel()
def rank_members(f, phi, order, start, stop, eps, scratch):
    rank_part(f, phi, order, start, stop, eps, scratch)


@kernel()
def merge_ranked(f, phi, order, middle, stop, eps, scratch):
    merge_part(f, phi, order, middle, stop, eps, scratch)


@kernel()
def sort_by(values, order, start, stop, scratch):
    sort_part(values, order, start, stop, scratch)


@kernel()
def reposition(f, phi, order, inside, n, i, row, eps):
    return reposition_part(f, phi, order, inside, n, i, row, eps)


@kernel()
def order_statistic(levels, n, k):
    return statistic_part(levels, n, k)


@kernel()
def precedes(f_a, phi_a, a, f_b, phi_b, b, eps):
    return precedes_part(f_a, phi_a, a, f_b, phi_b, b, eps)


@kernel()
def improvement(f_u, phi_u, f_x, phi_x, eps):
    return improvement_part(f_u, phi_u, f_x, phi_x, eps)


@kernel()
def judge(f, g, h, limit, weights, excess):
    """(f, φ) as the search sees them."""
    return settle(f, violation(g, h, limit, weights, excess))


@kernel()
def settled(f, phi):
    return settle(f, phi)


@kernel()
def lehmer(total, first, second):
    return lehmer_part(total, first, second)


@kernel()
def reduce_front(run, x, f, phi, front, n_new, scratch):
    reduce_part(run[0], Members(x, f, phi), front, n_new, scratch)


@kernel()
def median_size(values, n, column, levels):
    return median_part(values, n, column, levels)


@kernel()
def epsilon(settings, t, start, phi, n, levels):
    return epsilon_part(settings[0], t, start, phi, n, levels)


@kernel()
def sort_donors(f, phi, best, mid, worst, eps, by_objective):
    return donors_part(f, phi, best, mid, worst, eps, by_objective)


@kernel()
def vary(random, x, u, i, towards, CR, perturb, box, share, bits):
    """Row u from row i and the mutant x_i + (x_towards − x_i); the last row is spare."""
    d = bits.size - 1
    limit = draw_bits(random, bits, d, CR)
    kept = perturb_parent(random, x, i, d, bits, limit, box) if perturb else i
    return combine(x, u, Trial(i, towards, i, i, 1.0, 0.0), kept, bits, limit, box, share)


@kernel()
def fill_halves(random, out, n):
    half_words(random, out, n)


@kernel()
def fill_words(random, out):
    for k in range(out.size):
        out[k] = next_word(random)


@kernel()
def fill_uniform(random, out):
    for k in range(out.size):
        out[k] = uniform(random)


@kernel()
def fill_below(random, n, out):
    for k in range(out.size):
        out[k] = below(random, n)


@kernel()
def fill_normals(random, out):
    for k in range(out.size):
        out[k] = normal(random)


@kernel()
def fill_cauchy(random, out):
    for k in range(out.size):
        out[k] = cauchy(random)


@kernel()
def fill_exponential_ranks(random, n, pressure, mass, out):
    for k in range(out.size):
        out[k] = rank_exponential(random, n, pressure, mass)


@kernel()
def fill_linear_ranks(random, n, ranks, out):
    for k in range(out.size):
        out[k] = rank_linear(random, n, ranks)


@kernel()
def fill_standard(random, centre, F_sigma, M_CR, CR_sigma, out):
    for k in range(out.shape[0]):
        out[k, 0], out[k, 1] = standard_parameters(random, centre, F_sigma, M_CR, CR_sigma)


@kernel()
def fill_biased(random, M_F, F_scale, M_CR, CR_sigma, floor, out):
    for k in range(out.shape[0]):
        out[k, 0], out[k, 1] = biased_parameters(random, M_F, F_scale, M_CR, CR_sigma, floor)


@kernel()
def progress(evaluations, settings, run):
    return progress_part(evaluations, settings[0], run[0])


@kernel()
def is_settled(x, n, d, box):
    return settled_part(x, n, d, box)
