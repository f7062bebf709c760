"""Success on the mixed suite: rdex, nevergrad, Optuna's TPE and pymoo's mixed-variable GA.

A run is successful where it evaluates a feasible point at the optimum, which is known by
enumeration. All optimisers get the variables as what they are (real, integer, ordered, category),
the constraints in their own way, and the same number of evaluations.

    python benchmarks/mixed.py --budget 1000 --runs 5
    python benchmarks/mixed.py --budget 300 --runs 3 --optimisers auto --table docs/data

`--table` writes how many runs found the optimum to `mixed-BUDGET.csv` of a folder. Columns of other
optimisers and rows of other problems stay as they are there: the slow ones can run by themselves.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rdex
from rdex.suites import mixed
from rdex.suites.mixed.design import Mixed
from rdex.suites.success import target

ALL = ("auto", "scout", "rdex-csop", "nevergrad", "optuna", "pymoo")

#: Algorithms of rdex.
OURS = ("auto", "scout", "rdex-csop", "rdex-tide", "rdex-csop+local")


class Counted:
    """The formula of a problem; notes when the optimum was found."""

    def __init__(self, problem: Mixed, budget: int) -> None:
        self.formula = problem.formula
        self.limit = target(problem.problem())
        self.budget = budget
        self.nfev = 0
        self.found: int | None = None

    def __call__(self, design: dict[str, Any]) -> tuple[float, list[float]]:
        self.nfev += 1
        f, g = self.formula(design)
        holds = all(value <= 0 for value in g)
        if self.found is None and self.nfev <= self.budget and holds and f <= self.limit:
            self.found = self.nfev
        return f, g


def run_rdex(algorithm: str) -> Callable[[Mixed, Counted, int], None]:
    def run(problem: Mixed, counted: Counted, seed: int) -> None:
        made = rdex.Problem.from_function(
            counted, problem.variables, n_ineq=len(problem.constraints)
        )
        rdex.minimize(
            made, algorithm=algorithm, maxfev=counted.budget, rng=seed, target=counted.limit
        )

    return run


def run_nevergrad(problem: Mixed, counted: Counted, seed: int) -> None:
    """NGOpt, told the violations; ordered lists are transitions, categories choices."""
    import nevergrad as ng

    parts = {}
    for name, v in problem.variables.items():
        if v.kind == "real":
            parts[name] = ng.p.Scalar(lower=v.low, upper=v.high)
        elif v.kind == "integer":
            parts[name] = ng.p.Scalar(lower=v.low, upper=v.high).set_integer_casting()
        elif v.kind == "choices":
            parts[name] = ng.p.TransitionChoice(list(v.values))
        else:
            parts[name] = ng.p.Choice(list(v.values))
    space = ng.p.Dict(**{f"v{k}": part for k, part in enumerate(parts.values())})
    space.random_state.seed(seed)
    search = ng.optimizers.NGOpt(space, budget=counted.budget)
    for _ in range(counted.budget):
        candidate = search.ask()
        f, g = counted(dict(zip(parts, candidate.value.values(), strict=True)))
        violations = np.maximum(g, 0.0)
        search.tell(candidate, f, violations if len(g) else None)
        if counted.found:
            return


def run_optuna(problem: Mixed, counted: Counted, seed: int) -> None:
    """TPE with its constraints; ordered lists are integers, categories categorical."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    variables = problem.variables

    def objective(trial: Any) -> float:
        design = {}
        for name, v in variables.items():
            if v.kind == "real":
                design[name] = trial.suggest_float(name, v.low, v.high)
            elif v.kind == "categories":
                code = trial.suggest_categorical(name, list(range(len(v.values))))
                design[name] = v.decoded(code)
            else:
                design[name] = v.decoded(trial.suggest_int(name, int(v.low), int(v.high)))
        f, g = counted(design)
        trial.set_user_attr("g", [float(value) for value in g])
        if counted.found:
            trial.study.stop()
        return f

    has_constraints = bool(problem.constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sampler = optuna.samplers.TPESampler(
            seed=seed,
            constraints_func=(lambda trial: trial.user_attrs["g"]) if has_constraints else None,
        )
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=counted.budget)


