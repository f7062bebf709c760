"""Functions that compiled loops call: a user's own, or a kernel of the package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rdex.jit.interpreting import interpreted, is_jit_off
from rdex.jit.loading import find_kernel, load
from rdex.problem.variables import Floats


class CompiledFunction(NamedTuple):
    """A problem as the fused loop calls it: f = function(x, data, work, g, h).

    `function` is a numba dispatcher compiled for `rdex.jit.signatures.OBJECTIVE`; all arguments
    are contiguous float64 vectors. It writes g and h, returns f and allocates nothing: constants
    come in `data`, scratch space of length `n_work` in `work`.
    """

    function: Any
    data: Floats
    n_work: int


@dataclass(frozen=True, eq=False)
class KernelFunction:
    """The `compile=` argument of a Problem whose function is the kernel at `place`.

    It is interpreted at first, and compiled where that is worth it and done: both give the same
    bits. Nothing is imported before it is called, so a list of problems costs no compiler.
    """

    place: str  # as ``module:name``
    data: Floats
    n_work: int = 0

    def __call__(self) -> CompiledFunction:
        """The compiled form, at once."""
        function = interpreted(self.place) if is_jit_off() else load(self.place)
        return CompiledFunction(function, self.data, self.n_work)

    def now(self, n_points: int) -> CompiledFunction:
        """The form that is best for so many points."""
        return CompiledFunction(find_kernel(self.place, n_points), self.data, self.n_work)

    def interpreted(self) -> CompiledFunction:
        """The form for interpreted loops."""
        return CompiledFunction(interpreted(self.place), self.data, self.n_work)
