"""What a result says about how far to trust it."""

import numpy as np
import pytest
from light import as_before, shifted, tighter
from problems import BOX, TOY, same_run, square, tilted

from rdex import Optimizer, Problem, minimize
from rdex.common.errors import RdexError


def note(result, text):
    return [line for line in result.notes if text in line]


def test_a_sound_answer_has_no_notes():
    assert minimize(square, BOX, maxfev=3000, rng=1).notes == []
    assert "notes" not in str(minimize(square, BOX, maxfev=3000, rng=1))


def test_a_point_of_the_beginning_is_named():
    result = minimize(lambda x: 1.0, BOX, maxfev=300, rng=1)
    (text,) = result.notes
    assert text.startswith("x is one of the 29 random initial points") and "x0" in text
    assert "random" not in minimize(lambda x: 1.0, BOX, maxfev=300, rng=1, x0=[1, 1]).notes[0]
    assert minimize(lambda x: 1.0, BOX, maxfev=300, rng=1, target=2.0).notes == []
    assert "\n  notes\n    - x is one of the 29" in str(result)
    assert "<li>x is one of the 29" in result._repr_html_()


@pytest.mark.parametrize("algorithm", ["auto", "scout", "rdex-csop", "rdex-csop+local"])
def test_a_point_of_the_beginning_is_named_whatever_searches(algorithm):
    """Only plain evolutions did."""
    (text,) = minimize(lambda x: 1.0, BOX, maxfev=60, rng=1, algorithm=algorithm).notes
    assert "random initial points: nothing better was found after them" in text
    (text,) = minimize(square, BOX, maxfev=3, rng=1, algorithm=algorithm).notes
    assert text.startswith("x is one of the 3 random initial points: the run ended there")


@pytest.mark.parametrize("algorithm", ["auto", "rdex-csop"])
def test_failures_of_most_evaluations_are_named(algorithm):
    """The first point worked, all others failed: that was a success without a word."""
    calls = []

    def fun(x):
        calls.append(x)
        if len(calls) > 1:
            raise ArithmeticError("diverged")
        return square(x)

    result = minimize(fun, BOX, maxfev=60, rng=1, algorithm=algorithm)
    assert note(result, "59 of 60 evaluations failed")


def test_a_search_that_had_not_finished_is_named():
    bowl = minimize(lambda x: float((x - 1) @ (x - 1)) + 1.0, [(-5, 5)] * 10, maxfev=1000, rng=1)
    assert note(bowl, "probably not a local optimum: f still fell from")
    wide = minimize(square, BOX, maxfev=400, rng=1, algorithm="ude-iv")
    assert note(wide, "probably not a local optimum")


def test_an_equality_that_leans_on_its_tolerance_is_named():
    (text,) = minimize(square, BOX, **TOY, maxfev=3000, rng=1).notes
    assert text.startswith("c1 uses all of the tolerance eq_tol") and "smaller eq_tol" in text
    loose = {"constraints": {"type": "eq", "fun": lambda x: x[0]}}
    assert not minimize(square, BOX, **loose, maxfev=3000, rng=1).notes


def test_a_violation_by_rounding_is_named_with_what_to_do():
    def fun(x):  # two constraints that leave no room: the point has a violation of at least 1e-13
        gap = x[0] * 0.3 - x[1] * 0.7
        return float(x.sum()), [gap + 1e-13, -gap + 1e-13], []

    problem = Problem.from_function(fun, [(0.1, 1)] * 2, n_ineq=2)
    call = {"maxfev": 300, "rng": 1, "algorithm": "rdex-csop+local"}
    found = minimize(problem, **call)
    assert not found.feasible and 0 < found.cv < 1e-9
    assert "which is rounding" in found.notes[-1] and "ineq_tol=1e-" in found.notes[-1]
    tolerance = float(found.notes[-1].split("ineq_tol=")[1].rstrip("."))
    assert minimize(problem, **call, ineq_tol=tolerance).feasible
    apart = Problem.from_function(lambda x: (0.0, [1.0 + x[0]], []), [(0, 1)], n_ineq=1)
    assert not any("rounding" in note for note in minimize(apart, maxfev=50, rng=1).notes)


def test_polish_and_ask_and_tell_have_notes_too():
    polished = minimize(lambda x: float((x - 1) @ (x - 1)) + 1.0, BOX, maxfev=60, rng=1,
                        polish=lambda result, problem: np.ones(2))  # fmt: skip
    assert polished.notes == []
    optimizer = Optimizer(BOX, maxfev=60, rng=1)
    while optimizer.stop is None:
        X = optimizer.ask()
        optimizer.tell(X, np.ones(len(X)))
    assert note(optimizer.result(), "initial points")


@pytest.mark.parametrize("algorithm", ["rdex-csop", "auto", "local"])
def test_what_was_read_is_always_said(tmp_path, caplog, algorithm):
    path, kept = tmp_path / "e.csv", tmp_path / "c.npz"
    common = {"maxfev": 20, "rng": 1, "algorithm": algorithm}
    first = minimize(tilted, BOX, **common, evaluations=path)
    assert not note(first, "read from")
    again = minimize(tilted, BOX, **common, evaluations=path)
    assert note(again, f"20 evaluations read from {path}")
    assert f"20 evaluations read from {path}" in caplog.text and same_run(first, again)
    for _ in range(2):
        last = minimize(tilted, BOX, **common, checkpoint=kept)
    assert note(last, f"went on from {kept} at 20 evaluations") and str(kept) in caplog.text


BY_TWO = {"workers": 2, "updating": "async"}
HYBRID = {"algorithm": "rdex-csop+local"}
WAYS = [{"batch": 4}, {**BY_TWO, "updating": "deferred"}, BY_TWO, {"algorithm": "auto"},
        {"algorithm": "auto", **BY_TWO}, {"algorithm": "local"}, HYBRID]  # fmt: skip

#: What runs by default: each way to run and each file at least once.
USUAL = [("evaluations", {"batch": 4}), ("checkpoint", BY_TWO), ("evaluations", HYBRID),
         ("checkpoint", {"algorithm": "auto"})]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), [
    pytest.param(name, options, marks=() if (name, options) in USUAL else pytest.mark.slow)
    for name in ("evaluations", "checkpoint") for options in WAYS
], ids=str)  # fmt: skip
def test_a_changed_simulator_is_refused(tmp_path, name, options):
    path = tmp_path / "run"
    for before, after, n_ineq in ((tilted, shifted, 0), (as_before, tighter, 1)):
        problems = [Problem.from_function(fun, BOX, n_ineq=n_ineq, name="sim")
                    for fun in (before, after)]  # fmt: skip
        common = {"maxfev": 20, "rng": 1, name: path, **options}
        minimize(problems[0], **common)
        kept = path.read_bytes()
        number = r"-?\d[\d.e+-]*"
        with pytest.raises(RdexError, match=f"another function, .* f was {number} and is now"):
            minimize(problems[1], **common)
        assert path.read_bytes() == kept
        path.unlink()
