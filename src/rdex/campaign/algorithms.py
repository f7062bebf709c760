"""Algorithms by name: presets, peers, entry points, files and functions of one's own.

An algorithm of one's own is a function ``solve(problem, budget, rng)``. `problem` is a
`rdex.Problem` whose ``evaluate(X)`` takes rows and gives (F, G, H); every row is one evaluation,
and the call that would go beyond the budget ends the run. What it returns does not matter: the
best point evaluated is the result. Where it returns an object with ``ask`` and ``tell``, the
harness calls ``X = ask()`` and ``tell(X, F, G, H)`` until the budget is spent or ``ask`` gives no
row. So a class whose instances ask and tell is an algorithm, too.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rdex.campaign.own_problems import SUITE, stand_in
from rdex.campaign.peers import PEERS, Peer
from rdex.common.python_file import is_place, loaded_names, may_define, split_place
from rdex.engine.presets import PRESETS, preset
from rdex.engine.settings import Constants
from rdex.problem import Problem
from rdex.recorder.counting import BudgetSpent, CountingRecorder, values_of
from rdex.recorder.record import Record, record_of
from rdex.strategies.registry import strategy_names

if TYPE_CHECKING:
    from rdex.engine.engine import Engine

ENTRY_POINTS = "rdex.algorithms"

#: Seconds of compiled code between two looks at Python: a Dask worker answers its scheduler then.
SLICE = 0.2

Solve = Callable[[Problem, int, np.random.Generator], Any]


class Runner(Protocol):
    """How an algorithm makes a run; picklable."""

    def __call__(
        self, problem: Problem, maxfev: int, seed: np.random.SeedSequence, checkpoints: int
    ) -> Record:
        """Make a run."""

    def prepare(self, problem: Problem) -> None:
        """Compile, or load from the cache, all that runs on `problem` need."""


@dataclass(frozen=True)
class Algorithm:
    """What can take part in a campaign.

    Attributes
    ----------
    name : str
        Its name in plans, stores and tables; part of the seeds.
    run : Runner
        Makes a run: (problem, maxfev, seed, checkpoints) -> Record.
    settings : dict
        What decides its results, as JSON has it; a store refuses to mix different settings.
    origin, reference, licence : str
        For people: where it comes from.
    source : str
        Its text, for an algorithm of one's own; stores keep it by its digest.
    """

    name: str
    run: Runner
    settings: dict[str, Any] = field(default_factory=dict)
    origin: str = ""
    reference: str = ""
    licence: str = ""
    source: str = ""


@dataclass(frozen=True)
class EngineRun:
    """Runs of the engine with given settings."""

    settings: Constants

    def __call__(
        self, problem: Problem, maxfev: int, seed: np.random.SeedSequence, checkpoints: int
    ) -> Record:
        from rdex.engine.engine import Engine

        engine = Engine(problem, self.settings, maxfev, seed, checkpoints=checkpoints)
        if problem.is_compiled:
            run_in_slices(engine)
        else:
            run_in_python(engine, problem)
        return record_of(engine)

    def prepare(self, problem: Problem) -> None:
        ready = problem if problem.is_compiled else stand_in(problem)
        self(ready, 30, np.random.SeedSequence(0), 1)

    @property
    def loop(self) -> str:
        """The kernel of its runs on compiled problems, as ``module:name``."""
        from rdex.engine.engine import method_of

        return f"{method_of(self.settings).kernels}.steps:run_compiled"


def run_in_slices(engine: Engine) -> None:
    """Compiled code, which returns often enough for signals."""
    from rdex.engine.engine import next_slice

    n = 1000
    while not engine.is_finished:
        start = perf_counter()
        engine.run(engine.nfev + n)
        n = next_slice(n, perf_counter() - start, SLICE)


def run_in_python(engine: Engine, problem: Problem) -> None:
    """Ask and tell point by point; a point whose function raises fails, unless it is the first."""
    while not engine.is_finished:
        x = engine.ask(1)
        engine.tell(*values_of(problem, x, engine.nfev > 0))


class RunFailed(Exception):
    """An algorithm ended with an exception, the `__cause__`; `record` is of what it did before."""

    def __init__(self, record: Record) -> None:
        super().__init__("the algorithm ended with an exception")
        self.record = record


@dataclass(frozen=True)
class CountedRun:
    """Runs of a foreign function, its evaluations counted, capped and recorded.

    An exception in it is raised as `RunFailed` with the record so far, as it is where it comes
    before the first evaluation.
    """

    solve: Solve

    def __call__(
        self, problem: Problem, maxfev: int, seed: np.random.SeedSequence, checkpoints: int
    ) -> Record:
        # A simulator of one's own may fail at some points; a suite that fails is a mistake.
        is_own = problem.info.get("suite") == SUITE
        recorder = CountingRecorder(problem, maxfev, checkpoints, survives=is_own)
        try:
            result = self.solve(recorder.problem, maxfev, np.random.default_rng(seed))
            if hasattr(result, "ask") and hasattr(result, "tell"):
                drive(result, recorder.problem)
        except BudgetSpent:
            pass
        except (Exception, SystemExit) as error:
            if recorder.nfev == 0:
                raise
            raise RunFailed(recorder.record()) from error
        return recorder.record()

    def prepare(self, problem: Problem) -> None:
        load = getattr(self.solve, "load", None)  # imports a package before time is taken
        if load is not None:
            load()
        recorder = CountingRecorder(stand_in(problem), 1, 1)
        recorder.problem.evaluate(problem.lower[None])


def drive(optimizer: Any, problem: Problem) -> None:
    """Ask, evaluate, tell until no row is asked for; `BudgetSpent` ends it otherwise."""
    while True:
        x = np.array(optimizer.ask(), dtype=np.float64, ndmin=2)
        if x.size == 0:
            return
        optimizer.tell(x, *problem.evaluate(x))


@dataclass(frozen=True)
class SourceSolve:
    """A function of a file. Its text travels to the workers, which may not have the file."""

    path: str
    name: str
    source: str

    def load(self) -> Solve:
        """The function or class; the file is executed once in a process."""
        found = _names(self.path, self.source).get(self.name)
        if not callable(found):
            raise ValueError(f"{self.path} has no function or class {self.name!r}")
        solve: Solve = found
        return solve

    def __call__(self, problem: Problem, budget: int, rng: np.random.Generator) -> Any:
        return self.load()(problem, budget, rng)


@lru_cache(maxsize=16)
def _names(path: str, source: str) -> dict[str, Any]:
    return loaded_names(path, source)


def from_settings(settings: Constants) -> Algorithm:
    """The engine with settings of one's own; `settings.name` is the algorithm's."""
    known = PRESETS.get(settings.name)
    if known is not None and known != settings:
        raise ValueError(
            f"{settings.name!r} is a preset with other settings: give yours a name, as in "
            f"preset({settings.name!r}).replace(name=..., ...)"
        )
    return Algorithm(
        settings.name,
        EngineRun(settings),
        settings.as_dict(),
        origin="preset" if known is not None else "settings",
        reference=REFERENCES.get(settings.name, ""),
        licence="MIT",
    )


@dataclass(frozen=True)
class MinimizeSolve:
    """A run of `rdex.minimize` with one of its algorithms."""

    algorithm: str

    def __call__(self, problem: Problem, budget: int, rng: np.random.Generator) -> None:
        from rdex.api.minimize import minimize

        minimize(problem, algorithm=self.algorithm, maxfev=budget, rng=rng, checkpoints=1)


def from_strategy(name: str) -> Algorithm:
    """An algorithm of `minimize` that is more than a differential evolution."""
    return Algorithm(
        name, CountedRun(MinimizeSolve(name)), {"minimize": name}, origin="rdex", licence="MIT"
    )


def from_file(spec: str) -> Algorithm:
    """The algorithm ``path.py:NAME``; its name is NAME. The file is read, not executed."""
    path, name = split_place(spec)
    if name is None:
        raise ValueError(f"{spec!r}: say which function or class: {path.name}:NAME")
    file = path.resolve()
    solve = SourceSolve(str(file), name, file.read_text(encoding="utf-8"))
    if not may_define(str(file), solve.source, name):
        raise ValueError(f"{spec!r}: {file.name} has no function or class {name!r}")
    settings = {"function": name, "file_sha256": digest_of(solve.source)}
    return Algorithm(
        refuse_taken(name), CountedRun(solve), settings, origin=file.name, source=solve.source
    )


def from_function(solve: Solve, name: str | None = None) -> Algorithm:
    """An algorithm of a function or class in the running program."""
    called = str(name or getattr(solve, "__name__", type(solve).__name__))
    try:
        source = inspect.getsource(solve)
    except (OSError, TypeError):
        source = ""
    settings = {"function": called, "source_sha256": digest_of(source) if source else "unknown"}
    return Algorithm(
        refuse_taken(called), CountedRun(solve), settings, origin="function", source=source
    )


def digest_of(source: str) -> str:
    """What tells a changed text from an unchanged one."""
    return hashlib.sha256(source.encode()).hexdigest()


def from_peer(peer: Peer) -> Algorithm:
    """An optimiser of another package; MissingExtraError where that is not installed."""
    return Algorithm(
        peer.name,
        CountedRun(peer.solve),
        peer.settings(),
        origin=f"package {peer.distribution}",
        reference=peer.reference,
        licence=peer.licence,
    )


def refuse_taken(name: str) -> str:
    """The name, unless it is a preset's or a peer's."""
    if name in PRESETS or name in strategy_names():
        raise ValueError(f"the name {name!r} is taken by an algorithm of rdex: rename yours")
    if name in PEERS:
        raise ValueError(f"the name {name!r} is taken by an optimiser of a package: rename yours")
    return name


def entry_points() -> dict[str, metadata.EntryPoint]:
    """Installed algorithms by name; nothing is imported."""
    return {point.name: point for point in metadata.entry_points(group=ENTRY_POINTS)}


def names() -> tuple[str, ...]:
    """Algorithms that can be named in a plan."""
    known = (*PRESETS, *strategy_names(), *PEERS)
    return (*known, *(name for name in entry_points() if name not in known))


def find(algorithm: str | Constants | Algorithm | Mapping[str, Any] | Solve) -> Algorithm:
    """The algorithm that a plan means.

    Parameters
    ----------
    algorithm : str, Settings, Algorithm, mapping or callable
        A name of `names()`; ``"path.py:NAME"``; settings of the engine; a mapping with `name`,
        `base` (a preset) and the settings to change; or a function ``solve(problem, budget, rng)``.

    Examples
    --------
    >>> find({"name": "big", "base": "rdex-csop", "n0": 600}).settings["n0"]
    600
    """
    if isinstance(algorithm, Algorithm):
        return algorithm
    if isinstance(algorithm, Constants):
        return from_settings(algorithm)
    if isinstance(algorithm, Mapping):
        changes = dict(algorithm)
        if "name" not in changes or "base" not in changes:
            raise ValueError(f"an algorithm table needs name and base, got {sorted(changes)}")
        plain = {k: tuple(v) if isinstance(v, list) else v for k, v in changes.items()}
        return from_settings(preset(str(plain.pop("base"))).replace(**plain))
    if callable(algorithm):
        return from_function(algorithm)
    if algorithm in PRESETS:
        return from_settings(preset(algorithm))
    if algorithm in strategy_names():
        return from_strategy(algorithm)
    if algorithm in PEERS:
        return from_peer(PEERS[algorithm])
    installed = entry_points()
    if algorithm in installed:
        return from_entry_point(installed[algorithm])
    if is_place(algorithm):
        return from_file(algorithm)
    raise ValueError(
        f"unknown algorithm {algorithm!r}; known: {', '.join(names())}; "
        "one's own is given as path.py:NAME"
    )


def from_entry_point(point: metadata.EntryPoint) -> Algorithm:
    """The algorithm a package offers: an `Algorithm`, or a function or class."""
    found = point.load()
    if isinstance(found, Algorithm):
        return found
    if not callable(found):
        raise ValueError(f"entry point {point.name!r}: expected an algorithm, got {found!r}")
    package = point.dist.name if point.dist else point.value
    version = point.dist.version if point.dist else "unknown"
    settings = {"function": point.value, "package": package, "version": version}
    return Algorithm(point.name, CountedRun(found), settings, origin=package)


REFERENCES = {
    "rdex-csop": "RDEx-CSOP: the paper's method, constants of the released program",
    "rdex": "RDEx, CEC 2025 competition",
    "rdex-csop-paper": "RDEx-CSOP as the text of its paper has it",
    "cl-srde": "CL-SRDE, CEC 2024 competition",
    "rde26": "RDE26, CEC 2026 competition",
    "rdex-tide": "our own: a floor under ε, constants of RDE26 and RDEx-CSOP; see docs/tide.md",
    "lshade": "L-SHADE, CEC 2014, in this engine's steps, feasibility first: see docs/method.md",
    "lshade-eps": "L-SHADE with an ε that falls by the clock",
    "ude-iv": "UDE-IV, as its authors describe it",
    "ude-iii": "UDE-III (reconstruction), CEC 2024 competition: never released, see docs/ude.md",
}
