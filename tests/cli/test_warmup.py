"""After `rdex warmup` nothing is compiled."""

import os
import re
import subprocess
import sys

import pytest

#: Runs of every kind; prints what numba compiled beside the user's own functions.
RUNS = """
from numba.core import event
compiled = event.install_recorder("numba:compile")
with compiled as recorder:
    import numpy as np
    import rdex, rdex.campaign
    from rdex.jit.loading import load
    from rdex.suites import registry

    cons = {"type": "ineq", "fun": lambda x: np.sum(x, 0)}
    for name in ("rdex-csop", "ude-iv", "rdex-tide+local", "auto"):
        for more in ({}, {"vectorized": True}, {"updating": "async", "batch": 3}, {"batch": 4}):
            rows = "vectorized" in more
            fun = (lambda X: (X**2).sum(0)) if rows else (lambda x: float(x @ x))
            rdex.minimize(fun, [(-5, 5)] * 3, constraints=cons, maxfev=1500, rng=1,
                          algorithm=name, **more)
        for id in ("g2006/G04", "engineering/welded-beam", "cec2017/C05/d30/2017/2"):
            rdex.minimize(registry.get(id), maxfev=1500, rng=1, algorithm=name)
    for name in ("rdex-csop", "ude-iv"):
        optimizer = rdex.Optimizer([(-5, 5)] * 3, maxfev=600, rng=1, algorithm=name)
        for _ in range(100):
            x = optimizer.ask()
            optimizer.tell(x, np.sum(x**2, 1))
    rdex.campaign.run(FOLDER, algorithms=["rdex-csop", "scipy-de"], suite="g2006",
                      problems=["G04"], runs=2, maxfev=1000, workers=1)
    load("rdex.scoring.kernels:half_points")
names = [each.data["dispatcher"].__name__ for _, each in recorder.buffer if each.is_start]
print(*names)
"""


@pytest.mark.slow
@pytest.mark.compiled
def test_a_run_after_warming_up_compiles_nothing(tmp_path):
    environment = os.environ | {"RDEX_CACHE_DIR": str(tmp_path / "cache"), "RDEX_COMPILE": "wait"}
    command = [sys.executable, "-c", "from rdex.cli import main; main()", "warmup"]
    warmed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "all kernels ready" in warmed.stdout
    done, n_all = re.match(r"(\d+) of (\d+): ", warmed.stderr.strip().splitlines()[-1]).groups()
    assert done == n_all
    program = RUNS.replace("FOLDER", repr(str(tmp_path / "campaign")))
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []
