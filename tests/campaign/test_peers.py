"""Optimisers of other packages: counted, capped, repeatable, quiet, and failing as they should."""

import importlib.util
import random

import numpy as np
import pytest

import rdex.campaign
import rdex.store
from rdex.campaign.algorithms import CountedRun, RunFailed, find, names
from rdex.campaign.peers import PEERS
from rdex.campaign.peers.facts import PeerSolve
from rdex.campaign.peers.points import BAD, Points, seeded
from rdex.common.extras import MissingExtraError
from rdex.problem import Problem
from rdex.recorder.counting import BudgetSpent, CountingRecorder
from rdex.suites import get

#: These find the optimum of the toy with 600 evaluations (or their own); the others only have to
#: run.
SOLVERS = ("pycma-con2", "multistart-slsqp", "multistart-cobyqa", "nlopt-cobyla", "egobox")

#: Peers that compute long between two evaluations have fewer of them.
FEW = {"egobox": 25}


def toy(n_ineq=0, **facts):
    """min x0² + x1² with x0 + x1 = 1, and inequalities that always hold; the optimum is 0.4999."""
    return Problem(
        lower=[-5, -5],
        upper=[5, 5],
        n_ineq=n_ineq,
        n_eq=1,
        name="toy",
        rows=lambda X: (
            (X**2).sum(1),
            X[:, :1].repeat(n_ineq, 1) - 6,
            X.sum(1, keepdims=True) - 1,
        ),
        **facts,
    )


def needed(name):
    package = PEERS[name].package
    return pytest.mark.skipif(
        importlib.util.find_spec(package) is None, reason=f"{package} is not installed"
    )


every_peer = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needed(name)) for name in PEERS]
)

#: Peers that take a second or more; three tests of each are among the slow ones.
LONG = ("egobox", "multistart-cobyqa", "nevergrad", "pycma-con2")
quick_peers = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[needed(name), *([pytest.mark.slow] if name in LONG else [])])
        for name in PEERS
    ],
)


def run(name, problem, maxfev, seed=1):
    return find(name).run(problem, maxfev, np.random.SeedSequence(seed), 20)


@quick_peers
def test_a_peer_runs_the_same_twice_and_spends_its_budget(name, tmp_path, monkeypatch, capfd):
    """No file, no printed word, and nobody else's random numbers disturbed."""
    monkeypatch.chdir(tmp_path)
    state = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
    maxfev = FEW.get(name, 600)
    first = run(name, toy(n_ineq=1), maxfev)
    assert (np.random.get_state()[1].tolist(), random.getstate()) == state  # noqa: NPY002
    again = run(name, toy(n_ineq=1), maxfev)
    other = run(name, toy(n_ineq=1), maxfev, seed=2)
    assert first.nfev == again.nfev == other.nfev == maxfev
    assert first.x.tolist() == again.x.tolist()
    assert first.f.tolist() == again.f.tolist()
    assert first.x.tolist() != other.x.tolist()
    if name in SOLVERS:
        assert first.v[-1] == 0
        assert first.f[-1] == pytest.approx(0.4999, abs=2e-3)
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@every_peer
def test_every_point_is_asked_for_once_and_lies_in_the_box(name):
    """The function sees as many rows as are counted, integers whole, none outside."""
    seen = []

    def rows(X):
        seen.append(X.copy())
        return ((X - 2.3) ** 2).sum(1), X.sum(1, keepdims=True) - 8, np.empty((len(X), 0))

    problem = Problem(
        lower=[0.5, 0.5, 0.0], upper=[9.5, 4.5, 4.0], n_ineq=1, rows=rows,
        integrality=[True, False, False],
    )  # fmt: skip
    maxfev = FEW.get(name, 150)
    record = run(name, problem, maxfev)
    points = np.concatenate(seen)
    assert len(points) == record.nfev == maxfev
    assert np.all(points >= problem.lower) and np.all(points <= problem.upper)
    assert np.all(points[:, 0] == np.round(points[:, 0]))


@quick_peers
def test_a_problem_without_constraints(name):
    problem = Problem(
        lower=[-1.0] * 3,
        upper=[2.0] * 3,
        rows=lambda X: ((X**2).sum(1), np.empty((len(X), 0)), np.empty((len(X), 0))),
    )
    maxfev = FEW.get(name, 300)
    record = run(name, problem, maxfev)
    assert record.nfev == maxfev
    assert record.f[-1] < record.f0


@every_peer
def test_an_exception_is_a_failed_run_that_keeps_its_record(name):
    def rows(X):
        if counted[0] >= 10:
            raise OSError("no licence left")
        counted[0] += len(X)
        return np.zeros(len(X)), X[:, :1] - 1, np.empty((len(X), 0))

    counted = [0]
    with pytest.raises(RunFailed) as failed:
        run(name, Problem(lower=[0, 0], upper=[1, 1], n_ineq=1, rows=rows), 10_000)
    assert isinstance(failed.value.__cause__, OSError)
    assert failed.value.record.nfev == counted[0] >= 10


