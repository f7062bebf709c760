"""Live progress of a run: a rich display in a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from typing import Any

import numpy as np

from rdex.common.text import printable
from rdex.jit.loading import is_compiling, seconds_loading
from rdex.run.constraint_state import constraint_states, with_unit, worst_first


class Progress:
    """Shows where a run stands on standard error; call `update` often, it draws seldom."""

    def __init__(self, standing: Any, every: float = 5.0) -> None:
        self._standing = standing
        self._measure_anew()
        self._last = self._start
        self._every = every
        self._live: Any = _live_display() if sys.stderr.isatty() else None
        if self._live is not None:
            self._every = 0.1

    def update(self, final: bool = False) -> None:
        """Draw the present, if the last drawing is old enough."""
        now = time.monotonic()
        if not final and now - self._last < self._every:
            return
        self._last = now
        facts = self.facts()
        if self._live is not None:
            self._live.update(_table(facts), refresh=True)
        else:
            text = "  ".join(f"{name} {value}" for name, value in facts.items())
            print(f"rdex  {text}", file=sys.stderr)

    def _measure_anew(self) -> None:
        """Speed counts from now on: kernels are loaded, or their compiling began or ended."""
        self._start = time.monotonic()
        self._start_nfev = self._standing.nfev
        self._kernels = (is_compiling(), seconds_loading())

    def facts(self) -> dict[str, str]:
        """Names and texts of what is shown."""
        if self._kernels != (is_compiling(), seconds_loading()):
            self._measure_anew()
        standing, best = self._standing, self._standing.best
        elapsed = max(time.monotonic() - self._start, 1e-9)
        speed = (standing.nfev - self._start_nfev) / elapsed
        left = (standing.maxfev - standing.nfev) / speed if speed > 0 else float("nan")
        best_f = f"{best.f:.8g}" if math.isfinite(best.f) else "–"
        return {
            "evaluations": f"{standing.nfev}/{standing.maxfev}",
            "best f": best_f,
            **self._violation(best),
            **standing.search_facts(),
            "speed": f"{speed:.3g}/s",
            "left": clock_text(left),
            **({"compiling": "in the background"} if is_compiling() else {}),
        }

    def _violation(self, best: Any) -> dict[str, str]:
        """Of the best point: none, or the mean and the worst constraint as it was stated."""
        if best.phi == 0 or not math.isfinite(best.phi):
            return {"violation": "0" if best.phi == 0 else "–"}
        standing = self._standing
        scales = np.broadcast_to(standing.constraint_scale, len(standing.tolerance))
        states = constraint_states(standing.problem, best.g, best.h, standing.tolerance, scales)
        worst = worst_first(states)
        if not worst:
            return {"violation": f"{best.phi:.3g}"}
        value = with_unit(f"{worst[0].value:.4g}", worst[0].units)
        named = printable(f"{worst[0].label} {value} {worst[0].relation}")
        return {"violation": f"{best.phi:.3g}", "worst": named}

    def close(self) -> None:
        """Draw once more and let the terminal go."""
        self.update(final=True)
        if self._live is not None:
            self._live.stop()


def clock_text(seconds: float) -> str:
    """Hours, minutes and seconds.

    Examples
    --------
    >>> clock_text(75), clock_text(7265.2), clock_text(float("nan"))
    ('1:15', '2:01:05', '–')
    """
    if not math.isfinite(seconds):
        return "–"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _live_display() -> Any:
    """A rich display on standard error, or None where rich is not installed."""
    try:
        from rich.console import Console
        from rich.live import Live
    except ModuleNotFoundError:
        return None
    live = Live(console=Console(stderr=True), auto_refresh=False, transient=False)
    live.start()
    return live


def _table(facts: dict[str, str]) -> Any:
    """The facts side by side, within 80 columns; long ones have a line of their own."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    beside = {name: value for name, value in facts.items() if name not in ("worst", "compiling")}
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for name in beside:
        style = "cyan" if name == "best f" else None
        table.add_column(name, justify="right", style=style, no_wrap=True)
    table.add_row(*beside.values())
    lines = []
    if "worst" in facts:
        lines.append(Text(f"violated most: {facts['worst']}", no_wrap=True, overflow="ellipsis"))
    if "compiling" in facts:
        lines.append(Text(f"compiling {facts['compiling']}, which makes the search faster"))
    return Group(table, *lines)
