"""The page of a single run."""

import json
import pickle
import re

import numpy as np
import pytest

pytest.importorskip("plotly")
pytest.importorskip("jinja2")

import rdex
from rdex.report import run_report
from rdex.report.run_charts import importance
from rdex.report.single import blocking, variable_rows
from rdex.run.constraint_state import ConstraintState

# Of the generator, without the JIT.
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in scalar:RuntimeWarning")

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def solved():
    """min x0 + x1 on x0² + x1² <= 2, x1 = -1, a slack constraint, x2 at its lower bound."""
    return rdex.minimize(
        lambda x: x[0] + x[1] + x[2],
        [(-5, 5), (-5, 5), (3, 4)],
        constraints=[
            {"type": "ineq", "fun": lambda x: 2 - x[0] ** 2 - x[1] ** 2},
            {"type": "ineq", "fun": lambda x: 100 - x[0]},
            {"type": "eq", "fun": lambda x: x[1] + 1},
        ],
        maxfev=6000, rng=3, algorithm="rdex-csop", variable_names=("a", HOSTILE, "c"),
        constraint_names=("disc", "far", HOSTILE),
    )  # fmt: skip


def data_of(path):
    html = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    return html, json.loads(found[1])


def test_result_writes_its_page(solved, tmp_path):
    path = solved.report(tmp_path / "run.html", title="A & B")
    html, data = data_of(path)
    assert path == tmp_path / "run.html"
    assert "<h1>A &amp; B</h1>" in html and f"{solved.fun:.12g}" in html
    assert data["f"][-1] == pytest.approx(solved.history.f[-1], rel=1e-7)
    assert data["n"][-1] == solved.history.n[-1] and data["nfev"][-1] == 6000
    assert np.shape(data["memory_F"]) == (5, len(data["nfev"]))
    assert data["feasible_from"] == solved.first_feasible


def test_a_folder_gets_an_index(solved, tmp_path):
    assert run_report(solved, tmp_path / "page") == tmp_path / "page" / "index.html"


def test_names_are_text(solved, tmp_path):
    html, data = data_of(solved.report(tmp_path / "run.html"))
    own = re.sub(r"<script>.*?</script>", "", html, flags=re.S)
    assert "<script>alert" not in own
    assert own.count("&lt;script&gt;alert(1)") == 3  # verdict, variable, constraint
    assert data["constraints"][2] == HOSTILE


def test_active_constraints_and_bounds_are_named(solved):
    words = [state.state for state in solved.violations]
    assert solved.feasible and words == ["active", "slack", "active"]
    states = [row[-1] for row in variable_rows(solved)]
    assert states == ["inside", "inside", "at its lower bound"]


def test_an_inequality_is_active_near_zero_in_its_own_scale():
    def word(value, scale):
        state = ConstraintState("g", "<=", value, 0.0, value <= 0, max(value, 0.0), scale=scale)
        return state.state

    assert word(-1e-3, 100.0) == "active"
    assert word(-1e-3, 1.0) == "slack"
    assert word(1e-9, 1.0) == "violated"


def test_what_held_an_infeasible_run_back_is_told(tmp_path):
    result = rdex.minimize(
        lambda x: x[0], [(0, 1)],
        constraints=[{"type": "ineq", "fun": lambda x: x[0] - 2}], maxfev=60, rng=0,
        constraint_names=["reach"],
    )  # fmt: skip
    html, data = data_of(result.report(tmp_path / "run.html"))
    assert f"1 of 1 constraints are violated: reach (by {result.maxcv:.4g})" in html
    assert data["feasible_from"] is None and data["scaled"][0] > 0


def test_a_run_without_constraints_and_one_without_usable_values(tmp_path):
    free = rdex.minimize(lambda x: x @ x, [(-1, 1)] * 2, maxfev=60, rng=0)
    html, _ = data_of(free.report(tmp_path / "free.html"))
    assert 'id="by-constraint"' not in html
    failed = rdex.minimize(lambda x: float("nan"), [(-1, 1)], maxfev=40, rng=0)
    html, data = data_of(failed.report(tmp_path / "failed.html"))
    assert "no usable values" in html and data["f"][-1] is None


