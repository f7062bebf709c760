"""Missing extras say what installs them; files are whole or absent; the cache folder."""

import logging
import os
import sys
from pathlib import Path

import pytest

from rdex.common import compiling, folders
from rdex.common.extras import MissingExtraError, require
from rdex.common.files import atomic_write


def test_a_missing_module_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r'"pyarrow".*pip install "rdex\[bench\]"'):
        require("pyarrow", "bench")


def test_a_missing_submodule_of_a_missing_package_names_the_package():
    with pytest.raises(MissingExtraError, match=r'"no_such_thing".*pip install "rdex\[peers\]"'):
        require("no_such_thing.inner", "peers")


def test_an_error_inside_the_module_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "half_installed.py").write_text("import what_it_needs_itself\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="what_it_needs_itself") as caught:
        require("half_installed", "bench")
    assert not isinstance(caught.value, MissingExtraError)


def test_a_file_appears_whole(tmp_path):
    path = tmp_path / "run.bin"
    with atomic_write(path) as stream:
        stream.write(b"abc")
        assert not path.exists()
    assert path.read_bytes() == b"abc"
    assert os.listdir(tmp_path) == ["run.bin"]


def test_an_error_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "run.bin"
    path.write_bytes(b"old")

    def fail():
        with atomic_write(path) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["run.bin"]


def test_cache_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path / "mine"))
    assert folders.cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("RDEX_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert folders.cache_folder() == tmp_path / "rdex"


@pytest.fixture
def forgetful():
    """Folders found in a test are forgotten after it."""
    yield
    compiling.cache_for.cache_clear()


def test_kernels_are_cached_under_the_hash_of_their_sources(monkeypatch, tmp_path, forgetful):
    monkeypatch.setenv("RDEX_CACHE_DIR", str(tmp_path))
    compiling.cache_for.cache_clear()
    path = Path(folders.__file__)
    expected = tmp_path / "kernels" / compiling.source_hash(path)
    assert Path(compiling.cache_for(path)) == expected
    assert expected.is_dir()


def test_a_folder_that_cannot_be_written_is_replaced_with_a_word(
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
