"""`History`: how a run went, at its checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rdex.problem.problem import Floats
from rdex.recorder.ledger import Ledger

if TYPE_CHECKING:
    from rdex.engine.engine import Engine


@dataclass(frozen=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        n = len(self.nfev)
        if not n:
            return "History(no records)"
        end = f"f = {self.f[-1]:.8g}, violation = {self.cv[-1]:.4g}"
        return f"History({n} records, evaluations {self.nfev[0]} to {self.nfev[-1]}, last: {end})"


def history_of(standing: Engine | Ledger) -> History:
    """What has been recorded of a run so far, and where it stands now."""
    if isinstance(standing, Ledger):
        return history_of_ledger(standing)
    return history_of_engine(standing)


def history_of_ledger(ledger: Ledger) -> History:
    """Best so far; the columns of the differential evolution are NaN."""
    counts, f, cv = ledger.history_rows()
    unknown = np.full(len(counts), np.nan)
    return History(counts, f, cv, *[unknown] * 6, *[np.empty((len(counts), 0))] * 2)


def history_of_engine(engine: Engine) -> History:
    """Best so far and the state of the evolution.

    Records at the same evaluation count once; a run that stopped between two checkpoints ends
    with a record of its end.
    """
    K, n_initial = engine.checkpoints, min(engine.n0, engine.maxfev)
    due = np.ceil(np.arange(K + 1) * engine.maxfev / K).astype(np.int64)
    due[0] = n_initial
    is_written = (due <= engine.nfev) & (due >= n_initial)
    counts, rows = np.unique(due[is_written], return_index=True)
    rows = np.flatnonzero(is_written)[rows]
    trace, search = engine.trace(), engine.diagnostics()
    f, cv = trace.f[rows], trace.phi[rows]
    if engine.nfev and (not counts.size or counts[-1] < engine.nfev):
        best = engine.best
        counts = np.append(counts, engine.nfev)
        rows = np.append(rows, K + 1)
        f, cv = np.append(f, best.f), np.append(cv, best.phi)
    return History(counts, f, cv, *(column[rows] for column in search))
