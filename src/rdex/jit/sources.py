"""What a kernel is made of: the source files behind it, and a name for their present state.

numba stamps a cached function with its own file only, so an edit to a function it calls, a constant
or a NamedTuple in another file would keep the old machine code running. Here the name of a cache
comes from the kernel's source file and all files of the package that this one imports, directly or
not. Only `from rdex.room.module import name` lines are followed: kernel modules import from the
package in no other way, and import nothing but kernel modules (tests/test_rooms.py checks both).
"""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent.parent
IMPORT = re.compile(r"^from (rdex(?:\.\w+)+) import", re.MULTILINE)


def module_file(name: str) -> Path:
    """Source file of a module of the package."""
    path = SOURCES.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def version_of(package: str) -> str:
    """The version of a package that is installed, without importing it."""
    from importlib import metadata  # brings email and zipfile; short runs need no versions

    return metadata.version(package)


@functools.cache
def imported_files(path: Path) -> frozenset[Path]:
    """Files of the package that the source file imports by name."""
    names = IMPORT.findall(path.read_text(encoding="utf-8"))
    return frozenset(module_file(name) for name in names)


@functools.cache
def source_hash(path: Path, tricks: tuple[str, ...] = ()) -> str:
    """A name for a source file, all it imports from here, numba, and the tricks that are on."""
    reached: set[Path] = set()
    waiting = [path]
    while waiting:
        found = waiting.pop()
        if found not in reached:
            reached.add(found)
            waiting.extend(imported_files(found))
    digest = hashlib.sha256(f"numba {version_of('numba')} {' '.join(tricks)}".encode())
    for found in sorted(reached):
        digest.update(found.name.encode() + b"\0" + found.read_bytes())
    return digest.hexdigest()[:16]
