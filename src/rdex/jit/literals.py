"""Trick `literals`: a part is compiled once for whole numbers.

Buys: a tenth of the time an engine takes to compile. numba compiles a function again for every
literal number, such as a 0, in a call.

Without it: numba does that.
"""

from __future__ import annotations

from typing import Any

import numba
from numba import types

from rdex.jit.tricks import Trick


def _types_only(dispatcher: Any) -> Any:
    """The dispatcher, which sees types of arguments and no literals."""
    by_types = dispatcher.get_call_template
    dispatcher.get_call_template = lambda arguments, keywords: by_types(
        tuple(map(types.unliteral, arguments)), keywords
    )
    return dispatcher


def _works() -> bool:
    """A literal and a variable share one compiled function."""
    part = _types_only(numba.njit(lambda x: x + 1))
    whole = numba.njit(lambda x: part(0) + part(x))
    return bool(whole(3) == 5) and len(part.overloads) == 1


LITERALS = Trick("literals", _works)


def without_literals(dispatcher: Any) -> Any:
    """The dispatcher, compiled once for whole numbers if the trick is on."""
    return _types_only(dispatcher) if LITERALS.is_on else dispatcher
