"""Kernels as a run gets them: compiled where that is worth it and done, else interpreted.

Both forms give the same bits from the same state, so a run may change from one to the other between
any two calls. Importing numba and loading a kernel takes as long as some thousand interpreted
evaluations, compiling it some thirty thousand: short runs need neither.

Interpreted kernels read records by attributes and take arrays as they are. Compiled ones take the
state, or a table of addresses where they are called often.
"""

from __future__ import annotations

import contextlib
import importlib
import operator
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rdex.jit.background import BACKGROUND, impossible
from rdex.jit.compile_ahead import compile_apart
from rdex.jit.interpreting import interpreted, is_jit_off, readable
from rdex.jit.marks import is_cached, mark

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


def waits_for_compiler() -> bool:
    """Whether kernels are compiled before they are used (`RDEX_COMPILE=wait`)."""
    return os.environ.get("RDEX_COMPILE", "") == "wait"


def expect(evaluations: int) -> None:
    """So many evaluations are to be made in this process."""
    global _expected
    _expected += evaluations


def prepare(evaluations: int, *places: str) -> None:
    """Have the kernels of a loop compiled that will be needed for so many evaluations, if that is
    worth it."""
    if evaluations >= WORTH_COMPILING and not (is_jit_off() or waits_for_compiler()):
        for place in places:
            if not is_cached(place):
                BACKGROUND.ask_for(place)


def compile_missing(places: Iterable[str]) -> None:
    """Compile loops that are not in the cache, several of them each in a process of its own.

    What is not compiled here is compiled by whoever needs it.
    """
    missing = sorted(place for place in places if not is_cached(place))
    if len(missing) > 1 and not impossible():
        with contextlib.suppress(subprocess.CalledProcessError, OSError):
            for _ in compile_apart([[place] for place in missing]):
                pass


@contextlib.contextmanager
def compiling_first(evaluations: int) -> Iterator[bool]:
    """Kernels that are asked for are compiled at once, if interpreting so many evaluations would
    take longer: for programs that make no evaluation before everything is ready. Whether it is
    so."""
    global _is_first
    before = _is_first
    _is_first = evaluations > AS_LONG_AS_COMPILING and not is_jit_off()
    try:
        yield _is_first
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
    place: str,
    weight: int = 1,
    is_loop: bool = False,
    is_fused: bool = False,
    beside: tuple[str, ...] = (),
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
    beside : tuple of str
        Kernels that it calls and that must be compiled too.
    """
    found = _compiled.get(place)
    if found is not None and all(map(_compiled.__contains__, beside)):
        return found
    return _choose((place, *beside), weight, is_loop, is_fused)


def _choose(places: tuple[str, ...], weight: int, is_loop: bool, is_fused: bool) -> Kernel:
    """Load the first of the kernels with the others, have them compiled, or neither."""
    place = places[0]
    if is_jit_off():
        return interpreted(place)
    if _is_first or waits_for_compiler():
        return _load_all(places)
    _uses[place] += weight
    uses = _expected if is_loop else _uses[place]
    worth_loading = AS_LONG_AS_LOADING if "numba" in sys.modules else AS_LONG_AS_NUMBA
    now = time.monotonic()
    if is_loop and not is_fused:
        _look_at.setdefault(place, now + PAUSE)  # the first evaluations need not wait for loading
    if uses < worth_loading or now < _look_at.get(place, 0.0):
        return interpreted(place)
    if all(map(is_cached, places)):
        return _load_all(places)
    _look_at[place] = now + PAUSE
    if uses >= WORTH_COMPILING and not all(map(BACKGROUND.ask_for, places)):
        if is_fused and uses > AS_LONG_AS_COMPILING:
            return _load_all(places)
        _look_at[place] = float("inf")
    return interpreted(place)


def _load_all(places: tuple[str, ...]) -> Kernel:
    """The first of several kernels, all of them compiled."""
    first, *_ = map(load, places)
    return first


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


class RunKernels:
    """Kernels for the states of a run of so many evaluations."""

    def __init__(self, evaluations: int) -> None:
        expect(evaluations)
        self._readable: tuple[Any, Any] = (None, None)  # a state, and as interpreted kernels see it
        self._tables: dict[str, tuple[tuple[Any, ...], Any]] = {}  # by kind: arrays and their table

    def find(
        self, place: str, state: Any, kind: str = "", others: tuple[Any, ...] = (), **options: Any
    ) -> tuple[Kernel, Any]:
        """The kernel at ``module:name`` in the form that is best now, and what it takes first.

        Parameters
        ----------
        place, **options
            As of `find_kernel`.
        state : NamedTuple of arrays
        kind : str
            For a kernel that takes a table: the name of its type in the module of the kernel.
        others : tuple of arrays
            What the table holds beside the state; it lasts as long as they do.
        """
        kernel = find_kernel(place, **options)
        if not is_compiled(kernel):
            if self._readable[0] is not state:
                self._readable = (state, readable(state))
            seen = self._readable[1]
            return kernel, (seen, *others) if others else seen
        return kernel, self._table(place, kind, (state, *others)) if kind else state

    def _table(self, place: str, kind: str, arrays: tuple[Any, ...]) -> Any:
        """The table of the arrays; making one takes milliseconds."""
        known, table = self._tables.get(kind, ((), None))
        if len(known) != len(arrays) or not all(map(operator.is_, known, arrays)):
            from rdex.jit.binding import table_of

            type_of_table = getattr(sys.modules[place.partition(":")[0]], kind)
            table = table_of(type_of_table, arrays if len(arrays) > 1 else arrays[0])
            self._tables[kind] = (arrays, table)
        return table

    def __reduce__(self) -> Any:
        """Copies have arrays of their own: tables and views are of these."""
        return RunKernels, (0,)
