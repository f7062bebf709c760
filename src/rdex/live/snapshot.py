"""`snapshot`: what a file or folder of a run says now, as JSON values."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from rdex.common.errors import RdexError, StoreError
from rdex.engine.files import load_state
from rdex.evaluation.log_format import FACTS, FORMAT, Contents, parse
from rdex.problem.constraints import Stated, unit_of
from rdex.problem.problem import Floats
from rdex.problem.variables import CATEGORIES
from rdex.run.checkpoint import describe
from rdex.run.constraint_state import ConstraintState, worst_first
from rdex.store import Store
from rdex.strategies.registry import label_of
from rdex.workers.point_task import OK, REPEATED, SKIPPED

#: Records of the best so far that a page gets.
MOST_RECORDS = 400

#: Failures whose messages are shown.
MOST_MESSAGES = 5

#: Seconds over which workers count as busy or idle.
RECENT = 60.0


def snapshot(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What is known of the run behind a file of evaluations, a checkpoint or a campaign's folder.

    Never raises for files that are not there yet, or not whole: `error` says so.
    """
    place = Path(path)
    try:
        if place.is_dir():
            facts = campaign_facts(place)
        else:
            with place.open("rb") as stream:
                is_log = stream.read(len(FORMAT) + 2) == f"# {FORMAT}".encode()
            facts = log_facts(place) if is_log else checkpoint_facts(place)
        facts["age"] = max(0.0, time.time() - newest(place))
    except FileNotFoundError:
        facts = {"kind": "none", "error": f"there is no {place.name} yet"}
    except (OSError, RdexError) as error:
        facts = {"kind": "none", "error": str(error)}
    except Exception as error:  # whatever a damaged file makes of it
        facts = {"kind": "none", "error": f"{place.name} is damaged: {describe(error)}"}
    return plain({**facts, "name": place.name})


def newest(place: Path) -> float:
    """When something was last written."""
    if not place.is_dir():
        return place.stat().st_mtime
    times = [file.stat().st_mtime for file in place.rglob("*") if file.is_file()]
    return max(times, default=place.stat().st_mtime)


