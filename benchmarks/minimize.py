"""What `minimize` costs beside the user's function, in one run.

    python benchmarks/minimize.py [--maxfev 60000] [--repeat 3]

A trivial objective with one constraint, D = 10. The overhead is the time of a run less the time
the functions take when they are called just as often in the same way, per evaluation; the best of
`repeat` runs. scipy's `differential_evolution` has its polishing off and the same budget. pymoo's
DE evaluates its 100 members in one call; pygmo's sade runs inside `cstrs_self_adaptive`, without
which it takes no constraints.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from scipy.optimize import NonlinearConstraint, differential_evolution

import rdex
from rdex.engine.engine import default_batch

DIM = 10
BOUNDS = [(-5.0, 5.0)] * DIM


def objective(x: Any) -> Any:
    """Trivial: one number."""
    return x[0]


def constraint(x: Any) -> Any:
    """Trivial: holds in half of the box."""
    return x[1]


def objective_rows(X: Any) -> Any:
    """The same for rows."""
    return X[:, 0]


def constraint_rows(X: Any) -> Any:
    """The same for rows."""
    return X[:, 1]


def best_time(action: Callable[[], Any], repeat: int) -> float:
    """Seconds of the fastest call."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def python_calls(n: int) -> Callable[[], None]:
    """The functions alone, one point at a time."""
    x = np.zeros(DIM)

    def calls() -> None:
        for _ in range(n):
            objective(x)
            constraint(x)

    return calls


def row_calls(sizes: list[int]) -> Callable[[], None]:
    """The functions alone, batches of these sizes."""
    rows = {size: np.zeros((size, DIM)) for size in set(sizes)}

    def calls() -> None:
        for size in sizes:
            objective_rows(rows[size])
            constraint_rows(rows[size])

    return calls


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--maxfev", type=int, default=60_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    n, repeat = options.maxfev, options.repeat
    limit = NonlinearConstraint(constraint, -math.inf, 0.0)
    common: dict[str, Any] = {"maxfev": n, "rng": 1, "algorithm": "rdex-csop"}

    def overhead(action: Callable[[], Any], alone: float) -> float:
        action()  # compiles, fills caches
        return (best_time(action, repeat) - alone) / n * 1e6

    alone = best_time(python_calls(n), repeat)
    print(
        f"the functions alone: {alone / n * 1e6:.2f} us an evaluation, {n} evaluations, D = {DIM}"
    )
    immediate = overhead(
        lambda: rdex.minimize(objective, BOUNDS, constraints=limit, **common), alone
    )
    print(f"Python, immediate       {immediate:7.2f} us   (goal 10)")
    peer = scipy_overhead(n, limit, repeat)
    print(f"scipy DE                {peer:7.2f} us   {peer / immediate:.1f} times (goal 4)")
    for label, measure in (("pymoo DE, rows", pymoo_overhead), ("pygmo sade", pygmo_overhead)):
        try:
            peer = measure(n, repeat)
        except ImportError:
            print(f"{label:24}   not installed")
            continue
        print(f"{label:24}{peer:7.2f} us   {peer / immediate:.1f} times")
    rows = NonlinearConstraint(constraint_rows, -math.inf, 0.0)
    for batch in (None, 8, 32, 128):
        sizes = batch_sizes(n, batch)
        cost = overhead(
            lambda batch=batch: rdex.minimize(  # type: ignore[misc]
                objective_rows, BOUNDS, constraints=rows, vectorized="rows", batch=batch, **common
            ),
            best_time(row_calls(sizes), repeat),
        )
        label = "default" if batch is None else str(batch)
        mean = n / len(sizes)
        print(f"vectorised, batch {label:7s} {cost:5.2f} us   (goal 1; mean size {mean:.1f})")
    fast, held = numba.njit(objective), numba.njit(constraint)
    fused = overhead(
        lambda: rdex.minimize(
            fast, BOUNDS, constraints=NonlinearConstraint(held, -math.inf, 0.0), **common
        ),
        0.0,  # called inside the loop: their own cost cannot be told apart
    )
    print(f"njit, fused             {fused:7.2f} us   (goal 0.4)")


def scipy_overhead(n: int, limit: Any, repeat: int) -> float:
    """Microseconds an evaluation that differential_evolution adds to the functions."""
    calls = 0

    def counted(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return objective(x)

    def action() -> None:
        nonlocal calls
        calls = 0
        differential_evolution(
            counted, BOUNDS, constraints=limit, maxiter=max(1, n // 150), popsize=15, tol=0.0,
            polish=False, rng=1,
        )  # fmt: skip

    seconds = best_time(action, repeat)
    # Trials that violate the constraint cost no objective: count trials, as the budget does.
    trials = 15 * DIM * (max(1, n // 150) + 1)
    return (seconds - best_time(python_calls(trials), repeat)) / trials * 1e6


def pymoo_overhead(n: int, repeat: int) -> float:
    """Microseconds an evaluation that pymoo's DE adds to the functions, called with 100 rows."""
    from pymoo.algorithms.soo.nonconvex.de import DE
    from pymoo.core.problem import Problem
    from pymoo.optimize import minimize

    class Rows(Problem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=DIM, n_obj=1, n_ieq_constr=1, xl=-5.0, xu=5.0)

        def _evaluate(self, x: Any, out: Any, *_: Any, **__: Any) -> None:
            out["F"], out["G"] = objective_rows(x)[:, None], constraint_rows(x)[:, None]

    seconds = best_time(lambda: minimize(Rows(), DE(), ("n_eval", n), seed=1), repeat)
    return (seconds - best_time(row_calls([100] * (n // 100)), repeat)) / n * 1e6


def pygmo_overhead(n: int, repeat: int) -> float:
    """Microseconds an evaluation that pygmo's sade under cstrs_self_adaptive adds."""
    import pygmo

    class Udp:
        def fitness(self, x: Any) -> list[float]:
            return [objective(x), constraint(x)]

        def get_bounds(self) -> tuple[list[float], list[float]]:
            return [-5.0] * DIM, [5.0] * DIM

        def get_nic(self) -> int:
            return 1

    calls = 0

    def action() -> None:
        nonlocal calls
        algorithm = pygmo.cstrs_self_adaptive(n // 50, pygmo.sade(gen=1, seed=1), seed=1)
        population = pygmo.population(pygmo.problem(Udp()), size=50, seed=1)
        calls = pygmo.algorithm(algorithm).evolve(population).problem.get_fevals()

    seconds = best_time(action, repeat)
    return (seconds - best_time(python_calls(calls), repeat)) / calls * 1e6


def batch_sizes(n: int, batch: int | None) -> list[int]:
    """Sizes of the batches that a run asks for."""
    optimizer = rdex.Optimizer(BOUNDS, n_ineq=1, maxfev=n, rng=1, algorithm="rdex-csop")
    sizes = []
    while not optimizer.stop:
        present = optimizer._searching._strategy.engine.n
        X = optimizer.ask(batch or default_batch(present))
        sizes.append(len(X))
        optimizer.tell(X, X[:, 0], X[:, 1:2])
    return sizes


if __name__ == "__main__":
    main()
