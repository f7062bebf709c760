"""The constants of the family: every member of it is a value of `Settings`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, overload

from rdex.engine.constants import Constants, constant
from rdex.engine.ude.settings import UDE_PRESETS, UdeSettings

PAPER = "paper"
RELEASED = "released program"

#: Evaluations a variable that the competition grants, and the factor of `initial_size` below it.
COMPETITION_BUDGET = 20_000
SMALL_BUDGET_FACTOR = 1.7

#: N0 for few variables, if the budget allows it: 10 D alone converges too early there. The
#: competition's own setting, its budget from 10 variables on, stays as it is.
LEAST_POPULATION = 200
COMPETITION_DIM = 10


@dataclass(frozen=True)
class Settings(Constants):
    """Constants of one variant of the RDEx engine; never changed during a run.

    Progress t = NFE / MaxFE. `docs/method.md` explains every symbol. `replace` gives a variant of
    one's own.

    Examples
    --------
    >>> from rdex.engine.settings import preset
    >>> preset("rdex-csop").replace(n0=600, name="rdex-csop-600").n0
    600
    """

    name: str = "rdex-csop"

    # Sizes.
    n0: int | None = constant(None, "N0", "None: `n0_per_dim` · D, fewer for small budgets", 4, 1e7)
    n0_per_dim: float = constant(10.0, "N0/D", f"{RELEASED}; the paper's text says 600", 0, 1e5)
    n0_least: int = constant(0, "least N0", "used where `n0` is None", 0, 1e7)
    n_min: int = constant(4, "Nmin", PAPER, 4, 1e7)

    # Memories and parameters.
    memory_size: int = constant(5, "H", PAPER, 1, 1e4)
    memory_F: float = constant(0.3, "M_F at start", PAPER)
    memory_CR: float = constant(1.0, "M_CR at start", PAPER)
    memory_weight: float = constant(0.5, "weight of the new mean", PAPER)
    F_rule: str = "success-rate"
    F_exponent: float = constant(1 / 3, "a in SR^a", PAPER, 0, 100)
    F_sigma: float = constant(0.05, "σ of F", PAPER)
    F_cauchy: float = constant(0.1, "Cauchy scale of F (EB, memory)", PAPER)
    CR_sigma: float = constant(0.1, "σ of CR", PAPER)
    start_SR: float = constant(0.5, "SR at start", RELEASED)

    # Donors.
    pbest_share: float = constant(0.3, "p", PAPER)
    rank_pressure: float = constant(7.0, "κ", RELEASED, 0, 30)

    # ε.
    eps_share: float = constant(0.8, "η", PAPER)
    eps_until: float = constant(0.8, "t after which ε = 0", PAPER)
    eps_position: str = "released"
    eps_floor_until: float = constant(0.0, "T: t until which ε has a floor", "0: none")
    eps_floor_power: float = constant(10.0, "c: power of the floor", "used with T > 0", 0, 1000)

    # Whose turn it is, and whose place a success takes.
    targets: str = "random"
    replacement: str = "ring"

    # Perturbation and repair.
    perturb_probability: float = constant(0.2, "P(perturbed trial)", PAPER)
    perturb_scale: float = constant(0.1, "Cauchy scale", PAPER, 0, 1e300)
    perturb_unit: str = "absolute"
    repair_share: float = constant(0.5, "share of the bound", PAPER)

    # Exploitation-biased (EB) branch.
    eb_from: float = constant(0.9, "t at which EB opens", f"{RELEASED}; > 1: never", 0, math.inf)
    eb_rate: float = constant(0.7, "ρ at start and fallback", PAPER)
    eb_pbest_share: float = constant(0.17, "p of EB", RELEASED)
    eb_pbest_decay: float = constant(0.5, "decay of p of EB with t", RELEASED)
    eb_F: float = constant(0.4, "F of the fallback slot", PAPER)
    eb_CR: float = constant(0.9, "CR of the fallback slot", PAPER)
    eb_CR_floors: tuple[float, float] = (0.7, 0.6)
    eb_CR_floors_until: tuple[float, float] = (0.25, 0.5)
    eb_order: str = "epsilon"
    eb_credit: str = "improvement"

    # φ.
    equality: str = "whole"

    # Race (RDE26).
    race: bool = False
    race_until: float = constant(0.76, "t until which there are races", "RDE26's program")
    race_feasible_share: float = constant(0.48, "share of nearly feasible members", "RDE26's")
    race_feasible_phi: float = constant(1e-4, "φ that is nearly feasible", "RDE26's", 0, math.inf)
    race_target_share: float = constant(0.08, "share of targets that race", "RDE26's program")
    race_donor_share: float = constant(0.27, "share of ranks donor b is from", "RDE26's program")
    race_pull: float = constant(0.62, "factor of F towards b", "RDE26's program", 0, 10)
    race_push: float = constant(1.16, "factor of F of the difference", "RDE26's program", 0, 10)
    race_CR: tuple[float, float] = (0.26, 0.85)

    # Restart.
    restart_after: float = constant(0.0, "q, times until settled", "0: never", 0, 1e6)

    CHOICES = {  # noqa: RUF012 - a class constant, not a field
        "F_rule": ("success-rate", "memory"),
        "eps_position": ("released", "paper"),
        "targets": ("random", "sweep"),
        "replacement": ("ring", "target"),
        "perturb_unit": ("absolute", "range"),
        "eb_order": ("epsilon", "objective"),
        "eb_credit": ("improvement", "objective"),
        "equality": ("whole", "excess"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("eb_CR_floors", "eb_CR_floors_until", "race_CR"):
            pair = getattr(self, name)
            if len(pair) != 2 or not all(0.0 <= value <= 1.0 for value in pair):
                raise ValueError(f"{name} must be two numbers in [0, 1], got {pair!r}")
        if self.n0 is not None and self.n0 < self.n_min:
            raise ValueError(f"n0 must be at least n_min = {self.n_min}, got {self.n0}")

    def initial_size(self, dim: int, maxfev: int, least: int = 0) -> int:
        """N0 for a problem of `dim` variables and a budget of `maxfev` evaluations.

        `n0` where it is given; otherwise the most of `n0_per_dim` · D, `n0_least` and `least`, and
        with fewer than the competition's 20000 D evaluations at most 1.7 √maxfev. `minimize` asks
        for `least` = 200: `docs/small-budgets.md` has the comparison.
        """
        if self.n0 is not None:
            return self.n0
        usual = max(math.floor(self.n0_per_dim * dim), self.n0_least, least)
        if maxfev < COMPETITION_BUDGET * dim:
            usual = min(usual, math.floor(SMALL_BUDGET_FACTOR * math.sqrt(maxfev)))
        return max(self.n_min, usual)


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
