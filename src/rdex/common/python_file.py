"""Python files of users: which name of which file is meant, and its names once it is executed."""

from __future__ import annotations

import ast
import sys
import traceback
import types
from pathlib import Path
from typing import Any

#: `__name__` of a file that is read: not "__main__", so what is guarded by that is not run.
RUN_NAME = "rdex_file"


def split_place(place: str) -> tuple[Path, str | None]:
    """File and name of FILE.py[:NAME]; a colon of a drive letter is no separator.

    Examples
    --------
    >>> split_place("somewhere/beam.py:small")
    Traceback (most recent call last):
    ValueError: there is no file somewhere/beam.py
    """
    head, separator, tail = place.rpartition(":")
    is_named = bool(separator) and tail.isidentifier() and head.endswith(".py")
    path = Path(head if is_named else place).expanduser()
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    return path, tail if is_named else None


def is_place(word: Any) -> bool:
    """Whether a word of a plan means a Python file, or a name in one."""
    return isinstance(word, str) and (word.endswith(".py") or ".py:" in word)


def names_of_source(path: str, source: str) -> dict[str, Any]:
    """All names of a file's text once it is executed; its neighbours can be imported.

    Raises
    ------
    ValueError
        Where it ends itself with `sys.exit`. Its other exceptions pass.
    """
    folder = str(Path(path).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as `python FILE.py` would have it
    module = types.ModuleType(RUN_NAME)
    module.__file__ = path
    before = sys.modules.get(RUN_NAME)
    sys.modules[RUN_NAME] = module  # dataclasses look for their module while they are made
    try:
        exec(compile(source, path, "exec"), module.__dict__)
    except SystemExit as error:
        raise ValueError(f"{path} ends itself with sys.exit({error.code!r})") from error
    finally:
        # Workers import no such module: what it defines must be pickled with its code.
        if before is None:
            del sys.modules[RUN_NAME]
        else:
            sys.modules[RUN_NAME] = before
    return module.__dict__


def loaded_names(path: str, source: str) -> dict[str, Any]:
    """`names_of_source`, every exception of the file as a ValueError that says where it was."""
    try:
        return names_of_source(path, source)
    except ValueError as error:
        if isinstance(error.__cause__, SystemExit):
            raise
        raise ValueError(described(path, error)) from error
    except Exception as error:
        raise ValueError(described(path, error)) from error


def described(path: str, error: Exception) -> str:
    """What went wrong in a file, and in which line of it."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    at = f", line {lines[-1]}" if lines else ""
    return f"{path}{at}: {type(error).__name__}: {error}"


def may_define(path: str, source: str, name: str) -> bool:
    """Whether a file's text gives that name to something, without executing it.

    True in doubt: names also come from star imports and from code that makes them.
    """
    try:
        tree = ast.parse(source, path)
    except SyntaxError as error:
        raise ValueError(f"{path}, line {error.lineno}: SyntaxError: {error.msg}") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found = node.name == name
        elif isinstance(node, ast.Name):
            found = node.id in (name, "globals", "exec", "setattr")
        elif isinstance(node, ast.alias):
            found = (node.asname or node.name) in (name, "*")
        else:
            continue
        if found:
            return True
    return False
