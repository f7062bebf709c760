"""Lets tests import the small problems beside them, in this process and in others."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
