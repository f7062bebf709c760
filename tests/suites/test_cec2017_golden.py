"""CEC 2017 against the organisers' evaluators and against the plain twin."""

from pathlib import Path

import numpy as np
import pytest

from rdex.suites import cec2017
from rdex.suites.cec2017.instance import generated_instance
from reference import cec2017_twin

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
SIGN_SUMS = (17, 26)


@pytest.fixture(scope="session")
def instance1():
    """Golden values of generated instance 1."""
    with np.load(GOLDEN / "golden_instance1.npz") as file:
        return dict(file)


@pytest.fixture(scope="session")
def official(reference_dir):
    """Golden values of the official instance."""
    with np.load(reference_dir / "golden_official.npz") as file:
        return dict(file)


def single_values(problem, points):
    """F, G, H row by row through the compiled single-point function."""
    function, data, n_work = problem.compiled
    work = np.full(n_work, np.nan)
    f = np.empty(len(points))
    g = np.full((len(points), problem.n_ineq), np.nan)
    h = np.full((len(points), problem.n_eq), np.nan)
    for i, x in enumerate(points):
        f[i] = function(x, data, work, g[i], h[i])
    return f, g, h


def assert_golden(problem, golden):
    """Batch and single-point values meet the golden ones, and each other bit for bit."""
    number, edition = int(problem.name[1:]), problem.info["edition"]
    key = f"{problem.name}_D{problem.dim}"
    points = golden[f"{key}_x"]
    batch = problem.evaluate(points)
    for values, again in zip(batch, single_values(problem, points), strict=True):
        np.testing.assert_array_equal(values, again)
    for values, letter in zip(batch, "fgh", strict=True):
        expected = golden[f"{key}_v{edition}_{letter}"]
        exact = letter == "g" and number in SIGN_SUMS
        assert values.shape == expected.shape
        np.testing.assert_allclose(values, expected, rtol=0.0 if exact else 1e-9, atol=0.0)


@pytest.mark.parametrize("edition", cec2017.EDITIONS)
@pytest.mark.parametrize("number", cec2017.NUMBERS)
def test_instance_1_equals_the_organisers_evaluator(instance1, number, edition):
    for dim in cec2017.DIMENSIONS:
        assert_golden(cec2017.problem(number, dim, edition, instance=1), instance1)


@pytest.mark.parametrize("edition", cec2017.EDITIONS)
@pytest.mark.parametrize("number", cec2017.NUMBERS)
def test_official_instance_equals_the_organisers_evaluator(
    official, reference_dir, number, edition
):
    folder = reference_dir / "cec2017_official"
    for dim in cec2017.DIMENSIONS:
        assert_golden(cec2017.problem(number, dim, edition, "official", data=folder), official)


def test_golden_values_cover_every_problem(instance1):
    values = {key for key in instance1 if key.endswith("_f")}
    assert len(values) == 28 * 4 * 2


@pytest.mark.parametrize("edition", cec2017.EDITIONS)
@pytest.mark.parametrize("number", cec2017.NUMBERS)
def test_equals_the_plain_twin(number, edition):
    rng = np.random.default_rng([20172, number])
    for dim in (10, 30):
        problem = cec2017.problem(number, dim, edition, instance=2)
        numbers = generated_instance(number, dim, 2)
        inside = rng.uniform(problem.lower, problem.upper, (6, dim))
        near = numbers.shift + rng.normal(0.0, 1.0, (6, dim))
        points = np.vstack([inside, near])
        f, g, h = problem.evaluate(points)
        for i, x in enumerate(points):
            expected = cec2017_twin.evaluate(number, edition, x, *numbers)
            for value, twin in zip((f[i], g[i], h[i]), expected, strict=True):
                np.testing.assert_allclose(value, twin, rtol=1e-9, atol=1e-9)


def test_editions_differ_only_where_the_organisers_changed_them():
    rng = np.random.default_rng(5)
    changed = set()
    for number in cec2017.NUMBERS:
        old, new = (cec2017.problem(number, 10, edition) for edition in cec2017.EDITIONS)
        points = rng.uniform(old.lower, old.upper, (5, 10))
        pairs = zip(old.evaluate(points), new.evaluate(points), strict=True)
        if not all(np.array_equal(a, b) for a, b in pairs):
            changed.add(number)
    assert changed == {9, 15, 24}
