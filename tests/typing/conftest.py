"""Lets the test import the file beside it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
