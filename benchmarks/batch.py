"""What batches cost: one trial at a time against the default batch and the largest one.

    python benchmarks/batch.py [--dim 30] [--runs 9] [--csv FILE]

28 problems, 20000 D evaluations, generated instance 1, so that nothing is tuned on the
official one. Time-to-target and final quality against batch 1: median ratio, A12, Holm.
"""

import argparse
import csv
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from rdex.scoring import Trials, compare, indicators, target_score

#: Rows drawn from one state; 0 is the default rule, the others are cut to half a generation.
BATCHES = {"1": 1, "default": 0, "32": 32, "half": 1000}


def runs(number: int, dim: int, n_runs: int) -> np.ndarray:
    """Traces (2, batch, run, checkpoint) of f and v on one problem."""
    from rdex.engine.engine import Engine
    from rdex.engine.presets import preset
    from rdex.suites.cec2017 import problem

    task = problem(number, dim)
    traces = []
    for batch in BATCHES.values():
        for seed in range(n_runs):
            engine = Engine(task, preset("rdex-csop"), 20_000 * dim, seed, capacity=1002)
            engine.run(batch=batch)
            traces.append((engine.state.trace.f[1:], engine.state.trace.phi[1:]))
    return np.swapaxes(traces, 0, 1).reshape(2, len(BATCHES), n_runs, -1)


def main() -> None:
    """Run and print one line per problem."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dim", type=int, default=30)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--csv", type=Path)
    arguments = parser.parse_args()
    numbers = range(1, 29)
    with ProcessPoolExecutor(arguments.workers, mp_context=get_context("spawn")) as pool:
        one = partial(runs, dim=arguments.dim, n_runs=arguments.runs)
        f, v = np.array(list(pool.map(one, numbers))).transpose(1, 2, 0, 3, 4)
    names = [f"C{number:02d}" for number in numbers]
    trials = Trials.from_arrays(
        f, v, maxfev=20_000 * arguments.dim, algorithms=list(BATCHES), problems=names
    )
    measured = indicators(trials)
    quality, time = compare(measured.quality), compare(measured.time_to_target)
    rows = []
    for p, name in enumerate(names):
        row = {"problem": name}
        for b, label in enumerate(list(BATCHES)[1:]):
            median = np.median(measured.time_to_target[:, p], axis=1)
            row |= {
                f"TTT {label}/1": median[b + 1] / median[0],
                f"TTT Holm {label}": time.p_holm[b, p],
                f"Q Holm {label}": quality.p_holm[b, p],
                f"Q A12 {label}": quality.a12[b, p],
            }
        rows.append(row)
        print("  ".join(f"{k} {x:.3f}" if k != "problem" else x for k, x in row.items()))
    for b, label in enumerate(list(BATCHES)[1:]):
        ratio = [row[f"TTT {label}/1"] for row in rows]
        print(
            f"{label}: geometric mean of median TTT against batch 1: "
            f"{np.exp(np.mean(np.log(ratio))):.3f}; W/T/L of batch 1 after Holm: "
            f"quality {quality.win_tie_loss_holm[b]}, time {time.win_tie_loss_holm[b]}"
        )
    total = target_score(f, v).total
    print("U-score:", ", ".join(f"{n} {x:.0f}" for n, x in zip(BATCHES, total, strict=True)))
    if arguments.csv:
        with arguments.csv.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
