"""Which points the models of a region are made of, and how their values are seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from rdex.models.failures import FailureModel
from rdex.models.inputs import Inputs, squashing
from rdex.models.learnt import LearntModel
from rdex.models.rbf import n_terms
from rdex.models.surrogate import Surrogate
from rdex.problem.problem import Floats
from rdex.strategies.scout.knowledge import Indices, Knowledge
from rdex.strategies.strategy import Context

#: Points nearer to each other than this share of their distance from the centre are one point.
SAME = 1e-3

#: Points farther away than so many radii say nothing about a region.
FAR = 1e3

#: Distances are computed for so many points at a time: the first are often enough.
BLOCK = 100

#: Logarithmic inputs are tried in regions at least this large.
LOG_RADIUS = 0.01

#: Points of the smaller local models, per term of a full quadratic.
FEW = 1.2

#: They are tried if they have at most this share of the points of the larger ones.
FEW_SHARE = 0.6

#: The most points of a global model.
GLOBAL_POINTS = 200


def local_size(d: int) -> int:
    """How many points a local model has."""
    return int(max(50, min(1.5 * n_terms(2, d) + d, 200), 3 * (d + 1)))


def few_points(d: int) -> int:
    """How many points are enough for a model that is good next to the centre only."""
    return max(2 * d + 3, int(FEW * n_terms(2, d)) + 2)


def thinned(z: Floats, least: Floats, most: int) -> Indices:
    """The first `most` of points (n, d), without those closer than least (n,) to one before."""
    kept = np.empty(0, dtype=np.int64)
    for first in range(0, len(z), BLOCK):
        block = np.arange(first, min(first + BLOCK, len(z)))
        is_close = cdist(z[block], z[kept]) < least[block, None]
        block = block[~is_close.any(axis=1)]
        is_close = np.tril(cdist(z[block], z[block]) < least[block, None], -1)
        for k in np.flatnonzero(is_close.any(axis=1)):
            if is_close[k].any():  # it is left out, and others may stay close to it
                is_close[:, k] = False
        kept = np.concatenate([kept, block[~is_close.any(axis=1)]])
        if kept.size >= most:
            break
    return kept[:most]


def local_rows(
    knowledge: Knowledge, centre: int, delta: float, shape: Floats
) -> tuple[Indices, Floats]:
    """The rows for a model about a row, nearest first, and their distances."""
    rows = knowledge.usable()
    scaled = (knowledge.z[rows] - knowledge.z[centre]) / shape
    away = np.linalg.norm(scaled, axis=1)
    size = local_size(knowledge.d)
    order = np.argsort(away, kind="stable")[: 3 * size]
    enough = knowledge.d + 2
    near = order[: max(int((away[order] <= FAR * delta).sum()), min(enough, order.size))]
    kept = near[thinned(scaled[near], SAME * np.maximum(away[near], delta), size)]
    if kept.size < 2:  # all that is known is nearly one point
        kept = near
    return rows[kept], away[kept]


def views(knowledge: Knowledge, centre: Floats, delta: float, shape: Floats) -> list[Inputs]:
    """Linear inputs, and logarithmic ones where they may pay."""
    radius = delta * shape
    plain = Inputs(np.ones(knowledge.d), centre, radius)
    if delta < LOG_RADIUS or not (knowledge.log_ratio > 1.0).any():
        return [plain]
    return [plain, Inputs(knowledge.log_ratio, centre, radius)]


def local_model(
    knowledge: Knowledge, centre: int, delta: float, shape: Floats,
    nuggets: Sequence[float] = (0.0,),
) -> Surrogate:  # fmt: skip
    """Models of all functions about a row."""
    rows, away = local_rows(knowledge, centre, delta, shape)
    y = knowledge.y[rows]
    at = knowledge.y[centre]
    near = y[: 2 * knowledge.d + 3]
    outputs = squashing(y, at.copy(), np.abs(near - at).max(axis=0))
    weights = 1.0 / (1.0 + (away / delta) ** 2)
    z = knowledge.z
    sees = views(knowledge, z[centre], delta, shape)
    few = few_points(knowledge.d)
    smooths = nuggets != (0.0,)
    sizes = (few, rows.size) if few <= FEW_SHARE * rows.size and not smooths else ()
    return Surrogate(z[rows], y, outputs, sees, weights, nuggets, sizes)


def global_rows(knowledge: Knowledge, ranked: Indices) -> Indices:
    """Rows for a model of the whole box out of rows that worked, best first."""
    kept = thinned(knowledge.z[ranked], np.full(ranked.size, 0.005), ranked.size)
    if kept.size > GLOBAL_POINTS:  # the best third, and others of all ranks
        n_best = GLOBAL_POINTS // 3
        others = np.linspace(n_best, kept.size - 1, GLOBAL_POINTS - n_best).astype(np.int64)
        kept = kept[np.unique(np.concatenate([np.arange(n_best), others]))]
    return ranked[kept]


def global_model(knowledge: Knowledge) -> Surrogate:
    """Models of all functions over the whole box."""
    rows = global_rows(knowledge, knowledge.ranked())
    y = knowledge.y[rows]
    centre = np.zeros(y.shape[1])
    centre[0] = y[:, 0].min()
    outputs = squashing(y, centre, np.quantile(np.abs(y - centre), 0.3, axis=0))
    weights = 1.0 / (1.0 + np.arange(rows.size) / (0.25 * rows.size))
    middle = np.full(knowledge.d, 0.5)
    return Surrogate(
        knowledge.z[rows], y, outputs, views(knowledge, middle, 1.0, np.ones(knowledge.d)), weights
    )


def learnt_model(context: Context) -> LearntModel | None:
    """What was learnt of the functions, for the user; None while there is too little.

    Where there are categories: with those of the best point.
    """
    knowledge, space = Knowledge(context), context.space
    ranked = knowledge.ranked()
    codes = context.archive.x[ranked][:, space.unordered]
    ranked = ranked[(codes == codes[:1]).all(axis=1)]
    n_free = int((~(space.fixed | space.unordered)).sum())
    if ranked.size < n_free + 2 or not n_free:
        return None
    rows = global_rows(knowledge, ranked)
    return LearntModel(space, context.archive.x[rows], knowledge.y[rows], context.judge.n_ineq)


def yes_or_no_models(
    knowledge: Knowledge, centre: Floats, delta: float, shape: Floats
) -> list[FailureModel]:
    """Models of what is only known to be allowed or not, about a point: evaluations that fail, and
    constraints that say yes or no."""
    flags = [~knowledge.is_usable]
    flags += [knowledge.is_forbidden(column) for column in knowledge.yes_or_no()]
    models = [yes_or_no_model(knowledge, is_bad, centre, delta, shape) for is_bad in flags]
    return [model for model in models if model is not None]


def yes_or_no_model(
    knowledge: Knowledge, is_bad: NDArray[np.bool_], centre: Floats, delta: float, shape: Floats
) -> FailureModel | None:
    """Where points are bad, about a point; None if all are alike there."""
    if is_bad.all() or not is_bad.any():
        return None
    scaled = (knowledge.z - centre) / shape
    away = np.linalg.norm(scaled, axis=1)
    order = np.argsort(away, kind="stable")[: 2 * local_size(knowledge.d)]
    least = SAME * np.maximum(away[order], delta)
    rows = order[thinned(scaled[order], least, local_size(knowledge.d))]
    near = is_bad[rows]
    if near.all() or not near.any():
        return None
    return FailureModel(knowledge.z[rows], near, centre, delta * shape)
