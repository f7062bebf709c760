"""Where a run starts: given points, with values where they are known, and designed ones."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rdex.problem.checks import as_floats
from rdex.problem.problem import Floats, Problem
from rdex.problem.space import Space
from rdex.problem.variables import Variables

log = logging.getLogger("rdex")

UNIFORM = "uniform"
DESIGNS = (UNIFORM, "latinhypercube", "sobol")

Known = tuple[Floats, float, Floats, Floats]


class Start(NamedTuple):
    """The first initial points, and what is known of the first of them.

    points: (k, d) array that replaces the first k random ones, or None.
    known: (x, f, g, h) of the first points.
    given: what the user asked for, for the fingerprint of a run.
    """

    points: Floats | None
    known: list[Known]
    given: dict[str, Any]

    def inside(self, lower: Floats, upper: Floats) -> Start:
        """What of it lies in a part of the box."""
        known = [each for each in self.known if ((each[0] >= lower) & (each[0] <= upper)).all()]
        points = self.points
        if points is not None:
            points = points[((points >= lower) & (points <= upper)).all(axis=1)]
        return Start(points if points is not None and len(points) else None, known, self.given)


#: Where the user gave no points and no design.
ALL_RANDOM = Start(None, [], {"x0": None, "init": UNIFORM})


def make_start(
    problem: Problem,
    x0: Any,
    init: Any,
    n0: int,
    seed: np.random.SeedSequence,
    log_variables: NDArray[np.bool_] | None,
) -> Start:
    """`x0` comes first, then what `init` gives; the engine fills up with uniform points."""
    points = np.empty((0, problem.dim))
    known: list[Known] = []
    given: dict[str, Any] = {"x0": None, "init": init}
    if x0 is not None:
        points, known = read_x0(x0, problem)
        given["x0"] = [points.tolist(), [[f, g.tolist(), h.tolist()] for _, f, g, h in known]]
    if not isinstance(init, str):
        array = checked_points("init", init, problem)
        points = np.concatenate([points, array])
        given["init"] = array.tolist()
    elif init not in DESIGNS:
        raise ValueError(f"init must be one of {', '.join(DESIGNS)} or an array, got {init!r}")
    if len(points) > n0:
        log.warning("only the first %d of %d given points fit the population", n0, len(points))
    if isinstance(init, str) and init != UNIFORM:
        points = np.concatenate([points, designed(problem, init, n0, seed, log_variables)])
    return Start(points[:n0] if len(points) else None, known, given)


def read_x0(x0: Any, problem: Problem) -> tuple[Floats, list[Known]]:
    """Points, and their values where `x0` is a mapping such as a result.

    A mapping of the names of all variables is a design, and so is each of a sequence of such.
    """
    designs = [x0] if isinstance(x0, Mapping) else x0
    if is_designs(designs, problem):
        variables = problem.variables or Variables(
            {name: (0.0, 0.0) for name in problem.variable_names}
        )
        points = np.array([variables.point(design) for design in designs])
        return checked_points("x0", problem.decoded(points), problem), []
    if not isinstance(x0, Mapping):
        return checked_points("x0", x0, problem), []
    if "x" not in x0 or "fun" not in x0:
        raise ValueError(
            "x0 with known values needs the entries x and fun, and G and H where there are "
            f"constraints, got {', '.join(map(str, x0)) or 'none'}"
        )
    points = checked_points("x0['x']", x0["x"], problem)
    space = Space(problem)
    for point in points:
        space.check_whole("x0['x']", point, problem.variable_names)
    k = len(points)
    f = shaped("x0['fun']", x0["fun"], (k,))
    g = shaped("x0['G']", x0.get("G"), (k, problem.n_ineq))
    h = shaped("x0['H']", x0.get("H"), (k, problem.n_eq))
    return points, [(points[i], float(f[i]), g[i], h[i]) for i in range(k)]


def is_designs(values: Any, problem: Problem) -> bool:
    """Whether these are designs by name, and not an array or a result."""
    if not isinstance(values, list | tuple) or not all(isinstance(v, Mapping) for v in values):
        return False
    names = set(problem.variable_names)
    known = [set(map(str, design)) for design in values]
    return bool(known) and all(names & keys and not keys >= {"x", "fun"} for keys in known)


def shaped(label: str, values: Any, shape: tuple[int, ...]) -> Floats:
    """Values of the expected shape, axes of length one given or not; None where there are none."""
    if values is None and 0 in shape:
        return np.empty(shape)
    array = as_floats(label, () if values is None else values)
    lengths = [[n for n in each if n != 1] for each in (array.shape, shape)]
    if values is None or lengths[0] != lengths[1]:
        got = "nothing" if values is None else f"shape {array.shape}"
        raise ValueError(f"{label} must have shape {shape}, got {got}")
    return array.reshape(shape)


def designed(
    problem: Problem,
    init: str,
    n: int,
    seed: np.random.SeedSequence,
    log_variables: NDArray[np.bool_] | None,
) -> Floats:
    """Space-filling points of the box, in logarithms and whole numbers where variables are."""
    from scipy.stats import qmc

    # A key beside the children that `spawn` would give: the user's object stays as it is.
    key = (*seed.spawn_key, 2**31)
    rng = np.random.default_rng(np.random.SeedSequence(seed.entropy, spawn_key=key))
    if init == "sobol":
        unit = qmc.Sobol(problem.dim, rng=rng).random_base2(max(1, math.ceil(math.log2(n))))[:n]
    else:
        unit = qmc.LatinHypercube(problem.dim, rng=rng).random(n)
    lower, upper = (ends.copy() for ends in problem.inner_bounds)
    whole = problem.integrality
    if whole is not None:
        lower[whole] -= 0.5
        upper[whole] += 0.5
    if log_variables is not None:
        lower[log_variables] = np.log10(lower[log_variables])
        upper[log_variables] = np.log10(upper[log_variables])
    points = lower + unit * (upper - lower)
    if whole is not None:
        points[:, whole] = np.floor(points[:, whole] + 0.5)
    if log_variables is not None:
        points[:, log_variables] = 10.0 ** points[:, log_variables]
    return np.clip(points, problem.lower, problem.upper)


def checked_points(label: str, values: Any, problem: Problem) -> Floats:
    """Rows inside the bounds, or a ValueError naming row and variable.

    Variables from a list of numbers are given by these numbers.
    """
    points = np.array(as_floats(label, values), ndmin=2)
    if points.ndim == 2 and points.shape[1] == problem.dim:
        points = np.asarray(problem.encoded(points))
    if points.ndim != 2 or points.shape[1] != problem.dim or not len(points):
        raise ValueError(
            f"{label} must have shape ({problem.dim},) or (k, {problem.dim}), "
            f"got {np.shape(values)}"
        )
    outside = ~((points >= problem.lower) & (points <= problem.upper))
    if outside.any():
        i, j = np.argwhere(outside)[0]
        raise ValueError(
            f"{label}[{i}][{j}] = {points[i, j]} is outside "
            f"[{problem.lower[j]}, {problem.upper[j]}] of {problem.variable_names[j]}"
        )
    return points
