"""`History`: how a run went, at its checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rdex.problem.problem import Floats

if TYPE_CHECKING:
    from rdex.engine.engine import Engine


@dataclass(frozen=True, eq=False)
class History:
    """Best so far and the state of the search, after initialisation and at the checkpoints.

    Attributes
    ----------
    nfev : (k,) int array
        Evaluations at each record; the first is the initialisation.
    f, cv : (k,) array
        Best so far, feasibility first: objective and mean violation (0: feasible).
    eps, n, success_rate, rho, feasible_share, generation : (k,) arrays
        ε, population size, success rate of the last generation, share of exploitation-biased
        trials, share of the front that is feasible, finished generations.
    memory_F, memory_CR : (k, H) arrays
        The success memories.
    """

    nfev: NDArray[np.int64]
    f: Floats
    cv: Floats
    eps: Floats
    n: Floats
    success_rate: Floats
    rho: Floats
    feasible_share: Floats
    generation: Floats
    memory_F: Floats
    memory_CR: Floats


def history_of(engine: Engine) -> History:
    """What has been recorded of a run so far, and where it stands now.

    Records at the same evaluation count once; a run that stopped between two checkpoints ends
    with a record of its end.
    """
    from rdex.engine.kernels import layout

    state = engine.state
    K = int(state.param[layout.CHECKPOINTS])
    n_initial = min(int(state.param[layout.N0]), engine.maxfev)
    due = np.ceil(np.arange(K + 1) * engine.maxfev / K).astype(np.int64)
    due[0] = n_initial
    is_written = (due <= engine.nfev) & (due >= n_initial)
    counts, rows = np.unique(due[is_written], return_index=True)
    rows = np.flatnonzero(is_written)[rows]
    f, cv, table = state.trace_f[rows], state.trace_phi[rows], state.diagnostic[rows]
    if engine.nfev and (not counts.size or counts[-1] < engine.nfev):
        best = engine.best
        counts = np.append(counts, engine.nfev)
        f, cv = np.append(f, best.f), np.append(cv, best.phi)
        table = np.vstack([table, present(engine)])
    H = state.memory.shape[1]
    return History(
        nfev=counts,
        f=f,
        cv=cv,
        eps=table[:, 0].copy(),
        n=table[:, 1].copy(),
        success_rate=table[:, 2].copy(),
        rho=table[:, 3].copy(),
        feasible_share=table[:, 4].copy(),
        generation=table[:, 5].copy(),
        memory_F=table[:, 6 : 6 + H].copy(),
        memory_CR=table[:, 6 + H :].copy(),
    )


def present(engine: Engine) -> Floats:
    """The diagnostics of a run now, in the order of the recorded ones."""
    from rdex.engine.kernels import layout

    state, n = engine.state, engine.n
    value = state.value
    shown = [value[layout.EPS], n, value[layout.SR], value[layout.RHO]]
    shown += [float(np.mean(state.phi[:n] == 0.0)), engine.generation]
    return np.concatenate([shown, state.memory[layout.MF], state.memory[layout.MCR]])
