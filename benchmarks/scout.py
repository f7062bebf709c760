"""How often `scout` solves the engineering and G problems with few evaluations.

    python benchmarks/scout.py [--suite engineering|g2006] [--seeds 5] [--batch 1] [--csv docs/data]
    python benchmarks/scout.py --rugged [--seeds 9] [--csv docs/data]    beside evolution alone
    python benchmarks/scout.py --large [--seeds 1] [--csv docs/data]     with 50 and 100 variables

One run of 1000 evaluations per seed gives all smaller budgets: it stops at the target, and the
search hardly depends on the budget (its design does below 8 D + 4 evaluations).
"""

from __future__ import annotations

import argparse
import csv
import time
from itertools import product
from pathlib import Path

from rank_sum import rank_sum
from small_tables import write_csv

from rdex import minimize
from rdex.suites import get, ids, is_solved, target

BUDGETS = (50, 100, 200, 500, 1000)

#: Problems of CEC 2017 for runs with many variables.
LARGE = (1, 8, 13)

#: Problems on which models have little to say.
RUGGED = ("g2006/G02", "engineering/gear-train",
          *(f"cec2017/C{k:02d}/d10/2017/1" for k in (4, 6, 20, 21)))  # fmt: skip


def ends(id: str, seed: int, batch: int, algorithm: str) -> tuple[float, float, float]:
    """Evaluations until the problem was solved and until a point was feasible, infinite if never,
    and seconds of CPU time per evaluation."""
    problem, begin = get(id), time.process_time()
    result = minimize(problem, algorithm=algorithm, maxfev=BUDGETS[-1], rng=seed, batch=batch,
                      target=target(problem), checkpoints=1)  # fmt: skip
    seconds = (time.process_time() - begin) / result.nfev
    solved = result.nfev if is_solved(problem, result.fun, result.cv) else float("inf")
    feasible = float("inf") if result.first_feasible is None else result.first_feasible
    return solved, feasible, seconds


def compare_rugged(seeds: int, folder: Path | None) -> None:
    """Median of (violation, f) beside differential evolution, and p of the rank-sum test."""
    rows = []
    for id, budget in product(RUGGED, (500, 2000)):
        found = {}
        for name in ("scout", "rdex-csop"):
            runs = [minimize(get(id), maxfev=budget, rng=seed, algorithm=name, checkpoints=1)
                    for seed in range(seeds)]  # fmt: skip
            found[name] = sorted((run.cv, run.fun) for run in runs)
        p, is_lower = rank_sum(*found.values())
        middle = (value for values in found.values() for value in values[seeds // 2])
        better = "scout" if is_lower else "rdex-csop"
        rows.append([id, budget, seeds, *(f"{value:.6g}" for value in middle), better, f"{p:.4f}"])
        print(*rows[-1], flush=True)
    if folder is not None:
        head = ["problem", "maxfev", "runs", "violation of scout", "f of scout",
                "violation of rdex-csop", "f of rdex-csop", "lower ranks", "p"]  # fmt: skip
        write_csv(folder / "scout-rugged.csv", [dict(zip(head, row, strict=True)) for row in rows])


def run_large(seeds: int, folder: Path | None) -> None:
    """Whole runs with many variables: CPU time per evaluation, and where they end."""
    rows = []
    for dim, number, seed in product((50, 100), LARGE, range(seeds)):
        problem, begin = get(f"cec2017/C{number:02d}/d{dim}/2017/1"), time.process_time()
        result = minimize(problem, maxfev=BUDGETS[-1], rng=seed, algorithm="scout", checkpoints=1)
        cost = 1e3 * (time.process_time() - begin) / result.nfev
        alone = minimize(problem, maxfev=BUDGETS[-1], rng=seed, algorithm="rdex-csop")
        ends = (f"{value:.6g}" for run in (result, alone) for value in (run.cv, run.fun))
        rows.append([f"{problem.name}-D{dim}", result.nfev, seed, f"{cost:.3g}", *ends])
        print(*rows[-1], flush=True)
    if folder is not None:
        head = ["problem", "evaluations", "seed", "ms per evaluation", "violation of scout",
                "f of scout", "violation of rdex-csop", "f of rdex-csop"]  # fmt: skip
        write_csv(folder / "scout-large.csv", [dict(zip(head, row, strict=True)) for row in rows])


def main() -> None:
    """Run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", choices=("engineering", "g2006"), action="append")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--algorithm", default="scout")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--rugged", action="store_true")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    if options.rugged:
        compare_rugged(options.seeds, options.csv)
        return
    if options.large:
        run_large(options.seeds, options.csv)
        return
    for suite in options.suite or ("engineering", "g2006"):
        names = [id for id in ids(suite) if target(get(id)) is not None]
        rows, costs = [], []
        for id in names:
            found = [ends(id, s, options.batch, options.algorithm) for s in range(options.seeds)]
            for budget in BUDGETS:
                shares = [sum(e[k] <= budget for e in found) / len(found) for k in (0, 1)]
                rows.append((id, budget, options.algorithm, *shares, len(found)))
            costs += [e[2] for e in found]
            print(f"{id:36}", " ".join(f"{e[0]:6.0f}" for e in found), flush=True)
        for budget in BUDGETS:
            cells = [row for row in rows if row[1] == budget]
            success, feasible = (sum(row[k] for row in cells) / len(cells) for k in (3, 4))
            print(f"{suite} {budget:>5}: {success:.3f} ({feasible:.3f})")
        print(f"{suite}: {1e3 * sum(costs) / len(costs):.1f} ms per evaluation, mean of runs")
        if options.csv is not None:
            batch = "" if options.batch == 1 else f"-batch{options.batch}"
            path = options.csv / f"success-{options.algorithm}{batch}-{suite}.csv"
            with path.open("w", newline="") as stream:
                writer = csv.writer(stream, lineterminator="\n")
                writer.writerow(["problem", "maxfev", "variant", "success", "feasible", "runs"])
                writer.writerows(
                    [*row[:3], f"{row[3]:.4g}", f"{row[4]:.4g}", row[5]] for row in rows
                )


if __name__ == "__main__":
    main()
