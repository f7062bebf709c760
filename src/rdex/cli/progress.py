"""The state of a campaign while it goes on: live in a terminal, lines elsewhere."""

from __future__ import annotations

from time import monotonic
from types import TracebackType

import typer
from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rdex.campaign import CampaignProgress
from rdex.cli.printing import duration
from rdex.common.text import printable
from rdex.store import RunKey

#: Seconds between two lines where there is no terminal.
LINE_EVERY = 10.0


class Display:
    """Shows progress; used as `with Display() as display: run(..., on_progress=display)`."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True, highlight=False, markup=False)
        self._live: Live | None = None
        self._printed = monotonic()
        self._last: CampaignProgress | None = None

    def standing(self) -> str:
        """How much is stored, for the message after Ctrl-C."""
        last = self._last
        if last is None:
            return ""
        return f" with {last.stored + last.computed} of {last.total} runs stored"

    def __enter__(self) -> Display:
        if self._console.is_terminal:
            self._live = Live(console=self._console, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: CampaignProgress, key: RunKey | None, error: str) -> None:
        """A look at the campaign; `key` has ended if it is given, with `error` if it failed."""
        if self._last is None and progress.stored:
            self._say(f"{progress.stored} of {progress.total} runs are there, {progress.left} left")
        self._last = progress
        if key is not None and error:
            self._say(f"failed: {key.label}: {error}", "red")
        if self._live is not None:
            self._live.update(panel(progress))
        elif monotonic() - self._printed >= LINE_EVERY:
            self._printed = monotonic()
            typer.echo(line_of(progress), err=True)

    def _say(self, line: str, style: str = "") -> None:
        """A line that stays, above the live display where there is one."""
        if self._live is not None:
            self._live.console.print(Text(printable(line), style=style))
        else:
            typer.echo(printable(line), err=True)


def line_of(progress: CampaignProgress) -> str:
    """Where a campaign stands, in one line."""
    done = progress.stored + progress.computed
    parts = [
        f"{done}/{progress.total} done",
        f"{progress.running} running",
        f"{progress.failed + progress.skipped} failed",
        f"{progress.per_minute:.0f} runs/min",
    ]
    left = progress.seconds_left
    if left is not None:
        parts.append(f"{duration(left)} left")
    return ", ".join(parts)


def panel(progress: CampaignProgress) -> Table:
    """Bar and line of the live display."""
    done = progress.stored + progress.computed + progress.failed + progress.skipped
    lines = Table.grid()
    lines.add_row(ProgressBar(total=max(progress.total, 1), completed=done, width=60))
    lines.add_row(Text(line_of(progress)))
    if progress.dashboard:
        lines.add_row(Text(f"Dask: {progress.dashboard}", style="dim"))
    return lines
