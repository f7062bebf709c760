"""Missing extras say what installs them; files are whole or absent; the cache folder."""

import os
import sys

import pytest

from rdex.common import folders
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


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_who_may_read_a_file_is_for_the_umask_to_say(tmp_path):
    """Reports, checkpoints and tables are written this way; they were for their owner alone."""
    before = os.umask(0o027)
    try:
        with atomic_write(tmp_path / "report.html") as stream:
            stream.write(b"abc")
    finally:
        os.umask(before)
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o640


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
