"""UDE beside the other algorithms: in `minimize`, in campaigns, and by its full name in tables."""

import numpy as np
import pytest

import rdex
from rdex import campaign
from rdex.campaign.algorithms import find, names
from rdex.engine.presets import preset
from runs_here import runs_here

pytestmark = pytest.mark.compiled

CIRCLE = {"type": "ineq", "fun": lambda x: 4.0 - x @ x}


def tilted(x):
    return float(x[0] + 2.0 * x[1])


@pytest.mark.parametrize("name", ["ude-iv", "ude-iii"])
def test_minimize_knows_it(name):
    result = rdex.minimize(
        tilted, [(-5, 5)] * 2, constraints=CIRCLE, algorithm=name, maxfev=4000, rng=1
    )
    assert result.success and result.nfev == 4000
    assert result.fun == pytest.approx(-np.sqrt(20), abs=0.02)
    assert result.settings == preset(name)
    assert result.population.shape == (100, 2)
    assert (np.diff(result.history.nfev) > 0).all()
    assert result.history.memory_F.shape[1] == 3
    assert preset(name).label in str(result)


def test_batches_do_not_matter_to_minimize():
    def run(**how):
        return rdex.minimize(
            tilted, [(-5, 5)] * 2, constraints=CIRCLE, algorithm="ude-iii", maxfev=900, rng=3, **how
        )

    first = run()
    for how in ({"batch": 40}, {"updating": "deferred"}, {"workers": map}):
        assert run(**how).fun == first.fun


def test_checkpoints_and_the_optimizer(tmp_path):
    options = {"algorithm": "ude-iv", "maxfev": 700, "rng": 2, "constraints": CIRCLE}
    whole = rdex.minimize(tilted, [(-5, 5)] * 2, **options)
    path = tmp_path / "run.npz"
    seen = []

    def stop(result):
        seen.append(result.nfev)
        return len(seen) == 3

    rdex.minimize(tilted, [(-5, 5)] * 2, **options, checkpoint=path, callback=stop)
    again = rdex.minimize(tilted, [(-5, 5)] * 2, **options, checkpoint=path)
    assert seen == [250, 400, 550] and again.nfev == 700 and again.fun == whole.fun

    optimizer = rdex.Optimizer([(-5, 5)] * 2, n_ineq=1, maxfev=700, algorithm="ude-iv", rng=2)
    while not optimizer.stop:
        X = optimizer.ask(1000)[::-1]
        for x in X:  # told in the reverse order
            optimizer.tell(x, tilted(x), G=x @ x - 4.0)
    assert optimizer.result().fun == whole.fun


def test_listed_with_its_origin():
    assert {"ude-iv", "ude-iii"} <= set(names())
    found = find("ude-iii")
    assert found.reference.startswith("UDE-III (reconstruction)")
    assert found.settings == preset("ude-iii").as_dict()
    own = find({"name": "patient", "base": "ude-iv", "stagnation": 50})
    assert own.settings["stagnation"] == 50


def test_every_table_says_reconstruction(tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("statsmodels")
    pytest.importorskip("scikit_posthocs")
    import rdex.campaign
    import rdex.store
    from rdex.report.contents import run_rows
    from rdex.report.paper_comparison import matches
    from rdex.scoring import summary, trials_from_stores

    with runs_here():
        rdex.campaign.run(
            tmp_path / "out", workers=1, algorithms=["ude-iii", "ude-iv", "rdex-csop"],
            suite="g2006", problems=["G06", "G08"], runs=3, maxfev=400, checkpoints=20,
        )  # fmt: skip
    rows = run_rows([rdex.store.load(tmp_path / "out")])
    assert {row["algorithm"] for row in rows} >= {"UDE-III (reconstruction)", "ude-iv"}
    trials = trials_from_stores([tmp_path / "out"])
    assert set(trials.algorithms) == {"UDE-III (reconstruction)", "ude-iv", "rdex-csop"}
    result = summary(trials, "ude-iii")
    assert result.reference == "UDE-III (reconstruction)"
    for table in result.tables.values():
        words = [*map(str, table.columns), *(str(cell) for row in table.rows for cell in row)]
        assert "ude-iii" not in words
    assert matches(trials.algorithms, ["UDEIII"]) == {"UDE-III (reconstruction)": "UDEIII"}


def test_instances_in_several_stores_stay_problems_of_their_own(tmp_path):
    from rdex.scoring import trials_from_stores

    folders = []
    for instance in (1, 2):
        folders.append(tmp_path / str(instance))
        plan = campaign.Plan.of(["rdex-csop"], problems="1,8", dim=10, instance=instance, runs=2,
                                maxfev=300, checkpoints=10)  # fmt: skip
        with runs_here():
            campaign.run(folders[-1], plan, workers=1)
    both = trials_from_stores(folders)
    assert both.f.shape == (1, 4, 2, 10)
    assert len(set(both.problems)) == 4 and both.problems[0] != "C01"
    assert trials_from_stores(folders[:1]).problems == ("C01", "C08")
