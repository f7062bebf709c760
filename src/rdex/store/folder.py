"""`Store`: the folder of a campaign. Files are whole or absent, and never deleted, only set aside.

Any number of processes may use one folder at a time: a run is written under a temporary name and
renamed, and whoever computes a run that is already there has computed the same bits.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import time
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from rdex.common.errors import RunFileError, StoreError
from rdex.common.files import atomic_write, locked
from rdex.store.plan_difference import (
    PlanDifference,
    advice,
    changed_algorithms,
    differences,
    is_extension,
    with_algorithms_of,
)
from rdex.store.runkey import RunKey, slug
from rdex.store.schema import check_key, read_row

MANIFEST = "_manifest.json"
LOCK = ".manifest.lock"
FAILED = "_failed"
SET_ASIDE = "_set_aside"
SOURCES = "_sources"

FORMAT = "rdex-campaign"
VERSION = 1

#: Seconds after which an unfinished temporary file belongs to no living process.
STALE = 3600.0

log = logging.getLogger("rdex.store")


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

    # --- texts of algorithms --------------------------------------------------------------------
    def keep_sources(self, texts: Iterable[str]) -> None:
        """Keep the text of algorithms of one's own, for reports; each under its digest."""
        for text in texts:
            path = self.folder / SOURCES / f"{hashlib.sha256(text.encode()).hexdigest()}.py"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                with atomic_write(path) as stream:
                    stream.write(text.encode())

    def sources(self) -> dict[str, str]:
        """Digest -> text."""
        kept = sorted((self.folder / SOURCES).glob("*.py"))
        return {path.stem: path.read_text(encoding="utf-8") for path in kept}

    # --- the manifest ---------------------------------------------------------------------------
    def manifest(self) -> dict[str, Any] | None:
        """What the manifest says; None where there is none. StoreError where it is damaged."""
        path = self.folder / MANIFEST
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
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
        if not is_manifest(content):
            raise StoreError(f"{path} lacks parts of a manifest, or has others in their place")
        return content

    def open(
        self,
        plan: dict[str, Any],
        versions: dict[str, str],
        extend: bool = False,
        replace: Collection[str] = (),
    ) -> None:
        """Begin the campaign `plan` in this folder, or go on with it.

        An algorithm that has changed is taken as it is now where no run of it is stored. Stored
        runs of the algorithms `replace` are set aside.

        Raises
        ------
        PlanDifference
            Where the folder belongs to another plan. With `extend`, a plan that has more
            algorithms, problems or runs and is else the same takes the place of the old one.
        StoreError
            Where the folder holds other things.
        """
        unknown = sorted(set(replace) - set(plan["algorithms"]))
        if unknown:
            raise ValueError(f"replace: {unknown[0]!r} is no algorithm of the plan")
        begun = {"plan": plan, "versions": versions}
        with self._changing_manifest() as there:
            taken = sorted(set(plan["algorithms"]) & set(there["imported"]))
            if taken:
                raise StoreError(f"{self.folder} holds imported runs of {', '.join(taken)}")
            if there["plan"] is None:
                self._write_manifest({**there, **begun})
                return
            self._adopt(there, plan, extend, set(replace))
        for name, version in versions.items():
            before = there["versions"].get(name)
            if before != version:
                log.warning(
                    "%s was begun with %s %s, this is %s: runs may differ in their last bits",
                    self.folder, name, before, version,
                )  # fmt: skip

    def _adopt(
        self, there: dict[str, Any], plan: dict[str, Any], extend: bool, replace: set[str]
    ) -> None:
        """Let a plan take the place of the one that is there, or raise a PlanDifference."""
        changed = changed_algorithms(there["plan"], plan)
        free = [name for name in changed if name in replace or not self._has_runs(name)]
        merged = with_algorithms_of(there["plan"], plan, free)
        lines = differences(merged, plan)
        if lines and not (extend and is_extension(merged, plan)):
            raise PlanDifference(self.folder, lines, advice(merged, plan))
        for name in {*free, *replace}:
            self._forget(name)
        if plan != there["plan"]:
            self._write_manifest({**there, "plan": plan})

    def _has_runs(self, algorithm: str) -> bool:
        """Whether a run of the algorithm is stored, a failed one not counting."""
        return any((self.folder / slug(algorithm)).glob("*/run-*.parquet"))

    def _forget(self, algorithm: str) -> None:
        """Set all runs of an algorithm aside, failed ones too."""
        count = 0
        for place in (self.folder, self.folder / FAILED):
            for path in sorted((place / slug(algorithm)).glob("*/run-*.*")):
                self._set_aside(path)
                count += 1
        if count:
            log.warning("set aside %d files of %s: they are made again", count, algorithm)

    def note_import(self, algorithm: str, facts: dict[str, Any]) -> None:
        """Write into the manifest that runs of `algorithm` come from elsewhere."""
        with self._changing_manifest() as there:
            if there["plan"] is not None and algorithm in there["plan"]["algorithms"]:
                raise StoreError(f"{algorithm} is an algorithm of the campaign in {self.folder}")
            if algorithm in there["imported"]:
                raise StoreError(f"{self.folder} already holds imported runs of {algorithm}")
            self._write_manifest({**there, "imported": {**there["imported"], algorithm: facts}})

    @contextlib.contextmanager
    def _changing_manifest(self) -> Iterator[dict[str, Any]]:
        """The manifest, a new one where there is none, while no other process may change it."""
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        if self.manifest() is None:
            self._refuse_strange_folder()
        with contextlib.ExitStack() as stack:
            with writing(self.folder):
                stack.enter_context(locked(self.folder / LOCK))
            yield self.manifest() or {"plan": None, "versions": {}, "imported": {}}

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

    def _set_aside(self, path: Path, reason: str = "") -> None:
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
        if reason:
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
            except (OSError, ValueError, KeyError, TypeError, RecursionError):
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


def is_manifest(content: dict[str, Any]) -> bool:
    """Whether plan, versions and imports are there and what they should be."""
    plan = content.get("plan", "")
    kinds = {"algorithms": dict, "problems": dict, "runs": int, "checkpoints": int, "rng": int}
    is_plan = plan is None or (
        isinstance(plan, dict) and all(isinstance(plan.get(n), kind) for n, kind in kinds.items())
    )
    return is_plan and all(isinstance(content.get(n), dict) for n in ("versions", "imported"))


def _text(content: dict[str, Any]) -> bytes:
    """The manifest as JSON, its format first."""
    head = {"format": FORMAT, "version": VERSION}
    made = {"created": datetime.now(UTC).isoformat(timespec="seconds")}
    return (json.dumps({**head, **made, **content}, indent=2, ensure_ascii=False) + "\n").encode()
