"""Functions of the suites give the same bits interpreted and compiled."""

import math
import subprocess
import sys

import numpy as np
import pytest

from rdex.jit.interpreting import interpreted, power
from rdex.suites import registry

IDS = [
    *registry.ids("g2006"),
    *registry.ids("engineering"),
    *(f"cec2017/C{k:02d}/d{10 if k % 2 else 30}/2017/1" for k in range(1, 29)),
    *(f"cec2017/C{k:02d}/d10/2024/2" for k in (9, 15, 24)),
]


def points_of(problem):
    """Random points, corners, the middle, zero and a point far outside."""
    rng = np.random.default_rng(problem.dim)
    width = problem.upper - problem.lower
    points = problem.lower + width * rng.random((40, problem.dim))
    corners = np.where(rng.random((6, problem.dim)) < 0.5, problem.lower, problem.upper)
    middle = (problem.lower + problem.upper) / 2
    rows = [points, corners, middle[None], np.zeros((1, problem.dim)), problem.upper[None] * -1e6]
    found = np.concatenate(rows)
    if problem.integrality is not None:
        found[:, problem.integrality] = np.round(found[:, problem.integrality])
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("id", IDS)
def test_a_function_has_the_same_bits_in_both_forms(id):
    problem = registry.get(id)
    values = []
    for form in (problem.compiled, problem.interpreted):
        work = np.empty(form.n_work)
        rows = []
        for x in points_of(problem):
            g, h = np.zeros(problem.n_ineq), np.zeros(problem.n_eq)
            f = form.function(x.copy(), form.data, work, g, h)
            rows.append(np.r_[f, g, h])
        values.append(np.array(rows))
    np.testing.assert_array_equal(values[0], values[1])


@pytest.mark.compiled
def test_numba_multiplies_as_power_does():
    import numba

    for n in range(12):
        compiled = numba.njit(eval(f"lambda x: x ** {n}"))
        for x in np.random.default_rng(n).normal(size=200):
            assert compiled(x) == power(x, n)


def test_poles_and_overflow_give_what_compiled_code_gives():
    from rdex.jit.interpreting import _SCALARS

    for module in _SCALARS.values():
        assert module.log(0.0) == -math.inf
        assert math.isnan(module.log(-1.0))
        assert math.isnan(module.sqrt(-1.0))
        assert module.exp(1e4) == math.inf
        assert math.isnan(module.sin(math.inf))
        assert module.pi == math.pi


def test_cubes_are_products():
    function = interpreted("rdex.suites.g2006.kernels.g01_to_g12:g06")
    x = np.array([14.095, 0.84296])
    g = np.zeros(2)
    expected = power(x[0] - 10.0, 3) + power(x[1] - 20.0, 3)
    assert function(x, np.empty(0), np.empty(0), g, np.empty(0)) == expected


def test_a_short_run_on_a_suite_needs_no_compiler(tmp_path):
    program = (
        "import sys, rdex, rdex.suites\n"
        "problem = rdex.suites.get('cec2017/C05/d10/2017/1')\n"
        "for name in ('rdex-csop', 'ude-iv', 'auto'):\n"
        "    rdex.minimize(problem, maxfev=60, rng=1, algorithm=name)\n"
        "problem.evaluate(problem.lower[None])\n"
        "sys.exit('numba' in sys.modules)"
    )
    environment = {"RDEX_CACHE_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    assert subprocess.run([sys.executable, "-c", program], env=environment).returncode == 0
