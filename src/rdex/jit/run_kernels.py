"""The kernels of one run, and its state as they take it: where a run meets this room.

Interpreted kernels read records by attributes and take arrays as they are. Compiled ones take the
state, or a table of addresses where they are called often.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

from rdex.jit.loading import Kernel, expect, find_kernel, is_compiled
from rdex.jit.records import readable


class RunKernels:
    """Kernels for the states of a run of so many evaluations."""

    def __init__(self, evaluations: int) -> None:
        expect(evaluations)
        self._readable: tuple[Any, Any] = (None, None)  # a state, and as interpreted kernels see it
        self._tables: dict[str, tuple[tuple[Any, ...], Any]] = {}  # by kind: arrays and their table

    def find(
        self, place: str, state: Any, kind: str = "", others: tuple[Any, ...] = (), **options: Any
    ) -> tuple[Kernel, Any]:
        """The kernel at ``module:name`` in the form that is best now, and what it takes first.

        Parameters
        ----------
        place, **options
            As of `find_kernel`.
        state : NamedTuple of arrays
        kind : str
            For a kernel that takes a table: the name of its type in the module of the kernel.
        others : tuple of arrays
            What the table holds beside the state; it lasts as long as they do.
        """
        kernel = find_kernel(place, **options)
        if not is_compiled(kernel):
            if self._readable[0] is not state:
                self._readable = (state, readable(state))
            seen = self._readable[1]
            return kernel, (seen, *others) if others else seen
        return kernel, self._table(place, kind, (state, *others)) if kind else state

    def _table(self, place: str, kind: str, arrays: tuple[Any, ...]) -> Any:
        """The table of the arrays; making one takes milliseconds."""
        known, table = self._tables.get(kind, ((), None))
        if len(known) != len(arrays) or not all(map(operator.is_, known, arrays)):
            from rdex.jit.binding import table_of

            type_of_table = getattr(sys.modules[place.partition(":")[0]], kind)
            table = table_of(type_of_table, arrays if len(arrays) > 1 else arrays[0])
            self._tables[kind] = (arrays, table)
        return table

    def __reduce__(self) -> Any:
        """Copies have arrays of their own: tables and views are of these."""
        return RunKernels, (0,)
