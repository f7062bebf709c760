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
from rdex.engine.kernels.layout import COUNT_NAMES, PARAM_NAMES, VALUE_NAMES, State

FORMAT = "rdex-run"
VERSION = 1
ENTRIES = {"param": PARAM_NAMES, "count": COUNT_NAMES, "value": VALUE_NAMES}


class RunFileError(ValueError):
    """A file is not a whole run of a known format."""


def save_state(path: str | os.PathLike[str], state: State, header: dict[str, Any]) -> None:
    """Write state and header to `path`, whole or not at all."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **header}, allow_nan=True)
    arrays = {"header": np.frombuffer(text.encode(), dtype=np.uint8), **state._asdict()}
    with atomic_write(path) as stream:
        np.savez(stream, **arrays)


def load_state(path: str | os.PathLike[str]) -> tuple[State, dict[str, Any]]:
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
    if set(arrays) != set(State._fields):
        raise RunFileError(f"{os.fspath(path)}: the arrays of the state are not all there")
    for name, entries in ENTRIES.items():
        if arrays[name].shape != (len(entries),):
            raise RunFileError(
                f"{os.fspath(path)}: expected {len(entries)} entries of {name}, "
                f"got shape {arrays[name].shape}"
            )
    state = State(**{name: np.ascontiguousarray(arrays[name]) for name in State._fields})
    return state, header
