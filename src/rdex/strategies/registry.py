"""Strategies by name, with one line on each."""

from __future__ import annotations

import difflib
from typing import Any

from rdex.engine.settings import PRESETS
from rdex.strategies.strategy import Context

#: The kind of a plain differential evolution, which the driver runs in compiled code.
EVOLUTION = "evolution"

#: Search by models.
SCOUT = "scout"

#: The differential evolution behind strategies that do not name one.
BASE = "rdex-csop"

#: One line on every algorithm that `minimize` takes by name.
ALGORITHMS: dict[str, str] = {
    "rdex-csop": "RDEx-CSOP, the winner of the CEC 2025 competition (constrained track)",
    "rdex-tide": "our own differential evolution for large budgets",
    "scout": "models of f and of every constraint, for 30 to 2000 evaluations",
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


def kind_of(algorithm: Any) -> tuple[str, Any]:
    """The kind of the strategy, and the preset or settings of its differential evolution."""
    if not isinstance(algorithm, str):
        return EVOLUTION, algorithm
    if algorithm in PRESETS:
        return EVOLUTION, algorithm
    if algorithm == SCOUT:
        return SCOUT, BASE
    close = difflib.get_close_matches(algorithm, ALGORITHMS, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"unknown algorithm {algorithm!r}{hint}; known: {', '.join(ALGORITHMS)}")


def make_strategy(kind: str, context: Context) -> Any:
    """A strategy at its beginning."""
    if kind == SCOUT:
        from rdex.strategies.scout.strategy import Scout

        return Scout(context)
    raise NotImplementedError(kind)
