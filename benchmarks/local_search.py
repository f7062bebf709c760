"""Local search inside the budget: its picture, its cost, and what it does on CEC 2017.

python benchmarks/local_search.py picture [--out docs/data/local-search.png]
python benchmarks/local_search.py overhead [--seconds 1e-4]
python benchmarks/local_search.py busy [--seconds 0.05]
python benchmarks/local_search.py cec [--dim 10] [--per-dim 2000] [--instances 1,2,3] [--seeds 3]
    [--base rdex-csop] [--csv docs/data/local-cec2017.csv]
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rank_sum import rank_sum
from statsmodels.stats.multitest import multipletests

from rdex import Problem, minimize
from rdex.suites import get

#: Differences of f below this are ties.
TIE = 1e-8


# --- picture --------------------------------------------------------------------------------------
def curved(x: np.ndarray) -> tuple[float, Any, Any]:
    """A curved constraint that the optimum lies on."""
    f = (x[0] - 2.0) ** 2 + 0.6 * (x[1] - 1.5) ** 2 + 1.5 * np.cos(2.0 * x[0])
    return float(f), [float(x[0] ** 2 + 0.3 * np.sin(3 * x[1]) + x[1] - 1.6)], []


def draw(path: Path) -> None:
    """First population, local searches and constraint of one short run."""
    from matplotlib import pyplot as plt

    from rdex.strategies.hybrid import Hybrid

    runs: list[list[np.ndarray]] = []
    members: list[np.ndarray] = []
    begin, take = Hybrid._start_from, Hybrid.take

    def noted_begin(self: Hybrid, start: Any) -> None:
        if not members:
            members.append(self._engine.population().x.copy())
        runs.append([start.x])
        begin(self, start)

    def noted_take(self: Hybrid, part: str, id: int, sample: Any) -> None:
        if part == "local search":
            runs[-1].append(sample.x)
        take(self, part, id, sample)

    Hybrid._start_from, Hybrid.take = noted_begin, noted_take  # type: ignore[method-assign]
    try:
        problem = Problem.from_function(curved, [(-2.5, 2.5), (-2, 3)], n_ineq=1)
        result = minimize(problem, maxfev=200, rng=5, algorithm="rdex-csop+local")
    finally:
        Hybrid._start_from, Hybrid.take = begin, take  # type: ignore[method-assign]
    u, v = np.meshgrid(np.linspace(-2.5, 2.5, 300), np.linspace(-2, 3, 300))
    values = [curved(np.array(point)) for point in zip(u.ravel(), v.ravel(), strict=True)]
    f = np.array([value[0] for value in values]).reshape(u.shape)
    g = np.array([value[1][0] for value in values]).reshape(u.shape)
    figure, axes = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
    axes.contour(u, v, f, levels=18, colors="0.8", linewidths=0.8)
    axes.contourf(u, v, g, levels=[0, 99], colors=["#d62728"], alpha=0.12)
    axes.contour(u, v, g, levels=[0], colors="#d62728")
    axes.plot(*members[0].T, "o", color="0.45", markersize=3.5, label="first population")
    for k, run in enumerate(runs[:3]):
        far = [run[0], *(b for a, b in pairwise(run)
                         if np.abs(b - a).max() > 1e-4)]  # fmt: skip
        axes.plot(*np.array(far).T, ".-", color="#1f77b4", linewidth=1.2,
                  label="local searches" if not k else None)  # fmt: skip
    axes.plot(*result.x, "*", color="#2ca02c", markersize=14, label="answer")
    axes.set(xlabel="x1", ylabel="x2", title="red: infeasible; grey lines: objective")
    axes.legend(loc="upper left")
    figure.savefig(path, dpi=130)
    print(f"{path}: f = {result.fun:.6g} after {result.nfev} evaluations; {result.phases}")


# --- overhead -------------------------------------------------------------------------------------
def waiting(seconds: float) -> Any:
    """A function of two variables that takes some time."""

    def function(x: np.ndarray) -> tuple[float, Any, Any]:
        until = time.process_time() + seconds
        while time.process_time() < until:
            pass
        return float(x @ x), [float(1.0 - x[0] - x[1])], []

    return function


def show_overhead(seconds: float) -> None:
    """CPU time per evaluation of the hybrid, beside its evolution alone; compiled before."""
    os.environ["RDEX_COMPILE"] = "wait"
    times = {}
    for name in ("rdex-csop", "rdex-csop+local"):
        problem = Problem.from_function(waiting(seconds), [(-5, 5)] * 5, n_ineq=1)
        minimize(problem, maxfev=300, rng=0, algorithm=name)  # compiled code is loaded
        start = time.process_time()
        result = minimize(problem, maxfev=5000, rng=1, algorithm=name)
        times[name] = (time.process_time() - start) / result.nfev
        print(f"{name:20}{1e6 * times[name]:10.1f} µs per evaluation  {result.phases}")
    print(f"ratio {times['rdex-csop+local'] / times['rdex-csop']:.3f}")


def sleeping(seconds: float) -> Any:
    """A simulator of ten variables that computes elsewhere."""

    def function(x: np.ndarray) -> tuple[float, Any, Any]:
        time.sleep(seconds)
        return float(x @ x), [float(1.0 - x[0] * x[1])], []

    return function


def show_busy(seconds: float) -> None:
    """Share of their time that 4 workers spend in the function, the start of processes included."""
    problem = Problem.from_function(sleeping(seconds), [(-5, 5)] * 10, n_ineq=1)
    for name in ("rdex-csop", "rdex-csop+local"):
        for maxfev in (800, 2000):
            result = minimize(problem, algorithm=name, workers=4, updating="async", maxfev=maxfev,
                              rng=1)  # fmt: skip
            print(f"{name:20}{maxfev:6} evaluations: busy {result.workers_busy:.3f}")


# --- CEC 2017 -------------------------------------------------------------------------------------
class Ends(NamedTuple):
    """(violation, f) of all runs of one problem, alone and with local search, and its share."""

    id: str
    plain: list[tuple[float, float]]
    local: list[tuple[float, float]]
    share: float


def run_all(id: str, maxfev: int, seeds: int, base: str) -> Ends:
    """All runs of one problem."""
    problem, spent = get(id), 0
    ends: dict[str, list[tuple[float, float]]] = {base: [], f"{base}+local": []}
    for name, found in ends.items():
        for seed in range(seeds):
            result = minimize(problem, maxfev=maxfev, rng=seed, algorithm=name, checkpoints=1)
            found.append((result.cv, result.fun))
            spent += sum(phase.nfev for phase in result.phases if phase.name == "local search")
    return Ends(id, *ends.values(), spent / (seeds * maxfev))


def compare(ends: Ends) -> tuple[float, bool]:
    """p of the rank-sum test on (violation, f), and whether local search has the lower ranks."""
    plain, local = ([(violation, round(f / TIE)) for violation, f in runs] for runs in ends[1:3])
    return rank_sum(local, plain)


def show_cec(options: argparse.Namespace) -> None:
    """Problems on which local search is better or worse, after Holm's correction per instance."""
    rows = []
    for instance in options.instances.split(","):
        ids = [f"cec2017/C{k:02d}/d{options.dim}/2017/{instance}" for k in range(1, 29)]
        maxfev = options.per_dim * options.dim
        ends = [run_all(id, maxfev, options.seeds, options.base) for id in ids]
        tests = [compare(each) for each in ends]
        is_significant = multipletests([p for p, _ in tests], 0.05, "holm")[0]
        counts = {"better": 0, "equal": 0, "worse": 0}
        for each, (p, is_lower), is_clear in zip(ends, tests, is_significant, strict=True):
            verdict = ("better" if is_lower else "worse") if is_clear else "equal"
            counts[verdict] += 1
            middle = [sorted(runs)[(options.seeds - 1) // 2] for runs in each[1:3]]
            rows.append([each.id, maxfev, options.seeds, *middle[0], *middle[1],
                         f"{each.share:.3f}", f"{p:.4f}", verdict])  # fmt: skip
        print(f"instance {instance}: {options.base}+local against {options.base}: {counts}")
    if options.csv is not None:
        with options.csv.open("w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["problem", "maxfev", "seeds", "violation", "f", "violation+local",
                             "f+local", "local share", "p", "verdict"])  # fmt: skip
            writer.writerows(rows)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("picture", "overhead", "busy", "cec"))
    parser.add_argument("--out", type=Path, default=Path("docs/data/local-search.png"))
    parser.add_argument("--seconds", type=float, help="of an evaluation")
    parser.add_argument("--dim", type=int, default=10)
    parser.add_argument("--per-dim", type=int, default=2000)
    parser.add_argument("--instances", default="1,2,3")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--base", default="rdex-csop")
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    if options.what == "picture":
        draw(options.out)
    elif options.what == "overhead":
        show_overhead(options.seconds or 1e-4)
    elif options.what == "busy":
        show_busy(options.seconds or 0.05)
    else:
        show_cec(options)


if __name__ == "__main__":
    main()
