"""The code of the gallery: `<!-- code: NAME -->` becomes a closed box with the script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_CODE = re.compile(r"<!-- code: (\w+) -->")


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """The source of a page, with the scripts it asks for."""
    folder = Path(config.docs_dir).parent / "examples" / "gallery"
    return _CODE.sub(lambda found: box(folder / f"{found[1]}.py"), markdown)


def box(script: Path) -> str:
    """A closed box with a script."""
    lines = script.read_text(encoding="utf-8").splitlines()
    code = "\n".join(f"    {line}".rstrip() for line in lines)
    return f'??? example "examples/gallery/{script.name}"\n\n    ```python\n{code}\n    ```\n'
