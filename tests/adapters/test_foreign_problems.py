"""`Problem.from_pymoo`, `from_cocoex`, `from_pygmo`: the same values as the package gives."""

import sys

import numpy as np
import pytest

import rdex
from rdex.common.extras import MissingExtraError


def random_points(problem, n=5):
    unit = np.random.default_rng(1).uniform(size=(n, problem.dim))
    points = problem.lower + unit * (problem.upper - problem.lower)
    if problem.integrality is not None:
        points[:, problem.integrality] = np.round(points[:, problem.integrality])
    return points


class TestPymoo:
    @pytest.fixture(autouse=True)
    def _package(self):
        pytest.importorskip("pymoo")

    @pytest.mark.parametrize("name", ["g1", "g5", "himmelblau"])
    def test_values_are_theirs(self, name):
        from pymoo.problems import get_problem

        theirs = get_problem(name)
        ours = rdex.Problem.from_pymoo(theirs)
        x = random_points(ours)
        f, g, h = ours.evaluate(x)
        expected = theirs.evaluate(x, return_values_of=["F", "G", "H"])
        assert np.array_equal(f, expected[0][:, 0])
        assert np.array_equal(g, expected[1]) and np.array_equal(h, expected[2])

    def test_equalities_are_solved(self):
        from pymoo.core.problem import Problem

        class Plane(Problem):
            def __init__(self):
                super().__init__(n_var=2, n_obj=1, n_ieq_constr=1, n_eq_constr=1, xl=-5.0, xu=5.0)

            def _evaluate(self, x, out, *args, **kwargs):
                out["F"] = (x**2).sum(axis=1)
                out["G"] = 0.8 - x[:, 0]
                out["H"] = x.sum(axis=1) - 1

        result = rdex.minimize(rdex.Problem.from_pymoo(Plane()), maxfev=1500, rng=1)
        assert result.feasible and result.x == pytest.approx([0.8, 0.2], abs=1e-3)

    def test_mixed_variables(self):
        from pymoo.core.problem import ElementwiseProblem
        from pymoo.core.variable import Binary, Choice, Integer, Real

        class Mixed(ElementwiseProblem):
            def __init__(self):
                variables = {"on": Binary(), "kind": Choice(options=["a", "b", "c"]),
                             "n": Integer(bounds=(-2, 5)), "z": Real(bounds=(-2, 5))}  # fmt: skip
                super().__init__(vars=variables, n_obj=1, n_ieq_constr=1)

            def _evaluate(self, x, out, *args, **kwargs):
                assert isinstance(x["n"], int)
                bonus = {"a": 0, "b": -3, "c": 1}[x["kind"]] - 2 * x["on"]
                out["F"] = x["n"] ** 2 + x["z"] ** 2 + bonus
                out["G"] = 1 - x["n"]

        problem = rdex.Problem.from_pymoo(Mixed())
        assert problem.dim == 4 and problem.n_ineq == 1
        result = rdex.minimize(problem, maxfev=1000, rng=1)
        assert result.fun == pytest.approx(-4, abs=1e-6)
        assert result.design | {"z": 0} == {"on": True, "kind": "b", "n": 1, "z": 0}

    def test_a_point_that_fails_takes_no_other_with_it(self):
        from pymoo.core.problem import ElementwiseProblem

        class Fragile(ElementwiseProblem):
            def __init__(self):
                super().__init__(n_var=2, n_obj=1, xl=-1.0, xu=1.0)

            def _evaluate(self, x, out, *args, **kwargs):
                if x[0] > 0.5:
                    raise RuntimeError("broken")
                out["F"] = -x[0] + x[1] ** 2

        result = rdex.minimize(rdex.Problem.from_pymoo(Fragile()), maxfev=800, rng=3, batch=8)
        assert 0 < result.n_failed < 400
        assert result.fun == pytest.approx(-0.5, abs=1e-2)

    def test_whole_numbers_by_type(self):
        from pymoo.core.problem import Problem

        theirs = Problem(n_var=2, n_obj=1, xl=0, xu=9, vtype=int)
        assert rdex.Problem.from_pymoo(theirs, name="steps").integrality.all()

    def test_what_cannot_be_taken_is_refused(self):
        from pymoo.core.problem import Problem
        from pymoo.problems import get_problem

        with pytest.raises(ValueError, match="one objective, got 2"):
            rdex.Problem.from_pymoo(get_problem("zdt1"))
        with pytest.raises(ValueError, match="no bounds"):
            rdex.Problem.from_pymoo(Problem(n_var=2, n_obj=1))


class TestCoco:
    @pytest.fixture
    def cocoex(self):
        return pytest.importorskip("cocoex")

    def test_values_are_theirs(self, cocoex):
        suite = cocoex.Suite("bbob-constrained", "instances: 1", "dimensions: 3")
        for k in (0, 7, 53):
            theirs = suite[k]
            ours = rdex.Problem.from_cocoex(theirs)
            x = random_points(ours)
            f, g, h = ours.evaluate(x)
            assert ours.name == theirs.id and h.shape == (5, 0)
            assert f.tolist() == [theirs(each) for each in x]
            assert g.tolist() == [theirs.constraint(each).tolist() for each in x]

    def test_whole_numbers_stand_first(self, cocoex):
        theirs = cocoex.Suite("bbob-mixint", "instances: 1", "dimensions: 5")[0]
        ours = rdex.Problem.from_cocoex(theirs)
        assert ours.integrality.tolist() == [True] * 4 + [False]
        assert ours.n_constraints == 0 and ours.evaluate(random_points(ours))[0].shape == (5,)

    def test_several_objectives_are_refused(self, cocoex):
        theirs = cocoex.Suite("bbob-biobj", "instances: 1", "dimensions: 2")[0]
        with pytest.raises(ValueError, match="one objective, got 2"):
            rdex.Problem.from_cocoex(theirs)


class TestPygmo:
    @pytest.fixture
    def pygmo(self):
        return pytest.importorskip("pygmo")

    def test_values_are_theirs(self, pygmo):
        theirs = pygmo.problem(pygmo.cec2006(prob_id=5))
        ours = rdex.Problem.from_pygmo(theirs)
        x = random_points(ours)
        f, g, h = ours.evaluate(x)
        expected = np.array([theirs.fitness(each) for each in x])
        assert np.array_equal(np.column_stack([f, h, g]), expected)
        assert (ours.n_eq, ours.n_ineq, ours.name) == (3, 2, theirs.get_name())

    def test_user_defined_problems_and_whole_numbers(self, pygmo):
        class Mine:
            def fitness(self, x):
                return [x[0] + x[1], 1.5 - x[1]]

            def get_bounds(self):
                return [0, 0], [9, 9]

            def get_nix(self):
                return 1

            def get_nic(self):
                return 1

        ours = rdex.Problem.from_pygmo(Mine())
        assert ours.integrality.tolist() == [False, True]
        result = rdex.minimize(ours, maxfev=800, rng=1)
        assert result.x == pytest.approx([0, 2], abs=1e-4)

    def test_several_objectives_are_refused(self, pygmo):
        with pytest.raises(ValueError, match="one objective, got 2"):
            rdex.Problem.from_pygmo(pygmo.zdt(1))


@pytest.mark.parametrize(("method", "package"), [("from_pymoo", "pymoo"), ("from_pygmo", "pygmo")])
def test_a_missing_package_is_named(monkeypatch, method, package):
    for name in [n for n in sys.modules if n.split(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"rdex.adapters.{package}", raising=False)
    with pytest.raises(MissingExtraError, match=rf'pip install "rdex\[{package}\]"'):
        getattr(rdex.Problem, method)(object())
