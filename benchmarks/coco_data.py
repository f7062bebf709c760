"""Data sets of our algorithms on bbob-constrained, for COCO's post-processing.

    python benchmarks/coco_data.py [--algorithms NAME …] [--dims 2 3 5 10] [--budget 1000]

One folder per algorithm, with one per process in it; COCO reads the outer one as one data set:
`python -m cocopp out/coco/rdex out/coco/rdex-csop`. A run ends with COCO's last target.
"""

import argparse
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from rdex.adapters.coco import run_suite
from rdex.adapters.coco_data import trials_from_coco
from rdex.scoring import leaderboard


def main():
    """Run, and print a first table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algorithms", nargs="*", help="default: the default one of minimize")
    parser.add_argument("--dims", type=int, nargs="*", default=[2, 3, 5, 10])
    parser.add_argument("--functions", default="1-54")
    parser.add_argument("--instances", default="1-5")
    parser.add_argument("--budget", type=int, default=1000, help="evaluations per variable")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("out/coco"))
    options = parser.parse_args()
    dims = ",".join(map(str, options.dims))
    chosen = {
        "instances": f"instances: {options.instances}",
        "choice": f"dimensions: {dims} function_indices: {options.functions}",
        "budget": options.budget,
    }
    folders = []
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for algorithm in options.algorithms or [None]:
            folder = options.out / (algorithm or "rdex")
            shutil.rmtree(folder, ignore_errors=True)  # COCO would begin another beside it
            parts = [
                pool.submit(run_suite, folder / f"part{k}", algorithm,
                            part=(k, options.workers), **chosen)
                for k in range(options.workers)
            ]  # fmt: skip
            for part in parts:
                part.result()
            folders.append(folder)
            print(folder, flush=True)
    if len(folders) > 1:
        print(leaderboard(trials_from_coco(*folders, maxfev=options.budget)))


if __name__ == "__main__":
    main()
