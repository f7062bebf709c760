"""Every example runs, and ends where it should."""

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

#: File -> what its output must contain.
EXPECTED = {
    "constraint_objects.py": "Feasible solution",
    "pressure_vessel.py": "f            6059.714335",
    "compiled.py": "times as fast",
    "on_dask.py": "the same run without workers: True",
    "beam_solver.py": "Feasible solution",
    "ask_tell.py": "Feasible solution",
    "warm_start.py": "refined:   f = ",
}


def output_of(name, capsys):
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


#: Runs by default; other tests use by default what the other examples show.
SHORT = {"pressure_vessel.py"}


@pytest.mark.compiled
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=() if name in SHORT else pytest.mark.slow)
    for name in sorted(set(EXPECTED) - {"compiled.py", "on_dask.py"})
])  # fmt: skip
def test_example(name, capsys):
    assert EXPECTED[name] in output_of(name, capsys)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.filterwarnings("default")  # of Dask and what it brings
def test_example_on_dask(capsys):
    pytest.importorskip("distributed")
    assert EXPECTED["on_dask.py"] in output_of("on_dask.py", capsys)


@pytest.mark.slow
@pytest.mark.compiled
def test_the_compiled_example_finds_the_same(capsys):
    printed = output_of("compiled.py", capsys)
    found = re.findall(r"f = (\S+)", printed)
    assert EXPECTED["compiled.py"] in printed
    assert len(found) == 2 and found[0] == found[1]


def test_no_example_is_forgotten():
    others = {"tour.py"}  # has a test of its own
    assert {path.name for path in EXAMPLES.glob("*.py")} - others == set(EXPECTED)
