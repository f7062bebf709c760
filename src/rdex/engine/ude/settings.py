"""The constants of UDE-IV and UDE-III.

[UDE4] the successor, described completely by its authors; [UDE3] the CEC 2024 winner, of which
only an outline is public: a *reconstruction*. `docs/ude.md` says what was tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rdex.engine.settings import Constants, constant

UDE4 = "UDE-IV"


@dataclass(frozen=True)
class UdeSettings(Constants):
    """Constants of one variant of UDE; never changed during a run.

    Donors are written a + F (b − c) in strategies 1 and 2 and F (b − c) in strategy 3. `ranked`
    and `ranked_pbest` name those that are accepted with probability (NP − rank) / NP, rank 0
    being the best; the others are uniform.

    Examples
    --------
    >>> from rdex.engine.presets import preset
    >>> preset("ude-iv").replace(stagnation=50, name="ude-iv-patient").stagnation
    50
    """

    name: str = "ude-iv"

    # The exponent of ε holds a logarithm of the violation: the rules depend on the units of the
    # constraints, so nothing is scaled.
    AUTOMATIC_SCALE: ClassVar[str] = "none"

    # Sizes.
    n0: int = constant(100, "NP", UDE4, 8, 1e6)
    top_share: float = constant(0.25, "T / NP", UDE4)

    # Memories and parameters.
    memory_size: int = constant(100, "H", UDE4, 1, 1e5)
    memory_F: float = constant(0.5, "M_F at start", UDE4)
    memory_CR: float = constant(0.5, "M_CR at start", UDE4)
    F_cauchy: float = constant(0.1, "Cauchy scale of F", UDE4)
    CR_sigma: float = constant(0.1, "σ of CR", UDE4)

    # Donors.
    pbest_low: int = constant(5, "fewest p-best members", UDE4, 2, 1e6)
    pbest_high: int = constant(20, "most p-best members", UDE4, 2, 1e6)
    rand_to_pbest: float = constant(0.25, "share of rand-to-pbest/1 in strategy 3, bottom", UDE4)
    ranked: str = ""
    ranked_pbest: str = ""

    # Choice of strategies.
    learning_period: int = constant(25, "Lp", UDE4, 1, 1e6)
    share_floor: float = constant(0.01, "added to a strategy's success share", UDE4, 1e-9)

    # ε.
    eps_until: float = constant(0.5, "τ after which ε = 0", UDE4)
    eps_offset: float = constant(6.0, "λ in cp = (ln eps0 + λ) / ln 2", UDE4, 0, 1e3)
    eps_power: float = constant(33.0, "largest cp", UDE4, 0, 1e3)

    # Stagnation.
    stagnation: int = constant(25, "SG", UDE4, 0, 1e9)
    stagnated_share: float = constant(0.40, "SProp", UDE4)
    spread: float = constant(1.0, "least mean distance to the centroid", UDE4, 0, 1e300)

    CHOICES = {  # noqa: RUF012 - a class constant, not a field
        "ranked": ("", "a", "b", "ab", "abc"),
        "ranked_pbest": ("", "b", "bc"),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pbest_low > self.pbest_high:
            raise ValueError(
                f"pbest_low must be at most pbest_high = {self.pbest_high}, got {self.pbest_low}"
            )

    @property
    def top(self) -> int:
        """T: members that try every strategy; at least one."""
        return max(1, int(self.top_share * self.n0 + 0.5))

    @property
    def trials(self) -> int:
        """Evaluations of a generation."""
        return 3 * self.top + self.n0 - self.top

    def initial_size(self, dim: int, maxfev: int, least: int = 0) -> int:
        """NP, whatever the problem and the budget."""
        return self.n0


UDE_PRESETS = (
    UdeSettings(),
    UdeSettings(
        name="ude-iii",
        rand_to_pbest=0.0,
        stagnated_share=0.60,
        ranked="ab",
        ranked_pbest="b",
    ),
)
