"""Constants of algorithms: checked fields, copies, files, and those of the RDEx family.

Every member of the family is a value of `Settings`; `presets` has their names.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

PAPER = "paper"
RELEASED = "released program"

#: Evaluations per variable that the competition grants, and the factor of `initial_size` below it.
COMPETITION_BUDGET = 20_000
SMALL_BUDGET_FACTOR = 1.7

#: What tables call algorithms whose names need a word of explanation.
LABELS = {"ude-iii": "UDE-III (reconstruction)"}


def constant(default: Any, symbol: str, source: str, low: float = 0.0, high: float = 1.0) -> Any:
    """A field with its symbol, the source of its default, and its range."""
    return field(
        default=default, metadata={"symbol": symbol, "source": source, "low": low, "high": high}
    )


@dataclass(frozen=True)
class Constants:
    """Constants of one algorithm; never changed during a run. `replace` gives a variant."""

    name: str = ""

    #: What fields of text may hold.
    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {}

    #: Fields that older versions did not have, and behave as if they were at their defaults.
    LATER: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            check_field(item, getattr(self, item.name))
        for name, allowed in self.CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {getattr(self, name)!r}")

    #: What "auto" means for the scales of constraints.
    AUTOMATIC_SCALE: ClassVar[str] = "auto"

    @property
    def label(self) -> str:
        """What tables call the algorithm."""
        return LABELS.get(self.name, self.name)

    def replace(self, **changes: Any) -> Self:
        """These settings with some fields changed."""
        unknown = set(changes) - {item.name for item in dataclasses.fields(self)}
        if unknown:
            raise ValueError(f"{type(self).__name__} has no field {sorted(unknown)[0]!r}")
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Field names and plain values, for files; `from_dict` reads it back.

        Those of `LATER` are left out at their defaults, so that older files are of the same run.
        """
        off = {item.name: item.default for item in dataclasses.fields(self)}
        values = dataclasses.asdict(self)
        return {k: v for k, v in values.items() if k not in self.LATER or v != off[k]}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """The settings that `as_dict` described; JSON's lists may stand for tuples."""
        plain = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
        return cls().replace(**plain)

    def initial_size(self, dim: int, maxfev: int, least: int = 0) -> int:
        """N0 for a problem of `dim` variables and a budget of `maxfev` evaluations."""
        raise NotImplementedError


def check_field(item: dataclasses.Field[Any], value: Any) -> None:
    """A number inside its range, or a ValueError that names field, range and value."""
    if not item.metadata or (value is None and item.default is None):
        return
    low, high = item.metadata["low"], item.metadata["high"]
    whole = item.type in ("int", "int | None")
    kinds: tuple[type, ...] = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"{item.name} must be {kind} in [{low:g}, {high:g}], got {value!r}")


@dataclass(frozen=True)
class Settings(Constants):
    """Constants of one variant of the RDEx engine; never changed during a run.

    Progress t = NFE / MaxFE. `docs/method.md` explains every symbol. `replace` gives a variant of
    one's own.

    Examples
    --------
    >>> from rdex.engine.presets import preset
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
    eps_locked_share: float = constant(1.0, "η while violations coincide", "1: as always")
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

    LATER = ("eps_locked_share",)
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
