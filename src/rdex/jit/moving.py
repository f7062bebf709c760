"""Trick `moving`: a block inside an array is moved by C's memmove.

Buys: two thirds of the time of moving; numba has no such function. Rows of the ordered front move
at every success.

Without it: a loop.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, register_jitable

from rdex.jit.tricks import Trick


@functools.cache
def _memmove() -> Any:
    """move(array, target, source, n) for compiled code; positions and length are uint64."""
    from numba.core import cgutils

    def move(typing_context, array, target, source, n):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            width = context.get_abi_sizeof(context.get_data_type(signature.args[0].dtype))
            cgutils.raw_memmove(
                builder,
                builder.gep(data, [arguments[1]]),
                builder.gep(data, [arguments[2]]),
                arguments[3],
                context.get_constant(types.intp, width),
            )
            return context.get_dummy_value()

        return types.void(array, types.uint64, types.uint64, types.uint64), generate

    return intrinsic(move)


def _by_loop(array, target, source, n):  # type: ignore[no-untyped-def]
    """The same by a loop, away from the overlap."""
    to, at, length = np.int64(target), np.int64(source), np.int64(n)
    if to < at:
        for k in range(length):
            array[to + k] = array[at + k]
    else:
        for k in range(length - 1, -1, -1):
            array[to + k] = array[at + k]


def _works() -> bool:
    """Overlapping blocks move up and down."""
    move = _memmove()

    def both(array):  # type: ignore[no-untyped-def]
        move(array, np.uint64(1), np.uint64(0), np.uint64(4))
        move(array, np.uint64(2), np.uint64(4), np.uint64(3))

    array = np.arange(8)
    numba.njit(both)(array)
    return array.tolist() == [0, 0, 3, 5, 6, 5, 6, 7]


MOVING = Trick("moving", _works)

#: move(array, target, source, n): array[target:target+n] = array[source:source+n], right where the
#: two overlap; bounds are not checked, positions and length are uint64.
move = _memmove() if MOVING.is_on else register_jitable(_by_loop)
