"""`RdexSampler` in Optuna: constraints, equalities, every kind of parameter, many workers."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("optuna")

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from rdex.adapters.optuna import RdexSampler, set_equality

optuna.logging.set_verbosity(optuna.logging.ERROR)


def plane(trial):
    x, y = trial.suggest_float("x", -5, 5), trial.suggest_float("y", -5, 5)
    trial.set_constraint("least", 0.8 - x)
    set_equality(trial, "line", x + y - 1, tol=1e-2)
    return x**2 + y**2


def run(objective=plane, n=300, sampler=None, n_jobs=1, direction="minimize", **study):
    made = optuna.create_study(
        sampler=sampler or RdexSampler(n, seed=1), direction=direction, **study
    )
    made.optimize(objective, n_trials=n, n_jobs=n_jobs)
    return made


def test_constraints_of_both_kinds_arrive():
    study = run()
    assert study.best_params == pytest.approx({"x": 0.8, "y": 0.2}, abs=0.03)
    result = study.sampler.optimizer.result()
    assert result.G.shape == (1,) and result.H.shape == (1,)
    names = [(state.name, state.kind, state.tolerance) for state in result.violations]
    assert names == [("least", "<=", 0.0), ("line", "=", 0.01)]


def test_optuna_agrees_on_what_is_feasible():
    study = run(n=150)
    feasible = [t for t in study.trials if all(c <= 0 for c in t.constraints.values())]
    assert feasible and study.best_trial in feasible
    assert all(abs(t.params["x"] + t.params["y"] - 1) <= 1e-2 for t in feasible)


def test_the_same_seed_gives_the_same_trials():
    first, again, other = (
        [t.params for t in run(n=40, sampler=RdexSampler(40, seed=seed)).trials]
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_a_function_of_constraints():
    def objective(trial):
        x = trial.suggest_float("x", -5, 5)
        trial.set_user_attr("c", [2 - x, x - 4])
        return x**2

    sampler = RdexSampler(120, seed=1, constraints_func=lambda trial: trial.user_attrs["c"])
    study = run(objective, 120, sampler)
    assert study.best_params["x"] == pytest.approx(2, abs=0.01)
    assert study.sampler.optimizer.problem.n_ineq == 2


def test_maximisation():
    study = run(lambda t: -((t.suggest_float("x", -5, 5) - 3) ** 2), 120, direction="maximize")
    assert study.best_params["x"] == pytest.approx(3, abs=0.05)


def everything(trial):
    kind = trial.suggest_categorical("kind", ["a", "b", None])
    value = {"a": 1.0, "b": 0.0, None: 2.0}[kind]
    value += abs(trial.suggest_int("n", -9, 9) - 4)
    value += abs(trial.suggest_int("even", 0, 20, step=2) - 12)
    value += abs(np.log2(trial.suggest_int("layers", 1, 256, log=True)) - 5)
    value += abs(np.log10(trial.suggest_float("rate", 1e-6, 1.0, log=True)) + 3)
    value += abs(trial.suggest_float("share", 0.0, 1.0, step=0.25) - 0.75)
    return value + trial.suggest_categorical("flag", [True, False])


def test_every_kind_of_parameter():
    study = run(everything, 600, RdexSampler(600, algorithm="rdex-csop", seed=1))
    best = study.best_params
    assert (best["kind"], best["n"], best["even"], best["flag"]) == ("b", 4, 12, False)
    assert best["share"] == 0.75 and study.best_value < 0.5


def test_one_value_is_no_variable():
    def objective(trial):
        return trial.suggest_float("x", -5, 5) ** 2 + trial.suggest_int("one", 3, 3)

    study = run(objective, 60)
    assert study.sampler.optimizer.problem.dim == 1 and study.best_value < 3.1


def test_failed_and_pruned_trials_are_failures():
    def objective(trial):
        x = trial.suggest_float("x", -5, 5)
        if x < 0:
            raise ValueError("broken")
        if x < 1:
            raise optuna.TrialPruned
        return x

    study = optuna.create_study(sampler=RdexSampler(150, seed=1))
    study.optimize(objective, n_trials=150, catch=ValueError)
    assert study.best_value == pytest.approx(1, abs=0.05)
    result = study.sampler.optimizer.result()
    assert result.n_failed == sum(t.state.name != "COMPLETE" for t in study.trials[:-1])


def test_conditional_parameters_are_left_to_the_other_sampler():
    def objective(trial):
        x = trial.suggest_float("x", -5, 5)
        return x**2 if x > 0 else x**2 + trial.suggest_float("extra", 0, 1)

    study = run(objective, 150)
    assert study.sampler.optimizer.problem.variable_names == ("x",)
    assert study.best_value < 1e-2


def test_another_sampler_for_the_rest():
    other = optuna.samplers.TPESampler(seed=1)
    sampler = RdexSampler(20, seed=1, independent_sampler=other)
    assert len(run(n=20, sampler=sampler).trials) == 20


def test_queued_trials_are_taken_as_they_are():
    study = optuna.create_study(sampler=RdexSampler(60, seed=1))
    study.enqueue_trial({"x": 0.8, "y": 0.2})
    study.optimize(plane, n_trials=20)
    study.enqueue_trial({"x": 0.81, "y": 0.19})
    study.optimize(plane, n_trials=20)
    assert study.best_value <= 0.68 + 1e-9
    assert study.sampler.optimizer.result().fun == pytest.approx(study.best_value)
    assert study.trials[20].params == {"x": 0.81, "y": 0.19}


def test_threads_share_one_search():
    study = run(n=300, n_jobs=4)
    assert len(study.trials) == 300
    assert study.best_params == pytest.approx({"x": 0.8, "y": 0.2}, abs=0.05)
    assert study.sampler.optimizer.nfev >= 280  # what is out at the end is not told


def test_more_trials_than_announced_go_on_near_the_best():
    study = run(n=200, sampler=RdexSampler(100, seed=1))
    late = [t.params["x"] for t in study.trials[120:]]
    assert np.abs(np.array(late) - 0.8).max() < 4 and len(study.trials) == 200


def test_two_samplers_of_one_study_learn_from_each_other():
    storage = optuna.storages.InMemoryStorage()
    optuna.create_study(storage=storage, study_name="s")
    studies = [
        optuna.load_study(study_name="s", storage=storage, sampler=sampler)
        for sampler in (RdexSampler(300, seed=7, algorithm="rdex-csop") for _ in range(2))
    ]
    for _ in range(150):
        for study in studies:
            study.optimize(plane, n_trials=1)
    points = {tuple(t.params.values()) for t in studies[0].trials}
    assert len(points) >= 299  # the same seed does not mean the same points
    assert studies[0].best_params == pytest.approx({"x": 0.8, "y": 0.2}, abs=0.05)
    for study in studies:  # each has seen the trials of both
        assert study.sampler.optimizer.nfev >= 297


def test_a_sampler_is_pickled_and_a_study_goes_on(tmp_path):
    storage = JournalStorage(JournalFileBackend(str(tmp_path / "study.log")))
    study = run(n=50, sampler=RdexSampler(200, seed=1), storage=storage, study_name="s")
    sampler = pickle.loads(pickle.dumps(study.sampler))
    assert sampler.optimizer is None
    again = optuna.load_study(study_name="s", storage=storage, sampler=sampler)
    again.optimize(plane, n_trials=50)
    assert len(again.trials) == 100 and sampler.optimizer.nfev == 99


WORKER = """
import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from rdex.adapters.optuna import RdexSampler

