"""Compiled kernels on disk: where, for how long, and what happens to damaged ones."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rdex.common import folders
from rdex.jit import cache_folders, compiling


@pytest.fixture
def forgetful():
    """Folders found in a test are forgotten after it."""
    yield
    compiling.cache_for.cache_clear()


def test_kernels_are_cached_under_the_hash_of_their_sources(monkeypatch, tmp_path, forgetful):
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path))
    compiling.cache_for.cache_clear()
    path = Path(folders.__file__)
    expected = tmp_path / "kernels" / compiling.hash_of(path)
    assert Path(compiling.cache_for(path)) == expected
    assert expected.is_dir()


def test_a_folder_that_cannot_be_written_is_replaced_with_a_warning(
    monkeypatch, tmp_path, caplog, forgetful
):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    monkeypatch.setenv("RDEX_CACHE_DIR", str(blocked))
    compiling.cache_for.cache_clear()
    with caplog.at_level(logging.WARNING, logger="rdex"):
        found = compiling.cache_for(Path(folders.__file__))
    assert Path(found).is_dir()
    assert "RDEX_CACHE_DIR" in caplog.text


def test_folders_that_nobody_used_for_a_month_are_deleted(monkeypatch, tmp_path):
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path))
    kernels = tmp_path / "kernels"
    month = time.time() - cache_folders.KEPT - 60
    for name in ("0" * 16, "1" * 16, "notes", f".deleted-{'2' * 16}"):
        (kernels / name).mkdir(parents=True)
        (kernels / name / "data.nbi").touch()
    (kernels / f"tricks-{'3' * 16}.json").touch()
    for entry in kernels.iterdir():
        if entry.name != "1" * 16:
            os.utime(entry, (month, month))
    cache_folders.usable_folder("f" * 16)
    assert sorted(os.listdir(kernels)) == ["1" * 16, "f" * 16, "notes"]


def test_a_folder_in_use_counts_as_used(monkeypatch, tmp_path):
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path))
    folder = Path(cache_folders.usable_folder("a" * 16))
    month = time.time() - cache_folders.KEPT - 60
    os.utime(folder, (month, month))
    cache_folders.usable_folder("a" * 16)
    assert time.time() - folder.stat().st_mtime < cache_folders.DAY


SMALL = """
import sys
sys.path.insert(0, {folder!r})
import small_kernels
stats = small_kernels.twice.stats
print(small_kernels.twice(4.0), sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""

KERNEL = """
from numba import types
from rdex.jit.compiling import kernel

@kernel(types.float64(types.float64))
def twice(x):
    return x + x
"""


def small_run(folder: Path, cache: Path) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", SMALL.format(folder=str(folder))],
        env=os.environ | {"RDEX_CACHE_DIR": str(cache)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return run.stdout.split()


@pytest.mark.compiled
def test_a_second_process_finds_kernels_and_a_damaged_cache_is_compiled_again(tmp_path):
    (tmp_path / "small_kernels.py").write_text(KERNEL)
    cache = tmp_path / "cache"
    assert small_run(tmp_path, cache) == ["8.0", "0", "1"]
    # Another time stamp, as after a new installation, is not another source.
    os.utime(tmp_path / "small_kernels.py", (1, 1))
    assert small_run(tmp_path, cache) == ["8.0", "1", "0"]
    files = [path for path in cache.rglob("*.nb?")]
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for path in files:
        path.write_bytes(path.read_bytes()[:40])
    assert small_run(tmp_path, cache) == ["8.0", "0", "1"]
