"""A run on disk: every array of its state, and a header in JSON. No pickle.

The file is an npz archive. Entry `header` holds JSON text (format, version, settings, limits,
facts of the problem); the other entries are the arrays of `State` by name. A file written at any
point of a run restores it exactly.
"""

from __future__ import annotations

import json
import os
import zlib
from typing import Any
from zipfile import BadZipFile

import numpy as np

from rdex.common.files import atomic_write
from rdex.engine.kernels import layout
from rdex.engine.kernels.layout import State
from rdex.engine.ude.kernels import layout as ude_layout
from rdex.engine.ude.kernels.layout import UdeState

FORMAT = "rdex-run"
VERSION = 2

#: Kinds of states, told apart by their arrays, and where the names of their entries stand.
KINDS = ((State, layout), (UdeState, ude_layout))


class RunFileError(ValueError):
    """A file is not a whole run of a known format."""


def save_state(
    path: str | os.PathLike[str], state: State | UdeState, header: dict[str, Any]
) -> None:
    """Write state and header to `path`, whole or not at all."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **header}, allow_nan=True)
    arrays = {"header": np.frombuffer(text.encode(), dtype=np.uint8), **state._asdict()}
    with atomic_write(path) as stream:
        np.savez(stream, **arrays)


def load_state(path: str | os.PathLike[str]) -> tuple[State | UdeState, dict[str, Any]]:
    """State and header from `path`; raises RunFileError if it is not a whole run."""
    try:
        # np.load would leave a broken file open.
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            header = json.loads(bytes(archive["header"]).decode())
            arrays = {name: archive[name] for name in archive.files if name != "header"}
            if not isinstance(header, dict):
                raise ValueError(f"its header is {header!r}")
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile, zlib.error) as error:
        raise RunFileError(f"{os.fspath(path)} is not a whole run file: {error}") from error
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        raise RunFileError(
            f"{os.fspath(path)}: expected {FORMAT} version {VERSION}, got "
            f"{header.get('format')} version {header.get('version')}"
        )
    fitting = [each for each in KINDS if set(arrays) == set(each[0]._fields)]
    if not fitting:
        raise RunFileError(f"{os.fspath(path)}: the arrays of the state are not all there")
    kind, names = fitting[0]
    for name in ("param", "count", "value"):
        entries = len(getattr(names, f"{name.upper()}_NAMES"))
        if arrays[name].shape != (entries,):
            raise RunFileError(
                f"{os.fspath(path)}: expected {entries} entries of {name}, "
                f"got shape {arrays[name].shape}"
            )
    return kind(**{name: np.ascontiguousarray(arrays[name]) for name in kind._fields}), header