def run_pymoo(problem: Mixed, counted: Counted, seed: int) -> None:
    """The genetic algorithm for mixed variables, without repeated designs."""
    from pymoo.core.mixed import MixedVariableGA
    from pymoo.core.problem import ElementwiseProblem
    from pymoo.core.variable import Choice, Integer, Real
    from pymoo.optimize import minimize

    kinds: dict[str, Any] = {}
    for name, v in problem.variables.items():
        if v.kind == "real":
            kinds[name] = Real(bounds=(v.low, v.high))
        elif v.kind == "categories":
            kinds[name] = Choice(options=list(range(len(v.values))))
        else:
            kinds[name] = Integer(bounds=(int(v.low), int(v.high)))

    class Wrapped(ElementwiseProblem):
        def __init__(self) -> None:
            super().__init__(vars=kinds, n_obj=1, n_ieq_constr=len(problem.constraints))

        def _evaluate(self, X: dict[str, Any], out: dict[str, Any], *args: Any, **more: Any):
            design = {n: v.decoded(float(X[n])) for n, v in problem.variables.items()}
            out["F"], g = counted(design)
            if g:
                out["G"] = g

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        minimize(Wrapped(), MixedVariableGA(pop_size=50), ("n_eval", counted.budget), seed=seed)


RUNNERS: dict[str, Callable[[Mixed, Counted, int], None]] = {
    **{name: run_rdex(name) for name in OURS},
    "nevergrad": run_nevergrad,
    "optuna": run_optuna,
    "pymoo": run_pymoo,
}


def run(optimiser: str, problem: Mixed, counted: Counted, seed: int) -> None:
    """One run; what an optimiser found before an error of its own counts."""
    try:
        RUNNERS[optimiser](problem, counted, seed)
    except Exception as error:
        if optimiser in OURS:
            raise
        print(f"{optimiser}, seed {seed}: ended after {counted.nfev} evaluations: {error}")


def write_table(path: Path, counts: dict[str, dict[str, int]], runs: int) -> None:
    """Counts as "2/3", one column per optimiser, a row of shares at the end."""
    known: dict[str, dict[str, str]] = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as stream:
            known = {row["problem"]: row for row in csv.DictReader(stream)}
    new = {name: {o: f"{n}/{runs}" for o, n in row.items()} for name, row in counts.items()}
    rows = {
        name: {**known.get(name, {}), **new.get(name, {})}
        for name in mixed.NAMES
        if name in known or name in new
    }
    columns = [o for o in RUNNERS if any(row.get(o) for row in rows.values())]
    shares = {}
    for o in columns:
        cells = [row.get(o, "") for row in rows.values()]
        if not all(cells):  # a share of some problems compares with nothing
            shares[o] = ""
            continue
        pairs = [[int(part) for part in cell.split("/")] for cell in cells]
        shares[o] = f"{sum(k for k, _ in pairs) / sum(n for _, n in pairs):.2f}"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["problem", *columns])
        writer.writerows([name, *(row.get(o, "") for o in columns)] for name, row in rows.items())
        writer.writerow(["share", *shares.values()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--optimisers", nargs="*", default=list(ALL))
    parser.add_argument("--problems", nargs="*", default=list(mixed.NAMES))
    parser.add_argument("--table", type=Path, help="folder of the tables to write")
    asked = parser.parse_args()
    chosen = [
        name for name in asked.optimisers
        if name in OURS or importlib.util.find_spec(name) is not None
    ]  # fmt: skip
    print(f"{'problem':16}" + "".join(f"{name:>12}" for name in chosen))
    counts: dict[str, dict[str, int]] = {}
    seconds = dict.fromkeys(chosen, 0.0)
    for name in asked.problems:
        problem = mixed.mixed(name)
        row = {}
        for optimiser in chosen:
            start = time.perf_counter()
            solved = 0
            for seed in range(asked.runs):
                counted = Counted(problem, asked.budget)
                run(optimiser, problem, counted, seed)
                solved += counted.found is not None
            seconds[optimiser] += time.perf_counter() - start
            row[optimiser] = solved
        counts[name] = row
        print(f"{name:16}" + "".join(f"{row[o]:>12}" for o in chosen), flush=True)
    n = asked.runs * len(counts)
    shares = {o: sum(row[o] for row in counts.values()) / n for o in chosen}
    print(f"{'share':16}" + "".join(f"{share:>12.2f}" for share in shares.values()))
    errors = [math.sqrt(share * (1 - share) / n) for share in shares.values()]
    print(f"{'± (1 sd)':16}" + "".join(f"{error:>12.2f}" for error in errors))
    print(f"{'seconds':16}" + "".join(f"{spent:>12.0f}" for spent in seconds.values()))
    if asked.table:
        write_table(asked.table / f"mixed-{asked.budget}.csv", counts, asked.runs)


if __name__ == "__main__":
    main()
