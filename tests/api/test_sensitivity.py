"""Prices of constraints and bounds, against re-optimisation and by hand."""

import pickle

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint
from scipy.optimize import minimize as scipy_minimize

import rdex
from rdex import suites

DESIGNS = (
    "cantilever-beam", "gas-compressor", "i-beam", "pressure-vessel",
    "rolling-bearing", "speed-reducer", "stepped-cantilever", "three-bar-truss", "thrust-bearing",
    "tubular-column", "welded-beam",
)  # fmt: skip


def reoptimised(problem, x, shifts):
    """Best f near x where constraint k is g <= shifts[k]; SLSQP in units of box and size.

    It stops early from some starts: the best feasible end of several counts.
    """
    width = problem.upper - problem.lower
    whole = np.zeros(problem.dim, bool) if problem.integrality is None else problem.integrality
    sample = problem.lower + np.random.default_rng(0).random((50, problem.dim)) * width
    scale = np.maximum(np.median(np.abs(problem.evaluate(sample)[1]), axis=0), 1e-12)

    def values(z):
        return problem.evaluate((problem.lower + z * width)[None, :])

    start = (x - problem.lower) / width
    size = max(abs(values(start)[0][0]), 1e-12)

    def solved(begin):
        found = scipy_minimize(
            lambda z: values(z)[0][0] / size,
            begin,
            method="SLSQP",
            bounds=[(z, z) if flag else (0, 1) for z, flag in zip(start, whole, strict=True)],
            constraints={"type": "ineq", "fun": lambda z: (shifts - values(z)[1][0]) / scale},
            options={"ftol": 1e-14, "maxiter": 300, "eps": 1e-8},
        )
        holds = ((values(found.x)[1][0] - shifts) / scale <= 1e-9).all()
        return found.fun * size if holds else np.inf

    rng = np.random.default_rng(1)
    moves = [np.where(whole, 0.0, rng.normal(0, size, problem.dim)) for size in (1e-4, 1e-3, 1e-2)]
    return min(solved(np.clip(start + move, 0, 1)) for move in (0.0 * start, *moves))


@pytest.mark.compiled
@pytest.mark.parametrize("name", DESIGNS)
def test_prices_are_those_of_reoptimisation(name):
    problem = suites.get(f"engineering/{name}")
    F, G, _ = problem.evaluate(problem.optimum_x[None, :])
    known = {"x": problem.optimum_x, "fun": F, "G": G}
    result = rdex.minimize(problem, maxfev=40, rng=0, x0=known, ineq_tol=1e-9)
    found = result.sensitivity()
    assert found.prices and found.residual < 0.02
    for price in found.prices[:3]:
        step = np.zeros(problem.n_ineq)
        step[problem.constraint_names.index(price.name)] = 0.02 * price.amount
        fall = reoptimised(problem, result.x, -step) - reoptimised(problem, result.x, step)
        assert price.saves == pytest.approx(fall / 0.04, rel=0.1)


def area(x):
    return x[0] * x[1]


@pytest.fixture(scope="module")
def rectangle():
    """min x + y with xy >= 4 and x <= 1: y = 4, f = 5; df/dc = 1, df/dx = 1 - 4 = -3."""
    return rdex.minimize(
        lambda x: x[0] + x[1],
        [(0.1, 1.0), (0.1, 10.0)],
        constraints=[
            NonlinearConstraint(area, 4.0, np.inf),
            NonlinearConstraint(lambda x: x[1], -np.inf, 8.0),
        ],
        constraint_names=["area", "height"],
        variable_names=["width", "depth"],
        units={"area": "m²", "width": "m"},
        maxfev=4000,
        rng=0,
    )


def test_a_case_by_hand(rectangle):
    found = rectangle.sensitivity()
    (price,) = found.prices
    assert price.name == "area" and price.per_unit == pytest.approx(1.0, rel=1e-3)
    assert price.amount == pytest.approx(0.04) and price.percent == pytest.approx(0.8, rel=1e-3)
    assert price.uncertainty < 0.01 * price.saves
    (bound,) = found.bounds
    assert (bound.name, bound.kind) == ("width", "upper bound")
    assert bound.saves == pytest.approx(3 * 0.009, rel=1e-3)
    assert found.free == ["height"] and found.notes == []
    assert found.nfev == 1 + 2 * 2 * 2
    text = str(found)
    assert "relaxing `area` by 1 % (0.04 m²) saves 0.8 ± 0.0008 % (0.04)" in text
    assert "the upper bound of `width` by 1 % of its range (0.009 m) saves 0.54 ±" in text
    assert "without influence: height" in text and "<pre>" in found._repr_html_()


