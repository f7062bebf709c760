"""Constraints in every form: dicts with bounds, and SciPy's objects, matrices and dicts."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, NonlinearConstraint

import rdex


def cost(x):
    return (x[0] - 3) ** 2 + (x[1] - 2) ** 2 + x[2]


def volume(x):
    return x[0] * x[1] * x[2]


result = rdex.minimize(
    cost,
    Bounds([0, 0, 0.1], [5, 5, 5]),
    constraints=[
        {"fun": volume, "lb": 4, "ub": 8},  # between 4 and 8: two inequalities
        NonlinearConstraint(lambda x: x[0] * x[1], 1, np.inf),  # at least 1
        LinearConstraint([[1, 1, 1]], -np.inf, 6),  # x1 + x2 + x3 <= 6
        {"type": "eq", "fun": lambda x: x[0] - 2 * x[1], "name": "x1 = 2 x2"},  # within eq_tol
        {"type": "ineq", "fun": lambda x: x[2] - 0.5, "name": "x3 - 0.5"},  # >= 0, as in SciPy
    ],
    maxfev=10_000,
    rng=1,
)
print(result)
