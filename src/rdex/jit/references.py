"""Trick `references`: kernels count no references to arrays (`_nrt=False`).

Buys: two thirds of the time of an engine run. Kernels allocate nothing and keep nothing, but numba
counts, atomically, whenever an array passes from one function to another.

Without it: numba counts.
"""

from __future__ import annotations

import numba
import numpy as np

from rdex.jit.tricks import Trick


def _works() -> bool:
    """The option is known, and arrays can be read and written."""

    def fill(values):  # type: ignore[no-untyped-def]
        for k in range(values.size):
            values[k] += k

    values = np.ones(4)
    numba.njit(_nrt=False)(fill)(values)
    return values.tolist() == [1.0, 2.0, 3.0, 4.0]


REFERENCES = Trick("references", _works)


def uncounted() -> dict[str, bool]:
    """What `numba.njit` is told."""
    return {"_nrt": False} if REFERENCES.is_on else {}