LIMIT_0 = [
    NonlinearConstraint(lambda x: x[0] * x[1] - 4.0, 0.0, np.inf),
    NonlinearConstraint(lambda x: x[0] - 1.0, -np.inf, 0.0),
]


def test_a_limit_of_0_is_relaxed_by_a_step_of_the_box():
    """x = 1, y = 4: d(xy) = 4 dx + dy, so 1 % of the box [1.8, 9.9] is hypot(4 * 1.8, 9.9) / 100.

    The bound of the rectangle as a constraint costs the same per unit.
    """
    amounts = set()
    for rng, scale, maxfev in ((0, "auto", 4000), (1, "auto", 900), (2, [1e6, 1e-6], 4000)):
        result = rdex.minimize(
            lambda x: x[0] + x[1], [(0.1, 1.9), (0.1, 10.0)], constraints=LIMIT_0,
            constraint_names=["area", "width"], units={"area": "m²", "width": "m"},
            constraint_scale=scale, maxfev=maxfev, rng=rng, polish=True,
        )  # fmt: skip
        found = result.sensitivity()
        prices = {price.name: price for price in found.prices}
        area, width = prices["area"], prices["width"]
        assert area.amount == pytest.approx(np.hypot(4 * 1.8, 9.9) / 100, rel=1e-3)
        assert width.amount == pytest.approx(0.018) and width.per_unit == pytest.approx(3, rel=1e-3)
        assert {area.of, width.of} == {"box"}
        amounts.add((f"{area.amount:.3g}", f"{width.amount:.3g}"))
    assert amounts == {("0.122", "0.018")}  # whatever the run saw
    text = str(found)
    assert "relaxing `area` by 1 % of the box (0.122 m²) saves 2.45 ± 0.002 % (0.122)" in text
    assert "relaxing `width` by 1 % of the box (0.018 m) saves 1.08 ±" in text
    assert "1 % of the box (0.122 m²)" in found._repr_html_()


def test_equalities_say_which_way_f_falls():
    """x + y = 2 and x = 3y: (1.5, 0.5). Less of the sum, and x - 3y < 0, are nearer to 0."""
    result = rdex.minimize(
        lambda x: x @ x, [(-5, 5)] * 2, maxfev=900, rng=0, polish=True,
        constraints=[
            NonlinearConstraint(lambda x: x[0] + x[1], 2, 2),
            NonlinearConstraint(lambda x: 3 * x[1] - x[0], 0, 0),
        ],
        constraint_names=["sum", "difference"],
    )  # fmt: skip
    by_name = {price.name: price for price in result.sensitivity().prices}
    assert by_name["sum"].how == "lowering" and by_name["difference"].how == "raising"
    assert by_name["sum"].per_unit == pytest.approx(2.5, rel=1e-3)  # f = 0.625 sum² at x = 3y
    assert str(by_name["sum"]).startswith("lowering `sum` by 1 % (0.02) saves 2 ±")


def test_facts_are_plain_json(rectangle):
    import json

    facts = json.loads(json.dumps(rectangle.sensitivity().facts(), allow_nan=False))
    (price,), (bound,) = facts["prices"], facts["bounds"]
    assert price["amount"] == pytest.approx(0.04) and price["of"] == "limit"
    assert price["per_unit"] == pytest.approx(1.0, rel=1e-3) and price["units"] == "m²"
    assert bound["of"] == "range of the variable" and bound["amount"] == pytest.approx(0.009)
    assert facts["free"] == ["height"]


def test_of_many_constraints_and_held_variables_the_first_are_named():
    result = rdex.minimize(
        lambda d: d["x"] + d["n"] + d["t"], {"x": (1.0, 2.0), "n": {"integer": (1, 6)},
                                             "t": {"choices": [4, 5, 8]}},
        constraints=[NonlinearConstraint(lambda d, k=k: d["x"] + k, -9, np.inf) for k in range(14)],
        maxfev=400, rng=0,
    )  # fmt: skip
    found = result.sensitivity()
    assert "without influence: c1, c2, c3, c4, c5, c6, c7, c8, c9, c10 and 4 more" in str(found)
    assert "without small steps, so held fixed: n, t; at a bound: n, t" in found.notes


def test_names_stay_on_their_lines():
    result = rdex.minimize(
        lambda x: x[0], [(0, 2)], constraints=NonlinearConstraint(lambda x: x[0], 1, np.inf),
        constraint_names=["a\n\x1b[31mb"], maxfev=200, rng=0,
    )  # fmt: skip
    text = str(result.sensitivity())
    assert "\x1b" not in text and "`a\\x0a\\x1b[31mb`" in text


