"""The program of the process that compiles: ``compile_ahead MODULE:NAME ...``"""

from __future__ import annotations

import contextlib
import os
import sys


def main() -> None:
    """Compile the kernels that are named into the cache."""
    from rdex.jit.loading import load
    from rdex.jit.marks import is_cached

    with contextlib.suppress(AttributeError, OSError):
        os.nice(5)  # the run comes first
    for place in sys.argv[1:]:
        load(place)
        if not is_cached(place):
            sys.exit(f"{place} could not be kept in the cache")
