"""A run as the bytes of a Parquet file, and back. docs/store-format.md describes the columns."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from rdex.common.errors import RunFileError
from rdex.common.extras import require
from rdex.recorder.record import Record
from rdex.store.runkey import RunKey

#: Raised with every change of the columns that older readers cannot read.
FORMAT_VERSION = 2

#: Columns that versions added; files of an earlier one have none of them.
ADDED = {2: ("n_outside",)}

FORMAT = "rdex-campaign-run"

#: Names that files of this version may carry. The second is what they were called first, when
#: checkpoints had the same name.
FORMATS = (FORMAT, "rdex-run")


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A finished run with all that is kept of it.

    `form` is the form of the violations ("mean" for runs of our own; imported ones may have
    others), `origin` says where the run came from, `settings`, `versions` are plain dicts.
    """

    key: RunKey
    record: Record
    n_constraints: int
    settings: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    cpu: str = ""
    started: datetime | None = None
    wall_time: float = float("nan")
    form: str = "mean"
    origin: str = "campaign"


@functools.cache
def schema() -> Any:
    """Columns of a run file, in order."""
    pa = require("pyarrow", "bench")
    numbers = pa.list_(pa.float64())
    columns = [
        ("format_version", pa.int32()),
        ("suite", pa.string()),
        ("problem", pa.string()),
        ("problem_id", pa.string()),
        ("dim", pa.int32()),
        ("edition", pa.string()),
        ("instance", pa.string()),
        ("n_constraints", pa.int32()),
        ("algorithm", pa.string()),
        ("run", pa.int32()),
        ("maxfev", pa.int64()),
        ("checkpoints", pa.int32()),
        ("rng", pa.string()),
        ("seed_key", pa.list_(pa.uint32())),
        ("form", pa.string()),
        ("f0", pa.float64()),
        ("v0", pa.float64()),
        ("initial_nfev", pa.int64()),
        ("nfev", pa.int64()),
        ("final_f", pa.float64()),
        ("final_v", pa.float64()),
        ("first_feasible", pa.int64()),
        ("n_failed", pa.int64()),
        ("n_outside", pa.int64()),
        ("x", numbers),
        ("G", numbers),
        ("H", numbers),
        ("f", numbers),
        ("v", numbers),
        ("settings", pa.string()),
        ("versions", pa.string()),
        ("cpu", pa.string()),
        ("origin", pa.string()),
        ("started", pa.timestamp("us", tz="UTC")),
        ("wall_time", pa.float64()),
    ]
    metadata = {"rdex.format": FORMAT, "rdex.version": str(FORMAT_VERSION)}
    return pa.schema(columns, metadata=metadata)


def row_of(run: StoredRun) -> dict[str, Any]:
    """The one row of a run file."""
    key, record = run.key, run.record
    return {
        "format_version": FORMAT_VERSION,
        "suite": key.suite,
        "problem": key.problem,
        "problem_id": key.problem_id,
        "dim": key.dim,
        "edition": key.edition,
        "instance": key.instance,
        "n_constraints": run.n_constraints,
        "algorithm": key.algorithm,
        "run": key.run,
        "maxfev": key.maxfev,
        "checkpoints": key.checkpoints,
        "rng": str(key.rng),
        "seed_key": list(key.spawn_key),
        "form": run.form,
        "f0": record.f0,
        "v0": record.v0,
        "initial_nfev": record.initial_nfev,
        "nfev": record.nfev,
        "final_f": float(record.f[-1]),
        "final_v": float(record.v[-1]),
        "first_feasible": record.first_feasible,
        "n_failed": record.n_failed,
        "n_outside": record.n_outside,
        "x": record.x,
        "G": record.G,
        "H": record.H,
        "f": record.f,
        "v": record.v,
        "settings": json.dumps(run.settings, sort_keys=True),
        "versions": json.dumps(run.versions, sort_keys=True),
        "cpu": run.cpu,
        "origin": run.origin,
        "started": run.started,
        "wall_time": run.wall_time,
    }


def encode_run(run: StoredRun) -> bytes:
    """The Parquet file of a run."""
    pa = require("pyarrow", "bench")
    parquet = require("pyarrow.parquet", "bench")
    row = row_of(run)
    arrays = [pa.array([row[column.name]], type=column.type) for column in schema()]
    sink = pa.BufferOutputStream()
    parquet.write_table(
        pa.Table.from_arrays(arrays, schema=schema()),
        sink,
        compression="zstd",
        # A dictionary of the values of a trace makes files a seventh larger and slower to write.
        use_dictionary=False,
        write_page_checksum=True,
    )
    return sink.getvalue().to_pybytes()


