"""What peers there are: package, reference, licence, how each is set and told of constraints."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import numpy as np

from rdex.campaign.peers.points import BAD, Points, quiet, seeded
from rdex.common.extras import require
from rdex.problem import Problem


@dataclass(frozen=True)
class PeerSolve:
    """``solve(problem, budget, rng)`` of a peer.

    A search that stops before the budget is spent begins anew with the rest of it, so that every
    algorithm has the same number of evaluations.
    """

    adapter: str
    package: str

    def __call__(self, problem: Problem, budget: int, rng: np.random.Generator) -> None:
        points = Points(problem, budget)
        with quiet(), seeded(rng):
            search = self.load()
            while points.remaining:
                before = points.nfev
                search(points, rng)
                if points.nfev == before:
                    raise RuntimeError(f"{self.package} ended without an evaluation")

    def load(self) -> Any:
        """The adapter's function, its package imported."""
        module, function = self.adapter.split(":")
        with quiet():
            require(self.package, "peers")
            return getattr(importlib.import_module(f"rdex.campaign.peers.{module}"), function)


@dataclass(frozen=True)
class Peer:
    """An optimiser of another package.

    Attributes
    ----------
    name : str
        Its name in plans and tables.
    adapter : str
        ``module:function`` in this folder.
    package, distribution : str
        What is imported, and what is installed.
    call : str
        What is called of the package.
    reference, licence : str
        The method's source, and the licence of the package.
    equalities : str
        How the tolerance 1e-4 of equalities is told.
    choices : dict
        Settings that are not the package's defaults, or for which there are none.
    """

    name: str
    adapter: str
    package: str
    distribution: str
    call: str
    reference: str
    licence: str
    equalities: str
    choices: dict[str, Any]

    @property
    def solve(self) -> PeerSolve:
        """The function that makes a run."""
        return PeerSolve(self.adapter, self.package)

    def settings(self) -> dict[str, Any]:
        """What decides the results.

        Raises
        ------
        rdex.common.extras.MissingExtraError
            Where the package is not installed.
        """
        if find_spec(self.package) is None:
            require(self.package, "peers")
        return {
            "package": self.distribution,
            "version": metadata.version(self.distribution),
            "call": self.call,
            "equalities": self.equalities,
            **COMMON,
            **self.choices,
        }


#: What holds for all.
COMMON = {
    "integers": "rounded before evaluation",
    "when it stops early": "begins anew with the rest of the budget",
    "values that are not finite": f"{BAD:g}",
}

BAND = "-1e-4 <= h <= 1e-4"
EXACT = "h = 0"
TOLERANCE = "h with tolerance 1e-4"

LOCAL = {"start": "uniform in the box", "variables": "unit box", "inequalities": "g <= -1e-6"}

PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "scipy-de",
            "scipy_peers:differential_evolution",
            "scipy",
            "scipy",
            "optimize.differential_evolution",
            "Storn and Price 1997; constraints after Lampinen 2002",
            "BSD-3-Clause",
            BAND,
            {"maxiter": "budget / (15 D) - 1", "integers": "integrality"},
        ),
        Peer(
            "pymoo-isres",
            "pymoo_peers:isres",
            "pymoo",
            "pymoo",
            "ISRES",
            "Runarsson and Yao 2005",
            "Apache-2.0",
            TOLERANCE,
            {"termination": "n_eval = budget"},
        ),
        Peer(
            "pymoo-de",
            "pymoo_peers:de",
            "pymoo",
            "pymoo",
            "DE",
            "Storn and Price 1997, DE/best/1/bin; feasibility first",
            "Apache-2.0",
            TOLERANCE,
            {"termination": "n_eval = budget"},
        ),
        Peer(
            "pygmo-sade",
            "pygmo_peers:sade",
            "pygmo",
            "pygmo",
            "cstrs_self_adaptive over sade",
            "Farmani and Wright 2003; Brest et al. 2006",
            "MPL-2.0",
            TOLERANCE,
            {"population": 50, "iters": "until the budget is spent"},
        ),
        Peer(
            "pygmo-gaco",
            "pygmo_peers:gaco",
            "pygmo",
            "pygmo",
            "gaco",
            "Schlüter et al. 2009",
            "MPL-2.0",
            TOLERANCE,
            {"population": 63, "gen": "budget / 63"},
        ),
        Peer(
            "nlopt-isres",
            "nlopt_peers:isres",
            "nlopt",
            "nlopt",
            "GN_ISRES",
            "Runarsson and Yao 2005",
            "LGPL-2.1+ (its wrapper MIT)",
            TOLERANCE,
            {"maxeval": "budget", "start": "uniform in the box"},
        ),
        Peer(
            "nlopt-cobyla",
            "nlopt_peers:cobyla",
            "nlopt",
            "nlopt",
            "LN_COBYLA",
            "Powell 1994",
            "LGPL-2.1+ (its wrapper MIT)",
            TOLERANCE,
            {"start": "uniform in the box", "inequalities": "g <= -1e-6", "xtol_rel": 1e-6},
        ),
        Peer(
            "egobox",
            "egobox_peers:ego",
            "egobox",
            "egobox",
            "Egor.suggest",
            "Jones, Schonlau and Welch 1998; Lafage 2022",
            "Apache-2.0",
            TOLERANCE,
            {"initial design": "Latin hypercube of 2 D", "integers": "XType.INT"},
        ),
        Peer(
            "pycma-con2",
            "cma_peers:con2",
            "cma",
            "cma",
            "fmin_con2",
            "Hansen and Ostermeier 2001; Atamna, Auger and Hansen 2017",
            "BSD-3-Clause",
            "h - 1e-4 <= 0 and -h - 1e-4 <= 0",
            {"sigma0": 0.25, "start": "uniform in the box", "variables": "unit box"},
        ),
        Peer(
            "nevergrad",
            "nevergrad_peers:two_points_de",
            "nevergrad",
            "nevergrad",
            "optimizers.TwoPointsDE",
            "Storn and Price 1997, with two-point crossover",
            "MIT",
            "violation max(|h| - 1e-4, 0)",
            {"start": "middle of the box"},
        ),
        Peer(
            "multistart-slsqp",
            "scipy_peers:slsqp",
            "scipy",
            "scipy",
            'optimize.minimize(method="SLSQP")',
            "Kraft 1988",
            "BSD-3-Clause",
            EXACT,
            {**LOCAL, "gradients": "finite differences, each point an evaluation"},
        ),
        Peer(
            "multistart-cobyqa",
            "scipy_peers:cobyqa",
            "scipy",
            "scipy",
            'optimize.minimize(method="COBYQA")',
            "Ragonneau 2022",
            "BSD-3-Clause",
            EXACT,
            LOCAL,
        ),
    )
}
