"""nevergrad: its two-point differential evolution.

NGOpt, the wizard that users are pointed to, takes several milliseconds an evaluation, and where it
picks a surrogate model it ends with a TypeError under NumPy 2.4 (nevergrad 1.0.12).
"""

from __future__ import annotations

import numpy as np

from rdex.campaign.peers.points import Points, seed_of, violations
from rdex.common.extras import require


def two_points_de(points: Points, rng: np.random.Generator) -> None:
    """TwoPointsDE with its defaults, told the violations of the constraints."""
    nevergrad = require("nevergrad", "peers")
    middle = (points.lower + points.upper) / 2
    box = nevergrad.p.Array(init=middle, lower=points.lower, upper=points.upper)
    box.random_state = np.random.RandomState(seed_of(rng))
    search = nevergrad.optimizers.TwoPointsDE(parametrization=box, budget=points.remaining)
    while points.remaining:
        candidate = search.ask()
        f, g, h = points.at(candidate.value)
        search.tell(candidate, f, violations(g, h) if g.size + h.size else None)
