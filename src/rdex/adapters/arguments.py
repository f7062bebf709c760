"""Arguments that are passed on to `rdex.minimize` and `rdex.Optimizer`."""

from __future__ import annotations

from typing import Any


def given(**arguments: Any) -> dict[str, Any]:
    """The arguments that are not None: what is left out keeps its default there.

    Examples
    --------
    >>> given(algorithm=None, maxfev=500)
    {'maxfev': 500}
    """
    return {name: value for name, value in arguments.items() if value is not None}
