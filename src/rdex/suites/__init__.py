"""Benchmark problems with proven values, and the registry that names them.

One folder or file a suite: the formulas, their data, their best known values. Everything a suite
hands out is a `Problem`. Imports `problem` and `common`.
"""

from typing import TYPE_CHECKING, Any

_PUBLIC = {
    "get": "rdex.suites.registry",
    "ids": "rdex.suites.registry",
    "is_solved": "rdex.suites.success",
    "suites": "rdex.suites.registry",
    "target": "rdex.suites.success",
}

__all__ = ["get", "ids", "is_solved", "suites", "target"]

if TYPE_CHECKING:
    from rdex.suites.registry import get, ids, suites
    from rdex.suites.success import is_solved, target


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'rdex.suites' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
