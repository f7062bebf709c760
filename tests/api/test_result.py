"""Results: fields, honesty about infeasibility, text, HTML, plot, polish, history."""

import numpy as np
import pytest
from problems import BOX, LENS, TOY, ring, square, tilted
from scipy.optimize import NonlinearConstraint, OptimizeResult

from rdex import Problem, minimize

IMPOSSIBLE = {
    "constraints": [
        NonlinearConstraint(ring, -np.inf, -1.0),
        {"type": "eq", "fun": lambda x: x[0] - x[1]},
        NonlinearConstraint(square, -np.inf, -3.0),
    ],
    "constraint_names": ["weight", "energy", "balance"],
}


@pytest.fixture(scope="module")
def feasible():
    return minimize(tilted, BOX, **LENS, maxfev=600, rng=0)


@pytest.fixture(scope="module")
def infeasible():
    return minimize(square, BOX, **IMPOSSIBLE, maxfev=400, rng=0)


def test_fields_of_scipy_and_more(feasible):
    assert isinstance(feasible, OptimizeResult)
    assert feasible.success is True and feasible.feasible is True
    assert feasible.status == 0 and feasible.message == "Evaluation budget exhausted."
    assert feasible.fun == tilted(feasible.x)
    assert feasible.nfev == feasible.maxfev == 600
    assert feasible.cv == feasible.maxcv == feasible.constr_violation == 0.0
    assert [c.tolist() for c in feasible.constr] == [[0.0], [0.0]]
    assert feasible.G[0] == 1.0 - ring(feasible.x) and feasible.H.size == 0
    assert [v.name for v in feasible.violations] == ["ring", "c2"]
    assert all(v.satisfied and v.kind == ">=" and v.tolerance == 0 for v in feasible.violations)
    assert 1 <= feasible.first_feasible <= 600
    assert feasible.population.shape == (len(feasible.population_energies), 2)
    assert feasible.n_failed == 0 and feasible.seconds > 0
    assert feasible.settings.perturb_unit == "range"
    assert (feasible.constraint_scale > 0).all()


def test_an_infeasible_end_says_what_blocks_and_how_much(infeasible):
    assert infeasible.success is False and infeasible.first_feasible is None
    assert np.isfinite(infeasible.fun) and np.abs(infeasible.x).max() < 0.5
    weight, energy, balance = infeasible.violations
    assert (weight.kind, energy.kind, balance.kind) == ("<=", "<=", "=")
    assert 1.0 <= weight.violation == weight.value + 1.0 < 1.5 and not weight.satisfied
    assert balance.tolerance == 1e-4
    assert infeasible.maxcv == energy.violation == max(infeasible.G)
    sizes = [weight.violation, energy.violation, balance.violation]
    assert infeasible.cv == pytest.approx(np.mean(sizes))
    assert "No feasible point was found" in infeasible.message
    assert f"energy by {energy.violation:.4g}, weight by" in infeasible.message


def test_text(feasible, infeasible):
    text = str(feasible)
    assert text.startswith("Feasible solution\n") and repr(feasible) == text
    assert f"first at evaluation {feasible.first_feasible}" in text
    assert "ring" in text and "≥ 1" in text and "ok" in text and "VIOLATED" not in text
    text = str(infeasible)
    assert text.startswith("No feasible solution\n")
    assert "never; blocking: energy by" in text and "VIOLATED by" in text
    assert "the mean was" in text
    assert str(minimize(square, BOX, maxfev=20, rng=0)).startswith("Solution\n")


def test_long_results_are_shortened():
    result = minimize(square, [(0, 1)] * 100, maxfev=10, rng=0)
    assert "… 70 more …" in str(result) and len(str(result).splitlines()) < 45
    assert "x100" in str(result) and "x50 " not in str(result)


def test_html_escapes_names():
    named = minimize(square, BOX, **TOY, maxfev=30, rng=0, variable_names=["<a>", "b&c"])
    page = named._repr_html_()
    assert "&lt;a&gt;" in page and "b&amp;c" in page and "<a>" not in page
    assert page.count("<table>") == page.count("</table>") == 3
    assert "#b00" in page  # violated after 30 evaluations


def test_history(feasible):
    h = feasible.history
    assert h.nfev[0] == h.n[0] and h.nfev[-1] == 600 and (np.diff(h.nfev) > 0).all()
    assert h.f[-1] == feasible.fun and h.cv[-1] == 0
    reached = h.cv == 0
    assert (np.diff(h.f[reached]) <= 0).all() and (np.diff(h.cv) <= 0).all()
    assert (h.feasible_share >= 0).all() and (h.feasible_share <= 1).all()
    assert h.memory_F.shape == (h.nfev.size, 5) and (np.diff(h.generation) >= 0).all()
    few = minimize(tilted, BOX, **LENS, maxfev=600, rng=0, checkpoints=4).history
    assert few.nfev.tolist() == [h.nfev[0], 150, 300, 450, 600]
    for n, f in zip(few.nfev, few.f, strict=True):
        assert f == h.f[h.nfev == n][0]


def test_population_is_best_first(feasible):
    values = [tilted(x) for x in feasible.population]
    assert values == feasible.population_energies.tolist() == sorted(values)


def test_a_plot_has_the_unit_of_f_and_no_line_of_what_was_not_found():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    result = minimize(
        lambda x: x[0], [(0, 1)], constraints={"type": "ineq", "fun": lambda x: x[0] - 2},
        units={"f": "$ a_b $"}, maxfev=60, rng=0,
    )  # fmt: skip
    objective = result.plot().axes[0]
    assert objective.get_ylabel() == "best f, $ a_b $"
    assert not objective.yaxis.label.get_parse_math()
    assert "best feasible" not in objective.get_legend_handles_labels()[1]
    pyplot.close("all")