def read_row(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The row of a run file, every page checked; RunFileError where it is not a whole run."""
    table = read_table(path)
    row: dict[str, Any] = {
        name: column[0].as_py()
        for name, column in zip(table.column_names, table.columns, strict=True)
        if name not in ("f", "v", "x", "G", "H")
    }
    for name in ("f", "v", "x", "G", "H"):
        row[name] = numbers_of(table.column(name)[0])
    return row


def read_table(path: str | os.PathLike[str]) -> Any:
    """The table of a run file, every page checked, of a known format; columns of the present one.

    Arrow's own threads stay out of it: reading with them lets the interpreter abort at its exit
    now and then. Whoever reads many files brings threads that end with the reading.
    """
    pa = require("pyarrow", "bench")
    parquet = require("pyarrow.parquet", "bench")
    name = os.fspath(path)
    try:
        with open(path, "rb") as stream:
            content = pa.BufferReader(stream.read())
        source = parquet.ParquetFile(content, page_checksum_verification=True, pre_buffer=False)
        if source.metadata.num_rows != 1:
            raise RunFileError(f"{name}: expected one row, got {source.metadata.num_rows}")
        table = source.read(use_threads=False)
        table.validate(full=True)
    except RunFileError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise RunFileError(f"{name} is no whole Parquet file: {error}") from error
    version = checked_version(table.schema.metadata or {}, name)
    added = {column for since, names in ADDED.items() if since > version for column in names}
    expected = [column for column in schema() if column.name not in added]
    if not table.schema.equals(pa.schema(expected)):
        raise RunFileError(f"{name}: expected the columns of version {version} of the format")
    for column in added:
        at = schema().get_field_index(column)
        table = table.add_column(at, schema().field(at), pa.nulls(1, schema().field(at).type))
    return table.replace_schema_metadata(schema().metadata)


def checked_version(metadata: dict[bytes, bytes], name: str) -> int:
    """The version of the format that a file's metadata say, or a RunFileError."""
    found, version = metadata.get(b"rdex.format"), metadata.get(b"rdex.version", b"")
    known = [str(each).encode() for each in range(1, FORMAT_VERSION + 1)]
    if found not in [each.encode() for each in FORMATS] or version not in known:
        raise RunFileError(
            f"{name}: expected a file of the format {FORMAT} {FORMAT_VERSION}, got "
            f"{found.decode(errors='replace') if found else 'another Parquet file'}"
            f"{' ' + version.decode(errors='replace') if version else ''}"
        )
    return int(version)


def numbers_of(cell: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """A list cell as a float64 array."""
    values = cell.values
    return np.empty(0) if values is None else values.to_numpy(zero_copy_only=False).copy()


def key_of(row: dict[str, Any], path: str | os.PathLike[str]) -> RunKey:
    """The run that a row says it is, its parts agreeing with one another, or a RunFileError."""
    if any(row[name] is None for name in ("algorithm", "problem_id", "rng", "seed_key")):
        raise RunFileError(f"{os.fspath(path)} does not say which run it is")
    if (row["run"] or 0) < 1:
        raise RunFileError(f"{os.fspath(path)}: runs count from 1, got {row['run']}")
    key = RunKey(*(row[name] for name in RunKey._fields))._replace(rng=_whole(row["rng"]))
    check_key(row, key, path)
    return key


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() else -1


def check_key(row: dict[str, Any], key: RunKey, path: str | os.PathLike[str]) -> None:
    """Raise RunFileError unless the row is that of the run `key` and its arrays are whole."""
    expected = {
        "algorithm": key.algorithm,
        "problem_id": key.problem_id,
        "dim": key.dim,
        "maxfev": key.maxfev,
        "run": key.run,
        "checkpoints": key.checkpoints,
        "rng": str(key.rng),
        "seed_key": list(key.spawn_key),
    }
    for name, value in expected.items():
        if row[name] != value:
            raise RunFileError(
                f"{os.fspath(path)} holds another run: expected {name} {value!r}, got {row[name]!r}"
            )
    for name in ("f", "v"):
        if len(row[name]) != key.checkpoints:
            raise RunFileError(
                f"{os.fspath(path)}: expected {key.checkpoints} checkpoints of {name}, "
                f"got {len(row[name])}"
            )
