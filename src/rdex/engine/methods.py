"""Which loops and which state a run has: a question of the type of its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rdex.engine import state
from rdex.engine.constants import Constants
from rdex.engine.ude import state as ude_state
from rdex.engine.ude.settings import UdeSettings


class Method(NamedTuple):
    """What drives runs: the maker of states, and where the kernels of its loops are."""

    make_state: Callable[..., Any]
    kernels: str
    has_fixed_size: bool = False  # whether the population keeps its size

    @property
    def fused(self) -> str:
        """Module of the loop for compiled problems."""
        return f"{self.kernels}.fused"

    @property
    def asktell(self) -> str:
        """Module of ask and tell."""
        return f"{self.kernels}.asktell"

    @property
    def anyorder(self) -> str:
        """Module of ask and tell with results in any order."""
        return f"{self.kernels}.anyorder"


RDEX = Method(state.make_state, "rdex.engine.kernels")
UDE = Method(ude_state.make_state, "rdex.engine.ude.kernels", has_fixed_size=True)


def method_of(settings: Constants) -> Method:
    """The method that settings are constants of."""
    return UDE if isinstance(settings, UdeSettings) else RDEX
