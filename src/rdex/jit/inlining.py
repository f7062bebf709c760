"""Trick `inlining`: parts on the path of every evaluation are inlined (`forceinline`).

Buys: about a tenth of the time of a run. LLVM sees the whole step at once.

Without it: LLVM inlines what it finds worth it.
"""

from __future__ import annotations

import numba

from rdex.jit.tricks import Trick


def _works() -> bool:
    """The option is known, and the function it stands on is no longer called."""
    part = numba.njit(forceinline=True)(lambda x: x + 1.0)
    whole = numba.njit(lambda x: part(x) * 2.0)
    return bool(whole(3.0) == 8.0)


INLINING = Trick("inlining", _works)


def inlined(inline: bool) -> dict[str, bool]:
    """What `numba.njit` is told. "No" must be said too: numba passes the option on to callees that
    say nothing, and then everything is inlined (the last step of compiling took 12 s, not 4)."""
    return {"forceinline": inline} if INLINING.is_on else {}
