"""The decorators for compiled code: `kernel` for what Python calls, `part` for pieces of kernels.

Importing this module imports numba: it is imported where a run starts, not at `import rdex`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from rdex.jit.binding import BINDING
from rdex.jit.cache_folders import usable_folder
from rdex.jit.caching import CACHING, cache_in
from rdex.jit.inlining import INLINING, inlined
from rdex.jit.literals import LITERALS, without_literals
from rdex.jit.moving import MOVING
from rdex.jit.parts import PARTS, linked_only
from rdex.jit.references import REFERENCES, uncounted
from rdex.jit.sources import source_hash
from rdex.jit.wrappers import WRAPPERS, without_wrappers

#: Every trick.
TRICKS = (CACHING, REFERENCES, WRAPPERS, INLINING, PARTS, LITERALS, MOVING, BINDING)


@functools.cache
def tricks_on() -> tuple[str, ...]:
    """Names of the tricks that are on; machine code depends on them."""
    return tuple(trick.name for trick in TRICKS if trick.is_on)


def hash_of(path: Path) -> str:
    """A name for everything that the machine code of a source file depends on."""
    return source_hash(path, tricks_on())


@functools.cache
def cache_for(path: Path) -> str:
    """The folder for kernels of this source file."""
    return usable_folder(hash_of(path))


def kernel(*signature: Any, cached: bool = True, **options: Any) -> Callable[..., Any]:
    """Compile a function without Python objects, IEEE semantics, cached on disk.

    Used as `@kernel()`, or `@kernel(SIGNATURE)` for what `ready` compiles for that signature only.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:
            return function
        chosen = {"error_model": "numpy", **uncounted(), **options}
        dispatcher = numba.njit(**chosen)(function)
        if cached and CACHING.is_on:
            cache_in(dispatcher, cache_for(Path(function.__code__.co_filename).resolve()))
        dispatcher.declared_signatures = signature
        return dispatcher

    return decorate


def ready(dispatcher: Any) -> Any:
    """The kernel, compiled or loaded for the signature it was declared with, and for no other."""
    signatures = getattr(dispatcher, "declared_signatures", ())
    for signature in signatures:
        dispatcher.compile(signature)
    if signatures:
        dispatcher.disable_compile()
    return dispatcher


def part(inline: bool = True, cached: bool = True) -> Callable[..., Any]:
    """Compile a part of a kernel: callable from compiled code only.

    Parts on the path of every evaluation are inlined; `inline=False` is for what happens rarely.
    `cached=False` is for parts that take functions: numba cannot find those again on disk, while
    the kernels around them are cached as all others.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:
            return function
        options = {**inlined(inline), **without_wrappers(), **linked_only()}
        return without_literals(kernel(cached=cached, **options)(function))

    return decorate
