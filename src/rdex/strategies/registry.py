"""Strategies by name, with one line on each."""

from __future__ import annotations

import functools
from typing import Any

from rdex.common.text import did_you_mean
from rdex.engine.presets import PRESETS, fitted, preset
from rdex.engine.settings import Constants, Settings
from rdex.problem.problem import Problem
from rdex.strategies.strategy import Context, Strategy

#: The kind of a plain differential evolution, which the driver runs in compiled code.
EVOLUTION = "evolution"

#: A differential evolution for categories and lists; `minimize` takes it where a problem has them.
DISCRETE = "discrete"

#: Before the kind of a strategy that knows numbers only: a search over categories around it.
OVER_CATEGORIES = "categories:"

#: `auto` where variables are lists and categories.
AUTO_LISTS = "auto-lists"

#: The strategy made of strategies: the default.
AUTO = "auto"

#: Search by models.
SCOUT = "scout"

#: Local searches alone, and a preset with local searches: its name and "+local".
LOCAL = "local"
HYBRID = "hybrid"

#: A differential evolution with one local search at the end: `polish=True`.
POLISH = "polish"

#: η of presets with local search while violations coincide: 0.3 to 0.4 unlock ε, 0.5 does not (G15,
#: thrust bearing).
UNLOCKING_SHARE = 0.4

#: The differential evolution behind strategies that do not name one.
BASE = "rdex-csop"

#: One line on every algorithm that `minimize` takes by name.
ALGORITHMS: dict[str, str] = {
    "auto": "chooses by itself: models, differential evolution, local search",
    "rdex-csop": "RDEx-CSOP, the winner of the CEC 2025 competition (constrained track)",
    "rdex-tide": "our own differential evolution for large budgets",
    "scout": "models of f and of every constraint, for 30 to 2000 evaluations",
    "rdex-csop+local": "RDEx-CSOP with local search inside the budget",
    "rdex-tide+local": "the same with our own differential evolution; any preset takes +local",
    "local": "local searches with constraints (SLSQP) from many starts",
    "rdex": "RDEx, the ancestor of RDEx-CSOP",
    "rdex-csop-paper": "RDEx-CSOP as its paper is written, where its program differs",
    "cl-srde": "CL-SRDE, a competitor in the paper",
    "rde26": "RDE26, the successor for the CEC 2026 competition",
    "lshade": "L-SHADE with feasibility rules",
    "lshade-eps": "L-SHADE with the ε constraint method",
    "ude-iv": "UDE-IV, another family, for comparison",
    "ude-iii": "UDE-III, reconstructed from its paper, for comparison",
}


def algorithms() -> dict[str, str]:
    """Names that `minimize(algorithm=...)` takes, with one line on each.

    Examples
    --------
    >>> import rdex
    >>> rdex.algorithms()["rdex-tide"]
    'our own differential evolution for large budgets'
    """
    return dict(ALGORITHMS)


def strategy_names() -> list[str]:
    """Names of all algorithms that are more than a differential evolution."""
    return [AUTO, SCOUT, LOCAL, *(f"{name}+{LOCAL}" for name in PRESETS)]


def kind_of(algorithm: Any) -> tuple[str, Any]:
    """The kind of the strategy, and the preset or settings of its differential evolution."""
    if not isinstance(algorithm, str) or algorithm in PRESETS:
        return EVOLUTION, algorithm
    if algorithm in (AUTO, LOCAL, SCOUT):
        return algorithm, BASE
    base, plus, part = algorithm.partition("+")
    if plus and part == LOCAL and base in PRESETS:
        return HYBRID, base
    hint = did_you_mean(algorithm, [*PRESETS, *strategy_names()])
    raise ValueError(f"unknown algorithm {algorithm!r}{hint}; known: {', '.join(ALGORITHMS)}")


def is_discrete(problem: Problem) -> bool:
    """Whether a problem has categories, or lists and nothing that is real."""
    variables = problem.variables
    if variables is None or not variables.has_lists:
        return False
    return bool(variables.unordered.any() or variables.whole.all())


def kind_for(kind: str, problem: Problem) -> str:
    """The kind of the strategy for a problem, which may have lists and categories."""
    if not is_discrete(problem):
        return kind
    variables = problem.variables
    assert variables is not None
    if kind == EVOLUTION:
        return DISCRETE
    if variables.unordered.all():
        return DISCRETE
    if kind == AUTO:
        return AUTO_LISTS
    return OVER_CATEGORIES + kind if variables.unordered.any() else kind


def label_of(kind: str, base: str) -> str:
    """What results call an algorithm."""
    kind = kind.removeprefix(OVER_CATEGORIES)
    if kind in (AUTO, AUTO_LISTS):
        return AUTO
    return {LOCAL: LOCAL, SCOUT: SCOUT, HYBRID: f"{base}+{LOCAL}"}.get(kind, base)


@functools.lru_cache(maxsize=64)
def constants_of(kind: str, name: str, dim: int, maxfev: int) -> Constants:
    """The constants of a preset as a strategy uses them for so many variables and evaluations.

    ε of the competition's presets can lock itself while nothing is feasible: it is a quantile of
    violations that soon are all the same. A lower quantile unlocks it.
    """
    constants = preset(name)
    kind = kind.removeprefix(OVER_CATEGORIES)
    if kind in (AUTO, AUTO_LISTS, SCOUT, HYBRID) and isinstance(constants, Settings):
        constants = constants.replace(eps_locked_share=UNLOCKING_SHARE)
    return fitted(constants, dim, maxfev)


def make_strategy(kind: str, context: Context) -> Strategy:
    """A strategy at its beginning."""
    if kind == AUTO_LISTS:
        from rdex.strategies.auto import LISTS, Auto

        return Auto(context, parts=LISTS)
    if kind.startswith(OVER_CATEGORIES):
        from rdex.strategies.categories import OverCategories

        inner = kind.removeprefix(OVER_CATEGORIES)
        return OverCategories(
            context,
            lambda *box: make_strategy(inner, context.smaller(*box)),
            has_models=inner == SCOUT,
        )
    if kind == AUTO:
        from rdex.strategies.auto import Auto

        return Auto(context)
    if kind == SCOUT:
        from rdex.strategies.auto import WHILE_THEY_LAST, Auto

        return Auto(context, WHILE_THEY_LAST)
    if kind == LOCAL:
        from rdex.strategies.multistart import Multistart

        return Multistart(context)
    if kind == HYBRID:
        from rdex.strategies.auto import evolution_of_numbers

        return evolution_of_numbers(context)
    if kind == POLISH:
        from rdex.strategies.hybrid import POLISHING, Hybrid

        return Hybrid(context, POLISHING)
    if kind == DISCRETE:
        from rdex.strategies.discrete import DiscreteEvolution

        return DiscreteEvolution(context)
    raise NotImplementedError(kind)
