"""CEC 2017: the edges of the formulas, the arguments, the proved optima."""

import itertools
import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from rdex.suites import cec2017
from rdex.suites.cec2017.instance import generated_instance

EQ_TOL = 1e-4


def at_z(number, z, edition="2017"):
    """f, g, h of an unrotated problem at a chosen z, free of rounding in x - o."""
    z = np.asarray(z, dtype=np.float64)
    definition = cec2017.describe()[number]
    g = np.full(definition.n_ineq, np.nan)
    h = np.full(definition.n_eq, np.nan)
    work = np.full(2 * z.size, np.nan)
    compiled = cec2017.problem(number, 10, edition).compiled
    f = compiled.function(z, np.zeros(z.size), work, g, h)
    return f, g, h


def padded(*head, dim=10, fill=0.0):
    """A vector that begins with `head`."""
    return np.array([*head, *[fill] * (dim - len(head))], dtype=np.float64)


def test_rounding_of_c18_takes_halves_away_from_zero():
    def rastrigin_at(w):
        return w * w - 10.0 * math.cos(2.0 * math.pi * w) + 10.0

    below_half = np.nextafter(0.5, 0.0)
    for value, rounded in [
        (0.75, 1.0),  # 2z = 1.5, half way between 1 and 2
        (-0.75, -1.0),
        (1.25, 1.5),  # 2z = 2.5: to even would give 1.0
        (-1.25, -1.5),
        (np.nextafter(1.25, 0.0), 1.0),
        (0.5, 0.5),
        (-0.5, -0.5),
        (below_half, below_half),
        (0.6, 0.5),
    ]:
        f, _, _ = at_z(18, padded(value))
        assert f == pytest.approx(rastrigin_at(rounded), rel=1e-12, abs=0.0), value


def test_sign_of_zero_counts_nothing_in_c17():
    # z = (±1, 0, …): |z1| - 0 - 1 = 0 adds nothing, each other -1 - 1 < 0 takes one.
    for value, signs in [(1.0, -9.0), (-1.0, -9.0), (np.nextafter(1.0, 2.0), -8.0), (0.0, -10.0)]:
        _, g, _ = at_z(17, padded(value))
        assert g[0] == 1.0 - signs, value


def test_equality_on_its_tolerance():
    # C08: h1 = 5 z1² and h2 = 0 at (z1, 0, …), so z1² = 2e-5 sits on the tolerance.
    edge = math.sqrt(EQ_TOL / 5.0)
    _, _, inside = at_z(8, padded(edge * (1.0 - 1e-12)))
    _, _, outside = at_z(8, padded(edge * (1.0 + 1e-12)))
    assert inside[0] <= EQ_TOL < outside[0]
    assert inside[0] == pytest.approx(EQ_TOL, rel=1e-11)
    assert inside[1] == 0.0
    # C14: h = Σz² - 4 has both signs about the sphere.
    _, _, above = at_z(14, padded(math.sqrt(4.0 + EQ_TOL)))
    _, _, below = at_z(14, padded(math.sqrt(4.0 - EQ_TOL)))
    np.testing.assert_allclose([above[0], below[0]], [EQ_TOL, -EQ_TOL], rtol=1e-10)


def test_c09_pairs_of_both_editions():
    z = np.arange(1.0, 11.0)
    odd, even = z[0::2], z[1::2]
    _, g, h_2017 = at_z(9, z, "2017")
    _, _, h_2024 = at_z(9, z, "2024")
    assert g[0] == 2 * 4 * 6 * 8 * 10
    assert h_2017[0] == sum((a * a - b) ** 2 for a, b in zip(odd[1:], even[1:], strict=True))
    assert h_2024[0] == sum((a * a - b) ** 2 for a, b in itertools.pairwise(odd))


def test_level_takes_magnitudes_only_in_2024():
    z = padded(-3.0, fill=-0.5)
    assert at_z(15, z, "2017")[0] == -0.5
    assert at_z(15, z, "2024")[0] == 3.0
    shift, (matrix,) = generated_instance(24, 10, 1)
    x = shift + np.linalg.solve(matrix, z)
    old, new = (cec2017.problem(24, 10, edition) for edition in cec2017.EDITIONS)
    assert old.evaluate(x[None])[0][0] == pytest.approx(-0.5)
    assert new.evaluate(x[None])[0][0] == pytest.approx(3.0)


