"""NLopt: its ISRES."""

from __future__ import annotations

from typing import Any

import numpy as np

from rdex.campaign.peers.points import EQ_TOL, Points, seed_of
from rdex.common.extras import require


def isres(points: Points, rng: np.random.Generator) -> None:
    """GN_ISRES from a random start; its population is 20 (D + 1) by default."""
    nlopt = require("nlopt", "peers")
    search = nlopt.opt(nlopt.GN_ISRES, points.dim)
    search.set_lower_bounds(points.lower)
    search.set_upper_bounds(points.upper)
    search.set_maxeval(points.remaining)
    # The gradients are for other algorithms of NLopt.
    search.set_min_objective(lambda x, _gradient: points.f(x))
    if points.n_ineq:

        def inequalities(result: Any, x: Any, _gradient: Any) -> None:
            result[:] = points.g(x)

        search.add_inequality_mconstraint(inequalities, np.zeros(points.n_ineq))
    if points.n_eq:

        def equalities(result: Any, x: Any, _gradient: Any) -> None:
            result[:] = points.h(x)

        search.add_equality_mconstraint(equalities, np.full(points.n_eq, EQ_TOL))
    nlopt.srand(seed_of(rng))
    search.optimize(rng.uniform(points.lower, points.upper))
