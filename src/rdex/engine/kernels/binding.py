"""Arrays bound once, for kernels that are called for every point or batch.

numba takes every array of a state apart at each call, 4 µs in all: more than all else that a small
batch costs. Such kernels take one table instead, of the addresses and shapes of the arrays, and
put the tuple together again in compiled code. A table is good as long as its arrays live; whoever
makes one keeps them. With the JIT switched off the tuple is its own table.
"""

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from rdex.common.compiling import VECTOR
from rdex.engine.kernels.layout import INTEGERS, MATRIX

TABLE = INTEGERS


def point_type(state_type):
    """What is bound for one point at a time: state, g, h and the next point."""
    return types.Tuple((state_type, VECTOR, VECTOR, VECTOR))


def batch_type(state_type):
    """What is bound for batches: state, f, g, h and the next points, with room for the largest."""
    return types.Tuple((state_type, VECTOR, MATRIX, MATRIX, MATRIX))


def table_of(kind, arrays):
    """The table of a tuple, or nested tuples, of arrays, which must be of the type `kind`."""
    if numba.config.DISABLE_JIT:
        return arrays
    given = numba.typeof(arrays)
    if given != kind:
        raise TypeError(f"expected arrays of the types {kind}, got {given}")
    return np.array(_words(arrays), dtype=np.int64)


def _words(arrays):
    """Address and shape of every array, one after the other."""
    if isinstance(arrays, np.ndarray):
        return [arrays.ctypes.data, *arrays.shape]
    return [word for part in arrays for word in _words(part)]


def tuple_at(kind):
    """A function for kernels: the tuple of the type `kind` that a table was made of."""
    if numba.config.DISABLE_JIT:
        return lambda table: table

    @intrinsic
    def found(typing_context, table):
        return kind(TABLE), _put_together

    return found


def _put_together(context, builder, signature, arguments):
    """Write the code that reads a table."""
    table = context.make_array(TABLE)(context, builder, arguments[0])
    n_read = 0

    def next_word():
        nonlocal n_read
        n_read += 1
        place = cgutils.gep(builder, table.data, n_read - 1)
        return builder.load(place)

    def read(kind):
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
