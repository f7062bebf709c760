"""The page of a single run."""

import json
import re

import numpy as np
import pytest

pytest.importorskip("plotly")
pytest.importorskip("jinja2")

import rdex
from rdex.report import run_report
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
        constraints=[{"type": "ineq", "fun": lambda x: x[0] - 2}], maxfev=300, rng=0,
        constraint_names=["reach"],
    )  # fmt: skip
    html, data = data_of(result.report(tmp_path / "run.html"))
    assert f"1 of 1 constraints are violated: reach (by {result.maxcv:.4g})" in html
    assert data["feasible_from"] is None and data["scaled"][0] > 0


def test_a_run_without_constraints_and_one_without_usable_values(tmp_path):
    free = rdex.minimize(lambda x: x @ x, [(-1, 1)] * 2, maxfev=200, rng=0)
    html, _ = data_of(free.report(tmp_path / "free.html"))
    assert 'id="by-constraint"' not in html
    failed = rdex.minimize(lambda x: float("nan"), [(-1, 1)], maxfev=100, rng=0)
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
    assert "<dt>seed</dt><dd>3</dd>" in head and "<dt>problem</dt><dd>lambda</dd>" in head
