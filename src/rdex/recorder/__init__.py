"""What a run leaves behind: the trace arrays of the engine turned into records.

`Record` is the plain result of one run, whoever made it: `record_of` takes it from an `Engine`,
`CountingRecorder` makes it while a foreign algorithm spends its budget. Imports `engine` and the
rooms to its left. Names are imported when first used: readers of stores need no engine.
"""

from typing import TYPE_CHECKING, Any

_PUBLIC = {
    "BudgetSpent": "rdex.recorder.counting",
    "CountingRecorder": "rdex.recorder.counting",
    "History": "rdex.recorder.history",
    "Record": "rdex.recorder.record",
    "record_of": "rdex.recorder.record",
}

__all__ = ["BudgetSpent", "CountingRecorder", "History", "Record", "record_of"]

if TYPE_CHECKING:
    from rdex.recorder.counting import BudgetSpent, CountingRecorder
    from rdex.recorder.history import History
    from rdex.recorder.record import Record, record_of


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'rdex.recorder' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PUBLIC[name]), name)
