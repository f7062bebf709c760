"""The script that measures the start runs the ten lines of the README."""

import re
import runpy
from pathlib import Path

from pages import blocks

PROJECT = Path(__file__).resolve().parents[2]


def test_start_measures_the_ten_lines_of_the_readme():
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    ten = next(block.body for block in blocks(text) if block.language == "python")
    measured = runpy.run_path(str(PROJECT / "benchmarks" / "start.py"))["README"]
    clocked = re.sub(r"^    (lambda .*),$", r"    clocked(\1),", ten, count=1, flags=re.MULTILINE)
    assert clocked.strip() == measured.strip() + "\nprint(result)"
    assert "scipy" not in ten
