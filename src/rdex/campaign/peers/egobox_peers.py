"""egobox: efficient global optimisation, Gaussian processes of f and of every constraint."""

from __future__ import annotations

from typing import Any

import numpy as np

from rdex.campaign.peers.points import EQ_TOL, MARGIN, Points, seed_of
from rdex.common.extras import require


def ego(points: Points, rng: np.random.Generator) -> None:
    """Egor with its defaults, asked for one point after the other until the budget is spent.

    Its own loop prints exceptions of the function; asking for points leaves them to the caller.
    """
    egobox = require("egobox", "peers")
    whole = np.zeros(points.dim, bool) if points.integrality is None else points.integrality
    lower, upper = (points.inside(corner.copy()) for corner in (points.lower, points.upper))
    kinds = [egobox.XType.INT if is_whole else egobox.XType.FLOAT for is_whole in whole]
    box = [
        egobox.XSpec(kind, [low, high]) for kind, low, high in zip(kinds, lower, upper, strict=True)
    ]
    specs = [egobox.CstrSpec.leq(-MARGIN, tol=MARGIN)] * points.n_ineq
    specs += [egobox.CstrSpec.eq(0.0, tol=EQ_TOL)] * points.n_eq
    options: dict[str, Any] = {"cstr_specs": specs} if specs else {}
    x = points.inside(egobox.lhs(box, min(2 * points.dim, points.remaining), seed=seed_of(rng)))
    y = np.column_stack(points.rows(x))
    search = egobox.Egor(box, **options)
    while points.remaining:
        further = points.inside(search.suggest(x, y, seed=seed_of(rng)))
        x = np.vstack([x, further])
        y = np.vstack([y, np.column_stack(points.rows(further))])
