"""One thread for small linear algebra: with more, OpenBLAS is slower, on a busy machine by far.

It also rounds in another way, so a run would depend on the number of cores.

A factorisation of 100 points takes 4 ms by one thread, and took 330 ms by two that waited for each
other on a machine of two cores where others worked too.
"""

from __future__ import annotations

import functools
from typing import Any


def one_thread() -> Any:
    """A context in which the linear algebra of NumPy and SciPy has one thread; 20 µs."""
    return controller().limit(limits=1, user_api="blas")


@functools.cache
def controller() -> Any:
    """Of the libraries that are loaded now; finding them takes milliseconds."""
    import scipy.linalg  # noqa: F401  its library must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
