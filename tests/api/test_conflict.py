"""Why nothing is feasible: conflicts that are known, and searches for feasibility alone."""

import numpy as np
import pytest
from scipy.optimize import NonlinearConstraint

import rdex
from rdex import suites
from rdex.run.status import Status

# Of the generator, without the JIT.
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")

INF = np.inf
BOX = [(0.0, 2.0)] * 2


def at_least(function, bound):
    return NonlinearConstraint(function, bound, INF)


def at_most(function, bound):
    return NonlinearConstraint(function, -INF, bound)


#: Constraints that hold nearly everywhere.
OTHERS = {
    "width": at_most(lambda x: x[0], 1.9),
    "slope": at_most(lambda x: x[1] - x[0], 1.5),
    "area": at_most(lambda x: x[0] * x[1], 3.9),
}

#: Constraints in conflict, and how far each must give way where the others are kept.
KNOWN = {
    "one": ({"reach": at_least(lambda x: x[0], 3.0)}, {"reach": 1.0}),
    "a pair": (
        {"low": at_least(lambda x: x.sum(), 3.0), "high": at_most(lambda x: x.sum(), 2.0)},
        {"low": 1.0, "high": 1.0},
    ),
    "a disc": (
        {"disc": at_most(lambda x: x @ x, 1.0), "line": at_least(lambda x: x.sum(), 2.0)},
        {"disc": 1.0, "line": 2 - np.sqrt(2)},
    ),
    "three": (
        {
            "a": at_least(lambda x: x[0], 0.6),
            "b": at_least(lambda x: x[1], 0.6),
            "sum": at_most(lambda x: x.sum(), 1.0),
        },
        {"a": 0.2, "b": 0.2, "sum": 0.2},
    ),
    "equalities": (
        {
            "product": at_most(lambda x: x[0] * x[1], 0.2),
            "total": {"type": "eq", "fun": lambda x: x.sum() - 1},
            "balance": {"type": "eq", "fun": lambda x: x[0] - x[1]},
        },
        {"product": 0.05, "total": 1 - np.sqrt(0.8), "balance": np.sqrt(0.2)},
    ),
}


def infeasible(constraints, **more):
    both = {**OTHERS, **constraints}
    ordered = sorted(both, key=lambda name: isinstance(both[name], dict))  # inequalities first
    result = rdex.minimize(
        lambda x: x.sum(), BOX, constraints=[both[name] for name in ordered],
        constraint_names=ordered, maxfev=600, rng=0, **more,
    )  # fmt: skip
    assert not result.feasible
    return result


@pytest.mark.parametrize("name", KNOWN)
def test_known_conflicts_are_found(name):
    constraints, ways = KNOWN[name]
    found = infeasible(constraints).conflict()
    assert set(found.names) == set(constraints)
    assert {way.name: way.by for way in found.gives_way} == pytest.approx(ways, abs=2e-3)
    text = str(found)
    assert "evidence, no proof" in text and all(name in text for name in constraints)


@pytest.mark.compiled
def test_a_design_that_may_not_weigh_enough():
    """A truss lighter than its optimum: weight against the one stress that is active there."""
    truss = suites.get("engineering/three-bar-truss")
    limit = 0.9 * truss.optimum

    def rows(X):
        F, G, H = truss.evaluate(X)
        return F, np.column_stack([G, F - limit]), H

    problem = rdex.Problem(
        truss.lower, truss.upper, truss.n_ineq + 1, rows=rows,
        constraint_names=(*truss.constraint_names, "weight"),
        stated=[*truss.stated, ("<=", limit)],
    )  # fmt: skip
    found = rdex.minimize(problem, maxfev=600, rng=0).conflict()
    assert set(found.names) == {"stress in the first bar", "weight"}
    weight = next(way for way in found.gives_way if way.name == "weight")
    assert weight.to == pytest.approx(truss.optimum, rel=1e-3)
    assert weight.percent == pytest.approx(100 / 9, rel=1e-2)


