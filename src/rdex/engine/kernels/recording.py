"""Best so far and the trace: written while the run goes on, at no visible cost."""

import math

from rdex.engine.kernels.layout import (
    BEST_AT,
    BEST_F,
    BEST_PHI,
    CHECKPOINTS,
    EPS,
    EQ_EXCESS,
    FEASIBLE_AT,
    GENERATION,
    MAXFEV,
    MCR,
    MF,
    NEXT,
    NEXT_AT,
    RHO,
    SR,
    TOLD,
    UNWEIGHTED,
    N,
)  # fmt: skip
from rdex.engine.kernels.order import is_nearer
from rdex.evaluation.kernels import violation
from rdex.jit.compiling import part


@part()
def update_best(count, value, best_x, best_g, best_h, x, row, f, phi, g, h):
    """Keep (x, f, φ, g, h) if it is better, feasibility first: lower φ, then lower f."""
    if phi == 0.0 and count[FEASIBLE_AT] == 0:
        count[FEASIBLE_AT] = count[TOLD]
    if count[BEST_AT] == 0 or is_nearer(f, phi, value[BEST_F], value[BEST_PHI]):
        value[BEST_F] = f
        value[BEST_PHI] = phi
        count[BEST_AT] = count[TOLD]
        for j in range(best_x.size):
            best_x[j] = x[row, j]
        for k in range(best_g.size):
            best_g[k] = g[k]
        for k in range(best_h.size):
            best_h[k] = h[k]


@part(inline=False)
def write_trace(k, param, count, value, limit, phi, memory, best_g, best_h, trace_f, trace_phi,
                diagnostic):  # fmt: skip
    """Row k of the trace holds the present."""
    trace_f[k] = value[BEST_F]
    trace_phi[k] = violation(best_g, best_h, limit, UNWEIGHTED, param[EQ_EXCESS])
    if value[BEST_PHI] == math.inf:  # nothing but failures so far, whatever their constraints say
        trace_phi[k] = math.inf
    n = count[N]
    feasible = 0
    for i in range(n):
        feasible += phi[i] == 0.0
    diagnostic[k, 0] = value[EPS]
    diagnostic[k, 1] = n
    diagnostic[k, 2] = value[SR]
    diagnostic[k, 3] = value[RHO]
    diagnostic[k, 4] = feasible / n
    diagnostic[k, 5] = count[GENERATION]
    H = memory.shape[1]
    for m in range(H):
        diagnostic[k, 6 + m] = memory[MF, m]
        diagnostic[k, 6 + H + m] = memory[MCR, m]


@part(inline=False)
def record(param, count, value, limit, phi, memory, best_g, best_h, trace_f, trace_phi,
           diagnostic):  # fmt: skip
    """Write every checkpoint that is due: the k-th at ⌈k · MaxFE / K⌉ evaluations."""
    while count[TOLD] >= count[NEXT_AT]:
        write_trace(count[NEXT], param, count, value, limit, phi, memory, best_g, best_h,
                    trace_f, trace_phi, diagnostic)  # fmt: skip
        count[NEXT] += 1
        if count[NEXT] > param[CHECKPOINTS]:
            count[NEXT_AT] = 2**62
        else:
            count[NEXT_AT] = math.ceil(count[NEXT] * param[MAXFEV] / param[CHECKPOINTS])
