"""Record two short whole runs in engine_runs.json: `python tests/golden/make_engine_runs.py`.

Run it only when the order of draws or the method itself is meant to change; say why in the commit.
Both problems are shifted and not rotated: a rotation comes from a QR factorisation, whose last bits
depend on the processor.
"""

import json
import sys
from pathlib import Path

from rdex.engine.engine import Engine
from rdex.engine.presets import preset
from rdex.suites import get

HERE = Path(__file__).resolve().parent
RUNS = [
    {"problem": "cec2017/C01/d10/2017/1", "algorithm": "rdex-csop", "seed": 1, "maxfev": 3000},
    {"problem": "cec2017/C04/d10/2017/1", "algorithm": "rde26", "seed": 2, "maxfev": 3000},
]


def record(problem: str, algorithm: str, seed: int, maxfev: int) -> dict:
    """Whatever pins the run down: words, best, samples of the trace, memories."""
    engine = Engine(get(problem), preset(algorithm), maxfev, seed, checkpoints=10)
    engine.run()
    state = engine.state
    return {
        "random": [f"{int(word):016x}" for word in state.random],
        "best_f": float(engine.best.f).hex(),
        "best_phi": float(engine.best.phi).hex(),
        "best_x": [float(value).hex() for value in engine.best.x],
        "trace_f": [float(value).hex() for value in state.trace.f],
        "trace_phi": [float(value).hex() for value in state.trace.phi],
        "memory": [[float(value).hex() for value in row] for row in state.memory],
        "n": engine.n,
        "generation": engine.generation,
        "failed": engine.n_failed,
    }


def main() -> None:
    runs = [{**run, "expected": record(**run)} for run in RUNS]
    text = json.dumps({"format": "rdex-golden-runs", "version": 1, "runs": runs}, indent=1)
    (HERE / "engine_runs.json").write_text(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