def test_uncertainty_grows_with_noise():
    def noisy(x):
        return x[0] + x[1] + 1e-5 * np.sin(1e7 * x.sum())

    result = rdex.minimize(
        noisy, [(0.1, 10.0)] * 2, constraints=NonlinearConstraint(area, 4.0, np.inf),
        maxfev=4000, rng=0,
    )  # fmt: skip
    found = result.sensitivity()
    rough = [abs(p.saves - 0.02) for p in found.prices]
    assert found.notes or all(r <= 3 * p.uncertainty for r, p in zip(rough, found.prices,
                                                                     strict=True))  # fmt: skip


def test_points_that_are_no_optimum_are_told():
    result = rdex.minimize(lambda x: (x[0] - 1) ** 2 + x[1], [(0, 4), (0, 4)], maxfev=5, rng=0)
    found = result.sensitivity()
    assert found.residual > 0.05 and "no local optimum" in found.notes[0]
    assert "least value inside" not in str(found)
    loose = rdex.minimize(lambda x: (x[0] - 1) ** 2 + x[1], [(0, 4), (0, 4)], maxfev=1, rng=0,
                          x0=[3, 2], constraints=NonlinearConstraint(area, -9, np.inf))  # fmt: skip
    text = str(loose.sensitivity())  # it said that constraints have no influence, too
    assert "nothing known yet" in text and "without influence" not in text
    inside = rdex.minimize(lambda x: (x - 1) @ (x - 1), [(0, 4), (0, 4)], maxfev=99, rng=0,
                           algorithm="local")  # fmt: skip
    found = inside.sensitivity()
    assert "least value inside" in str(found) and found.notes == [] and found.residual == 0.0


def test_integers_are_held_and_logarithms_are_known():
    result = rdex.minimize(
        lambda x: x[0] * x[1], [(1, 5), (1e-3, 1e3)], integrality=[1, 0], log_scale=[0, 1],
        constraints=NonlinearConstraint(lambda x: x[0] + np.log10(x[1]), 0.0, np.inf),
        maxfev=3000, rng=0,
    )  # fmt: skip
    found = result.sensitivity()
    assert "without small steps, so held fixed: x1" in found.notes
    assert sum(p.kind == "lower bound" for p in found.bounds) + len(found.prices) >= 1


def test_an_infeasible_result_has_no_prices_and_a_stored_one_needs_its_problem(rectangle):
    nothing = rdex.minimize(
        lambda x: x[0], [(0, 1)], constraints={"type": "ineq", "fun": lambda x: x[0] - 2},
        maxfev=200, rng=0,
    )  # fmt: skip
    with pytest.raises(ValueError, match="nothing has a price"):
        nothing.sensitivity()
    again = pickle.loads(pickle.dumps(rectangle))
    assert again.fun == rectangle.fun
    with pytest.raises(ValueError, match="give problem="):
        again.sensitivity()
    assert again.sensitivity(rectangle.solved[0]).prices[0].name == "area"


@pytest.mark.compiled
def test_more_limits_than_variables_are_told():
    problem = suites.get("engineering/process-synthesis")
    F, G, _ = problem.evaluate(problem.optimum_x[None, :])
    known = {"x": problem.optimum_x, "fun": F, "G": G}
    found = rdex.minimize(problem, maxfev=40, rng=0, x0=known, ineq_tol=1e-9).sensitivity()
    assert any("limits meet at a point" in note for note in found.notes)


@pytest.mark.parametrize(("fails", "message"), [
    (lambda x: True, "no usable values at the best point"),
    (lambda x: x[0] != 1.0, "all evaluations beside the best point failed"),
])  # fmt: skip
def test_a_function_that_fails_has_no_prices(fails, message):
    """It said that no constraint has any influence."""
    has_ended = []

    def fun(x):
        return np.nan if has_ended and fails(x) else float(x @ x)

    floor = {"type": "ineq", "fun": lambda x: x[0] - 1}
    result = rdex.minimize(fun, [(-5, 5)], x0=[1.0], constraints=floor, maxfev=60, rng=0)
    assert result.x[0] == 1.0
    has_ended.append(True)
    with pytest.raises(rdex.EvaluationError, match=message):
        result.sensitivity()


def test_variables_along_which_evaluations_fail_are_told():
    def fun(x):
        return float(x @ x) if x[1] == 0.0 else np.nan

    floor = {"type": "ineq", "fun": lambda x: x[0] - 1}
    result = rdex.minimize(fun, [(-5, 5)] * 2, x0=[1.0, 0.0], constraints=floor, maxfev=60, rng=0)
    found = result.sensitivity()
    assert "4 evaluations failed; 1 variables along which they did were held fixed" in found.notes
    assert found.prices[0].name == "c1"
