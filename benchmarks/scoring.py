"""How long scoring takes, and how much memory: both scores, all tests, warm.

    python benchmarks/scoring.py [--algorithms 8 50] [--checkpoints 2001]

Every field runs in a process of its own, so that peaks of memory are its own. The first column of
times holds imports and compilation; the target is the second: 8 algorithms in under 3 s, 1 GB.
"""

import argparse
import multiprocessing
import resource
import sys
import time

import numpy as np

from rdex.scoring import (
    Trials,
    attainment,
    bootstrap,
    leave_one_out,
    pairwise_score,
    score_trials,
    summary,
)


def made_up_field(algorithms, problems, runs, checkpoints, seed=0):
    """Traces that fall in steps, become feasible on the way or never, and have ties."""
    rng = np.random.default_rng(seed)
    shape = algorithms, problems, runs, checkpoints
    f, v = np.empty(shape), np.empty(shape)
    falling = np.geomspace(1e4, 1e-6, checkpoints)
    for a in range(algorithms):
        pace = rng.uniform(0.3, 1.0, (problems, runs, 1)) * (0.7 + 0.3 * a / algorithms)
        f[a] = np.round(falling**pace, 4) + rng.integers(0, 3, (problems, runs, 1))
        start = rng.integers(0, checkpoints * 5 // 4, (problems, runs, 1))
        v[a] = np.where(np.arange(checkpoints) < start, f[a] + 1.0, 0.0)
    return Trials.from_arrays(f, v, maxfev=600000)


def timed(label, call, warm=True):
    """Print the first and, if asked, a second time of a call, in seconds."""
    times = []
    for _ in range(2 if warm else 1):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    print(f"  {label:<42}" + "".join(f"{t:9.2f}" for t in times), flush=True)
    return times[-1]


def peak_memory():
    """Largest memory of this process so far, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def measure(algorithms, checkpoints):
    """Score one field in every way."""
    trials = made_up_field(algorithms, 28, 25, checkpoints)
    size = (trials.f.nbytes + trials.v.nbytes) / 1e6
    print(
        f"{algorithms} algorithms x 28 problems x 25 runs x {checkpoints}: {size:.0f} MB of traces"
    )
    print(f"  {'':<42}{'first s':>9}{'warm s':>9}")
    total = timed("pairwise score", lambda: pairwise_score(trials.f, trials.v, 1e-8))
    timed("target score", lambda: score_trials(trials))
    total += timed("target score, indicators, all tests", lambda: summary(trials))
    print(f"  {'both forms and all tests, warm':<51}{total:9.2f}")
    print(f"  peak memory {peak_memory():.0f} MB")
    timed("attainment of 12 targets", lambda: attainment(trials), warm=False)
    timed("leave one out, target form", lambda: leave_one_out(trials), warm=False)
    timed("bootstrap, target form, 200 resamples",
          lambda: bootstrap(trials, n_resamples=200), warm=False)  # fmt: skip
    timed("bootstrap, pairwise form, 200 resamples",
          lambda: bootstrap(trials, "pairwise", n_resamples=200), warm=False)  # fmt: skip
    print(f"  peak memory {peak_memory():.0f} MB\n", flush=True)


def main():
    """Measure every field asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithms", type=int, nargs="+", default=[8, 50])
    parser.add_argument("--checkpoints", type=int, default=2001)
    arguments = parser.parse_args()
    for algorithms in arguments.algorithms:
        context = multiprocessing.get_context("spawn")
        process = context.Process(target=measure, args=(algorithms, arguments.checkpoints))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(f"measuring {algorithms} algorithms failed")


if __name__ == "__main__":
    main()
