"""`Store`: the folder of a campaign. Files are whole or absent, and never deleted, only set aside.

Any number of processes may use one folder at a time: a run is written under a temporary name and
renamed, and whoever computes a run that is already there has computed the same bits.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from rdex.common.files import atomic_write
from rdex.store.runkey import RunKey
from rdex.store.schema import RunFileError, check_key, read_row

MANIFEST = "_manifest.json"
FAILED = "_failed"
SET_ASIDE = "_set_aside"

FORMAT = "rdex-campaign"
VERSION = 1

#: Seconds after which an unfinished temporary file belongs to no living process.
STALE = 3600.0

log = logging.getLogger("rdex.store")


class StoreError(Exception):
    """A store cannot be used or written; the message says why and what to do."""


class PlanDifference(StoreError):
    """The folder belongs to a different plan; `differences` are the lines that say where."""

    def __init__(self, folder: Path, differences: list[str]) -> None:
        self.differences = differences
        lines = "\n".join(f"  {line}" for line in differences)
        super().__init__(
            f"{folder} holds another campaign (first what is there, then what was asked for):\n"
            f"{lines}\nUse another folder, or the plan that is there."
        )


class Failure(NamedTuple):
    """A run that ended with an exception."""

    algorithm: str
    problem_id: str
    run: int
    error: str
    traceback: str


class Store:
    """The folder of a campaign.

    Parameters
    ----------
    folder : path
        Made where it does not exist.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    # --- the manifest ---------------------------------------------------------------------------
    def manifest(self) -> dict[str, Any] | None:
        """What the manifest says; None where there is none. StoreError where it is damaged."""
        path = self.folder / MANIFEST
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{path} cannot be read ({error}). If the folder is the one you mean, move that "
                "file away and give the same command again: run files are checked one by one"
            ) from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise StoreError(f"{path} is not the manifest of a campaign")
        if content.get("version") != VERSION:
            raise StoreError(
                f"{path}: expected version {VERSION} of the format, got {content.get('version')!r}"
            )
        return content

    def open(self, plan: dict[str, Any], versions: dict[str, str], extend: bool = False) -> None:
        """Begin the campaign `plan` in this folder, or go on with it.

        Raises
        ------
        PlanDifference
            Where the folder belongs to another plan. With `extend`, a plan that has more
            algorithms, problems or runs and is else the same takes the place of the old one.
        StoreError
            Where the folder holds other things.
        """
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        there = self.manifest()
        if there is None:
            self._refuse_strange_folder()
            there = self._begin({"plan": plan, "versions": versions, "imported": {}})
        taken = sorted(set(plan["algorithms"]) & set(there["imported"]))
        if taken:
            raise StoreError(f"{self.folder} holds imported runs of {', '.join(taken)}")
        if there["plan"] is None:
            self._write_manifest({**there, "plan": plan, "versions": versions})
            return
        lines = differences(there["plan"], plan)
        if lines and extend and is_extension(there["plan"], plan):
            self._write_manifest({**there, "plan": plan})
        elif lines:
            raise PlanDifference(self.folder, lines)
        for name, version in versions.items():
            before = there["versions"].get(name)
            if before != version:
                log.warning(
                    "%s was begun with %s %s, this is %s: runs may differ in their last bits",
                    self.folder, name, before, version,
                )  # fmt: skip

    def note_import(self, algorithm: str, facts: dict[str, Any]) -> None:
        """Write into the manifest that runs of `algorithm` come from elsewhere."""
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        there = self.manifest()
        if there is None:
            self._refuse_strange_folder()
            there = self._begin({"plan": None, "versions": {}, "imported": {}})
        if there["plan"] is not None and algorithm in there["plan"]["algorithms"]:
            raise StoreError(f"{algorithm} is an algorithm of the campaign in {self.folder}")
        if algorithm in there["imported"]:
            raise StoreError(f"{self.folder} already holds imported runs of {algorithm}")
        self._write_manifest({**there, "imported": {**there["imported"], algorithm: facts}})

    def _refuse_strange_folder(self) -> None:
        """Raise where a folder without manifest holds anything but runs."""
        strange = [
            path.name
            for path in self.folder.iterdir()
            if not path.name.startswith((".", "_")) and not any(path.glob("*/run-*.parquet"))
        ]
        if strange:
            raise StoreError(
                f"{self.folder} is no campaign: it has no {MANIFEST} but holds "
                f"{', '.join(sorted(strange)[:3])}. Give a new or empty folder"
            )

    def _begin(self, content: dict[str, Any]) -> dict[str, Any]:
        """Write the first manifest, unless another process was first; what then is there."""
        text = _text(content)
        with writing(self.folder):
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".manifest.", suffix=".part")
            with os.fdopen(handle, "wb") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            try:
                os.link(name, self.folder / MANIFEST)  # refuses to replace, unlike a renaming
            except FileExistsError:
                pass
            except OSError:  # no links on this file system
                os.replace(name, self.folder / MANIFEST)
                name = ""
            if name:
                os.unlink(name)
        there = self.manifest()
        assert there is not None
        return there

    def _write_manifest(self, content: dict[str, Any]) -> None:
        with writing(self.folder), atomic_write(self.folder / MANIFEST) as stream:
            stream.write(_text(content))

    # --- runs -----------------------------------------------------------------------------------
    def path(self, key: RunKey) -> Path:
        """Where the file of a run is."""
        return self.folder / key.path

    def has(self, key: RunKey) -> bool:
        """Whether there is a file of that run; `check` looks into it."""
        return self.path(key).exists()

    def write(self, key: RunKey, content: bytes) -> None:
        """Put the encoded run in its place, whole; an earlier failure of it is forgotten."""
        path = self.path(key)
        with writing(self.folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as stream:
                stream.write(content)
            self._failure_path(key).unlink(missing_ok=True)
            self.failed_run_path(key).unlink(missing_ok=True)

    def check(self, keys: Iterable[RunKey]) -> set[RunKey]:
        """The runs of `keys` that are finished; files that are not theirs are set aside.

        Every file is read and its checksums are compared.
        """
        planned = {Path(key.path): key for key in keys}
        imported = set((self.manifest() or {}).get("imported", {}))
        done: set[RunKey] = set()

        def look(path: Path) -> tuple[Path, RunKey | None, str]:
            key = planned.get(path.relative_to(self.folder))
            try:
                row = read_row(path)
                if key is not None:
                    check_key(row, key, path)
                elif row["algorithm"] not in imported or row["origin"] == "campaign":
                    return path, None, "not a run of this campaign"
            except FileNotFoundError:
                return path, None, ""
            except RunFileError as error:
                return path, None, str(error)
            return path, key, ""

        with ThreadPoolExecutor(4) as pool:
            for path, key, reason in pool.map(look, self.parquet_files()):
                if reason:
                    self._set_aside(path, reason)
                elif key is not None:
                    done.add(key)
        self._remove_stale_parts()
        return done

    def parquet_files(self) -> list[Path]:
        """All Parquet files but those that readers of datasets leave out."""
        found = []
        for path in self.folder.rglob("*.parquet"):
            parts = path.relative_to(self.folder).parts
            if path.is_file() and not any(part.startswith((".", "_")) for part in parts):
                found.append(path)
        return sorted(found)

    def _set_aside(self, path: Path, reason: str) -> None:
        """Move a file out of the dataset, keeping it."""
        target = self.folder / SET_ASIDE / path.relative_to(self.folder)
        number = 1
        while target.with_name(f"{path.name}.{number}").exists():
            number += 1
        target = target.with_name(f"{path.name}.{number}")
        with writing(self.folder):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.replace(path, target)
            except FileNotFoundError:  # another process was quicker
                return
        log.warning("set aside %s: %s", path.relative_to(self.folder), reason)

    def _remove_stale_parts(self) -> None:
        """Remove what killed processes left half-written long ago."""
        for path in self.folder.rglob(".*.part"):
            try:
                if time.time() - path.stat().st_mtime > STALE:
                    path.unlink()
            except OSError:
                continue

    # --- failures -------------------------------------------------------------------------------
    def _failure_path(self, key: RunKey) -> Path:
        return (self.folder / FAILED / key.path).with_suffix(".json")

    def failed_run_path(self, key: RunKey) -> Path:
        """Where the file of what a failed run did until then is, if it did anything."""
        return self.folder / FAILED / key.path

    def has_failed(self, key: RunKey) -> bool:
        """Whether the run is recorded as failed."""
        return self._failure_path(key).exists()

    def write_failure(
        self, key: RunKey, error: str, traceback: str, content: bytes | None = None
    ) -> None:
        """Record that the run ended with an exception; `content` is the run until then, encoded."""
        path = self._failure_path(key)
        facts = {
            "format": "rdex-failure",
            "version": VERSION,
            **key._asdict(),
            "error": error,
            "traceback": traceback,
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        with writing(self.folder):
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as stream:
                stream.write(json.dumps(facts, indent=2).encode())
            if content is None:
                self.failed_run_path(key).unlink(missing_ok=True)
                return
            with atomic_write(self.failed_run_path(key)) as stream:
                stream.write(content)

    def failures(self) -> list[Failure]:
        """All runs recorded as failed, in the order of their files."""
        found = []
        for path in sorted((self.folder / FAILED).rglob("*.json")):
            try:
                row = json.loads(path.read_text(encoding="utf-8"))
                found.append(Failure(*(row[name] for name in Failure._fields)))
            except (OSError, ValueError, KeyError, TypeError):
                log.warning("%s is not the record of a failed run", path)
        return found


class writing:
    """Turn errors of the file system into a StoreError that says what is safe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, OSError):
            raise StoreError(
                f"cannot write to {self.folder}: {error.strerror or error}. All finished runs are "
                "whole; when there is room, the same command goes on where it stopped"
            ) from error


def differences(there: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    """Lines that say where two plans differ."""
    lines = []
    for name in sorted(set(there) | set(asked)):
        before, now = there.get(name), asked.get(name)
        if before == now:
            continue
        if isinstance(before, dict) and isinstance(now, dict):
            lines += [f"{name}, {line}" for line in differences(before, now)]
        elif isinstance(before, list) and isinstance(now, list):
            gone = [str(each) for each in before if each not in now]
            new = [str(each) for each in now if each not in before]
            parts = [f"without {', '.join(gone)}"] if gone else []
            parts += [f"also {', '.join(new)}"] if new else []
            lines.append(f"{name}: {'; '.join(parts) or 'in another order'}")
        else:
            lines.append(f"{name}: {_shown(before)} → {_shown(now)}")
    return lines


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "as now described" if value else "{}"
    return "nothing" if value is None else str(value)


def is_extension(there: dict[str, Any], asked: dict[str, Any]) -> bool:
    """Whether a plan has all runs of another, and perhaps more."""
    growing = {"algorithms", "problems", "runs"}
    if any(there.get(name) != asked.get(name) for name in (set(there) | set(asked)) - growing):
        return False
    return (
        all(asked["algorithms"].get(name) == each for name, each in there["algorithms"].items())
        and all(asked["problems"].get(name) == each for name, each in there["problems"].items())
        and asked["runs"] >= there["runs"]
    )


def _text(content: dict[str, Any]) -> bytes:
    """The manifest as JSON, its format first."""
    head = {"format": FORMAT, "version": VERSION}
    made = {"created": datetime.now(UTC).isoformat(timespec="seconds")}
    return (json.dumps({**head, **made, **content}, indent=2, ensure_ascii=False) + "\n").encode()
