"""What the engine costs beyond the evaluations: one run, ratios inside it.

    python benchmarks/engine.py [--quick]
    python benchmarks/engine.py --against rdex-tide    its overhead beside that of rdex-csop

Bare evaluation = the same number of calls of the compiled problem, in a compiled loop, at points
that a run evaluates: its latest trials at 300 moments. (Not members of its front: what survives
costs up to a third less, because sines and powers of small numbers are cheaper.) Best of five,
alternating.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from rdex.engine.engine import Engine
from rdex.engine.presets import preset
from rdex.jit.loading import load
from rdex.suites.cec2017 import problem

#: Geometric mean over the 28 problems of the released C++ program, seconds per run of 600 000
#: evaluations, on a shared machine of this kind: under load and quiet (reference/README.md).
RELEASED_LOADED, RELEASED_QUIET = 3.5, 2.8


def visited(task, settings, maxfev):
    """The trials a run has latest evaluated at 300 moments, repeated to 20 000 rows."""
    engine = Engine(task, settings, maxfev, 99)
    rows = []
    for k in range(1, 301):
        engine.run(k * maxfev // 300)
        pending = len(engine.state.pending)
        rows.append(engine.state.members.x[-1 - pending : -1, : task.dim].copy())
    points = np.concatenate(rows)
    return np.ascontiguousarray(np.tile(points, (20_000 // len(points) + 1, 1))[:20_000])


def measure(task, settings, maxfev, repeats=5):
    """Best seconds per evaluation: bare, and in a run."""
    points = visited(task, settings, maxfev)
    n = len(points)
    compiled = task.compiled
    evaluate_rows = load("rdex.problem.kernels:evaluate_rows")
    f, g, h = np.empty(n), np.empty((n, task.n_ineq)), np.empty((n, task.n_eq))
    work = np.empty(compiled.n_work)
    bare, whole = [], []
    for seed in range(repeats):
        start = time.perf_counter()
        for _ in range(max(1, maxfev // n)):
            evaluate_rows(compiled.function, points, compiled.data, work, f, g, h)
        bare.append((time.perf_counter() - start) / (max(1, maxfev // n) * n))
        engine = Engine(task, settings, maxfev, seed)
        start = time.perf_counter()
        engine.run()
        whole.append((time.perf_counter() - start) / maxfev)
    return min(bare), min(whole)


def suite_table(settings, maxfev, numbers):
    """The 28 problems at D = 30."""
    print(f"{settings.name}, D = 30, {maxfev} evaluations")
    print("problem   bare ns   overhead ns   run s   run/bare")
    ratios, overheads, seconds = [], [], []
    for number in numbers:
        bare, whole = measure(problem(number, 30), settings, maxfev)
        ratios.append(whole / bare)
        overheads.append(whole - bare)
        seconds.append(whole * 600_000)
        print(
            f"C{number:02d}     {bare * 1e9:9.0f} {(whole - bare) * 1e9:12.0f}"
            f" {seconds[-1]:9.3f} {ratios[-1]:8.2f}",
            flush=True,
        )
    mean = float(np.exp(np.mean(np.log(seconds))))
    print(f"geometric mean of run/bare: {np.exp(np.mean(np.log(ratios))):.2f}")
    print(
        f"overhead per evaluation: mean {np.mean(overheads) * 1e9:.0f} ns, "
        f"median {np.median(overheads) * 1e9:.0f} ns, largest {max(overheads) * 1e9:.0f} ns"
    )
    print(
        f"geometric mean of a competition run: {mean:.3f} s; derived factor against the released "
        f"program: {RELEASED_QUIET / mean:.1f} (its quiet time) to {RELEASED_LOADED / mean:.1f} "
        "(its time under load)"
    )


def against(settings, other, maxfev, numbers):
    """Overheads of two presets, problem by problem in turn."""
    print(f"overhead in ns: {settings.name}, {other.name}")
    both = []
    for number in numbers:
        task = problem(number, 30)
        bare_whole = [measure(task, each, maxfev, repeats=3) for each in (settings, other)]
        both.append([whole - bare for bare, whole in bare_whole])
        print(f"C{number:02d} {both[-1][0] * 1e9:8.0f} {both[-1][1] * 1e9:8.0f}", flush=True)
    first, second = np.mean(both, axis=0)
    print(f"mean {first * 1e9:.0f} and {second * 1e9:.0f} ns: {second / first:.2f} times")


def scaling(settings):
    """Cost per evaluation against D and N0."""
    print("\nC01, generated instance: cost per evaluation")
    for dim in (10, 30, 50, 100):
        bare, whole = measure(problem(1, dim), settings.replace(n0=300), 200_000)
        print(f"D = {dim:3d}, N0 = 300: bare {bare * 1e9:5.0f} ns, run {whole * 1e9:5.0f} ns, "
              f"overhead per variable {(whole - bare) / dim * 1e9:.1f} ns")  # fmt: skip
    costs = {}
    for n0 in (300, 3000):
        _bare, costs[n0] = measure(problem(1, 30), settings.replace(n0=n0), 600_000)
        print(f"D =  30, N0 = {n0}: run {costs[n0] * 1e9:.0f} ns")
    print(f"N0 = 3000 against 300: {costs[3000] / costs[300]:.2f}x")


START = """
import time, os
start = float(os.environ["RDEX_BENCH_START"])
from rdex.engine.engine import Engine
from rdex.engine.presets import preset
from rdex.suites.cec2017 import problem
task = problem(1, 30)
engine = Engine(task, preset("rdex-csop"), 600000, 1)
engine.run(1)
print(time.time() - start)
"""


def startup():
    """Seconds from starting Python to the first compiled evaluation, cold and warm."""
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for _ in range(4):
            environment = os.environ | {
                "RDEX_CACHE_DIR": folder,
                "RDEX_COMPILE": "wait",
                "RDEX_BENCH_START": str(time.time()),
            }
            answer = subprocess.run(
                [sys.executable, "-c", START], env=environment, capture_output=True, check=True
            )
            times.append(float(answer.stdout))
    print(f"\nfirst compiled evaluation after starting Python: {times[0]:.1f} s with an empty "
          f"cache, {min(times[1:]):.2f} s with a warm one")  # fmt: skip


def main():
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="six problems, smaller budgets")
    parser.add_argument("--algorithm", default="rdex-csop")
    parser.add_argument("--against", help="only the overhead of this preset beside it")
    arguments = parser.parse_args()
    settings = preset(arguments.algorithm)
    if arguments.against:
        against(settings, preset(arguments.against), 300_000, range(1, 29))
        return
    startup()
    if arguments.quick:
        suite_table(settings, 100_000, (1, 5, 8, 13, 22, 28))
    else:
        suite_table(settings, 600_000, range(1, 29))
        scaling(settings)


if __name__ == "__main__":
    main()
