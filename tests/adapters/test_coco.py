"""COCO and IOHexperimenter: data sets of our algorithms, and theirs in our tables."""

import json

import numpy as np
import pytest

import rdex
from rdex.adapters.coco_data import read_data_set, sampled, trials_from_coco
from rdex.scoring import leaderboard

CHOICE = "dimensions: 2 function_indices: 1,4"


def make(folder, algorithm=None, **arguments):
    """A small data set."""
    from rdex.adapters.coco import run_suite

    return run_suite(
        folder, algorithm, instances="instances: 1-2", choice=CHOICE, budget=100, **arguments
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    pytest.importorskip("cocoex")
    folder = tmp_path_factory.mktemp("coco")
    return [make(folder / name, name) for name in ("rdex-csop", "lshade-eps")]


def test_a_data_set_is_made_with_one_call(data):
    assert [folder.name for folder in data] == ["rdex-csop", "lshade-eps"]
    series = read_data_set(data[0])
    assert [(s.suite, s.algorithm, s.function, s.dim) for s in series] == [
        ("bbob-constrained", "rdex-csop", 1, 2), ("bbob-constrained", "rdex-csop", 4, 2),
    ]  # fmt: skip
    for each in series:
        assert [number for number, _, _ in each.runs] == [1, 2]
        for _, evaluations, records in each.runs:
            assert 1 <= evaluations <= 200 and (np.diff(records[:, 1]) <= 0).all()


def test_the_records_are_those_of_our_own_run(data):
    cocoex = pytest.importorskip("cocoex")
    theirs = cocoex.Suite("bbob-constrained", "instances: 1-2", CHOICE)[0]
    result = rdex.minimize(
        rdex.Problem.from_cocoex(theirs), algorithm="rdex-csop", maxfev=200,
        rng=np.random.SeedSequence((1, 0)), callback=lambda _: bool(theirs.final_target_hit),
    )  # fmt: skip
    _, evaluations, records = read_data_set(data[0])[0].runs[0]
    assert evaluations == result.nfev
    assert result.feasible and len(records) > 3


def test_parts_make_up_the_whole(data, tmp_path):
    parts = [make(tmp_path / "all" / f"part{k}", "rdex-csop", part=(k, 2)) for k in range(2)]
    assert all(part.parent == tmp_path / "all" for part in parts)
    together = trials_from_coco(tmp_path / "all", maxfev=100, checkpoints=20)
    whole = trials_from_coco(data[0], maxfev=100, checkpoints=20)
    assert together.problems == whole.problems
    assert np.array_equal(np.sort(together.f, axis=2), np.sort(whole.f, axis=2))


def test_data_sets_are_scored_like_ours(data):
    trials = trials_from_coco(*data, maxfev=100, checkpoints=50)
    assert trials.algorithms == ("rdex-csop", "lshade-eps")
    assert trials.problems == ("f001/d02", "f004/d02") and trials.f.shape == (2, 2, 2, 50)
    assert (np.diff(trials.f, axis=-1) <= 0).all() and trials.maxfev.tolist() == [200, 200]
    assert len(leaderboard(trials).rows) == 2


def test_records_become_traces():
    records = np.array([[1, 9.0], [4, 5.0], [10, 2.0]])
    assert sampled(records, np.array([1, 3, 4, 9, 10, 99])).tolist() == [9, 9, 5, 5, 2, 2]


def test_a_report_of_data_sets(data, tmp_path):
    pytest.importorskip("plotly")
    from rdex.adapters.coco_data import report_from_coco

    written = report_from_coco(*data, out=tmp_path / "report", maxfev=100, checkpoints=20)
    page = written.page.read_text(encoding="utf-8")
    assert "lshade-eps" in page and "f004/d02" in page
    assert len(written.tables) > 10 and written.figures


def test_data_of_suites_without_constraints(tmp_path):
    (tmp_path / "data_f1").mkdir()
    (tmp_path / "bbobexp_f1.info").write_text(
        "suite = 'bbob', funcId = 1, DIM = 2, Precision = 1.000e-08, algId = 'theirs', "
        "coco_version = '2.6'\n% a comment\ndata_f1/bbobexp_f1_DIM2.dat, 1:30|2.0e-01, 2:20|1e-1\n"
    )
    (tmp_path / "data_f1" / "bbobexp_f1_DIM2.dat").write_text(
        "% f evaluations | best noise-free fitness - Fopt (7.9e+01) | measured\n"
        "1 +5.0e+00 +8.4e+01\n30 +2.0e-01 +7.9e+01\n"
        "% f evaluations | best noise-free fitness - Fopt (7.9e+01) | measured\n"
        "1 +3.0e+00 +8.4e+01\n20 +1.0e-01 +7.9e+01\n"
    )
    trials = trials_from_coco(tmp_path, checkpoints=3)
    assert trials.algorithms == ("theirs",) and trials.maxfev.tolist() == [30]
    assert trials.f[0, 0].tolist() == [[5.0, 5.0, 0.2], [3.0, 0.1, 0.1]]
    (tmp_path / "data_f1" / "bbobexp_f1_DIM2.dat").write_text("% only one\n1 2 3\n")
    with pytest.raises(ValueError, match="2 runs listed, 1 in"):
        read_data_set(tmp_path)


def test_a_folder_without_data_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"no \.info file"):
        read_data_set(tmp_path)


class TestIoh:
    @pytest.fixture
    def ioh(self):
        return pytest.importorskip("ioh")

    def test_values_are_theirs(self, ioh):
        from rdex.adapters.ioh import problem_from

        theirs = ioh.get_problem(3, 1, 4)
        ours = problem_from(theirs)
        x = np.random.default_rng(1).uniform(-5, 5, size=(4, 4))
        assert ours.evaluate(x)[0].tolist() == [theirs(row.tolist()) for row in x]
        assert ours.name == "Rastrigin" and ours.n_constraints == 0

    def test_constraints_arrive(self, ioh):
        from rdex.adapters.ioh import problem_from

        theirs = ioh.get_problem(1, 1, 2)
        theirs.add_constraint(
            ioh.RealConstraint(
                lambda x: max(0.0, 3.0 - x[0]), enforced=ioh.ConstraintEnforcement.NOT
            )
        )
        ours = problem_from(theirs)
        assert ours.evaluate([[1.0, 0.0], [4.0, 0.0]])[1].tolist() == [[2.0], [0.0]]
        result = rdex.minimize(ours, maxfev=800, rng=1)
        assert result.feasible and result.x[0] == pytest.approx(3, abs=0.01)

    def test_whole_numbers_and_maximisation(self, ioh):
        from rdex.adapters.ioh import problem_from

        theirs = ioh.get_problem("OneMax", 1, 12, ioh.ProblemClass.PBO)
        ours = problem_from(theirs)
        assert ours.integrality.all()
        assert rdex.minimize(ours, maxfev=600, rng=1).fun == -12

    def test_loggers_see_every_run(self, ioh, tmp_path):
        from rdex.adapters.ioh import run_problems

        logger = ioh.logger.Analyzer(root=str(tmp_path), folder_name="data")
        run_problems([ioh.get_problem(1, 1, 3)], logger, "lshade-eps", budget=40, runs=2)
        del logger
        facts = json.loads((tmp_path / "data" / "IOHprofiler_f1_Sphere.json").read_text())
        runs = facts["scenarios"][0]["runs"]
        assert [run["evals"] for run in runs] == [120, 120]
        assert runs[0]["best"]["y"] != runs[1]["best"]["y"]
