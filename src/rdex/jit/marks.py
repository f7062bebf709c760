"""Which kernels are in the cache: a mark beside the code says that one is complete.

Answered without numba, whose import takes half as long as a short run.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import sys
from pathlib import Path

from rdex.jit.cache_folders import kernels_folder
from rdex.jit.sources import module_file, source_hash
from rdex.jit.tricks import known_on


@functools.cache
def _machine() -> str:
    """What numba keeps code apart by: Python and the processor."""
    binding = importlib.import_module("llvmlite.binding")
    named = [os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    found = [binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()]
    text = repr([sys.implementation.cache_tag, *named, *found])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def mark_of(place: str) -> Path | None:
    """The mark of the kernel at ``module:name``; None where it cannot be in the cache."""
    tricks = known_on()
    if tricks is None or "caching" not in tricks:
        return None
    module, name = place.split(":")
    return kernels_folder(source_hash(module_file(module), tricks)) / f"{name}-{_machine()}.ready"


def is_cached(place: str) -> bool:
    """Whether the kernel is in the cache."""
    mark = mark_of(place)
    return mark is not None and mark.exists()


def mark(place: str) -> None:
    """The kernel is in the cache, unless that cannot be written."""
    path = mark_of(place)
    name = place.split(":")[1]
    if path is None or path.exists() or not any(path.parent.glob(f"*.{name}-*.nbi")):
        return
    try:
        path.touch()
    except OSError:
        pass  # read-only: the next process asks numba itself
