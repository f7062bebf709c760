"""What mkdocs does beside rendering pages: notebooks offered, commands of `rdex` described."""

from __future__ import annotations

import dataclasses
import html
from pathlib import Path
from typing import Any

import typer.main

COMMANDS = "<!-- commands of rdex -->"
SETTINGS = "<!-- settings of rdex -->"


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
    if SETTINGS in markdown:
        markdown = markdown.replace(SETTINGS, "\n".join(tables_of_settings()))
    return markdown


def tables_of_settings() -> list[str]:
    """The fields of each kind of settings; presets in columns, blank where as in the first."""
    from rdex.engine.presets import PRESETS

    kinds: dict[type, list[Any]] = {}
    for settings in PRESETS.values():
        kinds.setdefault(type(settings), []).append(settings)
    lines = []
    for kind, presets in kinds.items():
        names = [f"`{each.name}`" for each in presets]
        lines += [f"### Values of {kind.__name__}", ""]
        lines += [f"| field | symbol or choices | {' | '.join(names)} | source |"]
        lines += ["| --- " * (len(names) + 3) + "|"]
        for field in dataclasses.fields(kind)[1:]:
            first, *others = (shown(getattr(each, field.name)) for each in presets)
            values = [first, *(other if other != first else "" for other in others)]
            meaning = field.metadata.get("symbol") or ", ".join(kind.CHOICES.get(field.name, ()))
            cells = [f"`{field.name}`", meaning, *values, field.metadata.get("source", "")]
            lines.append(f"| {' | '.join(map(cell, cells))} |")
        lines.append("")
    return lines


def shown(value: Any) -> str:
    """A value as a table has it."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return ", ".join(map(shown, value)) if isinstance(value, tuple) else str(value)


def describe(command: Any, name: str) -> list[str]:
    """A command and all below it, in Markdown."""
    below = getattr(command, "commands", None)
    if below is not None:
        return [line for word, each in below.items() for line in describe(each, f"{name} {word}")]
    lines = [f"## `{name}`", "", command.help or "", ""]
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
