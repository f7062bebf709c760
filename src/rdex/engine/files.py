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

from rdex.common.errors import RunFileError
from rdex.common.files import atomic_write
from rdex.engine.kernels import layout
from rdex.engine.kernels.layout import State
from rdex.engine.ude.kernels.layout import UdeState

FORMAT = "rdex-run"
VERSION = 2


def save_state(
    path: str | os.PathLike[str], arrays: dict[str, Any], header: dict[str, Any]
) -> None:
    """Write the arrays of a run and a header to `path`, whole or not at all."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **header}, allow_nan=True)
    with atomic_write(path) as stream:
        np.savez(stream, header=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)


def load_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and header from `path`; raises RunFileError if it is not a whole run."""
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
    return arrays, header


def checked_state(here: State | UdeState, arrays: dict[str, Any], may_grow: bool) -> Any:
    """The arrays as a state like `here`; RunFileError where they are none."""
    kind = type(here)
    missing = set(kind._fields) - set(arrays)
    if missing:
        raise RunFileError(f"the state lacks {', '.join(sorted(missing))}")
    state = kind(**{name: np.array(arrays[name], order="C") for name in kind._fields})
    alike = all(
        getattr(here, name).ndim == array.ndim
        and getattr(here, name).dtype == array.dtype
        and (may_grow or getattr(here, name).shape == array.shape)
        for name, array in state._asdict().items()
    )
    alike = alike and here.param.shape == state.param.shape and here.box.shape == state.box.shape
    # Weights may have been learnt meanwhile.
    rows = layout.TOLERANCE if here.count[layout.SCALE_AUTO] else slice(None)
    free = [layout.N0, layout.MAXFEV] if may_grow else []
    if not (
        alike
        and np.array_equal(np.delete(here.param, free), np.delete(state.param, free))
        and np.array_equal(here.box, state.box)
        and np.array_equal(here.limit[rows], state.limit[rows])
    ):
        raise RunFileError("the state belongs to a run with other arguments")
    return state
