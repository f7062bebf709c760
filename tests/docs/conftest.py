"""Lets the tests import what makes the documentation, and the browser of the report's tests."""

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "scripts"), str(PROJECT / "tests" / "report")]
