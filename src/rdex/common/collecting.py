"""Python's collector of reference cycles, paused in short programs.

Importing matplotlib and drawing with it makes many objects that live to the end. The collector
looks through all of them again and again: 6 % of the time of a report.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_collecting() -> Iterator[None]:
    """Pause the collector. What is there afterwards is left alone for good: for programs of our
    own, whose modules live to the end."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()
