"""Runs on disk, in a format that docs/ describes and any tool reads.

A store is a folder: a manifest, and one Parquet file a run, so that the folder is a Parquet
dataset. `Store` writes it, `load` reads all of it. Imports `recorder` and the rooms to its left.
"""

from rdex.common.errors import RunFileError, StoreError
from rdex.store.dataset import Dataset, load
from rdex.store.folder import Failure, Store
from rdex.store.plan_difference import PlanDifference, differences
from rdex.store.runkey import RunKey
from rdex.store.schema import FORMAT_VERSION, StoredRun

__all__ = [
    "FORMAT_VERSION",
    "Dataset",
    "Failure",
    "PlanDifference",
    "RunFileError",
    "RunKey",
    "Store",
    "StoreError",
    "StoredRun",
    "differences",
    "load",
]
