"""Problems of other packages' documentation and suites, solved inside those packages."""

import numpy as np
import pytest

import rdex
from rdex.suites import get

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

#: Constrained problems that SciPy's page on differential_evolution builds on; its tests solve them.
OF_SCIPY = ("G01", "G04", "G06", "G07", "G08", "G09", "G11")


@pytest.mark.parametrize("name", OF_SCIPY)
def test_scipy(name):
    from scipy.optimize import NonlinearConstraint, minimize

    problem = get(f"g2006/{name}")

    def values(x):
        f, g, h = (part[0] for part in problem.evaluate(x[None, :]))
        return f, np.r_[g, h]

    low = np.r_[np.full(problem.n_ineq, -np.inf), np.zeros(problem.n_eq)]
    box = list(zip(problem.lower, problem.upper, strict=True))
    result = minimize(
        lambda x: values(x)[0], problem.lower, method=rdex.scipy_method, bounds=box,
        constraints=NonlinearConstraint(lambda x: values(x)[1], low, 0 * low.clip(0)),
        options={"maxfev": 3000, "rng": 1},
    )  # fmt: skip
    assert result.success and result.fun <= problem.optimum + 1e-3 * abs(problem.optimum)


@pytest.mark.parametrize("name", ["g1", "g4", "g6", "g9"])
def test_pymoo(name):
    pytest.importorskip("pymoo")
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    from rdex.adapters.pymoo import Rdex

    problem = get_problem(name)
    result = minimize(problem, Rdex(), ("n_eval", 3000), seed=1)
    best = problem.pareto_front()[0, 0]
    assert result.F[0] <= best + 1e-3 * abs(best)


def test_optuna():
    """The study of the FAQ on constraints, with one of its objectives."""
    optuna = pytest.importorskip("optuna")
    from rdex.adapters.optuna import RdexSampler

    def objective(trial):
        x, y = trial.suggest_float("x", -15, 30), trial.suggest_float("y", -15, 30)
        trial.set_constraint("circle", (x - 5) ** 2 + y**2 - 25)
        trial.set_constraint("hole", 7.7 - (x - 8) ** 2 - (y + 3) ** 2)
        return (x - 5) ** 2 + (y - 5) ** 2

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=RdexSampler(60, seed=1))
    study.optimize(objective, n_trials=60)
    assert study.best_trial.value < 0.01  # the best feasible one


def test_coco(tmp_path):
    """Most functions of a row come within 1e-6, of targets down to 1e-8."""
    pytest.importorskip("cocoex")
    from rdex.adapters.coco import run_suite
    from rdex.adapters.coco_data import read_data_set

    folder = run_suite(
        tmp_path / "auto", instances="instances: 1", budget=100,
        choice="dimensions: 2 function_indices: 1-12",
    )  # fmt: skip
    ends = [records[-1, 1] for series in read_data_set(folder) for _, _, records in series.runs]
    assert len(ends) == 12 and sum(end <= 1e-6 for end in ends) >= 9


def test_ioh(tmp_path):
    ioh = pytest.importorskip("ioh")
    from rdex.adapters.ioh import run_problems

    ends = []
    for number in (1, 2, 5, 8):  # sphere, ellipsoid, slope, Rosenbrock
        problem = ioh.get_problem(number, 1, 3)
        logger = ioh.logger.Analyzer(root=str(tmp_path), folder_name=f"f{number}")
        values = []
        run_problems([problem], logger, budget=100, callback=lambda r, v=values: v.append(r.fun))
        ends.append(values[-1] - problem.optimum.y)
    assert max(ends) < 1e-2
