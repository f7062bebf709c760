"""The example script: parts of a plan, made one by one into a shared folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("joblib")

from commands import rows

import rdex.campaign

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "array_job.sh"

PLAN = """
algorithms = ["rdex-csop"]
suite = "g2006"
problems = "6,8"
runs = 2
maxfev = 2000
checkpoints = 20
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="no shell")
def test_parts_make_the_whole(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    # The command of this installation, wherever its scripts are.
    command = tmp_path / "rdex"
    command.write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "from rdex.cli import main; main()" "$@"\n'
    )
    command.chmod(0o755)
    shared = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    for numbers in ({"SHARD": "1", "SHARDS": "2"},
                    {"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "2"}):  # fmt: skip
        subprocess.run(
            ["sh", str(SCRIPT), str(tmp_path / "out"), str(plan)],
            env={**shared, **numbers}, check=True, capture_output=True,
        )  # fmt: skip
    words = {"algorithms": "rdex-csop", "suite": "g2006", "problems": "6,8", "runs": 2,
             "maxfev": 2000, "checkpoints": 20}  # fmt: skip
    rdex.campaign.run(tmp_path / "whole", **words)
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")


def test_the_script_asks_for_its_part(tmp_path):
    left = {name: value for name, value in os.environ.items() if not name.startswith("S")}
    result = subprocess.run(
        ["sh", str(SCRIPT), "out", "plan.toml"], env=left, capture_output=True, text=True
    )
    assert result.returncode != 0
    assert "SHARD" in result.stderr
