"""A compiled problem function, made when it is first asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from rdex.problem import CompiledFunction


def compile_kernel(
    module: str, function: str, data: tuple[float, ...], n_work: int
) -> CompiledFunction:
    """Compile one kernel of a suite for the signature that all compiled problems share."""
    from rdex.jit.signatures import OBJECTIVE

    found = getattr(importlib.import_module(module), function)
    if hasattr(found, "compile"):  # a plain function where NUMBA_DISABLE_JIT is set
        found.compile(OBJECTIVE)
    return CompiledFunction(found, np.array(data, dtype=np.float64), n_work)


def on_demand(
    module: str, function: str, data: Sequence[float] = (), n_work: int = 0
) -> Callable[[], CompiledFunction]:
    """The `compile=` argument of a Problem whose function is `module`.`function`.

    Nothing is imported before it is called, so a list of problems costs no compiler.
    """
    return partial(compile_kernel, module, function, tuple(data), n_work)
