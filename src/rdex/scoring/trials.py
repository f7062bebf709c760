"""`Trials`: the traces of a field of algorithms, which every table function takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rdex.scoring.arrays import Bools, Floats, Ints, checked_traces, cut_off
from rdex.scoring.rounding import round_significant
from rdex.scoring.violation import checked_form, violation_from_constraints


class Run(NamedTuple):
    """One trial on its own; `Trials.from_runs` puts many together.

    f, v are (checkpoint,) traces, f0 and v0 the record right after initialisation, G and H the
    constraint values of the final point.
    """

    algorithm: str
    problem: str
    maxfev: int
    f: ArrayLike
    v: ArrayLike
    f0: float = float("nan")
    v0: float = float("nan")
    G: ArrayLike | None = None
    H: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Trials:
    """Best-so-far traces of several algorithms on several problems.

    Attributes
    ----------
    algorithms, problems : tuple of str
        Names along the first two axes.
    maxfev : (problem,) int array
        Budget of evaluations; checkpoint k of K stands for ceil(k * maxfev / K) evaluations.
    f, v : (algorithm, problem, run, checkpoint) array
        Objective and violation. Runs that are NaN throughout are padding.
    f0, v0 : (algorithm, problem, run) array
        The record right after initialisation; NaN where unknown.
    form : str
        Form of the violation in v and v0: "mean", "sum" or "signed".
    n_constraints : (problem,) int array or None
        Numbers of constraints, which turn means into sums.
    final_G, final_H : tuple of arrays or None
        For every problem the constraint values (algorithm, run, constraint) of the final points.
    as_published : bool
        Whether signed sums decide feasibility; see `deciding_v`.
    """

    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    maxfev: Ints
    f: Floats
    v: Floats
    f0: Floats
    v0: Floats
    form: str = "mean"
    n_constraints: Ints | None = None
    final_G: tuple[Floats, ...] | None = None
    final_H: tuple[Floats, ...] | None = None
    as_published: bool = False

    def __post_init__(self) -> None:
        put = object.__setattr__
        f, v = checked_traces(self.f, self.v)
        m, p, n, _ = f.shape
        put(self, "f", f)
        put(self, "v", v)
        put(self, "algorithms", _checked_names("algorithms", self.algorithms, m))
        put(self, "problems", _checked_names("problems", self.problems, p))
        put(self, "maxfev", _checked_counts("maxfev", self.maxfev, p, least=1))
        for label in ("f0", "v0"):
            start = np.asarray(getattr(self, label), dtype=np.float64)
            if start.shape != (m, p, n):
                raise ValueError(f"{label} must have shape {(m, p, n)}, got {start.shape}")
            put(self, label, start)
        checked_form(self.form)
        if self.n_constraints is not None:
            counts = _checked_counts("n_constraints", self.n_constraints, p, least=0)
            put(self, "n_constraints", counts)
        for label in ("final_G", "final_H"):
            if getattr(self, label) is not None:
                put(self, label, _checked_constraints(label, getattr(self, label), m, p, n))

    @classmethod
    def from_arrays(
        cls,
        f: ArrayLike,
        v: ArrayLike,
        *,
        maxfev: ArrayLike,
        algorithms: Sequence[str] | None = None,
        problems: Sequence[str] | None = None,
        form: str = "mean",
        n_constraints: ArrayLike | None = None,
    ) -> Trials:
        """Trials from two arrays; names default to A1, A2, … and P1, P2, …

        `maxfev` and `n_constraints` are one number, or one per problem.
        """
        objective, violation = checked_traces(f, v)
        m, p, n, _ = objective.shape
        unknown = np.full((m, p, n), np.nan)
        counts = None
        if n_constraints is not None:
            counts = np.broadcast_to(np.asarray(n_constraints), p)
        return cls(
            algorithms=tuple(algorithms or (f"A{i + 1}" for i in range(m))),
            problems=tuple(problems or (f"P{i + 1}" for i in range(p))),
            maxfev=np.broadcast_to(np.asarray(maxfev), p),
            f=objective,
            v=violation,
            f0=unknown,
            v0=unknown.copy(),
            form=form,
            n_constraints=counts,
        )

    @classmethod
    def from_runs(
        cls, runs: Iterable[Run], form: str = "mean", problems: Sequence[str] | None = None
    ) -> Trials:
        """Trials from single runs, algorithms and problems in order of appearance.

        Constraint values are kept where every run of the field has them.
        """
        listed = list(runs)
        if not listed:
            raise ValueError("no runs given")
        algorithms = list(dict.fromkeys(run.algorithm for run in listed))
        names = list(problems or dict.fromkeys(run.problem for run in listed))
        cells: dict[tuple[int, int], list[Run]] = {}
        for run in listed:
            if run.problem not in names:
                raise ValueError(f"a run is on {run.problem!r}, which is not among the problems")
            at = algorithms.index(run.algorithm), names.index(run.problem)
            cells.setdefault(at, []).append(run)
        shape = len(algorithms), len(names), max(map(len, cells.values()))
        k = np.size(listed[0].f)
        f, v = np.full((*shape, k), np.nan), np.full((*shape, k), np.nan)
        f0, v0 = np.full(shape, np.nan), np.full(shape, np.nan)
        for (a, p), group in cells.items():
            for i, run in enumerate(group):
                if np.shape(run.f) != (k,) or np.shape(run.v) != (k,):
                    raise ValueError(
                        f"{run.algorithm} on {run.problem}: expected traces of {k} checkpoints, "
                        f"got f {np.shape(run.f)} and v {np.shape(run.v)}"
                    )
                f[a, p, i], v[a, p, i], f0[a, p, i], v0[a, p, i] = run.f, run.v, run.f0, run.v0
        G, H = _gathered(cells, shape, "G"), _gathered(cells, shape, "H")
        counts = None
        if G is not None and H is not None:
            counts = np.array([g.shape[-1] + h.shape[-1] for g, h in zip(G, H, strict=True)])
        return cls(
            algorithms=tuple(algorithms),
            problems=tuple(names),
            maxfev=_budgets(listed, names),
            f=f,
            v=v,
            f0=f0,
            v0=v0,
            form=form,
            n_constraints=counts,
            final_G=G,
            final_H=H,
        )

    @property
    def n_checkpoints(self) -> int:
        """K, the number of checkpoints of a trace."""
        return int(self.f.shape[-1])

    @property
    def present(self) -> Bools:
        """(algorithm, problem, run) where there is a run and not padding."""
        return ~np.isnan(self.v[..., -1])

    @property
    def counts(self) -> Ints:
        """(algorithm, problem) numbers of runs."""
        return self.present.sum(axis=-1)

    @property
    def evaluations(self) -> Ints:
        """(problem, checkpoint) evaluations each checkpoint stands for: ceil(k maxfev / K)."""
        steps = np.arange(1, self.n_checkpoints + 1)
        return -(-steps * self.maxfev[:, None] // self.n_checkpoints)

    @property
    def deciding_v(self) -> Floats:
        """The violation that decides feasibility: v, or where published sums do, max(v, 0)."""
        if self.form != "signed":
            return self.v
        if not self.as_published:
            raise ValueError(
                "these trials hold signed sums of constraints, where slack pays for violation, so "
                "that <= 0 is not feasibility: score them with as_published=True, or use results "
                "in another form"
            )
        return np.maximum(self.v, 0.0)

    def prepared(
        self, *, cutoff: float | None = None, digits: int | None = None, as_published: bool = False
    ) -> Trials:
        """Trials as the scores shall see them; untouched arrays are shared, not copied.

        Parameters
        ----------
        cutoff : float, optional
            |f| below it becomes zero at every checkpoint.
        digits : int, optional
            Round f and v to that many significant digits; the released programs write six.
        as_published : bool
            Let signed sums decide feasibility, as published tables do; see `deciding_v`.
        """
        return replace(
            self,
            f=cut_off(round_significant(self.f, digits), cutoff),
            v=round_significant(self.v, digits),
            as_published=as_published or self.as_published,
        )

    def in_form(self, form: str) -> Trials:
        """The same traces with means turned into sums or sums into means."""
        if checked_form(form) == self.form:
            return self
        if "signed" in (form, self.form):
            raise ValueError(f"traces in the form {self.form!r} cannot be turned into {form!r}")
        if self.n_constraints is None:
            raise ValueError("turning means into sums or back needs n_constraints")
        counts = np.maximum(self.n_constraints, 1).astype(np.float64)
        factor = (counts if form == "sum" else 1 / counts)[:, None]
        v = self.v * factor[..., None]
        return replace(self, v=v, v0=self.v0 * factor, form=form)

    def final_violation(self, form: str) -> Floats:
        """(algorithm, problem, run) final violation in any of the three forms."""
        if checked_form(form) == self.form:
            return self.v[..., -1]
        if self.final_G is not None and self.final_H is not None:
            pairs = zip(self.final_G, self.final_H, strict=True)
            return np.stack([violation_from_constraints(g, h, form) for g, h in pairs], axis=1)
        if "signed" in (form, self.form):
            raise ValueError(
                f"the final violation in the form {form!r} needs the constraint values of the "
                "final points, which these trials do not hold"
            )
        return replace(self, f=self.f[..., -1:], v=self.v[..., -1:]).in_form(form).v[..., 0]

    def select(
        self, algorithms: Sequence[str] | None = None, problems: Sequence[str] | None = None
    ) -> Trials:
        """Only the named algorithms and problems, in the order given."""
        rows = _indices("algorithm", self.algorithms, algorithms)
        columns = _indices("problem", self.problems, problems)
        grid = np.ix_(rows, columns)

        def picked(values: tuple[Floats, ...] | None) -> tuple[Floats, ...] | None:
            return None if values is None else tuple(values[j][rows] for j in columns)

        return replace(
            self,
            algorithms=tuple(self.algorithms[i] for i in rows),
            problems=tuple(self.problems[j] for j in columns),
            maxfev=self.maxfev[columns],
            f=self.f[grid],
            v=self.v[grid],
            f0=self.f0[grid],
            v0=self.v0[grid],
            n_constraints=None if self.n_constraints is None else self.n_constraints[columns],
            final_G=picked(self.final_G),
            final_H=picked(self.final_H),
        )

    def runs(self) -> Iterable[Run]:
        """Every run on its own, padding left out."""
        for a, p, i in np.argwhere(self.present):
            yield Run(
                self.algorithms[a],
                self.problems[p],
                int(self.maxfev[p]),
                self.f[a, p, i],
                self.v[a, p, i],
                float(self.f0[a, p, i]),
                float(self.v0[a, p, i]),
                None if self.final_G is None else self.final_G[p][a, i],
                None if self.final_H is None else self.final_H[p][a, i],
            )


def join(fields: Sequence[Trials]) -> Trials:
    """One field out of several that differ in algorithms, problems or both.

    They must agree in the form of violation and the number of checkpoints, and in the budget of
    problems they share.
    """
    if not fields:
        raise ValueError("nothing to join")
    forms = {(field.form, field.as_published) for field in fields}
    if len(forms) > 1:
        named = " and ".join(sorted({field.form for field in fields}))
        raise ValueError(f"cannot join trials whose violations are {named}: see Trials.in_form")
    joined = Trials.from_runs((run for field in fields for run in field.runs()), fields[0].form)
    known: dict[str, int] = {}
    for field in fields:
        if field.n_constraints is not None:
            known.update(zip(field.problems, field.n_constraints.tolist(), strict=True))
    if all(problem in known for problem in joined.problems):
        joined = replace(joined, n_constraints=np.array([known[p] for p in joined.problems]))
    return replace(joined, as_published=fields[0].as_published)


def _gathered(
    cells: dict[tuple[int, int], list[Run]], shape: tuple[int, int, int], label: str
) -> tuple[Floats, ...] | None:
    """Constraint values by problem, NaN where there is no run; None unless all runs have them."""
    if any(getattr(run, label) is None for group in cells.values() for run in group):
        return None
    m, p, n = shape
    gathered = []
    for j in range(p):
        sizes = {np.size(getattr(run, label)) for (_, q), g in cells.items() if q == j for run in g}
        if len(sizes) > 1:
            raise ValueError(f"runs on problem {j} differ in their numbers of {label}: {sizes}")
        values = np.full((m, n, *sizes) if sizes else (m, n, 0), np.nan)
        for (a, q), group in cells.items():
            if q == j:
                for i, run in enumerate(group):
                    values[a, i] = getattr(run, label)
        gathered.append(values)
    return tuple(gathered)


def _budgets(runs: list[Run], problems: list[str]) -> Ints:
    """One budget per problem; a ValueError where runs disagree or a problem has none."""
    budgets: dict[str, int] = {}
    for run in runs:
        if budgets.setdefault(run.problem, run.maxfev) != run.maxfev:
            raise ValueError(
                f"runs on {run.problem} differ in budget: {budgets[run.problem]} and {run.maxfev}"
            )
    missing = [name for name in problems if name not in budgets]
    if missing:
        raise ValueError(f"no algorithm has a run on {', '.join(missing)}")
    return np.array([budgets[name] for name in problems], dtype=np.int64)


def _indices(label: str, names: tuple[str, ...], wanted: Sequence[str] | None) -> Ints:
    """Positions of the wanted names."""
    if wanted is None:
        return np.arange(len(names))
    for name in wanted:
        if name not in names:
            raise ValueError(f"no {label} named {name!r}; there are {', '.join(names)}")
    return np.array([names.index(name) for name in wanted], dtype=np.int64)


def _checked_names(label: str, names: Sequence[str], count: int) -> tuple[str, ...]:
    """`count` distinct names."""
    given = tuple(str(name) for name in names)
    if len(given) != count or len(set(given)) != count:
        raise ValueError(f"{label} must be {count} different names, got {given}")
    return given


def _checked_counts(label: str, values: ArrayLike, count: int, least: int) -> Ints:
    """`count` whole numbers of at least `least`."""
    given = np.asarray(values)
    if given.shape != (count,) or not np.all(given == np.floor(given)) or np.any(given < least):
        raise ValueError(f"{label} must be {count} whole numbers >= {least}, got {values!r}")
    return given.astype(np.int64)


def _checked_constraints(
    label: str, values: Sequence[ArrayLike], m: int, p: int, n: int
) -> tuple[Floats, ...]:
    """One (algorithm, run, constraint) array a problem."""
    arrays = tuple(np.asarray(value, dtype=np.float64) for value in values)
    for array in arrays:
        if array.ndim != 3 or array.shape[:2] != (m, n):
            raise ValueError(f"{label}: expected arrays of shape ({m}, {n}, …), got {array.shape}")
    if len(arrays) != p:
        raise ValueError(f"{label} must hold {p} arrays, one per problem, got {len(arrays)}")
    return arrays
