"""Which loops and which state a run has: a question of the type of its settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rdex.engine import state
from rdex.engine.constants import Constants
from rdex.engine.ude import state as ude_state
from rdex.engine.ude.settings import UdeSettings


class Method(NamedTuple):
    """What drives runs: the maker of states, and the names of the two kernel modules."""

    make_state: Callable[..., Any]
    fused: str
    asktell: str


RDEX = Method(state.make_state, "rdex.engine.kernels.fused", "rdex.engine.kernels.asktell")
UDE = Method(
    ude_state.make_state, "rdex.engine.ude.kernels.fused", "rdex.engine.ude.kernels.asktell"
)


def method_of(settings: Constants) -> Method:
    """The method that settings are constants of."""
    return UDE if isinstance(settings, UdeSettings) else RDEX
