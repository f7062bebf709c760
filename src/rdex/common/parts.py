"""How parts of kernels are compiled: for being linked into kernels, not for being called.

numba optimises every function twice, at full strength the second time, and makes machine code of
it, whether or not anybody calls it. For a part both are wasted, because the kernel that it is
linked into is optimised as a whole. Without them an engine compiles in three quarters of the time
and runs a little faster: loops become vectors once, where all that is around them is known.

This reaches into numba where it promises nothing. A version whose passes are made in another way,
such as 0.61, keeps its own; tests/common/test_parts.py fails where a new one has changed the rest.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one part: simplified, to be linked by kernels and other parts."""

    def _optimize_final_module(self) -> None:
        """Inline what asks for it and simplify, no more."""
        try:
            passes, builder = self._codegen._module_pass_manager(
                loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
            )
        except (AttributeError, TypeError):
            super()._optimize_final_module()
        else:
            passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        """Keep a copy for linking, as numba does; of the other no function becomes machine code."""
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
