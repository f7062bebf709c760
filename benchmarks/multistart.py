"""A problem that counts its evaluations, and SciPy's local solvers on it from many starts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.optimize import NonlinearConstraint
from scipy.optimize import minimize as local_minimize

from rdex import Problem


class Spent(Exception):
    """The budget is used."""


class Counted:
    """A problem in the unit box that counts distinct points and keeps the best."""

    def __init__(self, problem: Problem, most: int) -> None:
        self.problem = problem
        self.most = most
        self.known: dict[bytes, tuple[float, Any]] = {}
        self.best: tuple[float, float] = (np.inf, np.inf)

    def __call__(self, z: Any) -> tuple[float, Any]:
        x = self.problem.lower + np.clip(z, 0, 1) * (self.problem.upper - self.problem.lower)
        key = x.tobytes()
        if key not in self.known:
            if len(self.known) >= self.most:
                raise Spent
            f, g, h = (values[0] for values in self.problem.evaluate(x[None, :]))
            violated = np.r_[np.maximum(g, 0.0), np.where(np.abs(h) > 1e-4, np.abs(h), 0.0)]
            self.known[key] = (float(f), np.r_[g, h])
            if np.isfinite(f):
                self.best = min(self.best, (float(violated.mean() if violated.size else 0), f))
        return self.known[key]


def limits_of(counted: Counted) -> list[NonlinearConstraint]:
    """The constraints of a problem in SciPy's form, inequalities first."""
    m, n = counted.problem.n_ineq, counted.problem.n_eq
    if m + n == 0:
        return []
    low, high = np.r_[np.full(m, -np.inf), np.zeros(n)], np.zeros(m + n)
    return [NonlinearConstraint(lambda z: counted(z)[1], low, high)]


def multistart(counted: Counted, method: str, seed: int) -> None:
    """Local searches from random points until the budget is used and `Spent` is raised."""
    rng = np.random.default_rng(seed)
    limit = limits_of(counted)
    options = {"maxfev": 500} if method == "COBYQA" else {"maxiter": 500}
    while True:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            local_minimize(
                lambda z: counted(z)[0], rng.random(counted.problem.dim), method=method,
                bounds=[(0.0, 1.0)] * counted.problem.dim, constraints=limit, options=options,
            )  # fmt: skip
