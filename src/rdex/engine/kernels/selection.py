"""What the result of one trial changes."""

import math

from rdex.engine.kernels.layout import BIASED
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
def learn(run, F, A, gain, biased):
    """Add a success to the sums behind ρ and the weighted Lehmer means."""
    if biased:
        run.gain_eb += gain
    else:
        run.gain_std += gain
    run.sum_w += gain
    run.sum_wF += gain * F
    run.sum_wFF += gain * F * F
    run.sum_wA += gain * A
    run.sum_wAA += gain * A * A


@part()
def enter(settings, run, members, ranks, row, i):
    """Write a success into slot i of the front, or at the ring cursor if i is no slot, and set it
    aside for P."""
    x, f, phi, pool = members.x, members.f, members.phi, ranks.pool
    n = run.n
    near = settings.race_feasible_phi
    if i < 0 or i >= n:
        i = run.ring
        run.ring = i + 1 if i + 1 < n else 0
    run.nearly += int(phi[row] < near) - int(phi[i] < near)
    # Full only where newcomers came on top of N successes: then the latest one makes room.
    last = min(n + run.staged, pool.size - 1)
    aside = pool[last]
    run.staged = last + 1 - n
    run.successes += 1
    run.inside = reposition(f, phi, ranks.front, run.inside, n, i, row, run.eps)
    f[aside] = f[row]
    phi[aside] = phi[row]
    for j in range(x.shape[1]):
        x[i, j] = x[row, j]
        x[aside, j] = x[row, j]


@part()
def decide(settings, run, members, ranks, pending, slots, k):
    """Settle pending trial k (the better of a race) against its target."""
    f, phi = members.f, members.phi
    eps = run.eps
    first = 3 * settings.n0
    partner = pending[k].partner
    if partner >= 0 and precedes(
        f[first + partner], phi[first + partner], 0, f[first + k], phi[first + k], 0, eps
    ):
        k = partner
    row = first + k
    trial = pending[k]
    biased = trial.kind == BIASED
    if settings.eb_credit_objective:
        slots[trial.target].latest_f = f[row]
        slots[trial.target].latest_biased = biased
    success, gain = improvement(f[row], phi[row], trial.target_f, trial.target_phi, eps)
    if success:
        learn(run, trial.F, trial.A, gain, biased)
        enter(settings, run, members, ranks, row, trial.target if settings.replace_target else -1)
    run.done += 1
