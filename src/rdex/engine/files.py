"""A run on disk: every array of its state, and a header in JSON. No pickle.

The file is an npz archive. Entry `header` holds JSON text (format, version, settings, limits,
facts of the problem); the other entries are the arrays of `State` by name. A file written at any
point of a run restores it exactly.
"""

from __future__ import annotations

import json
import math
import os
import zipfile
from typing import Any

import numpy as np

from rdex.common.errors import RunFileError
from rdex.common.files import atomic_write

FORMAT = "rdex-run"
VERSION = 3


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
        with zipfile.ZipFile(path) as archive:
            arrays = {
                name.removesuffix(".npy"): _array(archive, name) for name in archive.namelist()
            }
        header = json.loads(bytes(arrays.pop("header")).decode())
        if not isinstance(header, dict):
            raise ValueError(f"its header is {header!r}")
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged archives raise anything
        raise RunFileError(f"{os.fspath(path)} is not a whole run file: {error}") from error
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        raise RunFileError(
            f"{os.fspath(path)}: expected {FORMAT} version {VERSION}, got "
            f"{header.get('format')} version {header.get('version')}"
        )
    return arrays, header


def _array(archive: zipfile.ZipFile, name: str) -> Any:
    """One array of the archive.

    Files are written uncompressed, so nothing is read that is larger than the file itself.
    """
    facts = archive.getinfo(name)
    if facts.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{name} is compressed")
    with archive.open(facts) as stream:
        version = np.lib.format.read_magic(stream)
        if version != (1, 0):
            raise ValueError(f"{name} has version {version}")
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        declared = math.prod(shape) * dtype.itemsize
        if dtype.hasobject or stream.tell() + declared != facts.file_size:
            raise ValueError(f"{name} does not have the size that it declares")
    with archive.open(facts) as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)
