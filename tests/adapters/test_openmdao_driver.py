"""`RdexDriver` on models of OpenMDAO: scaling, constraints, failures, records, worker processes."""

import importlib.metadata
import tomllib
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("openmdao.api")

import openmdao.api as om
from openmdao.test_suite.components.sellar_feature import SellarMDA
from openmdao.test_suite.test_examples.beam_optimization.beam_group import BeamGroup

from rdex.adapters.openmdao import RdexDriver

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    """OpenMDAO writes folders beside the program."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENMDAO_REPORTS", "0")


class Bowl(om.ExplicitComponent):
    """f = |x|², c = x: whatever is added around it decides the answer."""

    def setup(self):
        self.add_input("x", np.full(2, 3.0), units="m")
        self.add_output("f", 0.0)
        self.add_output("c", np.zeros(2), units="m")
        self.declare_partials("*", "*", method="fd")  # else OpenMDAO warns about derivatives

    def compute(self, inputs, outputs):
        x = inputs["x"]
        outputs["f"] = x @ x
        outputs["c"] = x


def bowl(maxfev=800, component=None, **options):
    problem = om.Problem(om.Group())
    problem.model.add_subsystem("bowl", component or Bowl(), promotes=["*"])
    problem.driver = RdexDriver(maxfev=maxfev, seed=1, **options)
    problem.model.add_design_var("x", lower=-5, upper=5)
    problem.model.add_objective("f")
    return problem


def solved(problem):
    problem.setup()
    problem.set_solver_print(level=-1)
    return problem.run_driver()


def test_sellar():
    problem = om.Problem(SellarMDA())
    problem.driver = RdexDriver(maxfev=600, seed=1)
    problem.model.add_design_var("x", lower=0, upper=10, ref=3.0)
    problem.model.add_design_var("z", lower=0, upper=10)
    problem.model.add_objective("obj")
    problem.model.add_constraint("con1", upper=0)
    problem.model.add_constraint("con2", upper=0)
    result = solved(problem)
    assert result.success and result.exit_status == "SUCCESS"
    assert result.model_evals == problem.driver.iter_count == 601  # the last is the best again
    assert problem.get_val("obj")[0] == pytest.approx(3.18339, abs=0.05)
    assert problem.get_val("con1")[0] <= 1e-6
    assert problem.driver.best.fun == pytest.approx(problem.get_val("obj")[0], rel=1e-6)


def test_the_beam_and_its_volume():
    problem = om.Problem(BeamGroup(E=1.0, L=1.0, b=0.1, volume=0.01, num_elements=3))
    problem.driver = RdexDriver(maxfev=1500, seed=1, eq_tol=1e-5)
    result = solved(problem)
    assert result.success and problem.driver.best.H.size == 1
    assert problem.get_val("volume_comp.volume")[0] == pytest.approx(0.01, abs=1e-5)
    heights = problem.get_val("h")
    assert (np.diff(heights) < 0).all()  # a cantilever is high where it is held

    by_gradients = om.Problem(BeamGroup(E=1.0, L=1.0, b=0.1, volume=0.01, num_elements=3))
    by_gradients.driver = om.ScipyOptimizeDriver(optimizer="SLSQP", tol=1e-9, disp=False)
    solved(by_gradients)
    best = by_gradients.get_val("compliance_comp.compliance")[0]
    assert problem.get_val("compliance_comp.compliance")[0] == pytest.approx(best, rel=5e-3)


class Fragile(Bowl):
    """Fails on purpose where it would be best, and leaves a mess."""

    failures = 0

    def compute(self, inputs, outputs):
        super().compute(inputs, outputs)
        if inputs["x"][0] < 1.0:
            type(self).failures += 1
            outputs["c"] = np.nan
            raise om.AnalysisError("no convergence")


def test_an_analysis_that_fails_on_purpose():
    problem = bowl(component=Fragile())
    result = solved(problem)
    assert result.success and Fragile.failures > 100
    assert problem.driver.best.n_failed == Fragile.failures
    assert problem.get_val("x") == pytest.approx([1, 0], abs=0.05)
    assert np.isfinite(problem.model._outputs.asarray()).all()


def test_a_first_run_that_fails_is_no_reason_to_give_up():
    problem = bowl(component=Fragile(), maxfev=300)
    problem.setup()
    problem.set_val("x", [0.0, 0.0])
    assert problem.run_driver().success


def test_any_other_exception_ends_the_run():
    class Mistaken(Bowl):
        def compute(self, inputs, outputs):
            if inputs["x"][0] < 0:
                raise ZeroDivisionError("a mistake")
            super().compute(inputs, outputs)

    with pytest.raises(ZeroDivisionError, match="a mistake"):
        solved(bowl(component=Mistaken()))


@pytest.mark.parametrize("scaling", [
    {}, {"ref": 10.0}, {"scaler": -2.0}, {"ref": 4.0, "ref0": 1.0}, {"units": "km"},
])  # fmt: skip
def test_constraints_hold_in_every_scaling(scaling):
    factor = 1e-3 if scaling.get("units") else 1.0
    problem = bowl()
    problem.model.add_constraint(
        "c", lower=1.0 * factor, upper=2.0 * factor, indices=[0], **scaling
    )
    solved(problem)
    assert problem.get_val("x") == pytest.approx([1, 0], abs=0.02)
    assert problem.get_val("x")[0] >= 1.0 - 1e-9
    names = {state.name for state in problem.driver.best.violations}
    assert names == {"c (lower)", "c (upper)"}


@pytest.mark.parametrize("scaling", [{}, {"ref": 10.0}, {"scaler": -2.0}, {"units": "mm"}])
def test_equalities_hold_in_every_scaling(scaling):
    factor = 1e3 if scaling.get("units") else 1.0
    problem = bowl(eq_tol=1e-3)
    problem.model.add_constraint("c", equals=[1.5 * factor], indices=[1], **scaling)
    assert solved(problem).success
    assert problem.get_val("x") == pytest.approx([0, 1.5], abs=0.02)
    assert problem.driver.best.violations[0].kind == "="


def test_arrays_of_bounds_and_open_sides():
    problem = bowl()
    problem.model.add_constraint("c", lower=[1.0, -np.inf], upper=[1.0, -1.0])
    solved(problem)
    best = problem.driver.best
    assert best.H.size == 1 and best.G.size == 1  # equal bounds are an equality
    assert problem.get_val("x") == pytest.approx([1, -1], abs=0.02)


@pytest.mark.parametrize("scaling", [
    {"ref": 7.0}, {"scaler": -3.0}, {"adder": 2.0, "scaler": 0.1}, {"units": "cm"},
])  # fmt: skip
def test_design_variables_in_every_scaling(scaling):
    factor = 100.0 if scaling.get("units") else 1.0
    problem = om.Problem(om.Group())
    problem.model.add_subsystem("bowl", Bowl(), promotes=["*"])
    problem.driver = RdexDriver(maxfev=600, seed=1)
    problem.model.add_design_var(
        "x", lower=1.0 * factor, upper=5.0 * factor, indices=[1], **scaling
    )
    problem.model.add_objective("f")
    solved(problem)
    assert problem.get_val("x") == pytest.approx([3.0, 1.0], abs=1e-3)  # the first is left alone


def test_objectives_may_be_maximised():
    problem = om.Problem(om.Group())
    problem.model.add_subsystem("bowl", Bowl(), promotes=["*"])
    problem.driver = RdexDriver(maxfev=600, seed=1)
    problem.model.add_design_var("x", lower=-1, upper=5)
    problem.model.add_objective("f", scaler=-1.0)
    solved(problem)
    assert problem.get_val("x") == pytest.approx([5, 5], abs=1e-2)


class Teeth(om.ExplicitComponent):
    """A gear with whole numbers of teeth."""

    def setup(self):
        self.add_discrete_input("teeth", 20)
        self.add_discrete_input("sizes", np.array([3, 3]))
        self.add_input("width", 1.0)
        self.add_output("f", 0.0)
        self.add_output("ratio", 0.0)

    def compute(self, inputs, outputs, discrete_inputs, discrete_outputs):
        teeth, sizes = discrete_inputs["teeth"], discrete_inputs["sizes"]
        assert isinstance(teeth, int) and sizes.dtype.kind == "i"
        outputs["f"] = (teeth - 31.4) ** 2 + (inputs["width"] - 2.0) ** 2 + ((sizes - 5) ** 2).sum()
        outputs["ratio"] = teeth / 10


def test_discrete_variables():
    problem = om.Problem(om.Group())
    problem.model.add_subsystem("gear", Teeth(), promotes=["*"])
    problem.driver = RdexDriver(maxfev=1200, seed=1)
    problem.model.add_design_var("teeth", lower=12, upper=60)
    problem.model.add_design_var("sizes", lower=1, upper=9)
    problem.model.add_design_var("width", lower=0, upper=9, ref=5.0)
    problem.model.add_objective("f")
    problem.model.add_constraint("ratio", lower=3.15)
    solved(problem)
    assert problem.get_val("teeth") == 32 and list(problem.get_val("sizes")) == [5, 5]
    assert problem.get_val("width")[0] == pytest.approx(2, abs=1e-2)


def test_recorders_see_every_run(tmp_path):
    problem = bowl(maxfev=60)
    problem.driver.add_recorder(om.SqliteRecorder(tmp_path / "cases.sql"))
    problem.setup()
    problem.run_driver()
    problem.cleanup()
    reader = om.CaseReader(tmp_path / "cases.sql")
    cases = reader.list_cases("driver", out_stream=None)
    assert len(cases) == 61 and cases[-1].startswith("rank0:rdex|")
    best = min(reader.get_case(case)["f"][0] for case in cases)
    assert reader.get_case(-1)["f"][0] == best == problem.get_val("f")[0]


def test_the_same_seed_gives_the_same_run():
    answers = []
    for _ in range(2):
        problem = bowl(maxfev=100)
        solved(problem)
        answers.append(problem.get_val("x").tolist())
    assert answers[0] == answers[1]


def test_settings_reach_minimize():
    problem = bowl(algorithm="lshade-eps")
    problem.driver.opt_settings["target"] = 1.0
    solved(problem)
    assert problem.driver.best.algorithm == "lshade-eps"
    assert problem.driver.best.fun <= 1.0 and problem.driver.best.nfev < 800


def test_no_feasible_design_is_no_success():
    problem = bowl(maxfev=200)
    problem.model.add_constraint("c", lower=7.0, indices=[0])
    result = solved(problem)
    assert not result.success and result.exit_status == "FAIL"
    assert "c by" in problem.driver.best.message
    assert problem.get_val("x")[0] == pytest.approx(5, abs=0.1)


def test_worker_processes_build_their_own_models():
    def build():
        made = bowl(maxfev=60)
        made.model.add_constraint("c", lower=1.0, indices=[0])
        made.setup()
        return made

    here, elsewhere = build(), build()
    here.driver.opt_settings.update(batch=8)
    elsewhere.driver.options["workers"] = 2
    elsewhere.driver.options["build"] = build
    elsewhere.driver.opt_settings.update(batch=8)
    here.run_driver()
    elsewhere.run_driver()
    assert elsewhere.get_val("x").tolist() == here.get_val("x").tolist()
    assert elsewhere.driver.result.model_evals == 1  # the best point; all others ran elsewhere
    elsewhere.driver.options["build"] = None
    with pytest.raises(ValueError, match="build"):
        elsewhere.run_driver()


def test_what_cannot_be_searched_is_refused():
    problem = bowl()
    problem.model.add_objective("c")
    with pytest.raises((RuntimeError, ValueError)):
        solved(problem)
    unbounded = om.Problem(om.Group())
    unbounded.model.add_subsystem("bowl", Bowl(), promotes=["*"])
    unbounded.driver = RdexDriver(maxfev=100)
    unbounded.model.add_design_var("x", lower=0)
    unbounded.model.add_objective("f")
    with pytest.raises(ValueError, match=r"'x' needs finite lower= and upper="):
        solved(unbounded)


def test_the_driver_is_an_entry_point_of_openmdao():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = project["entry-points"]["openmdao_driver"]["rdexdriver"]
    point = importlib.metadata.EntryPoint("rdexdriver", declared, "openmdao_driver")
    assert point.load() is RdexDriver
