"""Trick `parts`: parts of kernels are compiled for being linked into kernels, not for being called.

Buys: a quarter of the time an engine takes to compile, and a little of every run. numba optimises
every function twice, at full strength the second time, and makes machine code of it, whether or not
anybody calls it. For a part both are wasted, because the kernel that it is linked into is optimised
as a whole: loops become vectors once, where all that is around them is known.

Without it: numba's own compiler.
"""

from __future__ import annotations

import functools
from typing import Any

import numba

from rdex.jit.tricks import Trick


@functools.cache
def part_compiler() -> Any:
    """numba's compiler, writing into a library of simplified code without machine code."""
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler

    class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
        """The code of one part: simplified, to be linked by kernels and other parts."""

        def _optimize_final_module(self) -> None:
            """Inline what asks for it and simplify, no more."""
            passes, builder = self._codegen._module_pass_manager(
                loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
            )
            passes.run(self._final_module, builder)

        def _finalize_final_module(self) -> None:
            """Keep a copy for linking, as numba does; of the other no function becomes code."""
            self._shared_module = self._final_module.clone()
            for function in self.get_defined_functions():
                self._shared_module.get_function(function.name).linkage = "linkonce_odr"
                function.linkage = "available_externally"
            super()._finalize_final_module()

    class PartCompiler(Compiler):  # type: ignore[misc]
        """numba's compiler, writing into a `PartLibrary`."""

        def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
            if library is None:
                library = PartLibrary(target.codegen(), "part")
                library.enable_object_caching()
            super().__init__(typing, target, library, *others)

    return PartCompiler


def _works() -> bool:
    """Kernels find the code of a part, and the part has no machine code of its own."""
    part = numba.njit(pipeline_class=part_compiler())(lambda x: x + 1.0)
    whole = numba.njit(lambda x: part(x) * 2.0)
    if whole(3.0) != 8.0:
        return False
    (compiled,) = part.overloads.values()
    names = [function.name for function in compiled.library.get_defined_functions()]
    assembly = compiled.library.get_asm_str()
    return bool(names) and not any(f"{name}:" in assembly for name in names)


PARTS = Trick("parts", _works)


def linked_only() -> dict[str, Any]:
    """What `numba.njit` is told."""
    return {"pipeline_class": part_compiler()} if PARTS.is_on else {}
