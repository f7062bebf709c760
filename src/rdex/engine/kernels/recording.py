"""What every result changes, whatever the method: best so far, trace, initial points."""

import math

from rdex.engine.kernels.layout import MCR, MF, UNWEIGHTED, WEIGHT
from rdex.engine.kernels.order import is_nearer
from rdex.evaluation.kernels import settle, violation
from rdex.jit.compiling import part


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
