"""A state from a file is checked before kernels see it: they do not check indices themselves.

Whatever is an index, a position or a count must be in range and fit together, and numbers that
loops wait for must be able to come. A state that passes can be wrong, but it cannot make a kernel
read or write outside its arrays, or run for ever.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rdex.common.errors import RunFileError
from rdex.engine.kernels import layout
from rdex.engine.settings import Settings
from rdex.engine.state import flattened, with_arrays
from rdex.engine.ude.kernels.layout import UdeState

#: First dimensions that follow N0, and by how many rows per member.
GROWS = {
    "members.x": 3,
    "members.f": 3,
    "members.phi": 3,
    "ranks.front": 1,
    "ranks.pool": 2,
    "slots": 1,
    "initial": 1,
    "scratch.rows": 2,
    "scratch.levels": 1,
}
#: Those that follow the capacity.
PENDING = ("members.x", "members.f", "members.phi", "pending")

#: Larger than any count that a run reaches.
MANY = 2**53

#: Ranges of fields of `run` that depend on nothing else; the end is in it.
COUNTS = {"generation": MANY, "made": MANY, "successes": MANY, "restarts": MANY}
SHARES = ("sr", "rho", "clock", "F_centre", "clock_since", "up_to_1", "up_to_2")
AT_LEAST_0 = ("eps_start", "gain_eb", "gain_std", "eps_0", "eps_cp", "settled_at", "nearly")


def checked_state(here: Any, arrays: dict[str, Any], may_grow: bool) -> Any:
    """The arrays as a state like `here`; RunFileError where they are none.

    With `may_grow` they may be those of another budget, initial size and capacity.
    """
    mine = flattened(here)
    missing = set(mine) - set(arrays)
    if missing:
        raise RunFileError(f"the state lacks {', '.join(sorted(missing))}")
    given = {name: np.array(arrays[name], order="C") for name in mine}
    given["settings"] = of_this_version(given["settings"], mine["settings"])
    if not all(given[name].dtype == mine[name].dtype for name in mine):
        raise RunFileError("the state belongs to a run with other arguments")
    # Files do not keep that records are aligned, and equal types may differ in it.
    given = {name: array.view(mine[name].dtype) for name, array in given.items()}
    has_fixed_size = isinstance(here, UdeState)
    check_shapes(mine, given, may_grow and not has_fixed_size)
    state = with_arrays(here, given)
    free = ("maxfev",) if has_fixed_size else ("maxfev", "n0")
    check_arguments(here, state, free if may_grow else ())
    wrong = next(problems(state), None)
    if wrong is not None:
        raise RunFileError(f"the state is damaged: {wrong}")
    return state


def of_this_version(settings: NDArray[Any], mine: NDArray[Any]) -> NDArray[Any]:
    """Constants of an older version with those that it did not have, at their defaults; others as
    they are."""
    known, names = settings.dtype.names or (), mine.dtype.names or ()
    later = [name for name in names if name in Settings.LATER and name not in known]
    is_older = later and known == tuple(name for name in names if name not in later)
    if not is_older or settings.shape != mine.shape:
        return settings
    if any(settings.dtype[name] != mine.dtype[name] for name in known):
        return settings
    full = np.empty_like(mine)
    for name in known:
        full[name] = settings[name]
    for name in later:
        full[name] = getattr(Settings(), name)
    return full


def check_shapes(
    mine: dict[str, NDArray[Any]], given: dict[str, NDArray[Any]], may_grow: bool
) -> None:
    """Every shape is the one that belongs to the initial size and the capacity."""
    more, wider = 0, 0
    if may_grow and given["settings"].shape == (1,) and given["pending"].ndim == 1:
        more = int(given["settings"]["n0"][0]) - int(mine["settings"]["n0"][0])
        wider = given["pending"].size - mine["pending"].size
    for name, array in given.items():
        first, *others = mine[name].shape
        if name != "initial" or first > 0:
            first += more * GROWS.get(name, 0) + wider * (name in PENDING)
        if array.shape != (first, *others):
            raise RunFileError("the state belongs to a run with other arguments")


def check_arguments(here: Any, state: Any, free: tuple[str, ...]) -> None:
    """Constants, but for those that are free to differ, box and limits are those of `here`."""
    # Weights may have been learnt meanwhile.
    rows = layout.TOLERANCE if here.run["scale_auto"][0] else slice(None)
    fixed = [name for name in here.settings.dtype.names if name not in free]
    if not (
        all(np.array_equal(here.settings[name], state.settings[name]) for name in fixed)
        and np.array_equal(here.box, state.box)
        and np.array_equal(here.limit[rows], state.limit[rows])
    ):
        raise RunFileError("the state belongs to a run with other arguments")


def problems(state: Any) -> Iterator[str]:
    """What is wrong with a state of the right shapes; nothing for one that kernels can take.

    Later tests rely on earlier ones: only the first answer counts.
    """
    settings, run = state.settings[0], state.run[0]
    if not (1 <= settings["maxfev"] < MANY and 4 <= settings["n0"] < MANY):
        yield "budget and initial size"
    yield from problems_of_counts(state, settings, run)
    yield from problems_of_numbers(state, run)
    yield from problems_of_pending(state)
    yield from problems_of_ude(state) if isinstance(state, UdeState) else problems_of_rdex(state)
    yield from problems_of_members(state)


def problems_of_counts(state: Any, settings: Any, run: Any) -> Iterator[str]:
    """Counters that every method has."""
    told, asked, n0, K = run["told"], run["asked"], settings["n0"], settings["checkpoints"]
    if not 0 <= told <= asked <= settings["maxfev"] or asked - told > state.pending.size:
        yield "evaluations asked and told"
    if not (run["ready"] in (0, 1) and run["scale_auto"] in (0, 1) and run["mapped"] in (0, 1)):
        yield "flags"
    if run["mapped"] != bool(state.box[layout.MAPPING].any()):
        yield "mapped variables"
    if run["scale_auto"] and not state.initial.shape[0]:
        yield "automatic scales"
    if not (0 <= run["since"] <= asked and 0 <= run["arrived"] <= n0):
        yield "initial points"
    if not run["ready"] and (run["arrived"] == n0 or told == asked >= run["since"] + n0):
        yield "initial points"
    is_over = run["next"] == K + 1
    due = 2**62 if is_over else math.ceil(float(run["next"]) * float(settings["maxfev"]) / float(K))
    if not (1 <= run["next"] <= K + 1 and run["next_at"] == due):
        yield "checkpoints"
    for name in ("best_at", "feasible_at", "failed"):
        if not 0 <= run[name] <= told:
            yield name
    for name, most in COUNTS.items():
        if not 0 <= run[name] <= most:
            yield name


def problems_of_numbers(state: Any, run: Any) -> Iterator[str]:
    """Numbers that loops wait for, or that must not be NaN."""
    for name in set(SHARES) & set(run.dtype.names):
        if not 0.0 <= run[name] <= 1.0:
            yield name
    for name in set(AT_LEAST_0) & set(run.dtype.names):
        if not 0.0 <= run[name] < math.inf:
            yield name
    if not (run["eps"] >= -1.0 and run["best_phi"] >= 0.0 and not np.isnan(run["best_f"])):
        yield "ε or the best"
    cursor, words = state.random[layout.CURSOR], state.random[: layout.CURSOR]
    if not (layout.FIRST <= cursor <= layout.END and words.any()):
        yield "random numbers"
    if not all_within(state.memory, 0.0, 1.0):
        yield "memories"
    if not all_within(state.limit[layout.WEIGHT], 1e-310, 1e310):
        yield "weights of constraints"
    d = state.best.x.size
    if (state.limit[layout.UNWEIGHTED] != 1.0).any() or not np.isfinite(state.best.x).all():
        yield "limits or the best"
    if (state.scratch.bits[d:] != layout.NEVER).any():
        yield "filled-up columns"


def problems_of_pending(state: Any) -> Iterator[str]:
    """Rows that are handed out."""
    pending, run, n0 = state.pending, state.run[0], state.settings[0]["n0"]
    for name, low, high in (("target", 0, n0 - 1), ("kind", 0, 3), ("is_in", 0, 1)):
        if not all_within(pending[name], low, high):
            yield f"pending rows: {name}"
    for name in ("F", "CR", "A"):
        if not all_within(pending[name], 0.0, 1.0):
            yield f"pending rows: {name}"
    if np.isnan(pending["target_f"]).any() or not all_within(pending["target_phi"], 0.0, math.inf):
        yield "pending rows: targets"
    if not run["ready"]:
        initial = (pending["kind"][out_rows(state)] == layout.INITIAL).sum()
        if run["arrived"] + initial < run["asked"] - run["since"]:
            yield "initial points"


def problems_of_members(state: Any) -> Iterator[str]:
    """Points and values."""
    x, f, phi = state.members
    run, n0, d = state.run[0], state.settings[0]["n0"], state.best.x.size
    if not np.isfinite(x).all() or np.isnan(f).any() or not all_within(phi, 0.0, math.inf):
        yield "members"
    lower, upper = state.box[layout.LOWER, :d], state.box[layout.UPPER, :d]
    rows = [np.arange(n0), 3 * n0 + out_rows(state)]
    if run["ready"]:
        rows.append(state.ranks.pool[: run["n"]])
    inside = x[np.concatenate(rows), :d]
    if not ((inside >= lower) & (inside <= upper)).all():
        yield "members outside the box"


def problems_of_rdex(state: Any) -> Iterator[str]:
    """What the RDEx family has of its own."""
    settings, run, ranks = state.settings[0], state.run[0], state.ranks
    n, n0, capacity = run["n"], settings["n0"], state.pending.size
    if not settings["n_min"] <= n <= n0 or (not run["ready"] and n != n0):
        yield "size"
        return
    if not is_permutation(ranks.pool, n0) or not is_permutation(ranks.front[:n], 0):
        yield "order"
    if not (0 <= run["ring"] < n and 0 <= run["cursor"] < state.memory.shape[1]):
        yield "cursors"
    if not (0 <= run["staged"] <= ranks.pool.size - n and 0 <= run["done"]):
        yield "successes"
    if not all_within(state.pending["partner"], -1, capacity - 1):
        yield "race partners"
        return
    if not -1 <= run["race_owed"] < capacity:
        yield "races"
        return
    if any(np.isnan(run[name]) for name in ("least_f", "least_phi")):
        yield "the best of a settled front"
    sums = [run[name] for name in ("sum_w", "sum_wF", "sum_wFF", "sum_wA", "sum_wAA")]
    if not all_within(np.array(sums), 0.0, math.inf):
        yield "sums"
    if run["ready"]:
        yield from problems_of_generation(state)


def problems_of_generation(state: Any) -> Iterator[str]:
    """Trials that are out and the order of the front fit the counters."""
    run, pending = state.run[0], state.pending
    n, eps, front = run["n"], run["eps"], state.ranks.front[: run["n"]]
    f, phi = state.members.f[front], state.members.phi[front]
    outside = phi > eps
    order = np.lexsort((front, np.where(outside, phi, f), outside))
    if (order != np.arange(n)).any() or run["inside"] != n - outside.sum():
        yield "order of the front"
    out = out_rows(state)
    trials = {int(k) for k in out if pending["kind"][k] in (layout.STANDARD, layout.BIASED)}
    owed = int(run["race_owed"])
    undecided = len(trials | ({owed} if owed >= 0 else set()))
    for k in trials:
        partner = int(pending["partner"][k])
        if partner >= 0:
            if pending["partner"][partner] != k or partner == k:
                yield "race partners"
            undecided -= partner in trials and partner < k
    if not run["done"] < n or run["made"] - run["done"] != undecided:
        yield "trials of the generation"


def problems_of_ude(state: Any) -> Iterator[str]:
    """What UDE has of its own."""
    settings, run, ranks, learnt = state.settings[0], state.run[0], state.ranks, state.learnt
    n, capacity = settings["n0"], state.pending.size
    made, done, out = run["made"], run["done"], run["asked"] - run["told"]
    if run["n"] != n or not 0 <= run["archived"] <= n or run["staged"] != 0 or run["since"] != 0:
        yield "size"
    if not (is_permutation(ranks.pool, 0) and is_permutation(ranks.store, n)):
        yield "order"
    if not (all_within(learnt.cells, 0.0, 1.0) and all_within(learnt.sums, 0.0, math.inf)):
        yield "memories"
    if not all_within(learnt.cursor, 0, learnt.cells.shape[1] - 1):
        yield "cursors"
    if not (all_within(learnt.tally, 0, MANY) and all_within(ranks.idle, 0, MANY)):
        yield "tallies"
    if not run["ready"]:
        return
    if not 0 <= done <= made <= min(settings["trials"], capacity) or done + out != made:
        yield "trials of the generation"
        return
    rows = np.arange(run["asked"] - made, run["asked"]) % capacity
    kinds = state.pending["kind"][rows]
    if not is_permutation(state.pending["place"][rows], 0) or not all_within(kinds, 1, 3):
        yield "trials of the generation"


def out_rows(state: Any) -> NDArray[np.int64]:
    """Pending rows that are asked and not told."""
    run = state.run[0]
    rows: NDArray[np.int64] = np.arange(run["told"], run["asked"]) % state.pending.size
    return rows


def all_within(values: NDArray[Any], low: float, high: float) -> bool:
    """Whether no value is below `low`, above `high` or NaN."""
    return bool(((values >= low) & (values <= high)).all())


def is_permutation(values: NDArray[np.int64], first: int) -> bool:
    """Whether the values are `first` and the numbers after it, in any order."""
    return bool((np.sort(values) == np.arange(first, first + values.size)).all())
