"""Constraints are shown as they were stated: sides, sense, units, margins, tolerance used."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint

from rdex import Problem, minimize
from rdex.run.constraint_state import ConstraintState, constraint_states
from rdex.run.progress import Progress

BOX = [(0.0, 4.0)] * 2

CONSTRAINTS = [
    NonlinearConstraint(lambda x: x[0] * x[1], 2.0, np.inf),
    NonlinearConstraint(lambda x: 100 * x.sum(), -np.inf, 400.0),
    LinearConstraint([[1.0, -1.0]], -2.0, 3.0),
    {"type": "eq", "fun": lambda x: x[0] - x[1]},
]
NAMES = ["volume", "stress", "gap (upper)", "gap (lower)", "residual"]
UNITS = {"volume": "m³", "stress": "MPa", "gap": "mm", "x1": "m", "f": "kg"}


def solve(**more):
    return minimize(
        lambda x: x @ x, BOX, constraints=CONSTRAINTS, constraint_names=NAMES, units=UNITS,
        maxfev=4000, rng=0, **more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def solved():
    return solve()


def by_name(result):
    return {state.name: state for state in result.violations}


def test_values_are_those_of_the_users_functions(solved):
    states = by_name(solved)
    a, b = solved.x
    expected = [(a * b, ">=", 2.0), (100 * (a + b), "<=", 400.0), (a - b, "<=", 3.0),
                (a - b, ">=", -2.0), (a - b, "=", 0.0)]  # fmt: skip
    for name, (value, sense, bound) in zip(NAMES, expected, strict=True):
        state = states[name]
        assert state.value == pytest.approx(value, rel=1e-12, abs=1e-12)
        assert (state.kind, state.bound) == (sense, bound)
    assert np.array_equal(solved.G[0], 2.0 - a * b)


def test_margins_in_units_and_percent(solved):
    states = by_name(solved)
    stress = states["stress"]
    assert stress.margin == pytest.approx(400 - stress.value)
    assert stress.margin_percent == pytest.approx(100 * (400 - stress.value) / 400)
    assert states["gap (lower)"].margin_percent == pytest.approx(100.0, abs=0.1)
    assert np.isnan(states["residual"].margin_percent)
    residual = states["residual"]
    assert residual.tolerance_used == pytest.approx(abs(residual.value) / 1e-4)


def test_rows_of_the_text(solved):
    text = str(solved)
    rows = [line.split() for line in text.splitlines()]
    assert ["volume", "2", "m³", "≥", "2", "active"] in rows
    stress = by_name(solved)["stress"]
    margin = f"ok, margin {stress.margin:.4g} MPa ({stress.margin_percent:.3g} %)"
    assert any(row[2:5] == ["MPa", "≤", "400"] and " ".join(row[5:]) == margin for row in rows)
    residual = next(row for row in rows if row[:1] == ["|residual|"])
    assert residual[2:4] == ["≤", "0.0001"] and residual[4:6] == ["ok,", "uses"]
    assert ["f", f"{solved.fun:.12g}", "kg"] in rows
    assert next(row for row in rows if row[:1] == ["x1"])[-1] == "m"


def test_rounding_is_no_margin():
    """-2.3e-14 <= 0 was shown as a value, and 2.1e-9 psi as a margin."""
    on_limit = ConstraintState("gap", "<=", -2.3e-14, 0.0, True, 0.0, units="mm", scale=0.7)
    assert on_limit.value_text == "0 mm" and on_limit.margin_texts == ("0 mm", "–")
    stress = ConstraintState("stress", "<=", 13600 - 2e-9, 0.0, True, 0.0, 13600.0, "psi", 1e4)
    assert stress.value_text == "13600 psi" and stress.margin_texts == ("0 psi", "0 %")
    slack = ConstraintState("stress", "<=", 13000, 0.0, True, 0.0, 13600.0, "psi", 1e4)
    assert slack.margin_texts == ("600 psi", "4.41 %")


def test_html_and_json_have_the_same_form(solved):
    page = solved._repr_html_()
    assert "<td>volume</td><td>2 m³</td><td>≥ 2</td><td>active</td>" in page
    facts = by_name(solved)["volume"].facts()
    assert facts["kind"] == ">=" and facts["bound"] == 2.0 and facts["units"] == "m³"
    assert facts["state"] == "active" and facts["margin_percent"] is not None
    assert by_name(solved)["residual"].facts()["margin_percent"] is None


def test_a_violated_constraint_is_violated_in_its_own_units():
    result = minimize(
        lambda x: x[0], [(0, 1)], constraints=NonlinearConstraint(lambda x: x[0], 2.0, np.inf),
        constraint_names=["reach"], units={"reach": "m"}, maxfev=500, rng=0,
    )  # fmt: skip
    assert "reach by 1 m" in result.message
    assert result.violations[0].verdict == "VIOLATED by 1 m (50 %)"


def test_tolerance_that_is_used_up_is_told():
    state = ConstraintState("mass", "<=", 10.0000004, 1e-6, True, 0.0, 10.0, "kg")
    assert state.verdict == "active, uses 40 % of the tolerance 1e-06"
    pinned = ConstraintState("length", "=", 2.00003, 1e-4, True, 0.0, 2.0, "m")
    assert (pinned.label, pinned.value_text, pinned.relation) == (
        "length", "2.00003 m", "= 2 ± 0.0001")  # fmt: skip
    assert pinned.verdict == "ok, uses 30 % of the tolerance"


def test_a_problem_may_say_how_its_entries_were_stated():
    problem = Problem.from_function(
        lambda x: (x[0], [2.0 - x[0]]), [(0, 5)], n_ineq=1, constraint_names=["volume"],
        stated=[(">=", 2.0)], units={"volume": "l"},
    )  # fmt: skip
    g, h = np.array([-0.5]), np.empty(0)
    (state,) = constraint_states(problem, g, h, np.zeros(1))
    assert (state.value, state.relation, state.units) == (2.5, "≥ 2", "l")
    (plain,) = Problem.from_function(lambda x: (x[0], [1.0]), [(0, 1)], n_ineq=1).stated
    assert plain == ("<=", 0.0)
    with pytest.raises(ValueError, match=r"stated\[0\]: expected <= or >= a number"):
        Problem.from_function(lambda x: 0, [(0, 1)], n_ineq=1, stated=[("=", 2.0)])
    with pytest.raises(ValueError, match="expected 1 entries, got 2"):
        Problem.from_function(lambda x: 0, [(0, 1)], n_ineq=1, stated=[("<=", 2.0)] * 2)


def test_units_of_something_unknown_are_refused():
    with pytest.raises(ValueError, match="no variable or constraint 'volum'"):
        minimize(lambda x: x[0], [(0, 1)], units={"volum": "l"}, maxfev=10)


def test_cheap_constraints_are_stated_too():
    cheap = NonlinearConstraint(lambda x: x[0], 1.0, np.inf)
    problem = Problem.from_function(
        lambda x: (x[0], [x[1] - 3]), BOX, n_ineq=1, stated=[("<=", 3.0)],
        constraint_names=["height"],
    )  # fmt: skip
    result = minimize(problem, cheap_constraints=cheap, maxfev=300, rng=0, units={"height": "m"})
    assert [(s.name, s.kind, s.bound, s.units) for s in result.violations] == [
        ("c1", ">=", 1.0, ""), ("height", "<=", 3.0, "m")]  # fmt: skip


def test_progress_names_the_worst_constraint(monkeypatch):
    seen = []
    monkeypatch.setattr(Progress, "update", lambda self, final=False: seen.append(self.facts()))
    minimize(
        lambda x: x[0], [(0, 1)], constraints=NonlinearConstraint(lambda x: x[0], 2.0, np.inf),
        constraint_names=["reach"], maxfev=300, rng=0, progress=True,
    )  # fmt: skip
    assert seen[-1]["worst"] == "reach 1 ≥ 2"
