"""The mixed suite: optima by enumeration, codes and designs."""

import pytest

from rdex import minimize, suites
from rdex.suites import mixed
from rdex.suites.success import is_solved

#: Enumerations of more combinations take seconds.
FEW = 16_000


def enumerated_again(name):
    problem = mixed.mixed(name)
    f, design = problem.enumerated()
    assert f == problem.optimum
    assert problem.formula(design)[0] == problem.formula(problem.design)[0] == f


@pytest.mark.parametrize(
    "name", [name for name in mixed.NAMES if mixed.mixed(name).n_combinations <= FEW]
)
def test_optima_are_those_of_enumeration(name):
    enumerated_again(name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in mixed.NAMES if mixed.mixed(name).n_combinations > FEW]
)
def test_optima_of_many_combinations(name):
    enumerated_again(name)


@pytest.mark.parametrize("name", mixed.NAMES)
def test_problems_hold_their_optimum(name):
    problem = suites.get(f"mixed/{name}")
    F, G, _ = problem.evaluate([problem.optimum_x])
    assert F[0] == problem.optimum and (G <= 0).all()
    assert problem.design(problem.optimum_x) == mixed.mixed(name).design
    assert problem.info["combinations"] >= 300


def test_the_suite_has_every_kind():
    kinds = {v.kind for name in mixed.NAMES for v in mixed.mixed(name).variables.values()}
    assert kinds == {"real", "integer", "choices", "categories"} and len(mixed.NAMES) >= 10
    with pytest.raises(ValueError, match="expected one of assignment"):
        mixed.problem("nothing")


def test_a_search_finds_one():
    problem = suites.get("mixed/three-bars")
    result = minimize(problem, maxfev=2000, rng=0, algorithm="rdex-csop")
    assert is_solved(problem, result.fun, result.cv)
