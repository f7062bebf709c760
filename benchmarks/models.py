"""What the model-based search costs per evaluation, beside the user's function.

    python benchmarks/models.py [--csv docs/data]

CPU time of 20 evaluations of `scout` after n known ones, from the best of them on,
on smooth functions of D variables with m constraints.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path

import numpy as np

from rdex.evaluation.judging import Judge
from rdex.problem import Problem
from rdex.problem.space import Space
from rdex.strategies.archive import Archive, Sample
from rdex.strategies.scout.cost import expected_seconds
from rdex.strategies.scout.search import scout_search
from rdex.strategies.strategy import Context

#: (D, n, m); the first two have limits: 10 ms and 50 ms.
SIZES = ((10, 500, 5), (30, 1000, 20), (2, 100, 2), (5, 200, 5), (10, 100, 0), (20, 500, 10),
         (20, 500, 40), (50, 500, 10), (50, 1000, 50), (100, 500, 2))  # fmt: skip
EVALUATIONS = 20


def made(d: int, m: int) -> Problem:
    """Smooth functions of d variables with m constraints."""
    rng = np.random.default_rng(d + 1000 * m)
    slopes, bends = rng.normal(size=(m + 1, d)), rng.random((m + 1, d))

    def rows(x):
        y = (x - 0.4) @ slopes.T + (x - 0.4) ** 2 @ bends.T + 0.1 * np.sin(5 * x) @ bends.T
        y[:, 0] += ((x - 0.5) ** 2).sum(1)
        return y[:, 0], y[:, 1:] - 0.5, None

    return Problem(np.zeros(d), np.ones(d), m, 0, rows=rows)


def milliseconds(d: int, n: int, m: int) -> float:
    """CPU time per evaluation."""
    problem = made(d, m)
    space, judge = Space(problem), Judge(problem)
    archive = Archive(space, judge)
    context = Context(space, judge, archive, 10 * n, 1, np.random.default_rng(0))

    def evaluate(points):
        for x in points:
            f, g, _ = problem.rows(x[None])
            archive.add(Sample(x, float(f[0]), g[0], np.empty(0)))
            yield archive.sample(archive.n - 1)

    spread = 10.0 ** -context.rng.uniform(0.3, 3.0, (n, 1))
    list(evaluate(np.clip(0.5 + spread * context.rng.normal(size=(n, d)), 0, 1)))
    search = scout_search(context)
    points = next(search)
    begin = time.process_time()
    for _ in range(EVALUATIONS):
        points = search.send(list(evaluate(points)))
    return 1e3 * (time.process_time() - begin) / EVALUATIONS


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    rows = []
    for d, n, m in SIZES:
        expected = 1e3 * expected_seconds(n, d, 1 + m)
        rows.append((d, n, m, f"{milliseconds(d, n, m):.3g}", f"{expected:.3g}"))
        print("D = {}, n = {}, m = {}: {} ms per evaluation, {} expected".format(*rows[-1]))
    if options.csv is not None:
        with (options.csv / "models-cost.csv").open("w", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["D", "n", "m", "ms per evaluation", "expected"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
