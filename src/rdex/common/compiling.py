"""The one decorator for compiled code, and a cache that cannot go stale.

numba stamps a cached function with its own file only, so an edit to a function it calls, a
constant or a NamedTuple in another file would keep the old machine code running. Here every
kernel is cached under a folder named after the hash of its source file and of all files of the
package that this one imports, directly or not, so that any edit that can matter starts a new
cache. Only `from rdex.room.module import name` lines are followed: kernel modules import from the
package in no other way, and import nothing but kernel modules (tests/test_rooms.py checks both).

Importing this module imports numba: it is imported where a run starts, not at `import rdex`.
"""

import functools
import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import types

from rdex.common.folders import cache_folder
from rdex.common.parts import PartCompiler

SOURCES = Path(__file__).resolve().parent.parent.parent
IMPORT = re.compile(r"^from (rdex(?:\.\w+)+) import", re.MULTILINE)

#: A row of float64 as kernels see it: contiguous, never a strided view.
VECTOR = types.float64[::1]

#: The one signature of a compiled problem: f = objective(x, data, work, g, h), writing g and h.
OBJECTIVE = types.float64(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR)


def module_file(name: str) -> Path:
    """Source file of a module of the package."""
    path = SOURCES.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def imported_files(path: Path) -> frozenset[Path]:
    """Files of the package that the source file imports by name."""
    names = IMPORT.findall(path.read_text(encoding="utf-8"))
    return frozenset(module_file(name) for name in names)


@functools.cache
def source_hash(path: Path) -> str:
    """A name for the present state of a source file, all it imports from here, and numba."""
    reached: set[Path] = set()
    waiting = [path]
    while waiting:
        found = waiting.pop()
        if found not in reached:
            reached.add(found)
            waiting.extend(imported_files(found))
    digest = hashlib.sha256(f"numba {numba.__version__}".encode())
    for found in sorted(reached):
        digest.update(found.name.encode() + b"\0" + found.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_for(path: Path) -> str:
    """The folder for kernels of this source file; a temporary one where it cannot be written."""
    folder = cache_folder() / "kernels" / source_hash(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return _temporary_cache(folder, error)
    return os.fspath(folder)


@functools.cache
def _fallback() -> str:
    return tempfile.mkdtemp(prefix="rdex-kernels-")


def _temporary_cache(folder: Path, error: OSError) -> str:
    """A folder that lasts as long as temporary files do, and a word about it."""
    logging.getLogger("rdex").warning(
        "cannot write compiled kernels to %s (%s); using %s. "
        "Set RDEX_CACHE_DIR to a writable folder to keep them.",
        folder,
        error.strerror or error,
        _fallback(),
    )
    return _fallback()


def kernel(*signature: Any, **options: Any) -> Callable[..., Any]:
    """Compile a function without Python objects, IEEE semantics, cached on disk.

    Used as `@kernel()`, or `@kernel(SIGNATURE)` to compile when the module is imported.

    Kernels count no references (`_nrt=False`): they allocate nothing and keep nothing, and the
    atomic counting of array references took two thirds of an engine run.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = cache_for(Path(function.__code__.co_filename).resolve())
        try:
            compiled = numba.njit(
                *signature, cache=True, error_model="numpy", _nrt=False, **options
            )
            return compiled(function)
        finally:
            numba.config.CACHE_DIR = before

    return decorate


def part(inline: bool = True) -> Callable[..., Any]:
    """Compile a part of a kernel: callable from compiled code only.

    Without the wrappers that Python would call, an engine compiles in half the time. Parts on the
    path of every evaluation are inlined; `inline=False` is for what happens rarely.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = kernel(
            forceinline=inline,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            pipeline_class=PartCompiler,
        )
        return _without_literals(compiled(function))

    return decorate


def _without_literals(dispatcher: Any) -> Any:
    """The dispatcher, compiled once for whole numbers: numba would compile it again for a 0 in a
    call, which made a tenth of the time an engine takes to compile."""
    by_types = getattr(dispatcher, "get_call_template", None)
    if by_types is not None:  # with the JIT switched off it is a plain function
        dispatcher.get_call_template = lambda arguments, keywords: by_types(
            tuple(map(types.unliteral, arguments)), keywords
        )
    return dispatcher
