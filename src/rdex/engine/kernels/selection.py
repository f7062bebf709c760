"""What the result of one trial changes."""

import math

from rdex.engine.kernels.layout import (
    BIASED,
    DONE,
    DRAW_F,
    EB_CREDIT_OBJECTIVE,
    EPS,
    GAIN_EB,
    GAIN_STD,
    INSIDE,
    KIND,
    LATEST_BIASED,
    LATEST_F,
    N0,
    NEARLY,
    PARTNER,
    RACE_FEASIBLE_PHI,
    REPLACE_TARGET,
    RING,
    SHARE,
    STAGED,
    SUCCESSES,
    SUM_W,
    SUM_WA,
    SUM_WAA,
    SUM_WF,
    SUM_WFF,
    TARGET,
    TARGET_F,
    TARGET_PHI,
    N,
)  # fmt: skip
from rdex.engine.kernels.order import precedes, reposition
from rdex.jit.compiling import part


@part()
def improvement(f_u, phi_u, f_x, phi_x, eps):
    """Whether trial u succeeds against target x, Eq. (csop_select), and its improvement Δ.

    A failed trial never succeeds; a success over a failed target, or over one whose f is unknown,
    counts with Δ = 0, so that nothing but finite numbers reaches the memories.
    """
    if phi_u == math.inf:
        return False, 0.0
    relaxed_u = 0.0 if phi_u <= eps else phi_u
    relaxed_x = 0.0 if phi_x <= eps else phi_x
    if (phi_u <= eps or relaxed_u == relaxed_x) and f_u <= f_x:
        gain = f_x - f_u
    elif relaxed_u < relaxed_x:
        gain = relaxed_x - relaxed_u
    else:
        return False, 0.0
    return True, gain if math.isfinite(gain) else 0.0


@part()
def learn(value, F, A, gain, biased):
    """Add a success to the sums behind ρ and the weighted Lehmer means."""
    value[GAIN_EB if biased else GAIN_STD] += gain
    value[SUM_W] += gain
    value[SUM_WF] += gain * F
    value[SUM_WFF] += gain * F * F
    value[SUM_WA] += gain * A
    value[SUM_WAA] += gain * A * A


@part()
def enter(count, eps, near, x, f, phi, front, pool, row, i):
    """Write a success into slot i of the front, or at the ring cursor if i is no slot, and set it
    aside for P."""
    n = count[N]
    if i < 0 or i >= n:
        i = count[RING]
        count[RING] = i + 1 if i + 1 < n else 0
    count[NEARLY] += int(phi[row] < near) - int(phi[i] < near)
    # Full only where newcomers came on top of N successes: then the latest one makes room.
    last = min(n + count[STAGED], pool.size - 1)
    aside = pool[last]
    count[STAGED] = last + 1 - n
    count[SUCCESSES] += 1
    count[INSIDE] = reposition(f, phi, front, count[INSIDE], n, i, f[row], phi[row], eps)
    f[aside] = f[row]
    phi[aside] = phi[row]
    for j in range(x.shape[1]):
        x[i, j] = x[row, j]
        x[aside, j] = x[row, j]


@part()
def decide(param, count, value, x, f, phi, front, pool, info, draw, slot, k):
    """Settle pending trial k (the better of a race) against its target."""
    eps = value[EPS]
    first = 3 * int(param[N0])
    partner = info[k, PARTNER]
    if partner >= 0 and precedes(
        f[first + partner], phi[first + partner], 0, f[first + k], phi[first + k], 0, eps
    ):
        k = partner
    row = first + k
    biased = info[k, KIND] == BIASED
    if param[EB_CREDIT_OBJECTIVE] != 0.0:
        i = info[k, TARGET]
        slot[i, LATEST_F] = f[row]
        slot[i, LATEST_BIASED] = biased
    success, gain = improvement(f[row], phi[row], draw[k, TARGET_F], draw[k, TARGET_PHI], eps)
    if success:
        learn(value, draw[k, DRAW_F], draw[k, SHARE], gain, biased)
        i = info[k, TARGET] if param[REPLACE_TARGET] != 0.0 else -1
        enter(count, eps, param[RACE_FEASIBLE_PHI], x, f, phi, front, pool, row, i)
    count[DONE] += 1
