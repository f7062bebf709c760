"""HTML from templates: data go in escaped, code and styles of our own as they are."""

from __future__ import annotations

import functools
import importlib.util
import json
import math
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

import rdex
from rdex.common.extras import require
from rdex.common.text import printable
from rdex.report.numbers import shown


@functools.cache
def environment() -> Any:
    """Jinja's environment: everything is escaped that is not marked as safe."""
    jinja2 = require("jinja2", "bench")
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("rdex.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=visible,
        trim_blocks=True,
    )
    made.filters["shown"] = shown
    made.filters["exactly"] = lambda value: shown(value, ".10g")
    return made


def render(template: str, script: str, **values: Any) -> str:
    """A whole page: the template, with styles, plotly.js and a script of ours inside it."""
    return str(
        environment().get_template(template).render(
            version=rdex.__version__,
            css=safe(text_of("style.css")),
            plotly=safe(plotly_script()),
            charts=safe(text_of("charts.js")),
            script=safe(text_of(script)),
            **values,
        )
    )  # fmt: skip


def plotly_script() -> str:
    """The text of plotly.js; only the file is read, importing the package takes a second."""
    spec = importlib.util.find_spec("plotly")
    if spec is None or spec.origin is None:
        require("plotly", "bench")
        raise FileNotFoundError("the package plotly has no folder")
    script = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    return script.read_text(encoding="utf-8")


def safe(text: str) -> Any:
    """Text that is HTML already."""
    return require("markupsafe", "bench").Markup(text)


def text_of(name: str) -> str:
    """A file among the templates."""
    return resources.files("rdex.report").joinpath("templates", name).read_text(encoding="utf-8")


def embedded(value: Any) -> Any:
    """Data as JSON that cannot end the script element it stands in."""
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return safe(text)


def visible(value: Any) -> Any:
    """A text of users without control characters; what is HTML already stays as it is."""
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    return "\n".join(printable(line) for line in value.split("\n")) if is_text else value


def plain(value: Any) -> Any:
    """Arrays as lists; numbers that JSON lacks as null."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return visible(value)


def compact(values: Any, digits: int = 5) -> Any:
    """Nested lists of floats with few digits, null for what is not finite."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, list):
        return [compact(each, digits) for each in values]
    if not math.isfinite(values):
        return None
    short = float(f"{values:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
