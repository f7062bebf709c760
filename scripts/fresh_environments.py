"""Runs the examples of docs/adapters in fresh environments, each with the extra it names alone.

    python scripts/fresh_environments.py [EXTRA ...]

On a page, blocks belong to the last `pip install "rdex[EXTRA]"` in the text before them, and to
the package without extras before the first. Python blocks of one extra run one after the other in
one program, then its commands; what the page shows as output must be printed. All of it happens in
temporary folders.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pages import Piece, blocks, is_printed, pieces

PROJECT = Path(__file__).resolve().parent.parent
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs" / "adapters").glob("*.md"))]

CORE = ""  # no extra

_EXTRA = re.compile(r'pip install "rdex\[([\w,]+)\]"')
_MARK = "\x1e"


def sections(page: Path) -> Iterator[tuple[str, list[Piece]]]:
    """(extra, blocks that run) of a page, in order."""
    text = page.read_text(encoding="utf-8")
    left_out = {block.line for block in blocks(text) if block.reason is not None}
    extra, found = CORE, []
    for piece in pieces(text):
        named = _EXTRA.findall(piece.body) if not piece.language else []
        if named:
            yield extra, found
            extra, found = named[-1], []
        elif piece.language in ("python", "bash", "output") and piece.line not in left_out:
            found.append(piece)
    yield extra, found


def cases() -> dict[str, list[tuple[str, list[Piece]]]]:
    """By extra, the pages and blocks to run with it."""
    found: dict[str, list[tuple[str, list[Piece]]]] = {}
    for page in PAGES:
        for extra, parts in sections(page):
            if any(part.language == "python" for part in parts):
                found.setdefault(extra, []).append((str(page.relative_to(PROJECT)), parts))
    return found


def environment(folder: Path, extra: str) -> Path:
    """The Python of a new environment with rdex and one extra."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    what = f"{PROJECT}[{extra}]" if extra else str(PROJECT)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--constraint", PROJECT / "constraints.txt", what], check=True)
    return python


def run(python: Path, parts: list[Piece], folder: Path) -> list[str]:
    """What is wrong with the blocks, in words."""
    code, expected, wrong = "", [], []
    for k, part in enumerate(parts):
        if part.title:
            (folder / part.title).write_text(part.body, encoding="utf-8")
        elif part.language == "python":
            code += f"{part.body}\nprint({_MARK!r}, end='', flush=True)\n"
            follows = parts[k + 1] if k + 1 < len(parts) else None
            expected.append(follows if follows and follows.language == "output" else None)
    (folder / "page.py").write_text(code, encoding="utf-8")
    printed = program([str(python), "page.py"], folder, wrong).split(_MARK)
    for got, want in zip(printed, expected, strict=False):
        if want is not None and not is_printed(without_notices(got), want.body):
            wrong.append(f"line {want.line}: the page says\n{want.body}\nbut it prints\n{got}")
    path = os.pathsep.join((str(python.parent), os.environ["PATH"]))
    for part in parts:
        if part.language == "bash":
            program(["bash", "-euc", part.body], folder, wrong, PATH=path)
    return wrong


def without_notices(text: str) -> str:
    """What a page shows: COCO's library prints where it writes to."""
    return "".join(line for line in text.splitlines(True) if not line.startswith("COCO INFO"))


def program(words: list[str], folder: Path, wrong: list[str], **variables: str) -> str:
    """The output of a program; a failure is noted."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        words, cwd=folder, env=clean | variables, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        wrong.append(f"exit code {ran.returncode}\n{ran.stderr[-2000:]}")
    return ran.stdout


def main() -> int:
    """Try those that are named, or all; 1 where something is wrong."""
    known = cases()
    failures = 0
    for extra in sys.argv[1:] or known:
        with tempfile.TemporaryDirectory() as place:
            python = environment(Path(place) / "venv", extra)
            for page, parts in known[extra]:
                with tempfile.TemporaryDirectory() as folder:
                    wrong = run(python, parts, Path(folder))
                failures += len(wrong)
                print(f"{extra or 'no extra':10s} {page}: {'; '.join(wrong) or 'fine'}", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
