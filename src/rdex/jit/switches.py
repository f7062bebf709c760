"""What users switch by the environment: no compiler at all, or one that is waited for."""

from __future__ import annotations

import os
import sys


def is_jit_off() -> bool:
    """Whether numba is switched off (`NUMBA_DISABLE_JIT`); answered without importing it."""
    numba = sys.modules.get("numba")
    if numba is not None and hasattr(numba, "config"):
        return bool(numba.config.DISABLE_JIT)
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def waits_for_compiler() -> bool:
    """Whether kernels are compiled before they are used (`RDEX_COMPILE=wait`)."""
    return os.environ.get("RDEX_COMPILE", "") == "wait"
