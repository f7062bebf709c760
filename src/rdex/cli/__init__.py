"""The `rdex` command: thin words over the rooms to its left.

Each sub-command is one module; `app` puts them together.
"""

import sys


def main() -> None:
    """Entry point of the `rdex` command."""
    from rdex.common.collecting import no_collecting
    from rdex.common.extras import MissingExtraError, require

    try:
        with no_collecting():
            require("typer", "bench")
            require("rich", "bench")
            from rdex.cli.app import app
        app()
    except MissingExtraError as error:
        sys.exit(f"rdex: {error}")
