"""Kernels as a run gets them: compiled where that is worth it and done, else interpreted.

Both forms give the same bits from the same state, so a run may change from one to the other between
any two calls. Importing numba and loading a kernel takes as long as some thousand interpreted
evaluations, compiling it some thirty thousand: short runs need neither.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from rdex.jit.background import BACKGROUND
from rdex.jit.interpreting import interpreted
from rdex.jit.marks import is_cached, mark
from rdex.jit.switches import is_jit_off, waits_for_compiler

#: Evaluations, or other calls of some 0.3 ms, that take as long as importing numba and loading a
#: kernel, as loading one more, and as compiling.
AS_LONG_AS_NUMBA = 1000
AS_LONG_AS_LOADING = 100
AS_LONG_AS_COMPILING = 40_000

#: So many make a kernel worth compiling beside the run.
WORTH_COMPILING = 5000

#: Seconds between two looks whether a kernel is there.
PAUSE = 0.05

Kernel = Callable[..., Any]

_compiled: dict[str, Kernel] = {}
_uses: Counter[str] = Counter()
_look_at: dict[str, float] = {}
_expected = 0
_is_first = False
_seconds = 0.0


def expect(evaluations: int) -> None:
    """So many evaluations are to be made in this process."""
    global _expected
    _expected += evaluations


def prepare(place: str, evaluations: int) -> None:
    """Have the kernel of a loop compiled that will be needed for so many evaluations, if that is
    worth it."""
    is_worth_it = evaluations >= WORTH_COMPILING and not (is_jit_off() or waits_for_compiler())
    if is_worth_it and not is_cached(place):
        BACKGROUND.ask_for(place)


@contextlib.contextmanager
def compiling_first(evaluations: int) -> Iterator[None]:
    """Kernels that are asked for are compiled at once, if interpreting so many evaluations would
    take longer: for programs that make no evaluation before everything is ready."""
    global _is_first
    before = _is_first
    _is_first = evaluations > AS_LONG_AS_COMPILING
    try:
        yield
    finally:
        _is_first = before


def is_compiling() -> bool:
    """Whether kernels are being compiled in the background for this process."""
    return BACKGROUND.is_busy


def seconds_loading() -> float:
    """What this process has spent on loading and compiling so far."""
    return _seconds


def is_compiled(kernel: Kernel) -> bool:
    """Whether a kernel is compiled."""
    return not hasattr(kernel, "is_interpreted")


def find_kernel(
    place: str, weight: int = 1, is_loop: bool = False, is_fused: bool = False
) -> Kernel:
    """The kernel at ``module:name`` in the form that is best now.

    Parameters
    ----------
    place : str
    weight : int
        What this call takes where it is interpreted, in evaluations of some 0.3 ms.
    is_loop : bool
        Whether it takes part in every evaluation of a run: all that are expected count.
    is_fused : bool
        Whether it makes all evaluations: if nothing can be compiled beside the run, that is waited
        for where interpreting would take longer.
    """
    found = _compiled.get(place)
    return _choose(place, weight, is_loop, is_fused) if found is None else found


def _choose(place: str, weight: int, is_loop: bool, is_fused: bool) -> Kernel:
    """Load it, have it compiled, or neither."""
    if is_jit_off():
        return interpreted(place)
    if _is_first or waits_for_compiler():
        return load(place)
    _uses[place] += weight
    uses = _expected if is_loop else _uses[place]
    worth_loading = AS_LONG_AS_LOADING if "numba" in sys.modules else AS_LONG_AS_NUMBA
    now = time.monotonic()
    if is_loop and not is_fused:
        _look_at.setdefault(place, now + PAUSE)  # the first evaluations need not wait for loading
    if uses < worth_loading or now < _look_at.get(place, 0.0):
        return interpreted(place)
    if is_cached(place):
        return load(place)
    _look_at[place] = now + PAUSE
    if uses >= WORTH_COMPILING and not BACKGROUND.ask_for(place):
        if is_fused and uses > AS_LONG_AS_COMPILING:
            return load(place)
        _look_at[place] = float("inf")
    return interpreted(place)


def load(place: str) -> Kernel:
    """The kernel compiled, from the cache or by compiling it now."""
    global _seconds
    if place not in _compiled:
        start = time.monotonic()
        from rdex.jit.compiling import ready

        module, name = place.split(":")
        kernel = ready(getattr(importlib.import_module(module), name))
        mark(place)
        _compiled[place] = kernel
        _seconds += time.monotonic() - start
    return _compiled[place]
