"""What a forked child inherits and must not use: locks, files and processes of its parent."""

from __future__ import annotations

import os
import weakref
from typing import Any

_OWNED: weakref.WeakSet[Any] = weakref.WeakSet()


def abandon_in_children(thing: Any) -> None:
    """Call `thing.abandon()` in every process that is forked from this one."""
    _OWNED.add(thing)


def _abandon_inherited() -> None:
    for thing in list(_OWNED):
        thing.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon_inherited)
