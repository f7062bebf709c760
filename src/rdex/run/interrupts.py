"""Ctrl-C and SIGTERM: what a run has is saved first, then the program ends or goes on.

Ctrl-C ends the run, which returns the best so far, or raises KeyboardInterrupt again where the
user chose that. A second Ctrl-C within a few seconds always does, for loops of runs. SIGTERM ends
the program: it comes from a queue or a system that is about to kill it.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

#: Seconds within which a second Ctrl-C ends the program.
TWICE_WITHIN = 5.0

_last_interrupt = -TWICE_WITHIN


class Signalled(KeyboardInterrupt):
    """Ctrl-C, or SIGTERM, came. ends_program: SIGTERM, or a second Ctrl-C."""

    def __init__(self, number: int, ends_program: bool) -> None:
        super().__init__()
        self.number = number
        self.ends_program = ends_program


def on_signal(number: int, _frame: Any) -> None:
    """Raise what ends the run."""
    global _last_interrupt
    now = time.monotonic()
    is_second = now - _last_interrupt < TWICE_WITHIN
    _last_interrupt = now
    raise Signalled(number, number == signal.SIGTERM or is_second)


@contextlib.contextmanager
def signals_end_the_run() -> Iterator[None]:
    """Ctrl-C and SIGTERM raise `Signalled` meanwhile, unless somebody else has plans for them."""
    usual: dict[Any, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
    }
    is_main = threading.current_thread() is threading.main_thread()
    taken = [s for s, handler in usual.items() if is_main and signal.getsignal(s) is handler]
    for number in taken:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, usual[number])


def raise_again(error: KeyboardInterrupt, on_interrupt: str) -> None:
    """Called when everything is saved: end the program, or come back to return the best so far."""
    if isinstance(error, Signalled) and error.number == signal.SIGTERM:
        raise SystemExit(128 + signal.SIGTERM)
    if on_interrupt == "raise" or (isinstance(error, Signalled) and error.ends_program):
        raise error
