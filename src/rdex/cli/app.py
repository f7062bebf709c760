"""The commands of `rdex`, put together."""

import contextlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import rdex
from rdex.cli import algorithms, bench, report, solve, suite, watch

#: Exit code of a wrong use of the command line (EX_USAGE of BSD); 2 says "infeasible".
USAGE = 64


class Commands(TyperGroup):
    """The commands; options and arguments that do not fit end with `USAGE`."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        with usage_errors():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        with usage_errors():
            return super().invoke(ctx)


@contextlib.contextmanager
def usage_errors() -> Iterator[None]:
    """Give errors of use their exit code; typer's own is 2."""
    try:
        yield
    except Exception as error:
        if getattr(error, "exit_code", None) == 2 and hasattr(error, "format_message"):
            error.exit_code = USAGE  # type: ignore[attr-defined]
        raise


app = typer.Typer(
    name="rdex",
    cls=Commands,
    help="Constrained black-box optimisation: solve, benchmark, score, report.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
bench.app.command("algorithms")(algorithms.list_algorithms)
bench.app.command("report")(report.report)
app.add_typer(bench.app, name="bench")
app.add_typer(suite.app, name="suite")
app.command()(solve.solve)
app.command()(watch.watch)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rdex {rdex.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Version.")
    ] = False,
) -> None:
    """Options of every command."""


@app.command()
def warmup(
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder to compile into; give it to later runs as RDEX_CACHE_DIR."),
    ] = None,
) -> None:
    """Compile every kernel ahead of time, for read-only homes and cluster nodes."""
    import os

    if cache is not None:
        os.environ["RDEX_CACHE_DIR"] = str(cache.resolve())
    from rdex.cli.warmup import warm_up

    seconds, folder = warm_up(partial(typer.echo, err=True))
    typer.echo(f"all kernels ready in {seconds:.1f} s, kept in {folder}")
