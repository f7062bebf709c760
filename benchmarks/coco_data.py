"""A data set on bbob-constrained for COCO's post-processing, and a first table of it.

    python benchmarks/coco_data.py [--algorithms auto …] [--dims 2 3] [--budget 50] [--csv FILE]

Our algorithms, and the two solvers of COCO's example experiment that know constraints: random
search, and COBYLA from new starts. All have the same number of evaluations per variable. A run
ends with COCO's last target. One folder per algorithm, with one per process in it; COCO reads the
outer one as one data set: `python -m cocopp out/coco/auto out/coco/cobyla`. The defaults take some
minutes; `--dims 2 3 5 10 --instances 1-5 --budget 1000` takes hours.
"""

import argparse
import os
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from small_tables import write_csv

from rdex.adapters.coco import Observed, run_suite
from rdex.adapters.coco_data import read_data_set

#: What COCO counts as reached: errors from 100 to 1e-8, five per power of ten.
TARGETS = np.logspace(2, -8, 51)

HEADINGS = ("algorithm", "variables", "runs", "last target", "targets")


def random_search(theirs, budget, rng):
    """Uniform points in COCO's box."""
    while not is_over(theirs, budget):
        x = rng.uniform(theirs.lower_bounds, theirs.upper_bounds)
        theirs.constraint(x)
        theirs(x)


def cobyla(theirs, budget, rng):
    """COBYLA of SciPy, from COCO's start and then from random ones."""
    from scipy.optimize import fmin_cobyla

    start = theirs.initial_solution
    while not is_over(theirs, budget - theirs.dimension - 2):  # fewer are no search
        left = budget - theirs.evaluations
        fmin_cobyla(theirs, start, lambda x: -theirs.constraint(x), rhobeg=2.0, rhoend=1e-9,
                    maxfun=left)  # fmt: skip
        start = rng.uniform(theirs.lower_bounds, theirs.upper_bounds)


def is_over(theirs, budget):
    return theirs.evaluations >= budget or theirs.final_target_hit


THEIRS = {"random-search": random_search, "cobyla": cobyla}


def run_theirs(folder, name, *, budget, **chosen):
    """A solver of theirs on the same problems."""
    for index, theirs in Observed(folder, name, **chosen):
        THEIRS[name](theirs, budget * theirs.dimension, np.random.default_rng((1, index)))


def run_part(folder, name, **chosen):
    """What one process does."""
    if name in THEIRS:
        run_theirs(folder, name, **chosen)
    else:
        run_suite(folder, name, **chosen)


def table(folders):
    """Per algorithm and dimension: runs, runs that hit the last target, share of all targets."""
    rows = []
    for folder in folders:
        errors = {}
        for series in read_data_set(folder):
            best = [records[:, 1].min() for _, _, records in series.runs]
            errors.setdefault(series.dim, []).extend(best)
        for dim, best in sorted(errors.items()):
            hits = np.array(best)[:, None] <= TARGETS
            shares = (len(best), int(hits[:, -1].sum()), round(float(hits.mean()), 3))
            rows.append(dict(zip(HEADINGS, (folder.name, dim, *shares), strict=True)))
    return rows


def main():
    """Run, print a first table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithms", nargs="*", default=["auto", "rdex-csop", *THEIRS])
    parser.add_argument("--dims", type=int, nargs="*", default=[2, 3])
    parser.add_argument("--functions", default="1-54")
    parser.add_argument("--instances", default="1")
    parser.add_argument("--budget", type=int, default=50, help="evaluations per variable")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("out/coco"))
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    dims = ",".join(map(str, options.dims))
    chosen = {
        "instances": f"instances: {options.instances}",
        "choice": f"dimensions: {dims} function_indices: {options.functions}",
        "budget": options.budget,
    }
    folders = []
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for name in options.algorithms:
            folder = options.out / name
            shutil.rmtree(folder, ignore_errors=True)  # COCO would begin another beside it
            parts = [
                pool.submit(run_part, folder / f"part{k}", name, part=(k, options.workers),
                            **chosen)
                for k in range(options.workers)
            ]  # fmt: skip
            for part in parts:
                part.result()
            folders.append(folder)
            print(folder, flush=True)
    rows = table(folders)
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    if options.csv is not None:
        write_csv(options.csv, rows)


if __name__ == "__main__":
    main()
