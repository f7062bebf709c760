"""Moving a block inside an array, as C's memmove: numba has no such function, and a loop of its own
takes three times as long."""

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rdex.common.compiling import part


@intrinsic
def _memmove(typing_context, array, target, source, n):
    """The call of memmove; positions and length are uint64."""
    signature = types.void(array, types.uint64, types.uint64, types.uint64)

    def generate(context, builder, signature, arguments):
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

    return signature, generate


def _copy(array, target, source, n):
    """The same in plain Python."""
    target, source, n = int(target), int(source), int(n)
    array[target : target + n] = array[source : source + n].copy()


_move = _copy if numba.config.DISABLE_JIT else _memmove


@part()
def move(array, target, source, n):
    """array[target:target+n] = array[source:source+n], right where the two overlap; bounds are not
    checked."""
    _move(array, target, source, n)
