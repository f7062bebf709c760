"""How often `minimize` solves the engineering and G problems with its defaults.

    python benchmarks/success.py [--suite engineering|g2006] [--seeds 25] [--csv docs/data]
    python benchmarks/success.py --compare       the defaults against the choices they replace
    python benchmarks/success.py --presets       the presets against each other
    python benchmarks/success.py --peers         `minimize` beside optimisers of other packages
    python benchmarks/success.py --algorithm rdex-csop --algorithm rdex-csop+local
        [--budgets 1000,5000]                    algorithms by name, side by side

A run is a success if its answer is feasible and within the tolerance of `rdex.suites.success`.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rdex import minimize
from rdex.problem import Problem
from rdex.strategies.registry import kind_of
from rdex.suites import get, ids, is_solved, target

BUDGETS = {"engineering": (500, 2000, 5000, 50_000), "g2006": (5000, 50_000, 200_000)}

#: Label -> changes to the call. "paper" is the preset as in the competition.
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "10 D initial points": {"n0_per_dim": 10},
    "absolute perturbation": {"perturb_unit": "absolute"},
    "no constraint scale": {"constraint_scale": "none"},
    "absolute, no scale": {"perturb_unit": "absolute", "constraint_scale": "none"},
    "polish": {"polish": True},  # its evaluations come on top
}

#: The same for presets other than the default.
PRESETS: dict[str, dict[str, Any]] = {
    name: {"algorithm": name} for name in ("rdex-tide", "rde26", "ude-iii")
}
CALLS = VARIANTS | PRESETS

#: Budgets of algorithms side by side.
ALL_BUDGETS = (100, 200, 500, 1000, 2000, 5000, 20_000, 50_000)

#: Seeds of the peers by budget, fewer than ours as they take a hundred times as long; without an
#: entry there are no runs. The slow ones take 0.2 to 0.9 ms per evaluation, COBYQA tens of them
#: where there are many variables.
PEER_SEEDS = {500: 5, 2000: 5, 5000: 2, 50_000: 1}
SLOW_PEER_SEEDS = {
    **{name: {500: 3, 2000: 3, 5000: 1} for name in ("scipy-de", "pycma-con2", "nevergrad")},
    "multistart-cobyqa": {500: 3, 2000: 3},
}


def is_ours(variant: str) -> bool:
    """Whether a variant is a call of `minimize`: the name of an algorithm, or one of `CALLS`."""
    try:
        return variant in CALLS or bool(kind_of(variant))
    except ValueError:
        return False


class Job(NamedTuple):
    """All seeds of one problem, budget and variant, which may be the name of a peer."""

    id: str
    budget: int
    variant: str


class Rates(NamedTuple):
    """Shares of successes and of feasible ends, and the number of runs."""

    success: float
    feasible: float
    runs: int


def arguments(job: Job, dim: int) -> dict[str, Any]:
    """The call of `minimize` that a variant stands for."""
    from rdex.engine.presets import fitted, preset

    changes = dict(CALLS.get(job.variant, {"algorithm": job.variant}))
    names = ("constraint_scale", "algorithm", "polish")
    options = {key: changes.pop(key) for key in names if key in changes}
    if not changes:
        return options
    settings = fitted(preset("rdex-csop"), dim, job.budget)
    if "n0_per_dim" in changes:
        changes["n0"] = min(changes.pop("n0_per_dim") * dim, job.budget)
    return {**options, "settings": settings.replace(**changes)}


def runs_of(job: Job, seeds: int) -> int:
    """How many runs there are of a job; a peer has none at some budgets."""
    if is_ours(job.variant):
        return seeds
    return min(seeds, SLOW_PEER_SEEDS.get(job.variant, PEER_SEEDS).get(job.budget, 0))


def ends(job: Job, problem: Problem, seed: int) -> tuple[float, float]:
    """f and violation of the answer of a run; infinite where a peer raised an exception."""
    if is_ours(job.variant):
        given = arguments(job, problem.dim)
        if job.variant not in CALLS:  # a success stays one: the rest of the run tells nothing
            given["target"] = target(problem)
        result = minimize(problem, maxfev=job.budget, rng=seed, checkpoints=1, **given)
        return result.fun, result.cv
    from rdex.campaign.algorithms import RunFailed, find

    try:
        record = find(job.variant).run(problem, job.budget, np.random.SeedSequence(seed), 1)
    except RunFailed as failure:
        print(f"{job}, seed {seed}: {failure.__cause__!r}")
        return np.inf, np.inf
    return record.f[-1], record.v[-1]


def solved(job: Job, seeds: int) -> tuple[Job, Rates]:
    """The rates of a job."""
    problem = get(job.id)
    successes = feasible = 0
    runs = runs_of(job, seeds)
    for seed in range(runs):
        f, violation = ends(job, problem, seed)
        successes += bool(is_solved(problem, f, violation))
        feasible += violation <= 0.0
    return job, Rates(successes / runs, feasible / runs, runs)


def rates(
    jobs: list[Job], seeds: int, workers: int, kept: Path | None = None,
    others: dict[Job, Rates] | None = None,
) -> dict[Job, Rates]:  # fmt: skip
    """Success and feasibility rates of all jobs that have runs.

    What a file `kept` has is not run again, and every new job is put there at once.
    """
    wanted = {job: runs_of(job, seeds) for job in jobs if runs_of(job, seeds)}
    found = {
        job: cell
        for job, cell in read(kept).items()
        if wanted.get(job) == cell.runs and job.variant not in CALLS
    }
    # Long ones first, so that nobody waits for the last; short ones where it may be stopped.
    sign = -1 if kept is None else 1
    order = sorted(wanted.keys() - found.keys(), key=lambda job: (sign * job.budget, job))
    found = {**(others or {}), **found}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        each = map if workers == 1 else pool.map
        for job, cell in each(partial(solved, seeds=seeds), order):
            found[job] = cell
            if kept is not None:
                write(kept, found)
    return found


def problems(suite: str) -> list[str]:
    """The problems of a suite that have a target; G20 has none."""
    return [id for id in ids(suite) if target(get(id)) is not None]


def show_table(suite: str, seeds: int, workers: int, folder: Path | None) -> None:
    """One line per problem: success rate at each budget, feasibility in brackets."""
    names, budgets = problems(suite), BUDGETS[suite]
    found = rates([Job(id, b, "default") for id in names for b in budgets], seeds, workers)
    print(f"\n{suite}: success rate (feasible) of {seeds} runs")
    print(" " * 36 + "".join(f"{budget:>14}" for budget in budgets))
    for id in names:
        cells = [found[Job(id, budget, "default")] for budget in budgets]
        print(f"{id:36}" + "".join(f"{s:>8.2f} ({f:.2f})" for s, f, _ in cells))
    for label, k in (("mean", 0), ("mean feasible", 1)):
        means = [
            sum(found[Job(id, budget, "default")][k] for id in names) / len(names)
            for budget in budgets
        ]
        print(f"{label:36}" + "".join(f"{mean:>14.3f}" for mean in means))
    if folder is not None:
        write(folder / f"success-{suite}.csv", found)


def show_comparison(
    suite: str, seeds: int, workers: int, folder: Path | None,
    variants: Sequence[str] = tuple(VARIANTS), kind: str = "variants",
) -> None:  # fmt: skip
    """Mean rates of every variant at every budget."""
    names, budgets = problems(suite), BUDGETS[suite]
    jobs = [Job(id, b, variant) for variant in variants for b in budgets for id in names]
    found = rates(jobs, seeds, workers)
    print(f"\n{suite}: mean success rate (feasible) of {seeds} runs on {len(names)} problems")
    print(" " * 24 + "".join(f"{budget:>16}" for budget in budgets))
    for variant in variants:
        line = f"{variant:24}"
        for budget in budgets:
            cells = [found[Job(id, budget, variant)] for id in names]
            success, feasible = (sum(cell[k] for cell in cells) / len(cells) for k in (0, 1))
            line += f"{success:>8.3f} ({feasible:.3f})"
        print(line)
    if folder is not None:
        write(folder / f"success-{kind}-{suite}.csv", found)


show_presets = partial(show_comparison, variants=("default", *PRESETS), kind="presets")


def show_algorithms(
    suite: str, seeds: int, workers: int, folder: Path | None,
    names: Sequence[str], budgets: Sequence[int],
) -> None:  # fmt: skip
    """Mean rates of algorithms by name. With a folder it goes on where it was stopped."""
    designs = problems(suite)
    kept = None if folder is None else folder / f"success-local-{suite}.csv"
    before = read(kept)
    jobs = [Job(id, b, name) for name in names for b in budgets for id in designs]
    found = rates(jobs, seeds, workers, kept, before)
    print(f"\n{suite}: mean success rate (feasible) of {seeds} runs on {len(designs)} problems")
    print(" " * 24 + "".join(f"{budget:>16}" for budget in budgets))
    for name in names:
        line = f"{name:24}"
        for budget in budgets:
            cells = [found[Job(id, budget, name)] for id in designs]
            success, feasible = (sum(cell[k] for cell in cells) / len(cells) for k in (0, 1))
            line += f"{success:>8.3f} ({feasible:.3f})"
        print(line)


def show_peers(suite: str, seeds: int, workers: int, folder: Path | None) -> None:
    """Mean rates of `minimize` and of every peer at every budget.

    With a folder it goes on where it was stopped; remove the file to begin anew.
    """
    from rdex.campaign.peers import PEERS

    names, budgets = problems(suite), BUDGETS[suite]
    jobs = [Job(id, b, variant) for variant in ("default", *PEERS) for b in budgets for id in names]
    kept = None if folder is None else folder / f"success-peers-{suite}.csv"
    found = rates(jobs, seeds, workers, kept)
    print(f"\n{suite}: mean success rate (feasible; runs a problem) on {len(names)} problems")
    print(" " * 24 + "".join(f"{budget:>20}" for budget in budgets))
    for variant in ("default", *PEERS):
        line = f"{'minimize' if variant == 'default' else variant:24}"
        for budget in budgets:
            cells = [found[job] for id in names if (job := Job(id, budget, variant)) in found]
            if not cells:
                line += f"{'–':>20}"
                continue
            success, feasible = (sum(cell[k] for cell in cells) / len(cells) for k in (0, 1))
            line += f"{f'{success:.3f} ({feasible:.3f}; {cells[0].runs})':>20}"
        print(line)


def read(path: Path | None) -> dict[Job, Rates]:
    """What `write` wrote; nothing where there is no file."""
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as stream:
        return {
            Job(row["problem"], int(row["maxfev"]), row["variant"]): Rates(
                float(row["success"]), float(row["feasible"]), int(row["runs"])
            )
            for row in csv.DictReader(stream)
        }


def write(path: Path, found: dict[Job, Rates]) -> None:
    """One row a job."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["problem", "maxfev", "variant", "success", "feasible", "runs"])
        for job in sorted(found):
            writer.writerow([*job, *(f"{rate:.4g}" for rate in found[job])])


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", choices=sorted(BUDGETS), action="append")
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--compare", action="store_true", help="also the choices not taken")
    parser.add_argument("--presets", action="store_true", help="beside our other presets")
    parser.add_argument("--peers", action="store_true", help="beside other packages")
    parser.add_argument("--algorithm", action="append", help="by name, several side by side")
    parser.add_argument("--budgets", help="of --algorithm, such as 1000,5000")
    parser.add_argument("--csv", type=Path, help="folder for the tables")
    options = parser.parse_args()
    chosen = {show_comparison: options.compare, show_presets: options.presets,
              show_peers: options.peers}  # fmt: skip
    action = next((action for action, is_asked in chosen.items() if is_asked), show_table)
    if options.algorithm:
        budgets = tuple(int(text) for text in (options.budgets or "").split(",") if text)
        action = partial(show_algorithms, names=options.algorithm, budgets=budgets or ALL_BUDGETS)
    for suite in options.suite or sorted(BUDGETS):
        action(suite, options.seeds, options.workers, options.csv)


if __name__ == "__main__":
    main()