def test_constraints_that_were_never_simulated_are_unknown():
    nan = float("nan")
    cheap = ConstraintState("cheap", "<=", 2.0, 0.0, False, 2.0)
    skipped = ConstraintState("skipped", "<=", nan, 0.0, False, nan)
    assert (cheap.state, skipped.state) == ("violated", "unknown")
    assert blocking([cheap, skipped]) == "1 of 2 constraints are violated: cheap (by 2)."
    assert blocking([skipped]) == "Nothing known is violated."


def test_the_page_opens_with_a_verdict_and_what_was_run(solved, tmp_path):
    html, _ = data_of(solved.report(tmp_path / "run.html"))
    head = html[html.index("<header>") : html.index("</header>")]
    assert f"The best feasible f is {solved.fun:.12g}; limited by disc, " in head
    for name, value in (("problem", "lambda"), ("seed", "3"), ("budget", "6000 evaluations")):
        assert f"{name} <b>{value}</b>" in head
    assert "date <b>20" in head


@pytest.fixture(scope="module")
def modelled():
    """min x0² + 3 x1 on x0 + x1 >= 1: x2 means nothing."""
    return rdex.minimize(
        lambda x: x[0] ** 2 + 3 * x[1], [(-2, 2), (-1, 2), (0, 5)],
        constraints=[{"type": "ineq", "fun": lambda x: x[0] + x[1] - 1}],
        maxfev=60, rng=1, algorithm="scout", constraint_names=["sum"],
    )  # fmt: skip


def test_points_are_the_evaluations_of_the_run(modelled):
    points = modelled.points
    assert len(points) == modelled.nfev and points.number.tolist() == list(range(1, 61))
    for x, f, cv, violation in zip(
        points.x, points.f, points.cv, points.violations[:, 0], strict=True
    ):
        assert f == pytest.approx(x[0] ** 2 + 3 * x[1])
        short = max(0.0, 1 - x[0] - x[1])
        assert (cv, violation) == (pytest.approx(short), pytest.approx(short))
    best = np.where(points.cv == 0, points.f, np.inf)
    assert best.min() == modelled.fun
    assert repr(points) == f"Points(60 evaluations, {(points.cv == 0).sum()} of them feasible)"


def test_a_log_gives_all_points_of_an_evolution_and_no_log_none(tmp_path):
    options = {"maxfev": 120, "rng": 1, "algorithm": "rdex-csop"}
    path = tmp_path / "e.csv"
    logged = rdex.minimize(lambda x: x @ x, [(-1, 1)] * 2, evaluations=path, **options)
    assert len(logged.points) == 120 and logged.points.f.min() == logged.fun
    alone = rdex.minimize(lambda x: x @ x, [(-1, 1)] * 2, **options)
    assert len(alone.points) == 0
    html, data = data_of(alone.report(tmp_path / "run.html"))
    assert "evaluations=FILE keeps all" in html and data["points"]["f"] == []


def test_the_page_has_points_designs_activity_and_what_matters(modelled, tmp_path):
    html, data = data_of(modelled.report(tmp_path / "run.html"))
    assert data["points"]["kept"] == 60 and sum(data["points"]["feasible"]) > 0
    designs = data["designs"]
    assert designs["f"][-1] == pytest.approx(modelled.fun, rel=1e-7)
    assert all(0 <= value <= 1 for row in designs["share"] for value in row)
    limit = modelled.fun + 0.1 * abs(modelled.fun)
    assert len(designs["f"]) > 1 and max(designs["f"]) <= limit * (1 + 1e-7)
    violated = modelled.points.violations[:, 0] > 0
    shares = data["activity"]["share"][0]
    assert shares[0] == pytest.approx(violated[:6].mean(), rel=1e-4)
    assert shares[-1] == pytest.approx(violated[-6:].mean(), rel=1e-4)
    assert 'id="matters"' in html and "Inside the search" not in html