@quick_peers
def test_values_that_are_not_numbers_are_survived(name):
    def rows(X):
        f = np.where(X[:, 0] > 0, np.nan, X[:, 1] ** 2)
        return f, np.where(X[:, :1] > 0.5, np.inf, X[:, :1]), np.empty((len(X), 0))

    maxfev = FEW.get(name, 200)
    record = run(name, Problem(lower=[-1, -1], upper=[1, 1], n_ineq=1, rows=rows), maxfev)
    assert record.nfev == maxfev
    assert np.isfinite(record.f[-1])


def test_parts_of_one_point_are_one_evaluation():
    recorder = CountingRecorder(toy(n_ineq=1), 10)
    points = Points(recorder.problem, 10)
    x, y = np.array([0.5, 0.5]), np.array([1.0, 1.0])
    assert (points.f(x), points.g(x).tolist(), points.h(x).tolist()) == (0.5, [-5.5], [0.0])
    assert recorder.nfev == points.nfev == 1
    assert points.h(y).tolist() == [1.0]  # in another order, other points between
    points.f(x)
    assert points.f(y) == 2.0
    assert recorder.nfev == 3  # f of x again is another evaluation
    with pytest.raises(BudgetSpent):
        for _ in range(8):
            points.at(y)
    assert recorder.nfev == 10
    assert points.remaining == 0


def test_values_that_are_not_finite_become_large():
    problem = Problem(
        lower=[0.0], upper=[1.0], n_ineq=1,
        rows=lambda X: ([np.nan], [[-np.inf]], np.empty((1, 0))),
    )  # fmt: skip
    f, g, _ = Points(problem, 5).at([0.5])
    assert (f, g.tolist()) == (BAD, [BAD])


def test_global_random_numbers_are_given_back():
    random.seed(5)
    expected = random.random()
    random.seed(5)
    with seeded(np.random.default_rng(1)):
        first = np.random.rand(), random.random()  # noqa: NPY002
    with seeded(np.random.default_rng(1)):
        assert (np.random.rand(), random.random()) == first  # noqa: NPY002
    assert random.random() == expected


def test_a_search_that_never_evaluates_is_an_error(monkeypatch):
    monkeypatch.setattr(PeerSolve, "load", lambda self: lambda points, rng: None)
    with pytest.raises(RuntimeError, match="scipy ended without an evaluation"):
        CountedRun(PEERS["scipy-de"].solve)(toy(), 10, np.random.SeedSequence(1), 1)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("rdex.campaign.peers.facts.find_spec", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "nlopt", None)
    with pytest.raises(MissingExtraError, match=r'"nlopt".*pip install "rdex\[peers\]"'):
        find("nlopt-isres")


def test_peers_are_known_with_their_facts():
    assert set(PEERS) <= set(names())
    found = find("scipy-de")
    assert found.settings["equalities"] == "-1e-4 <= h <= 1e-4"
    assert found.settings["version"]
    assert (found.origin, found.licence) == ("package scipy", "BSD-3-Clause")
    for peer in PEERS.values():
        assert peer.reference and peer.licence and peer.equalities


def test_names_of_peers_are_taken(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("def nevergrad(problem, budget, rng): pass")
    with pytest.raises(ValueError, match="taken by an optimiser of a package"):
        find(f"{file}:nevergrad")


@pytest.mark.compiled
@needed("nlopt-isres")
def test_a_campaign_with_peers_keeps_failed_runs(tmp_path, monkeypatch):
    """Peers run in workers; what a failed run did is beside its error and outside of the data."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("joblib")
    file = tmp_path / "mine.py"
    file.write_text(
        "def failing(problem, budget, rng):\n"
        "    problem.evaluate([problem.lower] * 7)\n"
        "    raise RuntimeError('enough')\n"
    )
    out = tmp_path / "out"
    words = {"suite": "g2006", "problems": "6", "runs": 1, "maxfev": 100, "checkpoints": 10}
    listed = ["nlopt-isres", f"{file}:failing"]
    outcome = rdex.campaign.run(out, algorithms=listed, **words)
    assert (outcome.computed, outcome.failed) == (1, 1)
    data = rdex.store.load(out)
    assert data.algorithms == ("nlopt-isres",)
    assert [each.error for each in data.failures] == ["RuntimeError: enough"]
    (kept,) = (out / "_failed").rglob("*.parquet")
    row = rdex.store.schema.read_row(kept)
    assert (row["algorithm"], row["nfev"]) == ("failing", 7)
    assert row["x"].tolist() == get("g2006/G06").lower.tolist()

    file.write_text(file.read_text().replace("raise RuntimeError('enough')", "pass"))
    key = rdex.campaign.Plan.of(listed, **words).keys()[1]
    store = rdex.store.Store(out)
    store.write(key, b"whole now")
    assert not store.has_failed(key) and not kept.exists()
