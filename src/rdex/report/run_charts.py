"""Data of the charts of one run: all evaluations, good designs, constraints, slices of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rdex.problem.variables import is_number
from rdex.report.page import compact
from rdex.report.traces import kept_checkpoints
from rdex.scoring.arrays import Floats

if TYPE_CHECKING:
    from rdex.run.result import Result

#: Points drawn, designs compared, tenths of a run, variables with a slice and places on it.
MOST_POINTS = 2000
MOST_DESIGNS = 40
PARTS = 10
MOST_SLICES = 12
PLACES = 41

#: Designs are good up to this share of |f| above the answer.
GOOD = 0.1

#: Designs that differ by less than this share of every range are the same.
SAME = 0.01


def points_data(result: Result) -> dict[str, Any]:
    """Evaluations over their number: f, and whether they are feasible."""
    points = result.points
    usable = np.flatnonzero(np.isfinite(points.f))
    rows = usable[kept_checkpoints(len(usable), MOST_POINTS)]
    return {
        "number": points.number[rows],
        "f": compact(points.f[rows], 8),
        "feasible": (points.cv[rows] == 0).tolist(),
        "kept": len(points),
    }


def good_designs(result: Result) -> dict[str, Any]:
    """The answer, last, and feasible designs nearly as good, variables as shares of their ranges.

    A category has its place in the list. Nothing where there is no feasible answer, or a result
    that was read from a file does not know its categories.
    """
    points, options = result.points, result.categories
    is_good = (points.cv == 0) & (points.f <= result.fun + GOOD * abs(result.fun))
    knows = all(is_number(v) or name in options for name, v in result.design.items())
    if not (result.feasible and knows and is_good.any()):
        return {"share": [], "f": [], "x": [], "names": []}
    order = np.flatnonzero(is_good)[np.argsort(points.f[is_good], kind="stable")]
    x = np.vstack([result.x, points.x[order]])
    f = np.append(result.fun, points.f[order])
    logs = result.logarithmic
    low, high, at = (
        np.where(logs, np.log(np.where(logs, each, 1.0)), each)
        for each in (np.asarray(result.lower), np.asarray(result.upper), x)
    )
    share = (at - low) / np.where(high > low, high - low, 1.0)
    rows = different(share)[::-1]
    return {
        "share": compact(share[rows]),
        "f": compact(f[rows], 8),
        "x": [
            [
                str(options[name][round(v)]) if name in options else compact(v, 6)
                for name, v in zip(result.variable_names, row, strict=True)
            ]
            for row in x[rows].tolist()
        ],
        "names": list(result.variable_names),
    }


def different(z: Floats) -> list[int]:
    """Rows of points (n, d), each some way from all those chosen before it."""
    chosen: list[int] = []
    for k in range(len(z)):
        if all(np.abs(z[k] - z[j]).max() > SAME for j in chosen):
            chosen.append(k)
        if len(chosen) == MOST_DESIGNS:
            break
    return chosen


def activity(result: Result) -> dict[str, Any]:
    """For every constraint the share of points that violate it, by tenths of the points kept."""
    violated = result.points.violations > 0
    parts = [part for part in np.array_split(violated, PARTS) if len(part)]
    return {
        "share": compact(np.array([part.mean(axis=0) for part in parts]).T) if parts else [],
        "until": [int(each[-1]) for each in np.array_split(result.points.number, PARTS)
                  if len(each)],
    }  # fmt: skip


def importance(result: Result) -> list[dict[str, Any]]:
    """How much f and each constraint depends on each variable, by the models; without: nothing."""
    model = result.get("model")
    if model is None:
        return []
    names = ["f", *(state.name for state in result.violations)]
    pairs = zip(names, model.importance(), model.skill, strict=True)
    return [{"name": name, "shares": compact(shares), "skill": float(skill)}
            for name, shares, skill in pairs]  # fmt: skip


def slice_places(result: Result, j: int) -> Floats:
    """Values of a variable along a slice: those of its list, or many in its box."""
    space = result.model.space
    if space.values[j] is not None:
        return np.sort(space.values[j])
    spaced = np.geomspace if space.logarithmic[j] else np.linspace
    places = spaced(result.lower[j], result.upper[j], PLACES)
    return np.unique(np.append(np.rint(places) if space.whole[j] else places, result.x[j]))


def slices(result: Result) -> list[dict[str, Any]]:
    """f along each of the variables that matter most, the others as in the answer, by the models.

    A place is allowed if the models expect every constraint to hold there.
    """
    model = result.get("model")
    if model is None:
        return []
    shares = np.nan_to_num(model.importance()[0])
    are_words = [not is_number(result.design.get(name, 0.0)) for name in result.variable_names]
    shares[are_words] = 0.0  # no line leads through words
    found = []
    for j in [k for k in np.argsort(-shares, kind="stable")[:MOST_SLICES] if shares[k] > 0]:
        places = slice_places(result, j)
        line = np.tile(np.asarray(result.x, dtype=np.float64), (len(places), 1))
        line[:, j] = places
        told = model.predict(line)
        n_ineq = told.G.shape[1]
        limit = np.array([state.tolerance for state in result.violations])
        holds = (told.G <= limit[:n_ineq] + told.G_error).all(axis=1)
        holds &= (np.abs(told.H) <= limit[n_ineq:] + told.H_error).all(axis=1)
        found.append({
            "name": result.variable_names[j], "x": compact(line[:, j], 6),
            "f": compact(told.f, 6), "error": compact(told.f_error, 3),
            "holds": holds.tolist(), "at": float(result.x[j]), "share": float(shares[j]),
            "listed": len(places) < PLACES, "log": bool(model.space.logarithmic[j]),
        })  # fmt: skip
    return found
