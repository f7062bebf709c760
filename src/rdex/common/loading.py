"""Kernel modules, imported where a run starts."""

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
    from rdex.common import compiling

    if not any(Path(compiling.cache_for(compiling.module_file(name))).rglob("*.nbi")):
        logging.getLogger("rdex").warning(
            "compiling %s, once on this machine: about 20 seconds", name
        )
    return importlib.import_module(name)
