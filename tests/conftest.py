"""What all tests share: where reference data are, and how Hypothesis draws its examples."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples every time; compiling may take longer than the usual deadline.
settings.register_profile("rdex", deadline=None, derandomize=True, database=None)
settings.load_profile("rdex")

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def reference_dir() -> Path:
    """The folder of reference data; tests that need it are skipped where it is absent."""
    default = PROJECT.parent / "shared" / "reference"
    folder = Path(os.environ.get("RDEX_REFERENCE_DIR") or default)
    if not folder.is_dir():
        pytest.skip(f"no reference data at {folder}: set RDEX_REFERENCE_DIR")
    return folder
