"""pygmo: self-adaptive constraint handling over sade, and the ant colony gaco."""

from __future__ import annotations

from typing import Any

import numpy as np

from rdex.campaign.peers.points import EQ_TOL, Points, seed_of
from rdex.common.extras import require

#: Members, of which pygmo has no default: for sade 20 to 100 were tried on eight problems with
#: 5000 evaluations, where 50 was as good as any; the ant colony needs its archive's 63 at least.
SADE_SIZE = 50
GACO_SIZE = 63


class Udp:
    """The problem as pygmo has it: one vector of f, equalities, inequalities."""

    def __init__(self, points: Points) -> None:
        self.points = points

    def __deepcopy__(self, _memo: Any) -> Udp:
        return self  # pygmo copies problems; evaluations must be counted in one place

    def fitness(self, x: Any) -> list[float]:
        """All values of one point."""
        f, g, h = self.points.at(x)
        return [f, *h, *g]

    def get_bounds(self) -> tuple[Any, Any]:
        """The box."""
        return self.points.lower, self.points.upper

    def get_nec(self) -> int:
        """Number of equalities."""
        return self.points.n_eq

    def get_nic(self) -> int:
        """Number of inequalities."""
        return self.points.n_ineq


def sade(points: Points, rng: np.random.Generator) -> None:
    """cstrs_self_adaptive over sade; sade alone where there are no constraints, which it needs."""
    pygmo = require("pygmo", "peers")
    if points.n_eq + points.n_ineq == 0:
        generations = max(1, points.remaining // SADE_SIZE)
        evolve(points, rng, pygmo.sade(gen=generations, seed=seed_of(rng)), SADE_SIZE)
        return
    inner = pygmo.sade(seed=seed_of(rng))
    # An iteration is an evaluation at least: the budget ends it.
    outer = pygmo.cstrs_self_adaptive(points.remaining, inner, seed=seed_of(rng))
    evolve(points, rng, outer, SADE_SIZE)


def gaco(points: Points, rng: np.random.Generator) -> None:
    """The extended ant colony, whose oracle penalty takes constraints."""
    pygmo = require("pygmo", "peers")
    generations = max(1, points.remaining // GACO_SIZE)
    evolve(points, rng, pygmo.gaco(gen=generations, seed=seed_of(rng)), GACO_SIZE)


def evolve(points: Points, rng: np.random.Generator, algorithm: Any, size: int) -> None:
    """One evolution of a random population."""
    pygmo = require("pygmo", "peers")
    problem = pygmo.problem(Udp(points))
    if points.n_eq + points.n_ineq:
        problem.c_tol = [EQ_TOL] * points.n_eq + [0.0] * points.n_ineq
    population = pygmo.population(problem, size=size, seed=seed_of(rng))
    pygmo.algorithm(algorithm).evolve(population)
