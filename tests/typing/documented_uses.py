"""The uses that the documentation shows, for a type checker."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rdex

Floats = NDArray[np.float64]


def objective(x: Floats) -> float:
    return float(x @ x)


def simulate(x: Floats) -> tuple[float, list[float], list[float]]:
    return objective(x), [1.0 - float(x[0])], []


def solved(folder: Path) -> rdex.Result:
    problem: rdex.Problem = rdex.Problem.from_function(simulate, [(-5.0, 5.0)] * 2, n_ineq=1)
    result: rdex.Result = rdex.minimize(
        problem,
        algorithm="rdex-tide",
        maxfev=1000,
        rng=1,
        checkpoint=folder / "run.npz",
        evaluations=folder / "log.csv",
        callback=lambda intermediate: intermediate.nfev > 500,
    )
    if result.status == rdex.Status.CALLBACK and result.feasible:
        print(result.x, result.fun, *result.notes)
    return result


def limited() -> rdex.Result:
    limits = [{"fun": lambda x: x[0] + x[1], "lb": 1, "ub": 1}, {"fun": objective, "ub": 4.0}]
    rdex.minimize(objective, [(-5, 5)] * 2, constraints=limits, maxfev=60, rng=1)
    return rdex.minimize(
        objective,
        [(-5, 5)] * 2,
        constraints={"name": "total", "fun": lambda x: x[0] + x[1], "lb": 1},
        maxfev=60,
        rng=1,
    )


def advanced(optimizer: rdex.Optimizer) -> rdex.Result:
    while optimizer.stop is None:
        points: Floats = optimizer.ask(8)
        optimizer.tell(points, (points**2).sum(axis=1))
        for trial in optimizer.ask_trials(2):
            number: int = trial.id
            optimizer.tell_trial(number, objective(trial.x))
    return optimizer.result()


def constants() -> int:
    settings: rdex.Settings = rdex.preset("rdex-csop")
    variant = settings.replace(n0=100, name="mine")
    period: int = rdex.preset("ude-iv").learning_period
    return rdex.preset("rdex-csop").memory_size + variant.memory_size + period


def named() -> dict[str, str]:
    return rdex.algorithms()


def careful() -> None:
    try:
        rdex.minimize(objective, [(-5, 5)] * 2, settings=rdex.preset("rde26"), maxfev=100)
    except (rdex.EvaluationError, rdex.RunFileError, rdex.LogError, rdex.FileInUseError):
        raise
    except rdex.RdexError as error:
        print(error)