def plain(value: Any) -> Any:
    """Without what JSON lacks: arrays become lists, and what is not finite null."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# --- files of evaluations ---
def log_facts(place: Path) -> dict[str, Any]:
    """From a file of evaluations."""
    contents = parse(place.read_bytes(), str(place))
    run = contents.comments[-1][1] if contents.comments else {}
    rows, names = contents.rows, contents.names or list(FACTS)
    n_ineq, n_eq = run.get("number of constraints", [0, 0])
    values = np.array([[float(cell) for cell in row[7:]] for row in rows])
    values = values.reshape(len(rows), len(names) - 7)
    d = values.shape[1] - 1 - n_ineq - n_eq
    f, x, c = values[:, 0], values[:, 1 : 1 + d], values[:, 1 + d :]
    tolerance = tolerances(run, n_ineq, n_eq)
    best = best_so_far(f, c, tolerance, n_ineq)
    facts = head(run, "evaluations", len(rows), float(rows[-1][4]) if rows else 0.0)
    if len(rows):
        last = int(best[-1])
        facts |= standing(run, x[last], f[last], c[last], tolerance, usual_sizes(c))
        facts["trace"] = trace(best, f, c, tolerance, n_ineq)
    return facts | workers(contents) | failures(contents)


def tolerances(run: dict[str, Any], n_ineq: int, n_eq: int) -> Floats:
    """Of all constraints, inequalities first."""
    tolerance = np.zeros(n_ineq + n_eq)
    tolerance[:n_ineq] = run.get("ineq_tol", 0.0)
    tolerance[n_ineq:] = run.get("eq_tol", 1e-4)
    return tolerance


def sizes_of(c: Floats, n_ineq: int) -> Floats:
    """g and |h|."""
    return np.concatenate([c[..., :n_ineq], np.abs(c[..., n_ineq:])], axis=-1)


def usual_sizes(c: Floats) -> Floats:
    """Of each constraint: the median of what was seen; NaN where there is nothing."""
    finite = np.where(np.isfinite(c), np.abs(c), np.nan)
    sizes = np.full(c.shape[1], np.nan)
    known = np.isfinite(finite).any(axis=0)
    sizes[known] = np.nanmedian(finite[:, known], axis=0)
    return sizes


def violation_of(c: Floats, tolerance: Floats, n_ineq: int) -> Floats:
    """Mean violation of each row; infinite where a value is missing."""
    sizes = sizes_of(c, n_ineq)
    counted = np.where(sizes > tolerance, sizes, 0.0)
    counted = np.where(np.isfinite(sizes), counted, np.inf)
    mean: Floats = counted.mean(axis=-1) if c.shape[-1] else np.zeros(c.shape[:-1])
    return mean


def best_so_far(f: Floats, c: Floats, tolerance: Floats, n_ineq: int) -> list[int]:
    """Row of the best point after each evaluation, feasibility first."""
    phi = violation_of(c, tolerance, n_ineq)
    phi = np.where(np.isfinite(f), phi, np.inf)
    rows, best = [], -1
    for k in range(len(f)):
        if best < 0 or phi[k] < phi[best] or (phi[k] == phi[best] and f[k] < f[best]):
            best = k
        rows.append(best)
    return rows


def trace(
    best: list[int], f: Floats, c: Floats, tolerance: Floats, n_ineq: int
) -> dict[str, list[Any]]:
    """Best so far and its violations at some evaluations."""
    at = np.unique(np.linspace(0, len(best) - 1, min(len(best), MOST_RECORDS)).astype(int))
    rows = np.array(best)[at]
    sizes = sizes_of(c[rows], n_ineq)
    return {
        "nfev": (at + 1).tolist(),
        "f": f[rows].tolist(),
        "cv": violation_of(c[rows], tolerance, n_ineq).tolist(),
        "each": np.where(sizes > tolerance, sizes, 0.0).T.tolist(),
    }


def workers(contents: Contents) -> dict[str, Any]:
    """How many evaluations each worker made, and how busy it was of late."""
    rows = contents.rows
    end = float(rows[-1][4]) if rows else 0.0
    span = max(min(RECENT, end), 1e-9)
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        seconds, at, name = float(row[3]), float(row[4]), row[5]
        if not name:
            continue
        one = found.setdefault(name, {"evaluations": 0, "busy": 0.0, "last": 0.0})
        one["evaluations"] += 1
        one["last"] = at
        one["busy"] += max(0.0, min(seconds, at - (end - span))) / span
    listed = [
        {"name": name, **{key: min(v, 1.0) if key == "busy" else v for key, v in one.items()}}
        for name, one in found.items()
    ]
    return {"workers": listed, "n_busy": sum(one["busy"] > 0.5 for one in found.values())}


def failures(contents: Contents) -> dict[str, Any]:
    """Statuses that are no success, and the last messages."""
    counts: dict[str, int] = {}
    messages = []
    for row in contents.rows:
        if row[2] in (OK, SKIPPED, REPEATED):
            continue
        counts[row[2]] = counts.get(row[2], 0) + 1
        messages.append(f"evaluation {row[1]}: {row[2]}: {row[6]}")
    return {"failures": counts, "messages": messages[-MOST_MESSAGES:]}


# --- what all kinds share ---
def head(run: dict[str, Any], kind: str, nfev: int, elapsed: float) -> dict[str, Any]:
    """Name, budget and speed."""
    maxfev = run.get("maxfev")
    return {
        "kind": kind,
        "problem": run.get("problem", ""),
        "algorithm": label_of(run.get("strategy", ""), run.get("settings", {}).get("name", "")),
        "nfev": nfev,
        "maxfev": maxfev,
        "elapsed": elapsed,
        "speed": nfev / elapsed if elapsed > 0 else None,
        "is_done": maxfev is not None and nfev >= maxfev,
    }


def standing(
    run: dict[str, Any], x: Floats, f: float, c: Floats, tolerance: Floats, sizes: Floats
) -> dict[str, Any]:
    """The best point: f, variables, constraints as they were stated; sizes: their scales."""
    units = run.get("units") or {}
    names = run.get("names", [[], []])
    n_ineq = run.get("number of constraints", [0, 0])[0]
    phi = float(violation_of(np.atleast_2d(c), tolerance, n_ineq)[0])
    states = states_of(run, c, tolerance, sizes)
    return {
        "f": f,
        "f_units": units.get("f", ""),
        "is_feasible": phi == 0.0 and math.isfinite(f),
        "violation": phi,
        "worst": [state.name for state in worst_first(states)][:1],
        "constraints": [
            {
                "name": state.name,
                "label": state.label,
                "value": state.value_text,
                "limit": state.relation,
                "verdict": state.verdict,
                "holds": state.satisfied,
            }
            for state in states
        ],
        "variables": variables_of(run, names[0], units, x),
    }


def states_of(
    run: dict[str, Any], c: Floats, tolerance: Floats, sizes: Floats
) -> list[ConstraintState]:
    """The constraints of a point from the description of the run.

    Where no size is known, the larger side of the constraint is its scale.
    """
    units, names = run.get("units") or {}, run.get("names", [[], []])[1]
    n_ineq = run.get("number of constraints", [0, 0])[0]
    stated = [Stated(*each) for each in run.get("stated", [])]
    if len(stated) != len(c):
        stated = [Stated("<=" if k < n_ineq else "=") for k in range(len(c))]
    found = []
    for k, (name, how) in enumerate(zip(names, stated, strict=True)):
        size = float(c[k]) if k < n_ineq else abs(float(c[k]))
        holds = size <= tolerance[k]
        scale = sizes[k] if sizes[k] > 0 else max(abs(how.bound), abs(size))
        found.append(
            ConstraintState(
                name, how.sense, how.value(float(c[k])), float(tolerance[k]), bool(holds),
                0.0 if holds else size, how.bound, unit_of(units, name), float(scale),
            )
        )  # fmt: skip
    return found


def variables_of(
    run: dict[str, Any], names: list[str], units: dict[str, str], x: Floats
) -> list[dict[str, Any]]:
    """Name, value and place between the bounds of every variable."""
    lower, upper = run.get("bounds", [[0.0] * len(x), [1.0] * len(x)])
    kinds = run.get("variables") or [["real", []]] * len(x)
    logs = run.get("log_scale") or [False] * len(x)
    rows = zip(names, x, lower, upper, kinds, logs, strict=True)
    found = []
    for name, value, low, high, (kind, listed), is_log in rows:
        text = listed[round(value)] if listed else f"{value:.8g}"
        at, first, last = (math.log(each) if is_log else each for each in (value, low, high))
        share = float((at - first) / (last - first)) if last > first else 0.5
        found.append({
            "name": name, "value": text, "units": unit_of(units, name),
            "share": None if kind == CATEGORIES else share,
        })  # fmt: skip
    return found


# --- checkpoints and campaigns ---
def checkpoint_facts(place: Path) -> dict[str, Any]:
    """From a checkpoint: what its run wrote down for readers."""
    _, header = load_state(place)
    run, facts = header.get("run", {}), header.get("facts", {})
    seen = facts.get("seen", {})
    found = head(run, "checkpoint", int(facts.get("nfev", 0)), float(facts.get("elapsed", 0.0)))
    found["is_done"] = found["is_done"] or int(facts.get("status", -1)) >= 0
    n_ineq, n_eq = run.get("number of constraints", [0, 0])
    if seen:
        c = np.array([*seen["G"], *seen["H"]], dtype=np.float64)
        x = np.array(seen["x"], dtype=np.float64)
        limits = tolerances(run, n_ineq, n_eq)
        found |= standing(run, x, float(seen["f"]), c, limits, np.full(len(c), np.nan))
        found["trace"] = {**seen["trace"], "each": []}
        found["failures"] = {"failed": seen["n_failed"]} if seen["n_failed"] else {}
    return found


def campaign_facts(place: Path) -> dict[str, Any]:
    """From the folder of a campaign: how many runs are done, and which failed."""
    store = Store(place)
    manifest = store.manifest()
    if manifest is None:
        raise StoreError(f"{place.name} is not the folder of a campaign")
    plan = manifest["plan"] or {}
    done: dict[str, int] = {}
    for file in store.parquet_files():
        name = file.relative_to(place).parts[-2] if len(file.relative_to(place).parts) > 1 else ""
        done[name] = done.get(name, 0) + 1
    failed = store.failures()
    return {
        "kind": "campaign",
        "runs": sum(done.values()),
        "total": planned_runs(plan),
        "by_folder": sorted(done.items()),
        "failures": {"failed": len(failed)} if failed else {},
        "messages": [f"{each}" for each in failed[-MOST_MESSAGES:]],
    }


def planned_runs(plan: dict[str, Any]) -> int | None:
    """Runs of a plan; None where it does not say."""
    parts = [plan.get(name) for name in ("algorithms", "problems", "runs")]
    sizes = [part if isinstance(part, int) else len(part) for part in parts if part is not None]
    return math.prod(sizes) if len(sizes) == 3 else None
