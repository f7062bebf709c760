"""The built site; and what the tests import: the makers of the documentation, a browser."""

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "scripts"), str(PROJECT / "tests" / "report")]


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    """The folder of the site, built strictly, and what was said while it was built."""
    for package in ("mkdocs", "material", "mkdocstrings", "latex2mathml"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=PROJECT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return folder, run.stderr


@pytest.fixture(scope="session")
def site(build):
    return build[0]