def objective(trial):
    x = trial.suggest_float("x", -5, 5)
    trial.set_constraint("c", 1 - x)
    return x * x

optuna.logging.set_verbosity(optuna.logging.ERROR)
storage = JournalStorage(JournalFileBackend("study.log"))
study = optuna.create_study(storage=storage, study_name="s", load_if_exists=True,
                            sampler=RdexSampler(60, seed=1))
study.optimize(objective, n_trials=30)
"""


@pytest.mark.slow
def test_processes_share_a_storage(tmp_path):
    workers = [subprocess.Popen([sys.executable, "-c", WORKER], cwd=tmp_path) for _ in range(2)]
    assert [worker.wait(timeout=300) for worker in workers] == [0, 0]
    storage = JournalStorage(JournalFileBackend(str(tmp_path / "study.log")))
    study = optuna.load_study(study_name="s", storage=storage)
    assert len(study.trials) == 60
    assert len({t.params["x"] for t in study.trials}) > 50  # not each the points of the other
    assert study.best_value == pytest.approx(1, abs=0.2)


def test_algorithms_and_options_are_passed_on():
    study = run(n=40, sampler=RdexSampler(40, algorithm="lshade-eps", seed=1, target=1e9))
    result = study.sampler.optimizer.result()
    assert result.algorithm == "lshade-eps"
    with pytest.raises(ValueError, match="unknown algorithm"):
        run(n=3, sampler=RdexSampler(40, algorithm="tpe"))


def test_several_objectives_are_refused():
    study = optuna.create_study(directions=["minimize"] * 2, sampler=RdexSampler(9))
    with pytest.raises(ValueError, match="multi-objective"):
        study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1.0), n_trials=2)
