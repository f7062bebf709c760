"""`rdex watch`: a live page on a run or a campaign, on this machine alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rdex.cli.printing import fail, show_json


def watch(
    path: Annotated[
        Path, typer.Argument(help="File of evaluations, checkpoint, or folder of a campaign.")
    ],
    port: Annotated[int, typer.Option(help="Port of the page; 0: any that is free.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what is known now as JSON, and end.")
    ] = False,
) -> None:
    """Show a run while it goes on, or after it: best f, violations, variables, workers, failures.

    The run needs `evaluations=` or `checkpoint=`, and may be in another process or on another
    machine that shares the folder. The page is for this machine alone; Ctrl-C ends it.
    """
    from rdex.live.server import make_server
    from rdex.live.snapshot import snapshot

    if as_json:
        show_json(snapshot(path))
        return
    try:
        server = make_server(path, port)
    except OSError as error:
        fail(f"cannot open port {port}: {error.strerror or error}")
    address = f"http://127.0.0.1:{server.server_port}/"
    typer.echo(f"{path}: {address} (Ctrl-C ends)")
    if browser:
        import webbrowser

        webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        typer.echo("")
    finally:
        server.server_close()
