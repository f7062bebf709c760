"""Kernels as plain Python: their modules are loaded a second time, without numba.

A run starts with these where nothing is compiled yet, and gives the same bits. Kernel modules
import numba, each other and this folder, and nothing else of the package (tests/test_rooms.py): so
a second loading needs only another meaning of three things. The decorators do nothing, types are of
no interest, and tables are the arrays themselves. A loaded module is private: `sys.modules` does
not know it.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.util
import threading
from collections.abc import Callable
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

_lock = threading.RLock()
_modules: dict[str, ModuleType] = {}


@functools.cache
def interpreted(place: str) -> Callable[..., Any]:
    """The kernel at ``module:name`` as plain Python; whole numbers may overflow silently in it."""
    module, name = place.split(":")
    function = getattr(_load(module), name)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    call.is_interpreted = True  # type: ignore[attr-defined]
    return call


def _load(name: str) -> ModuleType:
    """A kernel module without numba."""
    with _lock:
        if name not in _modules:
            module = ModuleType(name)
            module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import}
            exec(_code(name), module.__dict__)
            _modules[name] = module
        return _modules[name]


def _code(name: str) -> CodeType:
    """The code of a module, from Python's own cache where it is there."""
    spec = importlib.util.find_spec(name)
    code = None if spec is None else spec.loader.get_code(name)  # type: ignore[union-attr]
    if code is None:
        raise ModuleNotFoundError(f"no source of {name}")
    return code


def _import(name: str, *arguments: Any) -> Any:
    """What `import` means in such a module."""
    if name in _STAND_INS:
        return _STAND_INS[name]
    if name.startswith("rdex.jit.") or name.endswith(".state_types"):
        return _ANYTHING
    if name.startswith("rdex."):
        return _load(name)
    return builtins.__import__(name, *arguments)


class _Anything:
    """Stands for numba's types: every attribute, item and call of it is itself."""

    def __getattr__(self, name: str) -> _Anything:
        return self

    def __getitem__(self, key: Any) -> _Anything:
        return self

    def __call__(self, *arguments: Any, **options: Any) -> _Anything:
        return self


def _decorator(*signature: Any, **options: Any) -> Callable[..., Any]:
    return _itself


def _itself(value: Any) -> Any:
    return value


def move(array: Any, target: Any, source: Any, n: Any) -> None:
    """`rdex.jit.moving.move` in plain Python."""
    to, at, length = int(target), int(source), int(n)
    array[to : to + length] = array[at : at + length].copy()


_ANYTHING = _Anything()
_STAND_INS = {
    "numba": _ANYTHING,
    "rdex.jit.compiling": SimpleNamespace(kernel=_decorator, part=_decorator),
    "rdex.jit.binding": SimpleNamespace(table_type=_itself, tuple_at=_decorator),
    "rdex.jit.moving": SimpleNamespace(move=move),
}
