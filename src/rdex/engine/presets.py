"""Settings that have a name, and `preset`, which finds them."""

from __future__ import annotations

from typing import Literal, overload

from rdex.engine.settings import COMPETITION_BUDGET, Constants, Settings
from rdex.engine.ude.settings import UDE_PRESETS, UdeSettings

#: N0 for few variables, if the budget allows it: 10 D alone converges too early there. The
#: competition's own setting, its budget from 10 variables on, stays as it is.
LEAST_POPULATION = 200
COMPETITION_DIM = 10

NEVER = 2.0

RDE26 = Settings(
    name="rde26",
    n0_per_dim=9.98,
    memory_size=11,
    memory_F=0.63,
    memory_CR=0.94,
    memory_weight=0.35,
    F_exponent=0.40,
    CR_sigma=0.09,
    F_cauchy=0.14,
    pbest_share=0.5,
    rank_pressure=13.98,
    eps_until=0.75,
    perturb_probability=0.55,
    perturb_scale=0.30,
    eb_from=0.71,
    eb_rate=0.91,
    eb_pbest_share=0.40,
    eb_pbest_decay=0.35,
    eb_F=0.43,
    eb_CR=0.63,
    eb_CR_floors=(0.23, 0.69),
    eb_CR_floors_until=(0.29, 0.63),
    eb_order="objective",
    eb_credit="objective",
    repair_share=0.21,
    race=True,
)

#: L-SHADE in this engine's steps, with feasibility first: P takes the place of population and
#: archive as the source of donors.
LSHADE = Settings(
    name="lshade",
    n0_per_dim=18.0,
    memory_size=6,
    memory_F=0.5,
    memory_CR=0.5,
    memory_weight=1.0,
    F_rule="memory",
    pbest_share=0.11,
    rank_pressure=0.0,
    eps_share=0.0,
    eps_until=0.0,
    targets="sweep",
    replacement="target",
    perturb_probability=0.0,
    eb_from=NEVER,
)

PRESETS: dict[str, Constants] = {
    settings.name: settings
    for settings in (
        Settings(),
        Settings(name="rdex"),
        Settings(
            name="rdex-csop-paper",
            n0=600,
            eps_position="paper",
            targets="sweep",
            replacement="target",
            equality="excess",
            eb_from=0.0,
        ),
        Settings(
            name="cl-srde",
            n0_per_dim=20.0,
            perturb_probability=0.0,
            eb_from=NEVER,
        ),
        RDE26,
        RDE26.replace(
            name="rdex-tide",
            n0_least=140,
            eps_floor_until=0.15,
            eps_floor_power=8.0,
            pbest_share=0.3,
            rank_pressure=7.0,
            perturb_probability=0.2,
            perturb_scale=0.1,
            eb_order="epsilon",
            eb_credit="improvement",
            restart_after=1.5,
        ),
        LSHADE,
        LSHADE.replace(name="lshade-eps", eps_until=1.0, eps_floor_until=0.2, eps_floor_power=5.0),
        *UDE_PRESETS,
    )
}


#: Names of presets by the type of their settings, for type checkers.
RdexName = Literal[
    "rdex-csop", "rdex", "rdex-csop-paper", "cl-srde", "rde26", "rdex-tide", "lshade", "lshade-eps"
]
UdeName = Literal["ude-iv", "ude-iii"]


@overload
def preset(name: RdexName) -> Settings: ...
@overload
def preset(name: UdeName) -> UdeSettings: ...
@overload
def preset(name: str) -> Constants: ...
def preset(name: str) -> Constants:
    """The settings that go by `name`.

    Examples
    --------
    >>> preset("rde26").memory_size
    11
    """
    try:
        return PRESETS[name]
    except KeyError:
        known = ", ".join(sorted(PRESETS))
        raise ValueError(f"unknown algorithm {name!r}; known: {known}") from None


def fitted(constants: Constants, dim: int, budget: int) -> Constants:
    """Constants of the RDEx family with perturbations in units of the box and N0 for the budget."""
    if not isinstance(constants, Settings):
        return constants
    is_competition = dim >= COMPETITION_DIM and budget >= COMPETITION_BUDGET * dim
    n0 = constants.initial_size(dim, budget, least=0 if is_competition else LEAST_POPULATION)
    return constants.replace(perturb_unit="range", n0=n0)