def test_plot(feasible, infeasible):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    figure = feasible.plot()
    assert [axis.get_ylabel() for axis in figure.axes] == ["best f", "violation"]
    other, axes = pyplot.subplots(2, 1)
    assert infeasible.plot(axes) is other
    figure.canvas.draw()
    other.canvas.draw()
    pyplot.close("all")


def test_the_line_of_infeasible_points_ends_at_the_first_feasible_one():
    """It went on beside the line of feasible ones."""
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    ring = {"type": "eq", "fun": lambda x: x @ x - 1}
    result = minimize(lambda x: x[0], [(-4, 4)] * 2, constraints=ring, maxfev=99, rng=1,
                      algorithm="local")  # fmt: skip
    assert result.feasible and result.first_feasible > 1
    figure = result.plot()
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    before = np.isfinite(lines["best, not feasible yet"].get_ydata())
    after = np.isfinite(lines["best feasible"].get_ydata())
    assert before.any() and after.any() and not (before & after).any()
    pyplot.close("all")


def test_plots_have_no_empty_panels_and_no_negative_violations(feasible):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    free = minimize(square, BOX, maxfev=60, rng=0).plot()
    assert [axis.get_ylabel() for axis in free.axes] == ["best f"]
    violation = feasible.plot().axes[1]
    assert all((line.get_ydata() > 0).sum() == np.isfinite(line.get_ydata()).sum()
               for line in violation.lines[:-1])  # fmt: skip
    free.canvas.draw()
    assert all("×" not in label.get_text() for label in free.axes[0].get_xticklabels())
    pyplot.close("all")


def test_reprs_are_short(feasible):
    assert repr(feasible.history).startswith("History(") and len(repr(feasible.history)) < 120
    problem = Problem([0.0], [1.0], n_ineq=1, rows=lambda X: X, name="toy")
    assert repr(problem) == "Problem('toy': 1 variable, 1 inequality constraint)"


@pytest.mark.parametrize("batch", [1, 4])
def test_tolerances_per_constraint(batch):
    pair = {
        "constraints": [
            {"type": "eq", "fun": lambda x: x[0] - 1}, {"type": "eq", "fun": lambda x: x[1] - 2},
            {"type": "ineq", "fun": lambda x: x[0] - 1.5},
        ]
    }  # fmt: skip
    result = minimize(square, BOX, **pair, eq_tol=[1.0, 0.01], ineq_tol=[0.75], maxfev=3000, rng=0,
                      batch=batch)  # fmt: skip
    assert result.feasible
    assert [v.tolerance for v in result.violations] == [0.75, 1.0, 0.01]
    assert result.x[0] == pytest.approx(0.75, abs=1e-3)
    assert result.x[1] == pytest.approx(1.99, abs=1e-3)


def test_polish_is_kept_only_if_it_is_better():
    calls = []

    def counted(x):
        calls.append(1)
        return tilted(x)

    rough = minimize(tilted, BOX, **LENS, maxfev=150, rng=0)
    fine = minimize(counted, BOX, **LENS, maxfev=150, rng=0, polish=True)
    assert fine.polished and fine.feasible and fine.fun < rough.fun
    assert fine.nfev == len(calls) == 150 and fine.fun == tilted(fine.x)
    assert "kept" in str(fine)
    assert [phase.name for phase in fine.phases] == ["differential evolution", "local search"]
    assert fine.phases[1].nfev <= 15
    worse = minimize(tilted, BOX, **LENS, maxfev=150, rng=0, polish=lambda r, p: p.upper)
    assert not worse.polished and worse.nfev == 151
    assert np.array_equal(worse.x, rough.x) and "dropped" in str(worse)


def test_polish_by_a_callable_is_counted():
    def local(result, problem):
        assert isinstance(problem, Problem)
        x = result.x.copy()
        for step in (1e-2, 1e-3):
            F, _G, _H = problem.evaluate(np.vstack([x, x * (1 - step)]))
            x = [x, x * (1 - step)][int(F.argmin())]
        return x

    rough = minimize(square, BOX, maxfev=60, rng=0)
    fine = minimize(square, BOX, maxfev=60, rng=0, polish=local)
    assert fine.polished and fine.fun < rough.fun and 62 <= fine.nfev <= 64
    with pytest.raises(ValueError, match=r"x of shape \(2,\), got \(3,\)"):
        minimize(square, BOX, maxfev=60, rng=0, polish=lambda r, p: [1, 2, 3])


def test_polish_can_make_a_point_feasible_and_leaves_integers_alone():
    total = {"type": "eq", "fun": lambda x: x.sum() - 4.5}
    result = minimize(square, [(-5, 5)] * 3, constraints=total, integrality=[1, 0, 0], maxfev=100,
                      rng=0, eq_tol=1e-9, polish=True)  # fmt: skip
    assert result.polished and result.feasible and result.x[0] % 1 == 0
    assert 90 < result.first_feasible <= 100 == result.nfev
    assert "No feasible" not in result.message


def test_polish_survives_failures():
    count = []

    def fun(x):
        count.append(1)
        if len(count) > 56:
            raise OSError
        return square(x)

    result = minimize(fun, BOX, maxfev=60, rng=0, polish=True)
    assert result.nfev == len(count) and result.fun == square(result.x)
