"""Kernel modules, imported where a run starts."""

from __future__ import annotations

import importlib
import logging
import sys
from pathlib import Path
from types import ModuleType


def load_kernels(name: str) -> ModuleType:
    """Import a kernel module; says so before it is compiled for the first time on a machine."""
    loaded = sys.modules.get(name)
    if loaded is not None:
        return loaded
    from rdex.jit.compiling import cache_for
    from rdex.jit.sources import module_file

    if not any(Path(cache_for(module_file(name))).glob("*.nbi")):
        logging.getLogger("rdex").warning(
            "compiling %s, once on this machine: about 20 seconds", name
        )
    return importlib.import_module(name)
