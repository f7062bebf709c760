"""pymoo: ISRES and differential evolution."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rdex.campaign.peers.points import Points, seed_of
from rdex.common.extras import require


def isres(points: Points, rng: np.random.Generator) -> None:
    """Improved stochastic ranking evolution strategy with pymoo's defaults."""
    strategy = require("pymoo.algorithms.soo.nonconvex.isres", "peers").ISRES()
    # Its ranking is not handed the seed and would take one from the operating system.
    survival = strategy.survival
    survival.do = partial(survival.do, random_state=np.random.default_rng(seed_of(rng)))
    run(points, rng, strategy)


def de(points: Points, rng: np.random.Generator) -> None:
    """Differential evolution with pymoo's defaults."""
    run(points, rng, require("pymoo.algorithms.soo.nonconvex.de", "peers").DE())


def run(points: Points, rng: np.random.Generator, algorithm: Any) -> None:
    """One run that ends with the budget only, whole populations evaluated at once."""
    core = require("pymoo.core.problem", "peers")
    optimize = require("pymoo.optimize", "peers")

    class Rows(core.Problem):  # type: ignore[misc, name-defined]
        """The problem as pymoo has it."""

        def __init__(self) -> None:
            super().__init__(
                n_var=points.dim,
                n_obj=1,
                n_ieq_constr=points.n_ineq,
                n_eq_constr=points.n_eq,
                xl=points.lower,
                xu=points.upper,
            )

        def _evaluate(self, x: Any, out: dict[str, Any], *_: Any, **__: Any) -> None:
            f, g, h = points.rows(x)
            out["F"], out["G"], out["H"] = f[:, None], g, h

    optimize.minimize(
        Rows(), algorithm, ("n_eval", points.remaining), copy_algorithm=False, seed=seed_of(rng)
    )
