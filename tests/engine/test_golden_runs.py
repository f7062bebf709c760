"""Two short whole runs, bit for bit as they were recorded."""

import json
import platform
import sys
from pathlib import Path

import pytest
from runs import quiet

pytestmark = [
    quiet,
    pytest.mark.compiled,
    pytest.mark.skipif(
        (sys.platform, platform.machine()) != ("linux", "x86_64"),
        reason="recorded on Linux on x86-64; other mathematical libraries may round otherwise",
    ),
]

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
RUNS = json.loads((GOLDEN / "engine_runs.json").read_text())["runs"]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['algorithm']}-{run['problem']}")
def test_recorded_run(run, monkeypatch):
    monkeypatch.syspath_prepend(GOLDEN)
    monkeypatch.delitem(sys.modules, "make_engine_runs", raising=False)
    from make_engine_runs import record

    arguments = {key: value for key, value in run.items() if key != "expected"}
    assert record(**arguments) == run["expected"]
