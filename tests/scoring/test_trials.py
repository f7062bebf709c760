"""`Trials`, its forms of violation, and rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdex.scoring.rounding import round_significant
from rdex.scoring.trials import Run, Trials, join
from rdex.scoring.violation import violation_from_constraints


def run(algorithm="a", problem="p", maxfev=100, f=(2.0, 1.0), v=(1.0, 0.0), **more):
    return Run(algorithm, problem, maxfev, f, v, **more)


@given(st.lists(st.floats(allow_nan=False), max_size=20), st.integers(1, 15))
def test_rounding_is_printing_and_reading(values, digits):
    expected = [float(f"{value:.{digits - 1}e}") for value in values]
    assert round_significant(values, digits).tolist() == expected


@pytest.mark.parametrize("exponent", [-300, -30, -5, 0, 5, 21, 22, 23, 300])
def test_rounding_at_ties_and_powers_of_ten(exponent):
    values = np.array([1.234565, 9.999995, 9.9999951, 1.0, -2.5000005]) * 10.0**exponent
    expected = [float(f"{value:.5e}") for value in values]
    assert round_significant(values, 6).tolist() == expected


def test_rounding_keeps_what_has_no_digits():
    kept = round_significant([np.nan, np.inf, -np.inf, 0.0], 6)
    np.testing.assert_array_equal(kept, [np.nan, np.inf, -np.inf, 0.0])
    assert round_significant([1.23456789], None).tolist() == [1.23456789]
    with pytest.raises(ValueError, match="digits must be None or a whole number from 1 to 15"):
        round_significant([1.0], 0)


def test_three_forms_of_violation():
    G, H = [[1.0, -3.0]], [[5e-5, -2.0]]
    assert violation_from_constraints(G, H, "sum").tolist() == [3.0]
    assert violation_from_constraints(G, H, "mean").tolist() == [0.75]
    assert violation_from_constraints(G, H, "signed").tolist() == [-4.0]
    # C01 at its optimum: 30 * (-9000)
    assert violation_from_constraints([[-270000.0]], np.empty((1, 0)), "signed") == [-270000.0]
    assert violation_from_constraints(np.empty((1, 0)), np.empty((1, 0))).tolist() == [0.0]
    with pytest.raises(ValueError, match="one of mean, sum, signed, got 'max'"):
        violation_from_constraints(G, H, "max")
    with pytest.raises(ValueError, match="agree in all axes but the last"):
        violation_from_constraints(np.zeros((2, 1)), np.zeros((3, 1)))


def test_runs_are_put_in_their_places():
    trials = Trials.from_runs(
        [
            run("a", "p", f0=9.0, v0=2.0),
            run("a", "p", f=(5, 4)),
            run("b", "p", f=(7, 6)),
            run("b", "q", maxfev=200),
        ]
    )
    assert trials.algorithms == ("a", "b") and trials.problems == ("p", "q")
    assert trials.maxfev.tolist() == [100, 200]
    assert trials.counts.tolist() == [[2, 0], [1, 1]]
    assert trials.f[0, 0, 1].tolist() == [5, 4] and trials.f[1, 0, 0].tolist() == [7, 6]
    assert np.isnan(trials.f[0, 1]).all() and np.isnan(trials.v[1, 0, 1]).all()
    assert trials.f0[0, 0, 0] == 9.0 and np.isnan(trials.f0[1, 1, 0])
    assert [(r.algorithm, r.problem) for r in trials.runs()] == [
        ("a", "p"), ("a", "p"), ("b", "p"), ("b", "q"),
    ]  # fmt: skip


def test_checkpoints_stand_for_rounded_up_evaluations():
    trials = Trials.from_arrays(np.zeros((1, 2, 1, 4)), np.zeros((1, 2, 1, 4)), maxfev=[10, 8])
    assert trials.evaluations.tolist() == [[3, 5, 8, 10], [2, 4, 6, 8]]


def test_final_violation_in_every_form():
    G, H = [3.0, -1.0], [-4.0]
    trials = Trials.from_runs([run(v=(5.0, 7 / 3), G=G, H=H)])
    assert trials.final_violation("mean").ravel().tolist() == [7 / 3]
    assert trials.final_violation("sum").ravel().tolist() == [7.0]
    assert trials.final_violation("signed").ravel().tolist() == [-2.0]
    assert trials.n_constraints.tolist() == [3]
    assert trials.in_form("sum").v.ravel().tolist() == [15.0, 7.0]
    with pytest.raises(ValueError, match="'mean' cannot be turned into 'signed'"):
        trials.in_form("signed")


def test_forms_without_constraint_values():
    f, v = np.zeros((1, 1, 1, 2)), np.full((1, 1, 1, 2), 6.0)
    sums = Trials.from_arrays(f, v, maxfev=10, form="sum", n_constraints=3)
    assert sums.final_violation("mean").ravel().tolist() == [2.0]
    with pytest.raises(ValueError, match="needs n_constraints"):
        Trials.from_arrays(f, v, maxfev=10, form="sum").in_form("mean")
    with pytest.raises(ValueError, match="needs the constraint values"):
        sums.final_violation("signed")


def test_signed_sums_decide_only_when_asked_to():
    f, v = np.zeros((1, 1, 1, 2)), np.array([[[[5.0, -3.0]]]])
    signed = Trials.from_arrays(f, v, maxfev=10, form="signed")
    with pytest.raises(ValueError, match="slack pays for violation"):
        _ = signed.deciding_v
    published = signed.prepared(as_published=True)
    assert published.deciding_v.ravel().tolist() == [5.0, 0.0]
    assert published.v.ravel().tolist() == [5.0, -3.0]


def test_prepared_rounds_and_cuts_off():
    f = np.array([[[[1.23456789, 5e-9]]]])
    trials = Trials.from_arrays(f, np.array([[[[0.123456789, 0.0]]]]), maxfev=10)
    ready = trials.prepared(cutoff=1e-8, digits=6)
    assert ready.f.ravel().tolist() == [1.23457, 0.0]
    assert ready.v.ravel().tolist() == [0.123457, 0.0]
    assert trials.prepared().f is trials.f


def test_selecting_and_joining_are_inverse():
    rng = np.random.default_rng(0)
    runs = [
        run(a, p, f=rng.random(2), v=rng.random(2), G=rng.random(g), H=())
        for a in "abc" for p, g in (("p", 1), ("q", 2)) for _ in range(3)
    ]  # fmt: skip
    whole = Trials.from_runs(runs)
    again = join([whole.select(["a"]), whole.select(["b", "c"])])
    np.testing.assert_array_equal(again.f, whole.f)
    np.testing.assert_array_equal(again.final_G[1], whole.final_G[1])
    turned = whole.select(["c", "a"], ["q"])
    assert turned.algorithms == ("c", "a") and turned.f.shape == (2, 1, 3, 2)
    np.testing.assert_array_equal(turned.f[0, 0], whole.f[2, 1])
    with pytest.raises(ValueError, match="no algorithm named 'x'; there are a, b, c"):
        whole.select(["x"])
    other = Trials.from_runs([run("d", v=(1.0, 0.5))], form="sum")
    with pytest.raises(ValueError, match="whose violations are mean and sum"):
        join([whole, other])


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([], "no runs given"),
        ([run(), run(f=(1.0,), v=(0.0,))], "expected traces of 2 checkpoints"),
        ([run(), run(maxfev=101)], "differ in budget: 100 and 101"),
        ([run(G=(1.0,), H=()), run(G=(1.0, 2.0), H=())], "differ in their numbers of G"),
    ],
)
def test_runs_that_do_not_fit(runs, message):
    with pytest.raises(ValueError, match=message):
        Trials.from_runs(runs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithms": ["a", "a"]}, "algorithms must be 2 different names"),
        ({"problems": ["p", "q"]}, "problems must be 1 different names"),
        ({"maxfev": 0}, "maxfev must be 1 whole numbers >= 1"),
        ({"maxfev": 1.5}, "maxfev must be 1 whole numbers"),
        ({"form": "lcv"}, "form of violation must be one of"),
    ],
)
def test_bad_descriptions_are_refused(change, message):
    arguments = {"maxfev": 10, **change}
    with pytest.raises(ValueError, match=message):
        Trials.from_arrays(np.zeros((2, 1, 1, 3)), np.zeros((2, 1, 1, 3)), **arguments)
