"""Every script of the gallery solves its problem and draws its figure."""

import re
import runpy
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
SCRIPTS = {path.stem: path for path in (PROJECT / "examples" / "gallery").glob("*.py")}

#: Script -> the largest f that counts as solved; None where nothing is feasible.
SOLVED = {
    "welded_beam": 1.73,
    "limits": 1.73,
    "pressure_vessel": 6100,
    "tension_spring": 0.0128,
    "truss": 5200,
    "gear_train": 1e-8,
    "packing": -0.2,
    "chain": -17.0,
    "throw": 17.2,
    "crashes": 1e-3,
    "infeasible": None,
    "materials": 4.7,
    "workers": 2.5,
    "cluster": -0.99,
    "kinetics": 0.005,
    "two_variables": 0.5,
}


def run(name):
    mpl = pytest.importorskip("matplotlib")
    mpl.use("Agg")
    from matplotlib import pyplot

    script = runpy.run_path(str(SCRIPTS[name]))
    result = script["solve"]()
    figure = script["draw"](result)
    figure.canvas.draw()
    pyplot.close(figure)
    return result


#: Runs by default; the others are as much work again.
SHORT = {"welded_beam"}


@pytest.mark.compiled
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=() if name in SHORT else pytest.mark.slow)
    for name in sorted(set(SOLVED) - {"cluster", "infeasible"})
])  # fmt: skip
def test_a_script_solves_its_problem(name):
    pytest.importorskip("pandas")
    result = run(name)
    assert result.success and result.fun <= SOLVED[name]


@pytest.mark.slow
@pytest.mark.compiled
def test_the_infeasible_one_says_so():
    result = run("infeasible")
    assert not result.success and "stiffness" in result.message
    assert set(result.conflict().names) == {"stiffness", "mass"}


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.filterwarnings("default")  # of Dask and what it brings
def test_the_one_on_a_cluster():
    pytest.importorskip("distributed")
    assert run("cluster").fun <= SOLVED["cluster"]


def test_the_page_shows_every_script():
    page = (PROJECT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert set(re.findall(r"<!-- code: (\w+) -->", page)) == set(SCRIPTS) == set(SOLVED)
    shown = re.findall(r"\(assets/gallery/(\w+)\.png\)", page)
    assert sorted(shown) == sorted(SCRIPTS)
    figures = list((PROJECT / "docs" / "assets" / "gallery").glob("*.png"))
    assert {path.stem for path in figures} == set(SCRIPTS)
    assert sum(path.stat().st_size for path in figures) < 500_000


def test_figures_are_of_their_scripts(monkeypatch):
    """The documentation build draws what is stale; what is committed is not."""
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(PROJECT / "scripts"))
    import gallery

    assert [path.stem for path in gallery.SCRIPTS if gallery.is_stale(path)] == []
