"""Workers kept busy, and what asynchronous updating costs in quality.

    python benchmarks/simulator.py [--csv FILE] [--quality FILE] [--maxfev 2000] [--seeds 25]

The simulator takes log-normal times (mean 50 ms, sigma 1, so one in a hundred takes six times the
mean), dies in 2 % of all calls and hangs in 1 %, where `eval_timeout` ends it after half a second.

Busy: real runs with 2, 4 and 8 worker processes that sleep instead of computing; the share of their
time spent in the function, from the first point to the last, the start of processes included.

Quality: the same times on a virtual clock, so that nothing waits: best value after 5000
evaluations, asynchronous with as many points out as for 2, 4, 8 and 32 workers against immediate
updating, rank sums with Holm's correction. A failed evaluation gives nothing in both.
"""

from __future__ import annotations

import argparse
import csv
import heapq
import time
from pathlib import Path
from typing import Any

import numpy as np

from rdex import Problem, minimize
from rdex.engine.anyorder import AnyOrder
from rdex.engine.engine import Engine
from rdex.engine.presets import fitted, preset
from rdex.engine.state import Limits
from rdex.run.arguments import points_in_flight
from rdex.suites import get

MEAN, SIGMA, TIMEOUT = 0.05, 1.0, 0.5
DIES, HANGS = 0.02, 0.01
PROBLEMS = (
    "engineering/welded-beam", "engineering/speed-reducer", "g2006/G07", "g2006/G10",
    "cec2017/C05/d10/2017/1",
)  # fmt: skip
IN_FLIGHT = (1, *(points_in_flight(workers, None) for workers in (2, 4, 8, 32)))


def draw(rng: np.random.Generator) -> tuple[float, str]:
    """Seconds of an evaluation, and how it ends."""
    seconds = rng.lognormal(np.log(MEAN) - SIGMA**2 / 2, SIGMA)
    kind = rng.random()
    if kind < HANGS:
        return 3600.0, "hangs"
    return seconds, "dies" if kind < HANGS + DIES else "returns"


def simulate(x: Any) -> Any:
    """A welded beam of sorts that takes its time; the randomness is new in every process."""
    import os

    seconds, end = draw(np.random.default_rng())
    time.sleep(seconds)
    if end == "dies":
        os._exit(1)
    return float(x @ x), [1.0 - x[0] * x[1]]


def busy(maxfev: int) -> list[dict[str, Any]]:
    """Share of busy time for each number of workers and way of updating."""
    problem = Problem.from_function(simulate, [(-5.0, 5.0)] * 10, n_ineq=1, name="simulator")
    rows = []
    for workers in (2, 4, 8):
        row: dict[str, Any] = {"workers": workers}
        for updating in ("async", "deferred"):
            result = minimize(
                problem, workers=workers, updating=updating, maxfev=maxfev, rng=1,
                eval_timeout=TIMEOUT,
            )  # fmt: skip
            row[f"{updating} busy"] = result.workers_busy
            row[f"{updating} seconds"] = result.seconds
            row[f"{updating} failed"] = result.n_failed
        rows.append(row)
        print("  ".join(f"{k} {v:.3g}" for k, v in row.items()), flush=True)
    return rows


def fly(problem: Problem, in_flight: int, seed: int, maxfev: int) -> float:
    """Final value on a virtual clock: f where feasible, else 1e12 + violation."""
    rng = np.random.default_rng([seed, in_flight])
    settings = fitted(preset("rdex-csop"), problem.dim, maxfev)
    engine = Engine(
        problem, settings, maxfev, seed, checkpoints=1, limits=Limits(scale="auto"), capacity=128
    )
    flight = AnyOrder(engine)
    out: list[tuple[float, int, str, bytes]] = []
    now = 0.0
    nothing = (np.nan, np.full(problem.n_ineq, np.nan), np.full(problem.n_eq, np.nan))
    while not engine.is_finished:
        while flight.n_out < in_flight:
            asked = flight.ask()
            if asked is None:
                break
            seconds, end = draw(rng)
            back = now + min(seconds, TIMEOUT)
            heapq.heappush(out, (back, asked[0], end, asked[1].tobytes()))
        now, number, end, data = heapq.heappop(out)
        if end == "hangs":
            flight.tell(number, *nothing)
            continue
        f, g, h = problem.evaluate(np.frombuffer(data)[None, :])
        flight.tell(number, float(f[0]), g[0], h[0])
    best = engine.best
    return best.f if best.phi == 0.0 else 1e12 + best.phi


def quality(seeds: int, maxfev: int) -> list[dict[str, Any]]:
    """Final values of each problem for each number of points out, against one."""
    from scipy.stats import mannwhitneyu

    rows = []
    for name in PROBLEMS:
        problem = get(name)
        values = {
            n: np.array([fly(problem, n, seed, maxfev) for seed in range(seeds)]) for n in IN_FLIGHT
        }
        for n in IN_FLIGHT[1:]:
            test = mannwhitneyu(values[n], values[1])
            rows.append({
                "problem": name, "points out": n,
                "median": np.median(values[n]), "median immediate": np.median(values[1]),
                "feasible": (values[n] < 1e12).mean(),
                "feasible immediate": (values[1] < 1e12).mean(),
                "A12 (0.5: equal, above: worse)": test.statistic / seeds**2, "p": test.pvalue,
            })  # fmt: skip
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p Holm"] = p
        print("  ".join(f"{k} {v:.6g}" if k != "problem" else f"{v:26s}" for k, v in row.items()))
    return rows


def holm(p: list[float]) -> list[float]:
    """Holm's correction."""
    order = np.argsort(p)
    largest, corrected = 0.0, np.empty(len(p))
    for rank, k in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[k]))
        corrected[k] = largest
    return corrected.tolist()


def write(path: Path | None, rows: list[dict[str, Any]]) -> None:
    """Rows as CSV, where a file is given."""
    if path is not None:
        with path.open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            for row in rows:
                writer.writerow({
                    k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()
                })  # fmt: skip


def main() -> None:
    """Measure both and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxfev", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--quality", type=Path)
    options = parser.parse_args()
    write(options.csv, busy(options.maxfev))
    write(options.quality, quality(options.seeds, 5000))


if __name__ == "__main__":
    main()
