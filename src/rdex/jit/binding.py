"""Trick `binding`: arrays are bound once, for kernels that are called for every point or batch.

Buys: 4 µs per call, more than all else that a small batch costs: numba takes every array of a state
apart at each call. Bound kernels take one table instead, of the addresses and shapes of the arrays,
and put the tuple together again in compiled code. A table is good as long as its arrays live;
whoever makes one keeps them.

Without it: the tuple is its own table.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic, register_jitable
from numba.np.numpy_support import as_dtype

from rdex.jit.signatures import INTEGERS, VECTOR
from rdex.jit.tricks import Trick


def table_type(kind: Any) -> Any:
    """Type of the table of a tuple of the type `kind`."""
    return INTEGERS if BINDING.is_on else kind


def table_of(kind: Any, arrays: tuple[Any, ...]) -> Any:
    """The table of a tuple, or nested tuples, of arrays, which must be of the type `kind`."""
    if not BINDING.is_on:
        return arrays
    if not _fits(kind, arrays):
        raise TypeError(f"expected arrays of the types {kind}, got {numba.typeof(arrays)}")
    return np.array(_words(arrays), dtype=np.int64)


def _fits(kind: Any, arrays: Any) -> bool:
    """Whether arrays are of the type `kind`; `numba.typeof` takes milliseconds for records."""
    if isinstance(kind, types.Array):
        return (
            isinstance(arrays, np.ndarray)
            and arrays.dtype == _dtype_of(kind.dtype)
            and arrays.ndim == kind.ndim
            and arrays.flags.carray
        )
    is_tuple = isinstance(arrays, tuple) and len(arrays) == len(kind)
    is_named = getattr(kind, "instance_class", tuple) is type(arrays)
    return is_tuple and is_named and all(map(_fits, kind, arrays))


@functools.cache
def _dtype_of(kind: Any) -> np.dtype[Any]:
    """NumPy's name for the type of an element."""
    dtype: np.dtype[Any] = as_dtype(kind)
    return dtype


def tuple_at(kind: Any) -> Any:
    """A function for kernels: the tuple of the type `kind` that a table was made of."""
    return _reader(kind) if BINDING.is_on else register_jitable(_itself)


def _itself(table: Any) -> Any:
    return table


def _words(arrays: Any) -> list[int]:
    """Address and shape of every array, one after the other."""
    if isinstance(arrays, np.ndarray):
        return [arrays.ctypes.data, *arrays.shape]
    return [word for part in arrays for word in _words(part)]


def _reader(kind: Any) -> Any:
    def found(typing_context, table):  # type: ignore[no-untyped-def]
        return kind(INTEGERS), _put_together

    return intrinsic(found)


def _put_together(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the code that reads a table."""
    from numba.core import cgutils
    from numba.np.arrayobj import populate_array

    table = context.make_array(INTEGERS)(context, builder, arguments[0])
    n_read = 0

    def next_word() -> Any:
        nonlocal n_read
        n_read += 1
        place = cgutils.gep(builder, table.data, n_read - 1)
        return builder.load(place)

    def read(kind: Any) -> Any:
        if not isinstance(kind, types.Array):
            return context.make_tuple(builder, kind, [read(part) for part in kind])
        array = context.make_array(kind)(context, builder)
        address = builder.inttoptr(next_word(), array.data.type)
        shape = [next_word() for _ in range(kind.ndim)]
        itemsize = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        strides = [context.get_constant(types.intp, itemsize)]
        for length in shape[:0:-1]:  # rows after each other
            strides.insert(0, builder.mul(strides[0], length))
        populate_array(array, address, shape, strides, itemsize, meminfo=None)
        return array._getvalue()

    return read(signature.return_type)


def _works() -> bool:
    """A kernel reads and writes the arrays behind a table."""
    kind = types.Tuple((VECTOR, types.Tuple((types.float64[:, ::1],))))
    found = _reader(kind)

    def fill(table):  # type: ignore[no-untyped-def]
        vector, (matrix,) = found(table)
        for i in range(matrix.shape[0]):
            for j in range(matrix.shape[1]):
                matrix[i, j] += vector[j]

    vector, matrix = np.arange(3.0), np.ones((2, 3))
    numba.njit(fill)(np.array(_words((vector, (matrix,))), dtype=np.int64))
    return matrix.tolist() == [[1.0, 2.0, 3.0]] * 2


BINDING = Trick("binding", _works)