@pytest.mark.parametrize("number", cec2017.NUMBERS)
def test_shift_point_is_z_zero(number):
    """At x = o rotation changes nothing: a twin equals its partner, and sums are exact zeros."""
    problem = cec2017.problem(number, 30)
    shift = generated_instance(number, 30, 1).shift.copy()
    f, g, h = problem.evaluate(shift[None])
    partner = number - 9 if number > 20 else number
    if partner != 5 and partner != 2:
        expected = at_z(partner, np.zeros(30))
        assert f[0] == expected[0]
        np.testing.assert_array_equal(g[0], expected[1])
        np.testing.assert_array_equal(h[0], expected[2])
    else:
        np.testing.assert_array_equal(g[0], [30 * -9000.0] if number == 2 else [30 * -90.0] * 2)
    assert np.isfinite(f[0])


AT_SHIFT = (1, 2, 3, 4, 6, 16, 25)
ELSEWHERE = (5, 8, 9, 10, 11, 13, 15, 22, 24)


@pytest.mark.parametrize("dim", cec2017.DIMENSIONS)
@pytest.mark.parametrize("number", AT_SHIFT)
def test_optimum_is_attained_at_the_shift(number, dim):
    problem = cec2017.problem(number, dim)
    f, g, h = problem.evaluate(problem.optimum_x[None])
    assert f[0] == problem.optimum == 0.0
    assert (g <= 0.0).all()
    assert (np.abs(h) <= 1e-15).all()


@pytest.mark.parametrize("edition", cec2017.EDITIONS)
@pytest.mark.parametrize("dim", cec2017.DIMENSIONS)
@pytest.mark.parametrize("number", ELSEWHERE)
def test_optimum_is_attained_up_to_rounding(number, dim, edition):
    problem = cec2017.problem(number, dim, edition)
    if (number, dim) == (9, 100):
        assert problem.optimum is None
        return
    z = attaining(number, dim, problem.optimum)
    shift, matrices = generated_instance(number, dim, 1)
    x = shift + (np.linalg.solve(matrices[0], z) if number > 20 else z)
    assert (problem.lower <= x).all() and (x <= problem.upper).all()
    f, g, h = problem.evaluate(x[None])
    assert f[0] == pytest.approx(problem.optimum, rel=1e-8, abs=1e-20)
    assert (g <= 1e-9).all()
    assert (np.abs(h) <= EQ_TOL * (1.0 + 1e-6)).all()


def test_no_other_optimum_is_claimed():
    unproved = set(cec2017.NUMBERS) - set(AT_SHIFT) - set(ELSEWHERE)
    for number in unproved:
        assert cec2017.problem(number, 10).optimum is None


def attaining(number, dim, optimum):
    """z of an optimal point, written down independently of the package."""
    if number in (5, 13, 22):
        return np.ones(dim)
    if number == 11:
        steps = np.arange(dim - 1, 0, -1)
        return -np.append(0.0, np.cumsum(0.01 * steps / np.sqrt(np.sum(steps**2))))
    return np.full(dim, optimum)


def test_optimum_is_not_beaten_by_released_runs(reference_dir):
    """No run of the released programs, official instance, d = 30, is better than "optimal"."""
    folder = reference_dir / "cec2017_official"
    compared = 0
    for program in ("released_rdex", "released_clsrde"):
        for number in cec2017.NUMBERS:
            problem = cec2017.problem(number, 30, "2017", "official", data=folder)
            with np.load(reference_dir / program / f"{problem.name}.npz") as runs:
                f = runs["f"][:, -1][runs["v"][:, -1] == 0.0]
            if problem.optimum is not None and f.size:
                assert f.min() >= problem.optimum
                compared += 1
            if problem.info.get("remark") == "no point is feasible":
                assert f.size == 0
    assert compared == 2 * 16


