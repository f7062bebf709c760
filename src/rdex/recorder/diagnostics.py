"""`History`: how a run went, at its checkpoints."""

from __future__ import annotations

import math
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
    """What has been recorded of a run so far; records at the same evaluation count once."""
    from rdex.engine.kernels import layout

    state = engine.state
    K = int(state.param[layout.CHECKPOINTS])
    n_initial = min(int(state.param[layout.N0]), engine.maxfev)
    due = np.array([n_initial] + [math.ceil(k * engine.maxfev / K) for k in range(1, K + 1)])
    written = np.r_[engine.nfev >= n_initial, due[1:] <= engine.nfev]
    written[1:] &= due[1:] > n_initial
    _counts, first = np.unique(due[written], return_index=True)
    rows = np.flatnonzero(written)[first]
    table = state.diagnostic[rows]
    H = state.memory.shape[1]
    return History(
        nfev=due[rows],
        f=state.trace_f[rows],
        cv=state.trace_phi[rows],
        eps=table[:, 0].copy(),
        n=table[:, 1].copy(),
        success_rate=table[:, 2].copy(),
        rho=table[:, 3].copy(),
        feasible_share=table[:, 4].copy(),
        generation=table[:, 5].copy(),
        memory_F=table[:, 6 : 6 + H].copy(),
        memory_CR=table[:, 6 + H :].copy(),
    )
