"""Our presets on bbob-constrained of COCO, a suite that nothing here was tuned on.

    python benchmarks/coco.py [--dims 5 10] [--budgets 5000 20000] [--keep FOLDER]

54 functions, instances 1 to 3, budget · D evaluations of `minimize`. Told are the runs that hit
COCO's own final target, and pair by pair who ended better: feasibility first, then f, with
differences below 1e-8 as ties (sign test over the pairs).
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from scipy.stats import binomtest
from small_tables import write_csv

import rdex
from rdex.common.extras import require
from rdex.problem import Problem

ALGORITHMS = ("rdex-csop", "rdex-tide")
SUITE, INSTANCES = "bbob-constrained", "instances: 1-3"


def solve(algorithm, dim, budget, functions="1-54"):
    """A row for every function and instance."""
    cocoex = require("cocoex", "peers")
    rows = []
    suite = cocoex.Suite(SUITE, INSTANCES, f"dimensions: {dim} function_indices: {functions}")
    for theirs in suite:
        problem = Problem.from_function(
            lambda x, p=theirs: (p(x), p.constraint(x), ()),
            list(zip(theirs.lower_bounds, theirs.upper_bounds, strict=True)),
            n_ineq=theirs.number_of_constraints,
        )
        result = rdex.minimize(problem, algorithm=algorithm, maxfev=budget * dim, rng=0)
        rows.append({
            "algorithm": algorithm, "dim": dim, "budget": budget, "problem": theirs.id,
            "hit": int(theirs.final_target_hit), "f": result.fun, "cv": result.cv,
        })  # fmt: skip
    return rows


def compared(rows, dim, budget):
    """How the second algorithm did against the first in one dimension with one budget."""
    first, second = (
        [r for r in rows if (r["algorithm"], r["dim"], r["budget"]) == (name, dim, budget)]
        for name in ALGORITHMS
    )
    better = worse = 0
    for a, b in zip(first, second, strict=True):
        sign = np.sign(a["cv"] - b["cv"])
        if sign == 0:
            size = max(1.0, abs(a["f"]))
            sign = 0 if abs(a["f"] - b["f"]) < 1e-8 * size else np.sign(a["f"] - b["f"])
        better += int(sign > 0)
        worse += int(sign < 0)
    p = binomtest(better, better + worse).pvalue if better + worse else 1.0
    return {
        "dim": dim, "budget": budget, "problems": len(first),
        **{f"{name} hits": sum(r["hit"] for r in part)
           for name, part in zip(ALGORITHMS, (first, second), strict=True)},
        "better": better, "worse": worse, "p": round(float(p), 4),
    }  # fmt: skip


def main():
    """Run, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dims", type=int, nargs="*", default=[5, 10])
    parser.add_argument(
        "--budgets", type=int, nargs="*", default=[5000, 20_000], help="evaluations a variable"
    )
    parser.add_argument("--functions", default="1-54")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="folder for the tables")
    options = parser.parse_args()
    cases = [(dim, budget) for budget in options.budgets for dim in options.dims]
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        parts = [pool.submit(solve, name, *case, options.functions)
                 for case in cases for name in ALGORITHMS]  # fmt: skip
        rows = [row for part in parts for row in part.result()]
    table = [compared(rows, *case) for case in cases]
    for line in table:
        print("  ".join(f"{key} {value}" for key, value in line.items()))
    if options.keep is not None:
        write_csv(options.keep / "coco.csv", table)
        write_csv(options.keep / "coco-runs.csv", rows)


if __name__ == "__main__":
    main()
