"""The package as people install it: light to import, whole, and consistent with its papers."""

import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import rdex

PROJECT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PYPROJECT["optional-dependencies"]
HEAVY = ("numba", "scipy.optimize", "scipy.stats", "pandas", "matplotlib", "plotly", "pyarrow")


def loaded_after(statement: str) -> set[str]:
    """Heavy modules that a new process holds after this statement."""
    code = f"{statement}\nimport sys\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    return set(run.stdout.split())


def test_importing_the_package_is_light():
    assert loaded_after("import rdex") == set()


def test_the_check_above_can_fail():
    assert "scipy.stats" in loaded_after("import rdex, scipy.stats")


def test_every_public_name_resolves_and_is_listed():
    for name in rdex.__all__:
        assert getattr(rdex, name) is not None
    assert set(rdex.__all__) <= set(dir(rdex))
    assert len(set(rdex.__all__)) == len(rdex.__all__)


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = rdex.no_such_name


@pytest.mark.parametrize("room", [
    path.parent.name for path in sorted(Path(rdex.__file__).parent.glob("*/__init__.py"))
])  # fmt: skip
def test_public_names_of_the_rooms_resolve(room):
    module = importlib.import_module(f"rdex.{room}")
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None


REQUIREMENTS = [("core", text) for text in PYPROJECT["dependencies"]]
REQUIREMENTS += [(extra, text) for extra, texts in EXTRAS.items() for text in texts]


@pytest.mark.parametrize(("extra", "text"), REQUIREMENTS, ids=lambda value: value)
def test_declared_dependencies_are_installed(extra, text):
    requirement = Requirement(text)
    if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
        pytest.skip(f"not for this machine: {requirement.marker}")
    installed = importlib.metadata.version(requirement.name)
    assert requirement.specifier.contains(installed, prereleases=True), installed


def test_required_extras_exist():
    """`require(module, extra)` names extras that pyproject declares."""
    named = set()
    for path in Path(rdex.__file__).parent.rglob("*.py"):
        named |= set(re.findall(r'require\(\s*"[\w.]+",\s*"(\w+)"\)', path.read_text("utf-8")))
    assert named - {"math"} <= set(EXTRAS)


def test_types_are_shipped():
    assert (Path(rdex.__file__).parent / "py.typed").is_file()


def test_the_version_is_the_same_everywhere():
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", rdex.__version__)
    assert importlib.metadata.version("rdex") == rdex.__version__


def test_the_papers_name_this_version():
    changelog, citation = PROJECT / "CHANGELOG.md", PROJECT / "CITATION.cff"
    if not changelog.is_file() and not citation.is_file():
        pytest.skip("neither CHANGELOG.md nor CITATION.cff is written yet")
    if changelog.is_file():
        heading = re.compile(r"^## \[?(\d+\.\d+\.\d+\S*?)\]?(?:\s|$)", re.MULTILINE)
        versions = heading.findall(changelog.read_text("utf-8"))
        assert not versions or versions[0] == rdex.__version__
    if citation.is_file():
        found = re.search(
            r"^version:\s*[\"']?([^\s\"']+)", citation.read_text("utf-8"), re.MULTILINE
        )
        assert found is not None and found[1] == rdex.__version__


def test_a_missing_extra_says_what_installs_it(monkeypatch):
    from rdex.common.extras import MissingExtraError, require

    for module, extra in (("plotly.graph_objects", "bench"), ("distributed", "cluster")):
        monkeypatch.setitem(sys.modules, module.split(".")[0], None)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtraError) as caught:
            require(module, extra)
        assert f'pip install "rdex[{extra}]"' in str(caught.value)
        assert isinstance(caught.value, ImportError)


def test_the_command_line_is_declared():
    target = PYPROJECT["scripts"]["rdex"]
    module, function = target.split(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_help_lists_every_algorithm():
    missing = [name for name in rdex.algorithms() if f'"{name}"' not in rdex.minimize.__doc__]
    assert missing == []


FIRST_EVALUATION = """
import sys
import rdex

def fun(x):
    later = ("scipy", "numpy.ma", "importlib.metadata", "concurrent.futures",
             "numba", "threadpoolctl", "rdex.workers.pool", "rdex.models.surrogate",
             "rdex.solvers.sqp", "rdex.strategies.hybrid", "rdex.strategies.scout.phases")
    sys.exit(" ".join(name for name in later if name in sys.modules) or 0)

rdex.minimize(fun, bounds=[(-5, 5)] * 2, maxfev=100, rng=1, on_error="raise",
              constraints={"fun": lambda x: x[0] + x[1], "lb": 1, "ub": 1})
"""


def test_the_first_evaluation_waits_for_nothing_that_comes_later():
    done = subprocess.run([sys.executable, "-c", FIRST_EVALUATION], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
