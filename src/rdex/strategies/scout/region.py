"""`Region`: the box of a trust region: where it is, how large, and how far in each variable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rdex.models.surrogate import Surrogate
from rdex.problem.problem import Floats
from rdex.strategies.scout.knowledge import Knowledge
from rdex.strategies.scout.state import State

#: Least weight of the violation.
LEAST_RHO = 10.0

#: The most by which the reach of variables differs.
LEAST_SENSITIVITY = 0.03


@dataclass
class Region:
    """The box: row of its centre, radius δ, weight ρ, last errors of the models (q,)."""

    centre: int
    delta: float
    rho: float
    error: Floats
    shape: Floats  # reach of each variable in units of δ
    before: tuple[float, float]  # (φ, f) of the centre where the turn of models began
    spent: int = 0  # evaluations of that turn
    n_steps: int = 0
    has_failed: bool = False
    is_poor: bool = False  # the last step gained less than a tenth of what was predicted
    n_spread: int = 0  # points that only spread what is known, since it moved or shrank
    nearest: float = np.inf  # smallest violation φ of its centres, while they are infeasible

    def shrink(self, factor: float) -> None:
        """A smaller box; errors of models fall with its square."""
        self.delta *= factor
        self.error = self.error * factor**2
        self.n_spread = 0


def begin_region(state: State, centre: int, delta: float = 0.3) -> Region:
    """A box about a row."""
    knowledge = state.knowledge
    shape = first_shape(knowledge, knowledge.z[centre])
    error = np.zeros(knowledge.n_functions)
    return Region(centre, delta, LEAST_RHO, error, shape, state.value_of(centre))


def box(state: State, region: Region) -> tuple[Floats, Floats]:
    """Bounds of the region; an integer variable can always take a step."""
    here = state.knowledge.z[region.centre]
    reach = np.maximum(region.delta * region.shape, state.knowledge.spacing)
    return np.maximum(here - reach, 0.0), np.minimum(here + reach, 1.0)


def first_shape(knowledge: Knowledge, here: Floats) -> Floats:
    """Smaller reach for variables near a lower bound that is much smaller than the upper one."""
    shape = np.ones(knowledge.d)
    is_log = knowledge.log_ratio > 1.0
    ratio = knowledge.log_ratio[is_log]
    shape[is_log] = (1.0 + (ratio - 1.0) * here[is_log]) * np.log(ratio) / (ratio - 1.0)
    return normalised(shape)


def update_shape(region: Region, model: Surrogate, points: Floats) -> None:
    """Smaller reach for variables on which the functions depend more than on others."""
    squares = np.zeros((model.n_functions, points.shape[1]))
    for z in points:
        model.values(z)
        squares += model.slopes() ** 2
    sizes = squares.sum(axis=1, keepdims=True)
    shares = squares[sizes[:, 0] > 0.0] / sizes[sizes > 0.0][:, None]
    if not len(shares):
        return
    sensitivity = np.sqrt(shares.mean(axis=0))
    wanted = 1.0 / np.maximum(sensitivity, LEAST_SENSITIVITY * sensitivity.max())
    region.shape = normalised(region.shape**0.7 * normalised(wanted) ** 0.3)


def normalised(shape: Floats) -> Floats:
    """With a geometric mean of 1."""
    return np.asarray(shape / np.exp(np.log(shape).mean()))
