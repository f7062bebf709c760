"""How a mixed problem is written down, and the `Problem` made from it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rdex.problem import Problem, Variables

#: f and G <= 0 of a design.
Formula = Callable[[dict[str, Any]], tuple[float, list[float]]]


@dataclass(frozen=True)
class Mixed:
    """A problem with integer, discrete and categorical variables.

    best_real: values of the real variables that are best for given discrete ones, in closed form;
    None where all variables are discrete. The optimum was found by `enumerated`.
    """

    name: str
    title: str
    variables: Variables
    formula: Formula
    constraints: tuple[str, ...]
    optimum: float
    design: dict[str, Any]
    best_real: Callable[[dict[str, Any]], dict[str, float] | None] | None = None

    def problem(self) -> Problem:
        """As the searches see it."""
        return Problem.from_function(
            self.formula,
            self.variables,
            n_ineq=len(self.constraints),
            name=self.title,
            id=f"mixed/{self.name}",
            constraint_names=self.constraints,
            optimum=self.optimum,
            optimum_x=self.variables.point(self.design),
            info={"success": "relative", "combinations": self.n_combinations},
        )

    @property
    def n_combinations(self) -> int:
        """Combinations of the discrete variables."""
        lower, upper = self.variables.bounds
        whole = self.variables.whole
        return int(np.prod((upper - lower + 1)[whole]))

    def combinations(self) -> Iterator[dict[str, Any]]:
        """All combinations of the discrete variables, the real ones at their best."""
        discrete = [v for v in self.variables.values() if v.kind != "real"]
        ranges = [range(int(v.low), int(v.high) + 1) for v in discrete]
        for codes in itertools.product(*ranges):
            design = {v.name: v.decoded(code) for v, code in zip(discrete, codes, strict=True)}
            if self.best_real is not None:
                found = self.best_real(design)
                if found is None:
                    continue
                design = {name: {**design, **found}[name] for name in self.variables}
            yield design

    def enumerated(self) -> tuple[float, dict[str, Any]]:
        """The best feasible f of all combinations, and its design."""
        best: tuple[float, dict[str, Any]] = (np.inf, {})
        for design in self.combinations():
            f, g = self.formula(design)
            if f < best[0] and all(value <= 0 for value in g):
                best = (f, design)
        return best
