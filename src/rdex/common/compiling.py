"""The one decorator for compiled code, and a cache that cannot go stale.

numba stamps a cached function with its own file only, so an edit to a function it calls, a
constant or a NamedTuple in another file would keep the old machine code running. Here every
kernel is cached under a folder named after the hash of all kernel sources of the package, so any
edit of any of them starts a new cache. A kernel module is one that imports this module; kernel
modules import nothing from the package but kernel modules (tests/test_rooms.py checks it).

Importing this module imports numba: it is imported where a run starts, not at `import rdex`.
"""

import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import types

from rdex.common.folders import cache_folder

PACKAGE = Path(__file__).resolve().parent.parent
MARK = b"from rdex.common.compiling import"

#: A row of float64 as kernels see it: contiguous, never a strided view.
VECTOR = types.float64[::1]

#: The one signature of a compiled problem: f = objective(x, data, work, g, h), writing g and h.
OBJECTIVE = types.float64(VECTOR, VECTOR, VECTOR, VECTOR, VECTOR)


def is_kernel_module(path: Path) -> bool:
    """Whether the source file defines kernels or what they are built from."""
    return path == Path(__file__).resolve() or MARK in path.read_bytes()


def source_hash() -> str:
    """A name for the present state of all kernel sources and of numba itself."""
    digest = hashlib.sha256(f"numba {numba.__version__}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        if is_kernel_module(path):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _usable_cache() -> str:
    """The folder for this state of the sources; a temporary one where that cannot be written."""
    folder = cache_folder() / "kernels" / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        fallback = tempfile.mkdtemp(prefix="rdex-kernels-")
        logging.getLogger("rdex").warning(
            "cannot write compiled kernels to %s (%s); using %s for this process. "
            "Set RDEX_CACHE_DIR to a writable folder to keep them.",
            folder,
            error.strerror or error,
            fallback,
        )
        return fallback
    return os.fspath(folder)


CACHE = _usable_cache()


def kernel(*signature: Any, **options: Any) -> Callable[..., Any]:
    """Compile a function without Python objects, IEEE semantics, cached on disk.

    Used as `@kernel()`, or `@kernel(SIGNATURE)` to compile when the module is imported.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = CACHE
        try:
            return numba.njit(*signature, cache=True, error_model="numpy", **options)(function)
        finally:
            numba.config.CACHE_DIR = before

    return decorate
