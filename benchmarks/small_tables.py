"""The small tables that benchmarks keep."""

import csv
from pathlib import Path


def write_csv(path: Path, rows: list[dict[str, object]]) -> None:
    """Rows with the same keys as a file, in a folder that is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
