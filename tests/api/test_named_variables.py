"""Choices, categories and names through `minimize`, `Optimizer`, results and files."""

import json

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint

import rdex

PRICE = {"steel": 1.0, "brass": 3.0, "glass": 0.2}
STRENGTH = {"steel": 9.0, "brass": 12.0, "glass": 0.1}
DESIGN = {
    "width": (1.0, 9.0),
    "plate": {"choices": [4, 5, 6, 8], "units": "mm"},
    "ribs": {"integer": (0, 5)},
    "material": {"categories": list(PRICE)},
}


def cost(d):
    return PRICE[d["material"]] * (d["width"] * d["plate"] + d["ribs"])


def load(d):
    return STRENGTH[d["material"]] * d["plate"] * (1 + d["ribs"]) * d["width"]


LOAD = NonlinearConstraint(load, 300.0, np.inf)


@pytest.fixture(scope="module")
def solved():
    return rdex.minimize(cost, DESIGN, constraints=LOAD, maxfev=3000, rng=0)


def best_by_hand():
    """All combinations, the width as small as the load allows."""
    found = []
    for plate in (4, 5, 6, 8):
        for ribs in range(6):
            for material in PRICE:
                width = max(300 / (STRENGTH[material] * plate * (1 + ribs)), 1.0)
                if width <= 9:
                    d = {"width": width, "plate": plate, "ribs": ribs, "material": material}
                    found.append((cost(d), d))
    return min(found, key=lambda pair: pair[0])


def test_choices_and_categories_against_enumeration(solved):
    best, design = best_by_hand()
    assert solved.feasible and solved.fun == pytest.approx(best, rel=1e-6)
    assert solved.fun == cost(solved.design) and solved.design["material"] == design["material"]
    assert load(solved.design) >= 300


def test_the_result_speaks_in_values(solved):
    text = str(solved)
    plate = solved.design["plate"]
    assert f"plate      {plate} mm" in text and f"material   {solved.design['material']}" in text
    assert solved.x[1] == plate and isinstance(solved.design["ribs"], int)
    assert set(solved.population[:, 1]) <= {4.0, 5.0, 6.0, 8.0}
    assert "≥ 300" in text


def test_arrays_hold_the_numbers_of_choices():
    seen = set()

    def fun(x):
        seen.add(float(x[1]))
        return (x[1] - 5.4) ** 2 + x[0]

    result = rdex.minimize(
        fun, [(0, 1), {"choices": [4, 5, 6.5, 8]}], maxfev=300, rng=0, x0=[0.5, 6.5],
        constraints=LinearConstraint([[0, 1]], 4.5, np.inf),
    )  # fmt: skip
    assert seen <= {4.0, 5.0, 6.5, 8.0} and result.x[1] == 5.0
    assert fun(result.x) == result.fun and result.violations[0].value == 5.0
    with pytest.raises(ValueError, match=r"x2 must be one of 4, 5, 6.5, 8, got 7.0"):
        rdex.minimize(fun, [(0, 1), {"choices": [4, 5, 6.5, 8]}], maxfev=30, x0=[0.5, 7.0])


def test_keywords_and_more_arguments():
    def fun(factor, width, plate, ribs, material):
        return factor * (width + plate + ribs + PRICE[material])

    start = {"width": 2.0, "plate": 8, "ribs": 3, "material": "glass"}
    result = rdex.minimize(fun, DESIGN, 2.0, call="keywords", maxfev=400, rng=0, x0=start)
    assert result.fun == fun(2.0, **result.design) < fun(2.0, **start)
    many = rdex.minimize(fun, DESIGN, 2.0, call="keywords", maxfev=1, rng=0, x0=[start, start])
    assert many.design == start
    again = rdex.minimize(fun, DESIGN, 2.0, call="keywords", maxfev=60, rng=0, x0=result)
    assert again.fun <= result.fun


def test_a_log_shows_values_and_a_run_goes_on_from_it(tmp_path):
    path = tmp_path / "e.csv"
    call = {"constraints": LOAD, "maxfev": 200, "rng": 0, "evaluations": path}
    first = rdex.minimize(cost, DESIGN, **call)
    table = first.evaluations
    assert set(table["material"]) == set(PRICE) and set(table["plate"]) == {4, 5, 6, 8}
    again = rdex.minimize(cost, DESIGN, **call)
    assert again.design == first.design
    with pytest.raises(Exception, match=r"other|another"):
        rdex.minimize(cost, {**DESIGN, "plate": {"choices": [4, 5, 6, 9]}}, **call)


def test_ask_and_tell_in_values():
    optimizer = rdex.Optimizer(DESIGN, n_ineq=1, maxfev=600, rng=0)
    while not optimizer.stop:
        X = optimizer.ask(8)
        assert set(X[:, 1]) <= {4.0, 5.0, 6.0, 8.0}
        designs = [optimizer.design(x) for x in X]
        G = [[300 - load(d)] for d in designs]
        optimizer.tell(X, [cost(d) for d in designs], G=G)
    result = optimizer.result()
    assert result.feasible and cost(result.design) == result.fun


def test_page_and_json(solved, tmp_path):
    pytest.importorskip("plotly")
    pytest.importorskip("typer")
    from rdex.cli.solve import facts

    html = solved.report(tmp_path / "run.html").read_text(encoding="utf-8")
    assert f'<td class="left">{solved.design["material"]}</td>' in html
    assert json.loads(json.dumps(facts(solved)))["x"] == solved.design
