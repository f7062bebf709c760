"""pycma: CMA-ES with an augmented Lagrangian."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from rdex.campaign.peers.points import EQ_TOL, Points, seed_of
from rdex.common.extras import require

#: Initial standard deviation in the unit box, as pycma advises: about a quarter of the range.
SIGMA0 = 0.25


def con2(points: Points, rng: np.random.Generator) -> None:
    """`cma.fmin_con2` from one random start in the unit box, without its files."""
    cma = require("cma", "peers")

    def objective(z: Any) -> float:
        return points.f(points.from_unit(z))

    def constraints(z: Any) -> list[float]:
        x = points.from_unit(z)
        values = list(points.g(x)) if points.n_ineq else []
        if points.n_eq:
            h = points.h(x)
            values += [*(h - EQ_TOL), *(-h - EQ_TOL)]
        return values

    options: dict[str, Any] = {
        "bounds": [0.0, 1.0],
        "maxfevals": points.remaining,
        "seed": seed_of(rng),
        "verbose": -10,
        "verb_log": 0,
        "verb_disp": 0,
        "verb_filenameprefix": "",
    }
    start = rng.uniform(size=points.dim)
    with without_log_folder():
        if points.n_ineq + points.n_eq:
            cma.fmin_con2(objective, start, SIGMA0, constraints, options=options)
        else:  # which fmin_con2 does not take
            cma.fmin2(objective, start, SIGMA0, options=options)


@contextlib.contextmanager
def without_log_folder() -> Iterator[None]:
    """Keep the Lagrangian from making an empty folder for logs; no option of pycma does."""
    handler: Any = require("cma.constraints_handler", "peers")
    before = handler._Logger
    handler._Logger = require("cma.logger", "peers").LoggerDummy
    try:
        yield
    finally:
        handler._Logger = before
