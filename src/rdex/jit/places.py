"""Every kernel that stands on an explicit signature, found in the sources without numba."""

from __future__ import annotations

import re
from pathlib import Path

from rdex.jit.sources import SOURCES

#: A decorator with a signature, and the function that follows.
DECLARED = re.compile(r"^@kernel\((?!\)|\w+=).*?^def (\w+)", re.MULTILINE | re.DOTALL)


def all_places() -> list[str]:
    """All kernels as ``module:name``."""
    package = Path(__file__).resolve().parent.parent
    places = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        if "kernels" in parts:
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            places += [f"{module}:{name}" for name in DECLARED.findall(path.read_text("utf-8"))]
    return places
