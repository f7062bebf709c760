"""Lets tests import the small problems beside them, in this process and in others."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

# Without the JIT the random numbers overflow as they should, and NumPy mentions it.
OVERFLOW = pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(OVERFLOW)
