"""NLopt: its ISRES, and its COBYLA from many starts."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from rdex.campaign.peers.points import EQ_TOL, MARGIN, Points, seed_of
from rdex.common.extras import require

#: Where COBYLA ends, relative to x; NLopt's default is never. SciPy's COBYQA ends at 1e-6, too.
XTOL = 1e-6


def isres(points: Points, rng: np.random.Generator) -> None:
    """GN_ISRES from a random start; its population is 20 (D + 1) by default."""
    nlopt = require("nlopt", "peers")
    run(points, rng, nlopt.opt(nlopt.GN_ISRES, points.dim), 0.0)


def cobyla(points: Points, rng: np.random.Generator) -> None:
    """LN_COBYLA from one random start; NLopt scales the variables itself."""
    nlopt = require("nlopt", "peers")
    search = nlopt.opt(nlopt.LN_COBYLA, points.dim)
    search.set_xtol_rel(XTOL)
    with contextlib.suppress(nlopt.RoundoffLimited):  # an end like any other
        run(points, rng, search, MARGIN)


def run(points: Points, rng: np.random.Generator, search: Any, margin: float) -> None:
    """One search from a random start, with inequalities g <= -margin."""
    nlopt = require("nlopt", "peers")
    search.set_lower_bounds(points.lower)
    search.set_upper_bounds(points.upper)
    search.set_maxeval(points.remaining)
    # The gradients are for other algorithms of NLopt.
    search.set_min_objective(lambda x, _gradient: points.f(x))
    if points.n_ineq:

        def inequalities(result: Any, x: Any, _gradient: Any) -> None:
            result[:] = points.g(x) + margin

        search.add_inequality_mconstraint(inequalities, np.zeros(points.n_ineq))
    if points.n_eq:

        def equalities(result: Any, x: Any, _gradient: Any) -> None:
            result[:] = points.h(x)

        search.add_equality_mconstraint(equalities, np.full(points.n_eq, EQ_TOL))
    nlopt.srand(seed_of(rng))
    search.optimize(rng.uniform(points.lower, points.upper))
