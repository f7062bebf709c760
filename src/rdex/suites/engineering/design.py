"""How a design problem is written down, and the `Problem` made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rdex.problem import Problem
from rdex.problem.compiled_function import KernelFunction


class Variable(NamedTuple):
    """A design variable: what it is, its bounds, its unit, and whether it counts something."""

    name: str
    lower: float
    upper: float
    unit: str = "-"
    is_integer: bool = False


@dataclass(frozen=True)
class Design:
    """A design problem; `kernel` is the module and name of its formula in `kernels`.

    `optimum` is the best known value for equalities met to 1e-4 and inequalities met exactly,
    attained at `optimum_x`; `source` says where the problem comes from, `remark` what a reader
    who compares with published values must know.
    """

    name: str
    title: str
    kernel: str
    variables: tuple[Variable, ...]
    objective: str
    optimum: float
    optimum_x: tuple[float, ...]
    source: str
    remark: str
    inequalities: tuple[str, ...] = ()
    equalities: tuple[str, ...] = ()
    data: tuple[float, ...] = ()
    n_work: int = 0

    def problem(self) -> Problem:
        """The `Problem`, compiled when first evaluated."""
        place = f"rdex.suites.engineering.kernels.{self.kernel.replace('.', ':')}"
        return Problem(
            lower=np.array([v.lower for v in self.variables]),
            upper=np.array([v.upper for v in self.variables]),
            n_ineq=len(self.inequalities),
            n_eq=len(self.equalities),
            compile=KernelFunction(place, np.array(self.data, dtype=np.float64), self.n_work),
            name=self.title,
            id=f"engineering/{self.name}",
            optimum=self.optimum,
            optimum_x=np.array(self.optimum_x),
            integrality=np.array([v.is_integer for v in self.variables]),
            variable_names=tuple(v.name for v in self.variables),
            constraint_names=self.inequalities + self.equalities,
            info={
                "suite": "engineering",
                "objective": self.objective,
                "units": tuple(v.unit for v in self.variables),
                "source": self.source,
                "remark": self.remark,
                "eq_tol": 1e-4,
                "success": "relative",
            },
        )
