"""Ids, their order, their errors, and how little a look at the registry imports."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from rdex import suites
from rdex.problem import Problem
from rdex.suites import registry


def test_ids_are_distinct_and_counted():
    assert suites.suites() == ("cec2017", "engineering", "g2006", "mixed")
    assert len(registry.ids("cec2017")) == 28 * 4 * 2
    assert len(registry.ids("g2006")) == 24
    assert len(registry.ids("engineering")) == 18
    assert len(set(registry.ids())) == len(registry.ids()) == 224 + 24 + 18 + 13


@pytest.mark.parametrize("id", [*registry.ids("g2006"), *registry.ids("engineering")])
def test_every_id_gives_its_own_problem(id):
    problem = suites.get(id)
    assert isinstance(problem, Problem)
    assert problem.id == id


@pytest.mark.parametrize("id", ["cec2017/C07/d30/2017/1", "cec2017/C28/d10/2024/12"])
def test_generated_instances_of_cec2017(id):
    problem = suites.get(id)
    assert problem.id == id
    assert problem.dim == int(id.split("/")[2][1:])
    assert problem.info["edition"] == id.split("/")[3]


def test_official_instance_of_cec2017(reference_dir):
    id = "cec2017/C01/d10/2017/official"
    problem = suites.get(id, data=reference_dir / "cec2017_official")
    assert problem.id == id
    assert problem.info["instance"] == "official"


PLAIN = """
import sys
import numpy as np
from rdex.suites import get, ids
values = {}
for id in (*ids("g2006"), *ids("engineering")):
    problem = get(id)
    rng = np.random.default_rng(7)
    points = rng.uniform(problem.lower, problem.upper, (5, problem.dim))
    values[id.replace("/", " ")] = np.column_stack(problem.evaluate(points))
np.savez(sys.argv[1], **values)
"""


def test_compiled_values_equal_plain_python(tmp_path):
    """Every formula twice, compiled and as Python; they differ by rounding only."""
    found = []
    for disable in ("0", "1"):
        path = tmp_path / f"{disable}.npz"
        environment = os.environ | {"NUMBA_DISABLE_JIT": disable}
        subprocess.run([sys.executable, "-c", PLAIN, path], check=True, env=environment)
        found.append(np.load(path))
    compiled, plain = found
    assert len(compiled.files) == 42
    for name in compiled.files:
        np.testing.assert_allclose(compiled[name], plain[name], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    ("id", "offered"),
    [
        ("G04", r"did you mean g2006/G04\?"),
        ("g2006/g04", r"did you mean g2006/G04\?"),
        ("engineering/pressure_vessel", r"did you mean engineering/pressure-vessel\?"),
        ("vessel", r"did you mean engineering/pressure-vessel\?"),
        ("enginering/welded-beam", "did you mean engineering/welded-beam"),
        ("g2006/G25", "did you mean g2006/G2"),
        ("zzzzzz", "`rdex suite list` prints what there is"),
        ("", "`rdex suite list` prints what there is"),
        ("cec2017/C07", "ids of this suite are like cec2017/C07/d30/2017/official"),
        ("cec2017/C29/d10/2017/1", "C01 to C28"),
        ("cec2017/C01/d20/2017/1", "d10, d30, d50 or d100"),
        ("cec2017/C01/d10/2018/1", "edition 2017 or 2024"),
        ("cec2017/C01/d10/2017/0", "a whole number 1, 2"),
        ("cec2017/C01/d10/2017/official ", "like cec2017"),
    ],
)
def test_unknown_id_names_the_nearest(id, offered):
    with pytest.raises(ValueError, match=offered) as caught:
        suites.get(id)
    assert repr(id) in str(caught.value)


def test_unknown_suite():
    with pytest.raises(ValueError, match=r"no suite 'g2005': there are cec2017, .*mean g2006\?"):
        registry.ids("g2005")


def test_unknown_public_name():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = suites.nothing
    assert set(suites.__all__) <= set(dir(suites))


def test_unknown_success_rule_is_refused():
    problem = Problem(
        lower=[0.0], upper=[1.0], rows=lambda X: (X[:, 0], None, None), name="odd", optimum=0.0,
        info={"success": "often"},
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"odd: info\['success'\] must be .* got 'often'"):
        suites.target(problem)


def test_a_problem_can_go_to_another_process():
    problem = suites.get("engineering/tension-spring")
    copy = pickle.loads(pickle.dumps(problem))
    x = problem.optimum_x[None]
    np.testing.assert_array_equal(copy.evaluate(x)[0], problem.evaluate(x)[0])


def test_looking_things_up_imports_no_compiler():
    code = """
import sys
from rdex.suites import get, ids
problems = [get(id) for id in (*ids("g2006"), *ids("engineering"))]
assert len(problems) == 42
assert "numba" not in sys.modules and "scipy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
