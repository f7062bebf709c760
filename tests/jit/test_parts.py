"""Parts of kernels carry what kernels link, and no machine code of their own."""

import numba
import pytest
from llvmlite.binding import Linkage
from numba import types

from rdex.jit.compiling import kernel, part
from rdex.jit.parts import part_compiler


def _twice(x):
    return 2.0 * x


_linked = part(inline=False)(_twice)


@part()
def _plus_twice(x, y):
    return x + _linked(y)


@kernel()
def _sum(n):
    total = 0.0
    for k in range(n):
        total = _plus_twice(total, k)
    return total


def test_a_kernel_holds_the_code_of_its_parts():
    assert _sum(5) == 20.0


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_part_has_no_machine_code():
    compiler = part_compiler()
    dispatcher = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True,
                            pipeline_class=compiler)(_twice)  # fmt: skip
    dispatcher.compile((types.float64,))
    (compiled,) = dispatcher.overloads.values()
    assert type(compiled.library).__name__ == "PartLibrary"
    functions = list(compiled.library.get_defined_functions())
    assert functions
    assert all(each.linkage == Linkage.available_externally for each in functions)
    shared = compiled.library._get_module_for_linking()
    for each in functions:
        assert shared.get_function(each.name).linkage == Linkage.linkonce_odr
        assert f"{each.name}:" not in compiled.library.get_asm_str()
        assert f"{each.name}:" in str(compiled.library._codegen._tm.emit_assembly(shared))