@pytest.mark.parametrize("algorithm", ["auto", "rdex-csop"])
def test_points_of_the_run_are_evidence_and_no_search_is_needed(tmp_path, algorithm):
    """`auto` remembers its points; an evolution alone needs a log."""
    log = {"evaluations": tmp_path / "e.csv"} if algorithm != "auto" else {}
    result = infeasible(KNOWN["a pair"][0], algorithm=algorithm, **log)
    found = result.conflict(maxfev=0)
    assert found.nfev == 0 and set(found.names) == {"low", "high"}
    assert found.n_points in (600, len(result.points), len(result.points) + 1)
    assert found.n_points > 50
    assert all(1.0 <= way.by < 1.5 for way in found.gives_way)


def test_a_feasible_point_that_the_run_missed_is_no_conflict():
    result = rdex.minimize(
        lambda x: x[0], BOX, constraints=at_most(lambda x: np.hypot(*(x - 0.31)), 1e-3),
        maxfev=12, rng=0,
    )  # fmt: skip
    assert not result.feasible
    found = result.conflict()
    assert found.x == pytest.approx([0.31, 0.31], abs=1e-3) and "No conflict" in str(found)
    assert found.names == [] and found.gives_way == []
    assert found.design == pytest.approx(dict(zip(["x1", "x2"], found.x, strict=True)))
    assert f"\n  x2   {found.x[1]:.10g}" in str(found) and found.facts()["x"] == found.design


def test_one_point_is_no_evidence():
    constraints = [{"fun": np.sum, "lb": 3}, {"fun": np.sum, "ub": 1}]
    result = rdex.minimize(lambda x: x @ x, [(-5, 5)] * 2, constraints=constraints, maxfev=200,
                           rng=1, algorithm="rdex-csop")  # fmt: skip
    with pytest.raises(ValueError, match="kept only its best point"):
        result.conflict(maxfev=0)


def test_facts_are_plain_json():
    import json

    found = infeasible(KNOWN["a pair"][0]).conflict(maxfev=100)
    facts = json.loads(json.dumps(found.facts(), allow_nan=False))
    assert facts["names"] == found.names and facts["x"] == {}
    assert [way["by"] for way in facts["gives_way"]] == [way.by for way in found.gives_way]


def test_feasible_results_have_no_conflict():
    result = rdex.minimize(lambda x: x.sum(), BOX, maxfev=50, rng=0)
    with pytest.raises(ValueError, match="there is no conflict"):
        result.conflict()


def test_feasibility_only_stops_at_the_first_feasible_point():
    calls = []

    def half(x):
        calls.append(1)
        return x[0]

    result = rdex.minimize(
        lambda x: x.sum(), BOX, feasibility_only=True, maxfev=2000, rng=0,
        constraints=[at_least(half, 1.0), at_most(lambda x: x[1], 0.1)],
        constraint_names=["half", "strip"],
    )  # fmt: skip
    assert result.feasible and result.status == Status.TARGET
    assert result.message == "A feasible point was found."
    assert result.nfev == result.first_feasible == len(calls) - 1 < 200
    half, strip, together = result.feasible_shares
    assert half.n == strip.n == result.nfev and together.satisfied == 1
    assert half.low < 0.5 < half.high and 0 < strip.low < strip.share < strip.high
    assert "share of random points" in str(result) and "all together" in result._repr_html_()


def test_feasibility_only_without_success_has_shares_of_all_initial_points():
    result = rdex.minimize(
        lambda x: x.sum(), BOX, feasibility_only=True, maxfev=500, rng=0,
        constraints=[*KNOWN["a pair"][0].values()], constraint_names=["low", "high"],
    )  # fmt: skip
    low, high, together = result.feasible_shares
    assert low.n >= 30 and together.satisfied == 0 and together.high < 0.15
    assert low.share == pytest.approx(0.125, abs=0.12)
    assert high.share == pytest.approx(0.5, abs=0.2)
    with pytest.raises(ValueError, match="takes no target"):
        rdex.minimize(lambda x: x[0], BOX, feasibility_only=True, target=1.0, maxfev=10)