@pytest.mark.parametrize("number", cec2017.NUMBERS)
def test_nan_in_gives_nan_out(number):
    problem = cec2017.problem(number, 10)
    for j in range(10):
        points = np.zeros((2, 10))
        points[1, j] = np.nan
        f, g, h = problem.evaluate(points)
        assert np.isnan(np.concatenate([f[1:], g[1], h[1]])).any()
        assert not np.isnan(np.concatenate([f[:1], g[0], h[0]])).any()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 10), "number must be a whole number from 1 to 28, got 0"),
        ((29, 10), "number must be .*, got 29"),
        ((1.0, 10), "number must be .*, got 1.0"),
        ((True, 10), "number must be .*, got True"),
        (("C01", 10), "number must be .*, got 'C01'"),
        ((1, 20), "dim must be one of 10, 30, 50, 100, got 20"),
        ((1, 10, "2020"), 'edition must be "2017" or "2024", got \'2020\''),
        ((1, 10, 2017), 'edition must be "2017" or "2024", got 2017'),
        ((1, 10, "2017", 0), 'instance must be "official" or a whole number >= 1, got 0'),
        ((1, 10, "2017", -1), "instance must be .*, got -1"),
        ((1, 10, "2017", 1.5), "instance must be .*, got 1.5"),
        ((1, 10, "2017", True), "instance must be .*, got True"),
        ((1, 10, "2017", "unofficial"), "instance must be .*, got 'unofficial'"),
        ((1, 10, "2017", 1, "folder"), 'data= is read only with instance="official"'),
    ],
)
def test_bad_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        cec2017.problem(*arguments)


def test_wrong_dimension_of_points_is_named():
    with pytest.raises(ValueError, match=r"C07: expected rows of shape \(n, 30\), got \(1, 10\)"):
        cec2017.problem(7, 30).evaluate(np.zeros((1, 10)))


def test_problem_says_what_it_is():
    problem = cec2017.problem(7, 30, "2024", 3)
    assert problem.id == "cec2017/C07/d30/2024/3"
    assert problem.name == "C07"
    assert (problem.dim, problem.n_ineq, problem.n_eq) == (30, 0, 2)
    assert (problem.lower == -50.0).all() and (problem.upper == 50.0).all()
    assert problem.info["edition"] == "2024"
    assert problem.info["instance"] == "3"
    assert problem.n_work == 60
    assert problem.optimum is None


def test_describe_lists_all_problems():
    definitions = cec2017.describe()
    assert tuple(definitions) == cec2017.NUMBERS == tuple(range(1, 29))
    assert cec2017.names()[0] == "C01" and cec2017.names()[-1] == "C28"
    for number in range(12, 20):
        plain, twin = definitions[number], definitions[number + 9]
        assert (plain.bound, plain.n_ineq, plain.n_eq) == (twin.bound, twin.n_ineq, twin.n_eq)
    rotated = [number for number, one in definitions.items() if one.is_rotated]
    assert rotated == [2, 5, *range(21, 29)]
    assert definitions[5].n_matrices == 2


def test_generated_instance_is_as_defined():
    shift, matrices = generated_instance(5, 10, 3)
    rng = np.random.default_rng([2017, 3, 5])
    np.testing.assert_array_equal(shift, (rng.uniform(-0.5, 0.5, 100) * 10.0)[:10])
    assert len(matrices) == 2
    for matrix in matrices:
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(10), atol=1e-10)
        assert not matrix.flags.writeable
    assert not np.array_equal(*matrices)
    assert not shift.flags.writeable
    # The shift of a problem does not depend on the dimension; another k is another instance.
    np.testing.assert_array_equal(generated_instance(5, 30, 3).shift[:10], shift)
    assert not np.array_equal(generated_instance(5, 10, 4).shift, shift)


def test_problem_survives_pickling():
    problem = pickle.loads(pickle.dumps(cec2017.problem(24, 10)))
    x = np.linspace(-50.0, 50.0, 10)[None]
    assert problem.evaluate(x)[0] == cec2017.problem(24, 10).evaluate(x)[0]


def test_nothing_is_compiled_before_it_is_asked_for():
    """Building all problems does not import numba; asking for one compiles that one only."""
    script = """
import sys
from rdex.suites import cec2017
problems = [cec2017.problem(number, 10) for number in cec2017.NUMBERS]
assert "numba" not in sys.modules
problems[6].compiled
from rdex.suites.cec2017.kernels import direct
def compiled():
    return [name for name, value in vars(direct).items()
            if getattr(value, "overloads", None) and value.declared_signatures]
assert compiled() == ["c07"]
problems[6].compiled
cec2017.problem(7, 30, "2024").compiled
assert compiled() == ["c07"]
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.slow
def test_second_process_compiles_nothing(tmp_path):
    script = """
from rdex.suites.cec2017 import problem
function = problem(24, 10).compiled.function
print(sum(function.stats.cache_hits.values()), sum(function.stats.cache_misses.values()))
"""
    environment = {**os.environ, "RDEX_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    counts = [
        subprocess.run(
            [sys.executable, "-c", script], env=environment, check=True, capture_output=True
        ).stdout.split()
        for _ in range(2)
    ]
    assert counts == [[b"0", b"1"], [b"1", b"0"]]
