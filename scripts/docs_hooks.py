"""What mkdocs does beside rendering pages: notebooks offered, commands of `rdex` described."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import typer.main

COMMANDS = "<!-- commands of rdex -->"


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """The source of a page, with what stands in no file."""
    notebook = Path("notebooks", Path(page.file.src_uri).stem + ".ipynb")
    if page.file.src_uri.startswith("tutorials/") and Path(config.docs_dir, notebook).is_file():
        heading, _, rest = markdown.partition("\n")
        link = f'<a href="../{notebook.as_posix()}" download>This page as a notebook</a>'
        markdown = f"{heading}\n\n{link}\n{rest}"
    if COMMANDS in markdown:
        from rdex.cli.app import app

        described = "\n".join(describe(typer.main.get_command(app), "rdex"))
        markdown = markdown.replace(COMMANDS, described)
    return markdown


def describe(command: Any, name: str) -> list[str]:
    """A command and all below it, in Markdown."""
    below = getattr(command, "commands", None)
    if below is not None:
        return [line for word, each in below.items() for line in describe(each, f"{name} {word}")]
    lines = [f"## `{name}`", "", (command.help or "").replace("\n\n", "\n\n"), ""]
    lines += ["| argument or option | meaning |", "| --- | --- |"]
    for parameter in command.params:
        if parameter.name != "help":
            lines.append(f"| {cell(spelling(parameter))} | {cell(parameter.help or '')} |")
    return [*lines, ""]


def spelling(parameter: Any) -> str:
    """How a parameter is written on the command line."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    names = ", ".join(f"`{each}`" for each in (*parameter.opts, *parameter.secondary_opts))
    if parameter.is_flag:
        return names
    default = parameter.default
    shown = f" (default {default:g})" if isinstance(default, int | float) else ""
    return names + (shown or (f" (default {default})" if isinstance(default, str) else ""))


def cell(text: str) -> str:
    """Text inside a table: a vertical bar would end the cell."""
    return html.escape(text, quote=False).replace("|", "&#124;")