def test_slices_follow_the_function_and_idle_variables_matter_little(modelled, tmp_path):
    _, data = data_of(modelled.report(tmp_path / "run.html"))
    shares = importance(modelled)[0]["shares"]
    assert shares[2] < 0.05 and sum(shares) == pytest.approx(1, abs=1e-3)
    first = data["slices"][0]
    assert first["share"] == max(each["share"] for each in data["slices"])
    for each in data["slices"]:
        j = ("x1", "x2", "x3").index(each["name"])
        for value, f, holds in zip(each["x"], each["f"], each["holds"], strict=True):
            x = modelled.x.copy()
            x[j] = value
            assert f == pytest.approx(x[0] ** 2 + 3 * x[1], abs=0.3)
            if abs(x[0] + x[1] - 1) > 0.2:
                assert holds == (x[0] + x[1] > 1)


def test_a_slice_through_a_list_has_its_values(tmp_path):
    sizes = [2, 3, 5, 8]
    result = rdex.minimize(
        lambda v: sizes.index(v["size"]) + v["a"],
        {"size": {"choices": sizes}, "a": (0, 1)}, algorithm="scout", maxfev=30, rng=1,
    )  # fmt: skip
    _, data = data_of(result.report(tmp_path / "run.html"))
    first = data["slices"][0]
    assert first["name"] == "size" and first["x"] == sizes and first["listed"]
    assert first["f"] == pytest.approx([0, 1, 2, 3], abs=0.05)


def test_categories_have_no_slices_and_their_names_in_good_designs(tmp_path):
    result = rdex.minimize(
        lambda v: v["a"] + {"wood": 1, "steel": 0}[v["material"]],
        {"a": (0, 1), "material": {"categories": ["wood", "steel"]}}, maxfev=60, rng=1,
    )  # fmt: skip
    _, data = data_of(result.report(tmp_path / "run.html"))
    assert [each["name"] for each in data["slices"]] == ["a"]
    assert data["designs"]["x"][-1] == [pytest.approx(0, abs=1e-3), "steel"]
    assert data["designs"]["share"][-1][1] == 1.0
    loaded = pickle.loads(pickle.dumps(result))
    _, data = data_of(loaded.report(tmp_path / "loaded.html"))
    assert loaded.categories == {} and data["designs"]["share"] == []


def test_the_page_shows_what_was_asked_about_limits_and_shares():
    """Nothing is evaluated for the page: it has what `sensitivity` or `conflict` found before."""
    from rdex.report.single import run_html

    problem = rdex.Problem.from_function(
        lambda x: (x[0] + x[1], [1 - x[0] * x[1]]), [(0.1, 3)] * 2, n_ineq=1,
        constraint_names=["<area>"], stated=[(">=", 1)],
    )  # fmt: skip
    result = rdex.minimize(problem, maxfev=150, rng=1)
    assert result.explanation is None and 'id="limits"' not in run_html(result, "run")
    price = result.sensitivity().prices[0]
    page = run_html(result, "run")
    assert "What limits the design" in page and f"saves {price.percent:.3g} ±" in page
    assert "relaxing `&lt;area&gt;` by 1 %" in page

    blocked = rdex.minimize(
        lambda x: x[0], [(0, 1)], constraints=[{"type": "ineq", "fun": lambda x: x[0] - 2}],
        constraint_names=["reach"], feasibility_only=True, maxfev=60, rng=1,
    )  # fmt: skip
    assert blocked.conflict(maxfev=0) is blocked.explanation
    page = run_html(blocked, "run")
    assert "Why nothing is feasible" in page and "evidence, no proof" in page
    assert "Share of random points that satisfy" in page
    assert f"<dd>{blocked.feasible_shares[0]}</dd>" in page
    assert "<p>It would have to give way:</p>\n<ul><li>reach by 1" in page
