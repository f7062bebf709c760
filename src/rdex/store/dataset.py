"""`load`: a whole store as arrays and as tables, in one call."""

from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rdex.common.errors import RunFileError, StoreError
from rdex.common.extras import require
from rdex.problem.problem import Floats
from rdex.store.folder import Failure, Store
from rdex.store.schema import key_of, read_table

#: Columns of the traces; all others are columns of the tidy table.
LISTS = ("x", "G", "H", "f", "v", "seed_key")


#: Files read at a time.
READERS = 4


@dataclass(frozen=True, eq=False)
class Dataset:
    """All runs of a store.

    Attributes
    ----------
    algorithms, problems : tuple of str
        Names and problem ids along the first two axes of the arrays, in the order of the plan.
    f, v : (algorithm, problem, run, checkpoint) array
        Best so far, feasibility first; NaN where there is no such run.
    f0, v0 : (algorithm, problem, run) array
        The same after initialisation.
    arrow : pyarrow.Table
        Everything, one row per run.
    manifest : dict
        What the manifest says.
    failures : list of Failure
        Runs that ended with an exception.
    sources : dict
        Texts of algorithms of one's own by their digests.
    """

    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    f: Floats
    v: Floats
    f0: Floats
    v0: Floats
    arrow: Any
    manifest: dict[str, Any]
    failures: list[Failure]
    sources: dict[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.arrow.num_rows)

    @cached_property
    def table(self) -> Any:
        """The tidy table: a pandas DataFrame, one row per run, without the traces."""
        require("pandas", "bench")
        kept = [name for name in self.arrow.column_names if name not in LISTS]
        return self.arrow.select(kept).to_pandas()

    def traces(self) -> Any:
        """A pandas DataFrame with one row per run and checkpoint: evaluations, f and v."""
        pandas = require("pandas", "bench")
        identity = self.table[["algorithm", "problem_id", "run"]]
        counts = self.table["checkpoints"].to_numpy()
        repeated = identity.loc[identity.index.repeat(counts)].reset_index(drop=True)
        steps = np.concatenate([np.arange(1, k + 1) for k in counts] or [np.empty(0, dtype=int)])
        budget = np.repeat(self.table["maxfev"].to_numpy(), counts)
        return pandas.concat(
            [
                repeated,
                pandas.DataFrame(
                    {
                        "checkpoint": steps,
                        "nfev": -(-steps * budget // np.repeat(counts, counts)),
                        "f": flat(self.arrow.column("f")),
                        "v": flat(self.arrow.column("v")),
                    }
                ),
            ],
            axis=1,
        )

    def points(self, name: str = "x") -> list[Floats]:
        """The final x, G or H of every row of `table`."""
        if name not in ("x", "G", "H"):
            raise ValueError(f"name must be x, G or H, got {name!r}")
        column = self.arrow.column(name).combine_chunks()
        offsets, values = numbers(column.offsets), numbers(column.values)
        return [values[a:b] for a, b in itertools.pairwise(offsets)]


def load(folder: str | os.PathLike[str]) -> Dataset:
    """Read every run of a store.

    Files that are not whole runs raise a `RunFileError` with their name: running the campaign
    again sets them aside and computes them anew.

    Examples
    --------
    >>> import rdex.store
    >>> data = rdex.store.load("results")                                     # doctest: +SKIP
    >>> data.f.shape, data.table.groupby("algorithm").final_f.median()        # doctest: +SKIP
    """
    store = Store(folder)
    if not store.folder.is_dir():
        raise StoreError(f"there is no folder {store.folder}")
    manifest = store.manifest()
    if manifest is None:
        raise StoreError(f"{store.folder} is no campaign: it has no manifest")
    paths = store.parquet_files()
    if not paths:
        raise StoreError(f"{store.folder} holds no finished run yet")
    arrow = sorted_rows(read_all(paths), manifest)
    table = {name: arrow.column(name).to_pylist() for name in ("algorithm", "problem_id", "run")}
    algorithms = tuple(dict.fromkeys(table["algorithm"]))
    planned = list((manifest["plan"] or {}).get("problems", {}))
    seen = set(table["problem_id"])
    problems = tuple(id for id in planned if id in seen)
    problems += tuple(dict.fromkeys(id for id in table["problem_id"] if id not in problems))
    at = (
        np.array([algorithms.index(name) for name in table["algorithm"]]),
        np.array([problems.index(id) for id in table["problem_id"]]),
        np.array(table["run"]) - 1,
    )
    shape = (len(algorithms), len(problems), max(table["run"]))
    return Dataset(
        algorithms,
        problems,
        f=placed(traces_of(arrow, "f"), at, shape),
        v=placed(traces_of(arrow, "v"), at, shape),
        f0=placed(numbers(arrow.column("f0").combine_chunks()), at, shape),
        v0=placed(numbers(arrow.column("v0").combine_chunks()), at, shape),
        arrow=arrow,
        manifest=manifest,
        failures=store.failures(),
        sources=store.sources(),
    )


def read_all(paths: list[Path]) -> Any:
    """One table of all files, each checked; a RunFileError names the first one at fault."""
    pa = require("pyarrow", "bench")
    with ThreadPoolExecutor(READERS) as pool:
        tables = list(pool.map(read_table, paths))
    seen: dict[tuple[str, str, int], Path] = {}
    for path, table in zip(paths, tables, strict=True):
        key = key_of(plain_row(table), path)
        other = seen.setdefault((key.algorithm, key.problem_id, key.run), path)
        if other != path:
            raise RunFileError(f"{other} and {path} are both the run {key.label}: move one away")
    return pa.concat_tables(tables).combine_chunks()


def plain_row(table: Any) -> dict[str, Any]:
    """The row of a run's table, without the points; of traces only how long they are.

    Arrow imports pandas for a time with a zone, which takes longer than reading 50 runs.
    """
    left_out = ("x", "G", "H", "f", "v", "started")
    names = [name for name in table.column_names if name not in left_out]
    row = {name: table.column(name)[0].as_py() for name in names}
    return row | {name: range(len(table.column(name)[0] or ())) for name in ("f", "v")}


def sorted_rows(arrow: Any, manifest: dict[str, Any]) -> Any:
    """Rows in the order of the plan: algorithm, problem, run; what is imported comes last."""
    pa = require("pyarrow", "bench")
    plan = manifest["plan"] or {}
    algorithms = [*plan.get("algorithms", {}), *manifest["imported"]]
    problems = list(plan.get("problems", {}))

    def place(names: list[str], name: str) -> tuple[int, str]:
        return (names.index(name) if name in names else len(names), name)

    keys = [
        (place(algorithms, a), place(problems, p), r)
        for a, p, r in zip(
            *(arrow.column(name).to_pylist() for name in ("algorithm", "problem_id", "run")),
            strict=True,
        )
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return pa.concat_tables([arrow.slice(at, 1) for at in order]).combine_chunks()


def traces_of(arrow: Any, name: str) -> Floats:
    """(row, checkpoint) array of a trace; all runs must have as many checkpoints."""
    counts = set(arrow.column("checkpoints").to_pylist())
    if len(counts) > 1:
        shown = ", ".join(map(str, sorted(counts)))
        raise ValueError(f"the runs differ in their numbers of checkpoints: {shown}")
    return flat(arrow.column(name)).reshape(arrow.num_rows, counts.pop())


def flat(column: Any) -> Floats:
    """All numbers of a list column, one after another."""
    lists = column.combine_chunks()
    offsets = numbers(lists.offsets)
    return numbers(lists.values)[offsets[0] : offsets[-1]]


def numbers(array: Any) -> Floats:
    """The numbers of an Arrow array; its own `to_numpy` imports pandas."""
    found: Any = np.from_dlpack(array) if array.null_count == 0 else array.to_numpy(False)
    return np.asarray(found)


def placed(values: Floats, at: tuple[Any, ...], shape: tuple[int, ...]) -> Floats:
    """Rows put at their places of (algorithm, problem, run), NaN where there is none."""
    array = np.full((*shape, *values.shape[1:]), np.nan)
    array[at] = values
    return array
