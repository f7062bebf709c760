"""Our algorithms inside pymoo: one search, whoever drives it."""

import numpy as np
import pytest

pytest.importorskip("pymoo")

from pymoo.core.callback import Callback
from pymoo.core.problem import ElementwiseProblem, Problem
from pymoo.core.variable import Choice, Integer, Real
from pymoo.optimize import minimize
from pymoo.problems import get_problem

import rdex
from rdex.adapters.pymoo import Rdex


class Plane(Problem):
    """x1 + x2 = 1, x1 >= 0.8."""

    def __init__(self):
        super().__init__(n_var=2, n_obj=1, n_ieq_constr=1, n_eq_constr=1, xl=-5.0, xu=5.0)

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = (x**2).sum(axis=1)
        out["G"] = 0.8 - x[:, 0]
        out["H"] = x.sum(axis=1) - 1


def test_constraints_of_both_kinds_arrive():
    result = minimize(Plane(), Rdex(), ("n_eval", 1500), seed=1)
    assert result.X == pytest.approx([0.8, 0.2], abs=1e-3)
    assert result.G.shape == (1,) and abs(result.H[0]) <= 1e-4
    ours = result.algorithm.optimizer.result()
    assert ours.fun == result.F[0] and ours.x.tolist() == result.X.tolist()


def test_the_same_search_as_the_optimizer_of_rdex():
    optimizer = rdex.Optimizer([(-5, 5)] * 2, 1, 1, maxfev=60, rng=5, algorithm="auto")
    while not optimizer.stop:
        points = optimizer.ask(10)
        values = Plane().evaluate(points, return_values_of=["F", "G", "H"])
        optimizer.tell(points, *values)
    result = minimize(Plane(), Rdex(algorithm="auto", batch=10), ("n_eval", 60), seed=5)
    assert result.X.tolist() == optimizer.result().x.tolist()
    assert result.algorithm.evaluator.n_eval == 60


def test_seeds_and_options():
    first, again, other = (
        minimize(get_problem("g1"), Rdex(maxfev=100), seed=seed).algorithm.opt[0].X
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    chosen = minimize(Plane(), Rdex(300, "lshade-eps"), seed=1).algorithm.optimizer.result()
    assert chosen.algorithm == "lshade-eps" and chosen.violations[1].tolerance == 1e-4
    tight = minimize(Plane(), Rdex(300, eq_tol=1e-7), seed=1).algorithm.optimizer.result()
    assert tight.violations[1].tolerance == 1e-7


def test_ask_and_tell():
    problem, algorithm = Plane(), Rdex(batch=7)
    algorithm.setup(problem, termination=("n_eval", 300), seed=1)
    sizes = []
    while algorithm.has_next():
        infills = algorithm.ask()
        sizes.append(len(infills))
        algorithm.evaluator.eval(problem, infills)
        algorithm.tell(infills=infills)
    assert sum(sizes) == 300 and max(sizes) == 7
    assert algorithm.result().F[0] < 1.5


class Notes(Callback):
    def __init__(self):
        super().__init__()
        self.data["best"] = []

    def notify(self, algorithm):
        self.data["best"].append(algorithm.opt[0].F[0])


def test_callbacks_history_and_terminations():
    result = minimize(
        get_problem("sphere"), Rdex(maxfev=4000, callback=Notes()), ("n_gen", 12), seed=1,
        save_history=True,
    )  # fmt: skip
    best = result.algorithm.callback.data["best"]
    assert len(best) == len(result.history) == 12
    assert best == sorted(best, reverse=True) and best[-1] == result.F[0]
    assert result.algorithm.evaluator.n_eval < 4000
    assert result.history[0].optimizer.nfev < result.history[-1].optimizer.nfev


def test_the_budget_ends_a_run_without_a_termination():
    result = minimize(get_problem("sphere"), Rdex(maxfev=300), seed=1)
    assert result.algorithm.evaluator.n_eval == 300


def test_a_target_ends_a_run():
    result = minimize(get_problem("sphere"), Rdex(maxfev=9000, target=1.0), seed=1)
    assert result.F[0] <= 1.0 and result.algorithm.evaluator.n_eval < 9000


class Mixed(ElementwiseProblem):
    def __init__(self):
        variables = {"kind": Choice(options=["a", "b", "c"]), "n": Integer(bounds=(-4, 5)),
                     "z": Real(bounds=(-4, 5))}  # fmt: skip
        super().__init__(vars=variables, n_obj=1, n_ieq_constr=1)

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = x["n"] ** 2 + x["z"] ** 2 + {"a": 0, "b": -3, "c": 1}[x["kind"]]
        out["G"] = 1 - x["n"]


def test_mixed_variables():
    result = minimize(Mixed(), Rdex(), ("n_eval", 1500), seed=1)
    assert result.X["kind"] == "b" and result.X["n"] == 1
    assert result.F[0] == pytest.approx(-2, abs=1e-3)


def test_failed_evaluations_are_never_the_answer():
    class Fragile(Problem):
        def __init__(self):
            super().__init__(n_var=2, n_obj=1, n_ieq_constr=1, xl=-1.0, xu=1.0)

        def _evaluate(self, x, out, *args, **kwargs):
            out["F"] = np.where(x[:, 0] > 0.5, np.nan, -x[:, 0])
            out["G"] = np.where(x[:, 0] > 0.5, np.nan, x[:, 1])

    result = minimize(Fragile(), Rdex(), ("n_eval", 600), seed=1)
    assert result.F[0] == pytest.approx(-0.5, abs=1e-2)
    assert result.algorithm.optimizer.result().n_failed > 0


def test_an_infeasible_problem_gives_what_pymoo_promises():
    class Never(Problem):
        def __init__(self):
            super().__init__(n_var=2, n_obj=1, n_ieq_constr=1, xl=0.0, xu=1.0)

        def _evaluate(self, x, out, *args, **kwargs):
            out["F"], out["G"] = x.sum(axis=1), 3 - x.sum(axis=1)

    assert minimize(Never(), Rdex(maxfev=400), seed=1).X is None
    least = minimize(Never(), Rdex(maxfev=400), seed=1, return_least_infeasible=True)
    assert least.X == pytest.approx([1, 1], abs=1e-3)


def test_several_objectives_are_refused():
    with pytest.raises(ValueError, match="one objective, got 2"):
        minimize(get_problem("zdt1"), Rdex(maxfev=100))
