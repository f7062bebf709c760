"""Trials from a store, and trials of others put into one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rdex.engine.settings import LABELS
from rdex.recorder.record import Record
from rdex.scoring.trials import Run, Trials, join
from rdex.store import Dataset, RunKey, Store, StoredRun, load
from rdex.store.schema import encode_run
from rdex.suites.registry import CEC2017_FORM, CEC2017_ID


def trials_from_store(
    store: str | os.PathLike[str] | Dataset, algorithms: Sequence[str] | None = None
) -> Trials:
    """The runs of a store as trials.

    Problems go by their short names (C07) where those are enough to tell them apart, by their ids
    where not. Means and sums of violations, where a store has both, become means; signed sums
    cannot, and then `algorithms` must choose.
    """
    data = store if isinstance(store, Dataset) else load(store)
    return _trials(data, problem_labels(data.problems), algorithms)


def _trials(data: Dataset, labels: dict[str, str], algorithms: Sequence[str] | None) -> Trials:
    """The runs of a store as trials, problems by their labels."""
    by_form: dict[str, list[Run]] = {}
    counts: dict[str, int] = {}
    columns = {name: data.arrow.column(name).to_pylist() for name in (
        "algorithm", "problem_id", "run", "maxfev", "form", "n_constraints", "f0", "v0",
    )}  # fmt: skip
    G, H = data.points("G"), data.points("H")
    for i, name in enumerate(columns["algorithm"]):
        if algorithms is not None and name not in algorithms:
            continue
        id = columns["problem_id"][i]
        at = (data.algorithms.index(name), data.problems.index(id), columns["run"][i] - 1)
        known = G[i].size + H[i].size == columns["n_constraints"][i]
        counts[labels[id]] = columns["n_constraints"][i]
        by_form.setdefault(columns["form"][i], []).append(
            Run(
                name,
                labels[id],
                columns["maxfev"][i],
                data.f[at],
                data.v[at],
                columns["f0"][i],
                columns["v0"][i],
                G[i] if known else None,
                H[i] if known else None,
            )
        )
    if not by_form:
        raise ValueError(
            f"no runs of {', '.join(algorithms or ())}: there are {', '.join(data.algorithms)}"
        )
    fields = [_with_counts(Trials.from_runs(runs, form), counts) for form, runs in by_form.items()]
    if len(fields) > 1:
        fields = [field.in_form("mean") for field in fields]
    joined = fields[0] if len(fields) == 1 else join(fields)
    # The order of the store, which the forms may have broken up.
    names = [name for name in data.algorithms if name in joined.algorithms]
    problems = [labels[id] for id in data.problems if labels[id] in joined.problems]
    return joined.select(names, problems)


def trials_from_stores(stores: Sequence[str | os.PathLike[str] | Dataset]) -> Trials:
    """The trials of several stores as one field; means and sums of violations, where there are
    both, as means. Algorithms go by what tables call them, problems by their short names unless
    two of them, in one store or in several, share one.

    Raises
    ------
    ValueError
        Where an algorithm has no problem in common with any other: nothing can be compared.
    """
    if not stores:
        raise ValueError("expected at least one folder of a campaign, got none")
    loaded = [store if isinstance(store, Dataset) else load(store) for store in stores]
    refuse_strangers(loaded)
    labels = problem_labels({id: None for data in loaded for id in data.problems})
    fields = [_trials(data, labels, None) for data in loaded]
    if len({field.form for field in fields}) > 1:
        fields = [field if field.form == "signed" else field.in_form("mean") for field in fields]
    joined = fields[0] if len(fields) == 1 else join(fields)
    return replace(joined, algorithms=tuple(LABELS.get(name, name) for name in joined.algorithms))


def refuse_strangers(stores: Sequence[Dataset]) -> None:
    """Raise where an algorithm shares no problem, stored or planned, with any other."""
    ids: dict[str, dict[str, None]] = {}
    for data in stores:
        stored = data.arrow.select(["algorithm", "problem_id"]).to_pydict()
        for name, id in zip(stored["algorithm"], stored["problem_id"], strict=True):
            ids.setdefault(name, {})[id] = None
        plan = data.manifest["plan"] or {}
        for name in plan.get("algorithms", ()):
            ids.setdefault(name, {}).update(dict.fromkeys(plan["problems"]))
    for name, own in ids.items():
        others = {id: other for other in ids if other != name for id in ids[other]}
        if others and not any(id in others for id in own):
            first, theirs = next(iter(own)), next(iter(others))
            raise ValueError(
                f"{name} shares no problem with the other algorithms, so nothing can be compared: "
                f"{name} has {first}, {others[theirs]} has {theirs}. Score them apart, or run or "
                "import them on the same problems (dim, edition and instance included)"
            )


def outside_notes(stores: Iterable[Dataset]) -> tuple[str, ...]:
    """Sentences on algorithms that evaluated points outside the box."""
    outside: dict[str, list[int]] = {}
    for data in stores:
        columns = data.arrow.select(["algorithm", "n_outside", "nfev"]).to_pydict()
        for name, count, nfev in zip(*columns.values(), strict=True):
            total = outside.setdefault(name, [0, 0])
            total[0] += count or 0
            total[1] += nfev
    return tuple(
        f"{name}: {count} of {nfev} evaluations were outside the bounds or had fractions for "
        "integer variables; they count as failed"
        for name, (count, nfev) in outside.items()
        if count
    )


def problem_labels(ids: Iterable[str]) -> dict[str, str]:
    """What to call each problem id: its short name, or the id where names are shared."""
    short = {id: id.split("/")[1] if "/" in id else id for id in ids}
    if len(set(short.values())) == len(short):
        return short
    return {id: id for id in short}


def _with_counts(trials: Trials, counts: dict[str, int]) -> Trials:
    """The trials knowing their numbers of constraints."""
    return replace(trials, n_constraints=np.array([counts[name] for name in trials.problems]))


def store_trials(
    trials: Trials,
    folder: str | os.PathLike[str],
    *,
    dim: int,
    instance: str,
    edition: str = "2017",
    source: str = "",
) -> int:
    """Put imported trials on cec2017 problems into a store beside its own; the number of runs.

    Parameters
    ----------
    dim, edition, instance
        Which problems of cec2017 they are on; result files do not say it. Those of the
        competitions are on the instance "official".
    source : str
        Where they come from, for people.
    """
    from rdex.suites import cec2017

    definitions = {each.name: each for each in cec2017.describe().values()}
    for problem in trials.problems:
        if problem not in definitions:
            raise ValueError(f"{problem!r} is no problem of cec2017")
        id = f"cec2017/{problem}/d{dim}/{edition}/{instance}"
        if not CEC2017_ID.fullmatch(id):
            raise ValueError(f"no problem {id!r}: ids are like {CEC2017_FORM}")
    store = Store(folder)
    for name in trials.algorithms:
        store.note_import(name, {"source": source, "form": trials.form})
    numbers: dict[tuple[str, str], int] = {}
    for run in trials.runs():
        kind = (run.algorithm, run.problem)
        numbers[kind] = numbers.get(kind, 0) + 1
        id = f"cec2017/{run.problem}/d{dim}/{edition}/{instance}"
        key = RunKey(run.algorithm, id, dim, run.maxfev, numbers[kind], np.size(run.f))
        definition = definitions[run.problem]
        stored = StoredRun(
            key,
            imported_record(run),
            definition.n_ineq + definition.n_eq,
            form=trials.form,
            origin=source or "imported",
        )
        store.write(key, encode_run(stored))
    return sum(numbers.values())


def imported_record(run: Run) -> Record:
    """A record of what result files tell; points and constraint values stay empty."""
    none: Any = np.empty(0)
    return Record(
        np.asarray(run.f, dtype=np.float64),
        np.asarray(run.v, dtype=np.float64),
        run.f0,
        run.v0,
        x=none,
        G=none if run.G is None else np.asarray(run.G, dtype=np.float64),
        H=none if run.H is None else np.asarray(run.H, dtype=np.float64),
        nfev=run.maxfev,
        initial_nfev=0,
        first_feasible=None,
        n_failed=0,
    )
