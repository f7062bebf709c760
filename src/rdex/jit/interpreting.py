"""Kernels as plain Python: their modules are loaded a second time, without numba.

A run starts with these where nothing is compiled yet, and gives the same bits. Kernel modules
import numba, each other and this folder, and nothing else of the package (tests/test_rooms.py): so
a second loading needs only another meaning of three things. The decorators do nothing, types are of
no interest, and tables are the arrays themselves. A loaded module is private: `sys.modules` does
not know it.

Functions of the suites use what NumPy's scalars and Python's floats do in their own way: compiled
code multiplies for whole powers, calls the C library for the rest, and gives NaN or infinity where
Python raises. `power` and `_Scalars` do that here.

Fields of records are attributes in compiled code: `readable` makes them that in plain Python.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import importlib.util
import math
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray


class _AtWork(threading.local):
    """Interpreted kernels at work in this thread, one in the other, and what came meanwhile."""

    depth = 0
    late: BaseException | None = None


_lock = threading.RLock()
_at_work = _AtWork()
_modules: dict[str, ModuleType] = {}


def is_jit_off() -> bool:
    """Whether numba is switched off (`NUMBA_DISABLE_JIT`); answered without importing it."""
    numba = sys.modules.get("numba")
    if numba is not None and hasattr(numba, "config"):
        return bool(numba.config.DISABLE_JIT)
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


@functools.cache
def interpreted(place: str) -> Callable[..., Any]:
    """The kernel at ``module:name`` as plain Python; whole numbers may overflow silently in it."""
    module, name = place.split(":")
    function = getattr(_load(module), name)

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        _at_work.depth += 1
        try:
            with np.errstate(all="ignore"):
                return function(*arguments)
        finally:
            _at_work.depth -= 1
            if _at_work.late is not None and not _at_work.depth:
                late, _at_work.late = _at_work.late, None
                raise late

    call.is_interpreted = True  # type: ignore[attr-defined]
    return call


def raise_between_kernels(error: BaseException) -> None:
    """Raise what a signal is to raise; if a kernel is interpreted just now, at its end: half a step
    would be saved. Compiled kernels are never interrupted."""
    if not _at_work.depth:
        raise error
    _at_work.late = error


def _load(name: str) -> ModuleType:
    """A kernel module without numba."""
    with _lock:
        if name not in _modules:
            module = ModuleType(name)
            meanings = {"__import__": _import, "__power__": power}
            module.__dict__["__builtins__"] = {**vars(builtins), **meanings}
            exec(_code(name), module.__dict__)
            _modules[name] = module
        return _modules[name]


def _code(name: str) -> CodeType:
    """The code of a module, from Python's own cache where it is there."""
    spec = importlib.util.find_spec(name)
    loader: Any = None if spec is None else spec.loader
    code: CodeType | None = None if loader is None else loader.get_code(name)
    if code is None:
        raise ModuleNotFoundError(f"no source of {name}")
    if name.startswith(SUITES):
        tree = _Powers().visit(ast.parse(loader.get_source(name)))
        return compile(ast.fix_missing_locations(tree), code.co_filename, "exec")
    return code


class _Powers(ast.NodeTransformer):
    """Powers by whole numbers become calls of `power`."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        exponent = node.right
        is_whole = isinstance(exponent, ast.Constant) and type(exponent.value) is int
        if not (isinstance(node.op, ast.Pow) and is_whole):
            return node
        call = ast.Call(ast.Name("__power__", ast.Load()), [node.left, exponent], [])
        return ast.copy_location(call, node)


def power(x: Any, n: int) -> Any:
    """x to the n-th, n >= 0, by the products that numba makes of it."""
    result, factor = 1.0, x
    while n:
        if n & 1:
            result = result * factor
        n >>= 1
        factor = factor * factor
    return result


class _Scalars:
    """`math` or `numpy` of suites: functions of one number are those of the C library."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name in OF_ONE_NUMBER:
            value = _as_compiled(getattr(math, name.replace("arc", "a")))
        else:
            value = getattr(self._module, name)
        setattr(self, name, value)
        return value


def _as_compiled(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """The function with NaN and infinity where Python raises."""

    def call(x: Any) -> Any:
        try:
            return np.float64(function(x))
        except OverflowError:
            return np.float64(np.inf)
        except ValueError:  # log(0) is the one pole of those in use
            is_pole = x == 0.0 and function in (math.log, math.log10)
            return np.float64(-np.inf if is_pole else np.nan)

    return call


def _import(name: str, *arguments: Any) -> Any:
    """What `import` means in such a module."""
    if name in ("math", "numpy") and arguments[0]["__name__"].startswith(SUITES):
        return _SCALARS[name]
    if name in _STAND_INS:
        return _STAND_INS[name]
    if name.startswith("rdex.jit.") or name.endswith(".state_types"):
        return _ANYTHING
    if name.startswith("rdex."):
        return _load(name)
    return builtins.__import__(name, *arguments)


@functools.cache
def _with_attributes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype, with a scalar type whose attributes are the fields; `recarray` takes six times as
    long per field."""
    fields: dict[str, Any] = {name: property(itemgetter(name)) for name in dtype.names or ()}
    fields["__setattr__"] = np.void.__setitem__
    return np.dtype((type("Record", (np.void,), fields), dtype))


def with_attributes(records: NDArray[Any]) -> NDArray[Any]:
    """The same memory, its fields being attributes."""
    if records.dtype.names is None or records.dtype.type is not np.void:
        return records
    return records.view(_with_attributes(records.dtype))


def readable(group: Any) -> Any:
    """A NamedTuple of arrays, groups in it too, as interpreted kernels read it: the same memory."""
    values = (
        with_attributes(value) if isinstance(value, np.ndarray) else readable(value)
        for value in group
    )
    return type(group)(*values)


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


SUITES = "rdex.suites."
OF_ONE_NUMBER = ("sin", "cos", "exp", "log", "log10", "arcsin", "arccos", "sqrt")
_SCALARS = {"math": _Scalars(math), "numpy": _Scalars(np)}
_ANYTHING = _Anything()
_STAND_INS = {
    "numba": _ANYTHING,
    "rdex.jit.compiling": SimpleNamespace(kernel=_decorator, part=_decorator),
    "rdex.jit.binding": SimpleNamespace(table_type=_itself, tuple_at=partial(partial, cast)),
    "rdex.jit.moving": SimpleNamespace(move=move),
}
