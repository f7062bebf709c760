"""Trick `wrappers`: parts of kernels have no wrappers that Python or C could call.

Buys: half of the time an engine takes to compile. A part is called by compiled code only.

Without it: numba makes the wrappers, and nobody calls them.
"""

from __future__ import annotations

import numba

from rdex.jit.tricks import Trick

_OPTIONS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _works() -> bool:
    """A function without wrappers can be called from another one."""
    part = numba.njit(**_OPTIONS)(lambda x: x + 1.0)
    return bool(numba.njit(lambda x: part(x) * 2.0)(3.0) == 8.0)


WRAPPERS = Trick("wrappers", _works)


def without_wrappers() -> dict[str, bool]:
    """What `numba.njit` is told."""
    return _OPTIONS if WRAPPERS.is_on else {}
