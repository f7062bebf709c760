"""`History`: how a run went, at its checkpoints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rdex.problem.problem import Floats


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
